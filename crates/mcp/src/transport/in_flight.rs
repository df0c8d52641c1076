//! The replies that are still owed to the client.
//!
//! The end of input waits until none is owed, a client that does not read its replies is not read from without end,
//! and an id that is still in flight cannot be used twice. What a reply says is not known here.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio::sync::watch;

/// Counts replies from the moment a request is read until its reply is written.
#[derive(Debug)]
pub(crate) struct InFlight {
    in_flight: Mutex<HashSet<RequestId>>,
    count: watch::Sender<usize>,
}

impl InFlight {
    pub(crate) fn new() -> Self {
        Self { in_flight: Mutex::default(), count: watch::Sender::new(0) }
    }

    /// Takes a request in; false when its id is in flight already.
    pub(crate) fn admit(&self, id: &RequestId) -> bool {
        let is_new = self.in_flight().insert(id.clone());
        if is_new {
            self.count.send_modify(|count| *count += 1);
        }
        is_new
    }

    /// Notes a reply that answers no request in flight.
    pub(crate) fn add_refusal(&self) {
        self.count.send_modify(|count| *count += 1);
    }

    /// The reply to `id` will never come because the client cancelled it.
    pub(crate) fn forgive(&self, id: &RequestId) {
        if self.release(id) {
            self.settle_one();
        }
    }

    /// Frees the id of a reply that is about to be written: a client that has read the reply may use the id again
    /// at once. True when the reply is still owed, and has to be settled once it is written.
    pub(crate) fn release(&self, id: &RequestId) -> bool {
        self.in_flight().remove(id)
    }

    /// One reply is written.
    pub(crate) fn settle_one(&self) {
        self.count.send_modify(|count| *count -= 1);
    }

    /// Waits until the reply to `id` is on its way.
    pub(crate) async fn settled(&self, id: &RequestId) {
        let mut count = self.count.subscribe();
        // The sender lives as long as `self`, so waiting cannot fail.
        let _ = count.wait_for(|_| !self.in_flight().contains(id)).await;
    }

    /// Waits until fewer than `limit` replies are owed.
    pub(crate) async fn fewer_than(&self, limit: usize) {
        let mut count = self.count.subscribe();
        let _ = count.wait_for(|count| *count < limit).await;
    }

    fn in_flight(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    fn id(number: i64) -> RequestId {
        RequestId::Number(number)
    }

    #[test]
    fn nothing_is_owed_once_every_reply_is_written_or_forgiven() {
        let in_flight = InFlight::new();
        assert!(in_flight.admit(&id(1)) && in_flight.admit(&id(2)));
        in_flight.add_refusal();
        assert_eq!(in_flight.fewer_than(1).now_or_never(), None);
        assert_eq!(in_flight.settled(&id(1)).now_or_never(), None);
        assert!(in_flight.release(&id(1)));
        assert_eq!(in_flight.settled(&id(1)).now_or_never(), Some(()));
        in_flight.settle_one();
        in_flight.settle_one();
        assert_eq!(in_flight.fewer_than(1).now_or_never(), None);
        // A reply that crossed its cancellation completes the same debt once.
        in_flight.forgive(&id(2));
        assert!(!in_flight.release(&id(2)));
        assert_eq!(in_flight.fewer_than(1).now_or_never(), Some(()));
    }

    #[test]
    fn an_id_can_be_used_again_only_after_its_reply() {
        let in_flight = InFlight::new();
        assert!(in_flight.admit(&id(1)));
        assert!(!in_flight.admit(&id(1)));
        in_flight.release(&id(1));
        assert!(in_flight.admit(&id(1)));
    }
}
