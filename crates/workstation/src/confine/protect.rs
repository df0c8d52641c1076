//! Names below which nothing is created, changed, moved or deleted.
//!
//! A file written into `.git` is a program that git runs later. The check looks at the real path, so a link with
//! another name does not help, and it knows the spellings that other file systems take for `.git`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::roots::Roots;
use super::walk::{Place, Spot};
use crate::error::{Error, Result};

/// What is protected beside `.git`.
#[derive(Debug, Clone, Default)]
pub struct Protected {
    /// Names below which nothing can be changed, wherever they stand.
    pub names: Vec<String>,
    /// Files that cannot be changed, by their real paths. They need not be there yet.
    pub files: Vec<PathBuf>,
}

impl Protected {
    pub(crate) fn holds(&self, name: &OsStr) -> bool {
        is_git_name(name) || self.names.iter().any(|own| name.as_bytes().eq_ignore_ascii_case(own.as_bytes()))
    }

    /// Refuses a spot that is or lies below a protected name, or is or holds a protected file.
    pub(crate) fn refuse(&self, roots: &Roots, spot: &Spot) -> Result<()> {
        self.refuse_place(roots, &spot.place, &spot.shown)
    }

    fn refuse_place(&self, roots: &Roots, place: &Place, shown: &str) -> Result<()> {
        self.refuse_below(place, shown)?;
        let path = place.path(roots);
        match self.files.iter().find(|file| file.starts_with(&path)) {
            Some(file) => Err(refusal(file.file_name().unwrap_or(Path::new(shown).as_os_str()), shown)),
            None => Ok(()),
        }
    }

    /// Refuses a place that is or lies below a protected name.
    pub(crate) fn refuse_below(&self, place: &Place, shown: &str) -> Result<()> {
        match place.parts.iter().find(|part| self.holds(part)) {
            Some(part) => Err(refusal(part, shown)),
            None => Ok(()),
        }
    }

    pub(crate) fn refuse_name(&self, name: &OsStr, shown: &str) -> Result<()> {
        if self.holds(name) { Err(refusal(name, shown)) } else { Ok(()) }
    }
}

fn refusal(name: &OsStr, shown: &str) -> Error {
    let name = name.to_string_lossy();
    Error::refused("protected_path", format!("`{name}` is protected and cannot be changed: `{shown}`"))
        .hint("use the git tools for what git keeps; configuration is changed by its owner, by hand")
        .detail("path", shown)
}

/// Whether some file system takes this name for `.git`.
pub(crate) fn is_git_name(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    if bytes.eq_ignore_ascii_case(b".git") || bytes.eq_ignore_ascii_case(b"git~1") {
        return true;
    }
    let Some(text) = name.to_str() else { return false };
    // NTFS drops trailing dots and blanks and takes `:` for a stream; HFS+ skips characters that show nothing.
    let text = text.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    let seen: String = text.chars().filter(|c| !is_ignored_by_hfs(*c)).collect();
    seen.eq_ignore_ascii_case(".git") || seen.eq_ignore_ascii_case("git~1")
}

fn is_ignored_by_hfs(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_git_is_known_and_nothing_else() {
        let names =
            [".git", ".GIT", ".Git ", ".git.", "git~1", "GIT~1", ".g\u{200c}it", ".git::$INDEX_ALLOCATION"];
        for name in names {
            assert!(is_git_name(OsStr::new(name)), "{name:?}");
        }
        for name in [".gitignore", ".github", "git", "a.git", ".git2", "git~10"] {
            assert!(!is_git_name(OsStr::new(name)), "{name:?}");
        }
    }

    #[test]
    fn own_names_are_protected_too() {
        let protected = Protected { names: vec![".hewto".to_owned()], files: vec![] };
        assert!(protected.holds(OsStr::new(".hewto")));
        assert!(protected.holds(OsStr::new(".HEWTO")));
        assert!(!protected.holds(OsStr::new("hewto")));
    }
}
