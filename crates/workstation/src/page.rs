//! The pages of the workstation's lists (D-13), which are sorted as a tree reads.
//!
//! A cursor names the last entry seen, so a page stays right when entries come and go between two calls. It is
//! bound to the list it was made for: another folder or another filter refuses it. Keys are bytes, because names are.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::Write as _;
use std::hash::Hash;

use hewto_core::page::{DEFAULT_MAX_CHARS, MAX_LIMIT, Page, PageRequest, Room, cut, seal};
use serde::Serialize;

use crate::error::{Error, Result};

/// The most that `max_chars` can ask for.
const MAX_MAX_CHARS: usize = 2_000_000;
/// Room for the other fields of a result and the braces around them.
const ENVELOPE_CHARS: usize = 1_000;

/// The characters that a result's contents may take.
pub(crate) fn budget(max_chars: Option<usize>) -> usize {
    max_chars.unwrap_or(DEFAULT_MAX_CHARS).clamp(2 * ENVELOPE_CHARS, MAX_MAX_CHARS) - ENVELOPE_CHARS
}

/// The same for the entries of a page.
pub(crate) fn room(request: &PageRequest) -> Room {
    Room::new(budget(request.max_chars))
}

/// Cuts one page out of entries that are sorted by [`path_order`] of `key`.
///
/// `list` names the list and everything that selects its entries; `show` makes an entry's view.
pub(crate) fn paginate<T, V: Serialize>(
    entries: &[T],
    request: &PageRequest,
    list: &impl Hash,
    key: impl Fn(&T) -> Cow<'_, [u8]>,
    show: impl FnMut(&T) -> V,
) -> Result<(Vec<V>, Page)> {
    paginate_up_to(MAX_LIMIT, entries, request, list, key, show)
}

/// The same for a list whose pages may be longer.
pub(crate) fn paginate_up_to<T, V: Serialize>(
    most: usize,
    entries: &[T],
    request: &PageRequest,
    list: &impl Hash,
    key: impl Fn(&T) -> Cow<'_, [u8]>,
    show: impl FnMut(&T) -> V,
) -> Result<(Vec<V>, Page)> {
    let start = match &request.cursor {
        Some(cursor) => {
            let last = open_cursor(cursor, list)?;
            entries.partition_point(|entry| path_order(&key(entry), &last) != Ordering::Greater)
        }
        None => 0,
    };
    let cursor = |last: &T| seal_cursor(&key(last), list);
    Ok(cut(entries, start, request.limit_up_to(most), room(request), cursor, show))
}

/// Orders paths as a tree reads: a folder, what is in it, then its next neighbour.
pub(crate) fn path_order(a: &[u8], b: &[u8]) -> Ordering {
    let level = |byte: &u8| if *byte == b'/' { 0 } else { *byte };
    a.iter().map(level).cmp(b.iter().map(level))
}

pub(crate) fn seal_cursor(last: &[u8], list: &impl Hash) -> String {
    let mut cursor = seal(list);
    for &byte in last {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(&byte) {
            cursor.push(char::from(byte));
        } else {
            let _ = write!(cursor, "%{byte:02x}");
        }
    }
    cursor
}

pub(crate) fn open_cursor(cursor: &str, list: &impl Hash) -> Result<Vec<u8>> {
    cursor.strip_prefix(&seal(list)).and_then(unescape).ok_or_else(|| {
        Error::invalid_argument(
            "cursor",
            "a `next_cursor` of this list with the same filters",
            "this cursor does not belong to this list",
        )
        .hint("leave `cursor` out to begin at the first page")
    })
}

/// What a cursor was opened to is none of the list's places.
pub(crate) fn no_place() -> Error {
    Error::invalid_argument("cursor", "a `next_cursor`", "this is not a cursor")
}

fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let high = char::from(bytes.next()?).to_digit(16)?;
            let low = char::from(bytes.next()?).to_digit(16)?;
            out.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            out.push(byte);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn page(entries: &[Vec<u8>], request: &PageRequest) -> (Vec<Vec<u8>>, Page) {
        paginate(entries, request, &"list", |entry| Cow::Borrowed(entry), Clone::clone).unwrap()
    }

    proptest! {
        #[test]
        fn pages_follow_each_other_to_the_end(
            mut entries in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..6), 0..40),
            limit in 1_usize..9,
        ) {
            entries.sort_by(|a, b| path_order(a, b));
            entries.dedup();
            // Two names that differ in `/` and NUL alone cannot both exist.
            entries.retain(|entry| !entry.contains(&0));
            let mut request = PageRequest { limit: Some(limit), ..PageRequest::default() };
            let mut seen = Vec::new();
            loop {
                let (views, page) = page(&entries, &request);
                prop_assert_eq!(page.total, entries.len());
                seen.extend(views);
                prop_assert_eq!(page.remaining, entries.len() - seen.len());
                match page.next_cursor {
                    Some(cursor) => request.cursor = Some(cursor),
                    None => break,
                }
            }
            prop_assert_eq!(seen, entries);
        }
    }

    #[test]
    fn a_page_stays_within_its_characters_but_shows_at_least_one_entry() {
        let entries = [vec![b'x'; 9_000], vec![b'y'; 9_000]];
        let request = PageRequest { max_chars: Some(2_000), ..PageRequest::default() };
        let (views, page) = page(&entries, &request);
        assert_eq!((views.len(), page.remaining), (1, 1));
    }

    #[test]
    fn a_cursor_of_another_list_is_refused() {
        let foreign = seal_cursor(b"a", &"other");
        for cursor in [foreign.as_str(), "", "nonsense", "0123456789abcdef.%zz"] {
            let request = PageRequest { cursor: Some(cursor.to_owned()), ..PageRequest::default() };
            let error =
                paginate(&[1], &request, &"list", |_| Cow::Borrowed(b"a".as_slice()), |n| *n).unwrap_err();
            assert_eq!(error.key.as_str(), "invalid_params", "{cursor}");
        }
    }

    #[test]
    fn a_folder_stands_before_what_is_in_it_and_that_before_its_neighbours() {
        let mut paths = ["a.txt", "a/z", "a", "a-b", "b"];
        paths.sort_by(|a, b| path_order(a.as_bytes(), b.as_bytes()));
        assert_eq!(paths, ["a", "a/z", "a-b", "a.txt", "b"]);
    }
}
