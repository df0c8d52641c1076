//! Nothing is written outside the workspace, or into git.

use std::os::unix::fs::symlink;

use hewto_store::{CommitError, ContentHash, Context, Distrust, DocKey, Expect};

use super::commit;
use crate::support::{Workspace, file, folder, id};

#[test]
fn links_out_of_the_workspace_are_not_written_through() {
    let outside = Workspace::with(&[("target.md", "outside")]);
    let workspace = Workspace::with(&[(".hewto/config.toml", ""), ("docs/real.md", "inside")]);
    symlink(outside.root(), workspace.path("out")).unwrap();
    symlink(outside.path("target.md"), workspace.path("leak.md")).unwrap();
    symlink("docs/real.md", workspace.path("link.md")).unwrap();
    let store = workspace.store();
    for path in ["out/target.md", "out/new.md", "leak.md"] {
        let error = commit(&store, |tx| {
            tx.put(file(path), "changed", Expect::Any);
        })
        .unwrap_err();
        assert!(matches!(&error, CommitError::File(inner) if inner.leads_out()), "{path}: {error:?}");
    }
    assert_eq!(outside.text("target.md").as_deref(), Some("outside"));
    assert!(!outside.path("new.md").exists());
    // A link that stays inside is followed, and stays a link.
    commit(&store, |tx| {
        tx.put(file("link.md"), "changed", Expect::Hash(ContentHash::of(b"inside")));
    })
    .unwrap();
    assert_eq!(workspace.text("docs/real.md").as_deref(), Some("changed"));
    assert!(workspace.path("link.md").is_symlink());
}

#[test]
fn ids_that_a_flat_root_cannot_hold_have_no_home() {
    let workspace = Workspace::with(&[(".airsspec/config.toml", "")]);
    let error = commit(&workspace.store(), |tx| {
        tx.put(DocKey::Spec(id("a/b")), "x", Expect::Absent);
    });
    assert!(matches!(error, Err(CommitError::Homeless { .. })));
}

#[test]
fn nothing_is_written_into_git_not_even_by_a_planted_journal() {
    let workspace = Workspace::with(&[(".hewto/config.toml", ""), (".git/config", "")]);
    let store = workspace.store();
    let error = commit(&store, |tx| {
        tx.put(file(".git/hooks/pre-commit"), "#!/bin/sh", Expect::Absent);
    });
    assert!(matches!(error, Err(CommitError::File(_))));
    let tx = "0197b4f0-0000-7000-8000-000000000000";
    let new = ContentHash::of(b"#!/bin/sh");
    let step =
        format!(r#"{{"do":"put","path":".git/hooks/pre-commit","old":null,"new":"{new}","blob":"0"}}"#);
    let record = format!(r#"{{"version":1,"tx":"{tx}","operation":"x","at":"","steps":[{step}]}}"#);
    workspace.write(&format!(".hewto/journal/{tx}/0"), "#!/bin/sh");
    workspace.write(".hewto/journal/pending", &record);
    drop(store.lock(&Context::background()).unwrap());
    assert!(!workspace.path(".git/hooks").exists());
    // Nor is the same record carried out for any other file: this machine did not write it.
    workspace.write(".hewto/journal/pending", record.replace(".git/hooks/pre-commit", "a.sh"));
    drop(store.lock(&Context::background()).unwrap());
    assert!(!workspace.path("a.sh").exists());
}

#[test]
fn a_record_larger_than_any_is_not_read_and_can_be_thrown_away() {
    let workspace = Workspace::with(&[(".hewto/config.toml", ""), (".hewto/journal/pending", "{}")]);
    let store = workspace.store();
    let context = Context::background();
    // A sparse file: it costs whoever brings it nothing.
    let pending =
        std::fs::File::options().write(true).open(workspace.path(".hewto/journal/pending")).unwrap();
    pending.set_len(1 << 33).unwrap();
    let found = store.machine().journal_remains(&context).unwrap().distrusted;
    assert!(matches!(found.as_slice(), [(_, Distrust::Unreadable)]), "{found:?}");
    commit(&store, |tx| {
        tx.put(file("a.md"), "text", Expect::Absent);
    })
    .unwrap();
    assert_eq!(workspace.text("a.md").as_deref(), Some("text"));
    let kept = store.machine().journal_remains(&context).unwrap().distrusted;
    assert_eq!(kept.len(), 1, "it is kept beside, and told: {kept:?}");
}

#[test]
fn git_folders_are_refused_by_what_they_are() {
    let workspace = Workspace::with(&[
        (".hewto/config.toml", ""),
        ("meta/HEAD", "ref: refs/heads/main"),
        ("meta/objects/x", ""),
        ("meta/refs/x", ""),
        ("meta/config", "[core]"),
        ("sub/pointer", "gitdir: ../meta"),
    ]);
    symlink("meta", workspace.path("x")).unwrap();
    symlink("../meta/config", workspace.path("sub/config.md")).unwrap();
    let store = workspace.store();
    for path in
        ["x/hooks/post-checkout", "x/config", "meta/config", "sub/config.md", "sub/pointer", "x/new/deep"]
    {
        let refused = commit(&store, |tx| {
            tx.put(file(path), "text", Expect::Any);
        });
        assert!(refused.is_err(), "{path}");
        let refused = commit(&store, |tx| {
            tx.delete(file(path), Expect::Any);
        });
        assert!(refused.is_err() || !workspace.path(path).exists(), "{path}");
    }
    for (from, to) in [("meta", "moved"), ("sub", "x/sub")] {
        let refused = commit(&store, |tx| {
            tx.move_dir(&folder(from), &folder(to));
        });
        assert!(refused.is_err(), "{from}");
    }
    let guard = store.lock(&Context::background()).unwrap();
    assert!(guard.create_folder(&folder("x/hooks")).is_err());
    assert_eq!(workspace.text("meta/config").as_deref(), Some("[core]"));
    assert!(!workspace.path("meta/hooks").exists() && !workspace.path("meta/new").exists());
}

#[test]
fn links_in_the_place_of_hewtos_own_folders_are_refused() {
    for link in [".hewto/journal", ".hewto/cache", ".hewto/logs"] {
        let workspace = Workspace::with(&[(".hewto/config.toml", ""), ("src/search/x", "kept")]);
        symlink("../src", workspace.path(link)).unwrap();
        let store = workspace.store();
        let committed = commit(&store, |tx| {
            tx.put(file("a.md"), "a", Expect::Any);
        });
        assert_eq!(committed.is_err(), link == ".hewto/journal", "{link}");
        assert_eq!(store.machine().make_search_index().is_err(), link == ".hewto/cache", "{link}");
        assert_eq!(std::fs::read_dir(workspace.path("src")).unwrap().count(), 1, "{link}");
    }
}
