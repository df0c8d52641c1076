//! `hewto import` and `hewto export`, as people see them.

use crate::sandbox::Sandbox;

fn kiro(sandbox: &Sandbox) {
    sandbox.write(
        ".kiro/specs/sign-in/requirements.md",
        "# Requirements Document\n\n## Introduction\n\nPeople sign in so that their orders stay their own.\n\n## Glossary\n\n- Session: an hour\n\n## Requirements\n\n### Requirement 1: Sign in\n\n**User Story:** As a user, I want to sign in.\n\n#### Acceptance Criteria\n\n1. WHEN the password is right THEN the system SHALL start a session\n",
    );
    sandbox.write(
        ".kiro/specs/sign-in/tasks.md",
        "# Implementation Plan\n\n- [ ] 1. Sessions\n  - _Requirements: 1.1_\n",
    );
}

#[test]
fn an_import_is_proposed_previewed_made_and_made_once() {
    let sandbox = Sandbox::workspace();
    kiro(&sandbox);
    insta::assert_snapshot!(sandbox.run(&["import"]));
    insta::assert_snapshot!(sandbox.run(&["import", "kiro", "--dry-run"]));
    insta::assert_snapshot!(sandbox.run(&["import", "kiro"]));
    insta::assert_snapshot!(sandbox.run(&["import", "kiro", "--json"]));
    insta::assert_snapshot!(sandbox.run(&["validate"]));
}

#[test]
fn a_broken_source_is_told_with_its_line_and_exit_code() {
    let sandbox = Sandbox::workspace();
    sandbox.write("tasks.json", "{\n  \"tasks\": [\n    { \"id\": 1,");
    insta::assert_snapshot!(sandbox.run(&["import", "task-master"]));
    insta::assert_snapshot!(sandbox.run(&["import", "backlog"]));
}

#[test]
fn exports_go_where_they_are_sent_and_over_nothing() {
    let sandbox = Sandbox::workspace();
    kiro(&sandbox);
    sandbox.run(&["import", "kiro"]);
    insta::assert_snapshot!(sandbox.run(&["export", "csv"]));
    insta::assert_snapshot!(sandbox.run(&["export", "html", "page.html"]));
    assert!(sandbox.read("page.html").starts_with("<!doctype html>"));
    sandbox.write("page.html", "mine");
    insta::assert_snapshot!(sandbox.run(&["export", "html", "page.html"]));
    assert_eq!(sandbox.read("page.html"), "mine");
    insta::assert_snapshot!(sandbox.run(&["export", "openspec", "out"]));
    assert!(sandbox.read("out/openspec/specs/sign-in/spec.md").contains("### Requirement: Sign in"));
    insta::assert_snapshot!(sandbox.run(&["export", "openspec"]));
}

#[test]
fn nothing_is_made_where_nothing_can_be_imported() {
    let sandbox = Sandbox::empty();
    sandbox.write("tasks.json", "{\n  \"tasks\": [\n    { \"id\": 1,");
    let shown = sandbox.run(&["import", "task-master"]);
    assert!(shown.contains("tasks.json:3") && shown.contains("[exit 1]"), "{shown}");
    let names: Vec<_> =
        fs_err::read_dir(sandbox.project()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["tasks.json"]);
}

#[test]
fn a_dry_run_without_a_workspace_names_the_files_of_the_one_it_would_make() {
    let sandbox = Sandbox::empty();
    kiro(&sandbox);
    let planned = named(&sandbox.run(&["import", "kiro", "--dry-run", "--json"]));
    assert!(planned.contains(&".hewto/config.toml".to_owned()), "{planned:?}");
    let made = named(&sandbox.run(&["import", "kiro", "--json"]));
    assert_eq!(planned, made);
    for file in &made {
        assert!(sandbox.project().join(file).is_file(), "{file}");
    }
}

/// The files that a report names.
fn named(shown: &str) -> Vec<String> {
    let start = shown.find('{').expect("a report");
    let mut reports = serde_json::Deserializer::from_str(&shown[start..]).into_iter::<serde_json::Value>();
    let report = reports.next().expect("a report").expect("JSON");
    let files = report["files"].as_array().expect("files");
    files.iter().map(|file| file["file"].as_str().expect("a name").to_owned()).collect()
}
