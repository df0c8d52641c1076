//! Folders that go and come back while somebody looks, links that lead nowhere at first, and a root that is renamed.

use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use hewto_store::{Context, Store};

use crate::support::Workspace;

fn ids(store: &Store) -> Vec<String> {
    store.snapshot(&Context::background()).unwrap().specs.iter().map(|spec| spec.id.to_string()).collect()
}

fn workspace(count: usize) -> Workspace {
    let workspace = Workspace::native();
    for number in 0..count {
        workspace.write(&format!("specs/s{number:03}/n/spec.md"), format!("# {number}\n"));
    }
    workspace
}

#[test]
fn folders_that_come_and_go_during_a_pass_are_all_there_when_it_is_quiet() {
    let workspace = workspace(40);
    std::fs::create_dir(workspace.path("away")).unwrap();
    let store = workspace.store();
    for _ in 0..3 {
        assert_eq!(ids(&store).len(), 40);
    }
    for round in 0..60 {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut at = round * 7;
                while !stop.load(Ordering::Relaxed) {
                    at = (at * 31 + 11) % 40;
                    let [here, away] =
                        ["specs", "away"].map(|folder| workspace.path(&format!("{folder}/s{at:03}")));
                    std::fs::rename(&here, &away).unwrap();
                    std::fs::rename(&away, &here).unwrap();
                }
            });
            for _ in 0..10 {
                ids(&store);
            }
            stop.store(true, Ordering::Relaxed);
        });
        let listed = ids(&store);
        assert_eq!(listed, ids(&workspace.store()), "round {round}");
        assert_eq!(listed.len(), 40, "round {round}");
    }
}

#[test]
fn a_link_whose_target_comes_later_is_listed_then() {
    let workspace = workspace(1);
    symlink("../shared/b", workspace.path("specs/b")).unwrap();
    let store = workspace.store();
    for _ in 0..3 {
        assert_eq!(ids(&store), ["s000/n"]);
    }
    workspace.write("shared/b/spec.md", "# B\n");
    assert_eq!(ids(&store), ["b", "s000/n"]);
    std::fs::remove_dir_all(workspace.path("shared")).unwrap();
    assert_eq!(ids(&store), ["s000/n"]);
    workspace.write("shared/b/spec.md", "# B\n");
    assert_eq!(ids(&store), ["b", "s000/n"]);
}

#[test]
fn a_workspace_that_was_renamed_is_still_watched() {
    let outer = Workspace::with(&[("ws/.hewto/config.toml", ""), ("ws/specs/a/spec.md", "# one\n")]);
    let store = Store::open(crate::support::layout(&outer.path("ws"))).unwrap();
    let titles = || -> Vec<String> {
        let snapshot = store.snapshot(&Context::background()).unwrap();
        snapshot.specs.iter().map(|spec| spec.title().to_owned()).collect()
    };
    for _ in 0..3 {
        assert_eq!(titles(), ["one"]);
    }
    std::fs::rename(outer.path("ws"), outer.path("moved")).unwrap();
    assert_eq!(titles(), ["one"]);
    outer.write("moved/specs/b/spec.md", "# first\n");
    assert_eq!(titles(), ["one", "first"]);
    outer.write("moved/specs/b/spec.md", "# SECOND\n");
    assert_eq!(titles(), ["one", "SECOND"]);
}
