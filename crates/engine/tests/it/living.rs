use hewto_engine::build::{self, Approval};
use hewto_engine::plan::{self, NewPlan};
use hewto_engine::{LayoutKind, Lifecycle, spec};

use crate::support::{Fixture, steps};

#[test]
fn a_living_spec_is_never_made_work_of_and_the_refusal_says_what_to_do() {
    const LIVING: &str = "# Cap\n\n## Requirements\n\n### Requirement: One\nIt SHALL hold.\n\n#### Scenario: S\n- **WHEN** asked\n- **THEN** it holds\n";
    let f = Fixture::new();
    f.write("specs/cap/spec.md", LIVING);
    let new = NewPlan { approach: "a".into(), steps: steps(&["One"]) };
    let refusals = [
        plan::create(&f.ws, &f.ctx, "cap", &new).map(drop).unwrap_err(),
        build::start(&f.ws, &f.ctx, "cap", Approval::Given).map(drop).unwrap_err(),
        spec::transition(&f.ws, &f.ctx, "cap", Lifecycle::Active, None).map(drop).unwrap_err(),
    ];
    for error in refusals {
        assert_eq!(error.key.as_str(), "validation_failed", "{error}");
        assert_eq!(error.message, "`cap` is a living spec, not a work item");
        assert_eq!(error.details["requirements"], serde_json::json!(["One"]), "{error:?}");
        let hint = error.plain_hint().unwrap();
        assert!(hint.contains("change") && hint.contains("nothing was written"), "{hint}");
    }
    let names: Vec<_> =
        std::fs::read_dir(f.path("specs/cap")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["spec.md"]);
    // With a plan that somebody wrote beside it, it is their work; what promises nothing is a draft.
    f.write("specs/cap/plan.md", "# Implementation Plan\n\n## Steps\n\n### Step 1: A\n\nx\n");
    build::start(&f.ws, &f.ctx, "cap", Approval::Given).unwrap();
    f.write("specs/idea/spec.md", "# Idea\n\nSome day.\n");
    plan::create(&f.ws, &f.ctx, "idea", &new).unwrap();
    // AirsSpec knows no living specs.
    let f = Fixture::with_layout(LayoutKind::Airsspec);
    f.write(".airsspec/specs/1700000000-cap/spec.md", LIVING);
    plan::create(&f.ws, &f.ctx, "1700000000-cap", &new).unwrap();
}
