use hewto_engine::build::{self, Approval, BuildReport, Completion};
use hewto_engine::{DependencyKind, Lifecycle, plan, spec};

use crate::support::Fixture;

fn completion(summary: &str) -> Completion {
    Completion { summary: summary.to_owned(), deviations: Some("none".to_owned()), dropped: None }
}

#[test]
fn the_whole_journey_takes_a_draft_to_done() {
    let f = Fixture::new();
    let id = f.spec("Spec");
    f.plan(&id, &["One", "Two"]);
    let started = build::start(&f.ws, &f.ctx, &id, Approval::Given).unwrap();
    assert_eq!((started.phase.as_str(), started.plan_steps), ("build", 2));
    assert_eq!(spec::status(&f.ws, &f.ctx, &id).unwrap().lifecycle_state, "active");
    plan::complete_step(&f.ws, &f.ctx, &id, 0, None).unwrap();
    let report = BuildReport {
        percentage: Some(40),
        current_step: Some("Two".into()),
        notes: Some("half\nway".into()),
    };
    let updated = build::update(&f.ws, &f.ctx, &id, &report).unwrap();
    assert_eq!(updated.build_progress.percentage, 40);
    let done = build::complete(&f.ws, &f.ctx, &id, &completion("Built it")).unwrap();
    assert_eq!((done.lifecycle_state.as_str(), done.open_steps), ("done", 1));
    let state = spec::bundle(&f.ws, &f.ctx, &id).unwrap().state.unwrap();
    assert_eq!(state.summary.as_deref(), Some("Built it"));
    assert_eq!(state.deviations.as_deref(), Some("none"));
    assert_eq!(state.completed_at, Some(done.completed_at));
    assert_eq!(state.build_progress.percentage, 100);
    assert!(f.read(&format!("specs/{id}/spec.md")).contains("\nstate: done\n"));
}

// @spec workflow#a-build-needs-a-plan-its-approval-and-its-dependencies/no-plan,
//   workflow#a-build-needs-a-plan-its-approval-and-its-dependencies/nobody-approved-the-plan,
//   workflow#a-build-needs-a-plan-its-approval-and-its-dependencies/a-hard-dependency-is-open
#[test]
fn a_build_needs_a_plan_then_approval_then_its_dependencies() {
    let f = Fixture::new();
    let base = f.spec("Base");
    let id = f.spec_with("Spec", &[(&base, DependencyKind::Hard)]);
    let start = |approval| build::start(&f.ws, &f.ctx, &id, approval);
    assert_eq!(start(Approval::Given).unwrap_err().key.as_str(), "plan_not_found");
    f.plan(&id, &["One"]);
    let error = start(Approval::Missing).unwrap_err();
    assert_eq!(error.key.as_str(), "validation_failed");
    assert!(error.plain_hint().unwrap().contains("review the plan"));
    let error = start(Approval::Given).unwrap_err();
    assert_eq!(error.key.as_str(), "dependency_not_satisfied");
    assert_eq!(error.details["blocking"], serde_json::json!([base]));
    for to in [Lifecycle::Active, Lifecycle::Done] {
        spec::transition(&f.ws, &f.ctx, &base, to, None).unwrap();
    }
    start(Approval::Given).unwrap();
    assert_eq!(start(Approval::Given).unwrap_err().key.as_str(), "validation_failed");
}

#[test]
fn what_waits_for_other_work_is_not_said_to_be_ready_whatever_its_state() {
    let f = Fixture::new();
    let base = f.spec("Base");
    let id = f.spec_with("Spec", &[(&base, DependencyKind::Hard)]);
    let waits = || {
        let status = hewto_engine::overview::status(&f.ws, &f.ctx).unwrap();
        status.blocked.iter().any(|one| one.item == id) && !status.ready.iter().any(|one| one.item == id)
    };
    assert!(waits());
    spec::transition(&f.ws, &f.ctx, &id, Lifecycle::Active, None).unwrap();
    assert!(waits(), "nobody can build it");
}

#[test]
fn a_soft_dependency_blocks_nothing() {
    let f = Fixture::new();
    let base = f.spec("Base");
    let id = f.spec_with("Spec", &[(&base, DependencyKind::Soft)]);
    f.plan(&id, &["One"]);
    build::start(&f.ws, &f.ctx, &id, Approval::Given).unwrap();
}

#[test]
fn reports_and_completion_before_the_start_are_refused() {
    let f = Fixture::new();
    let id = f.spec("Spec");
    let report = BuildReport { percentage: Some(1), ..BuildReport::default() };
    assert_eq!(build::update(&f.ws, &f.ctx, &id, &report).unwrap_err().key.as_str(), "validation_failed");
    assert_eq!(
        build::complete(&f.ws, &f.ctx, &id, &completion("x")).unwrap_err().key.as_str(),
        "invalid_transition"
    );
    spec::transition(&f.ws, &f.ctx, &id, Lifecycle::Active, None).unwrap();
    assert_eq!(
        build::complete(&f.ws, &f.ctx, &id, &completion("x")).unwrap_err().key.as_str(),
        "invalid_transition"
    );
}

#[test]
fn what_is_over_cannot_be_started_or_reported_on() {
    let f = Fixture::new();
    let id = f.building("Spec");
    build::complete(&f.ws, &f.ctx, &id, &completion("x")).unwrap();
    let report = BuildReport { percentage: Some(1), ..BuildReport::default() };
    assert_eq!(
        build::start(&f.ws, &f.ctx, &id, Approval::Given).unwrap_err().key.as_str(),
        "invalid_transition"
    );
    assert_eq!(build::update(&f.ws, &f.ctx, &id, &report).unwrap_err().key.as_str(), "invalid_transition");
    let again = build::complete(&f.ws, &f.ctx, &id, &completion("x")).unwrap_err();
    assert_eq!(again.details["valid_transitions"], serde_json::json!(["archived"]));
}

#[test]
fn a_report_keeps_what_it_does_not_name() {
    let f = Fixture::new();
    let id = f.building("Spec");
    let report =
        BuildReport { percentage: Some(30), current_step: Some("One".into()), notes: Some("n".into()) };
    build::update(&f.ws, &f.ctx, &id, &report).unwrap();
    let report = BuildReport { notes: Some(" ".into()), ..BuildReport::default() };
    let progress = build::update(&f.ws, &f.ctx, &id, &report).unwrap().build_progress;
    assert_eq!(
        (progress.percentage, progress.current_step.as_deref(), progress.notes),
        (30, Some("One"), None)
    );
    assert_eq!(
        build::update(&f.ws, &f.ctx, &id, &BuildReport::default()).unwrap_err().key.as_str(),
        "invalid_params"
    );
}

#[test]
fn a_blank_summary_is_refused() {
    let f = Fixture::new();
    let id = f.building("Spec");
    assert_eq!(
        build::complete(&f.ws, &f.ctx, &id, &completion(" ")).unwrap_err().key.as_str(),
        "validation_failed"
    );
}

#[test]
fn the_state_of_a_spec_without_one_reads_as_a_draft() {
    let f = Fixture::new();
    f.write("specs/plain/spec.md", "# Plain\n");
    let text = build::state_text(&f.ws, &f.ctx, "plain").unwrap();
    assert!(text.contains("lifecycle: draft"), "{text}");
    assert!(!f.path("specs/plain/state.toon").exists());
}
