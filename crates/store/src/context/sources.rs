//! Where time, ids and chance come from; tests hand in their own.

use std::fmt;
use std::sync::Arc;

use hewto_core::id::SpecId;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

/// Tells the time.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

/// Makes fresh unique ids.
#[derive(Clone)]
pub struct Random(Arc<dyn Fn() -> Uuid + Send + Sync>);

/// Proposes the id of a new spec; whoever creates the spec bumps it until it is free.
pub trait IdGenerator: fmt::Debug + Send + Sync {
    fn generate(&self, title: &str, now: Timestamp) -> SpecId;
}

/// Ids of the form `<unix seconds>-<slug>`.
#[derive(Debug, Clone, Copy, Default)]
pub struct TimestampIds;

impl Clock {
    pub fn system() -> Self {
        Self::new(Timestamp::now)
    }

    pub fn fixed(at: Timestamp) -> Self {
        Self::new(move || at)
    }

    pub fn new(tell: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    /// The same clock, so many seconds ahead or behind.
    #[must_use]
    pub fn moved_by(self, seconds: i64) -> Self {
        let by = SignedDuration::from_secs(seconds);
        Self::new(move || self.now().saturating_add(by).unwrap_or(Timestamp::MAX))
    }

    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl Random {
    pub fn system() -> Self {
        Self::new(Uuid::new_v4)
    }

    pub fn new(draw: impl Fn() -> Uuid + Send + Sync + 'static) -> Self {
        Self(Arc::new(draw))
    }

    pub fn uuid(&self) -> Uuid {
        (self.0)()
    }
}

impl IdGenerator for TimestampIds {
    fn generate(&self, title: &str, now: Timestamp) -> SpecId {
        SpecId::mint(u64::try_from(now.as_second()).unwrap_or(0), title)
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

impl fmt::Debug for Random {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Random")
    }
}

/// Seconds are enough for what people read; fractions are dropped, not rounded.
pub fn rfc3339_seconds(at: Timestamp) -> String {
    Timestamp::from_second(at.as_second()).unwrap_or(at).to_string()
}

/// `2026-01-24T14:30:00.123Z`.
pub(crate) fn rfc3339_millis(at: Timestamp) -> String {
    format!("{at:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn artifacts_carry_whole_seconds_and_logs_milliseconds() {
        let now = at("2026-01-24T14:30:00.987654Z");
        assert_eq!(rfc3339_seconds(now), "2026-01-24T14:30:00Z");
        assert_eq!(rfc3339_millis(now), "2026-01-24T14:30:00.987Z");
        assert_eq!(rfc3339_millis(at("2026-01-24T14:30:00Z")), "2026-01-24T14:30:00.000Z");
    }

    #[test]
    fn ids_come_from_the_generator_that_was_handed_in() {
        #[derive(Debug)]
        struct Given;
        impl IdGenerator for Given {
            fn generate(&self, title: &str, _: Timestamp) -> SpecId {
                SpecId::parse(&format!("given-{}", title.len())).unwrap()
            }
        }
        let context = crate::Context::background().with_ids(Arc::new(Given));
        assert_eq!(context.spec_id("Any title").as_str(), "given-9");
    }

    #[test]
    fn a_clock_can_be_moved() {
        let clock = Clock::fixed(at("2026-01-24T14:30:00Z"));
        assert_eq!(clock.clone().moved_by(90).now(), at("2026-01-24T14:31:30Z"));
        assert_eq!(clock.moved_by(-60).now(), at("2026-01-24T14:29:00Z"));
    }
}
