//! What stands in the way of an archive beside the deltas is told by `validate_change` too, and stops nobody else.

use std::os::unix::fs::symlink;

use hewto_engine::build::{self, Approval};
use hewto_engine::change::{self, ArchiveOptions, Recording};
use hewto_engine::check::{self, Strictness, fix};
use hewto_engine::view::{ArchiveView, VerdictView};
use hewto_engine::{LayoutKind, Result, overview};

use crate::support::Fixture;

const SPEC: &str = "# auth Specification\n\n## Purpose\n\nLet people in and keep everybody else out of all of it.\n\n\
    ## Requirements\n\n### Requirement: Login\n\nIt SHALL log in.\n\n\
    #### Scenario: Good\n\n- **WHEN** it fits\n- **THEN** in\n\n#### Scenario: Bad\n\n- **WHEN** not\n- **THEN** out\n";
const PROPOSAL: &str = "# Change: It\n\n## Why\n\nBecause people have been asking for this every week.\n\n## What Changes\n\n- it\n";

/// A workspace with a spec and the change `c`, which adds to it and can be archived.
struct ChangeFixture {
    fixture: Fixture,
    changes: &'static str,
    archive: &'static str,
}

impl ChangeFixture {
    fn new(layout: LayoutKind) -> Self {
        let fixture = Fixture::with_layout(layout);
        let (specs, changes, archive) = match layout {
            LayoutKind::Spox => ("specs", "specs/_changes", "specs/_archive"),
            LayoutKind::Openspec => ("openspec/specs", "openspec/changes", "openspec/changes/archive"),
            _ => ("specs", "changes", "changes/archive"),
        };
        fixture.write(&format!("{specs}/auth/spec.md"), SPEC);
        let place = Self { fixture, changes, archive };
        place.propose("c", "auth", &added("Extra"));
        place
    }

    fn propose(&self, id: &str, capability: &str, delta: &str) {
        let folder = format!("{}/{id}", self.changes);
        self.fixture.write(&format!("{folder}/proposal.md"), PROPOSAL);
        self.fixture.write(&format!("{folder}/tasks.md"), "## 1. All\n- [x] 1.1 it\n");
        self.fixture.write(&format!("{folder}/specs/{capability}/spec.md"), delta);
    }

    fn verdict(&self, id: &str) -> VerdictView {
        check::validate_change(&self.fixture.ws, &self.fixture.ctx, Some(id), Strictness::Normal).unwrap()
    }

    fn archive(&self, id: &str, options: ArchiveOptions) -> Result<ArchiveView> {
        change::archive(&self.fixture.ws, &self.fixture.ctx, id, options)
    }
}

fn added(name: &str) -> String {
    format!(
        "## ADDED Requirements\n\n### Requirement: {name}\n\nIt SHALL be.\n\n#### Scenario: S\n\n- **WHEN** a\n- **THEN** b\n"
    )
}

/// Asserts that archiving `c` is refused, that the verdict says so, and that nothing was written.
fn assert_told(place: &ChangeFixture, what: &str) {
    let verdict = place.verdict("c");
    let told = verdict.errors.iter().chain(verdict.warnings.iter());
    let codes: Vec<&str> = told.map(|item| item.code.as_str()).collect();
    let known = ["archive-refused", "file-unreadable", "state-invalid"];
    assert!(codes.iter().any(|code| known.contains(code)), "{what}: {verdict:?}");
    for dry_run in [true, false] {
        let error = place.archive("c", ArchiveOptions { dry_run, ..ArchiveOptions::default() }).unwrap_err();
        assert!(error.details["errors"].as_array().is_some_and(|errors| !errors.is_empty()), "{what}");
    }
    assert!(place.fixture.path(place.changes).join("c/proposal.md").is_file(), "{what}");
    assert!(
        !place.fixture.ws.store().machine().is_interrupted(&place.fixture.ctx),
        "{what}: a commit is stuck"
    );
    overview::status(&place.fixture.ws, &place.fixture.ctx).unwrap();
}

// @spec specs#what-archive-would-refuse-is-told-before/a-place-that-cannot-be-written
#[test]
fn what_keeps_a_change_from_being_archived_is_told_before() {
    for layout in [LayoutKind::Native, LayoutKind::Spox, LayoutKind::Openspec] {
        let place = || ChangeFixture::new(layout);
        let case = |what: &str, prepare: &dyn Fn(&ChangeFixture)| {
            let place = place();
            prepare(&place);
            assert_told(&place, &format!("{what} ({layout})"));
        };
        case("the archive is a file", &|p| {
            let _ = std::fs::remove_dir_all(p.fixture.path(p.archive));
            p.fixture.write(p.archive, "x");
        });
        case("the archive is a link that leads out", &|p| {
            let _ = std::fs::remove_dir_all(p.fixture.path(p.archive));
            symlink("/", p.fixture.path(p.archive)).unwrap();
        });
        case("the name is taken by a file", &|p| {
            p.fixture.write(&format!("{}/2026-01-24-c", p.archive), "x");
        });
        case("the capability is a file", &|p| {
            let specs = p.fixture.ws.layout().spec_roots()[0].path.to_string();
            p.fixture.write(&format!("{specs}/taken"), "x");
            p.propose("c", "taken", &added("Extra"));
        });
        case("the capability has no place", &|p| p.propose("c", ".hidden", &added("Extra")));
        case("the spec is not text", &|p| {
            let specs = p.fixture.ws.layout().spec_roots()[0].path.to_string();
            p.fixture.write(&format!("{specs}/auth/spec.md"), b"# auth\n\xff");
        });
        case("the state is broken", &|p| {
            p.fixture.write(&format!("{}/c/state.toon", p.changes), "}}{{");
        });
    }
}

// @spec specs#what-archive-would-refuse-is-told-before/a-spec-that-is-no-text
#[test]
fn a_spec_that_is_no_text_stops_only_the_change_that_touches_it() {
    let place = ChangeFixture::new(LayoutKind::Native);
    place.fixture.write("specs/bad/spec.md", b"# bad\n\xff");
    place.propose("b", "bad", &added("Extra"));
    let all =
        check::validate_change(&place.fixture.ws, &place.fixture.ctx, None, Strictness::Normal).unwrap();
    let [only] = all.errors.as_slice() else { panic!("{all:?}") };
    assert_eq!((only.file.as_str(), only.section.as_str()), ("changes/b/specs/bad/spec.md", "deltas"));
    place.archive("c", ArchiveOptions::default()).unwrap();
}

#[test]
fn a_document_that_is_no_text_is_told_once_and_in_its_section() {
    let place = ChangeFixture::new(LayoutKind::Native);
    for (file, section) in
        [("proposal.md", "proposal"), ("tasks.md", "tasks"), ("specs/auth/spec.md", "deltas")]
    {
        place.propose("b", "auth", &added("Other"));
        place.fixture.write(&format!("changes/b/{file}"), b"\xff");
        let verdict = place.verdict("b");
        let [only] = verdict.errors.as_slice() else { panic!("{verdict:?}") };
        assert_eq!((only.code.as_str(), only.section.as_str()), ("file-unreadable", section));
    }
}

#[test]
fn a_base_that_cannot_be_written_stops_no_other_change() {
    let place = ChangeFixture::new(LayoutKind::Native);
    place.propose("b", "auth", "## REMOVED Requirements\n\n### Requirement: Login\n");
    place.fixture.write("changes/b/.base.json/in-the-way", "x");
    place.archive("c", ArchiveOptions::default()).unwrap();
    assert!(!place.fixture.path("changes/c").exists());
    assert_eq!(place.fixture.read("changes/b/.base.json/in-the-way"), "x");
}

#[test]
fn a_change_that_is_being_built_is_not_archived_and_validation_says_so() {
    let place = ChangeFixture::new(LayoutKind::Native);
    let f = &place.fixture;
    build::start(&f.ws, &f.ctx, "change:c", Approval::Given).unwrap();
    let verdict = place.verdict("c");
    let errors: Vec<_> = verdict.errors.iter().map(|item| item.code.as_str()).collect();
    assert_eq!((verdict.valid, errors), (false, vec!["build-open"]));
    let error = place.archive("c", ArchiveOptions::default()).unwrap_err();
    assert_eq!(error.key.as_str(), "invalid_transition");
    assert!(error.details.contains_key("errors") && error.details.contains_key("valid_transitions"));
    place.archive("c", ArchiveOptions { dry_run: true, ..ArchiveOptions::default() }).unwrap();
    let status = overview::status(&f.ws, &f.ctx).unwrap();
    assert_eq!(status.ready[0].next, "finish it: hewto build done change:c --summary \"…\"");
}

#[test]
fn fix_rebuilds_the_broken_state_of_a_change() {
    let place = ChangeFixture::new(LayoutKind::Native);
    place.fixture.write("changes/c/state.toon", "}}{{");
    let report = fix(&place.fixture.ws, &place.fixture.ctx, Strictness::Normal).unwrap();
    assert!(report.valid, "{report:?}");
    assert_eq!(place.fixture.read("changes/c/state.toon.broken-1"), "}}{{");
    place.archive("c", ArchiveOptions::default()).unwrap();
}

#[test]
fn a_change_is_archived_against_the_spec_as_it_stands_when_that_is_asked_for() {
    let place = ChangeFixture::new(LayoutKind::Native);
    let f = &place.fixture;
    let modified = |good: &str| {
        let text = SPEC.split_once("### ").unwrap().1.replace("**THEN** in", &format!("**THEN** {good}"));
        format!("## MODIFIED Requirements\n\n### {text}")
    };
    place.propose("m", "auth", &modified("in now"));
    change::record_bases(&f.ws, &f.ctx, Some("m"), Recording::Missing).unwrap();
    let later = SPEC.replace("**THEN** in", "**THEN** in later");
    f.write("specs/auth/spec.md", format!("{later}\n#### Scenario: New\n\n- **WHEN** n\n- **THEN** n\n"));
    let error = place.archive("m", ArchiveOptions::default()).unwrap_err();
    assert!(error.plain_hint().unwrap().contains("rebase `m` on the specs as they are now"));
    place.archive("m", ArchiveOptions { bases: Recording::Rebase, ..ArchiveOptions::default() }).unwrap();
    let text = f.read("specs/auth/spec.md");
    assert!(text.contains("**THEN** in now") && text.contains("Scenario: New"), "{text}");
}

#[test]
fn the_diff_of_a_new_spec_names_the_file_that_will_be() {
    let place = ChangeFixture::new(LayoutKind::Openspec);
    place.propose("n", "billing/tax", &added("Extra"));
    let dry = ArchiveOptions { dry_run: true, ..ArchiveOptions::default() };
    let diff = place.archive("n", dry).unwrap().diff.unwrap();
    assert!(diff.starts_with("--- /dev/null\n+++ b/openspec/specs/billing/tax/spec.md\n"), "{diff}");
}
