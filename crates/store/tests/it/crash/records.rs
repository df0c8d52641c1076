//! Records that are not believed.

use hewto_store::CommitError;
use hewto_store::fault::{self, Fault, FaultPlan};

use super::{EIO, Found, found, setting, standard_commit};
use crate::support::{Workspace, context};

#[test]
fn a_record_that_is_not_believed_is_ignored_reported_and_removed_on_request() {
    let workspace = setting();
    let blob = ".hewto/journal/0197b4f0-0000-7000-8000-000000000000/0";
    workspace.write(".hewto/journal/pending", "{ half a rec");
    workspace.write(blob, "text");
    let store = workspace.store();
    drop(store.lock(&context()).unwrap());
    assert_eq!(found(&workspace), Found::Old);
    assert_eq!(store.machine().journal_remains(&context()).unwrap().distrusted.len(), 1);
    assert!(workspace.path(".hewto/journal/pending").exists(), "it stays where it is");
    standard_commit(&store).unwrap();
    assert_eq!(found(&workspace), Found::New, "it is in nobody's way");
    let distrusted = store.machine().journal_remains(&context()).unwrap().distrusted;
    assert!(distrusted[0].0.as_str().starts_with(".hewto/journal/unreadable-"), "{distrusted:?}");
    assert!(workspace.path(blob).exists());
    let guard = store.lock(&context()).unwrap();
    assert_eq!(guard.tidy_journal(&context()).unwrap().0.len(), 1);
    drop(guard);
    assert_eq!(store.machine().journal_remains(&context()).unwrap().distrusted, []);
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
    assert!(!workspace.store().machine().is_interrupted(&stranger), "another key");
    drop(workspace.store().lock(&stranger).unwrap());
    assert_eq!(found(&workspace), Found::Old);
    assert!(workspace.store().machine().is_interrupted(&context()));
    for arguments in [&["init", "-q"][..], &["add", "-f", ".hewto/journal/pending"]] {
        let git = std::process::Command::new("git").args(arguments).current_dir(workspace.root()).status();
        assert!(git.unwrap().success());
    }
    assert_eq!(
        workspace.store().machine().journal_remains(&context()).unwrap().distrusted[0].1,
        hewto_store::Distrust::Tracked
    );
    drop(workspace.store().lock(&context()).unwrap());
    assert_eq!(found(&workspace), Found::Old);
}
