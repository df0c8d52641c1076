//! Whether the configuration can have something in it that has to be overruled by name.
//!
//! Asking git takes as long as most of its answers. But its files are plain text, and the name of a setting is spelled in
//! one way, but for upper and lower case: where none of these words stands in any of them, git need not be asked.

use std::io::Read as _;
use std::path::Path;

use memchr::memmem;

use super::discover::{Repository, named, read_small};
use super::program::GitProgram;
use crate::confine::Roots;

/// A part of every setting of [`super::guard::NAMED_SETTINGS`], and of those that bring in another file.
const WORDS: [&str; 5] = ["driver", "filter", "hook", "include", "worktree"];
/// About a longer file git is asked.
const MAX_CONFIG: u64 = 256 * 1024;

/// Whether git has to be asked.
pub(super) fn may_name_programs(roots: &Roots, program: &GitProgram, repository: &Repository) -> bool {
    let (Some(own), Some(folders)) = (&program.config_files, &repository.folders) else { return true };
    let of_repository = folders
        .iter()
        .flat_map(|folder| ["config", "config.worktree"].map(|name| named(roots, folder, name)));
    own.iter().any(|file| read_outside(file).is_none_or(|text| has_word(&text)))
        || of_repository
            .map(|file| read_small(roots, &file, MAX_CONFIG))
            .any(|text| text.map_or(true, |text| has_word(&text.unwrap_or_default())))
}

/// A file of the user or of the system, which is never shown; empty when there is none, `None` when it is unclear.
fn read_outside(path: &Path) -> Option<Vec<u8>> {
    let file = match fs_err::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Some(vec![]),
        Err(_) => return None,
    };
    let mut text = Vec::new();
    file.take(MAX_CONFIG + 1).read_to_end(&mut text).ok()?;
    (text.len() as u64 <= MAX_CONFIG).then_some(text)
}

fn has_word(text: &[u8]) -> bool {
    let text = text.to_ascii_lowercase();
    WORDS.iter().any(|word| memmem::find(&text, word.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_that_names_a_program_is_seen_in_any_spelling() {
        for text in [
            "[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n",
            "[FILTER.x]\nSmudge=y\n",
            "[merge \"ours\"]\n\tDriver = true\n",
            "[hook \"x\"]\n\tcommand = y\n",
            "[core]\n\tworkTree = ..\n",
            "[include]\n\tpath = other\n",
            "[includeIf \"gitdir:~/x\"]\n\tpath = other\n",
            "[extensions]\n\tworktreeConfig = true\n",
        ] {
            assert!(has_word(text.as_bytes()), "{text}");
        }
        let usual = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote \"origin\"]\n\turl = x\n";
        assert!(!has_word(usual.as_bytes()));
    }
}
