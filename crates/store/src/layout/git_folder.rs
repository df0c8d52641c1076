//! Whose a git folder is: git goes where a `.git` file or link leads, and that may be another work tree's.

use std::path::{Path, PathBuf};

use super::repository::GIT;
use crate::regular::read_git_text;

/// The git folder that git uses in a work tree, unless it is another work tree's. It may lie anywhere, and need not point back: what
/// is asked there is only read.
pub fn readable_git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(GIT);
    let own = if git.is_dir() {
        fs_err::canonicalize(git).ok()?
    } else {
        let text = read_git_text(&git).ok()?;
        fs_err::canonicalize(root.join(text.strip_prefix("gitdir:")?.trim())).ok()?
    };
    let is_anothers = || {
        let config = read_git_text(&own.join("config")).unwrap_or_default();
        own.ends_with(GIT) || own.join("gitdir").exists() || work_trees(&config).next().is_some()
    };
    (own.join("HEAD").is_file() && (belongs_to(&own, root) || !is_anothers())).then_some(own)
}

/// Whether a git folder is that of the work tree at this root and says so itself: whoever copies a folder with a `.git` that leads
/// to another repository must not make hewto write there.
pub(super) fn belongs_to(own: &Path, root: &Path) -> bool {
    let Ok(root) = fs_err::canonicalize(root) else { return false };
    let is_root = |path: &str| fs_err::canonicalize(own.join(path)).is_ok_and(|path| path == root);
    // A linked work tree has its way back in a file of its own, a submodule in its configuration.
    let leads_back = || {
        let text = read_git_text(&own.join("gitdir")).unwrap_or_default();
        text.trim().strip_suffix(GIT).is_some_and(is_root)
    };
    let names_it = || {
        let config = read_git_text(&own.join("config")).unwrap_or_default();
        work_trees(&config).any(is_root)
    };
    let is_module = || root.ancestors().skip(1).any(|above| own.starts_with(above.join(GIT).join("modules")));
    own.starts_with(&root) || leads_back() || names_it() || is_module()
}

/// The work trees that a configuration of git names.
fn work_trees(config: &str) -> impl Iterator<Item = &str> {
    let named =
        config.lines().filter_map(|line| line.trim().strip_prefix("worktree")?.trim().strip_prefix('='));
    named.map(|path| path.trim().trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::super::repository::tests::tree;
    use super::*;

    #[test]
    fn a_git_folder_is_read_wherever_it_lies_unless_it_is_another_work_trees() {
        let (_dir, root) = tree(&[
            ("apart.git/HEAD", ""),
            ("apart.git/config", "[core]\n\tbare = false\n"),
            ("module.git/HEAD", ""),
            ("module.git/config", "[core]\n\tworktree = ../elsewhere\n"),
            ("other/.git/HEAD", ""),
            ("other/.git/worktrees/w/HEAD", ""),
            ("other/.git/worktrees/w/gitdir", "/elsewhere/.git\n"),
            ("tree/x", ""),
        ]);
        let tree = root.join("tree");
        for (way, expected) in [
            ("../apart.git", Some(root.join("apart.git"))),
            ("../module.git", None),
            ("../other/.git", None),
            ("../other/.git/worktrees/w", None),
            ("../nowhere", None),
        ] {
            fs_err::write(tree.join(".git"), format!("gitdir: {way}\n")).unwrap();
            assert_eq!(readable_git_folder(&tree), expected, "{way}");
        }
        fs_err::write(root.join("module.git/config"), "[core]\n\tworktree = ../tree\n").unwrap();
        fs_err::write(tree.join(".git"), "gitdir: ../module.git\n").unwrap();
        assert_eq!(readable_git_folder(&tree), Some(root.join("module.git")));
        fs_err::remove_file(tree.join(".git")).unwrap();
        std::os::unix::fs::symlink("../other/.git", tree.join(".git")).unwrap();
        assert_eq!(readable_git_folder(&tree), None);
        assert_eq!(readable_git_folder(&root.join("other")), Some(root.join("other/.git")));
    }
}
