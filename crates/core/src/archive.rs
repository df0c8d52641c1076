//! Archiving a change: what each of its specs becomes, or everything that stands in the way.
//!
//! The check of a change asks the same functions, so that what it passes is what archive accepts. Nothing is written
//! here; moving the folder and counting open tasks is the caller's.

use crate::change::{ChangeFlags, Marker, Proposal, in_words};
use crate::check::{ChangeFiles, ChangeIssue, CheckedChange, DeltaFile, check_spec_text, is_placeholder};
use crate::delta::DeltaDoc;
use crate::diagnostic::Severity;
use crate::document::Document;
use crate::merge::{
    Application, Applied, ArchiveProblem, Drops, Outcome, ProblemKind, Retirement, apply, placeholder,
};
use crate::rules::changes::DELTA_MISSING;
use crate::rules::dialect::Dialect;
use crate::semantic_diff::{Difference, diff, diff_delta};

/// What becomes of one spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedSpec {
    pub capability: String,
    pub applied: Applied,
}

/// What becomes of the specs of a change, or all that is in the way of that.
pub fn plan(
    change: &ChangeFiles<'_>,
    checked: CheckedChange,
) -> Result<Vec<PlannedSpec>, Vec<ArchiveProblem>> {
    let mut specs = Vec::new();
    let mut problems = Vec::new();
    for (file, outcome) in change.deltas.iter().zip(checked.outcomes) {
        match outcome {
            Ok(applied) => specs.push(PlannedSpec {
                capability: file.capability.to_owned(),
                applied: with_purpose(change, file, applied),
            }),
            Err(more) => problems.extend(more),
        }
    }
    if problems.is_empty() { Ok(specs) } else { Err(problems) }
}

/// Shortest purpose that no rule calls too short.
const ENOUGH_PURPOSE: usize = 50;

/// A new spec that nobody gave a purpose gets the reason of its change, and never a sentence to be replaced.
fn with_purpose(change: &ChangeFiles<'_>, file: &DeltaFile<'_>, applied: Applied) -> Applied {
    let placeholder = placeholder(change.id);
    match applied.outcome {
        Outcome::Written(text) if file.current.is_none() && text.contains(&placeholder) => {
            let document = Document::parse(file.text);
            let purpose = purpose_from(change, file.capability, &DeltaDoc::read(&document));
            Applied { outcome: Outcome::Written(text.replacen(&placeholder, &purpose, 1)), ..applied }
        }
        _ => applied,
    }
}

/// The first paragraph of why, else what the capability covers.
fn purpose_from(change: &ChangeFiles<'_>, capability: &str, delta: &DeltaDoc<'_>) -> String {
    let why = change.proposal.map(Document::parse).and_then(|document| {
        let why = Proposal::read(&document).why?.text;
        let paragraph = why.split("\n\n").flat_map(|part| part.split("\r\n\r\n")).next()?;
        let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_prose =
            !line.starts_with(['#', '-', '*', '+', '>', '`', '~', '<', '|']) && !line.contains("<!--");
        (is_prose && !line.is_empty() && !is_placeholder(&line)).then_some(line)
    });
    let names: Vec<&str> = delta.added.iter().map(|requirement| requirement.name).collect();
    let covers = format!("It covers: {}.", names.join(", "));
    let purpose = match why {
        Some(why) if why.chars().count() >= ENOUGH_PURPOSE => return why,
        Some(why) => format!("{why} {covers}"),
        None => format!("What is promised about {}. {covers}", in_words(capability)),
    };
    if purpose.chars().count() >= ENOUGH_PURPOSE {
        return purpose;
    }
    format!("{purpose} It came with the change `{}`.", change.id)
}

/// What a change makes different in each of its specs. Where a delta does not fit, that is what it says it does.
pub fn differences(change: &ChangeFiles<'_>, dialect: Dialect) -> Vec<Vec<Difference>> {
    let flags = change.flags();
    let of_file = |file: &DeltaFile<'_>| {
        let document = Document::parse(file.text);
        let delta = DeltaDoc::read(&document);
        let outcome =
            apply(&application(change, file, &flags, &delta, dialect)).map(|applied| applied.outcome);
        let renamed: Vec<_> = delta.renamed.iter().map(|rename| (rename.from, rename.to)).collect();
        match outcome {
            Ok(Outcome::Written(text)) => diff(file.current, Some(&text), &renamed),
            Ok(Outcome::Retired) => diff(file.current, None, &renamed),
            Ok(Outcome::Unchanged) => Vec::new(),
            Err(_) => diff_delta(file.current, file.base, &delta),
        }
    };
    change.deltas.iter().map(of_file).collect()
}

/// Whether an issue keeps the change from being archived. A change without deltas is archived as it is.
pub fn stops(issue: &ChangeIssue) -> bool {
    let diagnostic = &issue.issue.diagnostic;
    diagnostic.severity == Severity::Error && diagnostic.code != DELTA_MISSING.code
}

pub(crate) fn application<'a>(
    change: &ChangeFiles<'a>,
    file: &DeltaFile<'a>,
    flags: &'a ChangeFlags,
    delta: &'a DeltaDoc<'a>,
    dialect: Dialect,
) -> Application<'a> {
    Application {
        capability: file.capability,
        change: change.id,
        rebase: change.rebase,
        current: file.current,
        delta,
        delta_text: file.text,
        base: file.base,
        drops: if dialect == Dialect::OpenSpec { Drops::Never } else { Drops::Deliberate },
        retirement: match &flags.retire_capabilities {
            Marker::Set => Retirement::Declared,
            Marker::Unset => Retirement::Undeclared,
            Marker::Invalid(fault) => Retirement::Ineffective(fault),
        },
    }
}

/// Applies one delta and looks at the spec that would be written.
pub(crate) fn apply_delta(
    application: &Application<'_>,
    dialect: Dialect,
) -> Result<Applied, Vec<ArchiveProblem>> {
    let applied = apply(application)?;
    let text = match (&applied.outcome, application.current) {
        (Outcome::Written(text), _) => text,
        // Nothing is written, but a spec that is not valid is not archived into either.
        (Outcome::Unchanged, Some(current)) => current,
        _ => return Ok(applied),
    };
    let issues = check_spec_text(text, dialect);
    let errors =
        issues.into_iter().map(|issue| issue.diagnostic).filter(|found| found.severity == Severity::Error);
    let problems: Vec<_> = errors
        .map(|error| ArchiveProblem {
            capability: application.capability.to_owned(),
            requirement: None,
            scenario: None,
            message: format!("the spec would not be valid: {}", error.message),
            hint: error.hint,
            meant: None,
            kind: ProblemKind::Result,
            span: 0..0,
        })
        .collect();
    if problems.is_empty() { Ok(applied) } else { Err(problems) }
}
