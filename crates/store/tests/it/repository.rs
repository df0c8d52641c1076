//! A git repository that is no workspace: its git folder keeps lock and journal, its work tree only artifacts.

use hewto_store::fault::{self, Fault, FaultPlan};
use hewto_store::{CommitError, Expect, Layout, Store, Transaction, discover_repository};

use crate::support::{Workspace, context, file};

/// A main work tree and a linked one, as git makes them.
fn repository() -> Workspace {
    let place = Workspace::with(&[
        ("main/.git/HEAD", ""),
        ("main/.git/objects/x", ""),
        ("main/.git/worktrees/feature/HEAD", ""),
        ("main/.git/worktrees/feature/commondir", "../.."),
    ]);
    place.write("feature/.git", "gitdir: ../main/.git/worktrees/feature\n");
    let back = place.path("feature/.git").display().to_string();
    place.write("main/.git/worktrees/feature/gitdir", format!("{back}\n"));
    place
}

fn layout(place: &Workspace, tree: &str) -> Layout {
    discover_repository(&place.path(tree)).unwrap()
}

fn commit(store: &Store) -> Result<(), CommitError> {
    let context = context();
    let guard = store.lock(&context).unwrap();
    let mut transaction = Transaction::new();
    transaction.put(file("docs/a.md"), "a", Expect::Absent).put(file("docs/adr/b.md"), "b", Expect::Absent);
    guard.commit(&context, transaction).map(drop)
}

fn names(place: &Workspace, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(place.path(folder)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_commit_leaves_nothing_but_artifacts_in_the_work_tree() {
    let place = repository();
    for (tree, state) in [("main", "main/.git/hewto"), ("feature", "main/.git/hewto/worktrees/feature")] {
        let store = Store::open_scanning(layout(&place, tree)).unwrap();
        commit(&store).unwrap();
        assert_eq!(names(&place, tree), [".git", "docs"], "{tree}");
        assert_eq!(place.text(&format!("{tree}/docs/adr/b.md")).as_deref(), Some("b"));
        assert!(place.path(&format!("{state}/lock")).exists());
        assert_eq!(names(&place, &format!("{state}/journal")), ["last"]);
    }
}

#[test]
fn an_interrupted_commit_of_a_linked_work_tree_is_finished_in_that_work_tree() {
    let place = repository();
    fault::inject(None);
    let dry_run = repository();
    commit(&Store::open_scanning(layout(&dry_run, "feature")).unwrap()).unwrap();
    let calls = fault::trace();
    let commit_point = calls.iter().position(|call| call == "rename pending").unwrap();

    fault::inject(Some(FaultPlan { at: commit_point + 2, fault: Fault::FailFromHere(5) }));
    let error = commit(&Store::open_scanning(layout(&place, "feature")).unwrap()).unwrap_err();
    assert!(matches!(error, CommitError::Unfinished(_)), "{error}");
    fault::inject(None);
    assert_eq!(place.text("feature/docs/adr/b.md"), None);

    // The other work tree knows nothing of it; the next call on this one finishes it.
    let main = Store::open_scanning(layout(&place, "main")).unwrap();
    drop(main.lock(&context()).unwrap());
    assert!(!place.path("main/docs").exists());
    let feature = Store::open_scanning(layout(&place, "feature")).unwrap();
    let doc = feature.read(&context(), &file("docs/adr/b.md")).unwrap().unwrap();
    assert_eq!(doc.text, "b");
    assert_eq!(place.text("feature/docs/a.md"), None, "a read finishes nothing");
    drop(feature.lock(&context()).unwrap());
    assert_eq!(place.text("feature/docs/a.md").as_deref(), Some("a"));
}
