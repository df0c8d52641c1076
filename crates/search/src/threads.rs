//! Work for several cores. Where no more threads can be had, because the system or a container allows none, whoever asked does it
//! all: it takes longer, and nothing fails.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, ScopedJoinHandle, scope};

/// Does the same for each share, side by side; the results come in the order of the shares.
pub fn in_shares<T: Copy + Send, R: Send>(
    shares: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let work = &work;
    scope(|scope| {
        let start = |share| Builder::new().spawn_scoped(scope, move || work(share)).map_err(|_| share);
        let started: Vec<_> = shares.into_iter().map(start).collect();
        let end = |share: Result<ScopedJoinHandle<'_, R>, T>| match share {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(share) => work(share),
        };
        started.into_iter().map(end).collect()
    })
}

/// Does both at once; the first is what takes longer.
pub fn side_by_side<A: Send, B>(longer: impl FnOnce() -> A + Send, other: impl FnOnce() -> B) -> (A, B) {
    let longer = Mutex::new(Some(longer));
    let run = || {
        let longer = longer.lock().unwrap_or_else(PoisonError::into_inner).take();
        longer.map(|longer| longer())
    };
    scope(|scope| {
        let started = Builder::new().spawn_scoped(scope, run);
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

    #[test]
    fn results_come_in_the_order_of_the_shares() {
        let numbers: Vec<u64> = (0..1_000).collect();
        let sums = in_shares(numbers.chunks(300), |share| share.iter().sum::<u64>());
        assert_eq!(sums, [44_850, 134_850, 224_850, 94_950]);
        assert_eq!(side_by_side(|| 1, || 2), (1, 2));
    }
}
