//! Sources that are broken, odd or huge: nothing panics, and what cannot be read is told with its line.

use proptest::prelude::*;

use super::{plan_of, read, spec_of, told};
use crate::import::{Format, conflict};

#[test]
fn a_half_written_tasks_file_is_told_with_its_line() {
    let bundle = read(
        Format::TaskMaster,
        &[("tasks.json", "{\n  \"master\": {\n    \"tasks\": [\n      { \"id\": 1, \"ti")],
    );
    assert!(bundle.items.is_empty());
    let [fault] = bundle.left_out.as_slice() else { panic!("{:?}", bundle.left_out) };
    assert_eq!((fault.line, fault.is_fault), (Some(4), true));
    assert!(fault.why.starts_with("it is not valid JSON: EOF"), "{}", fault.why);
}

#[test]
fn markers_of_a_merge_are_found_and_underlines_are_not() {
    assert_eq!(conflict("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n"), Some(2));
    assert_eq!(conflict("<<<<<<< HEAD\nb\n"), None);
    assert_eq!(conflict("Title\n=======\n"), None);
    assert_eq!(conflict("cat <<<<<<<EOF\n=======\n>>>>>>>x"), None);
}

#[test]
fn ids_that_stand_twice_get_numbers_and_are_told() {
    let spec = "# Feature Specification: X\n\n## Requirements\n\n- **FR-001**: System MUST one\n- **FR-001**: System MUST two\n";
    let bundle = read(Format::SpecKit, &[("specs/001-x/spec.md", spec)]);
    let text = spec_of(&bundle.items[0]);
    assert!(text.contains("spec-id: FR-001 ") && text.contains("spec-id: FR-001-2 "), "{text}");
    assert!(bundle.prose.iter().any(|one| one.what.contains("`FR-001` appears twice")), "{:?}", bundle.prose);
    let task = |title: &str| format!("---\nid: task-1\ntitle: {title}\n---\n## Description\n{title}\n");
    let [first, second] = [task("One"), task("Two")];
    let files =
        [("backlog/tasks/task-1 - a.md", first.as_str()), ("backlog/tasks/task-1 - b.md", second.as_str())];
    let bundle = read(Format::Backlog, &files);
    let ids: Vec<&str> = bundle.items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids, ["task-1", "task-1-2"]);
    assert!(bundle.prose.iter().any(|one| one.what.contains("`task-1-2`")), "{:?}", bundle.prose);
}

#[test]
fn prose_cannot_pretend_to_be_a_requirement() {
    let text = "# R\n\n## Requirements\n\n### Requirement 1: Real\n\n#### Acceptance Criteria\n\n1. WHEN a THEN the system SHALL b\n\n## Notes\n\n### Requirement: Fake\n\nNo.\n\n## ADDED Requirements\n\n```\nopen";
    let bundle = read(Format::Kiro, &[(".kiro/specs/x/requirements.md", text)]);
    let spec = spec_of(&bundle.items[0]);
    let document = crate::document::Document::parse(&spec);
    let names: Vec<&str> =
        crate::requirement::SpecDoc::read(&document).requirements.iter().map(|one| one.name).collect();
    assert_eq!(names, ["Real"], "{spec}");
    assert!(spec.contains("**Requirement: Fake**"), "{spec}");
}

#[test]
fn ten_thousand_tasks_are_read() {
    let tasks: Vec<_> = (1..=10_000)
        .map(|id| serde_json::json!({ "id": id, "title": format!("Task {id}"), "status": "pending", "dependencies": if id > 1 { vec![id - 1] } else { vec![] } }))
        .collect();
    let text = serde_json::json!({ "master": { "tasks": tasks } }).to_string();
    let bundle = read(Format::TaskMaster, &[("tasks.json", &text)]);
    assert_eq!(bundle.items.len(), 10_000);
    assert_eq!(bundle.items[9_999].depends_on, ["master 9999"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_a_reader_panic(text in "(?s).{0,300}", paths in proptest::sample::subsequence(PATHS.to_vec(), 0..=PATHS.len())) {
        let files: Vec<(&str, &str)> = paths.iter().map(|path| (*path, text.as_str())).collect();
        for format in Format::ALL {
            let wanted: Vec<(&str, &str)> = files.iter().filter(|(path, _)| format.wants(path)).copied().collect();
            let bundle = read(format, &wanted);
            told(&bundle);
            for item in &bundle.items {
                plan_of(item);
            }
        }
    }
}

const PATHS: &[&str] = &[
    "openspec/specs/a/spec.md",
    "openspec/changes/b/proposal.md",
    "specs/001-x/spec.md",
    "specs/001-x/tasks.md",
    "specs/001-x/plan.md",
    ".kiro/specs/x/requirements.md",
    ".kiro/specs/x/tasks.md",
    ".kiro/steering/tech.md",
    "backlog/tasks/task-1 - a.md",
    "backlog/decisions/decision-1 - b.md",
    ".spec-workflow/specs/x/requirements.md",
    ".spec-workflow/approvals/x/approval_1.json",
    "tasks.json",
    "doc/adr/0001-x.md",
    "requirements.md",
];
