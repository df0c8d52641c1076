//! After any fault the files are all old or all new, and what was acknowledged is there.

#![expect(clippy::needless_range_loop, reason = "the index is the moment of the crash")]

use std::os::unix::process::ExitStatusExt as _;

use hewto_store::fault::{self, Fault, FaultPlan};
use hewto_store::{CommitError, Expect, RelPath, Store, Transaction};
use proptest::prelude::*;

use crate::support::{Workspace, child, child_arguments, context, file, id, layout, read};

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
    let context = context();
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
    drop(store.lock(&context()).unwrap());
    assert_eq!(store.stranded(&context()).unwrap(), []);
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
fn a_reader_sees_an_interrupted_commit_whole_and_writes_nothing() {
    let calls = calls_of_a_commit();
    let mut outcomes = [0, 0];
    for at in 0..calls {
        let workspace = setting();
        fault::inject(Some(FaultPlan { at, fault: Fault::FailFromHere(EIO) }));
        let _ = standard_commit(&workspace.store());
        fault::inject(None);
        let store = workspace.store();
        let before = everything(&workspace);
        let seen = seen(&store);
        assert_eq!(everything(&workspace), before, "at {at}: a read has written");
        // Finishing it by a write shows the same.
        drop(store.lock(&context()).unwrap());
        assert_eq!(found(&workspace), seen, "at {at}");
        outcomes[usize::from(seen == Found::New)] += 1;
    }
    assert!(outcomes.iter().all(|count| *count > 5), "{outcomes:?}");
}

/// Which files a workspace has, byte for byte.
fn everything(workspace: &Workspace) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut waiting = vec![workspace.root()];
    while let Some(folder) = waiting.pop() {
        for item in std::fs::read_dir(folder).unwrap() {
            let path = item.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                found.push((path.clone(), std::fs::read(path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// The files of the standard commit as every way of reading shows them.
fn seen(store: &Store) -> Found {
    let texts = OLD.map(|(path, _)| read(store, &file(path)).map(|doc| doc.text));
    let listed = |folder: &str| store.file_names(&context(), &RelPath::parse(folder).unwrap()).unwrap();
    let ids: Vec<String> =
        store.snapshot(&context()).unwrap().specs.iter().map(|spec| spec.id.to_string()).collect();
    let change =
        |name: &str| store.change(&context(), &hewto_core::id::ChangeId::parse(name).unwrap()).unwrap();
    let pads = store.manifest(&context(), &RelPath::parse("pads/gone").unwrap()).unwrap();
    if texts[0].as_deref() == Some("old spec") {
        for ((path, old), text) in OLD.iter().zip(&texts) {
            assert_eq!(text.as_deref(), Some(*old), "{path}");
        }
        assert_eq!(ids, ["a"]);
        assert_eq!(listed("specs/a"), ["plan.md", "spec.md"]);
        assert!(change("x").is_some() && pads.is_some());
        return Found::Old;
    }
    assert_eq!(texts.each_ref().map(Option::as_deref), [Some("new spec"), None, None, None, None]);
    assert_eq!(read(store, &file("changes/archive/x/tasks.md")).unwrap().text, "old tasks");
    assert_eq!(ids, ["a", "b/deep"]);
    assert!(!store.entry(&context(), &id("a")).unwrap().unwrap().has_plan());
    assert!(store.entry(&context(), &id("b/deep")).unwrap().is_some());
    assert_eq!(
        (listed("specs/a"), listed("specs/b/deep")),
        (vec!["spec.md".to_owned()], vec!["spec.md".to_owned()])
    );
    assert_eq!(listed("changes/archive/x"), ["tasks.md"]);
    assert!(change("x").is_none() && pads.is_none());
    Found::New
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
        "recover" => drop(store.lock(&context()).unwrap()),
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
        drop(store.lock(&context()).unwrap());
        assert_eq!(workspace.text("specs/a/spec.md").as_deref(), Some("by hand"), "at {at}");
        let stranded = store.stranded(&context()).unwrap();
        if pending && !touched {
            stranded_somewhere = true;
            assert_eq!(stranded.len(), 1, "at {at}");
            assert_eq!(stranded[0].path.as_str(), "specs/a/spec.md");
            let kept = stranded[0].kept.as_ref().unwrap();
            assert_eq!(workspace.text(kept).as_deref(), Some("new spec"), "at {at}");
            // It stays there until a person has looked at it, and is in nobody's way.
            workspace.write("specs/a/spec.md", "old spec");
            drop(store.lock(&context()).unwrap());
            assert_eq!(store.stranded(&context()).unwrap().len(), 1);
            assert_eq!(workspace.text("specs/a/spec.md").as_deref(), Some("old spec"));
        } else {
            assert_eq!(stranded, [], "at {at}");
        }
    }
    assert!(stranded_somewhere);
}

// @spec store#commits-are-atomic/somebody-edited-the-file-in-between
/// Somebody saves a file by hand while a commit of that file is under way.
#[test]
fn an_edit_in_the_middle_of_a_commit_is_never_lost() {
    let calls = calls_of_a_commit();
    let mut outcomes = [0, 0];
    for (target, expect_new) in [("specs/a/spec.md", "new spec"), ("specs/b/deep/spec.md", "new file")] {
        for at in 0..calls {
            let workspace = setting();
            let path = workspace.path(target);
            let draft = workspace.path("draft");
            std::fs::write(&draft, "by hand").unwrap();
            let store = workspace.store();
            let guard = store.lock(&context()).unwrap();
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
            let result = guard.commit(&context(), transaction);
            let happened = !workspace.path("draft").exists();
            fault::inject(None);
            drop(guard);
            let text = workspace.text(target);
            match result {
                Ok(_) => {
                    let expected = if happened { "by hand" } else { expect_new };
                    assert_eq!(text.as_deref(), Some(expected), "{target} at {at}");
                    outcomes[0] += 1;
                }
                Err(error) => {
                    assert!(
                        matches!(error, CommitError::Changed { .. } | CommitError::Exists { .. }),
                        "{error}"
                    );
                    assert_eq!(text.as_deref(), Some("by hand"), "{target} at {at}");
                    // The loser has changed nothing at all.
                    let (other, old) = match target {
                        "specs/a/spec.md" => ("specs/b/deep/spec.md", None),
                        _ => ("specs/a/spec.md", Some("old spec")),
                    };
                    assert_eq!(workspace.text(other).as_deref(), old, "{target} at {at}");
                    assert!(!workspace.path(".hewto/journal/pending").exists());
                    outcomes[1] += 1;
                }
            }
        }
    }
    assert!(outcomes.iter().all(|count| *count > 0), "{outcomes:?}");
}

#[test]
fn a_record_that_is_not_believed_is_ignored_reported_and_removed_on_request() {
    let workspace = setting();
    let blob = ".hewto/journal/0197b4f0-0000-7000-8000-000000000000/0";
    workspace.write(".hewto/journal/pending", "{ half a rec");
    workspace.write(blob, "text");
    let store = workspace.store();
    drop(store.lock(&context()).unwrap());
    assert_eq!(found(&workspace), Found::Old);
    assert_eq!(store.distrusted(&context()).unwrap().len(), 1);
    assert!(workspace.path(".hewto/journal/pending").exists(), "it stays where it is");
    standard_commit(&store).unwrap();
    assert_eq!(found(&workspace), Found::New, "it is in nobody's way");
    let distrusted = store.distrusted(&context()).unwrap();
    assert!(distrusted[0].0.as_str().starts_with(".hewto/journal/unreadable-"), "{distrusted:?}");
    assert!(workspace.path(blob).exists());
    let guard = store.lock(&context()).unwrap();
    assert_eq!(guard.discard_distrusted(&context()).unwrap().len(), 1);
    drop(guard);
    assert_eq!(store.distrusted(&context()).unwrap(), []);
    assert!(!workspace.path(blob).exists());
}

/// Leaves a commit behind that was interrupted at this call of those after its commit point.
fn interrupted(workspace: &Workspace, after: usize) {
    fault::inject(None);
    standard_commit(&setting().store()).unwrap();
    let point = fault::trace().iter().position(|call| call == "rename pending").unwrap();
    fault::inject(Some(FaultPlan { at: point + after, fault: Fault::FailFromHere(EIO) }));
    assert!(matches!(standard_commit(&workspace.store()), Err(CommitError::Unfinished(_))));
    fault::inject(None);
}

#[test]
fn a_record_of_another_machine_or_one_that_git_tracks_is_never_carried_out() {
    let workspace = setting();
    interrupted(&workspace, 2);
    let stranger = hewto_store::Context::background();
    assert!(!workspace.store().is_interrupted(&stranger), "another key");
    drop(workspace.store().lock(&stranger).unwrap());
    assert_eq!(found(&workspace), Found::Old);
    assert!(workspace.store().is_interrupted(&context()));
    for arguments in [&["init", "-q"][..], &["add", "-f", ".hewto/journal/pending"]] {
        let git = std::process::Command::new("git").args(arguments).current_dir(workspace.root()).status();
        assert!(git.unwrap().success());
    }
    assert_eq!(workspace.store().distrusted(&context()).unwrap()[0].1, hewto_store::Distrust::Tracked);
    drop(workspace.store().lock(&context()).unwrap());
    assert_eq!(found(&workspace), Found::Old);
}

#[test]
fn what_comes_back_after_a_removal_is_not_removed_again() {
    let calls = calls_of_a_commit();
    let mut tried = 0;
    for after in 2..calls {
        let workspace = setting();
        fault::inject(None);
        standard_commit(&setting().store()).unwrap();
        let trace = fault::trace();
        let point = trace.iter().position(|call| call == "rename pending").unwrap();
        if point + after >= trace.len() {
            break;
        }
        fault::inject(Some(FaultPlan { at: point + after, fault: Fault::FailFromHere(EIO) }));
        let _ = standard_commit(&workspace.store());
        fault::inject(None);
        // A checkout brings back what the commit had taken away, byte for byte.
        let removed =
            OLD.iter().filter(|(path, _)| !workspace.path(path).exists() && !path.starts_with("changes"));
        let restored: Vec<_> = removed.collect();
        for (path, text) in &restored {
            workspace.write(path, text);
        }
        let store = workspace.store();
        drop(store.lock(&context()).unwrap());
        for (path, text) in restored {
            tried += 1;
            assert_eq!(
                workspace.text(path).as_deref(),
                Some(*text),
                "{path}, {after} calls after the commit point"
            );
        }
    }
    assert!(tried > 3, "{tried}");
}

#[test]
fn a_commit_that_fails_for_good_after_its_commit_point_is_taken_back_whole() {
    fault::inject(None);
    standard_commit(&setting().store()).unwrap();
    let trace = fault::trace();
    let point = trace.iter().position(|call| call == "rename pending").unwrap();
    let close = trace.iter().position(|call| call == "rename last").unwrap();
    for at in point + 2..close {
        let workspace = setting();
        let store = workspace.store();
        fault::inject(Some(FaultPlan { at, fault: Fault::Fail(13) }));
        let result = standard_commit(&store);
        fault::inject(None);
        match result {
            Err(CommitError::File(error)) => {
                assert_eq!(found(&workspace), Found::Old, "at {at}, {}: {error}", trace[at]);
                assert!(!workspace.path("specs/b").exists(), "at {at}: a folder was left");
            }
            // A journal that cannot be synced leaves it to the next one.
            Err(CommitError::Unfinished(_)) | Ok(()) => {}
            Err(error) => panic!("{error}"),
        }
        assert!(store.lock(&context()).is_ok(), "at {at}, {}", trace[at]);
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
        for at in point + 1..calls.len() {
            let workspace = setting();
            fault::inject_two(
                FaultPlan { at: point, fault: Fault::Fail(EXDEV) },
                FaultPlan { at, fault: Fault::FailFromHere(EIO) },
            );
            let result = standard_commit(&workspace.store());
            fault::inject(None);
            let recovered = recovered(&workspace);
            assert!(result.is_err() || recovered == Found::New, "{what}, {}", calls[at]);
        }
    }
}

#[test]
fn every_file_that_was_read_for_a_decision_is_a_precondition_of_the_commit() {
    let decide = |store: &Store| {
        let guard = store.lock(&context()).unwrap();
        let seen = guard.read(&file("changes/x/tasks.md")).unwrap().unwrap();
        let mut transaction = Transaction::new();
        transaction
            .require(file("changes/x/tasks.md"), Expect::Hash(seen.hash))
            .require(file("changes/x/late.md"), Expect::Absent)
            .put(file("specs/a/spec.md"), "new spec", Expect::Any)
            .move_dir(RelPath::parse("changes/x").unwrap(), RelPath::parse("changes/archive/x").unwrap());
        guard.commit(&context(), transaction)
    };
    fault::inject(None);
    decide(&setting().store()).unwrap();
    let trace = fault::trace();
    let close = trace.iter().position(|call| call == "rename last").unwrap();
    let moved = trace.iter().position(|call| call == "rename x").unwrap();
    for late in ["changes/x/tasks.md", "changes/x/late.md"] {
        for at in 4..close {
            let workspace = setting();
            let folder = if at > moved { "changes/archive/x" } else { "changes/x" };
            let path = workspace.path(&late.replace("changes/x", folder));
            fault::meanwhile(at, move || std::fs::write(path, "saved meanwhile").unwrap());
            let result = decide(&workspace.store());
            fault::inject(None);
            let error = result.expect_err(&trace[at]);
            assert!(matches!(error, CommitError::Changed { .. } | CommitError::Exists { .. }), "{error}");
            assert_eq!(workspace.text("specs/a/spec.md").as_deref(), Some("old spec"), "{}", trace[at]);
            assert_eq!(workspace.text(late).as_deref(), Some("saved meanwhile"), "{}", trace[at]);
        }
    }
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

    // @spec store#commits-are-atomic/killed-in-the-middle
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
        let context = context();
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
