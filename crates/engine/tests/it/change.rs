mod archive;
mod diff;
mod input;
mod names;
mod whole;

use std::collections::BTreeMap;

use hewto_core::delta::{NewDelta, NewRemoval, NewRename, NewRequirement, NewScenario};
use hewto_core::lifecycle::Phase;
use hewto_engine::build::{self, Approval, Completion};
use hewto_engine::change::{self, ArchiveOptions, Archived, NewChange, Section, ShowOptions};
use hewto_engine::check::{self, Strictness};
use hewto_engine::plan::{self, NewPlan, PlanChanges};
use hewto_engine::{LayoutKind, PageRequest, spec};

use crate::support::{Fixture, steps};

const AUTH: &str = "# auth Specification\r\n\r\n## Purpose\r\n\r\nLet people in and keep everybody else out of it.\r\n\r\n\
    ## Requirements\r\n\r\n### Requirement: Login\r\n\r\nThe system SHALL log in.\r\n\r\n\
    #### Scenario: Good password\r\n\r\n- **WHEN** it fits\r\n- **THEN** a session starts\r\n\r\n\
    #### Scenario: Bad password\r\n\r\n- **WHEN** it does not fit\r\n- **THEN** nothing\r\n\r\n\
    ### Requirement: Logout\r\n\r\nIt SHALL log out.\r\n\r\n#### Scenario: Out\r\n\r\n- **WHEN** asked\r\n- **THEN** out\r\n";

fn fixture() -> Fixture {
    let f = Fixture::new();
    f.write("specs/auth/spec.md", AUTH);
    f
}

fn scenario(name: &str, then: &str) -> NewScenario {
    NewScenario {
        name: name.into(),
        when: Some("it happens".into()),
        then: vec![then.into()],
        ..NewScenario::default()
    }
}

fn requirement(name: &str, scenarios: Vec<NewScenario>) -> NewRequirement {
    NewRequirement {
        name: name.into(),
        text: format!("The system SHALL do {name}."),
        scenarios,
        ..NewRequirement::default()
    }
}

fn propose(f: &Fixture, id: &str, delta: NewDelta) {
    let new = NewChange {
        change_id: id.into(),
        why: "Because people ask for it every week.".into(),
        what_changes: "- it".into(),
        tasks: vec!["Do it".into()],
        deltas: BTreeMap::from([("auth".to_owned(), delta)]),
        purpose: None,
        decision: None,
    };
    change::create(&f.ws, &f.ctx, &new).unwrap();
}

fn archive(f: &Fixture, id: &str) -> hewto_engine::Result<hewto_engine::view::ArchiveView> {
    change::archive(&f.ws, &f.ctx, id, ArchiveOptions { allow_open_tasks: true, ..ArchiveOptions::default() })
}

// @spec specs#a-change-keeps-the-base-of-what-it-touches/a-change-is-created
#[test]
fn a_change_is_written_listed_and_shown() {
    let f = fixture();
    let delta = NewDelta {
        added: vec![requirement("Two factor", vec![scenario("Code", "in")])],
        removed: vec![NewRemoval { name: "Logout".into(), reason: Some("unused".into()) }],
        renamed: vec![NewRename { from: "Login".into(), to: "Sign in".into() }],
        ..NewDelta::default()
    };
    propose(&f, "add-two-factor", delta);
    let list = change::list(&f.ws, &f.ctx, Archived::LeftOut, &PageRequest::default()).unwrap();
    let card = &list.changes[0];
    assert_eq!((card.id.as_str(), card.title.as_str()), ("add-two-factor", "add two factor"));
    assert_eq!((card.task_progress.completed, card.task_progress.total), (0, 1));
    let view = change::show(&f.ws, &f.ctx, "add-two-factor", &ShowOptions::default()).unwrap();
    assert_eq!(view.proposal.unwrap().why.as_deref(), Some("Because people ask for it every week."));
    let deltas = view.deltas.unwrap();
    let auth = &deltas["auth"];
    assert_eq!(auth.added[0].requirement.scenarios[0].then, ["in"]);
    assert_eq!(auth.removed[0].name, "Logout");
    assert_eq!((auth.renamed[0].from.as_str(), auth.renamed[0].to.as_str()), ("Login", "Sign in"));
    assert!(view.design.is_none());
    let only = ShowOptions { section: Some(Section::Tasks), ..ShowOptions::default() };
    let view = change::show(&f.ws, &f.ctx, "add-two-factor", &only).unwrap();
    assert!(view.tasks.is_some() && view.proposal.is_none() && view.deltas.is_none());
    assert_eq!(change::show(&f.ws, &f.ctx, "nope", &only).unwrap_err().key.as_str(), "change_not_found");
    assert_eq!(change::show(&f.ws, &f.ctx, "../x", &only).unwrap_err().key.as_str(), "invalid_params");
}

#[test]
fn a_delta_that_would_not_read_back_is_refused() {
    let f = fixture();
    let mut evil = requirement("Evil", vec![scenario("Code", "in")]);
    evil.text = "SHALL\n\n### Requirement: Smuggled\n\nMUST".into();
    let new = NewChange {
        change_id: "evil".into(),
        why: "w".into(),
        what_changes: "c".into(),
        deltas: BTreeMap::from([("auth".to_owned(), NewDelta { added: vec![evil], ..NewDelta::default() })]),
        ..NewChange::default()
    };
    assert_eq!(change::create(&f.ws, &f.ctx, &new).unwrap_err().key.as_str(), "validation_failed");
    assert!(!f.path("changes/evil").exists());
}

#[test]
fn a_proposal_that_would_not_read_back_is_refused() {
    let f = fixture();
    let create = |why: &str, what_changes: &str| {
        let (why, what_changes) = (why.to_owned(), what_changes.to_owned());
        let new = NewChange { change_id: "p".into(), why, what_changes, ..NewChange::default() };
        let field =
            |error: hewto_engine::Error| error.details["field"].as_str().unwrap_or_default().to_owned();
        change::create(&f.ws, &f.ctx, &new).map(drop).map_err(field)
    };
    assert_eq!(create("## Why not\n\nx", "y"), Err("why".to_owned()));
    assert_eq!(create("x\n\n## What Changes\n\nz", "y"), Err("why".to_owned()));
    assert_eq!(create("x\n```", "y"), Err("why".to_owned()));
    assert_eq!(create("x", "## Why\n\ny"), Err("what_changes".to_owned()));
    assert!(!f.path("changes/p").exists());
    assert_eq!(create("x\n\n### More\n\nz", "- y\n\n## Impact\n\n- auth"), Ok(()));
}

#[test]
fn a_delta_for_a_spec_that_could_never_be_written_is_refused() {
    let f = fixture();
    let delta = NewDelta { added: vec![requirement("A", vec![scenario("B", "c")])], ..NewDelta::default() };
    let new = NewChange {
        change_id: "hidden".into(),
        why: "w".into(),
        what_changes: "c".into(),
        deltas: BTreeMap::from([(".hidden".to_owned(), delta)]),
        ..NewChange::default()
    };
    let error = change::create(&f.ws, &f.ctx, &new).unwrap_err();
    assert!(error.to_string().contains("`.hidden` is not a name for a new capability"), "{error}");
    assert!(!f.path("changes/hidden").exists());
}

#[test]
fn a_change_walks_the_whole_journey() {
    let f = fixture();
    let new = NewChange {
        change_id: "journey".into(),
        why: "w".into(),
        what_changes: "c".into(),
        deltas: BTreeMap::from([(
            "auth".to_owned(),
            NewDelta { added: vec![requirement("New", vec![scenario("S", "t")])], ..NewDelta::default() },
        )]),
        ..NewChange::default()
    };
    change::create(&f.ws, &f.ctx, &new).unwrap();
    let item = "change:journey";
    let plan = NewPlan { approach: "Carefully".into(), steps: steps(&["One", "Two"]) };
    assert_eq!(plan::create(&f.ws, &f.ctx, item, &plan).unwrap().path, "changes/journey/tasks.md");
    assert_eq!(spec::status(&f.ws, &f.ctx, item).unwrap().phase, Phase::Plan);
    build::start(&f.ws, &f.ctx, item, Approval::Given).unwrap();
    plan::complete_step(&f.ws, &f.ctx, item, 0, Some("well")).unwrap();
    let changes = PlanChanges { steps: Some(steps(&["One", "Three"])), ..PlanChanges::default() };
    let updated = plan::update(&f.ws, &f.ctx, item, &changes).unwrap();
    assert_eq!((updated.kept, updated.dropped), (vec!["One".to_owned()], vec!["Two".to_owned()]));
    let status = spec::status(&f.ws, &f.ctx, item).unwrap();
    assert_eq!((status.lifecycle_state.as_str(), status.plan_progress.unwrap().percentage), ("active", 50));
    assert_eq!(archive(&f, "journey").unwrap_err().key.as_str(), "invalid_transition");
    let completion = Completion { summary: "Built".into(), ..Completion::default() };
    assert_eq!(build::complete(&f.ws, &f.ctx, item, &completion).unwrap().open_steps, 1);
    archive(&f, "journey").unwrap();
    let state = f.read("changes/archive/2026-01-24-journey/state.toon");
    assert!(state.contains("lifecycle: archived"), "{state}");
    assert_eq!(spec::status(&f.ws, &f.ctx, item).unwrap_err().key.as_str(), "change_not_found");
}

#[test]
fn an_openspec_repository_works_as_it_is() {
    let f = Fixture::with_layout(LayoutKind::Openspec);
    f.write("openspec/specs/auth/spec.md", AUTH.replace("\r\n", "\n"));
    f.write("openspec/changes/add-x/proposal.md", "## Why\nBecause\n");
    f.write(
        "openspec/changes/add-x/specs/auth/spec.md",
        "## ADDED Requirements\n\n### Requirement: X\nIt SHALL x.\n\n#### Scenario: S\n- **WHEN** w\n- **THEN** t\n",
    );
    let done = archive(&f, "add-x").unwrap();
    assert_eq!(done.path.as_deref(), Some("openspec/changes/archive/2026-01-24-add-x/"));
    assert!(f.read("openspec/specs/auth/spec.md").contains("### Requirement: X"));
    let error =
        plan::create(&f.ws, &f.ctx, "auth", &NewPlan { approach: "a".into(), steps: steps(&["One"]) })
            .unwrap_err();
    assert!(error.message.contains("living capability"), "{}", error.message);
}

#[test]
fn validation_says_what_archive_would_refuse_with_file_line_and_section() {
    let f = fixture();
    let delta =
        NewDelta { modified: vec![requirement("Missing", vec![scenario("S", "t")])], ..NewDelta::default() };
    propose(&f, "broken", delta);
    let verdict = check::validate_change(&f.ws, &f.ctx, Some("broken"), Strictness::Normal).unwrap();
    assert!(!verdict.valid);
    let error = &verdict.errors[0];
    assert_eq!(error.file, "changes/broken/specs/auth/spec.md");
    assert!(error.line.is_some() && !error.section.is_empty() && !error.hint.is_empty(), "{error:?}");
    assert_eq!(
        check::validate_change(&f.ws, &f.ctx, Some("nope"), Strictness::Normal).unwrap_err().key.as_str(),
        "change_not_found"
    );
}

// @spec specs#overlaps-show-early/the-second-change-to-one-requirement
#[test]
fn overlaps_are_told_as_soon_as_the_second_change_is_written() {
    let f = fixture();
    let login = || NewDelta {
        modified: vec![requirement(
            "Login",
            vec![scenario("Good password", "a"), scenario("Bad password", "b")],
        )],
        ..NewDelta::default()
    };
    propose(&f, "a", login());
    assert!(change::overlaps(&f.ws, &f.ctx).unwrap().overlaps.is_empty());
    propose(&f, "b", login());
    let overlaps = change::overlaps(&f.ws, &f.ctx).unwrap().overlaps;
    assert_eq!(
        (overlaps[0].requirement.as_str(), overlaps[0].changes.as_slice()),
        ("Login", &["a".to_owned(), "b".to_owned()][..])
    );
    let verdict = check::validate_change(&f.ws, &f.ctx, Some("a"), Strictness::Normal).unwrap();
    assert!(verdict.warnings.iter().any(|item| item.code.contains("overlap")), "{:?}", verdict.warnings);
}

#[test]
fn long_answers_say_what_they_left_out() {
    let f = fixture();
    let many =
        (0..200).map(|n| requirement(&format!("Requirement number {n}"), vec![scenario("S", "t")])).collect();
    propose(&f, "many", NewDelta { added: many, ..NewDelta::default() });
    let diff = change::diff(&f.ws, &f.ctx, "many", 2_000).unwrap();
    assert!(!diff.differences.is_empty() && diff.left_out.unwrap().contains("max_chars"));
    let options = ArchiveOptions { dry_run: true, max_chars: Some(2_000), ..ArchiveOptions::default() };
    let preview = change::archive(&f.ws, &f.ctx, "many", options).unwrap();
    assert_eq!(preview.diff.unwrap().chars().count(), 2_000);
    assert!(preview.left_out.is_some());
}

#[test]
fn a_change_that_nobody_has_begun_is_told_as_such_with_the_call_that_begins_it() {
    let f = fixture();
    let added = |name: &str| NewDelta {
        added: vec![requirement(name, vec![scenario("S", "t")])],
        ..NewDelta::default()
    };
    let propose = |id: &str, delta: NewDelta, tasks: &[&str]| {
        let new = NewChange {
            change_id: id.to_owned(),
            why: "Because people ask for it every week, and have for years.".to_owned(),
            what_changes: "- it".to_owned(),
            tasks: tasks.iter().map(|task| (*task).to_owned()).collect(),
            deltas: [("auth".to_owned(), delta)].into(),
            ..NewChange::default()
        };
        change::create(&f.ws, &f.ctx, &new).unwrap();
    };
    let long = "A title that goes on and on, and says more than anybody needs to read";
    propose("full", added("Full"), &["One", "Two"]);
    propose("quick", added("Quick"), &[long]);
    let next = |id: &str| {
        let ready = hewto_engine::overview::status(&f.ws, &f.ctx).unwrap().ready;
        ready.into_iter().find(|one| one.item == format!("change:{id}")).unwrap()
    };
    let full = next("full");
    assert_eq!(full.why, "it is proposed and nobody has begun it: 2 tasks are open");
    assert!(full.waits_for_person && full.next.contains("hewto build start change:full"), "{full:?}");
    let quick = next("quick");
    assert!(!quick.waits_for_person && quick.why.contains("needs no plan"), "{quick:?}");
    assert!(quick.next.ends_with("hewto plan done change:quick 1"), "{quick:?}");
    build::start(&f.ws, &f.ctx, "change:full", Approval::Given).unwrap();
    let full = next("full");
    assert_eq!(
        (full.next.as_str(), full.why.as_str()),
        ("continue with task `One`", "0 of 2 tasks are done")
    );
    let brief = hewto_engine::overview::brief(&f.ws, &f.ctx).unwrap();
    assert!(brief.ready.iter().all(|one| !one.call.ends_with('…')), "{brief:?}");
}
