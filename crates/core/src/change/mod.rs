//! A change proposal: why it is wanted, what its flags say, and the texts it was written against.
//!
//! A change is a folder; this module reads the files in it and knows nothing of where they are.

mod base;
mod flags;
mod unwritten;

pub use base::{BaseRecord, CapabilityBase, Origin, RequirementBase};
pub(crate) use flags::flag_lines;
pub use flags::{ChangeFlags, Fault, Marker};
pub use unwritten::unwritten;

use crate::decision::link::DECISION_KEY;
use crate::decision::uid::Uid;
use crate::document::front_matter::{self, Value};
use crate::document::{Document, EolStyle, Section, Span};
use crate::outline::strip_label;

/// The sections of `proposal.md` that are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal<'t> {
    /// The title of the document, without `Change:`.
    pub title: Option<String>,
    pub why: Option<ProposalSection<'t>>,
    pub what_changes: Option<ProposalSection<'t>>,
    /// The whole file.
    pub text: &'t str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposalSection<'t> {
    pub heading: Span,
    /// The text below the heading, trimmed, subsections included.
    pub text: &'t str,
}

impl<'t> Proposal<'t> {
    pub fn read(document: &Document<'t>) -> Self {
        let section = |title: &str| {
            let exact = document.section(2, title);
            let found = exact.or_else(|| document.sections().find(|section| section.heading().is(title)));
            found.map(|section| ProposalSection {
                heading: section.block().span.clone(),
                text: document.slice(section.body()).trim(),
            })
        };
        Self {
            title: title(document),
            why: section("Why"),
            what_changes: section("What Changes"),
            text: document.text(),
        }
    }
}

/// What a change is called: its proposal's title, else its id in words.
pub fn change_title(id: &str, proposal: Option<&Document<'_>>) -> String {
    proposal.and_then(title).unwrap_or_else(|| in_words(id))
}

/// The text of a new `proposal.md`. Its front matter, which OpenSpec passes over, names a decision and nothing else.
pub fn render_proposal(title: &str, why: &str, what_changes: &str, decision: Option<&Uid>) -> String {
    let head = decision.map_or_else(String::new, |uid| {
        let uid = Value::Text(uid.to_string());
        format!("{}\n", front_matter::render([(DECISION_KEY, &uid)], EolStyle::Lf))
    });
    format!(
        "{head}# Change: {}\n\n## Why\n\n{}\n\n## What Changes\n\n{}\n",
        title.trim(),
        why.trim(),
        what_changes.trim()
    )
}

/// `add-two-factor` as `add two factor`.
pub fn in_words(id: &str) -> String {
    id.split(['-', '_']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The first heading, when it is the document's and not already one of its sections.
fn title(document: &Document<'_>) -> Option<String> {
    let first: Section<'_, '_> = document.top_sections().next()?;
    let labelled = strip_label(first.title(), "Change:");
    let title = match labelled {
        Some(title) => title,
        None if first.level() == 1 => first.title(),
        None => return None,
    };
    Some(title.to_owned()).filter(|title| !title.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proposal_is_read_with_its_sections() {
        let text = "# Change: Add *two*-factor\r\n\r\n## Why\r\nBecause.\r\n\r\n### More\r\nreasons\r\n## What changes\r\n- x\r\n";
        let document = Document::parse(text);
        let proposal = Proposal::read(&document);
        assert_eq!(proposal.title.as_deref(), Some("Add two-factor"));
        assert_eq!(proposal.why.unwrap().text, "Because.\r\n\r\n### More\r\nreasons");
        assert_eq!(proposal.what_changes.unwrap().text, "- x");
    }

    #[test]
    fn a_change_is_called_by_its_title_or_its_id_in_words() {
        for (proposal, expected) in [
            ("# change:  X\n", "X"),
            ("# Plain title\n", "Plain title"),
            ("## Change: Deeper\n", "Deeper"),
            ("## Why\nx\n", "add two factor"),
            ("```\n# no\n```\n", "add two factor"),
            ("# Change:\n", "add two factor"),
            ("", "add two factor"),
        ] {
            assert_eq!(
                change_title("add-two_factor", Some(&Document::parse(proposal))),
                expected,
                "{proposal:?}"
            );
        }
        assert_eq!(change_title("x", None), "x");
    }
}
