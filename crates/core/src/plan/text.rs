//! Free text inside a plan: what is kept of it, and how it is written so that it stays text.

/// A text as a plan keeps it: line ends as `\n`, no blank lines at the start, no blanks at the end.
pub fn normalised(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut rest = text.as_str();
    while let Some((line, after)) = rest.split_once('\n') {
        if !line.trim_matches(BLANKS).is_empty() {
            break;
        }
        rest = after;
    }
    let end = rest.trim_end_matches([' ', '\t', '\n']);
    end.to_owned()
}

/// The description of a step that is there already. Saying nothing, or only how it begins, leaves it; another one takes
/// its place, and keeps `remarks`, which people wrote behind the step, and all comments.
pub fn kept_description(old: &str, remarks: &str, given: &str) -> String {
    let mut new = normalised(given);
    if new.is_empty()
        || old.strip_prefix(new.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('\n'))
    {
        return old.to_owned();
    }
    for text in std::iter::once(remarks).chain(comments(old)) {
        if !text.is_empty() && !new.contains(text) {
            new.push_str("\n\n");
            new.push_str(text);
        }
    }
    new
}

fn comments(text: &str) -> impl Iterator<Item = &str> {
    let starts = text.match_indices("<!--").map(|(at, _)| at);
    starts.filter_map(|at| text[at..].find("-->").map(|end| &text[at..at + end + 3]))
}

/// A title as a plan keeps it: on one line, without blanks at its ends.
pub fn normalised_title(title: &str) -> String {
    let lines = title.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

pub(super) const BLANKS: [char; 2] = [' ', '\t'];
/// What Markdown takes for white space; other blanks are text.
pub(super) const WHITESPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// How a free text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As it is.
    Bare,
    /// As a block quote, out of which no Markdown can break.
    Quoted,
}

pub(super) fn written(text: &str, form: Form) -> String {
    match form {
        Form::Bare => text.to_owned(),
        Form::Quoted => {
            let quote = |line: &str| if line.is_empty() { ">".to_owned() } else { format!("> {line}") };
            text.split('\n').map(quote).collect::<Vec<_>>().join("\n")
        }
    }
}

/// The text that was written, from the lines that hold it.
pub(super) fn read(lines: &str) -> String {
    let text = normalised(lines);
    if text.is_empty() || !text.split('\n').all(|line| line.starts_with('>')) {
        return text;
    }
    let unquote = |line: &str| line[1..].strip_prefix(' ').unwrap_or(&line[1..]).to_owned();
    text.split('\n').map(unquote).collect::<Vec<_>>().join("\n")
}

/// A title as it is written behind `### Step 1: `: marks at its end would otherwise close the heading.
pub(super) fn written_title(title: &str) -> String {
    match closing_marks(title) {
        Some(at) => format!("{}\\{}", &title[..at], &title[at..]),
        None => title.to_owned(),
    }
}

pub(super) fn read_title(raw: &str) -> String {
    let title = normalised_title(raw);
    match closing_marks(&title) {
        Some(at) if title[at..].starts_with('\\') => format!("{}{}", &title[..at], &title[at + 1..]),
        _ => title,
    }
}

/// Where a run of `#` at the end, with the backslashes before it, begins; `None` when it belongs to a word.
fn closing_marks(title: &str) -> Option<usize> {
    let open = title.trim_end_matches('#');
    if open.len() == title.len() {
        return None;
    }
    let before = open.trim_end_matches('\\');
    (before.is_empty() || before.ends_with(BLANKS)).then_some(before.len())
}
