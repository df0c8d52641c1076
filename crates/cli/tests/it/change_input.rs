//! Bad input to changes and specs: correct or refused with file, line and hint; never a panic, never a byte lost.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

const HEAD: &str = "# auth Specification\n\n## Purpose\nLet people in and keep everybody else out, at all times.\n\n## Requirements\n";
const LOGIN: &str = "\n### Requirement: Login\nThe system SHALL log in.\n\n#### Scenario: Good\n- **WHEN** it fits\n- **THEN** in\n";
const LOGOUT: &str = "\n### Requirement: Logout\nThe system SHALL log out.\n\n#### Scenario: Out\n- **WHEN** asked\n- **THEN** out\n";

/// A repository of OpenSpec with one spec and one change.
fn repository(spec: &str, delta: &str) -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("openspec/specs/auth/spec.md", spec);
    sandbox.write("openspec/changes/c/specs/auth/spec.md", delta);
    sandbox
}

fn added(name: &str) -> String {
    format!(
        "## ADDED Requirements\n\n### Requirement: {name}\nIt SHALL do it.\n\n#### Scenario: S\n- **WHEN** w\n- **THEN** t\n"
    )
}

/// The answer of a run, whatever its exit code, and that code.
fn answer(sandbox: &Sandbox, args: &[&str]) -> (Value, Option<i32>) {
    let output = sandbox.output(&[args, &["--json"]].concat());
    let said = if output.stdout.is_empty() { output.stderr } else { output.stdout };
    let shown = String::from_utf8_lossy(&said);
    (serde_json::from_str(&shown).unwrap_or_else(|error| panic!("{error}: {shown}")), output.status.code())
}

/// Archives, expects a refusal, and that nothing was written.
fn refused(sandbox: &Sandbox, what: &str) -> Value {
    let before = sandbox.read("openspec/specs/auth/spec.md");
    let (error, code) = answer(sandbox, &["change", "archive", "c", "--yes"]);
    assert_eq!(code, Some(1), "{error}");
    let first = &error["errors"][0];
    assert!(first["message"].as_str().unwrap().contains(what), "{error}");
    assert!(first["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{error}");
    assert_eq!(sandbox.read("openspec/specs/auth/spec.md"), before);
    let (verdict, _) = answer(sandbox, &["change", "validate", "c"]);
    let told = verdict["errors"].as_array().unwrap().len() + verdict["warnings"].as_array().unwrap().len();
    assert!(told > 0, "what archive refuses is reported: {verdict}");
    error
}

fn archived(sandbox: &Sandbox) -> String {
    let (view, code) = answer(sandbox, &["change", "archive", "c", "--yes"]);
    assert_eq!(code, Some(0), "{view}");
    sandbox.read("openspec/specs/auth/spec.md")
}

// @spec specs#what-validates-can-be-read/a-heading-inside-a-code-fence
#[test]
fn fenced_headings_and_headings_in_comments_are_no_requirements() {
    let fenced = "\n```\n### Requirement: Fenced\n```\n";
    let spec = format!("{HEAD}{LOGIN}{fenced}{LOGOUT}");
    let sandbox = repository(&spec, &added("New"));
    let after = archived(&sandbox);
    assert!(after.starts_with(&spec), "{after}");

    // OpenSpec takes what stands in comments for requirements, and its verdict counts in its repositories.
    let native = Sandbox::workspace();
    let spec = format!("{HEAD}{LOGIN}{fenced}\n<!--\n### Requirement: Hidden\n-->\n{LOGOUT}");
    native.write("specs/auth/spec.md", &spec);
    native.write("changes/c/specs/auth/spec.md", &added("New"));
    let list = native.json(&["requirement", "list", "auth"]);
    let names: Vec<&str> =
        list["requirements"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Login", "Logout"]);
    native.ok(&["change", "archive", "c", "--yes"]);
    let after = native.read("specs/auth/spec.md");
    assert!(after.starts_with(&spec), "{after}");
}

#[test]
fn requirements_that_stand_twice_are_reported_and_stop_the_archive() {
    let sandbox = repository(&format!("{HEAD}{LOGIN}{LOGIN}"), &added("New"));
    let (report, code) = answer(&sandbox, &["validate"]);
    assert_eq!(code, Some(1));
    let issue =
        report["issues"].as_array().unwrap().iter().find(|one| one["code"] == "requirement-duplicate");
    assert_eq!(issue.unwrap()["line"], json!(15), "{report}");
    refused(&sandbox, "appears twice in the spec");
    let twice = format!("{}{}", added("New"), "\n### Requirement: New\nIt SHALL.\n\n#### Scenario: S\n- x\n");
    refused(&repository(&format!("{HEAD}{LOGIN}"), &twice), "appears twice under ADDED");
}

#[test]
fn a_delta_for_a_spec_that_does_not_exist_may_only_add() {
    let sandbox = repository(&format!("{HEAD}{LOGIN}"), "x");
    sandbox.write(
        "openspec/changes/n/specs/new/spec.md",
        "## MODIFIED Requirements\n\n### Requirement: X\nIt SHALL.\n\n#### Scenario: S\n- x\n",
    );
    let (error, code) = answer(&sandbox, &["change", "archive", "n", "--yes"]);
    assert_eq!(code, Some(1));
    assert!(error["errors"][0]["message"].as_str().unwrap().contains("there is no spec `new`"), "{error}");
    sandbox.write("openspec/changes/n/specs/new/spec.md", &added("X"));
    sandbox.ok(&["change", "archive", "n", "--yes"]);
    let spec = sandbox.read("openspec/specs/new/spec.md");
    assert!(spec.contains("It came with the change `n`.") && !spec.contains("TBD"), "{spec}");
}

#[test]
fn a_rename_chain_is_followed_and_a_rename_onto_an_existing_name_is_refused() {
    let chain = "## RENAMED Requirements\n- FROM: `### Requirement: Login`\n- TO: `### Requirement: Entry`\n\
                 - FROM: `### Requirement: Entry`\n- TO: `### Requirement: Way in`\n";
    let after = archived(&repository(&format!("{HEAD}{LOGIN}{LOGOUT}"), chain));
    assert_eq!(after, format!("{HEAD}{LOGIN}{LOGOUT}").replace(": Login", ": Way in"));
    let onto = "## RENAMED Requirements\n- FROM: `### Requirement: Login`\n- TO: `### Requirement: Logout`\n";
    refused(&repository(&format!("{HEAD}{LOGIN}{LOGOUT}"), onto), "is in the spec already");
}

#[test]
fn crlf_and_bom_files_keep_their_bytes() {
    let spec = format!("\u{feff}{HEAD}{LOGIN}{LOGOUT}").replace('\n', "\r\n");
    let after = archived(&repository(&spec, &added("New")));
    assert!(after.starts_with(&spec), "{after:?}");
    let rest = &after[spec.len()..];
    assert!(
        rest.contains("### Requirement: New\r\n") && !rest.replace("\r\n", "").contains('\n'),
        "{rest:?}"
    );
    // A delta with them is read like any other.
    let delta = format!("\u{feff}{}", added("New")).replace('\n', "\r\n");
    let after = archived(&repository(&format!("{HEAD}{LOGIN}"), &delta));
    assert!(after.contains("### Requirement: New\n") && !after.contains('\r'), "{after:?}");
}

#[test]
fn a_spec_of_eleven_thousand_lines_is_updated_in_place() {
    let mut spec = HEAD.to_owned();
    for n in 0..200 {
        let _ = write!(spec, "\n### Requirement: R{n}\nThe system SHALL do {n}.\n");
        for s in 0..10 {
            let _ = write!(spec, "\n#### Scenario: S{s}\n- **WHEN** {n}\n- **THEN** {s}\n- **AND** more\n");
        }
    }
    assert!(spec.lines().count() > 10_000);
    let delta = "## REMOVED Requirements\n- `### Requirement: R100`\n\n## RENAMED Requirements\n\
                 - FROM: `### Requirement: R7`\n- TO: `### Requirement: Seven`\n";
    let after = archived(&repository(&spec, delta));
    let (start, end) =
        (spec.find("### Requirement: R100\n").unwrap(), spec.find("### Requirement: R101\n").unwrap());
    let expected = format!("{}{}", &spec[..start], &spec[end..]).replace(": R7\n", ": Seven\n");
    assert_eq!(after, expected);
}

#[test]
fn every_cut_off_falls_between_characters() {
    let word = "日本語🙂é̂".repeat(60);
    let spec = format!(
        "# {word}\n\n## Purpose\n{word}\n\n## Requirements\n\n### Requirement: {word}\n{word} SHALL {word}\n\n#### Scenario: {word}\n- **WHEN** {word}\n- **THEN** {word}\n"
    );
    let sandbox = repository(&spec, &added(&word));
    sandbox.write(
        "openspec/changes/c/proposal.md",
        &format!("# Change: {word}\n\n## Why\n{word}\n\n## What Changes\n{word}\n"),
    );
    sandbox.write("openspec/changes/c/tasks.md", &format!("- [ ] {word}\n- [ ] 1.1 {word}\n"));
    for args in [
        &["validate"][..],
        &["change", "list"],
        &["change", "show", "c"],
        &["change", "diff", "c"],
        &["change", "validate", "c"],
        &["requirement", "list", "auth"],
        &["requirement", "show", "auth", &word],
        &["change", "archive", "c", "--dry-run"],
        &["status"],
    ] {
        let output = sandbox.output(args);
        let shown = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.code().is_some_and(|code| code < 2) && !shown.contains("panicked"),
            "{args:?}: {shown}"
        );
        assert!(std::str::from_utf8(&output.stdout).is_ok(), "{args:?}");
    }
}

#[test]
fn a_linked_change_folder_is_reported_and_refused() {
    let sandbox = repository(&format!("{HEAD}{LOGIN}"), &added("New"));
    std::os::unix::fs::symlink("c", sandbox.project().join("openspec/changes/link")).unwrap();
    let list = sandbox.json(&["change", "list"]);
    assert_eq!(list["changes"].as_array().unwrap().len(), 1);
    assert_eq!(list["not_listed"], json!(["openspec/changes/link: a link, and links are not followed"]));
    let (verdict, code) = answer(&sandbox, &["change", "validate"]);
    assert_eq!(code, Some(0), "the verdict stays OpenSpec's: {verdict}");
    let warning = &verdict["warnings"][0];
    assert_eq!(
        (&warning["file"], &warning["code"]),
        (&json!("openspec/changes/link"), &json!("change-folder"))
    );
    let (error, code) = answer(&sandbox, &["change", "archive", "link", "--yes"]);
    assert_eq!((code, &error["error"]), (Some(1), &json!("change_not_found")));
    assert!(error["hint"].as_str().unwrap().contains("is a link"), "{error}");
}

#[test]
fn ids_that_lead_out_are_refused() {
    let sandbox = repository(&format!("{HEAD}{LOGIN}"), &added("New"));
    fs_err::write(sandbox.root().join("proposal.md"), "# outside\n").unwrap();
    for id in ["..", "../..", "a/../..", "/etc", "a/b", "", "a\\b", "a\nb"] {
        for command in ["show", "diff", "archive", "new"] {
            let (error, code) = answer(&sandbox, &["change", command, id]);
            assert!(matches!(code, Some(1 | 2)), "{command} {id:?}: {error}");
            assert!(error["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{command} {id:?}: {error}");
        }
        let (error, code) = answer(&sandbox, &["requirement", "list", id]);
        assert!(matches!(code, Some(1 | 2)), "{id:?}: {error}");
    }
    let (error, _) = answer(&sandbox, &["change", "new", "archive"]);
    assert!(error["message"].as_str().unwrap().contains("reserved"), "{error}");
}

#[test]
fn files_that_are_no_text_are_findings_and_hide_nobody() {
    let sandbox = repository(&format!("{HEAD}{LOGIN}"), &added("New"));
    let bad = sandbox.project().join("openspec/changes/bad");
    fs_err::create_dir_all(bad.join("specs/auth")).unwrap();
    fs_err::write(bad.join("specs/auth/spec.md"), b"## ADDED Requirements\n\xff\xfe\n").unwrap();
    fs_err::write(bad.join("tasks.md"), b"- [ ] 1.1 \xff\n").unwrap();
    assert_eq!(sandbox.json(&["change", "list"])["changes"].as_array().unwrap().len(), 2);
    sandbox.ok(&["change", "overlaps"]);
    sandbox.ok(&["change", "show", "bad"]);
    let (verdict, code) = answer(&sandbox, &["change", "validate"]);
    assert_eq!(code, Some(1));
    let files: Vec<&str> = verdict["errors"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|item| item["code"] == "file-unreadable")
        .map(|item| item["file"].as_str().unwrap())
        .collect();
    assert_eq!(
        files,
        ["openspec/changes/bad/specs/auth/spec.md", "openspec/changes/bad/tasks.md"],
        "{verdict}"
    );
    let (error, code) = answer(&sandbox, &["change", "archive", "bad", "--yes"]);
    assert_eq!((code, &error["error"]), (Some(1), &json!("archive_refused")));
    archived(&sandbox);
}
