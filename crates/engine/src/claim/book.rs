//! The claims of a repository, open for writing: locked, read, and saved durably.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hewto_core::claim::{Claims, HIGHEST, Moment};
use hewto_core::id::WorkItem;
use hewto_store::{Context, SharedFolder, SharedLock};

use super::rank::Ranks;
use super::work::{Prefix, Work};
use crate::error::{Error, Key, Kind, Result};
use crate::workspace::Workspace;

const FILE: &str = "claims.json";
const LOCK: &str = "claims.lock";
/// A number that none was given above: whoever deletes or restores the claims brings no number back.
const MARK: &str = "claims.high";
/// So many numbers are marked at once, so that a claim costs one durable write and seldom two.
const AT_ONCE: u64 = 1_000;
/// How long somebody who waits for the lock sleeps: short at first.
const FIRST_NAP: Duration = Duration::from_micros(200);
const LONGEST_NAP: Duration = Duration::from_millis(5);
/// More released claims than this are worth looking through for work that is gone.
const WORTH_PRUNING: usize = 512;

/// The claims, held.
pub(super) struct Book {
    pub(super) claims: Claims,
    pub(super) now: Moment,
    pub(super) prefix: Prefix,
    mark: u64,
    folder: SharedFolder,
    _lock: SharedLock,
}

impl Book {
    pub(super) fn open(ws: &Workspace, ctx: &Context) -> Result<Self> {
        let folder = ws.shared_folder();
        let lock = wait(ctx, &folder)?;
        let mut claims = parse(&folder)?;
        let mark = read_mark(&folder)?;
        // The file is another one than was written last: it is gone, or an old one is back.
        if claims.last.saturating_add(AT_ONCE) < mark || (claims.last == 0 && mark > 0) {
            claims = Claims { last: mark, ..Claims::default() };
        }
        Ok(Self { claims, now: now(ctx), prefix: Prefix::of(ws), mark, folder, _lock: lock })
    }

    pub(super) fn save(&mut self) -> Result<()> {
        if self.claims.last > self.mark {
            // Before the number is given, so that no crash gives it twice.
            self.mark = self.claims.last.saturating_add(AT_ONCE).min(HIGHEST);
            self.folder.write(MARK, format!("{}\n", self.mark).as_bytes())?;
        }
        Ok(self.folder.write(FILE, self.claims.render().as_bytes())?)
    }

    /// Forgets numbers of work that is not there any more, when there are many of them.
    pub(super) fn prune(&mut self, ws: &Workspace, ctx: &Context) {
        if self.claims.claims.values().filter(|claim| claim.released).count() < WORTH_PRUNING {
            return;
        }
        let is_there = |key: &str| {
            let exists = match WorkItem::parse(&Work::of_key(&self.prefix, key).item) {
                Ok(WorkItem::Spec(id)) => ws.store().entry(ctx, &id).map(|entry| entry.is_some()),
                Ok(WorkItem::Change(id)) => ws.store().change(ctx, &id).map(|entry| entry.is_some()),
                Err(_) => Ok(false),
            };
            // When in doubt it is.
            exists.unwrap_or(true)
        };
        // Other work trees may have what this one has not; only work that nobody could resume is forgotten.
        let old = |claim: &hewto_core::claim::Claim| claim.token + 1_000 < self.claims.last;
        let gone: Vec<String> = self
            .claims
            .claims
            .iter()
            .filter(|(key, claim)| claim.released && old(claim) && !is_there(key))
            .map(|(key, _)| key.clone())
            .collect();
        for key in gone {
            self.claims.claims.remove(&key);
        }
    }
}

/// Refuses work among these whose claim cannot be read: nobody knows whose turn it is.
pub(super) fn refuse_unread(claims: &Claims, keys: &[String], file: String) -> Result<()> {
    match keys.iter().find(|key| claims.unread.contains_key(*key)) {
        None => Ok(()),
        Some(key) => Err(unread(key, file)),
    }
}

/// A claim that cannot be read.
pub(super) fn unread(key: &str, file: String) -> Error {
    let message = format!("the claim on `{}` cannot be read: `{file}`", key.escape_debug());
    Error::new(Kind::Refused, Key::ClaimsInvalid, message)
        .detail("file", file)
        .hint("stop whoever works on it, then take its entry out of `claims` in the file; the others go on")
}

/// The claims as they are now, for whoever only looks.
pub(super) fn read(ws: &Workspace, ctx: &Context) -> Result<(Claims, Moment)> {
    Ok((parse(&ws.shared_folder())?, now(ctx)))
}

/// Whether anybody has ever claimed anything here. A file that cannot be read counts: whoever writes has to hear of it.
pub(crate) fn is_in_use(ws: &Workspace) -> bool {
    ws.shared_folder().path().join(FILE).exists()
}

/// Where the claims are, for messages.
pub(super) fn place(ws: &Workspace) -> String {
    ws.shared_folder().path().join(FILE).display().to_string()
}

fn parse(folder: &SharedFolder) -> Result<Claims> {
    let Some(bytes) = folder.read(FILE)? else { return Ok(Claims::default()) };
    Claims::read(&bytes).map_err(|(line, why)| {
        let file = folder.path().join(FILE).display().to_string();
        Error::new(
            Kind::Refused,
            Key::ClaimsInvalid,
            format!("the claims cannot be read at line {line}: `{file}`: {why}"),
        )
        .detail("file", file)
        .detail("line", line)
        .hint(
            "delete the file: all claims end, and the numbers that were given stay lower than those to come",
        )
    })
}

fn read_mark(folder: &SharedFolder) -> Result<u64> {
    let Some(bytes) = folder.read(MARK)? else { return Ok(0) };
    let number = std::str::from_utf8(&bytes).ok().and_then(|text| text.trim().parse().ok());
    number.filter(|number| *number <= HIGHEST).ok_or_else(|| {
        let file = folder.path().join(MARK).display().to_string();
        Error::new(
            Kind::Refused,
            Key::ClaimsInvalid,
            format!("the highest number of the claims cannot be read at line 1: `{file}`"),
        )
        .detail("file", file)
        .detail("line", 1)
        .hint("write a number into it that is higher than any that was given")
    })
}

fn wait(ctx: &Context, folder: &SharedFolder) -> Result<SharedLock> {
    let mut nap = FIRST_NAP;
    loop {
        if let Some(lock) = folder.try_lock(LOCK)? {
            return Ok(lock);
        }
        ctx.check()?;
        std::thread::sleep(nap);
        nap = (nap * 2).min(LONGEST_NAP);
    }
}

fn now(ctx: &Context) -> Moment {
    let steady = hewto_store::uptime().map(|(boot, ms)| hewto_core::claim::Steady { boot, ms });
    Moment { wall: ctx.now(), steady }
}

/// What is remembered between calls.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// The claims that the sessions of a server hold, so that nobody has to send their numbers.
    held: Mutex<HashMap<String, HashMap<String, u64>>>,
    /// How far the specs are, so that not all of them are looked at each time that somebody wants work.
    pub(super) ranks: Ranks,
}

impl Memory {
    pub(super) fn remember(&self, session: &str, key: &str, token: u64) {
        let mut known = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(session.to_owned()).or_default().insert(key.to_owned(), token);
    }

    pub(super) fn forget(&self, session: &str, key: &str) {
        let mut known = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(claims) = known.get_mut(session) {
            claims.remove(key);
        }
    }

    /// The number that a session has for the first of these works.
    pub(super) fn recall(&self, session: &str, keys: &[String]) -> Option<u64> {
        let known = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let claims = known.get(session)?;
        keys.iter().find_map(|key| claims.get(key)).copied()
    }
}
