//! What both formats can express comes through as it is: a model, written as the tool would, reads as the same model.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::{plan_of, read, spec_of};
use crate::document::Document;
use crate::import::Format;
use crate::plan::{Plan, StepStatus};
use crate::requirement::{Clauses, SpecDoc};

fn words() -> impl Strategy<Value = String> {
    "[a-z]{2,8}( [a-z]{2,8}){0,4}".prop_filter("a keyword of its own", |text| {
        !text.split(' ').any(|word| {
            matches!(
                word,
                "given"
                    | "when"
                    | "then"
                    | "and"
                    | "but"
                    | "shall"
                    | "must"
                    | "should"
                    | "if"
                    | "while"
                    | "where"
                    | "the"
                    | "it"
                    | "depends"
                    | "on"
            )
        })
    })
}

#[derive(Debug, Clone)]
struct Story {
    title: String,
    text: String,
    scenarios: Vec<(String, String, String)>,
}

#[derive(Debug, Clone)]
struct Model {
    stories: Vec<Story>,
    rules: Vec<String>,
    steps: Vec<(String, u8)>,
}

fn model() -> impl Strategy<Value = Model> {
    let scenario = (words(), words(), words());
    let story = (words(), words(), proptest::collection::vec(scenario, 1..4))
        .prop_map(|(title, text, scenarios)| Story { title, text, scenarios });
    let steps = proptest::collection::vec((words(), 0..2_u8), 1..6);
    (proptest::collection::vec(story, 1..4), proptest::collection::vec(words(), 0..4), steps)
        .prop_map(|(stories, rules, steps)| Model { stories, rules, steps })
}

#[expect(clippy::type_complexity, reason = "said once, here")]
fn clauses(text: &str) -> Vec<(String, Vec<(String, String, Vec<String>)>)> {
    let document = Document::parse(text);
    let spec = SpecDoc::read(&document);
    let told = |scenario: &crate::requirement::Scenario<'_>| {
        let Clauses { given, when, then } = scenario.clauses(&document);
        (given.unwrap_or_default(), when.unwrap_or_default(), then)
    };
    spec.requirements.iter().map(|one| (one.id.clone(), one.scenarios.iter().map(told).collect())).collect()
}

fn steps_of(text: &str) -> Vec<(String, bool)> {
    let (plan, _) = Plan::read(text);
    plan.steps.into_iter().map(|step| (step.title, step.status == StepStatus::Completed)).collect()
}

fn mark(done: u8) -> char {
    if done == 1 { 'x' } else { ' ' }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn a_model_comes_through_spec_kit(model in model()) {
        let mut spec = "# Feature Specification: X\n\n## User Scenarios & Testing *(mandatory)*\n\n".to_owned();
        let mut expected = Vec::new();
        for (at, story) in model.stories.iter().enumerate() {
            let number = at + 1;
            let _ = write!(spec, "### User Story {number} - {} (Priority: P1)\n\n{}\n\n**Acceptance Scenarios**:\n\n", story.title, story.text);
            for (index, (given, when, then)) in story.scenarios.iter().enumerate() {
                let _ = writeln!(spec, "{}. **Given** {given}, **When** {when}, **Then** {then}", index + 1);
            }
            spec.push('\n');
            let told = story.scenarios.iter().map(|(given, when, then)| (given.clone(), when.clone(), vec![then.clone()]));
            expected.push((format!("us{number}"), told.collect::<Vec<_>>()));
        }
        spec.push_str("## Requirements *(mandatory)*\n\n### Functional Requirements\n\n");
        for (at, rule) in model.rules.iter().enumerate() {
            let _ = writeln!(spec, "- **FR-{:03}**: System MUST {rule}", at + 1);
            expected.push((format!("fr-{:03}", at + 1), vec![(String::new(), "at any time".to_owned(), vec![format!("System MUST {rule}")])]));
        }
        let mut tasks = "# Tasks: X\n\n## Phase 1: Setup\n\n".to_owned();
        for (at, (title, done)) in model.steps.iter().enumerate() {
            let _ = writeln!(tasks, "- [{}] T{:03} {title}", mark(*done), at + 1);
        }
        let bundle = read(Format::SpecKit, &[("specs/001-x/spec.md", &spec), ("specs/001-x/tasks.md", &tasks)]);
        let item = &bundle.items[0];
        prop_assert_eq!(clauses(&spec_of(item)), expected);
        let steps: Vec<(String, bool)> =
            model.steps.iter().enumerate().map(|(at, (title, done))| (format!("T{:03} {title}", at + 1), *done == 1)).collect();
        prop_assert_eq!(steps_of(&plan_of(item)), steps);
    }

    #[test]
    fn a_model_comes_through_kiro(model in model()) {
        let mut text = "# Requirements Document\n\n## Introduction\n\nWhy.\n\n## Requirements\n\n".to_owned();
        let mut expected = Vec::new();
        for (at, story) in model.stories.iter().enumerate() {
            let number = at + 1;
            let _ = write!(text, "### Requirement {number}: {}\n\n**User Story:** {}\n\n#### Acceptance Criteria\n\n", story.title, story.text);
            for (index, (_, when, then)) in story.scenarios.iter().enumerate() {
                let _ = writeln!(text, "{}. WHEN {when} THEN the system SHALL {then}", index + 1);
            }
            text.push('\n');
            let told = story.scenarios.iter().map(|(_, when, then)| (String::new(), when.clone(), vec![format!("the system SHALL {then}")]));
            expected.push((number.to_string(), told.collect::<Vec<_>>()));
        }
        let mut tasks = "# Implementation Plan\n\n".to_owned();
        for (at, (title, done)) in model.steps.iter().enumerate() {
            let _ = writeln!(tasks, "- [{}] {}. {title}\n  - _Requirements: 1.1_", mark(*done), at + 1);
        }
        let bundle = read(Format::Kiro, &[(".kiro/specs/x/requirements.md", &text), (".kiro/specs/x/tasks.md", &tasks)]);
        let item = &bundle.items[0];
        prop_assert_eq!(clauses(&spec_of(item)), expected);
        let plan = plan_of(item);
        let steps: Vec<(String, bool)> =
            model.steps.iter().enumerate().map(|(at, (title, done))| (format!("{} {title}", at + 1), *done == 1)).collect();
        prop_assert_eq!(steps_of(&plan), steps);
        prop_assert_eq!(plan.matches("- **Proves:** x#1/1.1").count(), model.steps.len());
    }
}
