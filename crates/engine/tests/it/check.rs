use hewto_engine::check::{Strictness, fix, validate};
use hewto_engine::{DependencyKind, Lifecycle, spec};

use crate::support::Fixture;

fn codes(f: &Fixture) -> Vec<String> {
    let report = validate(&f.ws, &f.ctx, Strictness::Normal).unwrap();
    report.issues.into_iter().map(|issue| issue.code).collect()
}

#[test]
fn a_fresh_spec_has_nothing_to_complain_about() {
    let f = Fixture::new();
    let id = f.spec("Spec");
    f.plan(&id, &["One"]);
    let report = validate(&f.ws, &f.ctx, Strictness::Strict).unwrap();
    assert!(report.valid, "{:?}", report.issues);
    assert_eq!((report.summary.specs, report.summary.errors), (1, 0));
}

#[test]
fn each_fault_has_its_code_its_file_and_its_line() {
    let long = "x".repeat(201);
    for (file, text, code, line) in [
        ("specs/a/spec.md", "---\ntitle: ''\n---\n\nBody\n", "title-empty", Some(1)),
        ("specs/a/spec.md", &format!("---\ntitle: {long}\n---\n\nBody\n"), "title-long", Some(1)),
        ("specs/a/spec.md", "---\ntitle: ' a'\n---\n\nBody\n", "title-padded", Some(1)),
        ("specs/a/spec.md", "---\ntitle: a\ndescription: ''\n---\n\nBody\n", "description-empty", Some(1)),
        ("specs/a/spec.md", "---\ntitle: a\n---\n", "content-empty", Some(1)),
        ("specs/a/spec.md", "---\ntitle: [\n---\n\nBody\n", "front-matter-invalid", None),
        (
            "specs/a/spec.md",
            "---\ntitle: a\ndependencies:\n  - spec_id: a\n---\n\nB\n",
            "dependency-self",
            Some(4),
        ),
        (
            "specs/a/spec.md",
            "---\ntitle: a\ndependencies:\n  - spec_id: q\n---\n\nB\n",
            "dependency-missing",
            Some(4),
        ),
        ("specs/a/plan.md", "# Plan\n\n## Approach\n\nA\n", "plan-empty", Some(1)),
        ("specs/a/plan.md", "## Steps\n\n### Step 1: One\n\nDo\n", "plan-approach-empty", Some(1)),
        (
            "specs/a/plan.md",
            "## Approach\n\nA\n\n## Steps\n\n### Step 1: One\n",
            "step-description-empty",
            Some(7),
        ),
        ("specs/a/state.toon", "lifecycle: nowhere\n", "state-invalid", None),
        ("specs/Größe!/spec.md", "# Big\n", "id-style", None),
    ] {
        let f = Fixture::new();
        f.write("specs/a/spec.md", "# A\n\nBody\n");
        f.write(file, text);
        let report = validate(&f.ws, &f.ctx, Strictness::Normal).unwrap();
        let issue = report.issues.iter().find(|issue| issue.code == code);
        let issue = issue.unwrap_or_else(|| panic!("{code}: {:?}", report.issues));
        assert_eq!(issue.file, file, "{code}");
        if line.is_some() {
            assert_eq!(issue.line, line, "{code}");
        }
        assert!(!issue.hint.is_empty(), "{code}");
    }
}

#[test]
fn documents_that_are_no_text_are_findings_and_hide_nobody() {
    let f = Fixture::new();
    f.write("specs/a/spec.md", b"# A\n\xff\xfe");
    f.write("specs/b/spec.md", "# B\n\nBody\n");
    f.write("specs/b/plan.md", b"\xff");
    let report = validate(&f.ws, &f.ctx, Strictness::Normal).unwrap();
    let unreadable: Vec<&str> = report
        .issues
        .iter()
        .filter(|issue| issue.code == "file-unreadable")
        .map(|issue| issue.file.as_str())
        .collect();
    assert_eq!(unreadable, ["specs/a/spec.md", "specs/b/plan.md"]);
    assert_eq!(report.summary.specs, 2);
}

#[test]
fn circles_duplicates_and_cancelled_dependencies_are_found() {
    let f = Fixture::new();
    let a = f.spec("A");
    let b = f.spec_with("B", &[(&a, DependencyKind::Hard)]);
    for to in [Lifecycle::Active, Lifecycle::Cancelled] {
        spec::transition(&f.ws, &f.ctx, &a, to, None).unwrap();
    }
    let path = format!("specs/{a}/spec.md");
    let twice = format!("dependencies:\n  - spec_id: {b}\n  - spec_id: {b}");
    f.write(&path, f.read(&path).replace("dependencies: []", &twice));
    let codes = codes(&f);
    for code in ["dependency-cycle", "dependency-duplicate", "dependency-cancelled"] {
        assert!(codes.iter().any(|found| found == code), "{code}: {codes:?}");
    }
}

#[test]
fn strict_lets_warnings_count() {
    let f = Fixture::new();
    f.write("specs/a/spec.md", "---\ntitle: a\n---\n");
    assert!(validate(&f.ws, &f.ctx, Strictness::Normal).unwrap().valid);
    assert!(!validate(&f.ws, &f.ctx, Strictness::Strict).unwrap().valid);
}

#[test]
fn fix_sets_a_broken_state_aside_and_rebuilds_what_it_can() {
    let f = Fixture::new();
    let id = f.building("Spec");
    let path = format!("specs/{id}/state.toon");
    let whole = f.read(&path);
    let torn = &whole[..whole.find("  current_step").unwrap() + 5];
    f.write(&path, torn);
    let report = fix(&f.ws, &f.ctx, Strictness::Normal).unwrap();
    assert!(report.valid, "{:?}", report.issues);
    assert_eq!(report.fixed.len(), 1);
    assert_eq!(f.read(&format!("{path}.broken-1")), torn);
    let status = spec::status(&f.ws, &f.ctx, &id).unwrap();
    assert_eq!((status.lifecycle_state.as_str(), status.phase.as_str()), ("active", "build"));
}

#[test]
fn fix_rebuilds_a_state_of_which_nothing_is_left() {
    let f = Fixture::new();
    let id = f.building("Spec");
    f.write(&format!("specs/{id}/state.toon"), b"\xff\xff");
    fix(&f.ws, &f.ctx, Strictness::Normal).unwrap();
    let status = spec::status(&f.ws, &f.ctx, &id).unwrap();
    assert_eq!((status.lifecycle_state.as_str(), status.phase.as_str()), ("active", "build"));
}

#[test]
fn fix_corrects_the_front_matters_copy_of_the_state() {
    let f = Fixture::new();
    let id = f.spec("Spec");
    let path = format!("specs/{id}/spec.md");
    let text = f.read(&path);
    f.write(&path, text.replace("state: draft", "state: done"));
    assert!(codes(&f).contains(&"state-mismatch".to_owned()));
    let report = fix(&f.ws, &f.ctx, Strictness::Strict).unwrap();
    assert!(report.valid, "{:?}", report.issues);
    assert_eq!(f.read(&path), text);
}

#[test]
fn fix_mends_what_the_requirement_rules_have_a_cure_for_and_nothing_else() {
    let f = Fixture::new();
    let spec = "# a\n\n## Purpose\n\nLet people in and keep everybody else out of it.\n\n## Requirements\n\n\
        ###Requirement: Login\n\nThe system SHALL log in.\n\n#### Scenario: Good\n\n- **WHEN** w\n- **THEN** t\n";
    f.write("specs/a/spec.md", spec);
    let report = fix(&f.ws, &f.ctx, Strictness::Normal).unwrap();
    assert_eq!(f.read("specs/a/spec.md"), spec.replace("###Requirement:", "### Requirement:"));
    assert_eq!(report.fixed, ["mended `specs/a/spec.md` (requirement-blank)"]);
}

#[test]
fn a_spec_fresh_from_create_has_no_errors_in_any_layout() {
    use hewto_engine::LayoutKind;
    for layout in [
        LayoutKind::Native,
        LayoutKind::Airsspec,
        LayoutKind::Spox,
        LayoutKind::Specman,
        LayoutKind::Openspec,
    ] {
        let f = Fixture::with_layout(layout);
        f.spec("Spec");
        let report = validate(&f.ws, &f.ctx, Strictness::Normal).unwrap();
        assert_eq!(report.summary.errors, 0, "{layout:?}: {:?}", report.issues);
    }
}

#[test]
fn an_id_in_two_roots_is_an_error() {
    let f = Fixture::new();
    f.write("specs/auth/spec.md", "# A\n\nBody\n");
    f.write("openspec/specs/auth/spec.md", "# B\n\nBody\n");
    let ws = hewto_engine::Workspace::discover(hewto_engine::Start::Here(f.root())).unwrap();
    let report = validate(&ws, &f.ctx, Strictness::Normal).unwrap();
    assert!(report.issues.iter().any(|issue| issue.code == "id-duplicate"), "{:?}", report.issues);
}

#[test]
fn a_state_in_the_front_matter_without_a_state_file_is_a_mismatch_that_can_be_fixed() {
    let f = Fixture::new();
    f.write("specs/a/spec.md", "---\ntitle: a\nstate: done\n---\n\nBody\n");
    assert!(codes(&f).contains(&"state-mismatch".to_owned()));
    fix(&f.ws, &f.ctx, Strictness::Normal).unwrap();
    assert_eq!(f.read("specs/a/spec.md"), "---\ntitle: a\nstate: draft\n---\n\nBody\n");
}
