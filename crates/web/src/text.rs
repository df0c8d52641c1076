//! Text of a repository as text: nothing in it acts, and nothing in it hides.

use hewto_core::visible::visible;
use maud::{Markup, html};

use crate::frame::Frame;

/// A text on one line or several, in its own direction.
pub fn said(text: &str) -> Markup {
    html! { bdi { (visible(text)) } }
}

/// What the engine says: the same, with what stands in backticks as code, and times as times.
pub fn told(text: &str) -> Markup {
    let pieces: Vec<&str> = text.split('`').collect();
    // A backtick that nothing closes is one.
    let paired = pieces.len() - usize::from(pieces.len().is_multiple_of(2));
    html! {
        bdi {
            @for (at, piece) in pieces.iter().enumerate() {
                @if at < paired && at % 2 == 1 { code { (visible(piece)) } }
                @else { @if at >= paired { "`" } (with_moments(piece)) }
            }
        }
    }
}

/// What to do next: the same, and a command at its end is code.
pub(crate) fn advised(text: &str) -> Markup {
    let after_code = text.rfind('`').map_or(0, |at| at + 1);
    let command = text[after_code..].find("hewto ").map(|at| after_code + at);
    let command = command.filter(|at| *at == 0 || text[..*at].ends_with(' '));
    match command.map(|at| text.split_at(at)) {
        Some((words, command)) => html! { (told(words)) code { (visible(command)) } },
        None => told(text),
    }
}

/// How something was searched, in words; how far the index is may stand behind it.
pub fn search_mode(name: &str) -> String {
    let (how, rest) = name.split_once(" (").map_or((name, None), |(how, rest)| (how, Some(rest)));
    let words = match how {
        "fused" | "hybrid" => "words and meaning",
        "keyword" | "lexical" => "words",
        "semantic" => "meaning",
        other => other,
    };
    rest.map_or_else(|| words.to_owned(), |rest| format!("{words} ({rest}"))
}

/// A text without an element of its own, for attributes and titles.
pub fn plain(text: &str) -> String {
    visible(text).into_owned()
}

/// A moment: exact for machines, local for people once the script has seen it, exact on hover.
pub fn moment(at: &str) -> Markup {
    html! {
        @match Moment::begins(at).filter(|moment| moment.length == at.len()) {
            Some(moment) => (moment.shown(at)),
            None => span { (plain(at)) },
        }
    }
}

/// The same for every moment in a sentence.
fn with_moments(text: &str) -> Markup {
    let (mut told, mut pieces) = (0, Vec::new());
    for (at, _) in text.match_indices('T') {
        let Some(begin) = at.checked_sub(Moment::DAY).filter(|begin| *begin >= told) else { continue };
        // Between letters of several bytes no moment begins.
        let Some(moment) = text.get(begin..).and_then(Moment::begins) else { continue };
        if !text[..begin].ends_with(char::is_alphanumeric) {
            let end = begin + moment.length;
            pieces.push((&text[told..begin], moment, &text[begin..end]));
            told = end;
        }
    }
    html! {
        @for (before, moment, at) in &pieces { (visible(before)) (moment.shown(at)) }
        (visible(&text[told..]))
    }
}

/// A moment as files and logs have it: `2026-01-24T14:30:00Z`, or with another offset.
struct Moment {
    length: usize,
    /// Where its offset begins.
    offset: usize,
}

impl Moment {
    /// The length of a day.
    const DAY: usize = 10;
    const MINUTE: &str = "0000-00-00T00:00";

    /// The moment at the beginning of a text.
    fn begins(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let is_like = |like: &str, from: usize| {
            let found = bytes.get(from..from + like.len());
            found.is_some_and(|found| {
                found.iter().zip(like.bytes()).all(|(one, like)| match like {
                    b'0' => one.is_ascii_digit(),
                    _ => *one == like,
                })
            })
        };
        let mut offset = Self::MINUTE.len();
        if !is_like(Self::MINUTE, 0) {
            return None;
        }
        if is_like(":00", offset) {
            offset += 3;
            if is_like(".0", offset) {
                offset += 1 + bytes[offset + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            }
        }
        let length = match bytes.get(offset)? {
            b'Z' => offset + 1,
            b'+' if is_like("+00:00", offset) => offset + 6,
            b'-' if is_like("-00:00", offset) => offset + 6,
            _ => return None,
        };
        Some(Self { length, offset })
    }

    fn shown(&self, at: &str) -> Markup {
        let (minute, offset) = (&at[..Self::MINUTE.len()], &at[self.offset..]);
        let offset = if offset == "Z" { "UTC" } else { offset };
        html! { time datetime=(at) title=(at) { (minute.replace('T', " ")) " " (offset) } }
    }
}

/// A name of a state, with a sign so that no colour alone says it.
pub fn badge(kind: &str, words: &str) -> Markup {
    let (class, sign) = match kind {
        "good" => ("badge good", "✓"),
        "bad" => ("badge bad", "✗"),
        "warn" => ("badge warn", "!"),
        "new" => ("badge new", "+"),
        "gone" => ("badge gone", "−"),
        "moved" => ("badge moved", "→"),
        "changed" => ("badge changed", "~"),
        _ => ("badge", ""),
    };
    html! {
        span class=(class) {
            @if !sign.is_empty() { span aria-hidden="true" { (sign) " " } }
            (words)
        }
    }
}

/// `3 errors`, `1 error`.
pub fn count(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{} {many}", grouped(number)) }
}

/// A number as people read it: `2,450`.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// What an item is called in sentences, and where its page is.
pub(crate) fn item_link(frame: &Frame<'_>, item: &str, title: &str) -> Markup {
    html! { a href=(frame.item(item)) { (said(title)) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_hide_or_act_is_written_out() {
        let shown = said("a<script>\u{202e}b\u{200b}").into_string();
        assert_eq!(shown, "<bdi>a&lt;script&gt;\\u{202e}b\\u{200b}</bdi>");
    }

    #[test]
    fn what_stands_in_backticks_is_code_and_nothing_in_it_acts() {
        let shown = |text: &str| told(text).into_string();
        assert_eq!(shown("run `hewto <x>`, now"), "<bdi>run <code>hewto &lt;x&gt;</code>, now</bdi>");
        assert_eq!(shown("a ` b"), "<bdi>a ` b</bdi>");
        assert_eq!(shown("`a` ` b"), "<bdi><code>a</code> ` b</bdi>");
        assert_eq!(shown(""), "<bdi></bdi>");
    }

    #[test]
    fn the_command_at_the_end_of_an_advice_is_code() {
        let shown = |text: &str| advised(text).into_string();
        assert_eq!(
            shown("plan it: hewto plan new <x>"),
            "<bdi>plan it: </bdi><code>hewto plan new &lt;x&gt;</code>"
        );
        assert_eq!(
            shown("do `call hewto x`, then hewto plan done a 1"),
            "<bdi>do <code>call hewto x</code>, then </bdi><code>hewto plan done a 1</code>"
        );
        assert_eq!(shown("step `Call hewto now`"), "<bdi>step <code>Call hewto now</code></bdi>");
        assert_eq!(shown("read the notes"), "<bdi>read the notes</bdi>");
    }

    #[test]
    fn how_it_was_searched_is_told_in_words_also_while_the_index_is_made() {
        assert_eq!(search_mode("fused"), "words and meaning");
        assert_eq!(search_mode("lexical (embedding 65 of 5,733)"), "words (embedding 65 of 5,733)");
        let rough = "fused (roughly: embedding 65 of 5,733)";
        assert_eq!(search_mode(rough), "words and meaning (roughly: embedding 65 of 5,733)");
    }

    #[test]
    fn numbers_and_moments_read_well() {
        assert_eq!(grouped(1), "1");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(count(1, "error", "errors"), "1 error");
        assert_eq!(count(2_450, "more", "more"), "2,450 more");
        let shown = moment("2026-01-24T14:30:00Z").into_string();
        assert!(shown.contains(">2026-01-24 14:30 UTC<"), "{shown}");
        assert!(moment("<b>").into_string().contains("&lt;b&gt;"));
        let shown = moment("2026-01-24T14:30:00.25+02:00").into_string();
        assert!(shown.contains(">2026-01-24 14:30 +02:00<"), "{shown}");
        for other in ["2026-01-24", "2026-01-24T14:30", "2026-01-24T14:30:00Zulu", "Ä026-01-24T14:30Z"] {
            assert!(!moment(other).into_string().contains("<time"), "{other}");
        }
    }

    #[test]
    fn a_moment_in_what_the_engine_says_is_one_and_the_rest_is_as_it_was() {
        let shown = told("done 2026-01-24T10:00:00Z, ÄäÄäÄ1T `2026-01-24T10:00:00Z`, 12026-01-24T10:00:00Z")
            .into_string();
        assert_eq!(
            shown,
            "<bdi>done <time datetime=\"2026-01-24T10:00:00Z\" title=\"2026-01-24T10:00:00Z\">2026-01-24 10:00 UTC</time>, ÄäÄäÄ1T \
             <code>2026-01-24T10:00:00Z</code>, 12026-01-24T10:00:00Z</bdi>"
        );
    }
}
