//! Whoever only reads sees an interrupted commit whole, and leaves it as it is.

use hewto_store::Store;
use hewto_store::fault::{self, Fault, FaultPlan};

use super::{EIO, Found, OLD, calls_of_a_commit, found, setting, standard_commit};
use crate::support::{Workspace, context, file, folder, id, read};

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
    let listed = |path: &str| store.file_names(&context(), &folder(path)).unwrap();
    let ids: Vec<String> =
        store.snapshot(&context()).unwrap().specs.iter().map(|spec| spec.id.to_string()).collect();
    let change =
        |name: &str| store.change(&context(), &hewto_core::id::ChangeId::parse(name).unwrap()).unwrap();
    let pads = store.manifest(&context(), &folder("pads/gone")).unwrap();
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
