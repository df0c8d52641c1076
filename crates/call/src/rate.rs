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
    /// One for each token of the token file at most, and one for nobody in particular.
    buckets: HashMap<Option<String>, Bucket>,
}

impl Rates {
    pub fn new(limit: RateLimit) -> Self {
        Self { counted: Mutex::new(Counted::new(limit)) }
    }

    /// Counts against another limit from now on.
    pub fn set_limit(&self, limit: RateLimit) {
        *self.counted.lock().unwrap_or_else(PoisonError::into_inner) = Counted::new(limit);
    }

    /// Takes one of the principal's tokens, or says how long to wait for it.
    pub fn take(&self, principal: Option<&str>, now: Instant) -> Result<(), Duration> {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let rate = counted.rate;
        let bucket = counted.buckets.entry(principal.map(str::to_owned));
        let taken = bucket.or_insert_with(|| Bucket::full(rate, now)).take(rate, now);
        taken.map_err(|wait| Duration::try_from_secs_f64(wait).unwrap_or(Duration::MAX))
    }
}

impl Counted {
    fn new(RateLimit { per_second, burst }: RateLimit) -> Self {
        Self { rate: Rate { per_second, burst: f64::from(burst) }, buckets: HashMap::new() }
    }
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
    fn a_principal_that_runs_in_circles_stops_nobody_else() {
        let rates = Rates::new(RateLimit { per_second: 1.0, burst: 1 });
        let now = Instant::now();
        assert_eq!(rates.take(Some("alice"), now), Ok(()));
        assert!(rates.take(Some("alice"), now).is_err());
        assert_eq!((rates.take(Some("bob"), now), rates.take(None, now)), (Ok(()), Ok(())));
    }
}
