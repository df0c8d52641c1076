//! How many calls a process takes (D-15): a bucket of tokens that fills at a steady pace.
//!
//! The default is far above what an agent does on purpose and stops one that runs in circles.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

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

/// Counts calls against a [`RateLimit`].
#[derive(Debug)]
pub(crate) struct Bucket {
    limit: RateLimit,
    level: Mutex<Level>,
}

#[derive(Debug)]
struct Level {
    tokens: f64,
    at: Instant,
}

impl Bucket {
    pub(crate) fn new(limit: RateLimit) -> Self {
        Self { limit, level: Mutex::new(Level { tokens: f64::from(limit.burst), at: Instant::now() }) }
    }

    /// Takes a token, or says how long to wait for one.
    pub(crate) fn take(&self, now: Instant) -> Result<(), Duration> {
        let mut level = self.level.lock().unwrap_or_else(PoisonError::into_inner);
        let refill = now.saturating_duration_since(level.at).as_secs_f64() * self.limit.per_second;
        level.tokens = (level.tokens + refill).min(f64::from(self.limit.burst));
        level.at = now;
        if level.tokens >= 1.0 {
            level.tokens -= 1.0;
            return Ok(());
        }
        let wait = (1.0 - level.tokens) / self.limit.per_second;
        Err(Duration::try_from_secs_f64(wait).unwrap_or(Duration::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_empties_and_fills_again() {
        let bucket = Bucket::new(RateLimit { per_second: 2.0, burst: 3 });
        let start = Instant::now();
        assert_eq!([(); 3].map(|()| bucket.take(start)), [Ok(()); 3]);
        assert_eq!(bucket.take(start), Err(Duration::from_millis(500)));
        assert_eq!(bucket.take(start + Duration::from_millis(500)), Ok(()));
        assert!(bucket.take(start + Duration::from_millis(500)).is_err());
        let later = start + Duration::from_mins(1);
        assert_eq!([(); 3].map(|()| bucket.take(later)), [Ok(()); 3]);
        assert!(bucket.take(later).is_err(), "it never holds more than its burst");
    }
}
