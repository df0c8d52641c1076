//! Work for several cores, done before the call returns. Where no more threads can be had, because the system or a container
//! allows none, whoever asked does it all: it takes longer, and nothing fails.
//!
//! It stands on the standard library alone, so that every crate above `core` may use it and `core` stays without threads.

use std::iter::once;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, ScopedJoinHandle, available_parallelism, scope};

/// How many threads run at once on this machine.
pub fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// Cuts items into as many chunks as there are cores, and works on all of them at once; the results come in the order of the
/// items.
pub fn map_chunks<T: Sync, R: Send>(items: &[T], work: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
    map(items.chunks(items.len().div_ceil(cores()).max(1)), work)
}

/// Does the same for each item at once, the first of them here; the results come in the order of the items.
pub fn map<T: Copy + Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    map_on(Builder::new, items, work)
}

/// Does both at once; the first is what takes longer.
pub fn join<A: Send, B>(longer: impl FnOnce() -> A + Send, other: impl FnOnce() -> B) -> (A, B) {
    join_on(Builder::new, longer, other)
}

fn map_on<T: Copy + Send, R: Send>(
    thread: fn() -> Builder,
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let work = &work;
    let mut items = items.into_iter();
    let Some(first) = items.next() else { return Vec::new() };
    scope(|scope| {
        let start = |item| thread().spawn_scoped(scope, move || work(item)).map_err(|_| item);
        let others: Vec<_> = items.map(start).collect();
        let end = |other: Result<ScopedJoinHandle<'_, R>, T>| match other {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(item) => work(item),
        };
        once(work(first)).chain(others.into_iter().map(end)).collect()
    })
}

fn join_on<A: Send, B>(
    thread: fn() -> Builder,
    longer: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B,
) -> (A, B) {
    let longer = Mutex::new(Some(longer));
    let run = || {
        let longer = longer.lock().unwrap_or_else(PoisonError::into_inner).take();
        longer.map(|longer| longer())
    };
    scope(|scope| {
        let started = thread().spawn_scoped(scope, run);
        let other = other();
        let done = match started {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => run(),
        };
        (done.expect("it is taken once, by the thread or else here"), other)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread that no machine has the memory for.
    fn never() -> Builder {
        Builder::new().stack_size(1 << 62)
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let numbers: Vec<u64> = (0..1_000).collect();
        let sum = |share: &[u64]| share.iter().sum::<u64>();
        assert_eq!(map(numbers.chunks(300), sum), [44_850, 134_850, 224_850, 94_950]);
        assert_eq!(map_chunks(&numbers, <[u64]>::to_vec).concat(), numbers);
        assert_eq!(map_chunks(&[], sum), []);
        assert_eq!(join(|| 1, || 2), (1, 2));
    }

    #[test]
    fn without_threads_everything_is_done_all_the_same() {
        assert!(never().spawn(|| ()).is_err());
        assert_eq!(map_on(never, 0..4, |number| number * 2), [0, 2, 4, 6]);
        assert_eq!(join_on(never, || 1, || 2), (1, 2));
    }
}
