//! Where the front matter of a text begins and ends. What it says is read elsewhere.

use crate::diagnostic::{Diagnostic, Severity};
use crate::document::Span;

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
pub(in crate::document) struct Opening {
    pub(in crate::document) block: Option<FrontMatterBlock>,
    /// Where the Markdown begins.
    pub(in crate::document) body_start: usize,
    pub(in crate::document) diagnostics: Vec<Diagnostic>,
}

pub(in crate::document) fn find(text: &str) -> Opening {
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
    let unclosed = Diagnostic {
        code: "front-matter-unclosed",
        severity: Severity::Warning,
        span: start..start + 3,
        line: 1,
        message: "the front matter is not closed and is read as text".to_owned(),
        hint: "end the front matter with a line `---`".to_owned(),
    };
    Opening { diagnostics: vec![unclosed], ..none }
}
