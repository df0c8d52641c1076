//! What is wrong with a spec or a change, and how to put right what needs no judgement.
//!
//! The readers find, the rule table weighs, this module brings the two together. [`check_spec`] and [`check_change`]
//! judge as the repository's own tool would ([`Dialect`]); what archive would refuse is always among the issues.

mod change;
mod deltas;
mod openspec;
mod pins;
mod spec;
mod tasks;
mod words;

use std::cell::OnceCell;

use serde::Serialize;

pub use change::{
    ChangeFiles, ChangeIssue, ChangeNames, CheckedChange, DeltaFile, OtherFile, apply_change, check_change,
};
pub use spec::{check_spec, check_spec_text};
pub(crate) use words::is_placeholder;

use crate::diagnostic::Diagnostic;
use crate::document::Span;
use crate::rules::dialect::{Dialect, DialectRule};

/// A diagnostic with the section it belongs to and, where no judgement is needed, its cure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    pub diagnostic: Diagnostic,
    pub section: IssueSection,
    pub fix: Option<Edit>,
}

/// The part of a spec or a change that an issue is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum IssueSection {
    Purpose,
    Requirements,
    Proposal,
    Tasks,
    Design,
    Deltas,
    Metadata,
}

/// Bytes of a text and what takes their place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub span: Span,
    pub text: String,
}

/// What is found in one text, weighed as a dialect has it.
pub(crate) struct Report<'t> {
    text: &'t str,
    dialect: Dialect,
    section: IssueSection,
    /// Where the lines begin; found when the first issue needs it.
    line_starts: OnceCell<Vec<usize>>,
    pub(crate) issues: Vec<Issue>,
}

impl IssueSection {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Purpose => "purpose",
            Self::Requirements => "requirements",
            Self::Proposal => "proposal",
            Self::Tasks => "tasks",
            Self::Design => "design",
            Self::Deltas => "deltas",
            Self::Metadata => "metadata",
        }
    }
}

/// Applies edits to the text they were made for. Of edits that overlap the first one counts.
pub fn apply_edits<'e>(text: &str, edits: impl IntoIterator<Item = &'e Edit>) -> String {
    let mut edits: Vec<&Edit> = edits.into_iter().collect();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for edit in edits {
        if edit.span.start < from {
            continue;
        }
        out.push_str(&text[from..edit.span.start]);
        out.push_str(&edit.text);
        from = edit.span.end;
    }
    out.push_str(&text[from..]);
    out
}

impl<'t> Report<'t> {
    pub(crate) fn new(text: &'t str, dialect: Dialect, section: IssueSection) -> Self {
        Self { text, dialect, section, line_starts: OnceCell::new(), issues: Vec::new() }
    }

    /// Turns to another part of the text.
    pub(crate) fn about(&mut self, section: IssueSection) -> &mut Self {
        self.section = section;
        self
    }

    pub(crate) fn add(
        &mut self,
        rule: &DialectRule,
        span: &Span,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.add_with(rule, span, message, hint, None);
    }

    pub(crate) fn add_with(
        &mut self,
        rule: &DialectRule,
        span: &Span,
        message: impl Into<String>,
        hint: impl Into<String>,
        fix: Option<Edit>,
    ) {
        let Some(rule) = rule.under(self.dialect) else { return };
        let diagnostic = rule.at(self.line_of(span.start), span.clone(), message, hint);
        self.issues.push(Issue { diagnostic, section: self.section, fix });
    }

    /// Whether a rule was broken already.
    pub(crate) fn has(&self, rule: &DialectRule) -> bool {
        self.issues.iter().any(|issue| issue.diagnostic.code == rule.code)
    }

    /// The 1-based line of a byte.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        let starts = self.line_starts.get_or_init(|| {
            let newlines = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            std::iter::once(0).chain(newlines.map(|(at, _)| at + 1)).collect()
        });
        starts.partition_point(|start| *start <= offset)
    }

    /// The issues in the order of their lines.
    pub(crate) fn sorted(mut self) -> Vec<Issue> {
        self.issues.sort_by_key(|issue| issue.diagnostic.span.start);
        self.issues
    }
}

#[cfg(test)]
mod tests;
