//! After any fault the files are all old or all new, and what was acknowledged is there.

mod again;
mod alone;
mod death;
mod faults;
mod others;
mod random;
mod readers;
mod records;

use hewto_store::fault;
use hewto_store::{CommitError, Expect, Store, Transaction, WriteGuard};

use crate::support::{Workspace, context, file, folder};

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
    commit_under(&guard)
}

fn commit_under(guard: &WriteGuard) -> Result<(), CommitError> {
    let context = context();
    let pad = folder("pads/gone");
    let seen = guard.manifest(&context, &pad).unwrap().unwrap();
    let mut transaction = Transaction::new();
    transaction
        .delete_dir(&pad, seen.hash)
        .put(file("specs/a/spec.md"), "new spec", Expect::Any)
        .put(file("specs/b/deep/spec.md"), "new file", Expect::Absent)
        .delete(file("specs/a/plan.md"), Expect::Any)
        .move_dir(&folder("changes/x"), &folder("changes/archive/x"));
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
    assert_eq!(store.machine().journal_remains(&context()).unwrap().stranded, []);
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
