//! Importing from other tools, and exporting again.

mod export;
mod mixed;

use std::collections::BTreeMap;
use std::path::Path;

use hewto_engine::check::{Strictness, validate};
use hewto_engine::import::{ImportOptions, import, preview, propose};
use hewto_engine::view::ImportView;
use hewto_engine::{Result, change, decision};

use crate::support::Fixture;

const REQUIREMENTS: &str = "# Requirements Document\n\n## Introduction\n\nPeople sign in so that their orders stay their own.\n\n## Requirements\n\n### Requirement 1: Sign in\n\n**User Story:** As a user, I want to sign in.\n\n#### Acceptance Criteria\n\n1. WHEN the password is right THEN the system SHALL start a session\n";
const TASKS: &str =
    "# Implementation Plan\n\n- [x] 1. Sessions\n  - _Requirements: 1.1_\n- [ ] 2. Refusals\n";
const SPEC: &str = "# Feature Specification: Albums\n\n**Input**: User description: \"albums of photos by day, for everybody who takes many\"\n\n## Requirements\n\n- **FR-001**: System MUST show albums\n";

fn run(f: &Fixture, format: &str, path: Option<&Path>) -> Result<ImportView> {
    let options = ImportOptions { format: format.to_owned(), path: path.map(Path::to_owned) };
    import(f.ws.store(), &f.ctx, &options)
}

/// All files of the workspace but the machine's own.
fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    fn collect(root: &Path, folder: &Path, all: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if [".hewto/logs", ".hewto/cache", ".hewto/lock", ".hewto/journal"].contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() && !path.is_symlink() {
                collect(root, &path, all);
            } else if path.is_file() && !path.is_symlink() {
                all.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    let mut all = BTreeMap::new();
    collect(root, root, &mut all);
    all
}

fn kiro(f: &Fixture) {
    f.write(".kiro/specs/sign-in/requirements.md", REQUIREMENTS);
    f.write(".kiro/specs/sign-in/tasks.md", TASKS);
    f.write(".kiro/specs/sign-in/design.md", "# Design\n\nSessions in a table.\n");
    f.write(".kiro/steering/tech.md", "# Tech\n\nRust.\n");
}

#[test]
fn a_dry_run_names_every_file_and_writes_none() {
    let f = Fixture::new();
    kiro(&f);
    let before = files(f.root());
    let options = ImportOptions { format: "kiro".to_owned(), path: None };
    let planned = preview(f.ws.store(), &f.ctx, &options).unwrap();
    assert!(planned.dry_run);
    assert_eq!(files(f.root()), before);
    run(&f, "kiro", None).unwrap();
    let written: Vec<String> =
        files(f.root()).into_keys().filter(|name| !before.contains_key(name)).collect();
    let named: Vec<String> = planned.files.iter().map(|file| file.file.clone()).collect();
    assert_eq!(written, named);
}

#[test]
fn importing_twice_changes_nothing() {
    let f = Fixture::new();
    kiro(&f);
    let first = run(&f, "kiro", None).unwrap();
    assert!(first.complete);
    assert_eq!(
        (first.imported[0].requirements, first.imported[0].scenarios, first.imported[0].steps),
        (1, 1, 2)
    );
    let before = files(f.root());
    let again = run(&f, "kiro", None).unwrap();
    assert_eq!((again.files.len(), again.imported.len(), again.unchanged), (0, 0, 2));
    assert_eq!(files(f.root()), before);
    let report = validate(&f.ws, &f.ctx, Strictness::Normal).unwrap();
    assert!(report.valid, "{:?}", report.issues);
    assert!(f.read("specs/sign-in/plan.md").contains("- **Proves:** sign-in#1/1.1"));
    assert_eq!(f.read("docs/standards/tech.md"), "# Tech\n\nRust.\n");
}

#[test]
fn what_the_source_says_later_comes_as_a_change_that_merges() {
    let f = Fixture::new();
    kiro(&f);
    run(&f, "kiro", None).unwrap();
    // Somebody works on the spec here.
    let ours = f.read("specs/sign-in/spec.md").replace("start a session", "start a short session");
    f.write("specs/sign-in/spec.md", &ours);
    let more = "\n### Requirement 2: Sign out\n\n**User Story:** As a user, I want to leave.\n\n#### Acceptance Criteria\n\n1. WHEN a user leaves THEN the system SHALL end the session\n";
    f.write(".kiro/specs/sign-in/requirements.md", format!("{REQUIREMENTS}{more}"));
    f.write(".kiro/specs/sign-in/tasks.md", format!("{TASKS}- [ ] 3. Sign out\n"));
    let view = run(&f, "kiro", None).unwrap();
    assert_eq!(view.change.as_deref(), Some("import-kiro"));
    assert_eq!(f.read("specs/sign-in/spec.md"), ours);
    let delta = f.read("changes/import-kiro/specs/sign-in/spec.md");
    assert!(
        delta.contains("## ADDED Requirements") && delta.contains("Sign out") && !delta.contains("MODIFIED"),
        "{delta}"
    );
    assert!(f.read("changes/import-kiro/tasks.md").contains("3 Sign out (sign-in)"));
    let report = change::show(&f.ws, &f.ctx, "import-kiro", &change::ShowOptions::default()).unwrap();
    assert_eq!(report.id, "import-kiro");
    assert!(validate(&f.ws, &f.ctx, Strictness::Normal).unwrap().valid);
    // Nothing is brought a second time.
    let before = files(f.root());
    assert_eq!(run(&f, "kiro", None).unwrap().files.len(), 0);
    assert_eq!(files(f.root()), before);
    // The change merges into what was edited here.
    let tasks = f.read("changes/import-kiro/tasks.md").replace("[ ]", "[x]");
    f.write("changes/import-kiro/tasks.md", tasks);
    let options = change::ArchiveOptions::default();
    change::archive(&f.ws, &f.ctx, "import-kiro", options).unwrap();
    let merged = f.read("specs/sign-in/spec.md");
    assert!(
        merged.contains("start a short session") && merged.contains("### Requirement: Sign out"),
        "{merged}"
    );
}

#[test]
fn two_edits_of_one_scenario_are_a_conflict() {
    let f = Fixture::new();
    kiro(&f);
    run(&f, "kiro", None).unwrap();
    let ours = f.read("specs/sign-in/spec.md").replace("start a session", "start a short session");
    f.write("specs/sign-in/spec.md", &ours);
    let theirs = REQUIREMENTS.replace("start a session", "start a long session");
    f.write(".kiro/specs/sign-in/requirements.md", theirs);
    run(&f, "kiro", None).unwrap();
    f.write("changes/import-kiro/tasks.md", f.read("changes/import-kiro/tasks.md").replace("[ ]", "[x]"));
    let error = change::archive(&f.ws, &f.ctx, "import-kiro", change::ArchiveOptions::default()).unwrap_err();
    let told = error.to_json().to_string();
    assert!(told.contains("changed in the spec and differently in the change"), "{told}");
    assert_eq!(f.read("specs/sign-in/spec.md"), ours);
}

#[test]
fn what_is_gone_from_the_source_stays_and_is_told() {
    let f = Fixture::new();
    kiro(&f);
    f.write(".kiro/specs/cart/requirements.md", REQUIREMENTS);
    run(&f, "kiro", None).unwrap();
    std::fs::remove_dir_all(f.path(".kiro/specs/cart")).unwrap();
    let view = run(&f, "kiro", None).unwrap();
    assert_eq!(
        view.notes,
        ["`.kiro/specs/cart` is gone from the source; `cart` stays here until somebody removes it"]
    );
    assert!(f.read("specs/cart/spec.md").contains("Sign in"));
    // A file that cannot be read now is not gone.
    f.write(".kiro/specs/sign-in/requirements.md", "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n");
    let view = run(&f, "kiro", None).unwrap();
    assert_eq!(view.notes.len(), 1, "{:?}", view.notes);
    let fault = view.left_out.iter().find(|one| one.line.is_some()).unwrap();
    assert_eq!((fault.id.as_deref(), fault.line), (Some("sign-in"), Some(1)));
}

#[test]
fn what_stands_in_a_file_that_cannot_be_read_is_not_called_gone() {
    const CONFLICT: &str = "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n";
    let f = Fixture::new();
    f.write("tasks.json", r#"{"tasks": [{"id": 1, "title": "One"}, {"id": 2, "title": "Two"}]}"#);
    run(&f, "task-master", None).unwrap();
    f.write("tasks.json", CONFLICT);
    let view = run(&f, "task-master", None).unwrap();
    assert!(!view.complete && view.notes.is_empty(), "{:?}", view.notes);
    let task = |id: usize| format!("---\nid: TASK-{id}\ntitle: Number {id}\nstatus: To Do\n---\n\n");
    f.write("backlog/tasks/task-1 - One.md", task(1));
    f.write("backlog/tasks/task-2 - Two.md", task(2));
    run(&f, "backlog", None).unwrap();
    f.write("backlog/tasks/task-2 - Two.md", format!("{}{CONFLICT}", task(2)));
    let view = run(&f, "backlog", None).unwrap();
    assert!(!view.complete && view.notes.is_empty(), "{:?}", view.notes);
}

#[test]
fn a_file_that_both_sides_changed_goes_to_the_change_and_stays_here() {
    let f = Fixture::new();
    kiro(&f);
    run(&f, "kiro", None).unwrap();
    f.write("specs/sign-in/design.md", "# Ours\n");
    f.write(".kiro/specs/sign-in/design.md", "# Theirs\n");
    f.write(".kiro/steering/tech.md", "# Tech\n\nGo.\n");
    let view = run(&f, "kiro", None).unwrap();
    assert_eq!(f.read("specs/sign-in/design.md"), "# Ours\n");
    assert_eq!(f.read("changes/import-kiro/source/specs/sign-in/design.md"), "# Theirs\n");
    // Only the source moved: the file follows.
    assert_eq!(f.read("docs/standards/tech.md"), "# Tech\n\nGo.\n");
    assert_eq!(view.change.as_deref(), Some("import-kiro"));
    assert!(validate(&f.ws, &f.ctx, Strictness::Normal).unwrap().valid);
}

#[test]
fn spec_kit_in_the_same_folder_stays_where_it_is() {
    let f = Fixture::new();
    f.write("specs/001-albums/spec.md", SPEC);
    f.write("specs/001-albums/tasks.md", "# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 Begin\n");
    let view = run(&f, "spec-kit", None).unwrap();
    assert_eq!(f.read("specs/001-albums/spec.md"), SPEC);
    assert_eq!(view.imported[0].id, "albums");
    assert!(view.notes[0].contains("`001-albums` as `albums`"), "{:?}", view.notes);
    let found = hewto_engine::requirement::show(&f.ws, &f.ctx, "albums", "FR-001").unwrap();
    assert_eq!(found.requirement.name, "FR-001");
    // From elsewhere the name is free.
    let other = Fixture::new();
    let view = run(&other, "spec-kit", Some(f.root())).unwrap();
    assert_eq!(view.imported[0].id, "001-albums");
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_comes() {
    let f = Fixture::new();
    kiro(&f);
    f.write(".kiro/specs/broken/requirements.md", REQUIREMENTS);
    f.write(
        ".kiro/specs/broken/tasks.md",
        "# Plan\n<<<<<<< HEAD\n- [ ] 1. One\n=======\n- [ ] 1. Two\n>>>>>>> other\n",
    );
    f.write(".kiro/specs/latin/requirements.md", b"# R\r\n\r\n### Requirement 1: Gr\xf6\xdfe\r\n\r\n#### Acceptance Criteria\r\n\r\n1. WHEN a THEN the system SHALL b\r\n");
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret.md"), "secret words").unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.md"), f.path(".kiro/steering/secret.md")).unwrap();
    std::os::unix::fs::symlink(outside.path(), f.path(".kiro/specs/linked")).unwrap();
    let view = run(&f, "kiro", None).unwrap();
    assert!(!view.complete);
    let fault = |file: &str| {
        view.left_out
            .iter()
            .find(|one| one.file == file && one.fault)
            .unwrap_or_else(|| panic!("{file}: {:?}", view.left_out))
    };
    assert_eq!(fault(".kiro/specs/broken/tasks.md").line, Some(2));
    assert!(fault(".kiro/specs/broken/requirements.md").why.contains("tasks.md"));
    assert!(fault(".kiro/steering/secret.md").why.contains("link"));
    assert!(fault(".kiro/specs/linked").why.contains("link"));
    assert!(!f.path("specs/broken").exists());
    assert!(f.path("specs/sign-in/spec.md").exists());
    let latin = f.read("specs/latin/spec.md");
    assert!(latin.contains("### Requirement: Größe\n") && !latin.contains('\r'), "{latin}");
    assert!(view.notes.iter().any(|note| note.contains("Latin-1")), "{:?}", view.notes);
    assert!(files(f.root()).values().all(|bytes| !bytes.windows(12).any(|part| part == b"secret words")));
}

#[test]
fn a_name_that_is_taken_is_not_taken_twice() {
    let f = Fixture::new();
    f.write("specs/task-1/spec.md", "# Mine\n");
    f.write(
        "backlog/tasks/task-1 - A.md",
        "---\nid: task-1\ntitle: A\nstatus: To Do\n---\n## Description\nOne.\n",
    );
    f.write("tasks.json", r#"{"tasks":[{"id":1,"title":"B","status":"done"}]}"#);
    let backlog = run(&f, "backlog", None).unwrap();
    let master = run(&f, "task-master", None).unwrap();
    assert_eq!(f.read("specs/task-1/spec.md"), "# Mine\n");
    assert_eq!(
        (backlog.imported[0].id.as_str(), master.imported[0].id.as_str()),
        ("task-1-backlog", "task-1-task-master")
    );
    assert_eq!(run(&f, "backlog", None).unwrap().files.len(), 0);
}

#[test]
fn decisions_are_found_by_their_numbers_and_supersede() {
    let f = Fixture::new();
    std::fs::create_dir(f.path(".git")).unwrap();
    f.write("doc/adr/0001-use-bash.md", "# 1. Use bash\n\nDate: 2016-02-12\n\n## Status\n\nSuperceded by [2. Use Rust](0002-use-rust.md)\n\n## Decision\n\nBash.\n");
    f.write("doc/adr/0002-use-rust.md", "# 2. Use Rust\n\nDate: 2016-02-13\n\n## Status\n\nAccepted\n\nSupercedes [1. Use bash](0001-use-bash.md)\n\n## Decision\n\nRust.\n");
    let view = run(&f, "adr-tools", None).unwrap();
    assert_eq!(view.imported.len(), 2);
    let place = decision::Where {
        named: None,
        start: f.root().to_owned(),
        climb: decision::Climb::Up,
        reach: decision::RepositoryScope::Anywhere,
        trust: hewto_engine::trust::Trust::default(),
        search_path: Vec::new(),
    };
    let repository = decision::Repository::find(&place).unwrap();
    let shown = decision::show(&repository, &f.ctx, "ADR-2").unwrap();
    assert_eq!(shown.card.title, "Use Rust");
    assert_eq!(shown.supersedes, [view.imported[0].id.clone()]);
    assert!(shown.text.contains(&format!("]({}_use_bash.md)", view.imported[0].id)), "{}", shown.text);
    assert_eq!(run(&f, "adr-tools", None).unwrap().files.len(), 0);
}

#[test]
fn an_import_may_have_more_files_than_a_process_may_open() {
    let f = Fixture::new();
    let tasks: Vec<_> = (1..=400)
        .map(|id| serde_json::json!({ "id": id, "title": format!("Task {id}"), "status": "done", "subtasks": [{ "id": 1, "title": "One" }] }))
        .collect();
    f.write("tasks.json", serde_json::json!({ "tasks": tasks }).to_string());
    let view = run(&f, "task-master", None).unwrap();
    assert_eq!((view.imported.len(), view.files.len()), (400, 1_201));
    assert_eq!(run(&f, "task-master", None).unwrap().unchanged, 400);
}

#[test]
fn what_stands_here_is_proposed() {
    let f = Fixture::new();
    kiro(&f);
    f.write("docs/decisions/0001-a.md", "# A\n\n## Context and Problem Statement\n\nx\n");
    let view = propose(&f.ctx, f.root(), Some(f.ws.store())).unwrap();
    let formats: Vec<&str> = view.found.iter().map(|one| one.format.as_str()).collect();
    assert_eq!(formats, ["kiro", "madr"]);
}

#[test]
fn tasks_that_wait_for_each_other_are_told() {
    let f = Fixture::new();
    let task = |id: u32, needs: u32| {
        format!(
            "{{\"id\": {id}, \"title\": \"T{id}\", \"description\": \"d\", \"status\": \"pending\", \"dependencies\": [{needs}], \"subtasks\": []}}"
        )
    };
    let tasks = format!("{{\"master\": {{\"tasks\": [{}, {}]}}}}", task(1, 2), task(2, 1));
    f.write(".taskmaster/tasks/tasks.json", tasks);
    let told = run(&f, "task-master", None).unwrap().notes;
    assert!(
        told.iter().any(|note| note.contains("form a circle: `task-1` → `task-2` → `task-1`")),
        "{told:?}"
    );
    let again = run(&f, "task-master", None).unwrap();
    assert!(again.notes.is_empty(), "{again:?}");
}
