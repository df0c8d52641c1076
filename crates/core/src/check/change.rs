//! A change as it should be: proposal, tasks, flags and deltas, and whether it can be archived.

use super::{Edit, Issue, IssueSection, Report, deltas, tasks};
use crate::change::{CapabilityBase, ChangeFlags, Marker, Proposal};
use crate::document::{Document, Span};
use crate::merge::{Applied, ArchiveProblem};
use crate::overlap::Overlap;
use crate::rules::changes as rules;
use crate::rules::dialect::{Dialect, DialectRule};

const WHY_SHORT: usize = 50;
const WHY_LONG: usize = 1000;

/// What the files of a change are called, relative to its folder. The layout knows; this room only repeats it.
#[derive(Debug, Clone, Copy)]
pub struct ChangeNames {
    pub proposal: &'static str,
    pub tasks: &'static str,
    pub design: &'static str,
    pub metadata: &'static str,
    /// The folder of deltas.
    pub deltas: &'static str,
    /// A delta, inside the folder of its capability.
    pub delta: &'static str,
}

/// The files of a change that are checked, as text.
#[derive(Debug, Clone, Copy)]
pub struct ChangeFiles<'a> {
    pub id: &'a str,
    pub names: ChangeNames,
    /// How to take the specs as they are for the base of the change, in the words of whoever asked.
    pub rebase: &'a str,
    pub proposal: Option<&'a str>,
    pub tasks: Option<&'a str>,
    /// `.openspec.yaml`
    pub metadata: Option<&'a str>,
    /// The names of the project's own OpenSpec schemas.
    pub schemas: &'a [&'a str],
    /// `specs/<capability>/spec.md`
    pub deltas: &'a [DeltaFile<'a>],
    /// Every other file below `specs/`.
    pub others: &'a [OtherFile<'a>],
}

/// A delta with the spec it is for.
#[derive(Debug, Clone, Copy)]
pub struct DeltaFile<'a> {
    pub capability: &'a str,
    pub text: &'a str,
    /// The spec as it stands; `None` when there is none.
    pub current: Option<&'a str>,
    pub base: Option<&'a CapabilityBase>,
}

#[derive(Debug, Clone, Copy)]
pub struct OtherFile<'a> {
    /// Below `specs/`, with `/`.
    pub path: &'a str,
    /// The text of a Markdown file.
    pub text: Option<&'a str>,
}

/// An issue with the file it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeIssue {
    /// Relative to the change's folder, with `/`.
    pub file: String,
    pub issue: Issue,
}

impl ChangeFiles<'_> {
    pub fn flags(&self) -> ChangeFlags {
        self.metadata.map(|yaml| ChangeFlags::read(yaml, self.schemas)).unwrap_or_default()
    }
}

/// A change that was checked, and its deltas applied in memory, each once.
#[derive(Debug)]
pub struct CheckedChange {
    pub issues: Vec<ChangeIssue>,
    /// What each delta comes to, in the order of the files.
    pub(crate) outcomes: Vec<Result<Applied, Vec<ArchiveProblem>>>,
}

/// Checks a change. `overlaps` are those of all open changes.
pub fn check_change(change: &ChangeFiles<'_>, overlaps: &[Overlap], dialect: Dialect) -> Vec<ChangeIssue> {
    apply_change(change, overlaps, dialect).issues
}

/// The same, with what becomes of the specs.
pub fn apply_change(change: &ChangeFiles<'_>, overlaps: &[Overlap], dialect: Dialect) -> CheckedChange {
    let flags = change.flags();
    let mut issues = Vec::new();
    issues.extend(in_file(change.names.proposal, check_proposal(change, dialect)));
    issues.extend(in_file(change.names.tasks, tasks::check(change, &flags, dialect)));
    issues.extend(in_file(change.names.metadata, check_flags(change, &flags, dialect)));
    let (of_deltas, outcomes) = deltas::check(change, &flags, overlaps, dialect);
    issues.extend(of_deltas);
    CheckedChange { issues, outcomes }
}

pub(super) fn in_file(file: &str, issues: Vec<Issue>) -> impl Iterator<Item = ChangeIssue> {
    issues.into_iter().map(move |issue| ChangeIssue { file: file.to_owned(), issue })
}

fn check_proposal(change: &ChangeFiles<'_>, dialect: Dialect) -> Vec<Issue> {
    let mut report = Report::new(change.proposal.unwrap_or_default(), dialect, IssueSection::Proposal);
    let Some(text) = change.proposal else {
        let hint = "write down why it is wanted (`## Why`) and what changes (`## What Changes`)";
        report.add(
            &rules::PROPOSAL_MISSING,
            &(0..0),
            format!("there is no `{}`", change.names.proposal),
            hint,
        );
        return report.issues;
    };
    let document = Document::parse(text);
    let proposal = Proposal::read(&document);
    match &proposal.why {
        None => section_missing(&mut report, &rules::WHY_MISSING, "## Why", "say why the change is wanted"),
        Some(why) => {
            let length =
                if dialect == Dialect::Spox { why.text.len() } else { why.text.encode_utf16().count() };
            if length < WHY_SHORT {
                let message =
                    format!("`## Why` has {length} characters; {WHY_SHORT} or more are recommended");
                report.add(
                    &rules::WHY_SHORT,
                    &why.heading,
                    message,
                    "say which problem the change solves, and for whom",
                );
            } else if length > WHY_LONG {
                let message = format!("`## Why` has {length} characters; at most {WHY_LONG} are recommended");
                let hint = format!("move details into `{}`", change.names.design);
                report.add(&rules::WHY_LONG, &why.heading, message, hint);
            }
        }
    }
    match &proposal.what_changes {
        None => section_missing(&mut report, &rules::WHAT_MISSING, "## What Changes", "list what changes"),
        Some(what) if what.text.is_empty() => {
            report.add(&rules::WHAT_EMPTY, &what.heading, "`## What Changes` is empty", "list what changes");
        }
        Some(_) => {}
    }
    report.sorted()
}

fn section_missing(report: &mut Report<'_>, rule: &DialectRule, heading: &str, what: &str) {
    report.add(rule, &(0..0), format!("there is no `{heading}`"), format!("add `{heading}` and {what}"));
}

fn check_flags(change: &ChangeFiles<'_>, flags: &ChangeFlags, dialect: Dialect) -> Vec<Issue> {
    let yaml = change.metadata.unwrap_or_default();
    let mut report = Report::new(yaml, dialect, IssueSection::Metadata);
    if let Marker::Invalid(fault) = &flags.skip_specs {
        let message = format!("`skip_specs` has no effect: {}", fault.message);
        report.add(
            &rules::METADATA_INVALID,
            &key_span(yaml, "skip_specs"),
            message,
            format!("{} in `{}`", fault.hint, change.names.metadata),
        );
    }
    let has_files = !change.deltas.is_empty() || !change.others.is_empty();
    if flags.skip_specs.is_set() && has_files {
        let message = "`skip_specs` is set, but there are files under `specs/`";
        let hint = "drop `skip_specs`, or delete the files";
        report.add(&rules::SKIP_SPECS_CONFLICT, &key_span(yaml, "skip_specs"), message, hint);
    }
    report.issues
}

fn key_span(yaml: &str, key: &str) -> Span {
    yaml.find(key).map_or(0..0, |at| at..at + key.len())
}

/// The edit that writes another name into a heading or a line.
pub(super) fn renaming(text: &str, span: &Span, from: &str, to: &str) -> Option<Edit> {
    let at = text.get(span.clone())?.rfind(from)?;
    let start = span.start + at;
    Some(Edit { span: start..start + from.len(), text: to.to_owned() })
}
