//! What people and other programs do in the middle of a commit, or after it was interrupted, is theirs.

use hewto_store::fault::{self, Fault, FaultPlan};
use hewto_store::{CommitError, Expect, Store, Transaction};

use super::{EIO, OLD, calls_of_a_commit, setting, standard_commit};
use crate::support::{context, file, folder};

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
        let stranded = store.machine().journal_remains(&context()).unwrap().stranded;
        if pending && !touched {
            stranded_somewhere = true;
            assert_eq!(stranded.len(), 1, "at {at}");
            assert_eq!(stranded[0].path.as_str(), "specs/a/spec.md");
            let kept = stranded[0].kept.as_ref().unwrap();
            assert_eq!(workspace.text(kept).as_deref(), Some("new spec"), "at {at}");
            // It stays there until a person has looked at it, and is in nobody's way.
            workspace.write("specs/a/spec.md", "old spec");
            drop(store.lock(&context()).unwrap());
            assert_eq!(store.machine().journal_remains(&context()).unwrap().stranded.len(), 1);
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
            let seen = guard.read(&context(), &file("specs/a/spec.md")).unwrap().unwrap();
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
fn every_file_that_was_read_for_a_decision_is_a_precondition_of_the_commit() {
    let decide = |store: &Store| {
        let guard = store.lock(&context()).unwrap();
        let seen = guard.read(&context(), &file("changes/x/tasks.md")).unwrap().unwrap();
        let mut transaction = Transaction::new();
        transaction
            .require(file("changes/x/tasks.md"), Expect::Hash(seen.hash))
            .require(file("changes/x/late.md"), Expect::Absent)
            .put(file("specs/a/spec.md"), "new spec", Expect::Any)
            .move_dir(&folder("changes/x"), &folder("changes/archive/x"));
        guard.commit(&context(), transaction)
    };
    fault::inject(None);
    decide(&setting().store()).unwrap();
    let trace = fault::trace();
    let close = trace.iter().position(|call| call == "rename last").unwrap();
    let moved = trace.iter().position(|call| call == "rename x").unwrap();
    // Until the lock is held nothing has been read.
    let locked = trace.iter().position(|call| call == "overwrite lock").unwrap();
    for late in ["changes/x/tasks.md", "changes/x/late.md"] {
        for (at, call) in trace.iter().enumerate().take(close).skip(locked + 1) {
            let workspace = setting();
            let folder = if at > moved { "changes/archive/x" } else { "changes/x" };
            let path = workspace.path(&late.replace("changes/x", folder));
            fault::meanwhile(at, move || std::fs::write(path, "saved meanwhile").unwrap());
            let result = decide(&workspace.store());
            fault::inject(None);
            let error = result.expect_err(call);
            assert!(matches!(error, CommitError::Changed { .. } | CommitError::Exists { .. }), "{error}");
            assert_eq!(workspace.text("specs/a/spec.md").as_deref(), Some("old spec"), "{call}");
            assert_eq!(workspace.text(late).as_deref(), Some("saved meanwhile"), "{call}");
        }
    }
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
