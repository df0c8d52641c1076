//! Changes, against their specs and against archive.

mod properties;

use super::*;
use crate::change::{CapabilityBase, Origin};
use crate::delta::DeltaDoc;
use crate::overlap::{OpenDelta, overlaps};

const NAMES: ChangeNames = ChangeNames {
    proposal: "proposal.md",
    tasks: "tasks.md",
    design: "design.md",
    metadata: ".openspec.yaml",
    deltas: "specs",
    delta: "spec.md",
};

const CURRENT: &str = "# auth Specification\n\n## Purpose\n\nTo keep strangers out and to let friends in, by day and by night.\n\n\
                       ## Requirements\n\n### Requirement: Login\n\nIt SHALL work.\n\n#### Scenario: One\n\n- **WHEN** x\n- **THEN** y\n\n\
                       #### Scenario: Two\n\n- **WHEN** x\n- **THEN** y\n";
const PROPOSAL: &str = "# Change: X\n\n## Why\n\nBecause somebody needs it, and because it is about time to do it.\n\n\
                        ## What Changes\n\n- things\n";
const TASKS: &str = "## 1. Do\n\n- [ ] 1.1 it\n";
const ADDED: &str =
    "## ADDED Requirements\n### Requirement: New\nIt MUST.\n#### Scenario: S\n- **WHEN** x\n- **THEN** y\n";

#[derive(Clone, Copy)]
struct Case<'a> {
    proposal: Option<&'a str>,
    tasks: Option<&'a str>,
    metadata: Option<&'a str>,
    delta: Option<&'a str>,
    current: Option<&'a str>,
    base: Option<(&'a str, Origin)>,
    others: &'a [OtherFile<'a>],
}

const CASE: Case<'static> = Case {
    proposal: Some(PROPOSAL),
    tasks: Some(TASKS),
    metadata: None,
    delta: Some(ADDED),
    current: Some(CURRENT),
    base: None,
    others: &[],
};

impl Case<'_> {
    fn issues(&self, dialect: Dialect) -> Vec<ChangeIssue> {
        let document = Document::parse(self.delta.unwrap_or_default());
        let delta = DeltaDoc::read(&document);
        let base = self.base.map(|(spec, origin)| CapabilityBase::take(&delta, Some(spec), origin));
        let file = self.delta.map(|text| DeltaFile {
            capability: "auth",
            text,
            current: self.current,
            base: base.as_ref(),
        });
        let change = ChangeFiles {
            id: "c",
            names: NAMES,
            rebase: "rebase the change",
            proposal: self.proposal,
            tasks: self.tasks,
            metadata: self.metadata,
            schemas: &[],
            deltas: file.as_slice(),
            others: self.others,
        };
        let issues = check_change(&change, &[], dialect);
        let errors = issues.iter().filter(|issue| issue.issue.diagnostic.severity == Severity::Error).count();
        let planned = crate::archive::plan(&change, apply_change(&change, &[], dialect));
        // What passes can be archived; what archive refuses is told.
        assert!(errors > 0 || planned.is_ok() || dialect == Dialect::OpenSpec, "{planned:#?}");
        assert!(
            planned.is_ok() || issues.iter().any(|issue| issue.issue.diagnostic.severity > Severity::Info)
        );
        issues
    }

    fn told(&self, dialect: Dialect) -> Vec<String> {
        let issues = self.issues(dialect);
        let line = |issue: &ChangeIssue| format!("{} {}", issue.file, told([&issue.issue])[0]);
        issues.iter().map(line).collect()
    }
}

#[test]
fn a_tidy_change_passes_everywhere() {
    for dialect in [Dialect::Native, Dialect::Spox, Dialect::OpenSpec] {
        assert_eq!(CASE.told(dialect), Vec::<String>::new(), "{dialect:?}");
    }
}

#[test]
fn the_files_of_a_change_are_checked_as_its_tool_does() {
    let outside = "# Notes\n## ADDED Requirements\n";
    for (what, case, native, openspec) in [
        ("no proposal", Case { proposal: None, ..CASE }, &["proposal.md !proposal-missing@1"][..], &[][..]),
        (
            "empty proposal",
            Case { proposal: Some("# X\n"), ..CASE },
            &["proposal.md !why-missing@1", "proposal.md !what-changes-missing@1"],
            &["proposal.md why-missing@1", "proposal.md what-changes-missing@1"],
        ),
        (
            "short why",
            Case { proposal: Some("## Why\nSo.\n## What Changes\n"), ..CASE },
            &["proposal.md ?why-short@1", "proposal.md ?what-changes-empty@3"],
            &["proposal.md why-short@1", "proposal.md what-changes-empty@3"],
        ),
        ("no tasks", Case { tasks: None, ..CASE }, &["tasks.md !tasks-missing@1"], &[]),
        (
            "no box",
            Case { tasks: Some("text\n"), ..CASE },
            &["tasks.md !tasks-empty@1"],
            &["tasks.md tasks-empty@1"],
        ),
        (
            "plain list",
            Case { tasks: Some("- do\n"), ..CASE },
            &["tasks.md !tasks-uncheckable@1"],
            &["tasks.md ?tasks-uncheckable@1"],
        ),
        ("unnumbered", Case { tasks: Some("- [ ] do\n"), ..CASE }, &["tasks.md ?task-number@1"], &[]),
        (
            "numbers",
            Case { tasks: Some("## 1. A\n- [ ] 1.1 a\n- [ ] 1.1 b\n- [ ] 2.1 c\n"), ..CASE },
            &["tasks.md ?task-duplicate@3", "tasks.md ?task-group@4"],
            &["tasks.md ?task-duplicate@3", "tasks.md ?task-group@4"],
        ),
        ("no delta", Case { delta: None, ..CASE }, &["specs !delta-missing@1"], &["specs !delta-missing@1"]),
        (
            "skipped",
            Case { delta: None, metadata: Some("schema: spec-driven\nskip_specs: true\n"), ..CASE },
            &[],
            &[],
        ),
        (
            "skipped, but there",
            Case { metadata: Some("schema: spec-driven\nskip_specs: true\n"), ..CASE },
            &[".openspec.yaml !skip-specs-conflict@2"],
            &[".openspec.yaml !skip-specs-conflict@2"],
        ),
        (
            "broken flag",
            Case { metadata: Some("skip_specs: true\n"), ..CASE },
            &[".openspec.yaml !metadata-invalid@1"],
            &[".openspec.yaml !metadata-invalid@1"],
        ),
        (
            "at the root",
            Case { delta: None, others: &[OtherFile { path: "spec.md", text: Some("x") }], ..CASE },
            &["specs/spec.md !delta-misplaced@1"],
            &["specs/spec.md !delta-misplaced@1"],
        ),
        (
            "another name",
            Case { others: &[OtherFile { path: "auth/notes.md", text: Some(outside) }], ..CASE },
            &["specs/auth/notes.md !delta-misplaced@1"],
            &["specs/auth/notes.md !delta-misplaced@1"],
        ),
        (
            "a note",
            Case { others: &[OtherFile { path: "auth/notes.md", text: Some("x") }], ..CASE },
            &[],
            &[],
        ),
    ] {
        assert_eq!(case.told(Dialect::Native), native, "{what}, native");
        assert_eq!(case.told(Dialect::OpenSpec), openspec, "{what}, openspec");
    }
}

#[test]
fn deltas_are_checked_by_themselves_and_against_their_spec() {
    let scenario = "#### Scenario: One\n- **WHEN** x\n- **THEN** y\n";
    let both = format!("{scenario}#### Scenario: Two\n- **WHEN** x\n- **THEN** z\n");
    for (what, delta, native, openspec) in [
        (
            "no section",
            "text\n".to_owned(),
            &["!delta-sections@1", "!delta-missing@1"][..],
            &["!delta-sections@1", "!delta-missing@1"][..],
        ),
        (
            "empty section",
            "## ADDED Requirements\n".to_owned(),
            &["!delta-empty@1", "!delta-missing@1"],
            &["!delta-empty@1", "!delta-missing@1"],
        ),
        (
            "no scenario",
            "## ADDED Requirements\n### Requirement: N\nIt MUST.\n".to_owned(),
            &["!scenario-missing@2"],
            &["!scenario-missing@2"],
        ),
        (
            "no text",
            format!("## ADDED Requirements\n### Requirement: N\n{scenario}"),
            &["!requirement-text@2"],
            &["!requirement-text@2"],
        ),
        (
            "no keyword",
            format!("## ADDED Requirements\n### Requirement: N\nwords\n{scenario}"),
            &["?requirement-keyword@2"],
            &["?requirement-keyword@2"],
        ),
        (
            "dropped scenario",
            format!("## MODIFIED Requirements\n### Requirement: Login\nIt MUST.\n{scenario}"),
            &["!scenario-dropped@2"],
            &["!scenario-dropped@2"],
        ),
        ("fitting", format!("## MODIFIED Requirements\n### Requirement: Login\nIt MUST.\n{both}"), &[], &[]),
        (
            "missing target",
            format!("## MODIFIED Requirements\n### Requirement: Nope\nIt MUST.\n{scenario}"),
            &["!archive-refused@2"],
            &["!archive-refused@2"],
        ),
        (
            "last requirement",
            "## REMOVED Requirements\n- ### Requirement: Login\n".to_owned(),
            &["!archive-refused@1"],
            &["!archive-refused@1"],
        ),
        (
            "twice",
            format!("{ADDED}### Requirement: New\nIt MUST.\n{scenario}"),
            &["!delta-duplicate@7"],
            &["!delta-duplicate@7"],
        ),
        (
            "in two sections",
            format!("{ADDED}## REMOVED Requirements\n- ### Requirement: New\n"),
            &["!delta-conflict@2"],
            &["!delta-conflict@2"],
        ),
        (
            "unpaired",
            format!("{ADDED}## RENAMED Requirements\n- FROM: `### Requirement: Login`\n"),
            &["!rename-unpaired@8"],
            &["!rename-unpaired@8"],
        ),
        (
            "arrow",
            format!("{ADDED}## RENAMED Requirements\n### Requirement: Login → Sign-in\n"),
            &["rename-arrow@8"],
            &["?rename-arrow@8"],
        ),
        (
            "outside",
            format!("{ADDED}## Notes\n### Requirement: Lost\nIt MUST.\n"),
            &["?delta-outside@8"],
            &["?delta-outside@8"],
        ),
        // OpenSpec takes the heading for a requirement once it is in the spec.
        (
            "odd heading",
            format!("{ADDED}### Notes\n"),
            &["delta-heading@7"],
            &["!archive-refused@1", "delta-heading@7"],
        ),
        ("odd section", format!("{ADDED}## ADDED things\n"), &["?delta-section@7"], &["delta-section@7"]),
        // A section to CommonMark, and so to archive, but not to OpenSpec.
        (
            "closed section",
            format!("{ADDED}## REMOVED Requirements ##\n- `### Requirement: Gone`\n"),
            &["?removal-absent@8"],
            &["delta-section@7", "openspec-reads-differently@7", "?removal-absent@8"],
        ),
    ] {
        let case = Case { delta: Some(&delta), ..CASE };
        let told = |dialect| -> Vec<String> {
            case.told(dialect).iter().map(|line| line.split_once(' ').unwrap().1.to_owned()).collect()
        };
        assert_eq!(told(Dialect::Native), native, "{what}, native");
        assert_eq!(told(Dialect::OpenSpec), openspec, "{what}, openspec");
    }
}

#[test]
fn a_known_base_allows_what_openspec_refuses() {
    let delta = "## MODIFIED Requirements\n### Requirement: Login\nIt MUST.\n#### Scenario: One\n- **WHEN** x\n- **THEN** y\n";
    let written = Case { delta: Some(delta), base: Some((CURRENT, Origin::Written)), ..CASE };
    assert_eq!(written.told(Dialect::Native), ["specs/auth/spec.md ?scenario-left-out@2"]);
    assert_eq!(written.told(Dialect::OpenSpec), ["specs/auth/spec.md !scenario-dropped@2"]);
    let observed = Case { base: Some((CURRENT, Origin::Observed)), ..written };
    assert_eq!(observed.told(Dialect::Native), ["specs/auth/spec.md !scenario-dropped@2"]);
    // The spec got a scenario since: both keep it.
    let older = CURRENT.split("#### Scenario: Two").next().unwrap();
    let merged = Case { base: Some((older, Origin::Observed)), ..written };
    assert_eq!(merged.told(Dialect::Native), Vec::<String>::new());
    assert_eq!(merged.told(Dialect::OpenSpec), Vec::<String>::new());
}

#[test]
fn names_and_notations_in_deltas_are_fixed() {
    let delta = "## REMOVED Requirements\r\n- `### Requirement: login`\r\n## RENAMED Requirements\r\n### Requirement: A → B\r\n";
    let case = Case { delta: Some(delta), ..CASE };
    let issues = case.issues(Dialect::OpenSpec);
    let edits: Vec<&Edit> = issues.iter().filter_map(|issue| issue.issue.fix.as_ref()).collect();
    assert_eq!(
        apply_edits(delta, edits),
        "## REMOVED Requirements\r\n- `### Requirement: Login`\r\n## RENAMED Requirements\r\n\
         - FROM: `### Requirement: A`\r\n- TO: `### Requirement: B`\r\n"
    );
}

#[test]
fn overlaps_are_repeated_where_they_are() {
    let document = Document::parse(ADDED);
    let delta = DeltaDoc::read(&document);
    let found = overlaps(["c", "d"].map(|change| OpenDelta { change, capability: "auth", delta: &delta }));
    let file = DeltaFile { capability: "auth", text: ADDED, current: Some(CURRENT), base: None };
    let change = ChangeFiles {
        id: "c",
        names: NAMES,
        rebase: "rebase the change",
        proposal: Some(PROPOSAL),
        tasks: Some(TASKS),
        metadata: None,
        schemas: &[],
        deltas: &[file],
        others: &[],
    };
    for dialect in [Dialect::Native, Dialect::OpenSpec] {
        let issues = check_change(&change, &found, dialect);
        assert_eq!(told(issues.iter().map(|issue| &issue.issue)), ["?change-overlap@2"]);
        assert_eq!(issues[0].issue.diagnostic.message, "requirement `New` is also touched by `d`");
    }
}
