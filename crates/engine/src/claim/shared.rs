//! Claims of machines that share no disk: the hub gives the numbers, the file of claims remembers them here.
//!
//! No lock of this machine is held while the hub is asked. While it cannot be reached nothing new is given out; what is held
//! counts until it expires, and not a moment longer.

use hewto_store::Context;

use super::book::{self, Book};
use super::work::{Prefix, Work, step_id};
use super::{ClaimRequest, Keep, holder, ready, view};
use crate::error::{Error, Key, Result};
use crate::hub::{self, Link};
use crate::view::ClaimView;
use crate::workspace::Workspace;

/// So many candidates the hub chooses from.
const CANDIDATES: usize = 50;

/// `claim_next` with the hub behind it.
pub(super) fn next(
    ws: &Workspace,
    ctx: &Context,
    link: &Link,
    request: &ClaimRequest,
    lease: u32,
) -> Result<ClaimView> {
    let (keys, last) = {
        let mut book = Book::open(ws, ctx)?;
        let now = book.now.clone();
        book.claims.drop_expired(&now);
        let candidates = match (&request.item, &request.step) {
            (Some(item), step) => vec![super::named(ws, ctx, &mut book, item, step.as_deref())?],
            (None, Some(_)) => {
                return Err(Error::invalid_argument(
                    "step",
                    "a step of `spec_id`",
                    "a step belongs to an item",
                ));
            }
            (None, None) => ready::ranked(ws, ctx, &book, CANDIDATES)?,
        };
        if candidates.is_empty() {
            return Err(super::nothing_ready(&book));
        }
        let keys: Vec<String> = candidates.iter().map(|work| work.key(&book.prefix)).collect();
        (keys, book.claims.last)
    };
    let holder = holder(ws, ctx);
    let given = hub::ask_claim(link, keys, &holder, lease, last).map_err(|mut error| {
        // Nobody named it: it was the only one that is ready.
        if request.item.is_none() && error.key == Key::Claimed {
            error.key = Key::NothingReady;
        }
        error
    })?;
    let mut book = Book::open(ws, ctx)?;
    let now = book.now.clone();
    let work = Work::of_key(&book.prefix, &given.item);
    // A number opens one piece of work; with two of the same nobody could tell whose it is.
    if book.claims.by_token(given.fence).is_some_and(|(key, _)| *key != given.item) {
        return Err(hub::astray(&format!(
            "it gives the number {}, which is of other work here",
            given.fence
        )));
    }
    let is_known = book.claims.claims.get(&given.item).is_some_and(|claim| claim.token == given.fence);
    if !is_known {
        // The number is the hub's; those that this file gives by itself come after it.
        let last = book.claims.last;
        book.claims.last = given.fence - 1;
        book.claims.take(&given.item, holder, lease, &now);
        book.claims.last = last.max(given.fence);
    } else if let Some((_, claim)) = book.claims.by_token(given.fence) {
        let (lease_s, holder) = (claim.lease_s, claim.holder.clone());
        *claim = super::renewed(claim, lease_s, holder, &now);
    }
    book.prune(ws, ctx);
    book.save()?;
    ws.claims().remember(&ctx.caller().session_id, &given.item, given.fence);
    let claim = &book.claims.claims[&given.item];
    Ok(ClaimView { next: super::after_claiming(ctx, given.fence, &work.item), ..view(&work, claim, &now) })
}

/// Tells the hub first: a claim that is over there is over.
pub(super) fn keep(ws: &Workspace, ctx: &Context, link: &Link, token: u64, keep: &Keep) -> Result<()> {
    let (mut claims, _) = book::read(ws, ctx)?;
    let Some((key, claim)) = claims.by_token(token) else { return Ok(()) };
    let lease = (!keep.release).then_some(claim.lease_s);
    hub::keep_claim(link, key, token, lease, keep.release, keep.note.clone())?;
    Ok(())
}

/// What the hub said about the claim of a write that is about to happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Renewal {
    /// There is no hub, or nothing to renew, or it is renewed.
    Settled,
    /// The hub did not answer; the claim counts until it expires.
    Unheard,
}

impl Renewal {
    pub(super) fn may_extend(self) -> bool {
        self == Self::Settled
    }
}

/// Renews the caller's claim at the hub before a write; refuses the write when somebody else has the work now.
pub(super) fn renew(ws: &Workspace, ctx: &Context, item: &str, step: Option<&str>) -> Result<Renewal> {
    if ws.hub().is_none() {
        return Ok(Renewal::Settled);
    }
    let (claims, now) = book::read(ws, ctx)?;
    let work = Work { item: item.to_owned(), step: step.map(step_id) };
    let keys = work.related(&Prefix::of(ws), &claims);
    let session = &ctx.caller().session_id;
    let Some(token) = ctx.claim().or_else(|| ws.claims().recall(session, &keys)) else {
        return Ok(Renewal::Settled);
    };
    let own =
        keys.iter().find_map(|key| Some((key, claims.claims.get(key).filter(|one| one.token == token)?)));
    let Some((key, claim)) = own else { return Ok(Renewal::Settled) };
    let lease = u64::from(claim.lease_s) * 1_000;
    let left = claim.left_ms(&now);
    // Given back, or fresh enough: whoever took it since would have had to wait for its end.
    if claim.released || left * 10 > lease * 9 {
        return Ok(Renewal::Settled);
    }
    let Some(link) = Link::at_once(ws, ctx)? else { return Ok(Renewal::Settled) };
    match hub::keep_claim(&link, key, token, Some(claim.lease_s), false, None) {
        Ok(_) => Ok(Renewal::Settled),
        Err(error) if error.key == Key::HubUnreachable && left > 0 => Ok(Renewal::Unheard),
        Err(error) if error.key == Key::HubUnreachable => Err(error
            .hint("your claim has run out, and only the hub knows who has the work now; try again when it answers")
            .detail("claim", token)),
        Err(error) => Err(error.detail("claim", token)),
    }
}

/// What this work tree holds or held last of these items: the name under which it is kept, and the number. A claim on one of them that
/// cannot be read may be anybody's, so it is refused.
pub(crate) fn of_this_worktree(
    ws: &Workspace,
    ctx: &Context,
    is_meant: impl Fn(&str) -> bool,
) -> Result<Vec<(String, u64)>> {
    let (claims, _) = book::read(ws, ctx)?;
    let here = ws.root().display().to_string();
    let prefix = Prefix::of(ws);
    let is_meant = |key: &String| is_meant(&Work::of_key(&prefix, key).item);
    if let Some(key) = claims.unread.keys().find(|key| is_meant(key)) {
        return Err(book::unread(key, book::place(ws)));
    }
    let own = claims.claims.iter().filter(|(key, claim)| claim.holder.worktree == here && is_meant(key));
    Ok(own.map(|(key, claim)| (key.clone(), claim.token)).collect())
}
