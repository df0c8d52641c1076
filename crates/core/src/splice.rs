//! Text put into a person's file: in that file's own line ends.

/// The line end that most lines of a text have; a line feed when there are none.
pub(crate) fn line_end(text: &str) -> &'static str {
    let feeds = text.bytes().filter(|byte| *byte == b'\n').count();
    let pairs = text.matches("\r\n").count();
    if pairs > 0 && pairs * 2 >= feeds { "\r\n" } else { "\n" }
}

/// The text with every line ended in the same way.
pub(crate) fn with_line_ends(text: &str, line_end: &str) -> String {
    let plain = unix(text);
    if line_end == "\n" { plain.into_owned() } else { plain.replace('\n', line_end) }
}

/// The text with line feeds alone.
pub(crate) fn unix(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n").into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_line_end_wins() {
        for (text, expected) in [("", "\n"), ("a\nb", "\n"), ("a\r\nb\n", "\r\n"), ("a\r\nb\nc\nd", "\n")] {
            assert_eq!(line_end(text), expected, "{text:?}");
        }
        assert_eq!(with_line_ends("a\r\nb\nc\rd", "\r\n"), "a\r\nb\r\nc\r\nd");
    }
}
