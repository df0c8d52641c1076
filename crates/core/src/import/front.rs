//! The front matter of other tools, read with a forgiving eye: they write values that are no YAML, such as `@name`.

/// The keys in their order, each with its values; and where the text behind begins, as byte and line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Front {
    pub(super) entries: Vec<(String, Vec<String>)>,
    pub(super) body_start: usize,
    pub(super) body_line: usize,
}

impl Front {
    pub(super) fn first(&self, key: &str) -> &str {
        self.all(key).first().map_or("", String::as_str)
    }

    pub(super) fn all(&self, key: &str) -> &[String] {
        self.entries.iter().find(|(known, _)| known == key).map_or(&[], |(_, values)| values.as_slice())
    }
}

/// Said of a file whose front matter has no second line `---`.
pub(super) const NEVER_ENDS: &str = "its front matter begins here and never ends: a line `---` is missing";

/// Whether a text begins as front matter does, with keys, and has no line that ends it.
pub(super) fn never_ends(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_end);
    lines.next() == Some("---")
        && lines.clone().next().and_then(|line| line.split_once(':')).is_some_and(|(key, _)| is_key(key))
        && !lines.any(|line| line == "---")
}

/// Reads the block between the first two lines `---`.
pub(super) fn read(text: &str) -> Front {
    let mut front = Front { body_line: 1, ..Front::default() };
    let mut lines = text.split_inclusive('\n').enumerate();
    let Some((_, first)) = lines.next().filter(|(_, line)| line.trim_end() == "---") else { return front };
    let mut at = first.len();
    let mut entries: Vec<(String, Vec<String>)> = Vec::new();
    let mut is_block = false;
    for (index, line) in lines {
        at += line.len();
        let line = line.trim_end();
        if line == "---" {
            front.entries = entries;
            front.body_start = at;
            front.body_line = index + 2;
            return front;
        }
        let is_deep = line.starts_with([' ', '\t']);
        let item = line
            .trim_start()
            .strip_prefix("- ")
            .or_else(|| line.trim_start().strip_prefix('-').filter(|r| r.is_empty()));
        match (item, line.split_once(':')) {
            (Some(item), _) if !entries.is_empty() && !is_block => {
                if let Some((_, values)) = entries.last_mut() {
                    values.push(unquoted(item));
                }
            }
            (None, Some((key, value))) if !is_deep && is_key(key) => {
                let value = value.trim();
                is_block = matches!(value, ">" | ">-" | "|" | "|-");
                entries.push((key.trim().to_owned(), if is_block { Vec::new() } else { values(value) }));
            }
            _ => {
                // A wrapped value.
                let text = line.trim();
                if text.is_empty() {
                    continue;
                }
                if let Some(comment) = text.strip_prefix('#') {
                    entries.push(("comment".to_owned(), vec![comment.trim().to_owned()]));
                    continue;
                }
                // Something else than keys and values: no front matter.
                let Some((_, values)) = entries.last_mut() else { break };
                match values.last_mut() {
                    Some(last) => {
                        last.push(' ');
                        last.push_str(text);
                    }
                    None => values.push(text.to_owned()),
                }
            }
        }
    }
    // It is never closed: no front matter.
    Front { body_line: 1, ..Front::default() }
}

fn is_key(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|ch| ch.is_ascii_alphanumeric() || matches!(ch, '_' | '-' | '.' | ' '))
}

fn values(text: &str) -> Vec<String> {
    if let Some(list) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return split_list(list).iter().map(|one| unquoted(one)).filter(|one| !one.is_empty()).collect();
    }
    let value = unquoted(text);
    if value.is_empty() || matches!(text, "null" | "~") { Vec::new() } else { vec![value] }
}

/// Splits at commas outside quotes.
fn split_list(list: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut quote = None;
    for ch in list.chars() {
        match (ch, quote) {
            (',', None) => found.push(String::new()),
            ('"' | '\'', None) => quote = Some(ch),
            (ch, Some(open)) if ch == open => quote = None,
            _ => {}
        }
        if (ch != ',' || quote.is_some())
            && let Some(last) = found.last_mut()
        {
            last.push(ch);
        }
    }
    found
}

fn unquoted(text: &str) -> String {
    let text = text.trim();
    let inner = |mark: char| text.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
    if let Some(inner) = inner('\'') {
        return inner.replace("''", "'");
    }
    if let Some(inner) = inner('"') {
        return serde_json::from_str(text).unwrap_or_else(|_| inner.to_owned());
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_tools_write_is_read() {
        let text = "---\nid: BACK-4.2\ntitle: 'CLI: it''s'\nassignee: @MrLesk\nlabels: [\"a, b\", c]\ndependencies:\n  - task-1\n  - \"task-2\"\nnone: []\nlong: >-\n  two\n  lines\n---\nBody\n";
        let front = read(text);
        assert_eq!(front.first("title"), "CLI: it's");
        assert_eq!(front.first("assignee"), "@MrLesk");
        assert_eq!(front.all("labels"), ["a, b", "c"]);
        assert_eq!(front.all("dependencies"), ["task-1", "task-2"]);
        assert!(front.all("none").is_empty());
        assert_eq!(front.first("long"), "two lines");
        assert_eq!((&text[front.body_start..], front.body_line), ("Body\n", 14));
        assert_eq!(read("---\nopen: yes\n").body_start, 0);
        assert_eq!(read("no front").body_line, 1);
    }
}
