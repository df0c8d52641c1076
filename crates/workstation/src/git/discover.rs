//! Finds the repository that a folder belongs to, never above a root, and refuses one that leads outside.
//!
//! Git is told where its folder and its work tree are and never looks for itself. A `.git` file or link, a
//! `commondir`, `core.worktree` or a borrowed object store that leads out is refused. The one exception is a linked
//! work tree whose admin folder, in the repository outside, points back to it.

use std::io::Read as _;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType};
use rustix::io::Errno;

use crate::confine::{Folder, Last, Missing, Place, Roots, Wanted, is_git_name, open_child_folder};
use crate::error::{Error, Result};
use crate::show::show_path;
use crate::station::Workstation;

/// `.git` files and their like are one line.
const MAX_LINE_FILE: u64 = 8 * 1024;
/// What git follows inside its folder without asking.
const FOLLOWED: [&str; 9] =
    ["HEAD", "config", "config.worktree", "index", "info", "logs", "objects", "packed-refs", "refs"];

/// A repository beneath a root.
#[derive(Debug)]
pub(super) struct Repository {
    /// The top folder of the work tree.
    pub(super) top: OwnedFd,
    pub(super) place: Place,
    /// Git's own folder, as git is told it.
    pub(super) git_dir: PathBuf,
    /// The way from the top to the folder that was named.
    pub(super) prefix: PathBuf,
    pub(super) shown: String,
}

impl Repository {
    /// The repository that a folder belongs to.
    pub(super) fn find(station: &Workstation, repo: &str) -> Result<Self> {
        let roots = station.roots();
        let wanted = roots.wanted("repo", repo)?;
        let folder = roots.open_folder(&wanted)?;
        if let Some(part) = folder.place.parts.iter().find(|part| is_git_name(part)) {
            let message = format!("`{}` is inside `{}`", wanted.shown, part.to_string_lossy());
            return Err(Error::refused("repository_not_found", message).hint("name the folder that holds it"));
        }
        let mut depth = folder.place.parts.len();
        loop {
            let level = level(roots, &folder, depth)?;
            let place = Place { root: folder.place.root, parts: folder.place.parts[..depth].to_vec() };
            if let Some(git_dir) = GitDir::at(roots, &level, &place)? {
                git_dir.refuse_what_leads_out(roots, &place)?;
                return Ok(Self {
                    top: level,
                    shown: roots.shown(place.root, &place.parts),
                    git_dir: git_dir.told,
                    prefix: folder.place.parts[depth..].iter().collect(),
                    place,
                });
            }
            depth = depth.checked_sub(1).ok_or_else(|| {
                Error::refused("repository_not_found", format!("no git repository at `{}`", wanted.shown))
                    .hint("repositories are looked for up to the allowed folder, never above it")
                    .detail("path", wanted.shown.as_str())
            })?;
        }
    }

    /// Follows `core.worktree`, where the repository sets it.
    pub(super) fn with_work_tree(mut self, roots: &Roots, value: &str) -> Result<Self> {
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
    inside: Option<Place>,
}

impl GitDir {
    /// What `.git` in a folder stands for; `None` when there is none, or nothing that git would take for one.
    fn at(roots: &Roots, folder: &OwnedFd, place: &Place) -> Result<Option<Self>> {
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
                let mut inside = place.clone();
                inside.parts.push(".git".into());
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
        let text = read_line_file(roots, dot_git)?;
        let target = text.strip_prefix("gitdir:").map(str::trim).filter(|target| !target.is_empty());
        let target = target.ok_or_else(|| {
            Error::refused("repository_not_found", format!("this is no `.git` file: `{}`", dot_git.shown))
        })?;
        let target = top.join(target);
        let spot = inside(roots, &target)
            .and_then(|wanted| roots.locate(&wanted, Last::Follow, Missing::Report).ok());
        match spot {
            Some(spot) if spot.kind() == Some(FileType::Directory) => Ok(Self::inside(roots, spot.place)),
            _ => Self::linked(&target, top),
        }
    }

    /// A linked work tree of a repository outside: its admin folder has to point back.
    fn linked(admin: &Path, top: &Path) -> Result<Self> {
        let refused = || leads_out(".git", admin);
        let admin = fs_err::canonicalize(admin).map_err(|_| refused())?;
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

    fn inside(roots: &Roots, place: Place) -> Self {
        Self { told: place.path(roots), inside: Some(place) }
    }

    /// Refuses a repository beneath a root that shares, borrows or follows something outside.
    fn refuse_what_leads_out(&self, roots: &Roots, top: &Place) -> Result<()> {
        let Some(place) = &self.inside else { return Ok(()) };
        let mut folders = vec![place.clone()];
        let commondir = named(roots, place, "commondir");
        if let Ok(line) = read_line_file(roots, &commondir) {
            let target = place.path(roots).join(line.trim());
            let common = inside(roots, &target)
                .and_then(|wanted| roots.open_folder(&wanted).ok())
                .ok_or_else(|| leads_out("commondir", &target))?;
            folders.push(common.place);
        }
        for folder in &folders {
            for name in FOLLOWED {
                let followed = named(roots, folder, name);
                match roots.locate(&followed, Last::Follow, Missing::Report) {
                    Err(error) if error.key == "path_outside_roots" => {
                        return Err(leads_out(name, &folder.path(roots).join(name)));
                    }
                    _ => {}
                }
            }
            refuse_borrowed_objects(roots, folder)?;
        }
        // A work tree that lies in a folder of git's own would let a checkout write there.
        roots.protected().refuse_below(top, &roots.shown(top.root, &top.parts))
    }
}

/// Objects of another repository are that repository's contents.
fn refuse_borrowed_objects(roots: &Roots, git_dir: &Place) -> Result<()> {
    let alternates = named(roots, git_dir, "objects/info/alternates");
    let Ok(lines) = read_line_file(roots, &alternates) else { return Ok(()) };
    let objects = git_dir.path(roots).join("objects");
    for line in lines.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let target = objects.join(line.trim_matches('"'));
        let found = inside(roots, &target).map(|wanted| roots.locate(&wanted, Last::Follow, Missing::Report));
        if !matches!(found, Some(Ok(_))) {
            return Err(leads_out("objects/info/alternates", &target).hint(
                "start the server with another `--root` for the repository that the objects come from",
            ));
        }
    }
    Ok(())
}

/// A path below a place, to be looked at.
fn named(roots: &Roots, place: &Place, below: &str) -> Wanted {
    let mut parts = place.parts.clone();
    parts.extend(Path::new(below).iter().map(ToOwned::to_owned));
    Wanted { root: place.root, shown: roots.shown(place.root, &parts), parts }
}

/// An absolute path, when it can lie beneath a root.
fn inside(roots: &Roots, path: &Path) -> Option<Wanted> {
    let (root, parts) = roots.map_absolute(path)?;
    Some(Wanted { root, shown: roots.shown(root, &parts), parts })
}

fn read_line_file(roots: &Roots, wanted: &Wanted) -> Result<String> {
    let open = roots.open_file(wanted)?;
    let mut bytes = Vec::new();
    open.file
        .take(MAX_LINE_FILE)
        .read_to_end(&mut bytes)
        .map_err(|error| Error::io("read", &wanted.shown, error))?;
    String::from_utf8(bytes).map_err(|_| {
        Error::refused("repository_not_found", format!("not readable as text: `{}`", wanted.shown))
    })
}

/// The one line of a file of git outside the roots; it is compared, never shown.
fn read_outside_line(path: &Path) -> Option<PathBuf> {
    let metadata = fs_err::symlink_metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > MAX_LINE_FILE {
        return None;
    }
    let bytes = fs_err::read(path).ok()?;
    let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(line)))
}

fn leads_out(what: &str, target: &Path) -> Error {
    Error::refused("repository_outside_roots", format!("`{what}` leads outside the allowed folders"))
        .hint("start the server with another `--root` for the folder it leads to")
        .detail("target", show_path(target))
}

impl AsFd for Repository {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.top.as_fd()
    }
}
