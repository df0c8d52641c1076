//! Bases from git: the spec as it stood at the delta's first commit.

use std::path::{Path, PathBuf};
use std::process::Command;

use hewto_engine::change::{self, ArchiveOptions, Recording};
use hewto_engine::check::{self, Strictness};
use hewto_engine::view::ChangeCreated;
use hewto_engine::{Clock, Context, Start, Workspace};

const SPEC: &str = "# auth Specification\n\n## Purpose\nLet people in and keep everybody else out at all times.\n\n\
    ## Requirements\n\n### Requirement: Login\nThe system SHALL log in.\n\n\
    #### Scenario: Good\n- **WHEN** it fits\n- **THEN** in\n\n#### Scenario: Bad\n- **WHEN** not\n- **THEN** out\n";
const DELTA: &str = "## MODIFIED Requirements\n\n### Requirement: Login\nThe system SHALL log in at once.\n\n\
    #### Scenario: Good\n- **WHEN** it fits\n- **THEN** in\n\n#### Scenario: Bad\n- **WHEN** not\n- **THEN** out\n";
const LATER: &str = "\n#### Scenario: Later\n- **WHEN** later\n- **THEN** too\n";

/// A git repository with a workspace in a folder of it.
struct Repository {
    folder: tempfile::TempDir,
    below: &'static str,
    ctx: Context,
}

impl Repository {
    fn new(below: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let now = "2026-01-24T10:00:00Z".parse().unwrap();
        let ctx = Context::background().with_clock(Clock::fixed(now));
        let repository = Self { folder, below, ctx };
        repository.git(&["init", "-q"]);
        repository.write("openspec/specs/auth/spec.md", SPEC);
        repository
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join(self.below)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).unwrap()
    }

    fn git(&self, arguments: &[&str]) {
        let status = Command::new("git")
            .current_dir(self.folder.path())
            .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
            .args(arguments)
            .status()
            .unwrap();
        assert!(status.success(), "{arguments:?}");
    }

    /// A change that modifies a requirement, made with the engine.
    fn create(&self, ws: &Workspace, id: &str, capability: &str, name: &str) -> ChangeCreated {
        let requirement = change::NewRequirement {
            name: name.to_owned(),
            text: format!("The system SHALL be like {id}."),
            scenarios: ["Good", "Bad"]
                .map(|name| change::NewScenario { name: name.to_owned(), ..change::NewScenario::default() })
                .to_vec(),
            raw: None,
        };
        let delta = change::NewDelta { modified: vec![requirement], ..change::NewDelta::default() };
        let new = change::NewChange {
            change_id: id.to_owned(),
            why: "Because everybody has been asking for it since the spring of last year.".to_owned(),
            what_changes: "- it".to_owned(),
            deltas: [(capability.to_owned(), delta)].into(),
            ..change::NewChange::default()
        };
        change::create(ws, &self.ctx, &new).unwrap()
    }

    fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "x"]);
    }

    fn workspace(&self) -> Workspace {
        let path = std::env::var_os("PATH").unwrap();
        let ws = Workspace::discover(Start::Here(&self.root())).unwrap();
        ws.with_search_path(std::env::split_paths(&path).collect())
    }

    fn propose(&self, delta: &str) {
        self.write("openspec/changes/c/specs/auth/spec.md", delta);
    }

    fn codes(&self) -> Vec<String> {
        let verdict =
            check::validate_change(&self.workspace(), &self.ctx, Some("c"), Strictness::Normal).unwrap();
        verdict.errors.into_iter().chain(verdict.warnings).map(|item| item.code).collect()
    }

    fn archive(&self) -> hewto_engine::Result<hewto_engine::view::ArchiveView> {
        change::archive(&self.workspace(), &self.ctx, "c", ArchiveOptions::default())
    }
}

#[test]
fn the_spec_at_the_first_commit_of_the_delta_is_the_base() {
    for below in ["", "packages/one"] {
        let repository = Repository::new(below);
        repository.propose(DELTA);
        repository.commit();
        repository.write("openspec/specs/auth/spec.md", &format!("{SPEC}{LATER}"));
        repository.commit();
        assert_eq!(repository.codes(), Vec::<String>::new(), "what came later is merged, not dropped");
        assert!(!repository.root().join("openspec/changes/c/.base.json").exists(), "reading records nothing");
        repository.archive().unwrap();
        let spec = repository.read("openspec/specs/auth/spec.md");
        assert!(spec.contains("log in at once") && spec.contains("Scenario: Later"), "{spec}");
    }
}

#[test]
fn a_change_that_was_given_another_name_keeps_its_base() {
    let repository = Repository::new("");
    repository.write("openspec/changes/draft/specs/auth/spec.md", DELTA);
    repository.commit();
    repository.write("openspec/specs/auth/spec.md", &format!("{SPEC}{LATER}"));
    repository.git(&["mv", "openspec/changes/draft", "openspec/changes/c"]);
    repository.commit();
    assert_eq!(repository.codes(), Vec::<String>::new());
    repository.archive().unwrap();
    assert!(repository.read("openspec/specs/auth/spec.md").contains("Scenario: Later"));
}

#[test]
fn without_git_nothing_is_known_and_nothing_is_dropped() {
    let repository = Repository::new("");
    repository.propose(DELTA);
    repository.commit();
    repository.write("openspec/specs/auth/spec.md", &format!("{SPEC}{LATER}"));
    let ws = Workspace::discover(Start::Here(&repository.root())).unwrap();
    let error = change::archive(&ws, &repository.ctx, "c", ArchiveOptions::default()).unwrap_err();
    assert!(error.to_string().contains("Later"), "{error}");
    // A delta that was never committed is as unknown.
    let young = Repository::new("");
    young.commit();
    young.propose(DELTA);
    young.write("openspec/specs/auth/spec.md", &format!("{SPEC}{LATER}"));
    assert_eq!(young.archive().unwrap_err().key.as_str(), "archive_refused");
}

#[test]
fn a_recorded_base_gives_way_to_gits_and_a_persons_word_to_nothing() {
    let repository = Repository::new("");
    repository.propose(&DELTA.replace("- **THEN** in\n", "- **THEN** in now\n"));
    repository.commit();
    let changed = SPEC.replace("- **THEN** in\n", "- **THEN** in later\n");
    repository.write("openspec/specs/auth/spec.md", &changed);
    let ws = repository.workspace();
    change::record_bases(&ws, &repository.ctx, Some("c"), Recording::Missing).unwrap();
    // Git knows the base, so nothing is written for it.
    assert!(!repository.root().join("openspec/changes/c/.base.json").exists());
    let error = repository.archive().unwrap_err();
    assert!(error.to_string().contains("scenario `Good` was changed in the spec and differently"), "{error}");
    assert!(error.plain_hint().unwrap().contains("rebase `c` on the specs"));
    change::record_bases(&ws, &repository.ctx, Some("c"), Recording::Rebase).unwrap();
    change::record_bases(&ws, &repository.ctx, None, Recording::Missing).unwrap();
    repository.archive().unwrap();
    assert!(repository.read("openspec/specs/auth/spec.md").contains("in now"));
}

#[test]
fn a_history_that_is_cut_off_proves_nothing() {
    let repository = Repository::new("");
    repository.commit();
    repository.propose(DELTA);
    repository.commit();
    repository.write("openspec/specs/auth/spec.md", &format!("{SPEC}{LATER}"));
    repository.commit();
    let clone = tempfile::tempdir().unwrap();
    let url = format!("file://{}", repository.folder.path().display());
    let run = Command::new("git").args(["clone", "-q", "--depth", "1", &url]).arg(clone.path()).status();
    assert!(run.unwrap().success());
    let shallow = Repository { folder: clone, below: "", ctx: repository.ctx.clone() };
    assert!(shallow.archive().unwrap_err().to_string().contains("Later"));
}

#[test]
fn nothing_in_the_repository_is_run() {
    let repository = Repository::new("");
    repository.propose(DELTA);
    repository.commit();
    let trap = repository.folder.path().join("trapped");
    let script = format!("touch {}", trap.display());
    for setting in ["core.fsmonitor", "core.sshCommand", "core.pager", "diff.external", "core.editor"] {
        repository.git(&["config", setting, &script]);
    }
    repository.git(&["config", "filter.evil.smudge", &script]);
    repository.write(".gitattributes", "*.md filter=evil diff=evil\n");
    assert_eq!(repository.codes(), Vec::<String>::new());
    assert!(!Path::new(&trap).exists());
}

#[test]
fn nothing_is_written_beside_a_change_whose_base_history_will_know() {
    let repository = Repository::new("");
    let other = SPEC.replace("Login", "Logout");
    repository.write("openspec/specs/out/spec.md", &other);
    repository.commit();
    let ws = repository.workspace();
    let create = |id: &str, capability: &str, name: &str| repository.create(&ws, id, capability, name);
    let files = create("one", "auth", "Login").files;
    assert!(!files.iter().any(|file| file.ends_with(".base.json")), "{files:?}");
    create("two", "out", "Logout");
    create("three", "auth", "Login");
    let base = |id: &str| repository.root().join(format!("openspec/changes/{id}/.base.json")).exists();
    assert!(!base("one") && !base("two") && !base("three"));
    // The base is known all the same: a scenario that comes later is merged.
    repository.write("openspec/specs/out/spec.md", &format!("{other}{LATER}"));
    let archive = |id: &str| change::archive(&ws, &repository.ctx, id, ArchiveOptions::default());
    archive("two").unwrap();
    let spec = repository.read("openspec/specs/out/spec.md");
    assert!(spec.contains("be like two") && spec.contains("Scenario: Later"), "{spec}");
    assert!(!base("one") && !base("three"), "what touches something else needs no record");
    archive("one").unwrap();
    // One commit may take in the moved spec and the delta: history would then tell a wrong base.
    assert!(base("three"));
    let error = archive("three").unwrap_err();
    assert!(error.to_string().contains("differently in the change"), "{error}");
}

#[test]
fn nothing_is_written_beside_changes_that_were_committed_when_another_is_archived() {
    let repository = Repository::new("");
    repository.commit();
    let ws = repository.workspace();
    for id in ["one", "two", "three"] {
        repository.create(&ws, id, "auth", "Login");
    }
    repository.commit();
    let archive = |id: &str| change::archive(&ws, &repository.ctx, id, ArchiveOptions::default());
    archive("one").unwrap();
    for id in ["two", "three"] {
        let base = repository.root().join(format!("openspec/changes/{id}/.base.json"));
        assert!(!base.exists(), "history has the base of {id}");
    }
    // It is the base that counts: both have changed the same requirement.
    let error = archive("two").unwrap_err();
    assert!(error.to_string().contains("differently in the change"), "{error}");
}
