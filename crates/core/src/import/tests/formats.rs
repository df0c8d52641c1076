//! What each format becomes, on small sources in the shape of the tools: spec-kit 1.0.2, Kiro as of August 2026, Backlog.md
//! 1.50.1, spec-workflow-mcp 2.2.7, Task Master 0.43.1, adr-tools 3.0.0 and MADR 4.0.0.

use super::{plan_of, read, spec_of};
use crate::import::{Format, superseding};
use crate::lifecycle::Lifecycle;
use crate::plan::{Plan, StepStatus};

const SPEC: &str = "# Feature Specification: Photo albums

**Feature Branch**: `001-photo-albums`

**Status**: Draft

## User Scenarios & Testing *(mandatory)*

### User Story 1 - Make an album (Priority: P1)

People sort photos by day.

**Why this priority**: nothing works without it

**Acceptance Scenarios**:

1. **Given** no album, **When** a day is chosen, **Then** an album of that day appears
2. **When** nothing is chosen, **Then** nothing happens

---

### Edge Cases

- What if a photo has no date?

## Requirements *(mandatory)*

### Functional Requirements

- **FR-001**: System MUST show albums by day
- **FR-002**: When a photo is dropped on an album, the system MUST move it

### Key Entities

- **Album**: a day with photos

## Success Criteria *(mandatory)*

### Measurable Outcomes

- **SC-001**: Albums open in under a second
";

const TASKS: &str = "# Tasks: Photo albums

**Input**: Design documents

## Phase 1: Setup (Shared Infrastructure)

**Purpose**: Project structure

- [x] T001 Create the project
- [ ] T002 [P] Configure linting

## Phase 2: User Story 1 - Make an album (Priority: P1)

- [ ] T003 [P] [US1] Album model in src/album.rs
- [ ] T004 [US1] Album service (depends on T003)

## Phase 3: User Story 2 - Share

- [ ] T005 [US2] Share an album

## Phase 4: Polish

- [ ] T006 Write the guide

## Notes

- Commit often
";

#[test]
fn spec_kit_becomes_requirements_with_scenarios_and_steps_that_wait() {
    let files = [
        ("specs/001-photo-albums/spec.md", SPEC),
        ("specs/001-photo-albums/tasks.md", TASKS),
        (
            "specs/001-photo-albums/plan.md",
            "# Plan\n\n## Summary\n\nA small app.\n\n## Technical Context\n\nRust\n",
        ),
        ("specs/001-photo-albums/contracts/api.yaml", "openapi: 3.1.0\n"),
        (".specify/memory/constitution.md", "# Constitution\n\nTest first.\n"),
    ];
    let bundle = read(Format::SpecKit, &files);
    let item = &bundle.items[0];
    assert_eq!((item.id.as_str(), item.title.as_str()), ("001-photo-albums", "Photo albums"));
    insta::assert_snapshot!(spec_of(item));
    insta::assert_snapshot!(plan_of(item));
    let names: Vec<&str> = item.files.iter().map(|file| file.to.as_str()).collect();
    assert_eq!(names, ["task-notes.md", "technical-plan.md", "contracts/api.yaml"]);
    assert_eq!(bundle.documents[0].to, "standards/constitution.md");
    assert_eq!(item.state.as_ref().unwrap().0, Lifecycle::Active);
}

#[test]
fn kiro_becomes_scenarios_and_steps_that_prove_them() {
    let requirements = "# Requirements Document\n\n## Introduction\n\nSign in safely.\n\n## Glossary\n\n- **System**: the shop\n\n## Requirements\n\n### Requirement 1: Sign in\n\n**User Story:** As a user, I want to sign in, so that my orders are mine.\n\n#### Acceptance Criteria\n\n1. WHEN the password is right THEN the System SHALL start a session\n2. IF the password is wrong THEN the System SHALL refuse\n3. WHILE locked, WHEN a user signs in, THE System SHALL say so\n\n### Requirement 2\n\n**User Story:** As a user, I want to leave.\n\n#### Acceptance Criteria\n\n1. THE System SHALL end the session\n";
    let tasks = "# Implementation Plan\n\n- [x] 1. Sessions\n  - Store them\n  - _Requirements: 1.1, 2.1_\n\n- [-] 1.1 Refuse\n  - _Requirements: 1.2_\n- [ ]* 2. Write property tests\n";
    let files = [
        (".kiro/specs/sign-in/requirements.md", requirements),
        (".kiro/specs/sign-in/tasks.md", tasks),
        (".kiro/specs/sign-in/design.md", "# Design\n"),
        (".kiro/steering/tech.md", "# Tech\n"),
    ];
    let bundle = read(Format::Kiro, &files);
    let item = &bundle.items[0];
    insta::assert_snapshot!(spec_of(item));
    insta::assert_snapshot!(plan_of(item));
    assert_eq!(item.files[0].to, "design.md");
    assert_eq!(bundle.documents[0].to, "standards/tech.md");
    assert_eq!(bundle.prose.iter().filter(|one| one.what == "Glossary").count(), 1);
}

#[test]
fn backlog_becomes_work_items_with_states_and_dependencies() {
    let task = "---\nid: BACK-2\ntitle: 'Sign in: again'\nstatus: In Progress\nassignee: @ana\nlabels: [auth]\ndependencies:\n  - task-1\npriority: high\n---\n\n## Description\n\n<!-- SECTION:DESCRIPTION:BEGIN -->\nPeople sign in.\n<!-- SECTION:DESCRIPTION:END -->\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [x] #1 A session starts\n- [ ] #2 When the password is wrong, it shall refuse\n<!-- AC:END -->\n\n## Definition of Done\n<!-- DOD:BEGIN -->\n- [ ] #1 Tests pass\n<!-- DOD:END -->\n\n## Implementation Plan\n\n1. Sessions\n2. Refusals\n   - with a reason\n\n## Implementation Notes\n\nWatch the clock.\n";
    let files = [
        ("backlog/tasks/back-2 - Sign-in.md", task),
        (
            "backlog/completed/back-1 - Start.md",
            "---\nid: BACK-1\ntitle: Start\nstatus: Done\n---\n## Description\nBegin.\n",
        ),
        (
            "backlog/decisions/decision-1 - Use-Rust.md",
            "---\nid: decision-1\ntitle: Use Rust\ndate: '2025-06-22'\nstatus: accepted\n---\n## Context\n\nSpeed.\n\n## Decision\n\nRust.\n",
        ),
        ("backlog/docs/doc-1 - Guide.md", "# Guide\n"),
        ("backlog/config.yml", "project_name: x\n"),
    ];
    let bundle = read(Format::Backlog, &files);
    let item = bundle.items.iter().find(|item| item.alias.as_deref() == Some("BACK-2")).unwrap();
    assert_eq!(item.depends_on, ["task back-1"]);
    assert_eq!(item.state, Some((Lifecycle::Active, "In Progress".to_owned())));
    insta::assert_snapshot!(spec_of(item));
    insta::assert_snapshot!(plan_of(item));
    assert_eq!(bundle.items[1].state.as_ref().unwrap().0, Lifecycle::Done);
    assert_eq!(bundle.decisions[0].alias, "1");
    assert_eq!(bundle.decisions[0].date.as_deref(), Some("2025-06-22"));
    assert_eq!(bundle.documents[0].to, "imported/backlog/docs/doc-1 - Guide.md");
}

#[test]
fn spec_workflow_brings_approvals_that_do_not_count_and_evidence_that_was_reported() {
    let tasks = "# Tasks Document\n\n- [x] 1. Interfaces in src/types.ts\n  - File: src/types.ts\n  - _Requirements: 1.1_\n- [ ] 2. Service\n";
    let approval = r#"{"id":"approval_1","title":"Requirements","filePath":".spec-workflow/specs/x/requirements.md","status":"approved","createdAt":"2026-01-01T00:00:00Z","respondedAt":"2026-01-02T00:00:00Z","response":"Fine","categoryName":"x"}"#;
    let files = [
        (
            ".spec-workflow/specs/x/requirements.md",
            "# Requirements Document\n\n## Requirements\n\n### Requirement 1\n\n#### Acceptance Criteria\n\n1. WHEN a THEN the system SHALL b\n",
        ),
        (".spec-workflow/specs/x/tasks.md", tasks),
        (
            ".spec-workflow/specs/x/Implementation Logs/task-1_2026_ab.md",
            "# Implementation Log: Task 1\n\n**Summary:** Wrote the types\n\n**Log ID:** ab\n",
        ),
        (".spec-workflow/approvals/x/approval_1.json", approval),
        (".spec-workflow/approvals/x/broken.json", "{\n\"id\":"),
    ];
    let bundle = read(Format::SpecWorkflow, &files);
    let item = &bundle.items[0];
    let [evidence, approval] = ["imported/evidence-task-1_2026_ab.md", "imported/approval-approval_1.md"]
        .map(|name| {
            &item.files.iter().find(|file| file.to == name).unwrap_or_else(|| panic!("{:?}", item.files)).text
        });
    assert!(evidence.contains("status: reported") && evidence.contains("imported: true"), "{evidence}");
    assert!(
        approval.contains("counts_at_gates: false") && approval.contains("verdict: \"approved\""),
        "{approval}"
    );
    let plan = plan_of(item);
    assert!(plan.contains("Reported in spec-workflow: Wrote the types"), "{plan}");
    assert!(bundle.left_out.iter().any(|one| one.is_fault && one.line == Some(2)), "{:?}", bundle.left_out);
}

#[test]
fn task_master_becomes_work_items_by_tag() {
    let text = r#"{
      "master": { "tasks": [
        { "id": 1, "title": "Repo", "description": "Make it.", "status": "done", "dependencies": [], "priority": "high", "details": "git init", "testStrategy": "Look.", "subtasks": [
          { "id": 1, "title": "Ignore files", "status": "done", "dependencies": [] },
          { "id": 2, "title": "Licence", "status": "in-progress", "dependencies": [1], "details": "MIT" } ] },
        { "id": 2, "title": "App", "status": "pending", "dependencies": [1, 9] } ], "metadata": { "created": "x" } },
      "feature": { "tasks": [ { "id": "1", "title": "Other", "status": "deferred" } ] } }"#;
    let bundle = read(
        Format::TaskMaster,
        &[(".taskmaster/tasks/tasks.json", text), (".taskmaster/docs/prd.txt", "Build it.\n")],
    );
    let ids: Vec<&str> = bundle.items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids, ["task-1", "task-2", "feature-task-1"]);
    assert_eq!(bundle.items[1].depends_on, ["master 1"]);
    assert_eq!(bundle.items[2].state.as_ref().unwrap().0, Lifecycle::Cancelled);
    assert!(
        bundle.left_out.iter().any(|one| one.text == "master 2 depends on master 9"),
        "{:?}",
        bundle.left_out
    );
    let (plan, _) = Plan::read(&plan_of(&bundle.items[0]));
    assert_eq!(plan.steps[1].status, StepStatus::InProgress);
    assert!(plan.steps[1].description.contains("**Depends on:** 1 (step 1)"), "{:?}", plan.steps[1]);
    insta::assert_snapshot!(spec_of(&bundle.items[0]));
}

#[test]
fn records_keep_numbers_and_what_they_supersede() {
    let old = "# 2. Use bash\n\nDate: 2016-02-12\n\n## Status\n\nSuperceded by [3. Use Rust](0003-use-rust.md)\n\n## Context\n\nWe need a tool.\n\n## Decision\n\nBash.\n\n## Consequences\n\nEverywhere.\n";
    let new = "# 3. Use Rust\n\nDate: 2016-02-13\n\n## Status\n\nAccepted\n\nSupercedes [2. Use bash](0002-use-bash.md)\n\n## Context\n\nSee [2](0002-use-bash.md).\n";
    let bundle =
        read(Format::AdrTools, &[("doc/adr/0002-use-bash.md", old), ("doc/adr/0003-use-rust.md", new)]);
    assert_eq!(superseding(&bundle.decisions), [(1, 0)]);
    assert_eq!(bundle.decisions[0].title, "Use bash");
    let madr = "---\nstatus: \"superseded by ADR-0007\"\ndate: 2024-01-02\ndecision-makers: [Ana, Bo]\n---\n\n# Use plain text\n\n## Context and Problem Statement\n\nHow?\n\n## Considered Options\n\n* Text\n* Binary\n\n## Decision Outcome\n\nChosen option: \"Text\", because it is plain.\n\n### Consequences\n\n* Good, because it lasts\n";
    let bundle =
        read(Format::Madr, &[("docs/decisions/0006-a.md", madr), ("docs/decisions/0007-b.md", "# Other\n")]);
    assert_eq!(superseding(&bundle.decisions), [(1, 0)]);
    let decision = &bundle.decisions[0];
    let uid = "20240102T000000.006Z-AB12".parse().unwrap();
    let files = std::collections::BTreeMap::new();
    let links = crate::import::Links {
        uid: &uid,
        previous: None,
        supersedes: Vec::new(),
        date: "2024-01-02",
        files: &files,
    };
    let text = crate::import::render_decision(decision, &links);
    insta::assert_snapshot!(text);
    let read = crate::decision::record::Adr::read(&text).unwrap();
    assert_eq!((read.title.as_str(), read.alias.as_deref()), ("Use plain text", Some("0006")));
}

#[test]
fn ears_sentences_become_requirements() {
    let text = "# Kettle\n\nBoils water.\n\n## Heating\n\n- REQ-1: When the switch is pressed, the kettle shall heat.\n- The kettle shall switch off at 100 degrees.\n\nSome notes.\n";
    let bundle = read(Format::Ears, &[("docs/kettle.md", text), ("docs/other.md", "Nothing here.\n")]);
    insta::assert_snapshot!(spec_of(&bundle.items[0]));
    assert_eq!(bundle.left_out[0].file, "docs/other.md");
}

#[test]
fn a_task_without_the_mark_waits_for_those_with_it_before_it() {
    let tasks = "# Tasks\n\n## Phase 1: Core\n\n- [ ] T001 [P] Test one\n- [ ] T002 [P] Test two\n- [ ] T003 Implement\n- [ ] T004 [P] Log\n- [ ] T005 Wire up\n";
    let files = [("specs/001-a/spec.md", "# Feature Specification: A\n"), ("specs/001-a/tasks.md", tasks)];
    let bundle = read(Format::SpecKit, &files);
    let steps = &bundle.items[0].plan.as_ref().unwrap().steps;
    let waits: Vec<String> = steps.iter().map(|step| step.depends_on.join(" ")).collect();
    assert_eq!(waits, ["", "", "T001 T002", "", "T003 T004"]);
}
