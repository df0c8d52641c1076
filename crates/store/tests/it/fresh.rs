//! A call that starts after an edit has finished sees it, by watches and by scans.

mod any_edits;

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use hewto_core::interrupt::Interrupted;
use hewto_core::lifecycle::Lifecycle;
use hewto_store::{Context, ReadError, Snapshot, StateRead, Store};

use crate::support::{Workspace, id};

const STATE: &str = "spec_id: a\nlifecycle: active\nphase: build\nbuild_progress:\n  percentage: 60\n  \
                     current_step: null\n  notes: null\nupdated_at: \"2026-01-24T14:30:00Z\"\n";

/// Watched from the second call on, and scanned on every call.
fn both(workspace: &Workspace) -> [Store; 2] {
    let stores = [workspace.store(), Store::open_scanning(workspace.layout()).unwrap()];
    for store in &stores {
        snapshot(store);
        snapshot(store);
    }
    stores
}

fn snapshot(store: &Store) -> Arc<Snapshot> {
    store.snapshot(&Context::background()).unwrap()
}

fn ids(store: &Store) -> Vec<String> {
    snapshot(store).specs.iter().map(|entry| entry.id.to_string()).collect()
}

fn title(store: &Store, spec: &str) -> Option<String> {
    let by_list = snapshot(store).get(&id(spec)).map(|entry| entry.title().to_owned());
    let by_name = store.entry(&Context::background(), &id(spec)).unwrap();
    assert_eq!(by_list.as_deref(), by_name.as_deref().map(hewto_store::SpecEntry::title));
    by_list
}

#[test]
fn a_summary_has_head_state_and_plan() {
    let workspace = Workspace::with(&[
        (".hewto/config.toml", ""),
        ("specs/a/spec.md", "---\ntitle: A title\ncategory: bugfix\n---\n\n# Heading\n"),
        ("specs/a/state.toon", STATE),
        ("specs/b/c/spec.md", "# Nested\n"),
        ("specs/b/c/plan.md", "# Plan\n"),
        ("specs/not-a-spec/readme.md", ""),
        ("specs/.git/x/spec.md", "# hidden\n"),
    ]);
    let store = workspace.store();
    assert_eq!(ids(&store), ["a", "b/c"]);
    let snapshot = snapshot(&store);
    let [a, nested] = snapshot.specs.as_slice() else { panic!() };
    assert_eq!(a.title(), "A title");
    assert!(matches!(&a.state, StateRead::Valid(state) if state.lifecycle == Lifecycle::Active));
    assert!(!a.has_plan());
    assert_eq!(nested.folder.as_str(), "specs/b/c");
    assert_eq!(nested.state, StateRead::Absent);
    assert!(nested.has_plan());
}

#[test]
fn every_kind_of_edit_is_seen_by_the_next_call() {
    let workspace = Workspace::with(&[(".hewto/config.toml", ""), ("specs/a/spec.md", "# One\n")]);
    for store in both(&workspace) {
        workspace.write("specs/a/spec.md", "# One\n");
        assert_eq!(title(&store, "a").as_deref(), Some("One"));
        // The same length, in the same instant.
        workspace.write("specs/a/spec.md", "# Two\n");
        assert_eq!(title(&store, "a").as_deref(), Some("Two"));
        workspace.write("specs/a/new.tmp", "# Three\n");
        std::fs::rename(workspace.path("specs/a/new.tmp"), workspace.path("specs/a/spec.md")).unwrap();
        assert_eq!(title(&store, "a").as_deref(), Some("Three"));
        workspace.write("specs/a/plan.md", "");
        assert!(snapshot(&store).specs[0].has_plan());
        std::fs::remove_file(workspace.path("specs/a/plan.md")).unwrap();
        assert!(!snapshot(&store).specs[0].has_plan());
        workspace.write("specs/a/state.toon", STATE);
        assert!(matches!(snapshot(&store).specs[0].state, StateRead::Valid(_)));
        workspace.write("specs/a/state.toon", "half");
        assert!(matches!(snapshot(&store).specs[0].state, StateRead::Broken(_)));
        std::fs::remove_file(workspace.path("specs/a/state.toon")).unwrap();
        assert_eq!(snapshot(&store).specs[0].state, StateRead::Absent);
        workspace.write("specs/b/c/d/spec.md", "# Deep\n");
        assert_eq!(ids(&store), ["a", "b/c/d"]);
        workspace.write("specs/b/spec.md", "# Above\n");
        assert_eq!(ids(&store), ["a", "b", "b/c/d"]);
        std::fs::rename(workspace.path("specs/b"), workspace.path("specs/z")).unwrap();
        assert_eq!(ids(&store), ["a", "z", "z/c/d"]);
        workspace.write("specs/z/c/d/spec.md", "# Moved\n");
        assert_eq!(title(&store, "z/c/d").as_deref(), Some("Moved"));
        std::fs::remove_dir_all(workspace.path("specs/z")).unwrap();
        workspace.write("specs/z/spec.md", "# Again\n");
        assert_eq!(title(&store, "z").as_deref(), Some("Again"));
        std::fs::remove_dir_all(workspace.path("specs/z")).unwrap();
        assert_eq!(ids(&store), ["a"]);
    }
}

#[test]
fn nothing_new_is_the_same_snapshot() {
    let workspace = Workspace::with(&[(".hewto/config.toml", ""), ("specs/a/spec.md", "# A\n")]);
    for store in both(&workspace) {
        // Long enough ago that no second edit can hide behind the stamp.
        let first = snapshot(&store);
        workspace.write("specs/a/notes.txt", "not a document");
        let second = snapshot(&store);
        assert_eq!(first.generation, second.generation);
        assert!(Arc::ptr_eq(&first, &second));
        workspace.write("specs/a/spec.md", "# A\nbody\n");
        let third = snapshot(&store);
        assert!(third.generation > second.generation);
        let entry = |snapshot: &Snapshot| snapshot.get(&id("a")).map(Arc::as_ptr);
        assert!(entry(&third).is_some() && entry(&third) != entry(&second));
        std::fs::remove_file(workspace.path("specs/a/spec.md")).unwrap();
        assert_eq!(entry(&snapshot(&store)), None);
        workspace.write("specs/a/spec.md", "# A\n");
    }
}

#[test]
fn a_whole_root_may_go_and_come_back() {
    let workspace = Workspace::with(&[(".hewto/config.toml", ""), ("specs/a/spec.md", "# A\n")]);
    for store in both(&workspace) {
        std::fs::rename(workspace.path("specs"), workspace.path("elsewhere")).unwrap();
        let gone = snapshot(&store);
        assert!(gone.specs.is_empty());
        assert_eq!(gone.findings[0].code, "spec-root-missing");
        workspace.write("specs/b/spec.md", "# B\n");
        assert_eq!(ids(&store), ["b"]);
        assert!(snapshot(&store).findings.is_empty());
        workspace.write("specs/b/spec.md", "# C\n");
        assert_eq!(title(&store, "b").as_deref(), Some("C"));
        std::fs::remove_dir_all(workspace.path("specs")).unwrap();
        std::fs::rename(workspace.path("elsewhere"), workspace.path("specs")).unwrap();
        assert_eq!(ids(&store), ["a"]);
    }
}

#[test]
fn a_flat_layout_looks_one_level_deep() {
    let workspace = Workspace::with(&[
        (".spox/config.toml", ""),
        ("specs/a/spec.md", "# A\n"),
        ("specs/a/b/spec.md", "# too deep\n"),
        ("specs/_changes/c/spec.md", "# a change\n"),
        ("specs/_draft/spec.md", "# hidden\n"),
        ("specs/mission.md", ""),
    ]);
    for store in both(&workspace) {
        assert_eq!(ids(&store), ["a"]);
        assert!(store.entry(&Context::background(), &id("a/b")).unwrap().is_none());
        assert!(store.entry(&Context::background(), &id("_draft")).unwrap().is_none());
        workspace.write("specs/n/spec.md", "# N\n");
        assert_eq!(ids(&store), ["a", "n"]);
        std::fs::remove_dir_all(workspace.path("specs/n")).unwrap();
    }
}

#[test]
fn what_cannot_be_read_hides_neither_itself_nor_its_neighbours() {
    let workspace = Workspace::with(&[
        (".hewto/config.toml", ""),
        ("specs/broken-yaml/spec.md", "---\ntitle: [\n---\n# T\n"),
        ("specs/fine/spec.md", "# Fine\n"),
        ("specs/Odd Name/spec.md", "# Odd\n"),
    ]);
    workspace.write("specs/latin/spec.md", b"# Gr\xfc\xdfe\n");
    workspace.write("specs/latin/state.toon", b"\xff");
    std::fs::create_dir_all(workspace.path("specs/folder/spec.md")).unwrap();
    std::fs::create_dir_all(workspace.root().join("specs").join(std::ffi::OsStr::from_bytes(b"b\xffd")))
        .unwrap();
    let outside = Workspace::with(&[("secret.md", "# Secret\n")]);
    std::fs::create_dir_all(workspace.path("specs/leak")).unwrap();
    symlink(outside.path("secret.md"), workspace.path("specs/leak/spec.md")).unwrap();
    for store in both(&workspace) {
        assert_eq!(ids(&store), ["Odd Name", "broken-yaml", "fine", "folder", "latin", "leak"]);
        let codes = |spec: &str| -> Vec<&str> {
            let entry = snapshot(&store).get(&id(spec)).cloned().unwrap();
            entry.findings().iter().map(|finding| finding.code).collect()
        };
        assert_eq!(codes("fine"), Vec::<&str>::new());
        assert_eq!(codes("Odd Name"), ["id-style"]);
        assert_eq!(codes("latin"), ["file-unreadable", "file-unreadable"]);
        assert_eq!(codes("folder"), ["file-unreadable"]);
        assert_eq!(codes("leak"), ["file-unreadable"]);
        assert!(!codes("broken-yaml").is_empty());
        assert_eq!(title(&store, "leak").as_deref(), Some("leak"));
        let snapshot = snapshot(&store);
        assert_eq!(snapshot.findings.len(), 1);
        assert_eq!(snapshot.findings[0].code, "id-style");
    }
}

#[test]
fn a_folder_whose_name_can_be_no_id_is_reported_while_it_is_there() {
    let workspace = Workspace::with(&[(".hewto/config.toml", ""), ("specs/a/spec.md", "# A\n")]);
    for store in both(&workspace) {
        let before = snapshot(&store);
        assert!(before.findings.is_empty());
        workspace.write("specs/back\\slash/spec.md", "# B\n");
        let after = snapshot(&store);
        assert_eq!(after.findings[0].file, "specs/back\\slash");
        assert!(after.generation > before.generation);
        std::fs::remove_dir_all(workspace.path("specs/back\\slash")).unwrap();
        assert!(snapshot(&store).findings.is_empty());
        assert_eq!(ids(&store), ["a"]);
    }
}

#[test]
fn links_inside_are_followed_once_and_links_outside_are_not() {
    let outside = Workspace::with(&[("x/spec.md", "# Outside\n")]);
    let workspace = Workspace::with(&[
        (".hewto/config.toml", ""),
        ("specs/a/spec.md", "# A\n"),
        ("specs/a/b/spec.md", "# B\n"),
        ("docs/real.md", "# Real\n"),
        ("specs/file/other.md", ""),
    ]);
    symlink("../a", workspace.path("specs/a/loop")).unwrap();
    symlink("a", workspace.path("specs/twin")).unwrap();
    symlink(outside.path("x"), workspace.path("specs/out")).unwrap();
    symlink("../../docs/real.md", workspace.path("specs/file/spec.md")).unwrap();
    for store in both(&workspace) {
        assert_eq!(ids(&store), ["a", "a/b", "a/loop", "file", "twin"]);
        // Edits behind a link leave no trace beside the link.
        workspace.write("docs/real.md", "# Changed\n");
        assert_eq!(title(&store, "file").as_deref(), Some("Changed"));
        workspace.write("specs/a/spec.md", "# A2\n");
        assert_eq!(title(&store, "twin").as_deref(), Some("A2"));
        workspace.write("docs/real.md", "# Real\n");
        workspace.write("specs/a/spec.md", "# A\n");
    }
}

#[test]
fn a_hard_link_is_looked_at_every_time() {
    let workspace = Workspace::with(&[(".hewto/config.toml", ""), ("docs/real.md", "# Real\n")]);
    std::fs::create_dir_all(workspace.path("specs/a")).unwrap();
    std::fs::hard_link(workspace.path("docs/real.md"), workspace.path("specs/a/spec.md")).unwrap();
    for store in both(&workspace) {
        workspace.write("docs/real.md", "# Changed\n");
        assert_eq!(title(&store, "a").as_deref(), Some("Changed"));
        workspace.write("docs/real.md", "# Real\n");
        assert_eq!(title(&store, "a").as_deref(), Some("Real"));
    }
}

#[test]
fn an_id_in_two_roots_counts_in_the_first_and_is_reported() {
    let workspace = Workspace::with(&[
        (".airsspec/config.toml", ""),
        (".airsspec/specs/a/spec.md", "# First\n"),
        ("openspec/specs/a/spec.md", "# Second\n"),
    ]);
    for store in both(&workspace) {
        assert_eq!(ids(&store), ["a"]);
        assert_eq!(title(&store, "a").as_deref(), Some("First"));
        let snapshot = snapshot(&store);
        assert_eq!(
            (snapshot.findings[0].code, snapshot.findings[0].file.as_str()),
            ("id-duplicate", "openspec/specs/a")
        );
        std::fs::remove_file(workspace.path(".airsspec/specs/a/spec.md")).unwrap();
        assert_eq!(title(&store, "a").as_deref(), Some("Second"));
        workspace.write(".airsspec/specs/a/spec.md", "# First\n");
        assert_eq!(title(&store, "a").as_deref(), Some("First"));
    }
}

#[test]
fn an_interrupted_scan_is_made_up_for() {
    let workspace = Workspace::with(&[(".hewto/config.toml", ""), ("specs/a/spec.md", "# A\n")]);
    for store in both(&workspace) {
        workspace.write("specs/b/c/spec.md", "# New\n");
        let context = Context::background();
        context.cancellation().cancel();
        let error = store.snapshot(&context).unwrap_err();
        assert!(matches!(error, ReadError::Interrupted(Interrupted::Cancelled)));
        assert_eq!(ids(&store), ["a", "b/c"]);
        std::fs::remove_dir_all(workspace.path("specs/b")).unwrap();
    }
}

#[test]
fn many_threads_share_scans_and_see_their_own_edits() {
    let workspace = Workspace::with(&[(".hewto/config.toml", "")]);
    for (name, store) in ["watched", "scanned"].into_iter().zip(both(&workspace)) {
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (workspace, store) = (&workspace, &store);
                scope.spawn(move || {
                    for round in 0..20 {
                        let spec = format!("{name}-{thread}-{round}");
                        workspace.write(&format!("specs/{spec}/spec.md"), "# X\n");
                        assert!(snapshot(store).get(&id(&spec)).is_some(), "{spec}");
                    }
                });
            }
        });
    }
}
