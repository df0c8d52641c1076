use std::time::{Duration, Instant};

use hewto_core::plan::StepStatus;
use hewto_engine::plan::{self, NewPlan, PlanChanges, StepInput};
use hewto_engine::{Complexity, Lifecycle, spec};

use crate::support::{Fixture, steps};

#[test]
fn a_plan_takes_the_spec_into_the_plan_phase() {
    let f = Fixture::new();
    let id = f.spec("Spec");
    let new = NewPlan { approach: "Go: carefully".into(), steps: steps(&["One: first", "Two"]) };
    let created = plan::create(&f.ws, &f.ctx, &id, &new).unwrap();
    assert_eq!((created.total_steps, created.path), (2, format!("specs/{id}/plan.md")));
    let status = spec::status(&f.ws, &f.ctx, &id).unwrap();
    assert_eq!((status.phase.as_str(), status.lifecycle_state.as_str()), ("plan", "draft"));
    let view = plan::show(&f.ws, &f.ctx, &id).unwrap();
    assert_eq!(view.approach, "Go: carefully");
    assert_eq!(view.steps[0].title, "One: first");
    assert_eq!(view.steps[1].description, "Do Two");
    assert_eq!((view.steps[0].complexity.as_str(), view.steps[0].status.as_str()), ("simple", "pending"));
}

#[test]
fn the_progress_that_a_status_tells_follows_the_plan_on_disk() {
    let f = Fixture::new();
    let id = f.spec("Spec");
    f.plan(&id, &["One", "Two"]);
    let progress = || {
        let progress = spec::status(&f.ws, &f.ctx, &id).unwrap().plan_progress;
        progress.map(|progress| (progress.completed_steps, progress.total_steps))
    };
    let path = f.path(&format!("specs/{id}/plan.md"));
    let pending = fs_err::read_to_string(&path).unwrap();
    plan::complete_step(&f.ws, &f.ctx, &id, 0, None).unwrap();
    let done = fs_err::read_to_string(&path).unwrap();
    for (text, expected) in [(&done, 1), (&pending, 0), (&done, 1)] {
        fs_err::write(&path, text).unwrap();
        let written = Instant::now();
        // Long enough for the file's stamp to be trusted, from when on the plan is not read again.
        while written.elapsed() < Duration::from_millis(100) {
            assert_eq!(progress(), Some((expected, 2)));
        }
    }
    fs_err::remove_file(&path).unwrap();
    assert_eq!(progress(), None);
}

#[test]
fn a_second_plan_is_refused_and_points_to_the_update() {
    let f = Fixture::new();
    let id = f.spec("Spec");
    f.plan(&id, &["One"]);
    let new = NewPlan { approach: "Other".into(), steps: steps(&["Two"]) };
    let error = plan::create(&f.ws, &f.ctx, &id, &new).unwrap_err();
    assert_eq!(error.key.as_str(), "validation_failed");
    assert!(error.plain_hint().unwrap().contains("change the plan"));
}

#[test]
fn empty_plans_and_blank_texts_are_refused() {
    let f = Fixture::new();
    let id = f.spec("Spec");
    for new in [
        NewPlan { approach: "A".into(), steps: Vec::new() },
        NewPlan { approach: " ".into(), steps: steps(&["One"]) },
        NewPlan { approach: "A".into(), steps: steps(&[" "]) },
    ] {
        assert_eq!(plan::create(&f.ws, &f.ctx, &id, &new).unwrap_err().key.as_str(), "validation_failed");
    }
    assert!(!f.path(&format!("specs/{id}/plan.md")).exists());
}

#[test]
fn an_update_keeps_what_was_done_on_steps_of_the_same_title() {
    let f = Fixture::new();
    let id = f.spec("Spec");
    f.plan(&id, &["One", "Two", "Three"]);
    plan::complete_step(&f.ws, &f.ctx, &id, 0, Some("went\nwell")).unwrap();
    let mut new = steps(&["Zero", "One", "Three"]);
    new[1].complexity = Some(Complexity::Complex);
    let changes = PlanChanges { steps: Some(new), ..PlanChanges::default() };
    let updated = plan::update(&f.ws, &f.ctx, &id, &changes).unwrap();
    assert_eq!(updated.kept, ["One", "Three"]);
    assert_eq!(updated.dropped, ["Two"]);
    assert_eq!(updated.total_steps, 3);
    let view = plan::show(&f.ws, &f.ctx, &id).unwrap();
    let one = &view.steps[1];
    assert_eq!((one.status.as_str(), one.notes.as_deref()), ("completed", Some("went\nwell")));
    assert_eq!(one.complexity, "complex");
    assert_eq!(view.steps[0].status, StepStatus::Pending);
    assert_eq!(view.approach, "Step by step");
}

// @spec workflow#plans-survive-people/a-step-is-ticked-in-an-edited-plan
#[test]
fn ticking_touches_only_the_step_and_is_idempotent() {
    let f = Fixture::new();
    let id = f.spec("Spec");
    f.plan(&id, &["One", "Two"]);
    let path = format!("specs/{id}/plan.md");
    let edited = format!("{}\n## Risks\n\n<!-- mine -->\n- none\n", f.read(&path));
    f.write(&path, &edited);
    let done = plan::complete_step(&f.ws, &f.ctx, &id, 1, None).unwrap();
    assert_eq!((done.step_title.as_str(), done.plan_progress.percentage), ("Two", 50));
    let text = f.read(&path);
    let changed: Vec<&str> =
        text.lines().zip(edited.lines()).filter(|(new, old)| new != old).map(|(new, _)| new).collect();
    assert_eq!(changed, ["- **Status:** completed"]);
    plan::complete_step(&f.ws, &f.ctx, &id, 1, None).unwrap();
    assert_eq!(f.read(&path), text);
}

#[test]
fn steps_that_are_not_there_and_plans_that_are_not_there_are_told_apart() {
    let f = Fixture::new();
    let id = f.spec("Spec");
    assert_eq!(plan::complete_step(&f.ws, &f.ctx, &id, 0, None).unwrap_err().key.as_str(), "plan_not_found");
    let changes = PlanChanges { approach: Some("B".into()), ..PlanChanges::default() };
    assert_eq!(plan::update(&f.ws, &f.ctx, &id, &changes).unwrap_err().key.as_str(), "plan_not_found");
    assert_eq!(
        plan::update(&f.ws, &f.ctx, &id, &PlanChanges::default()).unwrap_err().key.as_str(),
        "invalid_params"
    );
    f.plan(&id, &["One"]);
    let error = plan::complete_step(&f.ws, &f.ctx, &id, 1, None).unwrap_err();
    assert_eq!(error.key.as_str(), "invalid_params");
    assert_eq!(error.details["total_steps"], 1);
}

#[test]
fn the_approach_section_wins_over_the_front_matter() {
    let f = Fixture::new();
    let id = f.spec("Spec");
    f.plan(&id, &["One"]);
    let path = format!("specs/{id}/plan.md");
    f.write(&path, f.read(&path).replace("\n## Approach\n\nStep by step\n", "\n## Approach\n\nBy hand\n"));
    assert_eq!(plan::show(&f.ws, &f.ctx, &id).unwrap().approach, "By hand");
}

#[test]
fn a_plan_edited_into_nonsense_reads_as_empty_and_is_kept() {
    let f = Fixture::new();
    let id = f.spec("Spec");
    f.plan(&id, &["One"]);
    let path = format!("specs/{id}/plan.md");
    f.write(&path, "---\n][\n---\n)) nonsense\n");
    assert!(plan::show(&f.ws, &f.ctx, &id).unwrap().steps.is_empty());
    assert_eq!(plan::complete_step(&f.ws, &f.ctx, &id, 0, None).unwrap_err().key.as_str(), "invalid_params");
    assert_eq!(f.read(&path), "---\n][\n---\n)) nonsense\n");
}

#[test]
fn texts_survive_the_way_through_the_file() {
    let f = Fixture::new();
    let id = f.spec("Spec");
    let description =
        "First\n\n```\n### Step 9: not a step\n- **Status:** completed\n```\n\n- a list\n# a heading";
    let new = NewPlan {
        approach: "# Not a heading: really\n\n## Steps\n\n### Step 1: fake".into(),
        steps: vec![
            StepInput { title: "Do: `x` # y #".into(), description: description.into(), complexity: None },
            StepInput {
                title: "Two".into(),
                description: String::new(),
                complexity: Some(Complexity::Complex),
            },
        ],
    };
    plan::create(&f.ws, &f.ctx, &id, &new).unwrap();
    plan::complete_step(&f.ws, &f.ctx, &id, 0, Some("line 1\n\n## line 2\n- **Status:** pending")).unwrap();
    let view = plan::show(&f.ws, &f.ctx, &id).unwrap();
    assert_eq!(view.approach, new.approach);
    assert_eq!(view.steps.len(), 2);
    assert_eq!(view.steps[0].title, new.steps[0].title);
    assert_eq!(view.steps[0].description, description);
    assert_eq!(view.steps[0].status, StepStatus::Completed);
    assert_eq!(view.steps[0].notes.as_deref(), Some("line 1\n\n## line 2\n- **Status:** pending"));
    assert_eq!(view.steps[1].status, StepStatus::Pending);
}

#[test]
fn a_plan_of_an_archived_spec_is_refused() {
    let f = Fixture::new();
    let id = f.spec("Spec");
    for to in [Lifecycle::Active, Lifecycle::Cancelled, Lifecycle::Archived] {
        spec::transition(&f.ws, &f.ctx, &id, to, None).unwrap();
    }
    let new = NewPlan { approach: "A".into(), steps: steps(&["One"]) };
    assert_eq!(plan::create(&f.ws, &f.ctx, &id, &new).unwrap_err().key.as_str(), "spec_archived");
}

#[test]
fn a_step_is_named_by_its_number_its_place_or_its_title_and_can_be_opened_again() {
    let f = Fixture::new();
    f.write("changes/c/proposal.md", "# Change: c\n\n## Why\n\nBecause.\n\n## What Changes\n\n- x\n");
    f.write(
        "changes/c/tasks.md",
        "## 1. A\n\n- [ ] 1.1 One\n- [ ] 1.2 Two\n\n## 2. B\n\n- [ ] 2.1 Two\n- [ ] 2.2 Last one\n",
    );
    for (name, title, index) in [("1.2", "Two", 1), ("3", "Two", 2), ("last ONE", "Last one", 3)] {
        let done = plan::complete_step(&f.ws, &f.ctx, "c", name, None).unwrap();
        assert_eq!((done.step_title.as_str(), done.step_index), (title, index), "{name}");
        assert_eq!(done.spec_id, "change:c");
    }
    let twice = plan::complete_step(&f.ws, &f.ctx, "c", "two", None).unwrap_err();
    assert!(twice.plain_hint().unwrap().contains("`2`, `3`"), "{twice:?}");
    let near = plan::complete_step(&f.ws, &f.ctx, "c", "Last", None).unwrap_err();
    assert_eq!(near.details["near"], serde_json::json!(["2.2 Last one"]));
    let undone = plan::reopen_step(&f.ws, &f.ctx, "c", "2.2", "it fails").unwrap();
    assert_eq!(
        (undone.completed, undone.step.as_str(), undone.reason.as_deref()),
        (false, "2.2", Some("it fails"))
    );
    assert!(
        f.read("changes/c/tasks.md").ends_with("- [ ] 2.2 Last one\n  - **Notes:** Reopened: it fails\n")
    );
    let again = plan::reopen_step(&f.ws, &f.ctx, "c", "2.2", "x").unwrap_err();
    assert!(again.message.contains("is not ticked"), "{again}");
}

#[test]
fn steps_that_change_places_keep_what_people_wrote_between_them() {
    let f = Fixture::new();
    let id = f.spec("Spec");
    f.plan(&id, &["One", "Two", "Three"]);
    let path = f.path(&format!("specs/{id}/plan.md"));
    let text = fs_err::read_to_string(&path).unwrap();
    for between in [
        "<!-- Ann: careful -->\n\nTalk to Bob first.\n\n",
        "### Ann's heading\n\nTalk to Bob first.\n\n<!-- Ann: careful -->\n\n",
        "## Ann's heading\n\nTalk to Bob first.\n\n<!-- Ann: careful -->\n\n",
    ] {
        let edited = text.replacen("### Step 2", &format!("{between}### Step 2"), 1);
        fs_err::write(&path, &edited).unwrap();
        assert_eq!(plan::show(&f.ws, &f.ctx, &id).unwrap().steps.len(), 3, "{between}");
        for turned in [["Three", "Two", "One"], ["Two", "One", "Three"]] {
            fs_err::write(&path, &edited).unwrap();
            let changes = PlanChanges { steps: Some(steps(&turned)), ..PlanChanges::default() };
            let updated = plan::update(&f.ws, &f.ctx, &id, &changes).unwrap();
            assert_eq!((updated.total_steps, updated.dropped), (3, Vec::<String>::new()));
            let after = fs_err::read_to_string(&path).unwrap();
            for line in between.lines().filter(|line| !line.is_empty()) {
                assert!(after.contains(line), "{line} is gone:\n{after}");
            }
            let shown = plan::show(&f.ws, &f.ctx, &id).unwrap();
            let titles: Vec<&str> = shown.steps.iter().map(|step| step.title.as_str()).collect();
            assert_eq!(titles, turned, "{after}");
        }
    }
}

#[test]
fn another_description_keeps_remarks_and_comments() {
    let f = Fixture::new();
    let id = f.spec("Spec");
    f.plan(&id, &["One", "Two"]);
    let path = f.path(&format!("specs/{id}/plan.md"));
    let text = fs_err::read_to_string(&path).unwrap();
    let text = text.replacen("Do One\n", "Do One\n\n<!-- Ann: careful -->\n", 1);
    fs_err::write(&path, text.replacen("### Step 2", "Talk to Bob first.\n\n### Step 2", 1)).unwrap();
    let mut given = steps(&["One", "Two"]);
    given[0].description = "Do it otherwise".to_owned();
    let changes = PlanChanges { steps: Some(given), ..PlanChanges::default() };
    plan::update(&f.ws, &f.ctx, &id, &changes).unwrap();
    let description = plan::show(&f.ws, &f.ctx, &id).unwrap().steps[0].description.clone();
    assert_eq!(description, "Do it otherwise\n\nTalk to Bob first.\n\n<!-- Ann: careful -->");
}
