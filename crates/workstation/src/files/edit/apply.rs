//! Finds and replaces, byte for byte, blind only to the difference between LF and CRLF.

use std::ops::Range;

use memchr::{memchr_iter, memmem};

use super::Edit;
use crate::files::text::{LineEnds, without_bom, without_cr};

/// Enough matches to say that there are several.
const MAX_MATCHES: usize = 1000;

/// The text after all edits.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Applied {
    pub(super) text: Vec<u8>,
}

/// Why an edit could not be made.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NotApplied {
    /// The text does not stand there; `text` is the file after the edits before this one.
    NoMatch { edit: usize, text: Vec<u8> },
    /// It stands there at each of these lines.
    Several { edit: usize, lines: Vec<u64> },
}

/// Makes the edits one after the other; each sees what the ones before it did.
pub(super) fn apply(text: &[u8], edits: &[Edit]) -> Result<Applied, NotApplied> {
    let mut text = text.to_vec();
    for (index, edit) in edits.iter().enumerate() {
        let needle = without_bom(edit.old_text.as_bytes()).0;
        let found = find(&text, needle);
        let range = match found.as_slice() {
            [] => return Err(NotApplied::NoMatch { edit: index, text }),
            [one] => one.clone(),
            several => {
                let lines = several.iter().map(|range| line_of(&text, range.start)).collect();
                return Err(NotApplied::Several { edit: index, lines });
            }
        };
        let ends = ends_for(&text, &range);
        let new = ends.apply(edit.new_text.as_bytes()).into_owned();
        text.splice(range, new);
    }
    Ok(Applied { text })
}

/// Where the needle stands, overlaps included; its LF or CRLF means either in the text.
fn find(text: &[u8], needle: &[u8]) -> Vec<Range<usize>> {
    let plain_needle = without_cr(needle);
    let plain = without_cr(text);
    // The places in the plain text before which a carriage return was left out.
    let dropped: Vec<usize> =
        memmem::find_iter(text, b"\r\n").enumerate().map(|(before, at)| at - before).collect();
    let original = |at: usize| at + dropped.partition_point(|dropped| *dropped < at);
    let finder = memmem::Finder::new(&*plain_needle);
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = plain.get(from..).and_then(|rest| finder.find(rest)).map(|at| from + at) {
        found.push(original(at)..original(at + plain_needle.len()));
        if found.len() == MAX_MATCHES {
            break;
        }
        from = at + 1;
    }
    found
}

/// The line ends that text put in here should have.
fn ends_for(text: &[u8], range: &Range<usize>) -> LineEnds {
    let of_file = LineEnds::of(text);
    if of_file != LineEnds::Mixed {
        return of_file;
    }
    match LineEnds::of(&text[range.clone()]) {
        LineEnds::None => {}
        LineEnds::Crlf => return LineEnds::Crlf,
        LineEnds::Lf | LineEnds::Mixed => return LineEnds::Lf,
    }
    // As the line goes on, or else as the one before it ended.
    let after = memchr::memchr(b'\n', &text[range.end..]).map(|at| range.end + at);
    let near = after.or_else(|| memchr::memrchr(b'\n', &text[..range.start]));
    match near {
        Some(at) if at > 0 && text[at - 1] == b'\r' => LineEnds::Crlf,
        _ => LineEnds::Lf,
    }
}

fn line_of(text: &[u8], at: usize) -> u64 {
    memchr_iter(b'\n', &text[..at]).count() as u64 + 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn edit(old: &str, new: &str) -> Edit {
        Edit { old_text: old.to_owned(), new_text: new.to_owned() }
    }

    fn applied(text: &[u8], edits: &[Edit]) -> Vec<u8> {
        apply(text, edits).unwrap().text
    }

    #[test]
    fn lf_in_an_edit_means_the_line_end_of_the_file() {
        let table: [(&[u8], &str, &str, &[u8]); 6] = [
            (b"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", b"x\r\ny\r\nz\r\nc\r\n"),
            (b"a\r\nb\r\n", "b", "b\nc", b"a\r\nb\r\nc\r\n"),
            (b"a\nb\n", "a\r\nb", "x\r\ny", b"x\ny\n"),
            (b"a\r\nb", "\n", "-", b"a-b"),
            (b"a\r\nb\nc\n", "b\n", "b\nd\n", b"a\r\nb\nd\nc\n"),
            (b"a\r\nb\nc\n", "a", "x\ny", b"x\r\ny\r\nb\nc\n"),
        ];
        for (text, old, new, expected) in table {
            assert_eq!(applied(text, &[edit(old, new)]), expected, "{old:?} in {text:?}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_stay_as_they_are() {
        assert_eq!(applied(b"\xff\xfe one \xe9\n", &[edit("one", "two")]), b"\xff\xfe two \xe9\n");
    }

    #[test]
    fn several_matches_are_told_by_line_also_when_they_overlap() {
        let error = apply(b"x\naaa\n", &[edit("aa", "b")]).unwrap_err();
        assert_eq!(error, NotApplied::Several { edit: 0, lines: vec![2, 2] });
    }

    #[test]
    fn later_edits_see_what_earlier_ones_did() {
        assert_eq!(applied(b"a", &[edit("a", "bb"), edit("bb", "c")]), b"c");
        let error = apply(b"a", &[edit("a", "b"), edit("a", "c")]).unwrap_err();
        assert_eq!(error, NotApplied::NoMatch { edit: 1, text: b"b".to_vec() });
    }

    proptest! {
        #[test]
        fn an_edit_touches_only_what_it_names(
            before in prop::collection::vec(prop::sample::select(b"ab\r\n\xff".to_vec()), 0..20),
            after in prop::collection::vec(prop::sample::select(b"ab\r\n\xff".to_vec()), 0..20),
        ) {
            // A carriage return right before the match would melt with a line feed at its start; there is none.
            let text = [before.as_slice(), b"NEEDLE", &after].concat();
            let new = applied(&text, &[edit("NEEDLE", "pin")]);
            prop_assert_eq!(new, [before.as_slice(), b"pin", &after].concat());
        }
    }
}
