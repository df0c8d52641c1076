//! Tokens that nobody knows: counted, and slowed down for each address.
//!
//! Whoever has a right one is never slowed down, also behind an address from which others guess. The first few wrong ones
//! of an address are answered at once, later ones at a steady pace, and what would have to wait for long is turned away.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::address::AddressKey;

/// One in so long, for each address.
const PACE: Duration = Duration::from_millis(100);
/// So many are answered at once before that.
const AT_ONCE: u32 = 20;
/// Nobody waits for longer.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// So many addresses are remembered.
const MOST_ADDRESSES: usize = 4_096;

#[derive(Debug, Default)]
pub(crate) struct WrongTokens {
    count: AtomicU64,
    by_address: Mutex<HashMap<AddressKey, Guesses>>,
}

#[derive(Debug)]
struct Guesses {
    count: u64,
    /// When the next one would be due at the steady pace.
    due: Instant,
}

/// How a wrong token is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// After this time.
    After(Duration),
    /// It is not; there were too many.
    TurnAway(Duration),
}

impl WrongTokens {
    /// Counts one; how it is answered, and how many there were of this address if that is worth a line.
    pub(crate) fn note(&self, address: AddressKey, now: Instant) -> (Answer, Option<u64>) {
        self.count.fetch_add(1, Ordering::Relaxed);
        let mut by_address = self.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        if by_address.len() >= MOST_ADDRESSES && !by_address.contains_key(&address) {
            by_address.retain(|_, guesses| guesses.due > now);
            if by_address.len() >= MOST_ADDRESSES {
                return (Answer::TurnAway(LONGEST_WAIT), None);
            }
        }
        let guesses = by_address.entry(address).or_insert(Guesses { count: 0, due: now });
        guesses.count += 1;
        // Lines become rarer as they say less.
        let worth_a_line = guesses.count.is_power_of_two().then_some(guesses.count);
        let due = guesses.due.max(now) + PACE;
        let wait = due.saturating_duration_since(now + PACE * AT_ONCE);
        if wait > LONGEST_WAIT {
            return (Answer::TurnAway(wait), worth_a_line);
        }
        guesses.due = due;
        (Answer::After(wait), worth_a_line)
    }

    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn the_first_few_are_answered_at_once_then_at_a_pace_and_a_flood_is_turned_away() {
        let wrong = WrongTokens::default();
        let (one, other) = ([192, 0, 2, 1], [192, 0, 2, 2]);
        let now = Instant::now();
        let note = |address: [u8; 4], at| {
            wrong.note(AddressKey::from(std::net::IpAddr::from(Ipv4Addr::from(address))), at).0
        };
        for _ in 0..AT_ONCE {
            assert_eq!(note(one, now), Answer::After(Duration::ZERO));
        }
        assert_eq!(note(one, now), Answer::After(PACE));
        assert_eq!(note(one, now), Answer::After(PACE * 2));
        assert_eq!(note(other, now), Answer::After(Duration::ZERO), "another address is not slowed down");
        while let Answer::After(wait) = note(one, now) {
            assert!(wait <= LONGEST_WAIT);
        }
        assert_eq!(note(one, now + Duration::from_mins(1)), Answer::After(Duration::ZERO));
        assert!(wrong.count() > u64::from(AT_ONCE));
    }

    #[test]
    fn lines_become_rarer() {
        let wrong = WrongTokens::default();
        let address = AddressKey::from(std::net::IpAddr::from(Ipv4Addr::LOCALHOST));
        let lines: Vec<u64> = (0..100).filter_map(|_| wrong.note(address, Instant::now()).1).collect();
        assert_eq!(lines, [1, 2, 4, 8, 16, 32, 64]);
    }
}
