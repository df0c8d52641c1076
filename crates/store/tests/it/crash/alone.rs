//! A commit of one file: one rename does it whole, and its record is there only for those who find the process dead.

use std::os::unix::process::ExitStatusExt as _;

use hewto_store::fault::{self, Fault, FaultPlan};
use hewto_store::{CommitError, Expect, LockError, Store, Transaction};

use super::{EIO, ENOSPC, EROFS};
use crate::support::{Workspace, child, child_arguments, context, file, layout};

const FILES: [&str; 2] = ["specs/a/spec.md", "specs/a/late.md"];

fn setting() -> Workspace {
    Workspace::with(&[(".hewto/config.toml", ""), (FILES[0], "old"), ("specs/a/plan.md", "plan")])
}

/// What stood in each of the files before.
fn old(path: &str) -> Option<&'static str> {
    (path == FILES[0]).then_some("old")
}

fn write(store: &Store, path: &str, text: &str) -> Result<(), CommitError> {
    let guard = match store.lock(&context()) {
        Ok(guard) => guard,
        Err(LockError::File(error)) => return Err(error.into()),
        Err(error) => panic!("{error}"),
    };
    let mut transaction = Transaction::new();
    transaction.put(file(path), text, Expect::Any).require(file("specs/a/plan.md"), Expect::Any);
    guard.commit(&context(), transaction).map(drop)
}

fn calls(path: &str) -> Vec<String> {
    let workspace = setting();
    fault::inject(None);
    write(&workspace.store(), path, "new").unwrap();
    fault::trace()
}

/// Takes the lock, as the next writer would. Whether the file is new; it is old otherwise, and nothing is left of the commit.
fn is_new(workspace: &Workspace, path: &str) -> bool {
    let store = workspace.store();
    drop(store.lock(&context()).unwrap());
    let remains = store.machine().journal_remains(&context()).unwrap();
    assert!(remains.stranded.is_empty() && remains.distrusted.is_empty(), "{remains:?}");
    for folder in [".hewto/journal", "specs/a"] {
        let names = std::fs::read_dir(workspace.path(folder)).into_iter().flatten();
        for name in names.map(|item| item.unwrap().file_name().into_string().unwrap()) {
            assert!(["last", "spec.md", "plan.md", "late.md"].contains(&name.as_str()), "{folder}: {name}");
        }
    }
    let text = workspace.text(path);
    assert!(text.as_deref() == Some("new") || text.as_deref() == old(path), "{text:?}");
    text.as_deref() == Some("new")
}

#[test]
fn one_file_is_synced_before_it_takes_its_place_and_its_folder_after_and_nothing_else() {
    for path in FILES {
        let mut calls = calls(path);
        // The first write of all makes the journal.
        calls.retain(|call| call != "fsync-dir .hewto");
        let at = |call: &str| calls.iter().position(|reached| reached.starts_with(call)).unwrap();
        let name = path.rsplit('/').next().unwrap();
        let into_place = if old(path).is_some() { "exchange" } else { "rename" };
        let order = [
            at("write 0"),
            at("fsync 0"),
            at("rename pending"),
            at(&format!("{into_place} {name}")),
            at("fsync-dir specs/a"),
            at("rename last"),
        ];
        assert!(order.is_sorted(), "{calls:#?}");
        assert_eq!(calls.iter().filter(|call| call.starts_with("fsync")).count(), 2, "{calls:#?}");
    }
}

#[test]
fn a_fault_at_any_call_of_a_write_of_one_file_leaves_it_old_or_new() {
    let mut outcomes = [0, 0];
    for path in FILES {
        for at in 0..calls(path).len() {
            for fault in
                [Fault::Fail(EIO), Fault::FailFromHere(ENOSPC), Fault::FailFromHere(EROFS), Fault::Short]
            {
                let workspace = setting();
                fault::inject(Some(FaultPlan { at, fault }));
                let result = write(&workspace.store(), path, "new");
                fault::inject(None);
                let is_new = is_new(&workspace, path);
                match result {
                    Ok(()) => assert!(is_new, "{path} at {at}, {fault:?}"),
                    Err(CommitError::Unfinished(_)) => {}
                    Err(error) => assert!(!is_new, "{path} at {at}, {fault:?}: {error}"),
                }
                outcomes[usize::from(is_new)] += 1;
            }
        }
    }
    assert!(outcomes.iter().all(|count| *count > 10), "{outcomes:?}");
}

/// The machine stops at any call; the one before may have been told, and rests on the disk already.
#[test]
fn a_loss_of_power_at_any_call_of_two_writes_of_one_file_keeps_what_was_acknowledged() {
    let mut outcomes = [0, 0];
    for path in FILES {
        let twice = calls(path).len() * 2;
        for at in 0..=twice {
            for everything in [true, false] {
                let workspace = setting();
                let store = workspace.store();
                fault::inject_and_remember(Some(FaultPlan { at, fault: Fault::FailFromHere(EIO) }));
                let told = ["between", "new"].map(|text| write(&store, path, text).is_ok());
                drop(store);
                fault::lose_power(everything);
                fault::inject(None);
                if workspace.text(path).as_deref() == Some("between") {
                    assert!(!told[1], "{path} at {at}, {everything}");
                    write(&workspace.store(), path, "new").unwrap();
                }
                let is_new = is_new(&workspace, path);
                assert!(is_new || !told[0] && !told[1], "{path} at {at}, {everything}");
                outcomes[usize::from(is_new)] += 1;
            }
        }
    }
    assert!(outcomes.iter().all(|count| *count > 5), "{outcomes:?}");
}

#[test]
#[ignore = "the test below starts it as a process of its own and kills it"]
fn child_that_dies_alone() {
    let arguments = child_arguments();
    let [path, root, at] = arguments.as_slice() else { panic!("{arguments:?}") };
    let store = Store::open(layout(root.as_ref())).unwrap();
    fault::inject(Some(FaultPlan { at: at.parse().unwrap(), fault: Fault::Kill }));
    write(&store, path, "new").unwrap();
    println!("acknowledged");
}

#[test]
fn death_at_any_call_of_a_write_of_one_file_leaves_it_old_or_new_and_synced() {
    for path in FILES {
        let calls = calls(path);
        let in_place = calls.iter().position(|call| call.starts_with("fsync-dir specs/a")).unwrap();
        for at in 0..=calls.len() {
            let workspace = setting();
            let root = workspace.root();
            let arguments = [path, root.to_str().unwrap(), &at.to_string()];
            let output = child("crash::alone::child_that_dies_alone", &arguments).output().unwrap();
            let lived = String::from_utf8_lossy(&output.stdout).contains("acknowledged");
            assert!(
                lived == (at == calls.len()) && (lived || output.status.signal().is_some()),
                "{output:?}"
            );
            fault::inject(None);
            let is_new = is_new(&workspace, path);
            assert!(is_new || at <= in_place, "{path} at {at}");
            // Whoever comes next rests on it: it has to be on the disk by then.
            let is_synced = fault::trace().iter().any(|call| call.starts_with("fsync-dir specs/a"));
            assert!(is_synced || at != in_place, "{path} at {at}: {:?}", fault::trace());
        }
    }
}

/// Somebody saves the file right before it changes places, and then the process or the machine is gone.
#[test]
fn an_edit_of_the_last_moment_goes_back_after_the_process_and_after_the_machine_has_died() {
    let exchange = calls(FILES[0]).iter().position(|call| call.starts_with("exchange")).unwrap();
    for restarts in [false, true] {
        let workspace = setting();
        let place = workspace.path(FILES[0]);
        fault::meanwhile(exchange, move || std::fs::write(place, "mine").unwrap());
        fault::also(FaultPlan { at: exchange + 1, fault: Fault::FailFromHere(EIO) });
        assert!(write(&workspace.store(), FILES[0], "new").is_err());
        fault::inject(None);
        assert_eq!(workspace.text(FILES[0]).as_deref(), Some("new"), "the exchange was not interrupted");
        if restarts {
            fault::lose_power(true);
        }
        drop(workspace.store().lock(&context()).unwrap());
        assert_eq!(workspace.text(FILES[0]).as_deref(), Some("mine"), "restarts: {restarts}");
    }
}

/// Within one start a dead process is finished; after the next start its record means nothing any more.
#[test]
fn a_record_of_one_file_lapses_when_the_machine_starts_again() {
    let exchange = calls(FILES[0]).iter().position(|call| call.starts_with("exchange")).unwrap();
    for restarts in [false, true] {
        let workspace = setting();
        fault::inject(Some(FaultPlan { at: exchange, fault: Fault::FailFromHere(EIO) }));
        assert!(write(&workspace.store(), FILES[0], "new").is_err());
        fault::inject(None);
        assert!(workspace.path(".hewto/journal/pending").exists());
        if restarts {
            fault::lose_power(true);
        }
        let store = workspace.store();
        assert_eq!(store.machine().is_interrupted(&context()), !restarts);
        let read = store.read(&context(), &file(FILES[0])).unwrap().unwrap();
        assert_eq!(read.text, if restarts { "old" } else { "new" });
        assert_eq!(is_new(&workspace, FILES[0]), !restarts);
    }
}

#[test]
fn a_record_that_a_power_cut_left_without_its_text_is_in_nobodys_way() {
    for text in [&b""[..], &[0; 400]] {
        let workspace = setting();
        write(&workspace.store(), FILES[0], "between").unwrap();
        let pending = workspace.path(".hewto/journal/pending");
        std::fs::write(&pending, text).unwrap();
        let store = workspace.store();
        assert_eq!(store.read(&context(), &file(FILES[0])).unwrap().unwrap().text, "between");
        assert!(pending.exists(), "a read writes nothing");
        write(&store, FILES[0], "new").unwrap();
        assert!(is_new(&workspace, FILES[0]));
    }
}
