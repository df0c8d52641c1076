//! Finds tokens and instructions in the text of a template.

use std::collections::BTreeSet;

const OPEN: &str = "{{";
const CLOSE: &str = "}}";

/// An HTML comment: an instruction to whoever fills the document in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    /// 1-based.
    pub line: usize,
    /// The words between `<!--` and `-->`.
    pub text: String,
}

/// The tokens that a text asks for, sorted, each once.
pub fn tokens(text: &str) -> Vec<String> {
    let mut found = BTreeSet::new();
    replace(text, |name| {
        found.insert(name.to_owned());
        None
    });
    found.into_iter().collect()
}

/// Replaces each token that has a value; everything else stays as it is.
pub(super) fn replace<'v>(text: &str, mut value: impl FnMut(&str) -> Option<&'v str>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(OPEN) {
        let behind = &rest[at + OPEN.len()..];
        let name =
            behind.find(CLOSE).map(|end| (behind[..end].trim(), end)).filter(|(name, _)| is_token(name));
        let Some((name, end)) = name else {
            // Only one brace is passed over: `{{{a}}` holds a token too.
            out.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            continue;
        };
        let whole = at + OPEN.len() + end + CLOSE.len();
        match value(name) {
            Some(value) => {
                out.push_str(&rest[..at]);
                out.push_str(value);
            }
            None => out.push_str(&rest[..whole]),
        }
        rest = &rest[whole..];
    }
    out.push_str(rest);
    out
}

/// The instructions in a text; comments inside fenced code are code.
pub fn directives(text: &str) -> Vec<Directive> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    let mut open: Option<(usize, String)> = None;
    for (index, line) in text.lines().enumerate() {
        if open.is_none() {
            let trimmed = line.trim_start();
            let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
            match (fence, mark) {
                (None, Some(mark)) => {
                    fence = Some(mark);
                    continue;
                }
                (Some(opened), Some(mark)) if opened == mark => {
                    fence = None;
                    continue;
                }
                (Some(_), _) => continue,
                (None, None) => {}
            }
        }
        let mut rest = line;
        loop {
            if let Some((start, words)) = &mut open {
                let Some(end) = rest.find("-->") else {
                    words.push_str(rest);
                    words.push('\n');
                    break;
                };
                words.push_str(&rest[..end]);
                found.push(Directive { line: *start, text: words.trim().to_owned() });
                open = None;
                rest = &rest[end + 3..];
            } else {
                let Some(begin) = rest.find("<!--") else { break };
                open = Some((index + 1, String::new()));
                rest = &rest[begin + 4..];
            }
        }
    }
    found
}

fn is_token(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_names_in_double_braces() {
        assert_eq!(tokens("{{a}} {{ b_1 }} {{a}} {{}} {{1}} {{x y}} {{{c}} {{d"), ["a", "b_1", "c"]);
    }

    #[test]
    fn instructions_are_comments_outside_code() {
        let text = "<!-- one --> x <!-- two\nlines -->\n```\n<!-- code -->\n```\n<!-- open";
        let shown: Vec<(usize, String)> =
            directives(text).into_iter().map(|directive| (directive.line, directive.text)).collect();
        assert_eq!(shown, [(1, "one".to_owned()), (1, "two\nlines".to_owned())]);
    }
}
