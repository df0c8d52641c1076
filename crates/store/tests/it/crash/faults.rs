//! Calls that fail, and power that is lost.

use std::time::Duration;

use hewto_store::CommitError;
use hewto_store::fault::{self, Fault, FaultPlan};

use super::{EIO, ENOSPC, EROFS, Found, calls_of_a_commit, found, recovered, setting, standard_commit};
use crate::support::{Workspace, context};

#[test]
fn a_fault_at_any_call_leaves_all_or_nothing() {
    let calls = calls_of_a_commit();
    let mut outcomes = [0, 0];
    for at in 0..calls {
        for fault in [Fault::Fail(EIO), Fault::FailFromHere(ENOSPC), Fault::FailFromHere(EROFS)] {
            let workspace = setting();
            let store = workspace.store();
            fault::inject(Some(FaultPlan { at, fault }));
            let result = standard_commit(&store);
            fault::inject(None);
            let found = recovered(&workspace);
            match result {
                Ok(()) => assert_eq!(found, Found::New, "at {at}, {fault:?}"),
                Err(CommitError::Unfinished(_)) => {}
                Err(error) => assert_eq!(found, Found::Old, "at {at}, {fault:?}: {error}"),
            }
            outcomes[usize::from(found == Found::New)] += 1;
        }
    }
    assert!(outcomes.iter().all(|count| *count > 10), "{outcomes:?}");
}

/// The machine stops at any call, and whatever was not synced until then is gone, all of it or the later half.
#[test]
fn a_loss_of_power_at_any_call_leaves_all_or_nothing_and_keeps_what_was_acknowledged() {
    let calls = calls_of_a_commit();
    let mut outcomes = [0, 0];
    for at in 0..=calls {
        for everything in [true, false] {
            let workspace = setting();
            let store = workspace.store();
            fault::inject_and_remember(Some(FaultPlan { at, fault: Fault::FailFromHere(EIO) }));
            let acknowledged = standard_commit(&store).is_ok();
            drop(store);
            fault::lose_power(everything);
            fault::inject(None);
            let found = recovered(&workspace);
            assert!(!acknowledged || found == Found::New, "at {at}, {everything}");
            outcomes[usize::from(found == Found::New)] += 1;
        }
    }
    assert!(outcomes.iter().all(|count| *count > 5), "{outcomes:?}");
}

#[test]
fn a_commit_that_fails_for_good_after_its_commit_point_is_taken_back_whole() {
    fault::inject(None);
    standard_commit(&setting().store()).unwrap();
    let trace = fault::trace();
    let point = trace.iter().position(|call| call == "rename pending").unwrap();
    let close = trace.iter().position(|call| call == "rename last").unwrap();
    for (at, call) in trace.iter().enumerate().take(close).skip(point + 2) {
        let workspace = setting();
        let store = workspace.store();
        fault::inject(Some(FaultPlan { at, fault: Fault::Fail(13) }));
        let result = standard_commit(&store);
        fault::inject(None);
        match result {
            Err(CommitError::File(error)) => {
                assert_eq!(found(&workspace), Found::Old, "at {at}, {call}: {error}");
                assert!(!workspace.path("specs/b").exists(), "at {at}: a folder was left");
            }
            // A journal that cannot be synced leaves it to the next one.
            Err(CommitError::Unfinished(_)) | Ok(()) => {}
            Err(error) => panic!("{error}"),
        }
        assert!(store.lock(&context()).is_ok(), "at {at}, {call}");
        recovered(&workspace);
    }
}

/// A folder that cannot be renamed, as in the lower layer of an overlay, is copied; at any call that can be interrupted.
#[test]
fn a_folder_that_cannot_be_renamed_is_moved_and_removed_by_copying() {
    const EXDEV: i32 = 18;
    for what in ["rename x", "rename removed-"] {
        let plan = |workspace: &Workspace| {
            fault::inject(None);
            standard_commit(&setting().store()).unwrap();
            let at = fault::trace().iter().position(|call| call.starts_with(what)).unwrap();
            fault::inject(Some(FaultPlan { at, fault: Fault::Fail(EXDEV) }));
            standard_commit(&workspace.store())
        };
        let workspace = setting();
        plan(&workspace).unwrap();
        let calls = fault::trace();
        assert_eq!(recovered(&workspace), Found::New, "{what}");
        let point = calls.iter().position(|call| call.starts_with(what)).unwrap();
        for (at, call) in calls.iter().enumerate().skip(point + 1) {
            let workspace = setting();
            fault::inject_two(
                FaultPlan { at: point, fault: Fault::Fail(EXDEV) },
                FaultPlan { at, fault: Fault::FailFromHere(EIO) },
            );
            let result = standard_commit(&workspace.store());
            fault::inject(None);
            let recovered = recovered(&workspace);
            assert!(result.is_err() || recovered == Found::New, "{what}, {call}");
        }
    }
}

/// A short write is no failure, and a slow disk none either: the commit is whole, whichever call it meets.
#[test]
fn writes_that_come_short_and_calls_that_take_long_change_nothing() {
    let calls = calls_of_a_commit();
    for at in 0..calls {
        for fault in [Fault::Short, Fault::Slow(Duration::from_millis(1))] {
            let workspace = setting();
            fault::inject(Some(FaultPlan { at, fault }));
            standard_commit(&workspace.store()).unwrap();
            fault::inject(None);
            assert_eq!(recovered(&workspace), Found::New, "at {at}, {fault:?}");
        }
    }
}

/// The disk is full after half of a text has been taken: what came short and then failed is no part of anything.
#[test]
fn a_short_write_on_a_disk_that_is_full_then_leaves_all_or_nothing() {
    for at in 0..calls_of_a_commit() {
        let workspace = setting();
        let short = FaultPlan { at, fault: Fault::Short };
        fault::inject_two(short, FaultPlan { at: at + 1, fault: Fault::FailFromHere(ENOSPC) });
        let result = standard_commit(&workspace.store());
        fault::inject(None);
        match (result, recovered(&workspace)) {
            (Ok(()), found) => assert_eq!(found, Found::New, "at {at}"),
            (Err(CommitError::Unfinished(_)), _) => {}
            (Err(error), found) => assert_eq!(found, Found::Old, "at {at}: {error}"),
        }
    }
}
