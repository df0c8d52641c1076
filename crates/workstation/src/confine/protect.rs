//! Names below which nothing is created, changed, moved or deleted.
//!
//! A file written into `.git` is a program that git runs later. The check looks at the path as it is named and at the
//! real one, so a link does not help; it knows the spellings that other file systems take for `.git`, and a folder of
//! git's own by what is in it.

use std::ffi::OsStr;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, Stat};

use super::roots::Roots;
use super::walk::{Spot, WalkPlace};
use crate::error::{Error, Key, Result};

/// What is protected beside `.git`.
#[derive(Debug, Clone, Default)]
pub struct Protected {
    /// Names below which nothing can be changed, wherever they stand.
    pub names: Vec<String>,
    /// Files that cannot be changed, by their real paths. They need not be there yet.
    pub files: Vec<PathBuf>,
    /// Folders in which nothing can be changed, by their real paths, and no file of which can be read that is for its owner
    /// alone. They need not be there yet.
    pub folders: Vec<PathBuf>,
}

impl Protected {
    pub(crate) fn holds(&self, name: &OsStr) -> bool {
        is_git_name(name) || self.names.iter().any(|own| name.as_bytes().eq_ignore_ascii_case(own.as_bytes()))
    }

    /// Refuses a spot that is or holds a protected file, or lies in a protected folder.
    pub(crate) fn refuse_files(&self, roots: &Roots, spot: &Spot) -> Result<()> {
        let path = spot.place.path(roots);
        let holds = self.files.iter().chain(&self.folders).find(|file| file.starts_with(&path));
        match holds.or_else(|| self.folders.iter().find(|folder| path.starts_with(folder))) {
            Some(file) => {
                let name = file.file_name().unwrap_or(Path::new(&spot.shown).as_os_str());
                Err(refusal(name, &spot.shown))
            }
            None => Ok(()),
        }
    }

    /// Refuses to read a file of a protected folder that is for its owner alone, under whatever name it was opened.
    pub(crate) fn refuse_secret(&self, stat: &Stat, shown: &str) -> Result<()> {
        let is_same = |file: &Stat| (file.st_dev, file.st_ino) == (stat.st_dev, stat.st_ino);
        if is_private(stat) && self.secrets().iter().any(is_same) {
            return Err(secret(shown));
        }
        Ok(())
    }

    /// The files of protected folders that are for their owner alone.
    pub(crate) fn secrets(&self) -> Vec<Stat> {
        let entries =
            self.folders.iter().filter_map(|folder| fs_err::read_dir(folder).ok()).flatten().flatten();
        entries.filter_map(|entry| rustix::fs::lstat(entry.path()).ok()).filter(is_private).collect()
    }

    /// Refuses to copy a folder in which a protected one lies.
    pub(crate) fn refuse_secrets_inside(&self, roots: &Roots, spot: &Spot) -> Result<()> {
        let path = spot.place.path(roots);
        let touches = |folder: &PathBuf| folder.starts_with(&path) || path.starts_with(folder);
        if self.folders.iter().any(touches) { Err(secret(&spot.shown)) } else { Ok(()) }
    }

    /// Refuses a place that is or lies below a protected name.
    pub(crate) fn refuse_below(&self, place: &WalkPlace, shown: &str) -> Result<()> {
        match place.parts.iter().find(|part| self.holds(part)) {
            Some(part) => Err(refusal(part, shown)),
            None => Ok(()),
        }
    }

    pub(crate) fn refuse_name(&self, name: &OsStr, shown: &str) -> Result<()> {
        if self.holds(name) { Err(refusal(name, shown)) } else { Ok(()) }
    }
}

/// Whether git would take this folder, or the one of this name in it, for one of its own.
pub(super) fn is_folder_of_git(folder: BorrowedFd<'_>, name: &Path) -> bool {
    let is_folder = |stat: Stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
    let look = |inside: &str| rustix::fs::statat(folder, name.join(inside), AtFlags::SYMLINK_NOFOLLOW);
    look("HEAD").is_ok() && look("objects").is_ok_and(is_folder) && look("refs").is_ok_and(is_folder)
}

fn is_private(stat: &Stat) -> bool {
    !Mode::from_raw_mode(stat.st_mode).intersects(Mode::RWXG | Mode::RWXO)
}

/// The refusal to show what is for the owner alone.
pub(crate) fn secret(shown: &str) -> Error {
    Error::refused(Key::ProtectedPath, format!("this is for the owner alone and cannot be read: `{shown}`"))
        .hint("what vouches for people's decisions, and everybody's logs, are kept from tools; leave this folder out")
        .detail("path", shown)
}

pub(super) fn refusal(name: &OsStr, shown: &str) -> Error {
    let name = name.to_string_lossy();
    Error::refused(Key::ProtectedPath, format!("`{name}` is protected and cannot be changed: `{shown}`"))
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
        let protected = Protected { names: vec![".hewto".to_owned()], ..Protected::default() };
        assert!(protected.holds(OsStr::new(".hewto")));
        assert!(protected.holds(OsStr::new(".HEWTO")));
        assert!(!protected.holds(OsStr::new("hewto")));
    }
}
