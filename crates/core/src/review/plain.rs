//! A text without what says nothing: blank lines, line ends, and how many blanks stand between words.

use crate::document::Document;
use crate::outline::{Outline, lines};

/// What may stand at the end of a line and says nothing. Other blanks do: a heading that ends in one is another heading.
const BLANKS: [char; 2] = [' ', '\t'];

/// Which blank lines stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blanks {
    /// Those that Markdown is known to go by.
    Structural,
    /// One for each run of them.
    All,
}

/// The lines of a text that say something, with one blank between words. Indentation stays, for it is structure, and
/// so do the blanks in code, and blank lines where Markdown goes by them: before a rule, which would else underline a
/// heading, and behind HTML, which would else swallow what follows. Where headings would still be read otherwise
/// without the others, all of them stay: no requirement comes or goes by a blank line unseen.
pub(super) fn plain(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let said = folded(text, Blanks::Structural);
    if headings(&said) == headings(text) { said } else { folded(text, Blanks::All) }
}

pub(super) fn words(line: &str) -> String {
    line.split(BLANKS).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn folded(text: &str, blanks: Blanks) -> String {
    let mut fence: Option<&str> = None;
    let mut said: Vec<String> = Vec::new();
    let mut after_blank = false;
    // HTML goes on to the next blank line.
    let mut in_html = false;
    for line in lines(text, 0..text.len()).map(|line| line.text.trim_end_matches(BLANKS)) {
        if line.is_empty() {
            after_blank = true;
            continue;
        }
        let inner = line.trim_start_matches(BLANKS);
        if std::mem::take(&mut after_blank) {
            let is_rule = inner.bytes().all(|byte| matches!(byte, b'-' | b'=' | b' '));
            if !said.is_empty() && (is_rule || in_html || blanks == Blanks::All) {
                said.push(String::new());
            }
            in_html = false;
        }
        in_html |= inner.starts_with('<');
        let mark = ["```", "~~~"].into_iter().find(|mark| inner.starts_with(mark));
        let is_code = fence.is_some() || mark.is_some();
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        let indent = &line[..line.len() - inner.len()];
        said.push(if is_code { line.to_owned() } else { format!("{indent}{}", words(inner)) });
    }
    said.join("\n")
}

/// The headings as the readers of specs and deltas see them.
fn headings(text: &str) -> Vec<(u8, String)> {
    let outline = Outline::read(&Document::parse(text));
    outline.headings.iter().map(|heading| (heading.level, words(heading.title))).collect()
}
