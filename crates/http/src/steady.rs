//! Polling a connection again where it stands.
//!
//! A request's body is handed from the connection to whoever reads it within one task, which wakes that task while it runs. To the
//! runtime such a task asks to be run later: it wakes a second thread, which takes the task away from the one whose caches have
//! it, while the first looks for something else to do. Here it is polled again at once, and nobody is woken.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// So often a connection is polled in a row before others have their turn.
const MOST: usize = 8;

/// Polls something that may wake itself meanwhile.
#[derive(Debug)]
pub(crate) struct Steady {
    wakes: Arc<Wakes>,
    waker: Waker,
}

#[derive(Debug, Default)]
struct Wakes {
    /// Who waits for the connection.
    outer: Mutex<Option<Waker>>,
    is_polled: AtomicBool,
    is_woken: AtomicBool,
}

impl Steady {
    pub(crate) fn new() -> Self {
        let wakes = Arc::new(Wakes::default());
        Self { waker: Waker::from(Arc::clone(&wakes)), wakes }
    }

    pub(crate) fn poll<T>(
        &self,
        outer: &Context<'_>,
        mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        self.wakes.remember(outer.waker());
        for _ in 0..MOST {
            self.wakes.is_polled.store(true, Ordering::SeqCst);
            self.wakes.is_woken.store(false, Ordering::SeqCst);
            let polled = poll(&mut Context::from_waker(&self.waker));
            // In this order: who wakes it from now on wakes the task, and who did so before is seen here.
            self.wakes.is_polled.store(false, Ordering::SeqCst);
            if polled.is_ready() || !self.wakes.is_woken.load(Ordering::SeqCst) {
                return polled;
            }
        }
        outer.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Wakes {
    fn remember(&self, waker: &Waker) {
        let mut outer = self.outer.lock().unwrap_or_else(PoisonError::into_inner);
        if !outer.as_ref().is_some_and(|known| known.will_wake(waker)) {
            *outer = Some(waker.clone());
        }
    }
}

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.is_woken.store(true, Ordering::SeqCst);
        if self.is_polled.load(Ordering::SeqCst) {
            return;
        }
        let outer = self.outer.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(outer) = outer {
            outer.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn what_wakes_itself_is_polled_again_and_wakes_nobody_else() {
        let (count, steady) = (Arc::new(Count::default()), Steady::new());
        let waker = Waker::from(Arc::clone(&count));
        let mut polls = 0;
        let polled = steady.poll(&Context::from_waker(&waker), |cx| {
            polls += 1;
            if polls == 3 {
                return Poll::Ready(());
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        });
        assert_eq!((polled, polls, count.0.load(Ordering::SeqCst)), (Poll::Ready(()), 3, 0));
    }

    #[test]
    fn what_wakes_itself_for_ever_lets_others_have_their_turn() {
        let (count, steady) = (Arc::new(Count::default()), Steady::new());
        let waker = Waker::from(Arc::clone(&count));
        let mut polls = 0;
        let polled: Poll<()> = steady.poll(&Context::from_waker(&waker), |cx| {
            polls += 1;
            cx.waker().wake_by_ref();
            Poll::Pending
        });
        assert_eq!((polled, polls, count.0.load(Ordering::SeqCst)), (Poll::Pending, MOST, 1));
    }

    #[test]
    fn what_is_woken_later_wakes_whoever_polled_it_last() {
        let (first, last, steady) = (Arc::new(Count::default()), Arc::new(Count::default()), Steady::new());
        let mut kept = None;
        for count in [&first, &last] {
            let waker = Waker::from(Arc::clone(count));
            let polled: Poll<()> = steady.poll(&Context::from_waker(&waker), |cx| {
                kept = Some(cx.waker().clone());
                Poll::Pending
            });
            assert!(polled.is_pending());
        }
        kept.unwrap().wake();
        assert_eq!((first.0.load(Ordering::SeqCst), last.0.load(Ordering::SeqCst)), (0, 1));
    }
}
