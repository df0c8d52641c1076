//! Paging (D-13): a list is cut by count and by size, and says how to go on.
//!
//! A cursor is a seal and a place. The seal binds it to the list it was made for; what a place looks like is the
//! list's own matter, and so is what to say of a cursor that does not belong to it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How many entries a page has unless asked otherwise.
pub const DEFAULT_LIMIT: usize = 100;
/// The most that can be asked for at once.
pub const MAX_LIMIT: usize = 1000;
/// How large an answer's text may grow unless `max_chars` asks for more.
pub const DEFAULT_MAX_CHARS: usize = 25_000;

/// Which part of a list is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct PageRequest {
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
    pub cursor: Option<String>,
    #[schemars(range(min = 1000, max = 2_000_000))]
    pub max_chars: Option<usize>,
}

/// Where a list stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Page {
    /// How many there are in all
    pub total: usize,
    /// How many follow this page
    pub remaining: usize,
    /// Pass this as `cursor` to get the next page; absent at the end
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub next_cursor: Option<String>,
}

/// The characters that are left on a page.
#[derive(Debug)]
pub struct Room {
    left: Option<usize>,
    /// Whether the next entry is taken, however large.
    takes_any: bool,
}

/// For the schema of a request whose answer has no budget of its own: pages are asked for by their length alone.
pub fn without_max_chars(schema: &mut Schema) {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.remove("max_chars");
    }
}

impl PageRequest {
    pub fn limit(&self) -> usize {
        self.limit_up_to(MAX_LIMIT)
    }

    /// The same for a list whose pages may be longer.
    pub fn limit_up_to(&self, most: usize) -> usize {
        self.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, most)
    }
}

impl Room {
    /// Room for these characters and, however large it is, for the first entry: or a list with a huge one could never
    /// be paged through.
    pub fn new(chars: usize) -> Self {
        Self { left: Some(chars), takes_any: true }
    }

    /// The same for a list without pages, which may show nothing.
    pub fn strict(chars: usize) -> Self {
        Self { left: Some(chars), takes_any: false }
    }

    /// Whether this entry still fits behind those before it.
    pub fn takes(&mut self, entry: &impl Serialize) -> bool {
        self.left = self.left.and_then(|left| left.checked_sub(chars_of(entry)));
        std::mem::take(&mut self.takes_any) || self.left.is_some()
    }
}

/// Cuts the page that begins at an entry; `cursor` says how to go on behind the last one shown.
pub fn cut<T, V: Serialize>(
    entries: &[T],
    start: usize,
    limit: usize,
    mut room: Room,
    cursor: impl FnOnce(&T) -> String,
    show: impl FnMut(&T) -> V,
) -> (Vec<V>, Page) {
    let views: Vec<V> =
        entries[start..].iter().take(limit).map(show).take_while(|view| room.takes(view)).collect();
    let end = start + views.len();
    let remaining = entries.len() - end;
    let next_cursor = (remaining > 0 && end > 0).then(|| cursor(&entries[end - 1]));
    (views, Page { total: entries.len(), remaining, next_cursor })
}

/// What the cursors of a list begin with. `list` names it and everything that selects its entries.
///
/// Stable within a build, which is as long as a cursor is good for.
pub fn seal(list: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    list.hash(&mut hasher);
    format!("{:016x}.", hasher.finish())
}

/// The characters that a view takes in an answer, comma included.
pub fn chars_of(view: &impl Serialize) -> usize {
    let mut chars = CharCount(0);
    serde_json::to_writer(&mut chars, view).map_or(0, |()| chars.0 + 1)
}

/// Counts the characters that are written to it.
struct CharCount(usize);

impl io::Write for CharCount {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        // Every byte of UTF-8 begins a character, but for those that go on with one.
        self.0 += text.iter().filter(|byte| **byte & 0b1100_0000 != 0b1000_0000).count();
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(entries: &[&str], start: usize, limit: usize, chars: usize) -> (Vec<String>, Page) {
        cut(entries, start, limit, Room::new(chars), |last| format!("seal.{last}"), ToString::to_string)
    }

    #[test]
    fn a_page_ends_at_its_limit_and_says_how_to_go_on() {
        let entries = ["a", "b", "c"];
        let (views, first) = page(&entries, 0, 2, 100);
        assert_eq!(views, ["a", "b"]);
        assert_eq!(first, Page { total: 3, remaining: 1, next_cursor: Some("seal.b".to_owned()) });
        let (views, last) = page(&entries, 2, 2, 100);
        assert_eq!(views, ["c"]);
        assert_eq!(last, Page { total: 3, remaining: 0, next_cursor: None });
    }

    #[test]
    fn a_page_stays_within_its_characters_but_shows_at_least_one_entry() {
        let long = "x".repeat(50);
        let entries = [long.as_str(), "a", "b"];
        // Each short entry takes four characters: its quotes and a comma.
        let shown = |start, chars| page(&entries, start, 10, chars).0.len();
        assert_eq!([shown(0, 0), shown(0, 52), shown(0, 57)], [1, 1, 2]);
        assert_eq!([shown(1, 3), shown(1, 7), shown(1, 8)], [1, 1, 2]);
    }

    #[test]
    fn a_small_entry_does_not_slip_in_behind_one_that_was_too_large() {
        let mut room = Room::new(10);
        assert!(room.takes(&"a") && !room.takes(&"x".repeat(20)) && !room.takes(&"b"));
        assert!(!Room::strict(3).takes(&"a") && Room::strict(4).takes(&"a"));
    }

    #[test]
    fn a_limit_is_at_least_one_and_at_most_what_the_list_allows() {
        let limit = |limit| PageRequest { limit, ..PageRequest::default() };
        assert_eq!([None, Some(0), Some(usize::MAX)].map(|wanted| limit(wanted).limit()), [100, 1, 1000]);
        assert_eq!(limit(Some(usize::MAX)).limit_up_to(5_000), 5_000);
    }

    #[test]
    fn what_a_view_takes_is_counted_in_characters() {
        for text in ["", "plain", "grün \u{1f600} \"\\\n\u{1}"] {
            assert_eq!(chars_of(&text), serde_json::to_string(text).unwrap().chars().count() + 1, "{text}");
        }
    }
}
