//! Secrets that markup keeps away from their names: elements of XML, and blocks of YAML.

use std::ops::Range;

use super::is_secret_key;
use super::named::QUOTES;

/// `<password>…</password>`, as it is or escaped.
pub(super) fn in_elements(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    for (open, close) in [("<", ">"), ("&lt;", "&gt;")] {
        let mut opens = text.match_indices(open).map(|(at, _)| at + open.len()).peekable();
        for (at, _) in text.match_indices(close) {
            // The last one before it; what it has closed is closed.
            let start = std::iter::from_fn(|| opens.next_if(|start| *start <= at)).last();
            let Some(start) = start else { continue };
            let name = text[start..at].split_whitespace().next().unwrap_or_default();
            let value = at + close.len();
            if name.starts_with('/') || !is_secret_key(name) {
                continue;
            }
            let end = text[value..].find(open).map_or(text.len(), |end| value + end);
            if !text[value..end].trim().is_empty() {
                spans.push(value..end);
            }
        }
    }
    spans
}

/// `<add key="password" value="…"/>`: a name in one attribute, and what it is in the next.
pub(super) fn in_attributes(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    for (at, mark) in text.match_indices(" value=").chain(text.match_indices(" Value=")) {
        let before = text[..at].trim_end_matches(QUOTES);
        let name = before.rsplit(|ch: char| QUOTES.contains(&ch) || ch == '=').next().unwrap_or_default();
        let start = at + mark.len() + text[at + mark.len()..].len()
            - text[at + mark.len()..].trim_start_matches(QUOTES).len();
        let length = text[start..].find(['"', '\'', '<', '>', '\\', '\n']).unwrap_or(text.len() - start);
        if length > 0 && is_secret_key(name) {
            spans.push(start..start + length);
        }
    }
    spans
}

/// `password: |` and the lines that are indented below it.
pub(super) fn in_blocks(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut end = 0;
    let mut block: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let start = end;
        end += line.len();
        let indent = line.len() - line.trim_start().len();
        match block {
            Some(outer) if indent > outer && !line.trim().is_empty() => {
                spans.push(start + indent..start + line.trim_end().len());
                continue;
            }
            _ => block = None,
        }
        let Some((name, mark)) = line.split_once(':') else { continue };
        let is_mark = mark.trim().starts_with(['|', '>']) && mark.trim().len() <= 3;
        let name = name.trim_matches(QUOTES).trim_start_matches(['-', ' ']);
        if is_mark && is_secret_key(name) {
            block = Some(indent);
        }
    }
    spans
}
