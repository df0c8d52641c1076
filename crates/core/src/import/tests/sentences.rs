//! Every sentence of a source is in the result or in the report, whatever order its parts come in.

use proptest::prelude::*;

use super::{read, told};
use crate::import::Format;

/// Lines of a document; `%` stands for three words that nothing else has.
fn document(kinds: &[&str], picks: &[usize], counter: &mut usize) -> String {
    let mut out = String::new();
    for pick in picks {
        let kind = kinds[pick % kinds.len()];
        for part in kind.split_inclusive('%') {
            match part.strip_suffix('%') {
                Some(before) => {
                    out.push_str(before);
                    let words: Vec<String> = (0..3)
                        .map(|_| {
                            *counter += 1;
                            format!("zq{counter}x")
                        })
                        .collect();
                    out.push_str(&words.join(" "));
                }
                None => out.push_str(part),
            }
        }
        out.push('\n');
    }
    out
}

fn missing(source: &str, told: &str) -> Vec<String> {
    let words = |text: &str| -> std::collections::HashSet<String> {
        text.split(|ch: char| !ch.is_alphanumeric())
            .filter(|word| word.starts_with("zq"))
            .map(str::to_owned)
            .collect()
    };
    let known = words(told);
    let mut lost: Vec<String> = words(source).into_iter().filter(|word| !known.contains(word)).collect();
    lost.sort();
    lost
}

const MARKDOWN: &[&str] = &[
    "",
    "%",
    "% %.\n%",
    "- %",
    "  - %",
    "* %\n  %",
    "1. %",
    "3. WHEN % THEN the system SHALL %",
    "2. **Given** %, **When** %, **Then** %",
    "- [ ] %",
    "- [x] 1.2 %\n  - %\n  - _Requirements: 1.1_",
    "- [ ]* 2. %",
    "- [-] T001 [P] [US1] % (depends on T002)",
    "- **FR-001**: System MUST %",
    "- **SC-002**: %\n  %",
    "# %",
    "## %",
    "### %",
    "#### %",
    "##### %",
    "## Requirements",
    "### Requirement 1",
    "### Requirement 2: %",
    "### Requirement: %",
    "#### Acceptance Criteria",
    "### User Story 1 - % (Priority: P1)",
    "**Acceptance Scenarios**:",
    "## User Scenarios & Testing",
    "## Introduction",
    "## Description",
    "## Acceptance Criteria",
    "- [x] #1 %",
    "## Implementation Plan",
    "## Definition of Done",
    "## Status",
    "Supersedes [%](0002-x.md)",
    "## Decision Outcome",
    "## Purpose",
    "## Summary",
    "**User Story:** As a %, I want %",
    "<!-- % -->",
    "<!--\n%\n-->\n%",
    "```\n# %\n- [ ] %\n```",
    "~~~\n<!-- %\n~~~",
    "> %",
    "| % | % |",
    "---",
    "%\n===",
    "The system shall %.",
    "While %, when %, the app shall %",
    "`<!--` %",
    "Größe % ß",
];

fn picks() -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(0..MARKDOWN.len(), 0..40)
}

fn check(format: Format, paths: &[&str], picks: &[Vec<usize>]) {
    let mut counter = 0;
    let texts: Vec<String> = picks.iter().map(|picks| document(MARKDOWN, picks, &mut counter)).collect();
    let files: Vec<(&str, &str)> = paths.iter().copied().zip(texts.iter().map(String::as_str)).collect();
    let told = told(&read(format, &files));
    let lost: Vec<String> = texts.iter().flat_map(|text| missing(text, &told)).collect();
    assert!(lost.is_empty(), "{format} lost {lost:?} of\n{}\nin\n{told}", texts.join("\n=====\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn spec_kit_loses_no_sentence(spec in picks(), plan in picks(), tasks in picks()) {
        check(Format::SpecKit, &["specs/001-x/spec.md", "specs/001-x/plan.md", "specs/001-x/tasks.md"], &[spec, plan, tasks]);
    }

    #[test]
    fn kiro_loses_no_sentence(requirements in picks(), design in picks(), tasks in picks()) {
        let paths = [".kiro/specs/x/requirements.md", ".kiro/specs/x/design.md", ".kiro/specs/x/tasks.md"];
        check(Format::Kiro, &paths, &[requirements, design, tasks]);
    }

    #[test]
    fn spec_workflow_loses_no_sentence(requirements in picks(), log in picks(), tasks in picks()) {
        let root = ".spec-workflow/specs/x/";
        let paths = ["requirements.md", "Implementation Logs/task-1_2026_a.md", "tasks.md"].map(|name| format!("{root}{name}"));
        check(Format::SpecWorkflow, &paths.each_ref().map(String::as_str), &[requirements, log, tasks]);
    }

    #[test]
    fn backlog_loses_no_sentence(task in picks(), decision in picks(), doc in picks()) {
        let paths = ["backlog/tasks/task-1 - x.md", "backlog/decisions/decision-1 - y.md", "backlog/docs/doc-1 - z.md"];
        check(Format::Backlog, &paths, &[task, decision, doc]);
    }

    #[test]
    fn records_lose_no_sentence(first in picks(), second in picks()) {
        check(Format::AdrTools, &["doc/adr/0001-a.md", "doc/adr/0002-x.md"], &[first.clone(), second.clone()]);
        check(Format::Madr, &["docs/decisions/0001-a.md", "docs/decisions/0002-x.md"], &[first, second]);
    }

    #[test]
    fn ears_loses_no_sentence(text in picks()) {
        let with_one: Vec<usize> = text.into_iter().chain([MARKDOWN.len() - 4]).collect();
        check(Format::Ears, &["requirements.md"], &[with_one]);
    }

    #[test]
    fn openspec_keeps_every_byte(spec in picks(), proposal in picks()) {
        check(Format::Openspec, &["openspec/specs/x/spec.md", "openspec/changes/y/proposal.md"], &[spec, proposal]);
    }

    #[test]
    fn task_master_loses_no_word(texts in proptest::collection::vec("[a-z#`*<>\\-\\[\\] \n]{0,40}", 6)) {
        let mut at = 0;
        let mut word = |text: &str| { at += 1; format!("{text} zq{at}x") };
        let task = serde_json::json!({
            "id": 1, "title": word(&texts[0]), "description": word(&texts[1]), "details": word(&texts[2]),
            "testStrategy": word(&texts[3]), "status": "done", "priority": word("high"),
            "subtasks": [{ "id": 1, "title": word(&texts[4]), "details": word(&texts[5]), "status": "pending" }]
        });
        let text = serde_json::json!({ "master": { "tasks": [task] } }).to_string();
        let told = told(&read(Format::TaskMaster, &[("tasks.json", &text)]));
        prop_assert!(missing(&text, &told).is_empty(), "{:?} of {text} in {told}", missing(&text, &told));
    }
}
