//! Paging (D-13): a list is cut by count and by size, and says how to go on.
//!
//! A cursor names the last entry seen, so a page stays right when entries come and go between two calls. It is
//! bound to the list it was made for: another workspace or another filter refuses it.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Serialize;

use crate::error::{Error, Result};
use crate::view::Page;

/// How many entries a page has unless asked otherwise.
pub const DEFAULT_LIMIT: usize = 100;
/// The most that can be asked for at once.
pub const MAX_LIMIT: usize = 1000;
/// How large a page's text may grow unless `max_chars` asks for more.
pub const DEFAULT_MAX_CHARS: usize = 25_000;
/// Room for the paging fields and the braces around the entries.
const ENVELOPE_CHARS: usize = 500;

/// Which part of a list is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageRequest {
    pub limit: Option<usize>,
    pub cursor: Option<String>,
    pub max_chars: Option<usize>,
}

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
    let limit = request.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
    let budget = request.max_chars.unwrap_or(DEFAULT_MAX_CHARS).saturating_sub(ENVELOPE_CHARS);
    let start = match &request.cursor {
        Some(cursor) => {
            let last = open_cursor(cursor, list)?;
            entries.partition_point(|entry| key(entry) <= last.as_str())
        }
        None => 0,
    };
    let mut views = Vec::new();
    let mut chars = 0;
    for entry in entries[start..].iter().take(limit) {
        let view = show(entry);
        chars += serde_json::to_string(&view).map_or(0, |text| text.chars().count() + 1);
        // One entry is always shown, or a list with a huge entry could never be paged through.
        if chars > budget && !views.is_empty() {
            break;
        }
        views.push(view);
    }
    let end = start + views.len();
    let remaining = entries.len() - end;
    let next_cursor = (remaining > 0).then(|| seal_cursor(key(&entries[end - 1]), list));
    Ok((views, Page { total: entries.len(), remaining, next_cursor }))
}

fn seal_cursor(last: &str, list: &impl Hash) -> String {
    format!("{:016x}.{last}", fingerprint(list))
}

fn open_cursor(cursor: &str, list: &impl Hash) -> Result<String> {
    match cursor.split_once('.') {
        Some((seal, last)) if seal == format!("{:016x}", fingerprint(list)) => Ok(last.to_owned()),
        _ => Err(Error::invalid_argument(
            "cursor",
            "a `next_cursor` of this list with the same filters",
            "this cursor does not belong to this list",
        )
        .hint("leave `cursor` out to begin at the first page")),
    }
}

/// Stable within a build, which is as long as a cursor is good for.
fn fingerprint(list: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    list.hash(&mut hasher);
    hasher.finish()
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
        let foreign = seal_cursor("a", &"other");
        let request = PageRequest { cursor: Some(foreign), ..PageRequest::default() };
        let error = paginate(&["a"], &request, &"list", |e| *e, |e| (*e).to_owned()).unwrap_err();
        assert_eq!(error.code, Some(-32602));
    }
}
