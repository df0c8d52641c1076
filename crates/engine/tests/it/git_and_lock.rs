//! Git may take seconds: whatever is asked of it is asked before the write lock is taken, never under it.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use hewto_engine::build::{self, Approval, Completion};
use hewto_engine::change::{self, ArchiveOptions, Recording};
use hewto_engine::check::{self, Strictness};
use hewto_engine::plan::{self, PlanChanges};
use hewto_engine::proof::{self, FixMode};
use hewto_engine::{Lifecycle, Start, Workspace, decision, spec};

use crate::support::Fixture;

const DELTA: &str = "## ADDED Requirements\n\n### Requirement: Login\nThe system SHALL log in.\n\n\
    #### Scenario: Good\n- **WHEN** it fits\n- **THEN** in\n";

/// A git that writes down every question, and whether somebody held the lock when it was put.
fn observed(fixture: &Fixture, programs: &Path) -> Workspace {
    let path = std::env::var_os("PATH").unwrap();
    let real =
        std::env::split_paths(&path).map(|folder| folder.join("git")).find(|git| git.is_file()).unwrap();
    let (lock, root) = (fixture.path(".hewto/lock"), programs.display());
    // The lock file names its holder for as long as there is one.
    let script = format!(
        "#!/bin/sh\nif [ -s '{}' ]; then echo \"$*\" >> '{root}/under'; else echo \"$*\" >> '{root}/free'; fi\nexec '{}' \"$@\"\n",
        lock.display(),
        real.display()
    );
    let git = programs.join("git");
    std::fs::write(&git, script).unwrap();
    std::fs::set_permissions(&git, std::fs::Permissions::from_mode(0o755)).unwrap();
    let folders: Vec<PathBuf> = vec![programs.to_owned()];
    Workspace::discover(Start::Here(fixture.root())).unwrap().with_search_path(folders)
}

fn git(fixture: &Fixture, arguments: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
    let status =
        Command::new("git").current_dir(fixture.root()).args(identity).args(arguments).status().unwrap();
    assert!(status.success(), "{arguments:?}");
}

#[test]
fn git_is_asked_before_the_lock_is_taken_and_never_under_it() {
    let fixture = Fixture::new();
    let programs = tempfile::tempdir().unwrap();
    let ctx = &fixture.ctx;
    let id = fixture.spec("Build it");
    fixture.plan(&id, &["One"]);
    fixture.write(
        "changes/c/proposal.md",
        "# c\n\n## Why\n\nIt is needed now.\n\n## What Changes\n\n- A login\n",
    );
    fixture.write("changes/c/specs/auth/spec.md", DELTA);
    fixture.write(".hewto/proof.toml", "policy = \"warn\"\n");
    git(&fixture, &["init", "-q"]);
    git(&fixture, &["add", "-A"]);
    git(&fixture, &["commit", "-q", "-m", "x"]);
    let ws = &observed(&fixture, programs.path());
    let asked = |name: &str| std::fs::read_to_string(programs.path().join(name)).unwrap_or_default();

    let better = PlanChanges { approach: Some("Another way".to_owned()), steps: None };
    plan::update(ws, ctx, &id, &better).unwrap();
    let text = plan::markdown(ws, ctx, &id).unwrap();
    plan::rewrite(ws, ctx, &id, &text, &text.replace("Another way", "A third way")).unwrap();
    assert_eq!(asked("under"), "");
    build::start(ws, ctx, &id, Approval::Given).unwrap();
    assert!(!asked("free").is_empty(), "the gate asks git");
    plan::complete_step(ws, ctx, &id, 0, None).unwrap();
    let completion = Completion { summary: "done".to_owned(), ..Completion::default() };
    build::complete(ws, ctx, &id, &completion).unwrap();
    spec::transition(ws, ctx, &id, Lifecycle::Archived, None).unwrap();
    change::record_bases(ws, ctx, Some("c"), Recording::Missing).unwrap();
    check::fix(ws, ctx, Strictness::Normal).unwrap();
    change::archive(ws, ctx, "c", ArchiveOptions::default()).unwrap();
    proof::fix(ws, ctx, FixMode::Write).unwrap();
    let repository = decision::Repository::find(&decision::Where {
        named: None,
        start: fixture.root().to_owned(),
        climb: decision::Climb::Up,
        reach: decision::RepositoryScope::Anywhere,
        trust: hewto_engine::trust::Trust::nothing(),
        search_path: vec![programs.path().to_owned()],
    });
    let decided = |value: &str| decision::NewDecision {
        category: "Database".to_owned(),
        fields: vec![("Type".to_owned(), value.to_owned())],
        context: "Orders have to survive a crash".to_owned(),
        supersedes: None,
    };
    let repository = repository.unwrap();
    decision::create(&repository, ctx, &decided("PostgreSQL")).unwrap();
    // What the default branch wants holds, whatever somebody has made of the file.
    fixture.write(".hewto/proof.toml", "[gates]\ndecision = \"terminal\"\n");
    git(&fixture, &["commit", "-q", "-a", "-m", "y"]);
    fixture.write(".hewto/proof.toml", "[gates]\ndecision = \"none\"\n");
    let waits = decision::create(&repository, ctx, &decided("SQLite")).unwrap_err();
    assert_eq!(waits.key.as_str(), "approval_pending", "{waits}");
    assert_eq!(asked("under"), "");
}
