//! Who waits, who is told, and who gives up.

use std::sync::Arc;

use super::*;
use crate::context::Caller;
use crate::layout::Layout;

fn setting() -> (tempfile::TempDir, Root, Places) {
    let dir = tempfile::tempdir().unwrap();
    let path = fs_err::canonicalize(dir.path()).unwrap();
    let root = Root::open(&path).unwrap();
    (dir, root, Layout::load(&path).places().clone())
}

fn patient() -> Context {
    let caller = Caller { operation: "spec_create".into(), ..Context::background().caller().clone() };
    Context::background().with_caller(caller)
}

#[test]
fn whoever_waits_in_vain_is_told_who_holds_the_lock() {
    let (_dir, root, places) = setting();
    let lock = Arc::new(WriteLock::default());
    let held = lock.acquire(&patient(), &root, &places).unwrap();
    // The same process, and another one that shares only the file.
    for other in [Arc::clone(&lock), Arc::default()] {
        let brief = patient().with_timeout(Duration::from_millis(300));
        let error = other.acquire(&brief, &root, &places).unwrap_err();
        let LockError::Busy { holder: Some(holder) } = error else { panic!("{error}") };
        assert_eq!((holder.pid, holder.operation.as_str()), (std::process::id(), "spec_create"));
    }
    drop(held);
    assert!(lock.acquire(&patient(), &root, &places).is_ok());
}

#[test]
fn a_file_of_its_own_is_kept_from_others_and_nothing_else_is() {
    let (_dir, root, places) = setting();
    let path = places.clarify.path().join("lock").unwrap();
    let held = StateGuard::acquire(&patient(), &root, &places, &path).unwrap();
    let brief = patient().with_timeout(Duration::from_millis(300));
    let error = StateGuard::acquire(&brief, &root, &places, &path).unwrap_err();
    assert!(matches!(error, LockError::Busy { holder: Some(_) }), "{error}");
    assert!(Arc::new(WriteLock::default()).acquire(&patient(), &root, &places).is_ok());
    drop(held);
    assert!(StateGuard::acquire(&patient(), &root, &places, &path).is_ok());
}

#[test]
fn a_waiter_can_be_cancelled() {
    let (_dir, root, places) = setting();
    let lock = Arc::new(WriteLock::default());
    let _held = lock.acquire(&patient(), &root, &places).unwrap();
    let context = Context::background();
    context.cancellation().cancel();
    let error = lock.acquire(&context, &root, &places).unwrap_err();
    assert!(matches!(error, LockError::Interrupted(Interrupted::Cancelled)));
}

#[test]
fn a_lock_file_that_was_deleted_locks_nobody_out_for_ever() {
    let (dir, root, places) = setting();
    let lock = Arc::new(WriteLock::default());
    let held = lock.acquire(&patient(), &root, &places).unwrap();
    fs_err::remove_dir_all(dir.path().join(".hewto")).unwrap();
    drop(held);
    assert!(lock.acquire(&patient(), &root, &places).is_ok());
}

#[test]
fn the_first_lock_writes_the_gitignore_of_its_folder() {
    let (dir, root, places) = setting();
    drop(Arc::new(WriteLock::default()).acquire(&patient(), &root, &places).unwrap());
    let text = fs_err::read_to_string(dir.path().join(".hewto/.gitignore")).unwrap();
    assert!(text.contains("/journal/\n"));
}

/// Half of one would let git keep logs and claims for good.
#[cfg(feature = "fault-injection")]
#[test]
fn the_gitignore_is_there_whole_or_not_at_all() {
    use crate::fault::{self, Fault, FaultPlan};
    for at in 0.. {
        let (dir, root, places) = setting();
        let lock = Arc::new(WriteLock::default());
        fault::inject(Some(FaultPlan { at, fault: Fault::FailFromHere(28) }));
        let failed = lock.acquire(&patient(), &root, &places).is_err();
        fault::inject(None);
        let path = dir.path().join(".hewto/.gitignore");
        if let Ok(text) = fs_err::read_to_string(&path) {
            assert!(text.ends_with("/live/\n"), "at {at}: {text:?}");
        }
        drop(lock.acquire(&patient(), &root, &places).unwrap());
        assert!(fs_err::read_to_string(&path).unwrap().ends_with("/live/\n"), "at {at}");
        if !failed {
            break;
        }
    }
}

#[cfg(feature = "fault-injection")]
#[test]
fn whoever_has_waited_long_enough_comes_before_those_who_come_later() {
    let (_dir, root, places) = setting();
    let lock = Arc::new(WriteLock::default());
    let held = lock.acquire(&patient(), &root, &places).unwrap();
    let order = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for n in 0..3 {
            let (lock, root, places, order) = (&lock, &root, &places, &order);
            scope.spawn(move || {
                let _held = lock.acquire(&patient(), root, places).unwrap();
                order.lock().unwrap().push(n);
            });
            while lock.waiting() <= n {
                std::thread::yield_now();
            }
        }
        drop(held);
        let _held = lock.acquire(&patient(), &root, &places).unwrap();
        order.lock().unwrap().push(3);
    });
    assert_eq!(*order.lock().unwrap(), [0, 1, 2, 3]);
}
