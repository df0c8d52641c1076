//! The pages of the engine's lists (D-13), which are sorted by a name.
//!
//! A cursor names the last entry seen, so a page stays right when entries come and go between two calls. It is
//! bound to the list it was made for: another workspace or another filter refuses it.

use std::hash::Hash;

pub use hewto_core::page::{DEFAULT_MAX_CHARS, PageRequest};
use hewto_core::page::{Page, Room, cut, seal};
use serde::Serialize;

use crate::error::{Error, Result};

/// Room for the paging fields and the braces around the entries.
pub(crate) const ENVELOPE_CHARS: usize = 500;

/// Cuts one page out of entries that are sorted by `key`.
///
/// `list` names the list and everything that selects its entries; `show` makes an entry's view.
pub(crate) fn paginate<T, V: Serialize>(
    entries: &[T],
    request: &PageRequest,
    list: &impl Hash,
    key: impl Fn(&T) -> &str,
    show: impl Fn(&T) -> V,
) -> Result<(Vec<V>, Page)> {
    paginate_by(entries, request, list, |entry| key(entry).to_owned(), show)
}

/// The same where keys are made when they are asked for, which is for few of many entries.
pub(crate) fn paginate_by<T, V: Serialize>(
    entries: &[T],
    request: &PageRequest,
    list: &impl Hash,
    key: impl Fn(&T) -> String,
    show: impl Fn(&T) -> V,
) -> Result<(Vec<V>, Page)> {
    let seal = seal(list);
    let start = match &request.cursor {
        Some(cursor) => {
            let last = cursor.strip_prefix(&seal).ok_or_else(foreign_cursor)?;
            entries.partition_point(|entry| key(entry).as_str() <= last)
        }
        None => 0,
    };
    let cursor = |last: &T| format!("{seal}{}", key(last));
    Ok(cut(entries, start, request.limit(), room(request), cursor, show))
}

/// The characters that the entries of a page may take.
pub(crate) fn room(request: &PageRequest) -> Room {
    Room::new(request.max_chars.unwrap_or(DEFAULT_MAX_CHARS).saturating_sub(ENVELOPE_CHARS))
}

pub(crate) fn foreign_cursor() -> Error {
    Error::foreign_cursor("a `next_cursor` of this list with the same filters")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(entries: &[&str], request: &PageRequest) -> (Vec<String>, Page) {
        paginate(entries, request, &"list", |entry| entry, |entry| (*entry).to_owned()).unwrap()
    }

    #[test]
    fn pages_follow_each_other_to_the_end() {
        let entries = ["a", "b", "c", "d", "e"];
        let mut request = PageRequest { limit: Some(2), ..PageRequest::default() };
        let mut seen = Vec::new();
        loop {
            let (views, page) = page(&entries, &request);
            assert_eq!(page.total, 5);
            seen.extend(views);
            assert_eq!(page.remaining, 5 - seen.len());
            match page.next_cursor {
                Some(cursor) => request.cursor = Some(cursor),
                None => break,
            }
        }
        assert_eq!(seen, entries);
    }

    #[test]
    fn a_page_stays_within_its_characters_but_shows_at_least_one_entry() {
        let long = "x".repeat(2_000);
        let entries = [long.as_str(), long.as_str()];
        let request = PageRequest { max_chars: Some(600), ..PageRequest::default() };
        let (views, page) = page(&entries, &request);
        assert_eq!((views.len(), page.remaining), (1, 1));
    }

    #[test]
    fn an_entry_that_vanished_does_not_break_its_cursor() {
        let request = PageRequest { limit: Some(1), ..PageRequest::default() };
        let (_, first) = page(&["a", "b", "c"], &request);
        let next = PageRequest { cursor: first.next_cursor, ..PageRequest::default() };
        assert_eq!(page(&["b", "c"], &next).0, ["b", "c"]);
    }

    #[test]
    fn a_cursor_of_another_list_is_refused() {
        let foreign = format!("{}a", seal(&"other"));
        let request = PageRequest { cursor: Some(foreign), ..PageRequest::default() };
        let error = paginate(&["a"], &request, &"list", |e| *e, |e| (*e).to_owned()).unwrap_err();
        assert_eq!(error.key.as_str(), "invalid_params");
    }
}
