//! Recoveries that fail too, and commits under a lock whose last record could not be closed.

use hewto_store::fault::{self, Fault, FaultPlan};
use hewto_store::{CommitError, Expect, LockError, Store, Transaction, WriteGuard};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{EIO, ENOSPC, Found, calls_of_a_commit, found, recovered, setting, standard_commit};
use crate::support::{Workspace, child, child_arguments, context, file, folder, layout};

/// The calls of a commit from the one on that closes its record.
fn calls_of_closing() -> std::ops::Range<usize> {
    fault::inject(None);
    standard_commit(&setting().store()).unwrap();
    let trace = fault::trace();
    trace.iter().position(|call| call == "rename last").unwrap()..trace.len()
}

/// A workspace whose last commit was acknowledged although its record stands there still.
fn acknowledged(at: usize, loses_power: bool) -> Workspace {
    let workspace = setting();
    let plan = FaultPlan { at, fault: Fault::FailFromHere(EIO) };
    if loses_power {
        fault::inject_and_remember(Some(plan));
    } else {
        fault::inject(Some(plan));
    }
    standard_commit(&workspace.store()).unwrap();
    if loses_power {
        fault::lose_power(true);
    }
    fault::inject(None);
    workspace
}

#[test]
fn what_was_acknowledged_is_not_taken_back_by_a_recovery_that_fails() {
    let mut failed = 0;
    for loses_power in [false, true] {
        // Later ones remove what nobody needs any more.
        for closing in calls_of_closing().take(2) {
            let workspace = acknowledged(closing, loses_power);
            fault::inject(None);
            drop(workspace.store().lock(&context()).unwrap());
            let calls = fault::trace().len();
            for at in 0..calls {
                for fault in [Fault::Fail(EIO), Fault::FailFromHere(ENOSPC)] {
                    let workspace = acknowledged(closing, loses_power);
                    fault::inject(Some(FaultPlan { at, fault }));
                    let lock = workspace.store().lock(&context()).map(drop);
                    fault::inject(None);
                    failed += usize::from(matches!(lock, Err(LockError::Unfinished(_))));
                    assert_eq!(found(&workspace), Found::New, "{closing}, {fault:?} at {at}");
                    assert_eq!(recovered(&workspace), Found::New, "{closing}, {fault:?} at {at}");
                }
            }
        }
    }
    assert!(failed > 3, "{failed}");
}

fn one_more(guard: &WriteGuard) -> Result<(), CommitError> {
    let mut transaction = Transaction::new();
    transaction.put(file("specs/c/spec.md"), "one more", Expect::Any);
    guard.commit(&context(), transaction).map(drop)
}

/// Whatever became of the first commit, it is whole when the second has been made, and no record is put aside.
#[test]
fn a_commit_that_could_not_be_finished_is_finished_before_the_next_under_the_same_lock() {
    let mut outcomes = [0, 0];
    for at in 0..calls_of_a_commit() {
        for fault in [Fault::Fail(EIO), Fault::FailFromHere(EIO)] {
            let workspace = setting();
            let store = workspace.store();
            let guard = store.lock(&context()).unwrap();
            fault::inject(Some(FaultPlan { at, fault }));
            let first = super::commit_under(&guard);
            fault::inject(None);
            one_more(&guard).unwrap();
            drop(guard);
            let found = recovered(&workspace);
            assert_eq!(workspace.text("specs/c/spec.md").as_deref(), Some("one more"));
            match first {
                Ok(()) => assert_eq!(found, Found::New, "{fault:?} at {at}"),
                Err(CommitError::Unfinished(_)) => outcomes[0] += 1,
                Err(error) => assert_eq!(found, Found::Old, "{fault:?} at {at}: {error}"),
            }
            outcomes[1] += 1;
        }
    }
    assert!(outcomes.iter().all(|count| *count > 3), "{outcomes:?}");
}

fn edit_and_move(store: &Store) -> Result<(), CommitError> {
    let mut transaction = Transaction::new();
    transaction
        .put(file("changes/x/tasks.md"), "new tasks", Expect::Any)
        .put(file("changes/x/late.md"), "new file", Expect::Absent)
        .move_dir(&folder("changes/x"), &folder("changes/archive/x"));
    store.lock(&context()).unwrap().commit(&context(), transaction).map(drop)
}

#[test]
fn a_folder_that_is_edited_and_then_moved_is_there_once_whatever_fails() {
    fault::inject(None);
    edit_and_move(&setting().store()).unwrap();
    let trace = fault::trace();
    let point = trace.iter().position(|call| call == "rename pending").unwrap();
    for (at, call) in trace.iter().enumerate().skip(point) {
        let workspace = setting();
        fault::inject(Some(FaultPlan { at, fault: Fault::FailFromHere(EIO) }));
        let told = edit_and_move(&workspace.store());
        fault::inject(None);
        let store = workspace.store();
        drop(store.lock(&context()).unwrap());
        assert_eq!(store.machine().journal_remains(&context()).unwrap().stranded, [], "{call}");
        let is_moved = workspace.path("changes/archive/x").exists();
        assert!(is_moved || told.is_err(), "{call}");
        let (here, text) =
            if is_moved { ("changes/archive/x", "new tasks") } else { ("changes/x", "old tasks") };
        assert_eq!(workspace.text(&format!("{here}/tasks.md")).as_deref(), Some(text), "{call}");
        assert_eq!(workspace.text(&format!("{here}/late.md")).is_some(), is_moved, "{call}");
        assert_eq!(workspace.path("changes/x").exists(), !is_moved, "{call}");
    }
}

/// The file stands on another mount, so that it is copied before it is removed.
#[test]
fn a_file_that_is_removed_by_copying_is_removed_or_there_whatever_fails() {
    const EXDEV: i32 = 18;
    let remove = |store: &Store| {
        let mut transaction = Transaction::new();
        transaction
            .put(file("specs/a/spec.md"), "new spec", Expect::Any)
            .delete(file("specs/a/plan.md"), Expect::Any);
        store.lock(&context()).unwrap().commit(&context(), transaction).map(drop)
    };
    fault::inject(None);
    remove(&setting().store()).unwrap();
    let away = fault::trace().iter().position(|call| call.starts_with("rename removed-")).unwrap();
    let across = FaultPlan { at: away, fault: Fault::Fail(EXDEV) };
    fault::inject(Some(across));
    remove(&setting().store()).unwrap();
    let trace = fault::trace();
    for (at, call) in trace.iter().enumerate().skip(away + 1) {
        for fault in [Fault::Fail(EIO), Fault::FailFromHere(EIO)] {
            let workspace = setting();
            fault::inject_two(across, FaultPlan { at, fault });
            let told = remove(&workspace.store());
            fault::inject(None);
            drop(workspace.store().lock(&context()).unwrap());
            let is_new = workspace.text("specs/a/spec.md").as_deref() == Some("new spec");
            assert_eq!(workspace.path("specs/a/plan.md").exists(), !is_new, "{fault:?} at {call}");
            assert!(is_new || told.is_err(), "{fault:?} at {call}");
        }
    }
}

/// Takes the lock with so many files left to open, and commits when there are more again.
#[test]
#[ignore = "the test below starts it as a process of its own"]
fn child_that_has_few_files_to_open() {
    let arguments = child_arguments();
    let [root, spare] = arguments.as_slice() else { panic!("{arguments:?}") };
    let store = Store::open(layout(root.as_ref())).unwrap();
    let usual = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(64), maximum: usual.maximum }).unwrap();
    let mut taken: Vec<_> =
        std::iter::repeat_with(|| std::fs::File::open("/dev/null")).map_while(Result::ok).collect();
    taken.truncate(taken.len().saturating_sub(spare.parse().unwrap()));
    let guard = store.lock(&context());
    setrlimit(Resource::Nofile, usual).unwrap();
    match guard {
        Ok(guard) => {
            assert!(!store.machine().is_interrupted(&context()), "the lock is there, and the record too");
            one_more(&guard).unwrap();
            println!("\nacknowledged");
        }
        Err(LockError::Unfinished(_)) => println!("\nunfinished"),
        Err(LockError::File(_)) => println!("\nno lock"),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_record_that_could_not_be_read_for_want_of_files_is_nobody_elses_and_is_finished_later() {
    fault::inject(None);
    standard_commit(&setting().store()).unwrap();
    let middle = fault::trace().iter().position(|call| call == "rename x").unwrap();
    let (told_of, mut outcomes) = (["acknowledged", "unfinished", "no lock"], [0, 0, 0]);
    for spare in 0..12 {
        let workspace = setting();
        fault::inject(Some(FaultPlan { at: middle, fault: Fault::FailFromHere(EIO) }));
        let told = standard_commit(&workspace.store());
        fault::inject(None);
        assert!(matches!(told, Err(CommitError::Unfinished(_))), "{told:?}");
        let root = workspace.root();
        let arguments = [root.to_str().unwrap(), &spare.to_string()];
        let output = child("crash::again::child_that_has_few_files_to_open", &arguments).output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let outcome = told_of.iter().position(|outcome| told.lines().any(|line| line == *outcome));
        outcomes[outcome.expect("the child has not died")] += 1;
        // Panics where half of it is there, or where it was put aside.
        recovered(&workspace);
    }
    assert!(outcomes[0] > 0 && outcomes[1] > 0, "{outcomes:?}");
}
