//! Names of things: spec and change ids, work items, and how an id looks inside a URI.
//!
//! This is the only place that parses them. Ids become folder names, so every id that leaves this module is safe
//! to join to a root: no `..`, no empty segment, no control character. Ids that hewto mints follow a stricter
//! grammar than the ones it reads (D-1).

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::str::FromStr;

use thiserror::Error;

/// Longest id that is read, in bytes.
pub const MAX_ID_BYTES: usize = 200;
/// Longest slug that is minted, in bytes.
pub const MAX_SLUG_BYTES: usize = 50;
/// What work-item arguments put before a change id.
const CHANGE_PREFIX: &str = "change:";
/// What may stand before a spec id, where only a spec can be meant.
const SPEC_PREFIX: &str = "spec:";

/// Why a text is not an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum IdError {
    #[error("an id cannot be empty")]
    Empty,
    #[error("an id has at most {MAX_ID_BYTES} bytes")]
    TooLong,
    #[error("an id cannot contain control characters or `\\`")]
    Character,
    #[error("an id cannot have empty, `.` or `..` segments")]
    Segment,
    #[error("this id cannot have several segments")]
    Nested,
    #[error("a malformed percent escape")]
    Escape,
}

/// The id of a spec: its folder, relative to its spec root, with `/` between segments.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpecId(String);

/// The id of a change: the name of its folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChangeId(String);

/// Something with a lifecycle: a spec, or a change (`change:<id>`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkItem {
    Spec(SpecId),
    Change(ChangeId),
}

impl SpecId {
    /// Reads an id as a person or a client wrote it.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        check(text)?;
        Ok(Self(text.to_owned()))
    }

    /// The id that a new spec with this title gets at this second.
    pub fn mint(unix_seconds: u64, title: &str) -> Self {
        Self(format!("{unix_seconds}-{}", slug(title)))
    }

    /// The same slug one second later: the next candidate when an id is taken.
    #[must_use]
    pub fn bumped(&self) -> Self {
        match self.0.split_once('-') {
            Some((seconds, slug)) => match seconds.parse::<u64>() {
                Ok(seconds) => Self(format!("{}-{slug}", seconds + 1)),
                Err(_) => Self(format!("{}-2", self.0)),
            },
            None => Self(format!("{}-2", self.0)),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id as one URI segment: everything but unreserved characters escaped, `/` included.
    pub fn to_segment(&self) -> String {
        encode_segment(&self.0)
    }

    /// Reads one URI segment.
    pub fn from_segment(segment: &str) -> Result<Self, IdError> {
        Self::parse(&decode_segment(segment)?)
    }

    /// Whether the id follows the grammar of ids that hewto mints or recommends.
    pub fn is_plain(&self) -> bool {
        self.0.split('/').all(is_plain_name)
    }
}

impl ChangeId {
    pub fn parse(text: &str) -> Result<Self, IdError> {
        check(text)?;
        if text.contains('/') {
            return Err(IdError::Nested);
        }
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl WorkItem {
    /// Reads `<spec id>` or `change:<change id>`.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        match text.strip_prefix(CHANGE_PREFIX) {
            Some(change) => ChangeId::parse(change).map(Self::Change),
            None => SpecId::parse(text).map(Self::Spec),
        }
    }
}

/// The id in what somebody wrote for a spec: `x`, `spec:x`, or the handle `spec://x`.
pub fn bare_spec(name: &str) -> Cow<'_, str> {
    bare(name, SPEC_PREFIX)
}

/// The id in what somebody wrote for a change: `x`, `change:x`, or the handle `change://x`.
pub fn bare_change(name: &str) -> Cow<'_, str> {
    bare(name, CHANGE_PREFIX)
}

fn bare<'n>(name: &'n str, prefix: &str) -> Cow<'n, str> {
    let Some(rest) = name.strip_prefix(prefix) else { return name.into() };
    match rest.strip_prefix("//").map(decode_segment) {
        Some(Ok(id)) => id.into(),
        _ => rest.into(),
    }
}

/// A folder-name version of a title: ASCII letters and digits kept, blanks, `-` and `_` become `-`, the rest goes.
pub fn slug(title: &str) -> String {
    let mut out = String::new();
    for ch in title.chars() {
        let ch = match ch {
            _ if ch.is_ascii_alphanumeric() => ch.to_ascii_lowercase(),
            '-' | '_' => '-',
            _ if ch.is_whitespace() => '-',
            // Letters such as `É` lower-case to non-ASCII and are dropped like all other characters.
            _ => continue,
        };
        if ch == '-' && (out.is_empty() || out.ends_with('-')) {
            continue;
        }
        out.push(ch);
        if out.len() == MAX_SLUG_BYTES {
            break;
        }
    }
    while out.ends_with('-') {
        out.pop();
    }
    if out.is_empty() { "untitled".to_owned() } else { out }
}

/// Whether a name is `[a-z0-9][a-z0-9._-]*`.
pub fn is_plain_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        && bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b))
}

fn check(text: &str) -> Result<(), IdError> {
    if text.is_empty() {
        return Err(IdError::Empty);
    }
    if text.len() > MAX_ID_BYTES {
        return Err(IdError::TooLong);
    }
    if text.chars().any(|ch| ch.is_control() || ch == '\\') {
        return Err(IdError::Character);
    }
    if text.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
        return Err(IdError::Segment);
    }
    Ok(())
}

fn encode_segment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

fn decode_segment(segment: &str) -> Result<String, IdError> {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        if first != b'%' {
            bytes.push(first);
            rest = tail;
            continue;
        }
        let hex = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok()).ok_or(IdError::Escape)?;
        if !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(IdError::Escape);
        }
        bytes.push(u8::from_str_radix(hex, 16).map_err(|_| IdError::Escape)?);
        rest = &tail[2..];
    }
    String::from_utf8(bytes).map_err(|_| IdError::Escape)
}

impl fmt::Display for SpecId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for ChangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for WorkItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spec(id) => id.fmt(f),
            Self::Change(id) => write!(f, "{CHANGE_PREFIX}{id}"),
        }
    }
}

impl FromStr for SpecId {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        Self::parse(text)
    }
}

impl FromStr for ChangeId {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        Self::parse(text)
    }
}

impl FromStr for WorkItem {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        Self::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_follow_the_documented_table() {
        for (title, expected) in [
            ("Fix Bug #123!", "fix-bug-123"),
            ("Version 2.0.1", "version-201"),
            ("user@domain", "userdomain"),
            ("---title---", "title"),
            ("!!!", "untitled"),
            ("Übergröße", "bergre"),
            ("a _ - b", "a-b"),
            ("日本語", "untitled"),
        ] {
            assert_eq!(slug(title), expected, "{title}");
        }
    }

    #[test]
    fn a_long_title_is_cut_without_a_trailing_hyphen() {
        let title = format!("{} tail", "a".repeat(49));
        assert_eq!(slug(&title), "a".repeat(49));
    }

    #[test]
    fn ids_that_could_leave_their_root_are_refused() {
        for text in ["", "..", "../x", "a/../b", "/etc", "a//b", "a/", "./a", "a\0b", "a\nb", "a\\b"] {
            assert!(SpecId::parse(text).is_err(), "{text:?}");
        }
        assert_eq!(SpecId::parse(&"x".repeat(201)), Err(IdError::TooLong));
    }

    #[test]
    fn an_id_survives_the_way_through_a_uri_segment() {
        for text in ["1737734400-user-auth", "billing/invoices", "größe 2", "a%2Fb"] {
            let id = SpecId::parse(text).unwrap();
            assert!(!id.to_segment().contains('/'));
            assert_eq!(SpecId::from_segment(&id.to_segment()).unwrap(), id);
        }
        assert_eq!(SpecId::from_segment("%2e%2e%2fx"), Err(IdError::Segment));
        assert_eq!(SpecId::from_segment("%+1"), Err(IdError::Escape));
    }

    #[test]
    fn a_taken_id_moves_one_second_on() {
        let id = SpecId::mint(1_737_734_400, "User Auth");
        assert_eq!(id.as_str(), "1737734400-user-auth");
        assert_eq!(id.bumped().as_str(), "1737734401-user-auth");
    }

    #[test]
    fn work_items_are_specs_or_changes() {
        assert!(matches!(WorkItem::parse("change:add-login"), Ok(WorkItem::Change(_))));
        assert!(matches!(WorkItem::parse("1-a"), Ok(WorkItem::Spec(_))));
        assert_eq!(WorkItem::parse("change:a/b"), Err(IdError::Nested));
    }

    #[test]
    fn a_name_is_bare_whatever_form_it_was_written_in() {
        for name in ["a/b", "spec:a/b", "spec://a%2Fb", "spec://a/b"] {
            assert_eq!(bare_spec(name), "a/b", "{name}");
        }
        for name in ["add-login", "change:add-login", "change://add-login"] {
            assert_eq!(bare_change(name), "add-login", "{name}");
        }
        assert_eq!((bare_spec("change:x"), bare_change("spec:x")), ("change:x".into(), "spec:x".into()));
    }
}
