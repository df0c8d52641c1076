//! Bad input to changes and specs: correct or refused with file, line and hint; never a byte lost.

use std::fmt::Write as _;

use hewto_engine::change::{self, ArchiveOptions, Archived, NewChange, ShowOptions};
use hewto_engine::check::{self, Strictness};
use hewto_engine::view::{ArchiveView, VerdictView};
use hewto_engine::{DEFAULT_MAX_CHARS, Error, Key, LayoutKind, PageRequest, Result, requirement};
use serde_json::Value;

use crate::support::Fixture;

const HEAD: &str = "# auth Specification\n\n## Purpose\nLet people in and keep everybody else out, at all times.\n\n## Requirements\n";
const LOGIN: &str = "\n### Requirement: Login\nThe system SHALL log in.\n\n#### Scenario: Good\n- **WHEN** it fits\n- **THEN** in\n";
const LOGOUT: &str = "\n### Requirement: Logout\nThe system SHALL log out.\n\n#### Scenario: Out\n- **WHEN** asked\n- **THEN** out\n";

/// A repository of OpenSpec with one spec and one change.
fn repository(spec: &str, delta: &str) -> Fixture {
    let fixture = Fixture::with_layout(LayoutKind::Openspec);
    fixture.write("openspec/specs/auth/spec.md", spec);
    fixture.write("openspec/changes/c/specs/auth/spec.md", delta);
    fixture
}

fn added(name: &str) -> String {
    format!(
        "## ADDED Requirements\n\n### Requirement: {name}\nIt SHALL do it.\n\n#### Scenario: S\n- **WHEN** w\n- **THEN** t\n"
    )
}

fn archive(fixture: &Fixture, id: &str) -> Result<ArchiveView> {
    let options = ArchiveOptions { allow_open_tasks: true, ..ArchiveOptions::default() };
    change::archive(&fixture.ws, &fixture.ctx, id, options)
}

fn verdict(fixture: &Fixture, id: Option<&str>) -> VerdictView {
    check::validate_change(&fixture.ws, &fixture.ctx, id, Strictness::Normal).unwrap()
}

/// The first reason of a refusal.
fn reason(error: &Error) -> &Value {
    &error.details["errors"][0]
}

/// Asserts that the archive is refused for this, that the verdict tells of it, and that nothing was written.
fn assert_refused(fixture: &Fixture, what: &str) {
    let before = fixture.read("openspec/specs/auth/spec.md");
    let error = archive(fixture, "c").unwrap_err();
    let first = reason(&error);
    assert!(first["message"].as_str().unwrap().contains(what), "{error:?}");
    assert!(first["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{error:?}");
    assert_eq!(fixture.read("openspec/specs/auth/spec.md"), before);
    let verdict = verdict(fixture, Some("c"));
    assert!(!verdict.errors.is_empty() || !verdict.warnings.is_empty(), "what archive refuses is reported");
}

fn archived(fixture: &Fixture) -> String {
    archive(fixture, "c").unwrap();
    fixture.read("openspec/specs/auth/spec.md")
}

// @spec specs#what-validates-can-be-read/a-heading-inside-a-code-fence
#[test]
fn fenced_headings_and_headings_in_comments_are_no_requirements() {
    let fenced = "\n```\n### Requirement: Fenced\n```\n";
    let spec = format!("{HEAD}{LOGIN}{fenced}{LOGOUT}");
    let after = archived(&repository(&spec, &added("New")));
    assert!(after.starts_with(&spec), "{after}");

    // OpenSpec takes what stands in comments for requirements, and its verdict counts in its repositories.
    let native = Fixture::new();
    let spec = format!("{HEAD}{LOGIN}{fenced}\n<!--\n### Requirement: Hidden\n-->\n{LOGOUT}");
    native.write("specs/auth/spec.md", &spec);
    native.write("changes/c/specs/auth/spec.md", added("New"));
    let list = requirement::of_spec(&native.ws, &native.ctx, "auth", &PageRequest::default()).unwrap();
    let names: Vec<&str> = list.requirements.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["Login", "Logout"]);
    archive(&native, "c").unwrap();
    let after = native.read("specs/auth/spec.md");
    assert!(after.starts_with(&spec), "{after}");
}

#[test]
fn requirements_that_stand_twice_are_reported_and_stop_the_archive() {
    let fixture = repository(&format!("{HEAD}{LOGIN}{LOGIN}"), &added("New"));
    let report = check::validate(&fixture.ws, &fixture.ctx, Strictness::Normal).unwrap();
    assert!(!report.valid);
    let issue = report.issues.iter().find(|issue| issue.code == "requirement-duplicate").unwrap();
    assert_eq!(issue.line, Some(15), "{report:?}");
    assert_refused(&fixture, "appears twice in the spec");
    let twice = format!("{}{}", added("New"), "\n### Requirement: New\nIt SHALL.\n\n#### Scenario: S\n- x\n");
    assert_refused(&repository(&format!("{HEAD}{LOGIN}"), &twice), "appears twice under ADDED");
}

#[test]
fn a_delta_for_a_spec_that_does_not_exist_may_only_add() {
    let fixture = repository(&format!("{HEAD}{LOGIN}"), "x");
    fixture.write(
        "openspec/changes/n/specs/new/spec.md",
        "## MODIFIED Requirements\n\n### Requirement: X\nIt SHALL.\n\n#### Scenario: S\n- x\n",
    );
    let error = archive(&fixture, "n").unwrap_err();
    assert!(reason(&error)["message"].as_str().unwrap().contains("there is no spec `new`"), "{error:?}");
    fixture.write("openspec/changes/n/specs/new/spec.md", added("X"));
    archive(&fixture, "n").unwrap();
    let spec = fixture.read("openspec/specs/new/spec.md");
    assert!(spec.contains("It came with the change `n`.") && !spec.contains("TBD"), "{spec}");
}

#[test]
fn a_rename_chain_is_followed_and_a_rename_onto_an_existing_name_is_refused() {
    let chain = "## RENAMED Requirements\n- FROM: `### Requirement: Login`\n- TO: `### Requirement: Entry`\n\
                 - FROM: `### Requirement: Entry`\n- TO: `### Requirement: Way in`\n";
    let after = archived(&repository(&format!("{HEAD}{LOGIN}{LOGOUT}"), chain));
    assert_eq!(after, format!("{HEAD}{LOGIN}{LOGOUT}").replace(": Login", ": Way in"));
    let onto = "## RENAMED Requirements\n- FROM: `### Requirement: Login`\n- TO: `### Requirement: Logout`\n";
    assert_refused(&repository(&format!("{HEAD}{LOGIN}{LOGOUT}"), onto), "is in the spec already");
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
fn a_linked_change_folder_is_reported_and_refused() {
    let fixture = repository(&format!("{HEAD}{LOGIN}"), &added("New"));
    std::os::unix::fs::symlink("c", fixture.path("openspec/changes/link")).unwrap();
    let list = change::list(&fixture.ws, &fixture.ctx, Archived::LeftOut, &PageRequest::default()).unwrap();
    assert_eq!(list.changes.len(), 1);
    assert_eq!(list.not_listed, ["openspec/changes/link: a link, and links are not followed"]);
    let verdict = verdict(&fixture, None);
    assert!(verdict.valid, "the verdict stays OpenSpec's: {verdict:?}");
    let warning = &verdict.warnings[0];
    assert_eq!((warning.file.as_str(), warning.code.as_str()), ("openspec/changes/link", "change-folder"));
    let error = archive(&fixture, "link").unwrap_err();
    assert_eq!(error.key, Key::ChangeNotFound);
    assert!(error.plain_hint().unwrap().contains("is a link"), "{error:?}");
}

#[test]
fn ids_that_lead_out_are_refused() {
    let fixture = repository(&format!("{HEAD}{LOGIN}"), &added("New"));
    let (ws, ctx) = (&fixture.ws, &fixture.ctx);
    let new = |id: &str| {
        let new = NewChange {
            change_id: id.to_owned(),
            why: "Because people ask for it every week.".to_owned(),
            what_changes: "- it".to_owned(),
            ..NewChange::default()
        };
        change::create(ws, ctx, &new).map(drop)
    };
    for id in ["..", "../..", "a/../..", "/etc", "a/b", "", "a\\b", "a\nb"] {
        for outcome in [
            change::show(ws, ctx, id, &ShowOptions::default()).map(drop),
            change::diff(ws, ctx, id, DEFAULT_MAX_CHARS).map(drop),
            archive(&fixture, id).map(drop),
            new(id),
            requirement::of_spec(ws, ctx, id, &PageRequest::default()).map(drop),
        ] {
            let error = outcome.unwrap_err();
            assert!(error.plain_hint().is_some_and(|hint| !hint.is_empty()), "{id:?}: {error:?}");
        }
    }
    let error = new("archive").unwrap_err();
    assert!(error.message.contains("reserved"), "{error:?}");
}

#[test]
fn files_that_are_no_text_are_findings_and_hide_nobody() {
    let fixture = repository(&format!("{HEAD}{LOGIN}"), &added("New"));
    fixture.write("openspec/changes/bad/specs/auth/spec.md", b"## ADDED Requirements\n\xff\xfe\n");
    fixture.write("openspec/changes/bad/tasks.md", b"- [ ] 1.1 \xff\n");
    let (ws, ctx) = (&fixture.ws, &fixture.ctx);
    let list = change::list(ws, ctx, Archived::LeftOut, &PageRequest::default()).unwrap();
    assert_eq!(list.changes.len(), 2);
    change::overlaps(ws, ctx).unwrap();
    change::show(ws, ctx, "bad", &ShowOptions::default()).unwrap();
    let verdict = verdict(&fixture, None);
    let unreadable = verdict.errors.iter().filter(|item| item.code == "file-unreadable");
    assert_eq!(
        unreadable.map(|item| item.file.as_str()).collect::<Vec<_>>(),
        ["openspec/changes/bad/specs/auth/spec.md", "openspec/changes/bad/tasks.md"],
        "{verdict:?}"
    );
    assert_eq!(archive(&fixture, "bad").unwrap_err().key, Key::ArchiveRefused);
    archived(&fixture);
}
