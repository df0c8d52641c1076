mod outside;

use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

use hewto_core::id::WorkItem;
use hewto_core::interrupt::Interrupted;
use hewto_store::fault::{self, Fault, FaultPlan};
use hewto_store::{
    Action, CommitError, Committed, ContentHash, Context, DocKey, Expect, LayoutKind, Store, Transaction,
    plan_init,
};

use crate::support::{Workspace, file, folder, id, read};

fn commit(store: &Store, edit: impl FnOnce(&mut Transaction)) -> Result<Committed, CommitError> {
    let context = Context::background();
    let mut transaction = Transaction::new();
    edit(&mut transaction);
    store.lock(&context).unwrap().commit(&context, transaction)
}

#[test]
fn a_new_spec_goes_to_the_home_of_its_toolset() {
    let workspace = Workspace::with(&[(".hewto/config.toml", ""), (".airsspec/config.toml", "")]);
    let store = workspace.store();
    let context = Context::background();
    let mut transaction = Transaction::at_home(LayoutKind::Airsspec);
    transaction.put(DocKey::Spec(id("1-a")), "# A\n", Expect::Absent);
    transaction.put(DocKey::State(WorkItem::Spec(id("1-a"))), "x: 1\n", Expect::Absent);
    let done = store.lock(&context).unwrap().commit(&context, transaction).unwrap();
    assert_eq!(done.changes[0].path.as_str(), ".airsspec/specs/1-a/spec.md");
    assert_eq!(done.changes[0].action, Action::Created);
    assert_eq!(workspace.text(".airsspec/specs/1-a/state.toon").as_deref(), Some("x: 1\n"));
    assert!(store.is_taken(&id("1-a")));
    let place = store.path(&DocKey::Spec(id("1-a")), LayoutKind::Native).unwrap();
    assert_eq!(place.as_str(), ".airsspec/specs/1-a/spec.md");
}

#[test]
fn a_spec_that_exists_is_edited_where_it_stands() {
    let workspace =
        Workspace::with(&[("openspec/specs/a/b/spec.md", "# A\n"), (".airsspec/config.toml", "")]);
    let store = workspace.store();
    let doc = read(&store, &DocKey::Spec(id("a/b"))).unwrap();
    assert_eq!(doc.path.as_str(), "openspec/specs/a/b/spec.md");
    commit(&store, |tx| {
        tx.put(DocKey::Spec(id("a/b")), "# B\n", Expect::Hash(doc.hash));
    })
    .unwrap();
    assert_eq!(workspace.text("openspec/specs/a/b/spec.md").as_deref(), Some("# B\n"));
}

#[test]
fn preconditions_keep_everything_as_it_was() {
    let workspace = Workspace::with(&[(".hewto/config.toml", ""), ("a.md", "one")]);
    let store = workspace.store();
    let wrong = ContentHash::of(b"other");
    for (path, expect, message) in [
        ("a.md", Expect::Absent, "already there: `a.md`"),
        ("a.md", Expect::Hash(wrong), "changed by someone else: `a.md`"),
        ("b.md", Expect::Hash(wrong), "no longer there: `b.md`"),
    ] {
        let error = commit(&store, |tx| {
            tx.put(file("new.md"), "x", Expect::Absent).put(file(path), "two", expect);
        })
        .unwrap_err();
        assert_eq!(error.to_string(), message);
        assert_eq!(workspace.text("a.md").as_deref(), Some("one"));
        assert_eq!(workspace.text("new.md"), None);
    }
    let twice = commit(&store, |tx| {
        tx.put(file("c.md"), "x", Expect::Any).put(file("c.md"), "y", Expect::Any);
    });
    assert!(matches!(twice, Err(CommitError::Twice { .. })));
}

#[test]
fn a_text_that_is_already_there_is_not_written_again() {
    let workspace = Workspace::with(&[(".hewto/config.toml", ""), ("a.md", "same")]);
    let store = workspace.store();
    let before = std::fs::metadata(workspace.path("a.md")).unwrap().modified().unwrap();
    let done = commit(&store, |tx| {
        tx.put(file("a.md"), "same", Expect::Any);
    })
    .unwrap();
    assert_eq!(done, Committed::default());
    assert_eq!(std::fs::metadata(workspace.path("a.md")).unwrap().modified().unwrap(), before);
}

#[test]
fn the_permissions_of_a_file_survive_its_replacement() {
    let workspace = Workspace::with(&[(".hewto/config.toml", ""), ("a.md", "one")]);
    std::fs::set_permissions(workspace.path("a.md"), PermissionsExt::from_mode(0o640)).unwrap();
    commit(&workspace.store(), |tx| {
        tx.put(file("a.md"), "two", Expect::Any);
    })
    .unwrap();
    let mode = std::fs::metadata(workspace.path("a.md")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o640);
    assert_eq!(workspace.text("a.md").as_deref(), Some("two"));
}

#[test]
fn deleting_and_moving_are_part_of_a_commit() {
    let workspace = Workspace::with(&[
        (".hewto/config.toml", ""),
        ("changes/add/tasks.md", "- [x] 1"),
        ("changes/add/state.toon", "old"),
        ("gone.md", "bye"),
    ]);
    let store = workspace.store();
    let done = commit(&store, |tx| {
        tx.put(file("changes/add/state.toon"), "new", Expect::Any)
            .delete(file("gone.md"), Expect::Hash(ContentHash::of(b"bye")))
            .move_dir(&folder("changes/add"), &folder("changes/archive/2026-01-24-add"));
    })
    .unwrap();
    let actions: Vec<Action> = done.changes.iter().map(|change| change.action).collect();
    assert_eq!(actions, [Action::Modified, Action::Deleted, Action::Moved]);
    assert_eq!(workspace.text("changes/archive/2026-01-24-add/state.toon").as_deref(), Some("new"));
    assert!(!workspace.path("changes/add").exists());
    assert!(!workspace.path("gone.md").exists());
    let again = commit(&store, |tx| {
        tx.move_dir(&folder("changes/add"), &folder("changes/archive/2026-01-24-add"));
    });
    assert!(matches!(again, Err(CommitError::Gone { .. })));
}

#[test]
fn a_change_has_its_plan_and_its_state_in_its_folder() {
    let workspace = Workspace::with(&[("openspec/changes/add/tasks.md", "- [ ] 1\n")]);
    let store = workspace.store();
    let item = WorkItem::parse("change:add").unwrap();
    let doc = read(&store, &DocKey::Plan(item.clone())).unwrap();
    assert_eq!(doc.path.as_str(), "openspec/changes/add/tasks.md");
    commit(&store, |tx| {
        tx.put(DocKey::State(item), "x: 1\n", Expect::Absent);
    })
    .unwrap();
    assert!(workspace.path("openspec/changes/add/state.toon").is_file());
}

#[test]
fn a_call_that_is_out_of_time_changes_nothing() {
    let workspace = Workspace::native();
    let store = workspace.store();
    let guard = store.lock(&Context::background()).unwrap();
    let mut transaction = Transaction::new();
    transaction.put(file("a.md"), "x", Expect::Absent);
    let late = Context::background().with_timeout(Duration::ZERO);
    let error = guard.commit(&late, transaction).unwrap_err();
    assert!(matches!(error, CommitError::Interrupted(Interrupted::TimedOut)));
    assert_eq!(workspace.text("a.md"), None);
}

#[test]
fn a_document_that_is_not_utf8_names_the_byte() {
    let workspace = Workspace::native();
    workspace.write("a.md", b"abc\xff");
    let error = workspace.store().read(&Context::background(), &file("a.md")).unwrap_err();
    assert_eq!(error.to_string(), "not UTF-8 from byte 3 on: `a.md`");
}

/// Each content is durable before the record, the record before the renames, the renames before the record goes.
#[test]
fn the_order_of_a_commit_survives_a_loss_of_power() {
    let workspace = Workspace::with(&[
        (".hewto/config.toml", ""),
        ("specs/a/spec.md", "1"),
        ("specs/a/plan.md", "1"),
        ("specs/a/state.toon", "1"),
    ]);
    let store = workspace.store();
    let write_all = |text: &str| {
        commit(&store, |tx| {
            for name in ["spec.md", "plan.md", "state.toon"] {
                tx.put(file(&format!("specs/a/{name}")), text, Expect::Any);
            }
        })
        .unwrap();
    };
    write_all("2");
    fault::inject(None);
    write_all("3");
    let trace = fault::trace();
    let at = |call: &str| {
        trace.iter().position(|line| line == call).unwrap_or_else(|| panic!("no `{call}` in {trace:#?}"))
    };
    let steps = [
        at("fsync record").max(at("fsync 0")).max(at("fsync 1")).max(at("fsync 2")),
        at("fsync-dir tx"),
        at("rename pending"),
        at("fsync-dir journal"),
        at("exchange spec.md"),
        at("exchange state.toon"),
        at("fsync-dir specs/a"),
        at("rename last"),
    ];
    assert!(steps.is_sorted(), "{trace:#?}");
    assert!(at("write record").max(at("write 2")) < at("fsync 0"), "all is written before the first sync");
    let syncs = trace.iter().filter(|line| line.starts_with("fsync")).count();
    assert_eq!(syncs, 7, "{trace:#?}");
}

#[test]
fn a_folder_on_another_disk_gets_a_copy() {
    let workspace = Workspace::with(&[(".hewto/config.toml", ""), ("a.md", "one")]);
    let store = workspace.store();
    let guard = store.lock(&Context::background()).unwrap();
    let write = |text: &str| {
        let mut transaction = Transaction::new();
        transaction.put(file("a.md"), text, Expect::Any);
        guard.commit(&Context::background(), transaction)
    };
    write("two").unwrap();
    fault::inject(None);
    write("three").unwrap();
    let rename = fault::trace().iter().position(|call| call == "exchange a.md").unwrap();
    let crosses_devices = 18;
    fault::inject(Some(FaultPlan { at: rename, fault: Fault::Fail(crosses_devices) }));
    write("four").unwrap();
    let trace = fault::trace();
    fault::inject(None);
    assert!(trace.contains(&"create .a.md.hewto-new".to_owned()), "{trace:?}");
    assert_eq!(workspace.text("a.md").as_deref(), Some("four"));
    let names: Vec<_> =
        std::fs::read_dir(workspace.root()).unwrap().map(|item| item.unwrap().file_name()).collect();
    assert!(!names.iter().any(|name| name.to_string_lossy().contains("hewto-new")), "{names:?}");
}

#[test]
fn init_makes_a_workspace_and_leaves_what_is_there() {
    for kind in LayoutKind::ALL {
        let workspace = Workspace::with(&[("specs/mission.md", "mine")]);
        let plan = plan_init(&workspace.root(), kind, "name", "description");
        let store = Store::open(plan.layout.clone()).unwrap();
        let mut transaction = Transaction::new();
        for (path, text) in plan.files.iter().filter(|(path, _)| !store.stands(&file(path))) {
            transaction.put(file(path), text.as_str(), Expect::Absent);
        }
        store.found(&Context::background(), transaction, &plan.folders).unwrap();
        assert_eq!(workspace.layout().kinds(), [kind]);
        assert_eq!(store.layout().kinds(), [kind]);
        for (path, _) in &plan.files {
            assert!(workspace.path(path).is_file(), "{path}");
        }
        assert_eq!(workspace.text("specs/mission.md").as_deref(), Some("mine"));
        assert!(workspace.path(".hewto/.gitignore").is_file());
    }
}

#[test]
fn a_folder_that_takes_no_writes_refuses_the_whole_commit() {
    let workspace =
        Workspace::with(&[(".hewto/config.toml", ""), ("file", "in the way"), ("shut/old.md", "old")]);
    std::fs::set_permissions(workspace.path("shut"), std::fs::Permissions::from_mode(0o555)).unwrap();
    let store = workspace.store();
    // The administrator may write everywhere.
    let shut: &[&str] =
        if rustix::process::geteuid().is_root() { &[] } else { &["shut/new.md", "shut/deep/new.md"] };
    for refused in ["file/new.md", "file/deep/new.md"].iter().chain(shut) {
        let error = commit(&store, |tx| {
            tx.put(file("first.md"), "first", Expect::Absent).put(file(refused), "second", Expect::Absent);
        })
        .unwrap_err();
        assert!(matches!(error, CommitError::File(_)), "{refused}: {error}");
        assert_eq!(workspace.text("first.md"), None, "{refused}");
    }
    commit(&store, |tx| {
        tx.put(file("first.md"), "first", Expect::Absent);
    })
    .unwrap();
    std::fs::set_permissions(workspace.path("shut"), std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_folder_goes_whole_and_only_as_it_was_seen() {
    let workspace = Workspace::with(&[
        (".hewto/config.toml", ""),
        ("pads/a/scratch.md", "text"),
        ("pads/b/scratch.md", "other"),
    ]);
    symlink("../b", workspace.path("pads/a/link")).unwrap();
    let (store, context) = (workspace.store(), Context::background());
    let folder = folder("pads/a");
    let delete = |seen| {
        let mut transaction = Transaction::new();
        transaction.delete_dir(&folder, seen);
        store.lock(&context).unwrap().commit(&context, transaction)
    };
    let seen = store.manifest(&context, &folder).unwrap().unwrap();
    assert_eq!(seen.files, ["link", "scratch.md"]);
    workspace.write("pads/a/late.md", "new");
    assert!(matches!(delete(seen.hash), Err(CommitError::Changed { .. })));
    assert_eq!(workspace.text("pads/a/late.md").as_deref(), Some("new"));
    let seen = store.manifest(&context, &folder).unwrap().unwrap();
    let committed = delete(seen.hash).unwrap();
    assert_eq!(committed.changes[0].action, Action::Deleted);
    assert!(!workspace.path("pads/a").exists());
    assert_eq!(workspace.text("pads/b/scratch.md").as_deref(), Some("other"));
    assert!(matches!(delete(seen.hash), Err(CommitError::Gone { .. })));
}
