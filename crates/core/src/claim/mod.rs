//! Who works on what: claims with an end and a number that only grows.
//!
//! Safety rests on the numbers. Each write of claimed work compares its number with the last one given for that work; a
//! holder who was away too long has a lower one and is refused. Clocks only decide when somebody else may take over, and a
//! clock that jumps moves that by at most the length of the lease.

mod file;
mod judge;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use file::HIGHEST;
pub use judge::{Judgement, Wish};

/// How long a claim lasts when nobody says, and the bounds of what can be said, in seconds.
pub const DEFAULT_LEASE_S: u32 = 600;
pub const SHORTEST_LEASE_S: u32 = 30;
pub const LONGEST_LEASE_S: u32 = 3_600;

/// A moment by the clock on the wall and, where the machine has one, by the clock that never jumps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    pub wall: Timestamp,
    pub steady: Option<Steady>,
}

/// Milliseconds since a machine was started, and which start that was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Steady {
    pub boot: String,
    pub ms: u64,
}

/// Who holds a claim.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The name of whoever asked.
    pub principal: String,
    pub session: String,
    /// The work tree, as a path on this machine.
    pub worktree: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

/// One piece of work and the last number that was given for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The fencing number.
    pub token: u64,
    pub holder: Holder,
    pub lease_s: u32,
    pub since: Timestamp,
    pub until: Timestamp,
    /// When it was taken or renewed, by the clock that never jumps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady: Option<Steady>,
    /// Nobody works on it any more; the number stays, so that an older one is known as such.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub released: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// All claims of a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    /// The last number that was given.
    pub last: u64,
    pub claims: BTreeMap<String, Claim>,
    /// Claims that cannot be read. They stay in the file as they are, and nobody may touch what they are about: whose it is, is not known.
    #[serde(skip)]
    pub unread: BTreeMap<String, serde_json::Value>,
}

impl Claim {
    /// How much of the lease is left, in milliseconds.
    ///
    /// On the machine and in the run that took it the steady clock tells. Elsewhere the wall's does, and can be wrong by
    /// the length of the lease at most: more than that is never left.
    pub fn left_ms(&self, now: &Moment) -> u64 {
        let lease = u64::from(self.lease_s) * 1_000;
        if let (Some(then), Some(now)) = (&self.steady, &now.steady)
            && then.boot == now.boot
        {
            return lease.saturating_sub(now.ms.saturating_sub(then.ms)).min(lease);
        }
        let left = self.until.as_millisecond().saturating_sub(now.wall.as_millisecond());
        u64::try_from(left).unwrap_or(0).min(lease)
    }

    /// Whether somebody works on it.
    pub fn is_held(&self, now: &Moment) -> bool {
        !self.released && self.left_ms(now) > 0
    }

    fn extend(&mut self, now: &Moment) {
        self.steady.clone_from(&now.steady);
        self.until = later(now.wall, self.lease_s);
    }
}

impl Claims {
    /// Gives a piece of work to somebody, with the next number. Whoever had it before has a lower one now.
    pub fn take(&mut self, work: &str, holder: Holder, lease_s: u32, now: &Moment) -> &Claim {
        self.last += 1;
        let claim = Claim {
            token: self.last,
            holder,
            lease_s: lease_s.clamp(SHORTEST_LEASE_S, LONGEST_LEASE_S),
            since: now.wall,
            until: later(now.wall, lease_s.clamp(SHORTEST_LEASE_S, LONGEST_LEASE_S)),
            steady: now.steady.clone(),
            released: false,
            note: None,
        };
        let entry = self.claims.entry(work.to_owned());
        &*entry.insert_entry(claim).into_mut()
    }

    /// The work that has this number.
    pub fn by_token(&mut self, token: u64) -> Option<(&String, &mut Claim)> {
        self.claims.iter_mut().find(|(_, claim)| claim.token == token)
    }

    /// Marks what has expired as free. The numbers stay.
    pub fn drop_expired(&mut self, now: &Moment) -> bool {
        let mut dropped = false;
        for claim in self.claims.values_mut().filter(|claim| !claim.released && claim.left_ms(now) == 0) {
            claim.released = true;
            dropped = true;
        }
        dropped
    }

    /// Those that somebody holds.
    pub fn held<'c>(&'c self, now: &'c Moment) -> impl Iterator<Item = (&'c String, &'c Claim)> {
        self.claims.iter().filter(|(_, claim)| claim.is_held(now))
    }
}

fn later(at: Timestamp, seconds: u32) -> Timestamp {
    at.saturating_add(jiff::SignedDuration::from_secs(i64::from(seconds))).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
