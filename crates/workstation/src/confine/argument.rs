//! A path as a client writes it: relative to the first root, or absolute beneath any.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use memchr::memmem;
use unicode_normalization::UnicodeNormalization as _;

use super::roots::Roots;
use super::walk::{Last, Missing, WalkPlace};
use crate::error::{Error, Result};
use crate::show::{show_path, unshow};

/// A path that was named, not yet looked at. `..` may still stand in it.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub(crate) root: usize,
    pub(crate) parts: Vec<OsString>,
    /// How results and errors name it.
    pub(crate) shown: String,
}

/// Where a path begins that nobody named.
pub(crate) fn first_root() -> String {
    ".".to_owned()
}

impl Roots {
    /// Reads a path argument. Nothing is opened yet; a path that cannot lie beneath a root is refused here.
    pub(crate) fn wanted(&self, field: &str, text: &str) -> Result<Wanted> {
        if text.is_empty() {
            return Err(Error::invalid_argument(field, "a path", format!("`{field}` is empty")));
        }
        if text.contains('\0') {
            return Err(Error::invalid_argument(
                field,
                "a path",
                format!("`{field}` contains a NUL character"),
            ));
        }
        if is_windows_path(text) {
            return Err(self.outside(text));
        }
        if text == "~" || text.starts_with("~/") {
            return Err(self.outside(text).hint("`~` is not expanded: write the path out"));
        }
        let path = Path::new(text);
        if path.is_absolute() {
            let (root, parts) = self.map_absolute(path).ok_or_else(|| self.outside(text))?;
            return Ok(self.meant(root, parts));
        }
        let parts = path.components().filter(|part| *part != Component::CurDir);
        Ok(self.meant(0, parts.map(|part| part.as_os_str().to_owned()).collect()))
    }

    /// Where nothing has literally a name, it may be told in another spelling.
    fn meant(&self, root: usize, parts: Vec<OsString>) -> Wanted {
        let mut known: Vec<OsString> = Vec::with_capacity(parts.len());
        for part in parts {
            let others = other_spellings(&part);
            let is_there = |name: &OsString| {
                let wanted = self.named(root, known.iter().chain([name]).cloned().collect());
                self.locate(&wanted, Last::Keep, Missing::Report).is_ok_and(|spot| spot.stat.is_some())
            };
            let meant =
                if others.is_empty() || is_there(&part) { None } else { others.into_iter().find(is_there) };
            known.push(meant.unwrap_or(part));
        }
        self.named(root, known)
    }

    /// A place as something to be looked at.
    pub(crate) fn at(&self, place: &WalkPlace) -> Wanted {
        self.named(place.root, place.parts.clone())
    }

    /// The same path, one name deeper.
    pub(crate) fn below(&self, wanted: &Wanted, name: impl Into<OsString>) -> Wanted {
        let mut parts = wanted.parts.clone();
        parts.push(name.into());
        self.named(wanted.root, parts)
    }

    fn named(&self, root: usize, parts: Vec<OsString>) -> Wanted {
        let shown = self.shown(root, &parts);
        Wanted { root, parts, shown }
    }

    /// A path as clients can name it again: relative in the first root, absolute in the others.
    pub(crate) fn shown(&self, root: usize, parts: &[OsString]) -> String {
        let below: PathBuf = parts.iter().collect();
        match (root, parts.is_empty()) {
            (0, true) => ".".to_owned(),
            (0, false) => show_path(&below),
            _ => show_path(&self.real(root).join(below)),
        }
    }
}

/// Other names that may be meant: bytes that were told as they are shown, letters and accents put together or apart.
fn other_spellings(name: &OsStr) -> Vec<OsString> {
    let is_plain = name.is_ascii() && memmem::find(name.as_encoded_bytes(), br"\x").is_none();
    if is_plain {
        return vec![];
    }
    let mut others = vec![unshow(name)];
    if let Some(text) = name.to_str() {
        others.extend([text.nfc().collect::<String>().into(), text.nfd().collect::<String>().into()]);
    }
    others.retain(|other| other != name);
    others
}

/// Drive letters, UNC and device paths: never beneath a root here.
fn is_windows_path(text: &str) -> bool {
    let bytes = text.as_bytes();
    let drive = bytes.len() >= 3
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'\\' | b'/');
    drive || text.starts_with(r"\\")
}
