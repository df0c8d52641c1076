//! The layout of the decisions toolset: the nearest git repository, workspace or not (D-2, D-3).
//!
//! In a repository that is no workspace nothing but artifacts may appear in the work tree, so lock, journal, logs and
//! the command line's interview go to `hewto/` in the git folder that all its work trees share. A linked work tree has
//! a folder of its own there: what it commits belongs to its own files.

use std::path::{Path, PathBuf};

use super::git_folder::belongs_to;
use super::load::has_marker;
use super::{DiscoverError, Layout, LayoutKind, Places};
use crate::path::RelPath;
use crate::regular::read_git_text;

pub(super) const GIT: &str = ".git";
/// The folder inside the git folder.
const STATE: &str = "hewto";

/// The nearest folder at or above a real path that holds `.git`.
pub fn repository_root(start: &Path) -> Option<PathBuf> {
    start.ancestors().find(|folder| folder.join(GIT).exists()).map(Path::to_owned)
}

/// The branch that the work tree of this folder is on; `None` when it is on none, or there is no git.
pub fn current_branch(folder: &Path) -> Option<String> {
    let git = repository_root(folder)?.join(GIT);
    let own = match read_git_text(&git) {
        Ok(text) => git.parent()?.join(text.strip_prefix("gitdir:")?.trim()),
        Err(_) => git,
    };
    let head = read_git_text(&own.join("HEAD")).ok()?;
    Some(head.trim().strip_prefix("ref: refs/heads/")?.chars().take(200).collect())
}

/// The layout of the nearest git repository at or above the start, else of the nearest workspace.
pub fn discover_repository(start: &Path) -> Result<Layout, DiscoverError> {
    let real = fs_err::canonicalize(start)
        .map_err(|source| DiscoverError::Start { path: start.to_owned(), source })?;
    let is_workspace = |folder: &Path| LayoutKind::ALL.into_iter().any(|kind| has_marker(folder, kind));
    if let Some(root) = repository_root(&real) {
        let state = if is_workspace(&root) { None } else { state_of(&root) };
        return Ok(match state {
            Some(state) => Layout::of_repository(&root, state),
            None => Layout::load(&root),
        });
    }
    match real.ancestors().find(|folder| is_workspace(folder)) {
        Some(root) => Ok(Layout::load(root)),
        None => Err(DiscoverError::NotFound { start: real }),
    }
}

/// The layout of the nearest git repository at or above the start, if hewto has left anything in its git folder.
pub fn discover_repository_state(start: &Path) -> Option<Layout> {
    let root = repository_root(&fs_err::canonicalize(start).ok()?)?;
    let state = state_of(&root)?;
    let is_there = state.folder.under(&state.git_folder).is_dir();
    is_there.then(|| Layout::of_repository(&root, state))
}

/// The git folder that all work trees of the repository around a workspace share.
pub(crate) fn common_git_folder(workspace: &Path) -> Option<PathBuf> {
    Some(state_of(&repository_root(workspace)?)?.git_folder)
}

/// The git folder of the work tree around a workspace, and the one that all work trees of its repository share.
pub fn git_folders(workspace: &Path) -> Option<(PathBuf, PathBuf)> {
    let root = repository_root(workspace)?;
    let git = root.join(GIT);
    let own = if git.is_dir() {
        git
    } else {
        let text = read_git_text(&git).ok()?;
        root.join(text.strip_prefix("gitdir:")?.trim())
    };
    Some((own, common_git_folder(&root)?))
}

/// The commit that is checked out in the repository around a workspace, as far as its files tell.
pub fn head_commit(workspace: &Path) -> Option<String> {
    let (own, shared) = git_folders(workspace)?;
    let head = read_git_text(&own.join("HEAD")).ok()?;
    let Some(name) = head.trim().strip_prefix("ref: ") else { return commit(head.trim()) };
    let loose = [&own, &shared].into_iter().find_map(|folder| read_git_text(&folder.join(name)).ok());
    if let Some(text) = loose {
        return commit(text.trim());
    }
    let packed = read_git_text(&shared.join("packed-refs")).ok()?;
    packed.lines().find_map(|line| commit(line.strip_suffix(name)?.trim_end()))
}

/// The folder in which the search indexes of all work trees of the repository around a workspace keep their vectors; `None`
/// where there is no repository, another's git folder, or a link in its place.
pub fn shared_vectors(workspace: &Path) -> Option<PathBuf> {
    let own = common_git_folder(workspace)?.join(STATE);
    let vectors = own.join("search");
    let leads_away = |path: &PathBuf| fs_err::symlink_metadata(path).is_ok_and(|found| !found.is_dir());
    let is_ours = ![&own, &vectors].into_iter().any(leads_away);
    is_ours.then_some(vectors)
}

/// A text that is the name of a commit.
fn commit(text: &str) -> Option<String> {
    let is_hash = matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| text.to_owned())
}

/// Where the machine's part of a repository goes.
struct State {
    git_folder: PathBuf,
    folder: RelPath,
}

impl Layout {
    fn of_repository(root: &Path, state: State) -> Self {
        let mut layout = Self::with_kinds(root, vec![LayoutKind::Native]);
        layout.places = Places::of_repository(&state.folder);
        layout.state_root = Some(state.git_folder);
        layout
    }
}

/// The git folder of a root and the place in it; `None` when `.git` leads to nothing that git would accept. Then the
/// work tree itself has to do, as in a workspace.
fn state_of(root: &Path) -> Option<State> {
    let git = root.join(GIT);
    if git.is_dir() {
        let git_folder = fs_err::canonicalize(git).ok().filter(|own| belongs_to(own, root))?;
        return Some(State { git_folder, folder: RelPath::known(STATE) });
    }
    let text = read_git_text(&git).ok()?;
    let target = text.strip_prefix("gitdir:")?.trim();
    let own = fs_err::canonicalize(root.join(target)).ok().filter(|folder| folder.join("HEAD").is_file())?;
    if !belongs_to(&own, root) {
        return None;
    }
    let shared = match read_git_text(&own.join("commondir")) {
        Ok(path) => fs_err::canonicalize(own.join(path.trim())).ok()?,
        Err(_) => own.clone(),
    };
    // A link in a repository from elsewhere must not make hewto write into just any folder.
    if !shared.join("objects").is_dir() {
        return None;
    }
    let folder = if shared == own {
        RelPath::known(STATE)
    } else {
        RelPath::parse(&format!("{STATE}/worktrees/{}", own.file_name()?.to_str()?)).ok()?
    };
    Some(State { git_folder: shared, folder })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A folder with these files in it; a path that ends with a slash is a folder.
    pub(in super::super) fn tree(paths: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(dir.path()).unwrap();
        for (path, text) in paths {
            let file = root.join(path);
            fs_err::create_dir_all(file.parent().unwrap()).unwrap();
            if !path.ends_with('/') {
                fs_err::write(file, text).unwrap();
            }
        }
        (dir, root)
    }

    fn lock_of(layout: &Layout) -> PathBuf {
        layout.state_root().join(layout.places().lock.as_str())
    }

    #[test]
    fn the_nearest_git_folder_is_the_root_and_keeps_what_belongs_to_the_machine() {
        let (_dir, root) = tree(&[(".hidden/repo/.git/HEAD", ""), (".hidden/repo/src/a/x", "")]);
        let repo = root.join(".hidden/repo");
        let layout = discover_repository(&repo.join("src/a")).unwrap();
        assert_eq!(layout.root(), repo);
        assert_eq!(lock_of(&layout), repo.join(".git/hewto/lock"));
        assert_eq!(layout.places().decisions.as_str(), "docs/adr");
        assert_eq!(layout.places().config.as_str(), ".hewto/config.toml");
    }

    #[test]
    fn a_workspace_keeps_its_own_state() {
        let (_dir, root) = tree(&[(".git/HEAD", ""), (".hewto/config.toml", "")]);
        let layout = discover_repository(&root).unwrap();
        assert_eq!(lock_of(&layout), root.join(".hewto/lock"));
        // A workspace deep in a repository does not move the repository's root.
        let (_dir, root) = tree(&[(".git/HEAD", ""), ("app/.hewto/config.toml", "")]);
        let layout = discover_repository(&root.join("app")).unwrap();
        assert_eq!((layout.root(), lock_of(&layout)), (root.as_path(), root.join(".git/hewto/lock")));
    }

    #[test]
    fn a_linked_work_tree_has_its_place_in_the_shared_git_folder() {
        let (_dir, root) = tree(&[
            ("main/.git/HEAD", ""),
            ("main/.git/objects/", ""),
            ("main/.git/objects/x", ""),
            ("main/.git/worktrees/feature/HEAD", ""),
            ("main/.git/worktrees/feature/commondir", "../..\n"),
            ("feature/src/x", ""),
        ]);
        let back = format!("{}\n", root.join("feature/.git").display());
        fs_err::write(root.join("main/.git/worktrees/feature/gitdir"), back).unwrap();
        fs_err::write(root.join("feature/.git"), "gitdir: ../main/.git/worktrees/feature\n").unwrap();
        let layout = discover_repository(&root.join("feature/src")).unwrap();
        assert_eq!(layout.root(), root.join("feature"));
        assert_eq!(lock_of(&layout), root.join("main/.git/hewto/worktrees/feature/lock"));
    }

    #[test]
    fn a_submodule_keeps_its_state_in_its_own_git_folder() {
        let (_dir, root) =
            tree(&[(".git/modules/sub/HEAD", ""), (".git/modules/sub/objects/x", ""), ("sub/x", "")]);
        fs_err::write(root.join("sub/.git"), "gitdir: ../.git/modules/sub\n").unwrap();
        let layout = discover_repository(&root.join("sub")).unwrap();
        assert_eq!(lock_of(&layout), root.join(".git/modules/sub/hewto/lock"));
    }

    #[test]
    fn a_git_file_that_leads_nowhere_still_marks_the_root() {
        for text in ["gitdir: /nowhere/at/all\n", "nonsense", "", "gitdir: ../elsewhere\n"] {
            let (_dir, root) = tree(&[("tree/.git", text), ("elsewhere/precious", "")]);
            let layout = discover_repository(&root.join("tree")).unwrap();
            assert_eq!(layout.root(), root.join("tree"), "{text}");
            assert_eq!(lock_of(&layout), root.join("tree/.hewto/lock"), "{text}");
        }
    }

    #[test]
    fn a_git_file_or_link_that_leads_to_another_repository_lends_no_place_in_it() {
        let others = [
            ("other/.git/HEAD", ""),
            ("other/.git/objects/x", ""),
            ("other/.git/worktrees/w/HEAD", ""),
            ("other/.git/worktrees/w/commondir", "../..\n"),
            ("other/.git/worktrees/w/gitdir", "/elsewhere/.git\n"),
            ("copy/.hewto/config.toml", ""),
        ];
        for way in ["../other/.git", "../other/.git/worktrees/w"] {
            let (_dir, root) = tree(&others);
            fs_err::write(root.join("copy/.git"), format!("gitdir: {way}\n")).unwrap();
            assert_eq!(common_git_folder(&root.join("copy")), None, "{way}");
        }
        let (_dir, root) = tree(&others);
        std::os::unix::fs::symlink("../other/.git", root.join("copy/.git")).unwrap();
        assert_eq!(common_git_folder(&root.join("copy")), None);
        // One that says so itself is its own.
        fs_err::write(root.join("other/.git/config"), "[core]\n\tworktree = ../../copy\n").unwrap();
        assert_eq!(common_git_folder(&root.join("copy")), Some(root.join("other/.git")));
    }

    #[test]
    fn vectors_are_not_kept_behind_a_link() {
        let (_dir, root) = tree(&[(".git/HEAD", ""), (".git/objects/x", ""), ("outside/x", "")]);
        assert_eq!(shared_vectors(&root), Some(root.join(".git/hewto/search")));
        std::os::unix::fs::symlink(root.join("outside"), root.join(".git/hewto")).unwrap();
        assert_eq!(shared_vectors(&root), None);
    }

    #[test]
    fn without_git_a_workspace_will_do_and_without_both_there_is_nothing() {
        let (_dir, root) = tree(&[("ws/.hewto/config.toml", ""), ("plain/x", "")]);
        assert_eq!(discover_repository(&root.join("ws")).unwrap().root(), root.join("ws"));
        assert!(matches!(discover_repository(&root.join("plain")), Err(DiscoverError::NotFound { .. })));
        assert!(matches!(discover_repository(&root.join("gone")), Err(DiscoverError::Start { .. })));
    }
}
