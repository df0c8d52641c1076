//! How many calls a server takes from each principal (D-15).
//!
//! The default is far above what an agent does on purpose and stops one that runs in circles. A workspace sets its own
//! in its `config.toml`: `[rate]` with `per_second` and `burst`.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hewto_core::rate::{Bucket, Rate};
use hewto_engine::config::CallRate;

/// A pace and how far a caller may run ahead of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateLimit {
    pub per_second: f64,
    pub burst: u32,
}

impl Default for RateLimit {
    fn default() -> Self {
        Self { per_second: 2_000.0, burst: 100_000 }
    }
}

impl From<CallRate> for RateLimit {
    fn from(CallRate { per_second, burst }: CallRate) -> Self {
        Self { per_second, burst }
    }
}

/// Counts the calls of each principal against one [`RateLimit`].
#[derive(Debug)]
pub struct Rates {
    counted: Mutex<Counted>,
}

#[derive(Debug)]
struct Counted {
    rate: Rate,
    /// One for each principal, and one for nobody in particular.
    buckets: HashMap<Option<String>, Bucket>,
    /// The same for what is answered from memory, at a pace of its own.
    light: HashMap<String, Bucket>,
}

/// So many principals are remembered before those that have not asked for long are forgotten.
const MANY: usize = 4_096;

impl Rates {
    pub fn new(limit: RateLimit) -> Self {
        Self { counted: Mutex::new(Counted::new(limit)) }
    }

    /// Counts against another limit from now on.
    pub(crate) fn set_limit(&self, limit: RateLimit) {
        *self.counted.lock().unwrap_or_else(PoisonError::into_inner) = Counted::new(limit);
    }

    /// Takes one of the principal's tokens, or says how long to wait for it.
    pub fn take(&self, principal: Option<&str>, now: Instant) -> Result<(), Duration> {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let rate = counted.rate;
        if counted.buckets.len() > MANY {
            counted.buckets.retain(|_, bucket| !bucket.is_full(rate, now));
        }
        let bucket = counted.buckets.entry(principal.map(str::to_owned));
        wait(bucket.or_insert_with(|| Bucket::full(rate, now)).take(rate, now))
    }

    /// The same for what is answered from memory, and what a client needs before it can do anything.
    pub fn take_light(&self, principal: &str, now: Instant) -> Result<(), Duration> {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let rate = counted.light_rate();
        if counted.light.len() > MANY {
            counted.light.retain(|_, bucket| !bucket.is_full(rate, now));
        }
        let bucket = counted.light.entry(principal.to_owned());
        wait(bucket.or_insert_with(|| Bucket::full(rate, now)).take(rate, now))
    }

    /// Whether a token could be taken, without taking it.
    pub fn look(&self, principal: &str, now: Instant) -> Result<(), Duration> {
        let counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let rate = counted.rate;
        let bucket = counted.buckets.get(&Some(principal.to_owned())).copied();
        wait(bucket.map_or(Ok(()), |mut bucket| bucket.take(rate, now)))
    }
}

impl Counted {
    fn new(RateLimit { per_second, burst }: RateLimit) -> Self {
        let rate = Rate { per_second, burst: f64::from(burst) };
        Self { rate, buckets: HashMap::new(), light: HashMap::new() }
    }

    /// The pace of what is answered from memory: faster, and enough for some handshakes whatever the rate.
    fn light_rate(&self) -> Rate {
        let Rate { per_second, burst } = self.rate;
        Rate { per_second: (per_second * 4.0).max(4.0), burst: (burst * 4.0).max(64.0) }
    }
}

fn wait(taken: Result<(), f64>) -> Result<(), Duration> {
    taken.map_err(|wait| Duration::try_from_secs_f64(wait).unwrap_or(Duration::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_runs_ahead_is_told_how_long_to_wait_until_there_is_another_limit() {
        let rates = Rates::new(RateLimit { per_second: 2.0, burst: 3 });
        let now = Instant::now();
        let take = || rates.take(None, now);
        assert_eq!([(); 3].map(|()| take()), [Ok(()); 3]);
        assert_eq!(take(), Err(Duration::from_millis(500)));
        rates.set_limit(RateLimit { per_second: 1.0, burst: 1 });
        assert_eq!((take(), take()), (Ok(()), Err(Duration::from_secs(1))));
    }

    #[test]
    fn handshakes_have_a_pace_of_their_own_and_an_end() {
        let rates = Rates::new(RateLimit { per_second: 1.0, burst: 1 });
        let now = Instant::now();
        assert_eq!(rates.look("alice", now), Ok(()));
        assert_eq!(rates.take(Some("alice"), now), Ok(()));
        assert!(rates.look("alice", now).is_err());
        let passed = (0..1_000).filter(|_| rates.take_light("alice", now).is_ok()).count();
        assert_eq!(passed, 64);
        assert_eq!(rates.take_light("bob", now), Ok(()));
    }

    #[test]
    fn a_principal_that_runs_in_circles_stops_nobody_else() {
        let rates = Rates::new(RateLimit { per_second: 1.0, burst: 1 });
        let now = Instant::now();
        assert_eq!(rates.take(Some("alice"), now), Ok(()));
        assert!(rates.take(Some("alice"), now).is_err());
        assert_eq!((rates.take(Some("bob"), now), rates.take(None, now)), (Ok(()), Ok(())));
    }
}
