//! How many calls somebody may make: a bucket of tokens that fills at a steady pace.
//!
//! The time is handed in, so that a bucket has no clock of its own. Whose bucket it is, and what is said to those who
//! have to wait, is for the caller to know.

use std::time::Instant;

/// A pace and how far a caller may run ahead of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Calls per second; a bucket that never fills makes no sense, so above 0.
    pub per_second: f64,
    /// How many at once; at least one.
    pub burst: f64,
}

/// What is left of a [`Rate`] for one caller.
#[derive(Debug, Clone, Copy)]
pub struct Bucket {
    tokens: f64,
    at: Instant,
}

impl Bucket {
    pub fn full(rate: Rate, now: Instant) -> Self {
        Self { tokens: rate.most(), at: now }
    }

    /// Takes a token, or says how many seconds it takes until there is one.
    pub fn take(&mut self, rate: Rate, now: Instant) -> Result<(), f64> {
        self.tokens = self.refilled(rate, now);
        self.at = now;
        if self.tokens >= 1.0 {
            self.tokens -= 1.0;
            return Ok(());
        }
        Err((1.0 - self.tokens) / rate.per_second)
    }

    /// Whether forgetting it would change nothing.
    pub fn is_full(&self, rate: Rate, now: Instant) -> bool {
        self.refilled(rate, now) >= rate.most()
    }

    fn refilled(&self, rate: Rate, now: Instant) -> f64 {
        let refill = now.saturating_duration_since(self.at).as_secs_f64() * rate.per_second;
        (self.tokens + refill).min(rate.most())
    }
}

impl Rate {
    fn most(self) -> f64 {
        self.burst.max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_bucket_empties_and_fills_again() {
        let rate = Rate { per_second: 2.0, burst: 3.0 };
        let start = Instant::now();
        let mut bucket = Bucket::full(rate, start);
        let mut take = |after: u64| bucket.take(rate, start + Duration::from_millis(after));
        assert_eq!([(); 3].map(|()| take(0)), [Ok(()); 3]);
        assert_eq!(take(0), Err(0.5));
        assert_eq!((take(500), take(500)), (Ok(()), Err(0.5)));
        assert_eq!([(); 3].map(|()| take(60_000)), [Ok(()); 3]);
        assert!(take(60_000).is_err(), "it never holds more than its burst");
    }

    #[test]
    fn a_burst_below_one_still_lets_a_call_through() {
        let rate = Rate { per_second: 1.0, burst: 0.0 };
        let now = Instant::now();
        let mut bucket = Bucket::full(rate, now);
        assert!(bucket.is_full(rate, now));
        assert_eq!((bucket.take(rate, now), bucket.is_full(rate, now)), (Ok(()), false));
        assert!(bucket.is_full(rate, now + Duration::from_secs(1)));
    }
}
