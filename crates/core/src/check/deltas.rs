//! The deltas of a change as they should be, each by itself and against its spec.

mod losses;

use std::collections::HashMap;

use self::losses::{check_losses, differing};
use super::change::{ChangeFiles, ChangeIssue, ChangeNames, DeltaFile, in_file, renaming};
use super::openspec::remark_on_reading;
use super::spec::{check_requirement, check_scenarios, scenario_missing};
use super::{Edit, Issue, IssueSection, Report};
use crate::archive::{application, apply_delta};
use crate::change::{ChangeFlags, flag_lines};
use crate::delta::{DeltaDoc, Oddity, Operation, Rename, RenameNotation};
use crate::diagnostic::Severity;
use crate::document::{Document, EolStyle, Span};
use crate::merge::{Application, Applied, ArchiveProblem, NoteKind, ProblemKind, contradictions};
use crate::outline::{Outline, strip_label};
use crate::overlap::Overlap;
use crate::rules::changes as rules;
use crate::rules::dialect::Dialect;

const SECTION_HINT: &str = "use `## ADDED Requirements`, `## MODIFIED Requirements`, `## REMOVED Requirements` or \
                            `## RENAMED Requirements`";

/// What is wrong with the deltas, and what becomes of each of their specs, in the order of the files.
pub(super) fn check(
    change: &ChangeFiles<'_>,
    flags: &ChangeFlags,
    overlaps: &[Overlap],
    dialect: Dialect,
) -> (Vec<ChangeIssue>, Vec<Result<Applied, Vec<ArchiveProblem>>>) {
    let (mut issues, mut outcomes) = (Vec::new(), Vec::new());
    let mut operations = 0;
    let ChangeNames { deltas, delta: delta_name, .. } = change.names;
    for file in change.deltas {
        let path = format!("{deltas}/{}/{delta_name}", file.capability);
        let document = Document::parse(file.text);
        // The verdict under `openspec/` follows its grammar, everything else ours.
        let delta = match dialect {
            Dialect::OpenSpec => DeltaDoc::from_outline(&Outline::by_lines(file.text)),
            Dialect::Native | Dialect::Spox => DeltaDoc::read(&document),
        };
        operations += delta.added.len() + delta.modified.len() + delta.removed.len() + delta.renamed.len();
        let mut report = Report::new(file.text, dialect, IssueSection::Deltas);
        check_sections(&mut report, &delta);
        check_oddities(&mut report, &delta);
        check_requirements(&mut report, &delta, &document);
        outcomes.push(check_application(&mut report, change, file, flags, &delta));
        if dialect == Dialect::OpenSpec {
            remark_on_reading(
                &mut report,
                differing(&Outline::read(&document), &Outline::by_lines(file.text)),
            );
        }
        check_overlaps(&mut report, change.id, file.capability, &delta, overlaps);
        issues.extend(in_file(&path, report.sorted()));
    }
    let misplaced = misplaced(change, dialect);
    if operations == 0 && misplaced.is_empty() && !flags.skip_specs.is_set() {
        issues.extend(in_file(deltas, none(change.names, dialect)));
    }
    issues.extend(misplaced);
    (issues, outcomes)
}

fn none(names: ChangeNames, dialect: Dialect) -> Vec<Issue> {
    let mut report = Report::new("", dialect, IssueSection::Deltas);
    let hint = format!(
        "add `{}/<capability>/{}` with `## ADDED Requirements`, or write {} into `{}`",
        names.deltas,
        names.delta,
        flag_lines("skip_specs"),
        names.metadata
    );
    report.add(&rules::DELTA_MISSING, &(0..0), "the change has no delta", hint);
    report.issues
}

/// Deltas that nothing would ever apply.
fn misplaced(change: &ChangeFiles<'_>, dialect: Dialect) -> Vec<ChangeIssue> {
    let mut issues = Vec::new();
    let ChangeNames { deltas, delta, .. } = change.names;
    for file in change.others {
        let is_root = file.path == delta;
        let holds_delta =
            || file.text.is_some_and(|text| !DeltaDoc::read(&Document::parse(text)).sections.is_empty());
        if !is_root && !holds_delta() {
            continue;
        }
        let folder = match file.path.rsplit_once('/') {
            Some((folder, _)) => folder,
            None if is_root => "<capability>",
            None => file.path.strip_suffix(".md").unwrap_or(file.path),
        };
        let mut report = Report::new(file.text.unwrap_or_default(), dialect, IssueSection::Deltas);
        let message = format!("the delta is not the `{delta}` of a capability and would never be applied");
        let hint = format!("move it to `{deltas}/{folder}/{delta}`");
        report.add(&rules::DELTA_MISPLACED, &(0..0), message, hint);
        issues.extend(in_file(&format!("{deltas}/{}", file.path), report.issues));
    }
    issues
}

fn check_sections(report: &mut Report<'_>, delta: &DeltaDoc<'_>) {
    if delta.sections.is_empty() {
        let hint = format!("{SECTION_HINT}, or move the file out of `specs/`");
        report.add(&rules::DELTA_SECTIONS, &(0..0), "the delta has no section", hint);
    } else if delta.is_empty() {
        let hint = "add `### Requirement: <name>` below the section";
        report.add(&rules::DELTA_EMPTY, &delta.sections[0].heading, "the delta names no requirement", hint);
    }
}

fn check_oddities(report: &mut Report<'_>, delta: &DeltaDoc<'_>) {
    for oddity in &delta.oddities {
        let span = oddity.span();
        match oddity {
            Oddity::Heading { operation: Operation::Renamed, title, .. } => {
                let hint = format!("write `### Requirement: {title} → <new name>`, or `FROM:` and `TO:`");
                report.add(&rules::RENAME_HEADING, span, format!("`{title}` is renamed to nothing"), hint);
            }
            Oddity::Heading { operation, title, .. } => {
                let message = format!("`### {title}` under {} is not a requirement", operation.as_str());
                let name = strip_label(title, "Requirement:").map_or(*title, |_| "<name>");
                let hint = format!("write `### Requirement: {name}` if it is meant as one");
                report.add(&rules::DELTA_HEADING, span, message, hint);
            }
            Oddity::Outside { name, section, .. } => {
                let place = section
                    .map_or("above the first section".to_owned(), |section| format!("under `## {section}`"));
                let message = format!("requirement `{name}` is {place} and would not be applied");
                report.add(&rules::DELTA_OUTSIDE, span, message, format!("move it; {SECTION_HINT}"));
            }
            Oddity::FromAlone { name, .. } => unpaired(report, span, "FROM", "TO", name),
            Oddity::ToAlone { name, .. } => unpaired(report, span, "TO", "FROM", name),
            Oddity::Section { title, .. } => {
                let message = format!("`## {title}` is not a section of a delta");
                report.add(&rules::DELTA_SECTION, span, message, SECTION_HINT);
            }
        }
    }
    for rename in delta.renamed.iter().filter(|rename| rename.notation == RenameNotation::Arrow) {
        let message = format!("OpenSpec does not read the rename `{} → {}`", rename.from, rename.to);
        let hint = "write it as `FROM:` and `TO:`";
        report.add_with(
            &rules::RENAME_ARROW,
            &rename.span,
            message,
            hint,
            Some(as_lines(report.text, rename)),
        );
    }
}

fn unpaired(report: &mut Report<'_>, span: &Span, side: &str, other: &str, name: &str) {
    let message = format!("the rename `{side}: {name}` has no `{other}:`");
    let hint = "write each rename as a `FROM:` line with its `TO:` line right behind it";
    report.add(&rules::RENAME_UNPAIRED, span, message, hint);
}

/// A rename with an arrow as two lines.
fn as_lines(text: &str, rename: &Rename<'_>) -> Edit {
    let lines = format!("- FROM: `### Requirement: {}`\n- TO: `### Requirement: {}`", rename.from, rename.to);
    Edit { span: rename.span.clone(), text: EolStyle::of(text).applied_to(&lines) }
}

fn check_requirements(report: &mut Report<'_>, delta: &DeltaDoc<'_>, document: &Document<'_>) {
    let added = delta.added.iter().map(|requirement| (requirement, "added requirement"));
    let modified = delta.modified.iter().map(|requirement| (requirement, "modified requirement"));
    for (requirement, what) in added.chain(modified) {
        check_requirement(report, requirement, what);
        match report.dialect {
            Dialect::OpenSpec => {
                let is_told = |body: &Span| !report.text[body.clone()].trim().is_empty();
                if !requirement.scenarios.iter().any(|scenario| is_told(&scenario.body)) {
                    scenario_missing(report, requirement.name, &requirement.heading);
                }
            }
            Dialect::Native | Dialect::Spox => check_scenarios(report, requirement, document),
        }
    }
}

/// What archive says; the delta is applied here and nowhere else.
fn check_application(
    report: &mut Report<'_>,
    change: &ChangeFiles<'_>,
    file: &DeltaFile<'_>,
    flags: &ChangeFlags,
    judged: &DeltaDoc<'_>,
) -> Result<Applied, Vec<ArchiveProblem>> {
    let dialect = report.dialect;
    let document = Document::parse(file.text);
    let delta = DeltaDoc::read(&document);
    let application = application(change, file, flags, &delta, dialect);
    if dialect == Dialect::OpenSpec {
        // Contradictions count as OpenSpec finds them.
        for problem in contradictions(&Application { delta: judged, current: None, ..application }) {
            contradiction(report, &problem);
        }
        check_losses(report, file, judged);
    }
    let is_wrong_by_itself = report.issues.iter().any(|issue| issue.diagnostic.severity == Severity::Error);
    let outcome = apply_delta(&application, dialect);
    match &outcome {
        Ok(applied) => {
            for note in &applied.notes {
                match note.kind {
                    NoteKind::Dropped => {
                        let hint = "put the scenario back if this was not meant";
                        report.add(&rules::SCENARIO_LEFT_OUT, &note.span, note.message.clone(), hint);
                    }
                    NoteKind::NothingToRemove => {
                        let hint = "check the name, or take the entry out";
                        report.add(&rules::REMOVAL_ABSENT, &note.span, note.message.clone(), hint);
                    }
                    NoteKind::Kept | NoteKind::Merged | NoteKind::AlreadyDone | NoteKind::Ignored => {}
                }
            }
        }
        Err(problems) => {
            // What makes the result invalid was told where it stands in the delta.
            let is_told =
                |problem: &ArchiveProblem| problem.kind == ProblemKind::Result && is_wrong_by_itself;
            for problem in problems.iter().filter(|problem| !is_told(problem)) {
                refused(report, problem);
            }
        }
    }
    outcome
}

fn contradiction(report: &mut Report<'_>, problem: &ArchiveProblem) {
    let rule = match problem.kind {
        ProblemKind::Duplicate => &rules::DELTA_DUPLICATE,
        ProblemKind::Contradiction => &rules::DELTA_CONFLICT,
        _ => return,
    };
    report.add(rule, &problem.span, problem.message.clone(), problem.hint.clone());
}

fn refused(report: &mut Report<'_>, problem: &ArchiveProblem) {
    let own = match problem.kind {
        ProblemKind::Empty if report.has(&rules::DELTA_SECTIONS) => return,
        ProblemKind::Empty => &rules::DELTA_EMPTY,
        ProblemKind::Unpaired => &rules::RENAME_UNPAIRED,
        ProblemKind::Duplicate => &rules::DELTA_DUPLICATE,
        ProblemKind::Contradiction => &rules::DELTA_CONFLICT,
        ProblemKind::Loss => &rules::SCENARIO_DROPPED,
        ProblemKind::Spec
        | ProblemKind::Target
        | ProblemKind::Conflict
        | ProblemKind::Retirement
        | ProblemKind::Result => &rules::ARCHIVE_REFUSED,
    };
    let told_by_itself = matches!(problem.kind, ProblemKind::Empty | ProblemKind::Unpaired);
    let rule = match report.dialect {
        Dialect::Native | Dialect::Spox if told_by_itself => return,
        Dialect::Native | Dialect::Spox => own,
        // What OpenSpec finds too was reported by its own reading.
        Dialect::OpenSpec if own.code != rules::ARCHIVE_REFUSED.code && report.has(own) => return,
        Dialect::OpenSpec => &rules::ARCHIVE_REFUSED,
    };
    let meant = problem.meant.as_deref().zip(problem.requirement.as_deref());
    let fix = meant.and_then(|(meant, name)| renaming(report.text, &problem.span, name, meant));
    let message = match (&problem.requirement, problem.kind) {
        (Some(name), ProblemKind::Loss | ProblemKind::Conflict) => {
            format!("requirement `{name}`: {}", problem.message)
        }
        _ => problem.message.clone(),
    };
    report.add_with(rule, &problem.span, message, problem.hint.clone(), fix);
}

fn check_overlaps(
    report: &mut Report<'_>,
    id: &str,
    capability: &str,
    delta: &DeltaDoc<'_>,
    overlaps: &[Overlap],
) {
    let ours = overlaps.iter().filter(|overlap| overlap.capability == capability && overlap.concerns(id));
    let mut places: HashMap<&str, (usize, Span)> = HashMap::new();
    for (at, (name, span)) in delta.requirements().enumerate() {
        places.entry(name).or_insert((at, span));
    }
    for overlap in ours {
        let others: Vec<String> = overlap
            .changes
            .iter()
            .filter(|change| *change != id)
            .map(|change| format!("`{change}`"))
            .collect();
        let named = overlap.names.iter().filter_map(|name| places.get(name.as_str()));
        let span = named.min_by_key(|(at, _)| *at).map_or(0..0, |(_, span)| span.clone());
        let message =
            format!("requirement `{}` is also touched by {}", overlap.requirement, others.join(", "));
        let hint = match overlap.at_risk.first() {
            Some(risk) => format!(
                "agree on it: scenario `{}` of `{}` is not in `{}`",
                risk.scenario, risk.change, risk.lost_by
            ),
            None => "agree on it, or archive one change and look at the other again".to_owned(),
        };
        report.add(&rules::CHANGE_OVERLAP, &span, message, hint);
    }
}
