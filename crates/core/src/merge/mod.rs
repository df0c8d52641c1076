//! Applying a delta to a spec: RENAMED, REMOVED, MODIFIED, ADDED, in this order.
//!
//! The current text is cut into slots, one for each requirement; only what an operation means to change is replaced,
//! every other byte stays. A modified requirement is merged from its base, the current spec and the delta, scenario
//! by scenario. What does not fit is collected as a list of problems, and then there is no result.

mod contradictions;
mod foreign;
mod operations;
mod parts;
mod problems;
mod retire;
mod slots;
mod three_way;

use serde::Serialize;

use crate::change::{CapabilityBase, Fault};
use crate::delta::DeltaDoc;
use crate::document::{Document, Span};

/// What is to be applied to what.
#[derive(Debug, Clone, Copy)]
pub struct Application<'a> {
    pub capability: &'a str,
    /// The id of the change, for the purpose of a new spec.
    pub change: &'a str,
    /// How to take the specs as they are for the base of the change, in the words of whoever asked.
    pub rebase: &'a str,
    /// The spec as it stands; `None` when there is none.
    pub current: Option<&'a str>,
    pub delta: &'a DeltaDoc<'a>,
    /// The text that `delta` was read from.
    pub delta_text: &'a str,
    pub base: Option<&'a CapabilityBase>,
    pub drops: Drops,
    pub retirement: Retirement<'a>,
}

/// Whether a modified requirement may leave out a scenario that its base had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drops {
    /// Where the base shows that it was left out on purpose.
    Deliberate,
    /// Never: the rule of OpenSpec.
    Never,
}

/// Whether a change may take the last requirement of a spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retirement<'a> {
    Declared,
    Undeclared,
    /// It says so where it has no effect.
    Ineffective(&'a Fault),
}

/// The result of a delta that fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    pub outcome: Outcome,
    pub counts: Counts,
    pub notes: Vec<Note>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The new text of the spec.
    Written(String),
    /// The spec already says all of it.
    Unchanged,
    /// The spec goes, with its last requirement.
    Retired,
}

/// How many requirements were really changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub added: usize,
    pub modified: usize,
    pub removed: usize,
    pub renamed: usize,
}

/// Something that a person should know though it stops nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub kind: NoteKind,
    pub requirement: Option<String>,
    pub scenario: Option<String>,
    pub message: String,
    /// Where in the delta.
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteKind {
    /// A scenario goes because the delta leaves it out.
    Dropped,
    /// Text of the spec that the delta does not have stays.
    Kept,
    /// Both the spec and the delta changed; the results were joined.
    Merged,
    /// The spec is already as the delta wants it.
    AlreadyDone,
    /// What the delta removes is not in the spec.
    NothingToRemove,
    /// A part of the delta has no effect.
    Ignored,
}

/// Why a delta cannot be applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ArchiveProblem {
    pub capability: String,
    pub requirement: Option<String>,
    pub scenario: Option<String>,
    pub message: String,
    pub hint: String,
    /// The name that was meant, where that is beyond doubt.
    #[serde(skip)]
    pub meant: Option<String>,
    #[serde(skip)]
    pub kind: ProblemKind,
    /// Where in the delta; empty for the whole of it.
    #[serde(skip)]
    pub span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// The delta does nothing.
    Empty,
    /// A rename without its other half.
    Unpaired,
    /// A name that stands twice in a section.
    Duplicate,
    /// A name in two sections that exclude each other.
    Contradiction,
    /// The spec is not as a spec should be, before or after.
    Spec,
    /// The delta names something that is not there, or is there already.
    Target,
    /// A scenario would be lost.
    Loss,
    /// The spec and the change both changed the same thing.
    Conflict,
    /// The last requirement would go.
    Retirement,
    /// The spec would no longer be valid.
    Result,
}

impl Counts {
    pub fn total(self) -> usize {
        self.added + self.modified + self.removed + self.renamed
    }
}

/// Applies a delta.
pub fn apply(application: &Application<'_>) -> Result<Applied, Vec<ArchiveProblem>> {
    let seed = application.current.is_none().then(|| new_spec(application));
    let text = application.current.or(seed.as_deref()).expect("there is a spec or its seed");
    let document = Document::parse(text);
    let mut work = operations::Work::new(application, text, &document);
    work.check_delta();
    if work.contradicts_itself() {
        return Err(work.problems);
    }
    work.rename();
    work.remove();
    work.modify();
    work.add();
    work.finish(&document)
}

/// Why a delta would be refused whatever the spec says.
pub(crate) fn contradictions(application: &Application<'_>) -> Vec<ArchiveProblem> {
    let document = Document::parse("");
    let mut work = operations::Work::new(application, "", &document);
    work.check_delta();
    work.problems
}

/// The spec that a delta for a new capability is applied to.
fn new_spec(application: &Application<'_>) -> String {
    let purpose = usable_purpose(application);
    let purpose = purpose.map_or_else(|| placeholder(application.change), str::to_owned);
    format!("# {} Specification\n\n## Purpose\n{purpose}\n\n## Requirements\n", application.capability)
}

/// The purpose of a spec that nobody wrote one for.
pub fn placeholder(change: &str) -> String {
    format!("TBD - created by archiving change {change}. Update Purpose after archive.")
}

/// The purpose that the delta brings, unless it would make the new spec unreadable.
fn usable_purpose<'a>(application: &Application<'a>) -> Option<&'a str> {
    let purpose = application.delta.purpose.as_ref().filter(|purpose| !purpose.text.is_empty())?;
    let body = application.delta_text[purpose.body.clone()].trim();
    let trial = format!("## Purpose\n{body}\n\n## Requirements\n");
    let document = Document::parse(&trial);
    let headings: Vec<_> = document.headings().map(|(_, heading)| heading.title.as_ref()).collect();
    let readable = headings.first() == Some(&"Purpose") && headings.last() == Some(&"Requirements");
    (readable && !body.contains("<!--")).then_some(body)
}

#[cfg(test)]
mod sequences;
#[cfg(test)]
mod tests;
