//! How many calls a client may make, of each class of tool.
//!
//! The time is handed in, so the limiter has no clock of its own.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use hewto_core::rate::{Bucket, Rate};

use crate::error::{Error, Key, Result};

/// Buckets beyond this many are looked through, and full ones forgotten.
const MANY_BUCKETS: usize = 4096;

/// What a tool does, as far as limits care.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolClass {
    Read,
    Write,
    /// Starts builds, tests or commands.
    Run,
}

/// The pace of each class; 0 per second means no limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    pub read: Rate,
    pub write: Rate,
    pub run: Rate,
}

impl Default for Rates {
    /// Far above what an agent does on purpose; stops one that runs in circles.
    fn default() -> Self {
        Self {
            read: Rate { per_second: 1_000.0, burst: 20_000.0 },
            write: Rate { per_second: 200.0, burst: 2_000.0 },
            run: Rate { per_second: 5.0, burst: 50.0 },
        }
    }
}

impl Rates {
    fn of(&self, class: ToolClass) -> Rate {
        match class {
            ToolClass::Read => self.read,
            ToolClass::Write => self.write,
            ToolClass::Run => self.run,
        }
    }
}

/// Counts calls against [`Rates`].
#[derive(Debug)]
pub struct RateLimiter {
    rates: Rates,
    buckets: Mutex<HashMap<(String, ToolClass), Bucket>>,
}

impl RateLimiter {
    pub fn new(rates: Rates) -> Self {
        Self { rates, buckets: Mutex::new(HashMap::new()) }
    }

    /// Takes a token, or says how long to wait for one.
    pub fn take(&self, client: &str, class: ToolClass, now: Instant) -> Result<()> {
        let rate = self.rates.of(class);
        if rate.per_second <= 0.0 {
            return Ok(());
        }
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MANY_BUCKETS {
            buckets.retain(|(_, class), bucket| !bucket.is_full(self.rates.of(*class), now));
        }
        let bucket = buckets.entry((client.to_owned(), class));
        bucket.or_insert_with(|| Bucket::full(rate, now)).take(rate, now).map_err(|wait| {
            // Whole milliseconds, never less than what it takes.
            let wait = (wait * 1000.0).ceil() / 1000.0;
            Error::refused(Key::RateLimited, "too many calls in too short a time")
                .hint(format!("wait {wait} s before the next call"))
                .detail("retry_after_s", wait)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn limiter(per_second: f64, burst: f64) -> RateLimiter {
        let run = Rate { per_second, burst };
        RateLimiter::new(Rates { run, ..Rates::default() })
    }

    #[test]
    fn a_client_that_runs_ahead_is_told_how_long_to_wait() {
        let limiter = limiter(3.0, 1.0);
        let start = Instant::now();
        let take = |after: u64| limiter.take("a", ToolClass::Run, start + Duration::from_millis(after));
        take(0).unwrap();
        let error = take(0).unwrap_err();
        assert_eq!((error.key.as_str(), &error.details["retry_after_s"]), ("rate_limited", &0.334.into()));
        take(334).unwrap();
    }

    #[test]
    fn clients_and_classes_do_not_share() {
        let limiter = limiter(1.0, 1.0);
        let now = Instant::now();
        limiter.take("a", ToolClass::Run, now).unwrap();
        limiter.take("a", ToolClass::Run, now).unwrap_err();
        limiter.take("b", ToolClass::Run, now).unwrap();
        limiter.take("a", ToolClass::Read, now).unwrap();
    }

    #[test]
    fn zero_is_no_limit() {
        let limiter = limiter(0.0, 0.0);
        let now = Instant::now();
        for _ in 0..10_000 {
            limiter.take("a", ToolClass::Run, now).unwrap();
        }
    }

    #[test]
    fn clients_that_have_gone_are_forgotten() {
        let limiter = limiter(1.0, 1.0);
        let now = Instant::now();
        for client in 0..MANY_BUCKETS {
            limiter.take(&client.to_string(), ToolClass::Run, now).unwrap();
        }
        limiter.take("late", ToolClass::Run, now + Duration::from_secs(10)).unwrap();
        assert_eq!(limiter.buckets.lock().unwrap().len(), 1);
    }
}
