//! Text as a person has to see it before they decide on it: what would steer a terminal, turn the direction of reading
//! or show nothing at all is written out.
//!
//! This is the one place that knows which characters those are. Line feeds and tabs stay, and so does the selector or
//! joiner inside an emoji, which shows as it should.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text with everything written out that a reader would not see, or would see elsewhere.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(ch) = chars.next() {
        match ch {
            // A carriage return before a line feed is how some files end lines.
            '\r' if chars.peek().is_none_or(|next| *next == '\n') => {}
            _ if is_part_of_an_emoji(before, ch, chars.peek().copied()) => out.push(ch),
            _ if is_hidden(ch) => out.extend(ch.escape_unicode()),
            _ => out.push(ch),
        }
        before = Some(ch);
    }
    Cow::Owned(out)
}

/// JSON with the same characters as `\u` escapes: the document says the same, and no terminal obeys it.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    if json.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n')) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    for ch in json.chars() {
        // Outside of strings JSON has no such character; a tab or carriage return there is white space.
        if is_hidden(ch) && ch != '\r' {
            for unit in ch.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(ch);
        }
    }
    Cow::Owned(out)
}

/// Whether a character shows nothing, or changes how others show.
pub fn is_hidden(ch: char) -> bool {
    match ch {
        '\n' | '\t' => false,
        _ if ch.is_control() => true,
        // Soft hyphen, joiners and fillers.
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}'
        // Mongolian selectors and separator.
        | '\u{180b}'..='\u{180f}'
        // Directions: marks, embeddings, overrides, isolates.
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        // No width, line and paragraph separators, invisible operators, deprecated controls.
        | '\u{200b}'..='\u{200d}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}'
        | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
        // Selectors of variants.
        | '\u{fe00}'..='\u{fe0f}'
        // Musical and shorthand controls, Egyptian joiners.
        | '\u{1d173}'..='\u{1d17a}' | '\u{1bca0}'..='\u{1bca3}' | '\u{13430}'..='\u{1343f}'
        // Tags and further selectors.
        | '\u{e0000}'..='\u{e0fff}'
        // Blank Braille, which looks like a space.
        | '\u{2800}'
        // Private use: nobody knows what it shows.
        | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' => true,
        _ => false,
    }
}

/// A selector behind a symbol, or a joiner between two.
fn is_part_of_an_emoji(before: Option<char>, ch: char, next: Option<char>) -> bool {
    let is_symbol = |ch: char| {
        matches!(ch, '\u{203c}'..='\u{3299}' | '\u{1f000}'..='\u{1faff}' | '©' | '®') && !is_hidden(ch)
    };
    match ch {
        '\u{fe0e}' | '\u{fe0f}' => before.is_some_and(is_symbol),
        '\u{200d}' => {
            before.is_some_and(|before| is_symbol(before) || before == '\u{fe0f}')
                && next.is_some_and(is_symbol)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_nobody_sees_is_written_out() {
        for (text, expected) in [
            ("plain größe 日本 עברית", "plain größe 日本 עברית"),
            ("a\u{1b}[31mb", "a\\u{1b}[31mb"),
            ("c1 \u{9b}2J, bell \u{7}, delete \u{7f}", "c1 \\u{9b}2J, bell \\u{7}, delete \\u{7f}"),
            ("two\r\nlines\tand a tab", "two\nlines\tand a tab"),
            ("deny\rallow", "deny\\u{d}allow"),
            ("to \u{202e}stseug\u{202c}", "to \\u{202e}stseug\\u{202c}"),
            ("\u{2066}admins\u{2069}", "\\u{2066}admins\\u{2069}"),
            ("z\u{200b}w\u{feff}", "z\\u{200b}w\\u{feff}"),
            ("tag \u{e0041}\u{e0042}", "tag \\u{e0041}\\u{e0042}"),
            ("hangul \u{3164}", "hangul \\u{3164}"),
            ("a\u{fe0f}\u{fe01}", "a\\u{fe0f}\\u{fe01}"),
            ("line\u{2028}sep", "line\\u{2028}sep"),
        ] {
            assert_eq!(visible(text), expected);
        }
    }

    #[test]
    fn emoji_stay_and_carry_nothing_else() {
        for text in
            ["done ✔\u{fe0f}", "\u{1f469}\u{200d}\u{1f4bb} at work", "\u{2764}\u{fe0f}\u{200d}\u{1f525}"]
        {
            assert_eq!(visible(text), text);
        }
        // A second selector shows nothing.
        assert_eq!(visible("✔\u{fe0f}\u{fe0f}"), "✔\u{fe0f}\\u{fe0f}");
        assert_eq!(visible("a\u{200d}b"), "a\\u{200d}b");
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left_and_nothing_shown_is_lost(text in any::<String>()) {
            let shown = visible(&text);
            prop_assert!(!shown.chars().any(|ch| ch.is_control() && ch != '\n' && ch != '\t'));
            let is_invisible = shown.contains(['\u{202e}', '\u{200b}', '\u{feff}', '\u{e0041}']);
            prop_assert!(!is_invisible);
            let seen: String = text.chars().filter(|ch| !is_hidden(*ch)).collect();
            let mut rest = shown.chars();
            prop_assert!(seen.chars().all(|ch| rest.any(|other| other == ch)));
        }

        #[test]
        fn json_says_the_same(text in "\\PC{0,20}[\u{0}-\u{a0}\u{2000}-\u{2070}\u{e0000}-\u{e0080}]{0,9}") {
            let json = serde_json::to_string_pretty(&serde_json::json!({ "text": text })).unwrap();
            let shown = visible_json(&json);
            prop_assert!(!shown.chars().any(is_hidden));
            let read: serde_json::Value = serde_json::from_str(&shown).unwrap();
            prop_assert_eq!(read["text"].as_str(), Some(text.as_str()));
        }
    }
}
