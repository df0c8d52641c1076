use hewto_engine::build::{self, Approval};
use hewto_engine::plan::{self, NewPlan};
use hewto_engine::spec::{self, ItemKind};
use hewto_engine::{LayoutKind, Lifecycle};

use crate::support::{Fixture, steps};

const LIVING: &str = "# Cap\n\n## Requirements\n\n### Requirement: One\nIt SHALL hold.\n\n#### Scenario: S\n- **WHEN** asked\n- **THEN** it holds\n";

#[test]
fn no_work_is_made_of_a_living_capability_of_another_tool_and_the_refusal_says_what_to_do() {
    let f = Fixture::with_layout(LayoutKind::Openspec);
    f.write("openspec/specs/cap/spec.md", LIVING);
    let new = NewPlan { approach: "a".into(), steps: steps(&["One"]) };
    let refusals = [
        plan::create(&f.ws, &f.ctx, "cap", &new).map(drop).unwrap_err(),
        build::start(&f.ws, &f.ctx, "cap", Approval::Given).map(drop).unwrap_err(),
        spec::transition(&f.ws, &f.ctx, "cap", Lifecycle::Active, None).map(drop).unwrap_err(),
    ];
    for error in refusals {
        assert_eq!(error.key.as_str(), "validation_failed", "{error}");
        assert_eq!(error.message, "`cap` is a living capability, not a work item");
        let hint = error.plain_hint().unwrap();
        assert!(hint.contains("change") && hint.contains("nothing was written"), "{hint}");
    }
    let names: Vec<_> =
        std::fs::read_dir(f.path("openspec/specs/cap")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["spec.md"]);
}

/// The design says so: no state means draft.
#[test]
fn a_spec_of_our_own_without_a_state_is_a_draft_that_can_be_planned() {
    let f = Fixture::new();
    f.write("specs/cap/spec.md", LIVING);
    let new = NewPlan { approach: "a".into(), steps: steps(&["One"]) };
    plan::create(&f.ws, &f.ctx, "cap", &new).unwrap();
    build::start(&f.ws, &f.ctx, "cap", Approval::Given).unwrap();
}

#[test]
fn where_a_spec_stands_says_of_which_kind_it_is() {
    let f = Fixture::new();
    f.write("specs/cap/spec.md", LIVING);
    f.write("specs/idea/spec.md", "# Idea\n");
    f.write("changes/add-x/proposal.md", "# Change: X\n");
    for (id, kind) in
        [("cap", ItemKind::Living), ("idea", ItemKind::Work), ("change:add-x", ItemKind::Change)]
    {
        assert_eq!(spec::status(&f.ws, &f.ctx, id).unwrap().kind, kind, "{id}");
    }
    assert_eq!(spec::bundle(&f.ws, &f.ctx, "cap").unwrap().kind, Some(ItemKind::Living));
    assert_eq!(spec::bundle(&f.ws, &f.ctx, "idea").unwrap().kind, None);
}
