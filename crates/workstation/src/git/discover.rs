//! Finds the repository that a folder belongs to, never above a root, and refuses one that leads outside.
//!
//! Git is told where its folder and its work tree are and never looks for itself. A `.git` file or link, a
//! `commondir`, `core.worktree`, a borrowed object store or a link in git's own folder that leads out is refused. The
//! one exception is a linked work tree, or a submodule, whose folder in the repository outside points back to it.

use std::io::Read as _;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType};
use rustix::io::Errno;

use super::links::{Holds, refuse_links_out};
use crate::call::Call;
use crate::confine::{Folder, Last, Missing, Roots, WalkPlace, Wanted, is_git_name, open_child_folder};
use crate::error::{Error, Key, Result};
use crate::show::show_path;
use crate::station::Workstation;

/// `.git` files and their like are one line.
const MAX_LINE_FILE: u64 = 8 * 1024;
/// A longer configuration of a submodule is not looked through.
const MAX_CONFIG: u64 = 256 * 1024;
/// How often objects may be borrowed from one that borrows; git's own limit.
const MAX_BORROWED: usize = 5;
/// Files of git that nearly every command of it opens.
const OPENED: [&str; 4] = ["HEAD", "config", "packed-refs", "index"];

/// A repository beneath a root.
#[derive(Debug)]
pub(super) struct Repository {
    /// The top folder of the work tree.
    pub(super) top: OwnedFd,
    pub(super) place: WalkPlace,
    /// Git's own folder, as git is told it.
    pub(super) git_dir: PathBuf,
    /// Git's own folder and the one it shares with others, when they lie beneath a root.
    pub(super) folders: Option<Vec<WalkPlace>>,
    /// The way from the top to the folder that was named.
    pub(super) prefix: PathBuf,
    pub(super) shown: String,
    /// Whether the top is the work tree whatever the configuration says: it is shared with other work trees, or points back.
    pub(super) has_fixed_top: bool,
}

impl Repository {
    /// The repository that a folder belongs to.
    pub(super) fn find(station: &Workstation, call: &Call<'_>, repo: &str) -> Result<Self> {
        let roots = station.roots();
        let wanted = roots.wanted("repo", repo)?;
        let folder = roots.open_folder(&wanted)?;
        if let Some(part) = folder.place.parts.iter().find(|part| is_git_name(part)) {
            let message = format!("`{}` is inside `{}`", wanted.shown, part.to_string_lossy());
            return Err(
                Error::refused(Key::RepositoryNotFound, message).hint("name the folder that holds it")
            );
        }
        let mut depth = folder.place.parts.len();
        loop {
            let level = level(roots, &folder, depth)?;
            let place = WalkPlace { root: folder.place.root, parts: folder.place.parts[..depth].to_vec() };
            if let Some(git_dir) = GitDir::at(roots, &level, &place)? {
                let folders = git_dir.checked_folders(roots, call)?;
                let has_fixed_top = folders.as_ref().is_none_or(|folders| folders.len() > 1);
                let shown = roots.shown(place.root, &place.parts);
                // A work tree that lies in a folder of git's own would let a checkout write there.
                roots.protected().refuse_below(&place, &shown)?;
                return Ok(Self {
                    top: level,
                    folders,
                    shown,
                    git_dir: git_dir.told,
                    prefix: folder.place.parts[depth..].iter().collect(),
                    place,
                    has_fixed_top,
                });
            }
            depth = depth.checked_sub(1).ok_or_else(|| {
                Error::refused(Key::RepositoryNotFound, format!("no git repository at `{}`", wanted.shown))
                    .hint("repositories are looked for up to the allowed folder, never above it")
                    .detail("path", wanted.shown.as_str())
            })?;
        }
    }

    /// The repository of the first root, whose git folder somebody else has judged.
    pub(super) fn with_git_folder(roots: &Roots, git_folder: &Path) -> Result<Self> {
        let shown = roots.shown(0, &[]);
        let top = open_child_folder(roots.fd(0), ".".as_ref());
        Ok(Self {
            top: top.map_err(|error| Error::io("open", &shown, error))?,
            place: WalkPlace { root: 0, parts: Vec::new() },
            git_dir: git_folder.to_owned(),
            folders: None,
            prefix: PathBuf::new(),
            shown,
            has_fixed_top: true,
        })
    }

    /// Refuses what git would wait for: a pipe, or anything else that is no file, in the place of what it always opens.
    pub(super) fn refuse_pipes(&self, roots: &Roots) -> Result<()> {
        let folder = self.place.path(roots).join(&self.git_dir);
        for name in OPENED {
            if fs_err::metadata(folder.join(name)).is_ok_and(|found| !found.is_file()) {
                let message = format!("`{name}` in the folder of git is no file");
                return Err(Error::refused(Key::RepositoryNotFound, message));
            }
        }
        Ok(())
    }

    /// Follows `core.worktree`, where the repository sets it.
    pub(super) fn with_work_tree(mut self, roots: &Roots, value: &Path) -> Result<Self> {
        if self.has_fixed_top {
            return Ok(self);
        }
        // Joining leaves an absolute path as it is.
        let base = self.place.path(roots).join(&self.git_dir);
        let target = base.join(value);
        let folder = inside(roots, &target)
            .and_then(|wanted| roots.open_folder(&wanted).ok())
            .ok_or_else(|| leads_out("core.worktree", &target))?;
        if folder.place != self.place {
            if !self.git_dir.is_absolute() {
                self.git_dir = base;
            }
            self.shown = roots.shown(folder.place.root, &folder.place.parts);
            self.prefix = PathBuf::new();
            self.place = folder.place;
            self.top = folder.fd;
        }
        Ok(self)
    }
}

/// A folder on the way to the one that was named, from its root.
fn level(roots: &Roots, folder: &Folder, depth: usize) -> Result<OwnedFd> {
    let fail = |error: Errno| Error::io("open", &folder.shown, error);
    let mut fd = open_child_folder(roots.fd(folder.place.root), ".".as_ref()).map_err(fail)?;
    for part in &folder.place.parts[..depth] {
        fd = open_child_folder(&fd, part).map_err(fail)?;
    }
    Ok(fd)
}

/// Git's own folder.
struct GitDir {
    told: PathBuf,
    /// Its real path, when it lies beneath a root.
    inside: Option<WalkPlace>,
}

impl GitDir {
    /// What `.git` in a folder stands for; `None` when there is none, or nothing that git would take for one.
    fn at(roots: &Roots, folder: &OwnedFd, place: &WalkPlace) -> Result<Option<Self>> {
        let stat = match rustix::fs::statat(folder, ".git", AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(Error::io("look at", ".git", error)),
        };
        let top = place.path(roots);
        let dot_git = named(roots, place, ".git");
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => {
                let has_head = rustix::fs::statat(folder, ".git/HEAD", AtFlags::SYMLINK_NOFOLLOW).is_ok();
                let inside = place.below(".git");
                Ok(has_head.then_some(Self { told: ".git".into(), inside: Some(inside) }))
            }
            FileType::Symlink => {
                let spot = roots.locate(&dot_git, Last::Follow, Missing::Report);
                let spot = spot.map_err(|_| leads_out(".git", &top.join(".git")))?;
                match spot.kind() {
                    Some(FileType::Directory) => Ok(Some(Self::inside(roots, spot.place))),
                    Some(FileType::RegularFile) => Self::behind(roots, &dot_git, &top).map(Some),
                    _ => Ok(None),
                }
            }
            FileType::RegularFile => Self::behind(roots, &dot_git, &top).map(Some),
            _ => Ok(None),
        }
    }

    /// The folder that a `.git` file names.
    fn behind(roots: &Roots, dot_git: &Wanted, top: &Path) -> Result<Self> {
        let text = read_line_file(roots, dot_git)?.unwrap_or_default();
        let target = text.strip_prefix("gitdir:").map(str::trim).filter(|target| !target.is_empty());
        let target = target.ok_or_else(|| {
            Error::refused(Key::RepositoryNotFound, format!("this is not a `.git` file: `{}`", dot_git.shown))
        })?;
        let target = top.join(target);
        let spot = inside(roots, &target)
            .and_then(|wanted| roots.locate(&wanted, Last::Follow, Missing::Report).ok());
        match spot {
            Some(spot) if spot.kind() == Some(FileType::Directory) => Ok(Self::inside(roots, spot.place)),
            _ => Self::linked(&target, top),
        }
    }

    /// A linked work tree of a repository outside, or a submodule of one: its folder there has to point back.
    fn linked(admin: &Path, top: &Path) -> Result<Self> {
        let refused = || leads_out(".git", admin);
        let admin = fs_err::canonicalize(admin).map_err(|_| refused())?;
        if is_submodule(&admin, top) {
            return Ok(Self { told: admin, inside: None });
        }
        let common =
            admin.parent().filter(|parent| parent.file_name().is_some_and(|name| name == "worktrees"));
        let common = common.and_then(Path::parent).ok_or_else(refused)?;
        let target_of = |name: &str| {
            let line = read_outside_line(&admin.join(name))?;
            fs_err::canonicalize(admin.join(line)).ok()
        };
        let points_back = target_of("gitdir").is_some_and(|path| path == top.join(".git"));
        let shares = target_of("commondir").is_some_and(|path| path == common);
        if points_back && shares { Ok(Self { told: admin, inside: None }) } else { Err(refused()) }
    }

    fn inside(roots: &Roots, place: WalkPlace) -> Self {
        Self { told: place.path(roots), inside: Some(place) }
    }

    /// The folders that git reads, when they lie beneath a root: its own, and the one that work trees share.
    ///
    /// Refuses what shares, borrows or follows something outside.
    fn checked_folders(&self, roots: &Roots, call: &Call<'_>) -> Result<Option<Vec<WalkPlace>>> {
        let Some(place) = &self.inside else { return Ok(None) };
        refuse_links_out(roots, call, place, Holds::Anything)?;
        let mut folders = vec![place.clone()];
        if let Some(line) = read_line_file(roots, &named(roots, place, "commondir"))? {
            let target = place.path(roots).join(line.trim());
            let common = inside(roots, &target)
                .and_then(|wanted| roots.open_folder(&wanted).ok())
                .ok_or_else(|| leads_out("commondir", &target))?;
            refuse_links_out(roots, call, &common.place, Holds::Anything)?;
            folders.push(common.place);
        }
        for folder in &folders {
            refuse_borrowed_objects(roots, call, &folder.below("objects"), MAX_BORROWED)?;
        }
        Ok(Some(folders))
    }
}

/// Whether a git folder outside is that of a submodule, and its configuration names this work tree.
fn is_submodule(folder: &Path, top: &Path) -> bool {
    let text = read_outside(&folder.join("config"), MAX_CONFIG).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let named =
        text.lines().filter_map(|line| line.trim().strip_prefix("worktree")?.trim().strip_prefix('='));
    let is_top = |path: &str| fs_err::canonicalize(folder.join(path)).is_ok_and(|path| path == top);
    named.map(|path| path.trim().trim_matches('"')).any(is_top)
}

/// Objects of another repository are that repository's contents, and it may borrow some itself.
fn refuse_borrowed_objects(roots: &Roots, call: &Call<'_>, objects: &WalkPlace, depth: usize) -> Result<()> {
    let Some(lines) = read_line_file(roots, &named(roots, objects, "info/alternates"))? else {
        return Ok(());
    };
    for line in lines.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let target = objects.path(roots).join(line);
        let refused = || {
            leads_out("objects/info/alternates", &target)
                .hint("start the server with another `--root` for the repository that the objects come from")
        };
        // What is quoted may mean another path than the one that is read here.
        let wanted = inside(roots, &target).filter(|_| !line.starts_with('"') && depth > 0);
        let spot = wanted.and_then(|wanted| roots.locate(&wanted, Last::Follow, Missing::Report).ok());
        let spot = spot.ok_or_else(refused)?;
        if spot.kind() == Some(FileType::Directory) {
            refuse_links_out(roots, call, &spot.place, Holds::Objects)?;
            refuse_borrowed_objects(roots, call, &spot.place, depth - 1)?;
        }
    }
    Ok(())
}

/// A path below a place, to be looked at.
pub(super) fn named(roots: &Roots, place: &WalkPlace, below: &str) -> Wanted {
    let mut place = place.clone();
    place.parts.extend(Path::new(below).iter().map(ToOwned::to_owned));
    roots.at(&place)
}

/// An absolute path, when it can lie beneath a root.
fn inside(roots: &Roots, path: &Path) -> Option<Wanted> {
    let (root, parts) = roots.map_absolute(path)?;
    Some(Wanted { root, shown: roots.shown(root, &parts), parts })
}

/// A file of git as text; `None` when there is none.
fn read_line_file(roots: &Roots, wanted: &Wanted) -> Result<Option<String>> {
    let Some(bytes) = read_small(roots, wanted, MAX_LINE_FILE)? else { return Ok(None) };
    String::from_utf8(bytes).map(Some).map_err(|_| {
        Error::refused(Key::RepositoryNotFound, format!("not readable as text: `{}`", wanted.shown))
    })
}

/// A whole file of git; `None` when there is none. A longer one is refused, since only a part of it would be seen.
pub(super) fn read_small(roots: &Roots, wanted: &Wanted, most: u64) -> Result<Option<Vec<u8>>> {
    let Some(open) = roots.open_if_there(wanted)? else { return Ok(None) };
    // Most are short: one read, and one more that finds the end.
    let mut bytes = Vec::with_capacity(1024);
    open.file
        .take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Error::io("read", &wanted.shown, error))?;
    if bytes.len() as u64 > most {
        return Err(Error::refused(
            Key::FileTooLarge,
            format!("too long for a file of git: `{}`", wanted.shown),
        ));
    }
    Ok(Some(bytes))
}

/// The one line of a file of git outside the roots; it is compared, never shown.
fn read_outside_line(path: &Path) -> Option<PathBuf> {
    let bytes = read_outside(path, MAX_LINE_FILE)?;
    let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(line)))
}

/// A small file of git outside the roots.
fn read_outside(path: &Path, most: u64) -> Option<Vec<u8>> {
    let metadata = fs_err::symlink_metadata(path).ok()?;
    (metadata.is_file() && metadata.len() <= most).then(|| fs_err::read(path).ok()).flatten()
}

pub(super) fn leads_out(what: &str, target: &Path) -> Error {
    Error::refused(Key::RepositoryOutsideRoots, format!("`{what}` leads outside the allowed folders"))
        .hint("start the server with another `--root` for the folder it leads to")
        .detail("target", show_path(target))
}

impl AsFd for Repository {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.top.as_fd()
    }
}
