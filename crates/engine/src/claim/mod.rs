//! Taking turns: claims on items and steps, shared by all work trees and processes of a repository.
//!
//! The claims lie in the common git folder with a lock of their own, which is taken before the workspace's. Whoever writes to
//! claimed work does so through `lock`, which compares numbers inside both.

mod book;
mod guard;
mod rank;
mod ready;
mod shared;
mod work;

use hewto_core::claim::{Claim, DEFAULT_LEASE_S, Holder, LONGEST_LEASE_S, Moment, SHORTEST_LEASE_S};
use hewto_store::Context;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

pub(crate) use book::{Memory, is_in_use};
pub(crate) use guard::{lock, lock_artifact, lock_for_all};
pub(crate) use shared::of_this_worktree;

use self::book::Book;
use self::work::{Prefix, Work};
use crate::error::{Action, Error, Hint, Key, Kind, Result};
use crate::gate::Policy;
use crate::hub::Link;
use crate::text;
use crate::view::{ClaimView, ClaimsView, HolderView};
use crate::workspace::Workspace;

/// What somebody wants to work on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimRequest {
    /// This one; else the best that is ready and free
    #[serde(rename = "spec_id")]
    pub item: Option<String>,
    /// Only this step: `1.2`, `2` or its title
    pub step: Option<String>,
    #[schemars(range(min = 30, max = 3600))]
    pub lease_s: Option<u32>,
}

/// What becomes of a claim.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Keep {
    /// Give it back
    #[serde(default)]
    pub release: bool,
    /// For whoever comes next
    pub note: Option<String>,
}

/// `claim_next`: gives the caller something to work on, or says who has everything.
pub fn next(ws: &Workspace, ctx: &Context, request: &ClaimRequest) -> Result<ClaimView> {
    let lease = lease(ws, ctx, request.lease_s)?;
    let ws = &foreseeing_gates(ws, ctx, request);
    if let Some(link) = Link::of(ws, ctx)? {
        return shared::next(ws, ctx, &link, request, lease);
    }
    let mut book = Book::open(ws, ctx)?;
    let now = book.now.clone();
    book.claims.drop_expired(&now);
    let work = match (&request.item, &request.step) {
        (Some(item), step) => named(ws, ctx, &mut book, item, step.as_deref())?,
        (None, Some(_)) => {
            return Err(Error::invalid_argument("step", "a step of `spec_id`", "a step belongs to an item"));
        }
        (None, None) => ready::best(ws, ctx, &book)?.ok_or_else(|| nothing_ready(&book))?,
    };
    let holder = holder(ws, ctx);
    let key = work.key(&book.prefix);
    // Whoever has it already keeps the number.
    let kept =
        book.claims.claims.get(&key).filter(|claim| claim.is_held(&now) && is_same(&claim.holder, &holder));
    let token = match kept.map(|claim| claim.token) {
        Some(token) => {
            let wish = hewto_core::claim::Wish { work: std::slice::from_ref(&key), token: Some(token) };
            book.claims.judge(wish, &now);
            token
        }
        None => book.claims.take(&key, holder, lease, &now).token,
    };
    book.prune(ws, ctx);
    book.save()?;
    ws.claims().remember(&ctx.caller().session_id, &key, token);
    let claim = &book.claims.claims[&key];
    Ok(ClaimView { next: after_claiming(ctx, token, &work.item), ..view(&work, claim, &now) })
}

/// Git is asked which gates hold before anybody has to wait for the claims, where the best is wanted.
fn foreseeing_gates(ws: &Workspace, ctx: &Context, request: &ClaimRequest) -> Workspace {
    match request.item {
        Some(_) => ws.clone(),
        None => ws.foreseeing(|ws| Policy::at_the_door(ws, ctx)),
    }
}

/// What to do with a claim that was just given.
fn after_claiming(ctx: &Context, token: u64, item: &str) -> String {
    let hint = format!("send `claim: {token}` with every write to `{item}`; to hold it for longer, ");
    ctx.say(Hint::from(hint).action(Action::KeepClaim { item: item.to_owned() }))
}

/// `claim_keep`: renews a claim, or gives it back.
pub fn keep(ws: &Workspace, ctx: &Context, token: u64, keep: &Keep) -> Result<ClaimView> {
    let note = text::optional("note", keep.note.as_deref())?;
    if let Some(link) = Link::of(ws, ctx)? {
        shared::keep(ws, ctx, &link, token, keep)?;
    }
    let mut book = Book::open(ws, ctx)?;
    let now = book.now.clone();
    let last = book.claims.last;
    let Some((key, claim)) = book.claims.by_token(token) else {
        return Err(if token > last { unknown(token) } else { lost(token, None, &now) });
    };
    let key = key.clone();
    if keep.release {
        claim.released = true;
    } else {
        let (lease, holder) = (claim.lease_s, claim.holder.clone());
        *claim = Claim { note: claim.note.clone(), ..renewed(claim, lease, holder, &now) };
    }
    if note.is_some() {
        claim.note = note;
    }
    let view = view(&Work::of_key(&book.prefix, &key), claim, &now);
    book.save()?;
    if keep.release {
        ws.claims().forget(&ctx.caller().session_id, &key);
    }
    Ok(view)
}

/// `hewto who`: everything that somebody holds.
pub fn who(ws: &Workspace, ctx: &Context) -> Result<ClaimsView> {
    let (claims, now) = book::read(ws, ctx)?;
    let prefix = Prefix::of(ws);
    let held = claims.held(&now).map(|(key, claim)| view(&Work::of_key(&prefix, key), claim, &now));
    let unread = claims.unread.keys().cloned().collect();
    Ok(ClaimsView { claims: held.collect(), unread, file: book::place(ws) })
}

/// What is wrong with the claims, if anything: all of them, or each that cannot be read.
pub(crate) fn faults(ws: &Workspace, ctx: &Context) -> Vec<Error> {
    match who(ws, ctx) {
        Ok(view) => view.unread.iter().map(|key| book::unread(key, book::place(ws))).collect(),
        Err(error) => vec![error],
    }
}

/// The file that holds the claims.
pub(crate) fn file(ws: &Workspace) -> std::path::PathBuf {
    book::place(ws).into()
}

/// The number of a claim that somebody names by itself, or by the work that is held.
pub fn number_of(ws: &Workspace, ctx: &Context, name: &str) -> Result<u64> {
    if let Ok(number) = name.parse() {
        return Ok(number);
    }
    let held = who(ws, ctx)?.claims;
    let mut named =
        held.iter().filter(|claim| claim.spec_id == name || claim.spec_id == format!("change:{name}"));
    match (named.next(), named.next()) {
        (Some(claim), None) => Ok(claim.claim),
        (None, _) => Err(no_such_claim(format!("nobody holds `{}`", name.escape_debug()))),
        (Some(_), Some(_)) => Err(no_such_claim(format!("several steps of `{name}` are held"))),
    }
}

fn renewed(claim: &Claim, lease_s: u32, holder: Holder, now: &Moment) -> Claim {
    let mut fresh = hewto_core::claim::Claims::default();
    let again = fresh.take("", holder, lease_s, now);
    Claim { token: claim.token, since: claim.since, ..again.clone() }
}

/// The item or step that somebody named, if nobody else has it.
fn named(ws: &Workspace, ctx: &Context, book: &mut Book, item: &str, step: Option<&str>) -> Result<Work> {
    let work = Work::load(ws, ctx, item, step)?;
    let holder = holder(ws, ctx);
    let now = book.now.clone();
    let keys = work.related(&book.prefix, &book.claims);
    book::refuse_unread(&book.claims, &keys, book::place(ws))?;
    let taken = keys.into_iter().find_map(|key| {
        let claim = book.claims.claims.get(&key)?;
        (claim.is_held(&now) && !is_same(&claim.holder, &holder)).then(|| claim.clone())
    });
    match taken {
        Some(claim) => Err(claimed(&work.item, &claim, &now)),
        None => Ok(work),
    }
}

fn holder(ws: &Workspace, ctx: &Context) -> Holder {
    let caller = ctx.caller();
    Holder {
        principal: caller.principal.clone().unwrap_or_else(|| ctx.client().to_owned()),
        session: caller.session_id.clone(),
        worktree: ws.root().display().to_string(),
        branch: hewto_store::current_branch(ws.root()),
    }
}

fn is_same(a: &Holder, b: &Holder) -> bool {
    a.session == b.session && a.principal == b.principal && a.worktree == b.worktree
}

fn lease(ws: &Workspace, ctx: &Context, asked: Option<u32>) -> Result<u32> {
    let usual =
        || u32::try_from(ws.configuration(ctx).config.leases.length.as_secs()).unwrap_or(DEFAULT_LEASE_S);
    match asked.unwrap_or_else(usual) {
        lease @ SHORTEST_LEASE_S..=LONGEST_LEASE_S => Ok(lease),
        other => Err(Error::invalid_argument(
            "lease_s",
            &format!("a number of seconds from {SHORTEST_LEASE_S} to {LONGEST_LEASE_S}"),
            format!("a claim cannot last {other} seconds"),
        )),
    }
}

pub(super) fn view(work: &Work, claim: &Claim, now: &Moment) -> ClaimView {
    let Holder { principal, session, worktree, branch } = claim.holder.clone();
    ClaimView {
        claim: claim.token,
        spec_id: work.item.clone(),
        step: work.step.clone(),
        holder: HolderView { principal, session, worktree, branch },
        left_s: if claim.released { 0 } else { claim.left_ms(now) / 1_000 },
        until: hewto_store::rfc3339_seconds(claim.until),
        released: claim.released,
        note: claim.note.clone(),
        next: String::new(),
    }
}

fn nothing_ready(book: &Book) -> Error {
    let held: Vec<Value> =
        book.claims.held(&book.now).map(|(key, claim)| told(key, claim, &book.now)).collect();
    let message = match held.len() {
        0 => "nothing is ready to be worked on".to_owned(),
        1 => "nothing is ready and free; 1 claim is held".to_owned(),
        n => format!("nothing is ready and free; {n} claims are held"),
    };
    Error::new(Kind::Refused, Key::NothingReady, message).detail("holders", held).hint(
        Hint::from("wait for one to end, or ")
            .action(Action::ShowStatus)
            .text(" to see what blocks the rest"),
    )
}

fn told(key: &str, claim: &Claim, now: &Moment) -> Value {
    let Holder { principal, session, worktree, branch } = &claim.holder;
    json!({
        "item": key, "claim": claim.token, "principal": principal, "session": session, "worktree": worktree,
        "branch": branch, "left_s": claim.left_ms(now) / 1_000,
    })
}

pub(super) fn claimed(item: &str, claim: &Claim, now: &Moment) -> Error {
    let left = claim.left_ms(now) / 1_000;
    Error::new(
        Kind::Refused,
        Key::Claimed,
        format!("`{}` works on `{item}`, for {left} more seconds unless they go on", claim.holder.principal),
    )
    .detail("spec_id", item)
    .detail("holder", told(item, claim, now))
    .hint(Hint::from("wait, or ").action(Action::ClaimWork).text(" for other work"))
}

pub(super) fn lost(token: u64, current: Option<&Claim>, now: &Moment) -> Error {
    let error = Error::new(
        Kind::Refused,
        Key::ClaimLost,
        match current {
            Some(claim) => format!("claim {token} is over: claim {} was given since", claim.token),
            None => format!("claim {token} is over"),
        },
    )
    .detail("claim", token)
    .hint(
        Hint::from("stop, look at what has been done since, and ").action(Action::ClaimWork).text(" again"),
    );
    match current {
        Some(claim) => error.detail("holder", told("", claim, now)),
        None => error,
    }
}

fn unknown(token: u64) -> Error {
    no_such_claim(format!("no claim has the number {token}"))
}

fn no_such_claim(why: String) -> Error {
    Error::invalid_argument("claim", "the number of a claim", why).hint("see the claims with `hewto who`")
}
