//! Whether somebody may write to a piece of work.

use super::{Claim, Claims, Moment};

/// What a write wants to touch, and what its caller can show.
#[derive(Debug, Clone, Copy)]
pub struct Wish<'a> {
    /// The work itself first, then what it is part of or consists of.
    pub work: &'a [String],
    /// The number that the caller sent, or that the server remembers for them.
    pub token: Option<u64>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// Nobody works on it, or the caller has given it back.
    Free,
    /// The caller does. Their claim was extended when `renewed` says so, and has to be saved.
    Mine { renewed: bool },
    /// Somebody else does, and the caller shows no number.
    Claimed(Box<Claim>),
    /// The caller's number is not the last one that was given.
    Lost(Option<Box<Claim>>),
}

/// A claim is extended by a write once so much of it is used up, in hundredths.
const WORTH_EXTENDING: u64 = 10;

impl Claims {
    /// Judges a write, and extends the claim of whoever makes it.
    pub fn judge(&mut self, wish: Wish<'_>, now: &Moment) -> Judgement {
        let Some(token) = wish.token else {
            let held = |work: &String| self.claims.get(work).filter(|claim| claim.is_held(now));
            return match wish.work.iter().find_map(held) {
                Some(claim) => Judgement::Claimed(Box::new(claim.clone())),
                None => Judgement::Free,
            };
        };
        let own = wish.work.iter().find(|work| self.claims.get(*work).is_some_and(|one| one.token == token));
        let Some(own) = own.cloned() else {
            // The number is for other work, or for this work before somebody else took it.
            let current = wish.work.iter().find_map(|work| self.claims.get(work)).cloned();
            return Judgement::Lost(current.map(Box::new));
        };
        // Whoever holds a part does not hold what somebody else holds.
        let other =
            wish.work.iter().filter(|work| **work != own).find_map(|work| {
                self.claims.get(work).filter(|claim| claim.is_held(now) && claim.token > token)
            });
        if let Some(other) = other {
            return Judgement::Claimed(Box::new(other.clone()));
        }
        let Some(claim) = self.claims.get_mut(&own) else { return Judgement::Lost(None) };
        // Given back is given back: its number opens nothing that is not open to everybody.
        if claim.released {
            return Judgement::Free;
        }
        let lease = u64::from(claim.lease_s) * 1_000;
        let used = lease - claim.left_ms(now);
        // Expired but untaken still counts.
        let renewed = used * 100 >= lease * WORTH_EXTENDING;
        if renewed {
            claim.extend(now);
        }
        Judgement::Mine { renewed }
    }
}
