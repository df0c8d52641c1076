//! What looked as if it could lose something, each tried by experiment (docs/trust.md).

use std::os::unix::fs::{MetadataExt as _, symlink};
use std::process::Command;

use hewto_store::fault::{self, Fault, FaultPlan};
use hewto_store::{CommitError, ContentHash, Context, Expect, LocalFolder, Store, Transaction};

use crate::support::{Workspace, context, file, folder};

const EIO: i32 = 5;

fn delete(store: &Store) -> Result<(), CommitError> {
    let mut transaction = Transaction::new();
    transaction.delete(file("a.md"), Expect::Hash(ContentHash::of(b"old")));
    let context = context();
    store.lock(&context).unwrap().commit(&context, transaction).map(drop)
}

/// Between the look at a file and its removal somebody saves it, in place or by renaming another onto it.
#[test]
fn a_file_that_is_saved_while_it_is_being_deleted_is_kept() {
    let setting = || {
        let workspace = Workspace::native();
        workspace.write("a.md", "old");
        workspace
    };
    fault::inject(None);
    delete(&setting().store()).unwrap();
    let (mut refused, calls) = (0, fault::trace().len());
    for at in 0..calls {
        for by_rename in [false, true] {
            let workspace = setting();
            let path = workspace.path("a.md");
            fault::meanwhile(at, move || {
                let draft = path.with_extension("draft");
                if by_rename {
                    std::fs::write(&draft, "by hand").unwrap();
                    std::fs::rename(&draft, &path).unwrap();
                } else {
                    std::fs::write(&path, "by hand").unwrap();
                }
            });
            refused += usize::from(delete(&workspace.store()).is_err());
            fault::inject(None);
            drop(workspace.store().lock(&context()).unwrap());
            assert_eq!(workspace.text("a.md").as_deref(), Some("by hand"), "at {at}, {by_rename}");
        }
    }
    assert!(refused > 5, "{refused}");
}

/// The kernel has one watch for a folder, whatever it is called: every name of it hears of a change, and goes on hearing
/// when another name goes.
#[test]
fn one_folder_under_two_names_is_fresh_under_both() {
    let workspace = Workspace::with(&[(".hewto/config.toml", ""), ("shared/x/spec.md", "# One\n")]);
    std::fs::create_dir(workspace.path("specs")).unwrap();
    for name in ["a", "b"] {
        symlink("../shared/x", workspace.path(&format!("specs/{name}"))).unwrap();
    }
    let store = workspace.store();
    let titles = |store: &Store| -> Vec<(String, String)> {
        let snapshot = store.snapshot(&Context::background()).unwrap();
        snapshot.specs.iter().map(|spec| (spec.id.to_string(), spec.title().to_owned())).collect()
    };
    for title in ["Two", "Three", "Four"] {
        titles(&store);
        workspace.write("shared/x/spec.md", format!("# {title}\n"));
        assert_eq!(titles(&store), titles(&workspace.store()));
        assert!(titles(&store).iter().all(|(_, now)| now == title), "{title}: {:?}", titles(&store));
    }
    std::fs::remove_file(workspace.path("specs/a")).unwrap();
    assert_eq!(titles(&store).len(), 1);
    workspace.write("shared/x/spec.md", "# Five\n");
    assert_eq!(titles(&store), [("b".to_owned(), "Five".to_owned())]);
}

/// Drafts are named at random: threads of one process do not take each other's away.
#[test]
fn threads_that_write_one_file_of_the_machine_at_once_leave_one_of_their_texts_whole() {
    let workspace = Workspace::native();
    let store = workspace.store();
    let key = LocalFolder::Plans.file("x");
    std::thread::scope(|scope| {
        for letter in *b"abcdefgh" {
            let (store, key) = (&store, &key);
            scope.spawn(move || {
                for length in 1..30 {
                    store.machine().write_local(key, &vec![letter; length * 100]).unwrap();
                }
            });
        }
    });
    let text = store.machine().read_local(&key).unwrap().unwrap();
    assert!(text.len() == 2_900 && text.iter().all(|byte| *byte == text[0]));
    assert_eq!(store.machine().local_keys(LocalFolder::Plans).unwrap(), [key]);
}

/// The owner where this process may give files away, the mode everywhere.
#[test]
fn a_replaced_file_belongs_to_whom_it_belonged() {
    let workspace = Workspace::native();
    workspace.write("a.md", "old");
    let path = workspace.path("a.md");
    let is_root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
    if is_root {
        std::os::unix::fs::chown(&path, Some(12_345), Some(12_346)).unwrap();
    }
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o640)).unwrap();
    let before = std::fs::metadata(&path).unwrap();
    let mut transaction = Transaction::new();
    transaction.put(file("a.md"), "new", Expect::Any);
    let context = context();
    workspace.store().lock(&context).unwrap().commit(&context, transaction).unwrap();
    let after = std::fs::metadata(&path).unwrap();
    assert_eq!(workspace.text("a.md").as_deref(), Some("new"));
    let facts = |meta: &std::fs::Metadata| (meta.uid(), meta.gid(), meta.mode());
    assert_eq!(facts(&after), facts(&before));
    assert_eq!(is_root, after.uid() == 12_345);
}

/// A crash at every call of a commit that removes a folder, then a checkout of that folder, then the next writer.
#[test]
fn a_folder_that_is_checked_out_again_after_a_crash_stays() {
    let setting = || {
        let workspace = Workspace::with(&[(".hewto/config.toml", ""), ("pads/gone/note.md", "note\n")]);
        for arguments in [
            &["init", "-q"][..],
            &["add", "pads"],
            &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "pads"],
        ] {
            assert!(
                Command::new("git").args(arguments).current_dir(workspace.root()).status().unwrap().success()
            );
        }
        workspace
    };
    let remove = |store: &Store| {
        let context = context();
        let guard = match store.lock(&context) {
            Ok(guard) => guard,
            Err(error) => return Err(error.to_string()),
        };
        let Some(seen) = guard.manifest(&context, &folder("pads/gone")).unwrap() else { return Ok(()) };
        let mut transaction = Transaction::new();
        transaction.delete_dir(&folder("pads/gone"), seen.hash);
        guard.commit(&context, transaction).map(drop).map_err(|error| error.to_string())
    };
    fault::inject(None);
    remove(&setting().store()).unwrap();
    for at in 0..fault::trace().len() {
        let workspace = setting();
        fault::inject(Some(FaultPlan { at, fault: Fault::FailFromHere(EIO) }));
        let _ = remove(&workspace.store());
        fault::inject(None);
        let was_gone = !workspace.path("pads/gone").exists();
        let checkout = ["checkout", "-q", "--", "pads"];
        assert!(Command::new("git").args(checkout).current_dir(workspace.root()).status().unwrap().success());
        drop(workspace.store().lock(&context()).unwrap());
        if was_gone {
            assert_eq!(workspace.text("pads/gone/note.md").as_deref(), Some("note\n"), "at {at}");
        }
        // Whatever it is, the next write works.
        let _ = remove(&workspace.store());
        drop(workspace.store().lock(&context()).unwrap());
    }
}

/// A commit that somebody came across and that could not be taken back either is an error for whoever called, always.
#[test]
fn nobody_is_told_of_success_while_a_text_of_theirs_is_stranded() {
    let mut met = 0;
    for at in 0..60 {
        for then in at..at + 12 {
            let workspace = Workspace::native();
            workspace.write("a.md", "old");
            let path = workspace.path("a.md");
            let store = workspace.store();
            fault::meanwhile(at, move || std::fs::write(&path, "by hand").unwrap());
            fault::also(FaultPlan { at: then + 1, fault: Fault::Fail(EIO) });
            let context = context();
            let mut transaction = Transaction::new();
            transaction.put(file("a.md"), "new", Expect::Hash(ContentHash::of(b"old")));
            let result = store.lock(&context).map(|guard| guard.commit(&context, transaction));
            fault::inject(None);
            let told = matches!(result, Ok(Ok(_)));
            let Ok(()) = workspace.store().lock(&context).map(drop) else { continue };
            let stranded = workspace.store().machine().journal_remains(&context).unwrap().stranded;
            met += usize::from(!stranded.is_empty());
            assert!(!told || stranded.is_empty(), "at {at}, {then}: {stranded:?}");
            if !told {
                assert_eq!(workspace.text("a.md").as_deref(), Some("by hand"), "at {at}, {then}");
            }
        }
    }
    assert!(met > 0, "it can happen");
}
