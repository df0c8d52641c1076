//! After any fault the files are all old or all new, and what was acknowledged is there.

use std::os::unix::process::ExitStatusExt as _;

use hewto_store::fault::{self, Fault, FaultPlan};
use hewto_store::{CommitError, Context, Expect, RelPath, Store, Transaction};
use proptest::prelude::*;

use crate::support::{Workspace, child, child_arguments, file, layout};

const EIO: i32 = 5;
const ENOSPC: i32 = 28;
const EROFS: i32 = 30;

const OLD: [(&str, &str); 5] = [
    ("specs/a/spec.md", "old spec"),
    ("specs/a/plan.md", "old plan"),
    ("changes/x/tasks.md", "old tasks"),
    ("pads/gone/scratch.md", "old pad"),
    ("pads/gone/deep/note.md", "old note"),
];

/// The files of the standard commit, before or after it.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    Old,
    New,
}

fn setting() -> Workspace {
    let workspace = Workspace::with(&OLD);
    workspace.write(".hewto/config.toml", "");
    workspace
}

/// Changes, creates (in a new folder), deletes, moves, and deletes a whole folder.
fn standard_commit(store: &Store) -> Result<(), CommitError> {
    let context = Context::background();
    let guard = match store.lock(&context) {
        Ok(guard) => guard,
        Err(hewto_store::LockError::File(error)) => return Err(error.into()),
        Err(error) => panic!("{error}"),
    };
    let pad = RelPath::parse("pads/gone").unwrap();
    let seen = guard.manifest(&pad).unwrap().unwrap();
    let mut transaction = Transaction::new();
    transaction
        .delete_dir(pad, seen.hash)
        .put(file("specs/a/spec.md"), "new spec", Expect::Any)
        .put(file("specs/b/deep/spec.md"), "new file", Expect::Absent)
        .delete(file("specs/a/plan.md"), Expect::Any)
        .move_dir(RelPath::parse("changes/x").unwrap(), RelPath::parse("changes/archive/x").unwrap());
    guard.commit(&context, transaction).map(drop)
}

fn found(workspace: &Workspace) -> Found {
    let texts = [
        "specs/a/spec.md",
        "specs/b/deep/spec.md",
        "specs/a/plan.md",
        "changes/x/tasks.md",
        "changes/archive/x/tasks.md",
        "pads/gone/scratch.md",
        "pads/gone/deep/note.md",
    ]
    .map(|path| workspace.text(path));
    match texts.each_ref().map(Option::as_deref) {
        [
            Some("old spec"),
            None,
            Some("old plan"),
            Some("old tasks"),
            None,
            Some("old pad"),
            Some("old note"),
        ] => Found::Old,
        [Some("new spec"), Some("new file"), None, None, Some("old tasks"), None, None] => {
            assert!(!workspace.path("pads/gone").exists());
            Found::New
        }
        torn => panic!("torn: {torn:?}"),
    }
}

/// Takes the lock, as the next writer would, and looks at what it finds.
fn recovered(workspace: &Workspace) -> Found {
    let store = workspace.store();
    drop(store.lock(&Context::background()).unwrap());
    assert_eq!(store.stranded().unwrap(), []);
    let left: Vec<_> = std::fs::read_dir(workspace.path(".hewto/journal"))
        .map(|items| items.map(|item| item.unwrap().file_name()).collect())
        .unwrap_or_default();
    assert!(left.iter().all(|name| name == "last"), "{left:?}");
    found(workspace)
}

fn calls_of_a_commit() -> usize {
    let workspace = setting();
    fault::inject(None);
    standard_commit(&workspace.store()).unwrap();
    let calls = fault::trace().len();
    assert_eq!(recovered(&workspace), Found::New);
    calls
}

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

#[test]
fn a_reader_never_sees_half_of_an_interrupted_commit() {
    let calls = calls_of_a_commit();
    for at in 0..calls {
        let workspace = setting();
        fault::inject(Some(FaultPlan { at, fault: Fault::FailFromHere(EIO) }));
        let _ = standard_commit(&workspace.store());
        fault::inject(None);
        let store = workspace.store();
        let text = crate::support::read(&store, &file("specs/a/spec.md")).unwrap().text;
        // The first read has finished or removed the commit, so the files agree now.
        let expected = if text == "new spec" { Found::New } else { Found::Old };
        assert_eq!(found(&workspace), expected, "at {at}");
    }
}

/// The child of the two tests below: commits, or only recovers, and dies on the way.
#[test]
fn child_that_dies() {
    let Some(arguments) = child_arguments() else { return };
    let [what, root, at] = arguments.as_slice() else { panic!("{arguments:?}") };
    let store = Store::open(layout(root.as_ref())).unwrap();
    fault::inject(Some(FaultPlan { at: at.parse().unwrap(), fault: Fault::Kill }));
    match what.as_str() {
        "commit" => standard_commit(&store).unwrap(),
        "recover" => drop(store.lock(&Context::background()).unwrap()),
        other => panic!("{other}"),
    }
    println!("acknowledged");
}

/// Whether the child lived to the end.
fn run_child(what: &str, workspace: &Workspace, at: usize) -> bool {
    let root = workspace.root();
    let output =
        child("crash::child_that_dies", &[what, root.to_str().unwrap(), &at.to_string()]).output().unwrap();
    let lived = String::from_utf8_lossy(&output.stdout).contains("acknowledged");
    assert_eq!(lived, output.status.success(), "{output:?}");
    assert!(lived || output.status.signal().is_some(), "{output:?}");
    lived
}

#[test]
fn death_at_any_call_leaves_all_or_nothing() {
    let calls = calls_of_a_commit();
    let mut outcomes = [0, 0];
    for at in 0..=calls {
        let workspace = setting();
        let lived = run_child("commit", &workspace, at);
        assert_eq!(lived, at == calls, "at {at}");
        let found = recovered(&workspace);
        assert!(!lived || found == Found::New);
        outcomes[usize::from(found == Found::New)] += 1;
    }
    assert!(outcomes.iter().all(|count| *count > 5), "{outcomes:?}");
}

#[test]
fn death_during_recovery_is_recovered_from() {
    let calls = calls_of_a_commit();
    // Right after the commit point, in the middle of the renames, and before there is a record.
    for first in [calls / 3, calls * 5 / 9, calls * 2 / 3, calls * 7 / 9] {
        for second in 0..calls {
            let workspace = setting();
            run_child("commit", &workspace, first);
            let lived = run_child("recover", &workspace, second);
            recovered(&workspace);
            if lived {
                break;
            }
        }
    }
}

#[test]
fn a_file_that_somebody_changed_is_left_alone_and_reported() {
    let calls = calls_of_a_commit();
    let mut stranded_somewhere = false;
    for at in 0..calls {
        let workspace = setting();
        fault::inject(Some(FaultPlan { at, fault: Fault::FailFromHere(EIO) }));
        let _ = standard_commit(&workspace.store());
        fault::inject(None);
        let pending = workspace.path(".hewto/journal/pending").exists();
        let touched = workspace.text("specs/a/spec.md").as_deref() != Some("old spec");
        workspace.write("specs/a/spec.md", "by hand");
        let store = workspace.store();
        drop(store.lock(&Context::background()).unwrap());
        assert_eq!(workspace.text("specs/a/spec.md").as_deref(), Some("by hand"), "at {at}");
        let stranded = store.stranded().unwrap();
        if pending && !touched {
            stranded_somewhere = true;
            assert_eq!(stranded.len(), 1, "at {at}");
            assert_eq!(stranded[0].path.as_str(), "specs/a/spec.md");
            let kept = stranded[0].kept.as_ref().unwrap();
            assert_eq!(workspace.text(kept).as_deref(), Some("new spec"), "at {at}");
            // It stays there until a person has looked at it, and is in nobody's way.
            workspace.write("specs/a/spec.md", "old spec");
            drop(store.lock(&Context::background()).unwrap());
            assert_eq!(store.stranded().unwrap().len(), 1);
            assert_eq!(workspace.text("specs/a/spec.md").as_deref(), Some("old spec"));
        } else {
            assert_eq!(stranded, [], "at {at}");
        }
    }
    assert!(stranded_somewhere);
}

/// Somebody saves a file by hand while a commit of that file is under way.
#[test]
fn an_edit_in_the_middle_of_a_commit_is_never_lost() {
    let calls = calls_of_a_commit();
    let mut outcomes = [0, 0, 0];
    for (target, expect_new) in [("specs/a/spec.md", "new spec"), ("specs/b/deep/spec.md", "new file")] {
        for at in 0..calls {
            let workspace = setting();
            let path = workspace.path(target);
            let draft = workspace.path("draft");
            std::fs::write(&draft, "by hand").unwrap();
            let store = workspace.store();
            let guard = store.lock(&Context::background()).unwrap();
            let seen = guard.read(&file("specs/a/spec.md")).unwrap().unwrap();
            let mut transaction = Transaction::new();
            transaction.put(file("specs/a/spec.md"), "new spec", Expect::Hash(seen.hash)).put(
                file("specs/b/deep/spec.md"),
                "new file",
                Expect::Absent,
            );
            fault::meanwhile(at, move || {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::rename(draft, path).unwrap();
            });
            let result = guard.commit(&Context::background(), transaction);
            let happened = !workspace.path("draft").exists();
            fault::inject(None);
            drop(guard);
            let text = workspace.text(target);
            let kept = |write: &hewto_store::StrandedWrite| workspace.text(write.kept.as_ref().unwrap());
            match result {
                Ok(done) if done.stranded.is_empty() => {
                    let expected = if happened { "by hand" } else { expect_new };
                    assert_eq!(text.as_deref(), Some(expected), "{target} at {at}");
                    outcomes[0] += 1;
                }
                Ok(done) => {
                    assert_eq!(text.as_deref(), Some("by hand"), "{target} at {at}");
                    assert_eq!(kept(&done.stranded[0]).as_deref(), Some(expect_new), "{target} at {at}");
                    outcomes[1] += 1;
                }
                Err(error) => {
                    assert!(
                        matches!(error, CommitError::Changed { .. } | CommitError::Exists { .. }),
                        "{error}"
                    );
                    assert_eq!(text.as_deref(), Some("by hand"), "{target} at {at}");
                    outcomes[2] += 1;
                }
            }
        }
    }
    assert!(outcomes.iter().all(|count| *count > 0), "{outcomes:?}");
}

#[test]
fn a_record_that_cannot_be_read_is_set_aside() {
    let workspace = setting();
    workspace.write(".hewto/journal/pending", "{ half a rec");
    workspace.write(".hewto/journal/0197b4f0-0000-7000-8000-000000000000/0", "text");
    let store = workspace.store();
    drop(store.lock(&Context::background()).unwrap());
    assert_eq!(found(&workspace), Found::Old);
    let stranded = store.stranded().unwrap();
    assert_eq!(stranded.len(), 1);
    assert!(workspace.path(".hewto/journal/0197b4f0-0000-7000-8000-000000000000/0").exists());
    assert!(!workspace.path(".hewto/journal/pending").exists());
}

#[derive(Debug, Clone)]
enum Op {
    Put(usize, String),
    Delete(usize),
}

/// A few files that a random commit touches, some of them in folders that do not exist.
const PATHS: [&str; 6] =
    ["a.md", "b.md", "specs/x/spec.md", "specs/x/plan.md", "specs/y/spec.md", "new/deep/c.md"];

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        4 => (0..PATHS.len(), "[a-z]{0,40}").prop_map(|(path, text)| Op::Put(path, text)),
        1 => (0..PATHS.len()).prop_map(Op::Delete),
    ];
    proptest::collection::vec(op, 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn random_commits_with_random_faults_are_all_or_nothing(
        initial in proptest::collection::vec(proptest::option::of("[a-z]{0,40}"), PATHS.len()),
        ops in ops(),
        at in 0_usize..60,
        lasting in any::<bool>(),
    ) {
        let workspace = Workspace::native();
        for (path, text) in PATHS.iter().zip(&initial) {
            if let Some(text) = text {
                workspace.write(path, text);
            }
        }
        let read = || PATHS.map(|path| workspace.text(path));
        let old = read();
        let mut new = old.clone();
        let mut transaction = Transaction::new();
        let mut used = std::collections::BTreeSet::new();
        for op in ops {
            match op {
                Op::Put(index, text) if used.insert(index) => {
                    transaction.put(file(PATHS[index]), text.as_str(), Expect::Any);
                    new[index] = Some(text);
                }
                Op::Delete(index) if used.insert(index) => {
                    transaction.delete(file(PATHS[index]), Expect::Any);
                    new[index] = None;
                }
                Op::Put(..) | Op::Delete(_) => {}
            }
        }
        let store = workspace.store();
        let context = Context::background();
        let guard = store.lock(&context).unwrap();
        let fault = if lasting { Fault::FailFromHere(EIO) } else { Fault::Fail(EIO) };
        fault::inject(Some(FaultPlan { at, fault }));
        let result = guard.commit(&context, transaction);
        drop(guard);
        fault::inject(None);
        drop(workspace.store().lock(&context).unwrap());
        let now = read();
        match result {
            Ok(_) => prop_assert_eq!(&now, &new),
            Err(CommitError::Unfinished(_)) => prop_assert!(now == old || now == new),
            Err(_) => prop_assert_eq!(&now, &old),
        }
    }
}
