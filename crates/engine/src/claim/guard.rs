//! The lock that writes to an item take: the claims' first, then the workspace's, with the numbers compared inside.

use std::ops::Deref;

use hewto_core::artifact::{Handle, Scheme};
use hewto_core::claim::{Judgement, Wish};
use hewto_store::{Committed, Context, Transaction, WriteGuard};
use serde_json::json;

use super::book::{Book, is_in_use, place, refuse_unread};
use super::work::{Work, step_id};
use super::{claimed, lost};
use crate::error::{Action, Error, Key, Kind, Result};
use crate::item::Item;
use crate::view::OpenPoint;
use crate::workspace::Workspace;

/// Both locks. It derefs to the workspace's.
pub(crate) struct ItemLock {
    lock: WriteGuard,
    /// The claims and the names of what is written; kept until the write is done, so that nobody takes over in between.
    book: Option<(Book, Vec<String>)>,
    /// What the caller should hear though nothing was refused.
    pub(crate) remark: Option<OpenPoint>,
}

impl Deref for ItemLock {
    type Target = WriteGuard;
    fn deref(&self) -> &WriteGuard {
        &self.lock
    }
}

impl ItemLock {
    /// Commits as the last thing that is done under the locks, together with others that wait for the workspace's.
    pub(crate) fn finish(self, ctx: &Context, transaction: Transaction) -> Result<Committed> {
        Ok(self.lock.finish(ctx, transaction)?)
    }

    /// Ends the claims of this work tree on what was put away: there is nothing left to work on. Those of other work trees
    /// may be about a copy that is still open there.
    pub(crate) fn end_claims(&mut self, ws: &Workspace) {
        let Some((book, keys)) = &mut self.book else { return };
        let here = ws.root().display().to_string();
        let mut ended = false;
        for key in keys {
            if let Some(claim) = book.claims.claims.get_mut(key)
                && !claim.released
                && claim.holder.worktree == here
            {
                claim.released = true;
                ended = true;
            }
        }
        if ended {
            // The write is done and stays: a claim that could not be ended runs out.
            let _ = book.save();
        }
    }
}

/// Takes the locks for a write to an item, or to one step of it by its title; the workspace's with [`Workspace::lock`] or, where
/// the use case ends with [`ItemLock::finish`], with [`Workspace::lock_together`].
pub(crate) fn lock(
    ws: &Workspace,
    ctx: &Context,
    item: &str,
    step: Option<&str>,
    take: impl FnOnce(&Workspace, &Context) -> Result<(WriteGuard, Workspace)>,
) -> Result<(ItemLock, Workspace)> {
    let required = ws.configuration(ctx).config.leases.required;
    let in_use = required || ctx.claim().is_some() || is_in_use(ws);
    // What is not there is refused by whoever reads the item.
    let id = if in_use { Item::load(ws, ctx, item).ok().map(|item| item.id) } else { None };
    let Some(id) = id else {
        let (lock, held) = take(ws, ctx)?;
        return Ok((ItemLock { lock, book: None, remark: None }, held));
    };
    let hub = super::shared::renew(ws, ctx, &id.to_string(), step)?;
    let mut book = Book::open(ws, ctx)?;
    let now = book.now.clone();
    let work = Work { item: id.to_string(), step: step.map(step_id) };
    let mut keys = work.related(&book.prefix, &book.claims);
    if work.step.is_none() {
        // The item itself, then its steps: whoever holds one step works on the item too.
        keys.dedup();
    }
    refuse_unread(&book.claims, &keys, place(ws))?;
    let session = &ctx.caller().session_id;
    let token = ctx.claim().or_else(|| ws.claims().recall(session, &keys));
    let remark = match book.claims.judge(Wish { work: &keys, token }, &now) {
        Judgement::Mine { renewed } => {
            // What the hub has not extended ends here when it ends there.
            if renewed && hub.may_extend() {
                book.save()?;
            }
            None
        }
        Judgement::Free if required => return Err(claim_required(&work.item)),
        Judgement::Free => None,
        Judgement::Claimed(claim) => {
            let error = claimed(&work.item, &claim, &now);
            if required {
                return Err(error);
            }
            let hint = error.hint.clone().map(|hint| ctx.say(hint)).unwrap_or_default();
            ctx.note(json!({ "key": "claimed", "message": error.message, "hint": hint }));
            Some(OpenPoint { key: "claimed".to_owned(), message: error.message, hint })
        }
        Judgement::Lost(current) => return Err(lost(token.unwrap_or(0), current.as_deref(), &now)),
    };
    let (lock, held) = take(ws, ctx)?;
    Ok((ItemLock { lock, book: Some((book, keys)), remark }, held))
}

/// The same for an artifact by its handle; what is neither a spec nor a change is nobody's turn.
pub(crate) fn lock_artifact(ws: &Workspace, ctx: &Context, handle: &str) -> Result<(ItemLock, Workspace)> {
    let item = Handle::parse(handle).and_then(|handle| match handle.scheme {
        Scheme::Spec => Some(handle.id.as_str().to_owned()),
        Scheme::Change => Some(format!("change:{}", handle.id.as_str())),
        Scheme::Impl | Scheme::Scratch | Scheme::Adr => None,
    });
    if let Some(item) = item {
        return lock(ws, ctx, &item, None, Workspace::lock);
    }
    let (lock, held) = ws.lock(ctx)?;
    Ok((ItemLock { lock, book: None, remark: None }, held))
}

/// The locks of a write to whatever needs it, which leaves alone what is somebody else's turn.
pub(crate) struct SweepLock {
    lock: WriteGuard,
    book: Option<Book>,
    required: bool,
}

impl Deref for SweepLock {
    type Target = WriteGuard;
    fn deref(&self) -> &WriteGuard {
        &self.lock
    }
}

impl SweepLock {
    /// Whether an item may be written: always, where claims only warn.
    pub(crate) fn may_write(&mut self, ws: &Workspace, ctx: &Context, item: &str) -> bool {
        let Some(book) = self.book.as_mut().filter(|_| self.required) else { return true };
        let keys = Work::item(item.to_owned()).related(&book.prefix, &book.claims);
        if keys.iter().any(|key| book.claims.unread.contains_key(key)) {
            return false;
        }
        let token = ctx.claim().or_else(|| ws.claims().recall(&ctx.caller().session_id, &keys));
        let now = book.now.clone();
        // A number is for one item; the others are free or somebody's.
        let is_own = |token: &u64| {
            keys.iter().any(|key| book.claims.claims.get(key).is_some_and(|one| one.token == *token))
        };
        let token = token.filter(is_own);
        matches!(
            book.claims.judge(Wish { work: &keys, token }, &now),
            Judgement::Free | Judgement::Mine { .. }
        )
    }
}

/// Takes the locks for a write to many items. A number that was lost is refused here as everywhere.
pub(crate) fn lock_for_all(ws: &Workspace, ctx: &Context) -> Result<(SweepLock, Workspace)> {
    let required = ws.configuration(ctx).config.leases.required;
    let in_use = required || ctx.claim().is_some() || is_in_use(ws);
    let mut book = if in_use { Some(Book::open(ws, ctx)?) } else { None };
    if let (Some(book), Some(token)) = (&mut book, ctx.claim())
        && book.claims.by_token(token).is_none()
    {
        return Err(lost(token, None, &book.now));
    }
    let (lock, held) = ws.lock(ctx)?;
    Ok((SweepLock { lock, book, required }, held))
}

fn claim_required(item: &str) -> Error {
    Error::new(
        Kind::Refused,
        Key::ClaimRequired,
        format!("nobody has claimed `{item}`, and here work is claimed before it is done"),
    )
    .detail("spec_id", item)
    .hint(Action::ClaimWork.then(", and send its number with every write"))
}
