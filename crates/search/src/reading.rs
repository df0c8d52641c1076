//! Entries from Markdown: what of a document is searched.
//!
//! The document was read by hewto-core; here its parts become plain text. A requirement's text and clauses are its
//! own entry, everything outside requirements is the head. Code and comments are left out: they say how, not what.

use hewto_core::document::{Block, BlockKind, Document, Span};
use hewto_core::requirement::{Clauses, Requirement, SpecDoc};

use crate::document::{Entry, Kind, Scenario};

impl Entry {
    /// The head of a spec (title and Purpose) and each of its requirements.
    pub fn of_spec(document: &Document<'_>) -> Vec<Self> {
        let spec = SpecDoc::read(document);
        let spans: Vec<Span> = spec.requirements.iter().map(|requirement| requirement.span.clone()).collect();
        let mut entries = vec![Self::head(Kind::Spec, document, &spans)];
        let requirements = spec.requirements.iter();
        entries.extend(
            requirements.map(|requirement| Self::of_requirement(Kind::Requirement, document, requirement)),
        );
        entries
    }

    /// A requirement of a spec, or one that a change brings.
    pub fn of_requirement(kind: Kind, document: &Document<'_>, requirement: &Requirement<'_>) -> Self {
        let scenarios = requirement.scenarios.iter().map(|scenario| {
            let text = clauses_text(&scenario.clauses(document))
                .unwrap_or_else(|| plain_text(document.blocks_in(scenario.body.clone()), document, &[]));
            Scenario { name: scenario.name.to_owned(), text }
        });
        Self {
            kind,
            requirement: Some(requirement.name.to_owned()),
            text: requirement.text.clone().into_owned(),
            scenarios: scenarios.collect(),
        }
    }

    /// A document that is found as a whole: a decision, a plan, a part of a change.
    pub fn of_document(kind: Kind, document: &Document<'_>) -> Self {
        Self::head(kind, document, &[])
    }

    fn head(kind: Kind, document: &Document<'_>, without: &[Span]) -> Self {
        Self {
            kind,
            requirement: None,
            text: plain_text(document.blocks(), document, without),
            scenarios: Vec::new(),
        }
    }
}

/// The clauses as one text; `None` when a scenario has none.
fn clauses_text(clauses: &Clauses) -> Option<String> {
    let given = clauses.given.iter().map(|text| ("GIVEN", text));
    let when = clauses.when.iter().map(|text| ("WHEN", text));
    let then = clauses.then.iter().zip(std::iter::once("THEN").chain(std::iter::repeat("AND")));
    let parts: Vec<String> = given
        .chain(when)
        .chain(then.map(|(text, keyword)| (keyword, text)))
        .map(|(keyword, text)| format!("{keyword} {text}"))
        .collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Headings below the title, paragraphs and items, joined by blanks.
fn plain_text(blocks: &[Block<'_>], document: &Document<'_>, without: &[Span]) -> String {
    let mut out = String::new();
    for block in blocks {
        let outside = !without.iter().any(|span| span.contains(&block.span.start));
        let text = match &block.kind {
            BlockKind::Paragraph | BlockKind::Item(_) | BlockKind::Table if outside => {
                document.joined(block.content.clone())
            }
            BlockKind::Heading(heading) if outside && says_something(heading.level, &heading.title) => {
                heading.title.clone()
            }
            _ => continue,
        };
        if !text.is_empty() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(&text);
        }
    }
    out
}

/// The title is known without this, and the headings that every spec has tell nothing.
fn says_something(level: u8, title: &str) -> bool {
    level > 1 && !["Purpose", "Requirements"].iter().any(|usual| title.eq_ignore_ascii_case(usual))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "\
# Refunds

## Purpose

Sending goods
and money back.

## Requirements

### Requirement: Return Window

A customer SHALL have `thirty` days.

#### Scenario: Day 31

- **GIVEN** a parcel
- **WHEN** it comes late
- **THEN** it is declined
- **AND** the date is named

#### Scenario: Free text

It simply works.

## Notes

Nothing more.

```text
left out
```
";

    #[test]
    fn a_spec_is_its_head_and_its_requirements() {
        let entries = Entry::of_spec(&Document::parse(SPEC));
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[0].text, "Sending goods and money back. Notes Nothing more.");
        assert_eq!((entries[0].kind, &entries[0].requirement), (Kind::Spec, &None));
        assert_eq!(entries[1].requirement.as_deref(), Some("Return Window"));
        assert_eq!(entries[1].text, "A customer SHALL have `thirty` days.");
        let scenarios: Vec<(&str, &str)> = entries[1]
            .scenarios
            .iter()
            .map(|scenario| (scenario.name.as_str(), scenario.text.as_str()))
            .collect();
        let expected = [
            ("Day 31", "GIVEN a parcel WHEN it comes late THEN it is declined AND the date is named"),
            ("Free text", "It simply works."),
        ];
        assert_eq!(scenarios, expected);
    }

    #[test]
    fn a_document_without_requirements_is_found_as_a_whole() {
        let text = "# Use tantivy\n\nBecause it is quick.\n\n- one\n- two\n";
        let entry = Entry::of_document(Kind::Decision, &Document::parse(text));
        assert_eq!((entry.kind, entry.text.as_str()), (Kind::Decision, "Because it is quick. one two"));
        assert_eq!(Entry::of_spec(&Document::parse("")).len(), 1);
    }
}
