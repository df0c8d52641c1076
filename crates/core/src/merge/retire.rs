//! Whether a spec holds anything that would go unseen if the whole file went with its last requirement.

use crate::document::{Block, BlockKind, Document, Span};
use crate::outline::lines;
use crate::requirement::{RequirementPlace, SpecDoc};

/// The first lines of everything in a spec that is neither title, purpose nor requirement.
pub(super) fn unaccounted(document: &Document<'_>) -> Vec<String> {
    let spec = SpecDoc::read(document);
    let mut left: Vec<String> = Vec::new();
    let mut expected: Vec<Span> = Vec::new();
    expected.push(0..document.body_start());
    let title = document.headings().next().filter(|(_, heading)| heading.level == 1);
    expected.extend(title.map(|(block, _)| block.span.clone()));
    expected.extend(spec.purpose.as_ref().map(|purpose| purpose.heading.start..purpose.body.end));
    expected.extend(spec.requirements_heading.clone());
    let inside = spec.requirements.iter().filter(|requirement| requirement.place == RequirementPlace::Inside);
    for requirement in inside {
        expected.push(requirement.span.clone());
        let body = document.blocks_in(requirement.body.clone()).iter();
        left.extend(
            body.filter(|block| is_odd(document, block, Position::Statement))
                .map(|b| first_line(document, b)),
        );
        for scenario in &requirement.scenarios {
            let blocks = document.blocks_in(scenario.body.clone()).iter();
            left.extend(
                blocks
                    .filter(|block| is_odd(document, block, Position::Scenario))
                    .map(|b| first_line(document, b)),
            );
        }
    }
    expected.sort_by_key(|span| span.start);
    let mut from = 0;
    for span in expected {
        left.extend(said(document, from..span.start.max(from)));
        from = from.max(span.end);
    }
    left.extend(said(document, from..document.text().len()));
    left
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    Statement,
    Scenario,
}

/// Whether a block is a note of its own rather than a part of a requirement.
fn is_odd(document: &Document<'_>, block: &Block<'_>, position: Position) -> bool {
    if block.nesting > 0 {
        return false;
    }
    match block.kind {
        BlockKind::Item(_) | BlockKind::Code(_) | BlockKind::Heading(_) => false,
        BlockKind::Paragraph if position == Position::Statement => false,
        BlockKind::Paragraph => {
            let text = document.slice(block.content.clone()).trim_start_matches(['*', '_']);
            !["GIVEN", "WHEN", "THEN", "AND", "BUT"]
                .iter()
                .any(|word| text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word)))
        }
        BlockKind::Html | BlockKind::Quote | BlockKind::Table | BlockKind::Rule => true,
    }
}

fn first_line(document: &Document<'_>, block: &Block<'_>) -> String {
    document.slice(block.content.clone()).lines().next().unwrap_or_default().trim().to_owned()
}

/// The first line with anything on it.
fn said(document: &Document<'_>, span: Span) -> Option<String> {
    let mut lines = lines(document.text(), span).map(|line| line.text.trim());
    lines.find(|line| !line.is_empty()).map(str::to_owned)
}
