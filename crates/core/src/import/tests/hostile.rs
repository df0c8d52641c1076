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
fn ids_that_differ_in_case_alone_are_the_same_and_lose_nothing() {
    let task =
        |id: &str, title: &str| format!("---\nid: {id}\ntitle: {title}\n---\n## Description\n{title}\n");
    let texts = [task("TASK-1", "One"), task("task-1", "Two"), task("Task-1", "Three")];
    let names = ["backlog/tasks/task-1 - a.md", "backlog/tasks/task-1 - b.md", "backlog/archive/tasks/c.md"];
    let files: Vec<(&str, &str)> = names.into_iter().zip(texts.iter().map(String::as_str)).collect();
    let bundle = read(Format::Backlog, &files);
    let keys: std::collections::BTreeSet<&str> = bundle.items.iter().map(|item| item.key.as_str()).collect();
    assert_eq!(keys.len(), 3, "{keys:?}");
    let ids: Vec<&str> = bundle.items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids, ["task-1", "task-1-2", "task-1-3"]);
}

#[test]
fn front_matter_that_never_ends_is_told_instead_of_read_as_prose() {
    let open = "---\nid: TASK-2\ntitle: No end\nstatus: Done\n\n## Description\n\nText\n";
    for (format, path) in [
        (Format::Backlog, "backlog/tasks/task-2 - no-end.md"),
        (Format::Backlog, "backlog/decisions/decision-2 - no-end.md"),
        (Format::Madr, "docs/decisions/0002-no-end.md"),
    ] {
        let bundle = read(format, &[(path, open)]);
        assert!(bundle.items.is_empty() && bundle.decisions.is_empty(), "{path}");
        let [fault] = bundle.left_out.as_slice() else { panic!("{:?}", bundle.left_out) };
        assert_eq!((fault.line, fault.is_fault), (Some(1), true), "{path}");
    }
    let ruled = "---\n\n# 1. A rule above the title\n\nDate: 2016-02-13\n\n## Decision\n\nYes.\n";
    let bundle = read(Format::AdrTools, &[("doc/adr/0001-rule.md", ruled)]);
    assert_eq!(bundle.decisions.len(), 1, "{:?}", bundle.left_out);
}

#[test]
fn nothing_of_a_task_with_odd_values_is_lost() {
    let tasks = r#"{ "tasks": [
        { "id": 1, "title": "One", "subtasks": { "odd": "shape" }, "dependencies": "two, three" },
        { "id": 1, "title": "Twin", "description": "the other text" },
        { "id": 2, "title": "Two", "subtasks": ["a word", { "id": 1, "title": "Step", "subtasks": [{ "id": 1, "title": "Deep" }] }] }
    ] }"#;
    let told = told(&read(Format::TaskMaster, &[("tasks.json", tasks)]));
    for words in ["shape", "two, three", "the other text", "a word", "Deep"] {
        assert!(told.contains(words), "{words} is not in:\n{told}");
    }
}

#[test]
fn a_date_that_is_no_day_is_told_with_its_line_and_kept() {
    let old = "# 1. One\n\nDate: 2016-02-30\n\n## Status\n\nAccepted\n\n## Decision\n\nYes.\n";
    let new = "---\ndate: 2024-13-01\n---\n# Two\n\n## Decision Outcome\n\nYes.\n";
    for (format, path, text, line, said) in [
        (Format::AdrTools, "doc/adr/0001-one.md", old, 3, "2016-02-30"),
        (Format::Madr, "docs/decisions/0002-two.md", new, 1, "2024-13-01"),
    ] {
        let bundle = read(format, &[(path, text)]);
        assert_eq!(bundle.decisions[0].date, None);
        let [odd] = bundle.prose.as_slice() else { panic!("{:?}", bundle.prose) };
        assert_eq!((odd.file.as_str(), odd.line), (path, line));
        assert!(odd.text.contains(said) && told(&bundle).contains(said), "{odd:?}");
    }
}

#[test]
fn line_ends_alone_are_no_news() {
    let spec = "# A\n\n## Purpose\n\nWhat it is for.\n\n## Requirements\n\n### Requirement: One\nIt SHALL hold.\n\n#### Scenario: yes\n- **WHEN** a\n- **THEN** b\n";
    let other = spec.replace('\n', "\r\n");
    for (base, now) in [(other.as_str(), spec), (spec, other.as_str())] {
        let news = crate::import::renew::spec(base, Some(base), now);
        assert!(news.delta.is_empty() && news.sections.is_empty(), "{news:?}");
    }
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
