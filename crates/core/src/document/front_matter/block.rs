//! Where the front matter of a text begins and ends. What it says is read elsewhere.

use crate::diagnostic::Diagnostic;
use crate::document::Span;
use crate::rules::reading::FRONT_MATTER_UNCLOSED;

/// The byte order mark that some editors put before a text.
pub(crate) const BOM: char = '\u{feff}';

/// A front matter: a first line `---`, YAML, and a closing line `---` or `...`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontMatterBlock {
    /// Both marker lines and what is between them, with the last line end.
    pub span: Span,
    /// The lines between the markers.
    pub yaml: Span,
}

/// How a text opens.
#[derive(Debug)]
pub(crate) struct Opening {
    pub(crate) block: Option<FrontMatterBlock>,
    /// Where the Markdown begins.
    pub(crate) body_start: usize,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

pub(crate) fn find(text: &str) -> Opening {
    let start = if text.starts_with(BOM) { BOM.len_utf8() } else { 0 };
    let none = Opening { block: None, body_start: start, diagnostics: Vec::new() };
    let mut lines = text[start..].split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else { return none };
    let yaml_start = start + first.len();
    let mut at = yaml_start;
    for line in lines {
        let end = at + line.len();
        if matches!(line.trim_end(), "---" | "...") {
            let block = FrontMatterBlock { span: start..end, yaml: yaml_start..at };
            return Opening { block: Some(block), body_start: end, diagnostics: Vec::new() };
        }
        at = end;
    }
    // Without a line end after it, `---` is all there is: a thematic break.
    if yaml_start == text.len() {
        return none;
    }
    let unclosed = FRONT_MATTER_UNCLOSED.at(
        1,
        start..start + 3,
        "the front matter is not closed and is read as text",
        "end the front matter with a line `---`",
    );
    Opening { diagnostics: vec![unclosed], ..none }
}
