//! hewto and OpenSpec on the same files: the same verdicts, and the same specs after an archive.
//!
//! The reference is the released npm package, installed by `scripts/openspec/install.sh` and started once for all
//! files. Where it cannot be installed the comparison is skipped with a message, but fails under CI. Differences on
//! purpose are listed in `docs/compatibility.md` and stand here as cases of their own ([`cases::Difference`]).

#![expect(
    clippy::disallowed_methods,
    reason = "the test builds a workspace and asks whether it runs under CI"
)]
#![expect(clippy::print_stderr, reason = "a skipped comparison says so")]

mod cases;
mod generate;
mod reference;

use hewto_core::archive;
use hewto_core::check::{ChangeFiles, ChangeNames, DeltaFile, apply_change, check_change, check_spec};
use hewto_core::diagnostic::Severity;
use hewto_core::document::Document;
use hewto_core::merge::Outcome;
use hewto_core::review::{Anchor, Channel, Digest, Head, Record, Verdict as Said, What};
use hewto_core::rules::dialect::Dialect;

use cases::{ChangeCase, Difference, Shows, SpecCase};
use reference::{Reference, Verdict, Workspace};

/// What OpenSpec calls the files of a change.
const NAMES: ChangeNames = ChangeNames {
    proposal: "proposal.md",
    tasks: "tasks.md",
    design: "design.md",
    metadata: ".openspec.yaml",
    deltas: "specs",
    delta: "spec.md",
};

/// Warnings of ours that have no counterpart: what is most often a slip, and what OpenSpec cannot read.
const OURS_ALONE: [&str; 3] = ["change-overlap", "removal-absent", "rename-arrow"];
/// An error of ours that is a remark of OpenSpec's, or is not told at all.
const ONLY_A_REMARK: &str = "archive-refused";

#[test]
fn verdicts_on_specs_are_the_same() {
    let Some(reference) = Reference::find() else { return };
    let cases: Vec<SpecCase> = cases::specs().into_iter().chain(generate::specs(600)).collect();
    let workspace = Workspace::new("specs");
    for case in &cases {
        workspace.write(&format!("openspec/specs/{}/spec.md", case.id), &case.text);
    }
    workspace.folder("openspec/changes");
    let theirs = reference.validate(&workspace).specs;
    let mut wrong = Vec::new();
    for case in &cases {
        let document = Document::parse(&case.text);
        let issues = check_spec(&document, Dialect::OpenSpec);
        let found = issues.iter().map(|issue| (issue.diagnostic.severity, issue.diagnostic.code));
        compare(&mut wrong, &case.id, &case.text, case.difference, &Verdict::of(found), &theirs[&case.id]);
    }
    report(&wrong, cases.len());
}

#[test]
fn records_of_a_review_in_a_change_are_accepted_strictly() {
    let Some(reference) = Reference::find() else { return };
    let workspace = Workspace::new("review");
    workspace.folder("openspec/specs");
    let folder = "openspec/changes/mail";
    workspace.write(
        &format!("{folder}/proposal.md"),
        "# Change: Mail\n\n## Why\n\nBecause people have been asking for this every single week of the year.\n\n## What Changes\n\n- a link\n",
    );
    workspace.write(&format!("{folder}/tasks.md"), "## 1. All\n- [ ] 1.1 Table\n");
    workspace.write(
        &format!("{folder}/specs/accounts/spec.md"),
        "## ADDED Requirements\n\n### Requirement: Sign in\n\nThe system SHALL send a link.\n\n#### Scenario: Fresh\n\n- **WHEN** asked\n- **THEN** sent\n",
    );
    let head = Head {
        item: "change:mail".to_owned(),
        by: "ana".to_owned(),
        channel: Channel::Terminal,
        at: "2026-01-31T09:30:00Z".parse().expect("a moment"),
        content: Digest::of(b"x"),
        version: 1,
        form: 2,
    };
    let anchor = Anchor { requirement: Some("Sign in".to_owned()), ..Anchor::default() };
    for (name, what) in [
        ("20260131T093000.000Z-1A2B", What::Verdict { verdict: Said::Approved, allows: Vec::new() }),
        ("20260131T093001.000Z-1A2B", What::Comment(anchor)),
    ] {
        let text = "### Requirement: not one\n\n## ADDED Requirements".to_owned();
        let record = Record { head: head.clone(), what, text, mac: None, signature: None };
        workspace.write(&format!("{folder}/review/{name}.md"), &record.render());
    }
    let theirs = &reference.validate(&workspace).changes["mail"];
    assert!(theirs.strict, "{theirs:?}");
}

#[test]
fn verdicts_on_changes_and_the_specs_they_leave_are_the_same() {
    let Some(reference) = Reference::find() else { return };
    let cases: Vec<ChangeCase> = cases::changes().into_iter().chain(generate::changes(400)).collect();
    let workspace = Workspace::new("changes");
    workspace.folder("openspec/specs");
    for case in &cases {
        for (path, text) in case.files() {
            workspace.write(&path, text);
        }
    }
    let verdicts = reference.validate(&workspace).changes;
    let archived = reference.archive(&workspace);
    let mut wrong = Vec::new();
    for case in &cases {
        let text = case.delta.as_deref().unwrap_or_default();
        let ours = our_verdict(case);
        compare(&mut wrong, &case.id, text, case.difference, &ours, &verdicts[&case.id]);

        let theirs = &archived[&case.id];
        let spec = || workspace.read(&format!("openspec/specs/{}/spec.md", case.id));
        let shown = match (our_archive(case), theirs.archived) {
            // Two readings give two results; which is which was told as an issue.
            _ if case.difference.is_none() && !is_comparable(case, &ours) => continue,
            (Ok(ours), true) if ours.as_deref().map(normalised) == spec().as_deref().map(normalised) => None,
            (Ok(ours), true) => Some((Shows::Text, format!("-- ours\n{ours:?}\n-- theirs\n{:?}", spec()))),
            (Err(_), false) => None,
            (ours, _) => Some((Shows::Archive, format!("-- ours {ours:?}\n-- theirs {theirs:?}"))),
        };
        let expected = case.difference.map(Difference::shows_in_archive);
        if shown.as_ref().map(|(shows, _)| *shows) != expected {
            wrong.push(format!("{}: {:?}\n{text}\n{shown:?}", case.id, case.difference));
        }
    }
    report(&wrong, cases.len());
}

/// Whether a generated change shows none of the listed differences.
fn is_comparable(case: &ChangeCase, ours: &Verdict) -> bool {
    let current = case.current.as_deref().unwrap_or_default();
    let codes: Vec<_> = check_spec(&Document::parse(current), Dialect::OpenSpec)
        .iter()
        .map(|issue| issue.diagnostic.code)
        .collect();
    let foreign = ["openspec-reads-differently", "requirement-heading", "scenario-level"];
    let told = |issue: &String| issue.contains("openspec-reads-differently");
    !foreign.iter().any(|code| codes.contains(code)) && !ours.issues.iter().any(told)
}

fn our_verdict(case: &ChangeCase) -> Verdict {
    with_files(case, |change| {
        let issues = check_change(change, &[], Dialect::OpenSpec);
        Verdict::of(issues.iter().map(|issue| (issue.issue.diagnostic.severity, issue.issue.diagnostic.code)))
    })
}

/// The text of the spec after an archive, or why there is none.
fn our_archive(case: &ChangeCase) -> Result<Option<String>, String> {
    with_files(case, |change| match archive::plan(change, apply_change(change, &[], Dialect::OpenSpec)) {
        _ if check_change(change, &[], Dialect::OpenSpec).iter().any(archive::stops) => {
            Err("not valid".to_owned())
        }
        Err(problems) => Err(format!("{problems:?}")),
        Ok(specs) => Ok(match specs.into_iter().next().map(|spec| spec.applied.outcome) {
            Some(Outcome::Written(text)) => Some(text),
            Some(Outcome::Retired) => None,
            Some(Outcome::Unchanged) | None => case.current.clone(),
        }),
    })
}

fn with_files<T>(case: &ChangeCase, run: impl FnOnce(&ChangeFiles<'_>) -> T) -> T {
    let file = case.delta.as_deref().map(|text| DeltaFile {
        capability: &case.id,
        text,
        current: case.current.as_deref(),
        base: None,
    });
    run(&ChangeFiles {
        id: &case.id,
        names: NAMES,
        rebase: "rebase the change",
        proposal: None,
        tasks: case.tasks.as_deref(),
        metadata: case.metadata.as_deref(),
        schemas: &[],
        deltas: file.as_slice(),
        others: &[],
    })
}

fn compare(
    wrong: &mut Vec<String>,
    id: &str,
    text: &str,
    difference: Option<Difference>,
    ours: &Verdict,
    theirs: &Verdict,
) {
    let same = ours.valid == theirs.valid && ours.strict == theirs.strict;
    // A difference that is gone must be struck from the list.
    if same == difference.is_some_and(Difference::shows_in_verdict) {
        wrong.push(format!("{id}: {difference:?}\n{text}\n-- ours {ours:?}\n-- theirs {theirs:?}"));
    }
}

fn report(wrong: &[String], total: usize) {
    let shown = wrong.iter().take(5).cloned().collect::<Vec<_>>().join("\n\n=====\n\n");
    assert!(wrong.is_empty(), "{} of {total} cases differ:\n\n{shown}", wrong.len());
}

/// A text with line feeds and without blank lines: OpenSpec sets them as it likes, we leave them.
fn normalised(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    lines.map(without_placeholder).collect::<Vec<_>>().join("\n")
}

/// OpenSpec gives a new spec a placeholder for its purpose, hewto a sentence: a named difference
/// (docs/compatibility.md).
fn without_placeholder(line: &str) -> &str {
    let is_ours = line.starts_with("What is promised about ");
    let is_theirs = line.starts_with("TBD - created by archiving change ");
    if is_ours || is_theirs { "(purpose)" } else { line }
}

impl Verdict {
    fn of(found: impl Iterator<Item = (Severity, &'static str)>) -> Self {
        let mut verdict = Self { valid: true, strict: true, issues: Vec::new() };
        for (severity, code) in found {
            verdict.issues.push(format!("{severity} {code}"));
            if code == ONLY_A_REMARK {
                continue;
            }
            verdict.valid &= severity < Severity::Error;
            verdict.strict &= severity < Severity::Warning || OURS_ALONE.contains(&code);
        }
        verdict
    }
}
