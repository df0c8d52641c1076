//! Finds executables: in absolute entries of `PATH` outside the roots, never in the working folder.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD};
use serde_json::json;

use crate::confine::Roots;
use crate::error::{Error, Key, Result};
use crate::settings::Settings;
use crate::show::show_path;
use crate::station::Workstation;

/// The executable with this name, or this absolute path.
///
/// The path is not resolved further: many programs look at the name they were started by.
pub(crate) fn find_program(station: &Workstation, name: &str) -> Result<PathBuf> {
    let mut inside = None;
    for candidate in candidates(station, name) {
        let Ok(real) = fs_err::canonicalize(&candidate) else { continue };
        if station.roots().contain(&real) {
            inside = Some(candidate);
        } else if is_executable(&candidate) {
            return Ok(candidate);
        }
    }
    let error =
        Error::refused(Key::ProgramNotFound, format!("no program named `{name}`")).detail("program", name);
    Err(match inside {
        Some(path) => error
            .hint("a program inside an allowed folder is never started; install it elsewhere")
            .detail("refused", json!([show_path(&path)])),
        None => error.hint("install it, or start the server with a `PATH` that has it"),
    })
}

/// The entries of `PATH` that children may use: absolute, there, and outside the roots.
pub(crate) fn search_path(settings: &Settings, roots: &Roots) -> OsString {
    let is_outside = |entry: &Path| fs_err::canonicalize(entry).is_ok_and(|real| !roots.contain(&real));
    let usable = settings.search_path.iter().filter(|entry| entry.is_absolute() && is_outside(entry));
    // An entry with a colon cannot be written into a `PATH`; it cannot have come from one either.
    std::env::join_paths(usable).unwrap_or_default()
}

fn candidates(station: &Workstation, name: &str) -> Vec<PathBuf> {
    let path = Path::new(name);
    if path.is_absolute() {
        return vec![path.to_owned()];
    }
    if name.is_empty() || name.contains('/') || name == "." || name == ".." {
        return vec![];
    }
    station
        .settings()
        .search_path
        .iter()
        .filter(|entry| entry.is_absolute())
        .map(|entry| entry.join(name))
        .collect()
}

fn is_executable(path: &Path) -> bool {
    fs_err::metadata(path).is_ok_and(|metadata| metadata.is_file())
        && rustix::fs::accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}
