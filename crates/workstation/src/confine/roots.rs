//! The allowed folders, each opened once.

use std::ffi::OsString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use serde_json::json;

use super::open::refuse_kernel_files;
use super::protect::{Protected, is_git_name};
use crate::error::{Error, Key, Result};
use crate::show::show_path;

/// The allowed folders. Relative paths start at the first.
#[derive(Debug)]
pub struct Roots {
    roots: Vec<Root>,
    protected: Protected,
}

#[derive(Debug)]
struct Root {
    fd: OwnedFd,
    /// The path as the user gave it, dots removed.
    given: PathBuf,
    /// The same folder without links.
    real: PathBuf,
}

impl Roots {
    /// Opens the folders.
    pub fn open(paths: &[PathBuf], protected: Protected) -> Result<Self> {
        if paths.is_empty() {
            return Err(Error::invalid_argument("root", "at least one folder", "no root is given"));
        }
        let mut roots: Vec<Root> = Vec::new();
        for path in paths {
            let root = Root::open(path)?;
            if !roots.iter().any(|known| known.real == root.real) {
                roots.push(root);
            }
        }
        Ok(Self { roots, protected })
    }

    /// The real paths, the first being where relative paths start.
    pub fn paths(&self) -> Vec<&Path> {
        self.roots.iter().map(|root| root.real.as_path()).collect()
    }

    pub(crate) fn real(&self, root: usize) -> &Path {
        &self.roots[root].real
    }

    pub(crate) fn fd(&self, root: usize) -> BorrowedFd<'_> {
        self.roots[root].fd.as_fd()
    }

    pub(crate) fn protected(&self) -> &Protected {
        &self.protected
    }

    /// Whether a real path lies beneath a root.
    pub(crate) fn contain(&self, real: &Path) -> bool {
        self.roots.iter().any(|root| real.starts_with(&root.real))
    }

    /// Which root an absolute path lies beneath, and the way from there; the innermost root wins.
    pub(crate) fn map_absolute(&self, path: &Path) -> Option<(usize, Vec<OsString>)> {
        self.map_parts(&parts_of(path)).or_else(|| self.map_parts(&parts_of(&without_dots(path))))
    }

    fn map_parts(&self, parts: &[OsString]) -> Option<(usize, Vec<OsString>)> {
        let mut best: Option<(usize, usize)> = None;
        for (index, root) in self.roots.iter().enumerate() {
            for form in [&root.real, &root.given] {
                let form = parts_of(form);
                let deeper = best.is_none_or(|(_, depth)| form.len() > depth);
                if deeper && parts.starts_with(&form) {
                    best = Some((index, form.len()));
                }
            }
        }
        best.map(|(index, depth)| (index, parts[depth..].to_vec()))
    }

    /// The refusal of a path that leads out.
    pub(crate) fn outside(&self, shown: &str) -> Error {
        let roots: Vec<String> = self.roots.iter().map(|root| show_path(&root.real)).collect();
        Error::refused(Key::PathOutsideRoots, format!("`{shown}` is outside the allowed folders"))
            .hint(format!("use a path beneath `{}`", roots.join("` or `")))
            .detail("path", shown)
            .detail("roots", json!(roots))
    }
}

impl Root {
    fn open(path: &Path) -> Result<Self> {
        let shown = show_path(path);
        if !path.is_absolute() {
            return Err(Error::invalid_argument(
                "root",
                "an absolute path",
                format!("`{shown}` is not absolute"),
            ));
        }
        let fail = |error: std::io::Error| Error::io("open the root", &shown, error);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::open(path, flags, Mode::empty()).map_err(|error| fail(error.into()))?;
        refuse_kernel_files(&fd, &shown)?;
        let real = fs_err::canonicalize(path).map_err(fail)?;
        if real.components().any(|part| is_git_name(part.as_os_str())) {
            return Err(Error::refused(
                Key::ProtectedPath,
                format!("a root cannot lie inside `.git`: `{shown}`"),
            ));
        }
        Ok(Self { fd, given: without_dots(path), real })
    }
}

/// The parts of a path below `/`; single dots and doubled slashes do not count.
fn parts_of(path: &Path) -> Vec<OsString> {
    path.components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("..".into()),
            _ => None,
        })
        .collect()
}

/// The path with `..` taken back lexically.
fn without_dots(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}
