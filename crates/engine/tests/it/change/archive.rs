//! What archiving writes, and what stops it.

use std::collections::BTreeMap;

use hewto_core::delta::{NewDelta, NewRemoval, NewScenario};
use hewto_engine::change::{self, ArchiveOptions, NewChange};
use hewto_engine::check::{self, Strictness};

use super::{AUTH, archive, fixture, propose, requirement, scenario};
use crate::support::Fixture;

#[test]
fn archiving_changes_what_it_means_to_and_moves_the_folder() {
    let f = fixture();
    let delta = NewDelta {
        added: vec![requirement("Two factor", vec![scenario("Code", "in")])],
        removed: vec![NewRemoval { name: "Logout".into(), reason: None }],
        ..NewDelta::default()
    };
    propose(&f, "add-two-factor", delta);
    let open = change::archive(&f.ws, &f.ctx, "add-two-factor", ArchiveOptions::default()).unwrap_err();
    assert_eq!(open.key.as_str(), "tasks_open");
    let dry = ArchiveOptions { dry_run: true, allow_open_tasks: true, ..ArchiveOptions::default() };
    let preview = change::archive(&f.ws, &f.ctx, "add-two-factor", dry).unwrap();
    assert!(preview.diff.unwrap().contains("+### Requirement: Two factor"));
    assert_eq!(f.read("specs/auth/spec.md"), AUTH);

    let done = archive(&f, "add-two-factor").unwrap();
    assert_eq!(done.path.as_deref(), Some("changes/archive/2026-01-24-add-two-factor/"));
    let text = f.read("specs/auth/spec.md");
    let kept = &AUTH[..AUTH.find("### Requirement: Logout").unwrap()];
    assert!(text.starts_with(kept), "{text:?}");
    assert!(text.contains("### Requirement: Two factor\r\n"), "{text:?}");
    assert!(!text.contains("Logout"));
    assert!(f.path("changes/archive/2026-01-24-add-two-factor/proposal.md").is_file());
    assert!(!f.path("changes/add-two-factor").exists());
}

#[test]
fn a_delta_for_a_new_spec_makes_it() {
    let f = fixture();
    let new = NewChange {
        change_id: "add-billing".into(),
        why: "w".into(),
        what_changes: "c".into(),
        deltas: BTreeMap::from([(
            "billing/invoices".to_owned(),
            NewDelta {
                added: vec![requirement("Pay", vec![scenario("Now", "paid")])],
                ..NewDelta::default()
            },
        )]),
        ..NewChange::default()
    };
    change::create(&f.ws, &f.ctx, &new).unwrap();
    let done = archive(&f, "add-billing").unwrap();
    assert_eq!(done.specs[0].outcome, "created");
    let text = f.read("specs/billing/invoices/spec.md");
    assert!(
        text.contains("## Purpose\nw It covers: Pay. It came with the change `add-billing`.\n"),
        "{text}"
    );
}

#[test]
fn what_does_not_fit_is_listed_and_nothing_is_written() {
    let f = fixture();
    let delta = NewDelta {
        modified: vec![requirement("Missing", vec![scenario("S", "t")])],
        added: vec![requirement("Login", vec![scenario("S", "t")])],
        ..NewDelta::default()
    };
    propose(&f, "broken", delta);
    let error = archive(&f, "broken").unwrap_err();
    assert_eq!(error.key.as_str(), "archive_refused");
    let errors = error.details["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors.iter().all(|entry| entry["capability"] == "auth" && entry["message"].is_string()));
    assert_eq!(f.read("specs/auth/spec.md"), AUTH);
    assert!(f.path("changes/broken").is_dir());
}

// @spec specs#the-archive-loses-no-scenario/two-changes-to-different-scenarios
#[test]
fn two_changes_to_one_requirement_lose_no_scenario_in_either_order() {
    let login = |extra: &str| {
        let mut scenarios =
            vec![scenario("Good password", "a session starts"), scenario("Bad password", "nothing")];
        scenarios.push(scenario(extra, "works"));
        NewDelta { modified: vec![requirement("Login", scenarios)], ..NewDelta::default() }
    };
    let mut results = Vec::new();
    for order in [["a", "b"], ["b", "a"]] {
        let f = fixture();
        propose(&f, "a", login("From a"));
        propose(&f, "b", login("From b"));
        for id in order {
            archive(&f, id).unwrap();
        }
        let text = f.read("specs/auth/spec.md");
        for name in ["Good password", "Bad password", "From a", "From b", "Out"] {
            assert!(text.contains(&format!("#### Scenario: {name}")), "{name} in {text}");
        }
        results.push(text);
    }
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&results[0]), sorted(&results[1]));
}

#[test]
fn a_delta_behind_a_link_is_reported_and_stops_the_archive() {
    let f = fixture();
    propose(
        &f,
        "mix",
        NewDelta { added: vec![requirement("N", vec![scenario("S", "t")])], ..NewDelta::default() },
    );
    f.write("elsewhere.md", "## ADDED Requirements\n");
    std::fs::create_dir_all(f.path("changes/mix/specs/other")).unwrap();
    std::os::unix::fs::symlink("../../../../elsewhere.md", f.path("changes/mix/specs/other/spec.md"))
        .unwrap();
    let verdict = check::validate_change(&f.ws, &f.ctx, Some("mix"), Strictness::Normal).unwrap();
    assert_eq!(verdict.errors[0].file, "changes/mix/specs/other/spec.md", "{verdict:?}");
    let error = archive(&f, "mix").unwrap_err();
    assert!(error.message.contains("specs/other/spec.md"), "{}", error.message);
    assert!(f.path("changes/mix").is_dir());
}

#[test]
fn a_name_that_is_taken_in_the_archive_is_reported_before_archiving() {
    let f = fixture();
    propose(
        &f,
        "a",
        NewDelta { added: vec![requirement("N", vec![scenario("S", "t")])], ..NewDelta::default() },
    );
    f.write("changes/archive/2026-01-24-a/proposal.md", "# Old\n");
    let verdict = check::validate_change(&f.ws, &f.ctx, Some("a"), Strictness::Normal).unwrap();
    assert!(verdict.errors.iter().any(|item| item.code == "archive-refused"), "{verdict:?}");
    assert_eq!(archive(&f, "a").unwrap_err().key.as_str(), "archive_target_exists");
}

#[test]
fn deltas_in_the_wrong_place_stop_the_archive() {
    let f = fixture();
    propose(
        &f,
        "a",
        NewDelta { added: vec![requirement("N", vec![scenario("S", "t")])], ..NewDelta::default() },
    );
    f.write("changes/a/specs/auth/more.md", "## ADDED Requirements\n\n### Requirement: X\n\nIt SHALL.\n");
    let error = archive(&f, "a").unwrap_err();
    assert_eq!(error.key.as_str(), "archive_refused");
    assert!(f.path("changes/a").is_dir());
}

#[test]
fn a_requirement_written_anew_word_for_word_is_no_conflict() {
    let f = Fixture::new();
    let tight = "# a Specification\n\n## Purpose\nLet people in and keep everybody else out of it.\n\n## Requirements\n\
        ### Requirement: Login\nThe system SHALL do Login.\n#### Scenario: Good\n- **WHEN** it happens\n- **THEN** in\n\
        #### Scenario: Bad\n- **WHEN** it happens\n- **THEN** out\n";
    f.write("specs/auth/spec.md", tight);
    let login = |good: &str, more: Vec<NewScenario>| {
        let mut scenarios = vec![scenario("Good", good), scenario("Bad", "out")];
        scenarios.extend(more);
        NewDelta { modified: vec![requirement("Login", scenarios)], ..NewDelta::default() }
    };
    propose(&f, "x", login("inside", Vec::new()));
    propose(&f, "y", login("in", vec![scenario("Third", "t")]));
    archive(&f, "x").unwrap();
    archive(&f, "y").unwrap();
    let text = f.read("specs/auth/spec.md");
    for line in ["- **THEN** inside", "- **THEN** out", "#### Scenario: Third"] {
        assert!(text.contains(line), "{line}: {text}");
    }
}
