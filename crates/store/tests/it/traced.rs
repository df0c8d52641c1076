//! Traces: what one process wrote down of the folders tells another that nothing has changed, and never that something has not.

use std::fs;

use hewto_store::{Context, Store};

use crate::support::Workspace;

/// A workspace of a few specs, one of them inside another's folder.
fn workspace() -> Workspace {
    Workspace::with(&[
        (".hewto/config.toml", ""),
        ("specs/a/spec.md", "# A\n"),
        ("specs/a/inner/spec.md", "# Inner\n"),
        ("specs/b/spec.md", "# B\n"),
        ("specs/b/plan.md", "# Plan\n"),
        ("specs/c/notes.md", "# Notes\n"),
    ])
}

/// What the folders look like, once they are old enough for that to prove anything.
fn trace(store: &Store) -> Vec<u8> {
    let context = Context::background();
    loop {
        let snapshot = store.snapshot(&context).unwrap();
        if let Some(trace) = store.trace(&context, &snapshot).unwrap() {
            return trace;
        }
    }
}

fn holds(workspace: &Workspace, trace: &[u8]) -> bool {
    workspace.store().is_as_traced(&Context::background(), trace).unwrap()
}

#[test]
fn every_change_of_specs_and_plans_is_told_from_none() {
    type Change = fn(&Workspace);
    let changes: [(&str, Change); 12] = [
        ("a text of the same length", |w| w.write("specs/a/spec.md", "# Z\n")),
        ("a spec that was replaced", |w| {
            w.write("specs/new.md", "# A\n");
            fs::rename(w.path("specs/new.md"), w.path("specs/a/spec.md")).unwrap();
        }),
        ("a new spec", |w| w.write("specs/d/spec.md", "# D\n")),
        ("a spec in a folder that had none", |w| w.write("specs/c/spec.md", "# C\n")),
        ("a spec inside another's folder", |w| w.write("specs/b/deep/spec.md", "# Deep\n")),
        ("a spec inside the inner one's", |w| w.write("specs/a/inner/deep/spec.md", "# Deep\n")),
        ("a new plan", |w| w.write("specs/a/plan.md", "# Plan\n")),
        ("another plan", |w| w.write("specs/b/plan.md", "# Other\n")),
        ("a plan that is gone", |w| fs::remove_file(w.path("specs/b/plan.md")).unwrap()),
        ("a spec that is gone", |w| fs::remove_dir_all(w.path("specs/a/inner")).unwrap()),
        ("a folder of another name", |w| fs::rename(w.path("specs/a"), w.path("specs/z")).unwrap()),
        ("a link in the place of a spec", |w| {
            fs::rename(w.path("specs/a/spec.md"), w.path("a.md")).unwrap();
            std::os::unix::fs::symlink("../../a.md", w.path("specs/a/spec.md")).unwrap();
        }),
    ];
    for (name, change) in changes {
        let workspace = workspace();
        let trace = trace(&workspace.store());
        assert!(holds(&workspace, &trace), "before: {name}");
        change(&workspace);
        assert!(!holds(&workspace, &trace), "{name}");
    }
}

#[test]
fn what_watches_told_of_is_traced_too() {
    let workspace = workspace();
    let store = workspace.store();
    for n in 0..4 {
        trace(&store);
        workspace.write("specs/a/spec.md", format!("# A{n}\n"));
        workspace.write(&format!("specs/n{n}/spec.md"), "# New\n");
    }
    let traced = trace(&store);
    assert!(holds(&workspace, &traced));
    workspace.write("specs/n3/inner/spec.md", "# Inner\n");
    assert!(!holds(&workspace, &traced));
}

#[test]
fn flat_roots_are_traced_by_their_files() {
    let workspace = Workspace::with(&[
        ("openspec/specs/a/spec.md", "# A\n"),
        ("openspec/specs/b/spec.md", "# B\n"),
        ("openspec/changes/archive/x.md", ""),
    ]);
    let traced = trace(&workspace.store());
    assert!(holds(&workspace, &traced));
    workspace.write("openspec/specs/a/plan.md", "# Plan\n");
    assert!(!holds(&workspace, &traced), "a plan beside a spec");
}

#[test]
fn links_leave_no_trace_and_torn_traces_hold_for_nothing() {
    let workspace = workspace();
    let traced = trace(&workspace.store());
    for length in 0..traced.len() {
        assert!(!holds(&workspace, &traced[..length]), "cut at {length}");
    }
    assert!(!holds(&workspace, &[&traced[..], &[0]].concat()));
    workspace.write("elsewhere/spec.md", "# E\n");
    std::os::unix::fs::symlink("../elsewhere", workspace.path("specs/linked")).unwrap();
    let (store, context) = (workspace.store(), Context::background());
    let snapshot = store.snapshot(&context).unwrap();
    assert_eq!(store.trace(&context, &snapshot).unwrap(), None);
}
