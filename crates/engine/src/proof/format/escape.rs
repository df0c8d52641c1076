//! Texts of others inside a format of ours.

/// For XML and HTML, in text and in attributes; what XML cannot carry at all becomes a replacement character.
pub(crate) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for ch in text.chars() {
        match ch {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(ch),
            ch if ch.is_control() || steers(ch) || matches!(ch, '\u{fffe}' | '\u{ffff}') => {
                out.push('\u{fffd}');
            }
            ch => out.push(ch),
        }
    }
    out
}

/// For a cell of a Markdown table.
pub(super) fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for ch in text.chars() {
        match ch {
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '@' => {
                out.push('\\');
                out.push(ch);
            }
            '\n' | '\r' | '\t' => out.push(' '),
            ch if ch.is_control() || steers(ch) => out.push('\u{fffd}'),
            ch => out.push(ch),
        }
    }
    out
}

/// For code in a cell of a Markdown table.
pub(super) fn markdown_code(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|ch| match ch {
            '`' => '\'',
            ch if ch.is_control() || steers(ch) => '\u{fffd}',
            ch => ch,
        })
        .collect();
    format!("`{}`", text.replace('|', "\\|"))
}

/// Characters that only steer how others are shown.
fn steers(ch: char) -> bool {
    matches!(ch, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}
