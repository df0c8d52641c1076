//! The git program: where it is, and whether it is new enough to be guarded.

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::PathBuf;

use crate::call::Call;
use crate::error::{Error, Result};
use crate::process::{Child, Ended, Keep, Sweep, child_environment, find_program, run};
use crate::station::Workstation;

/// The first version that takes configuration from the environment, which nothing in a repository can overrule.
const OLDEST: (u32, u32) = (2, 31);

/// A git that can be guarded.
#[derive(Debug, Clone)]
pub(crate) struct GitProgram {
    pub(super) path: PathBuf,
    pub(super) version: (u32, u32),
}

impl GitProgram {
    pub(super) fn find(station: &Workstation, call: &Call<'_>) -> Result<Self> {
        if let Some(known) = station.git().get() {
            return Ok(known.clone());
        }
        let path = find_program(station, "git")?;
        let folder = station.roots().fd(0).try_clone_to_owned();
        let child = Child {
            program: &path,
            arguments: &[OsString::from("--version")],
            folder: &folder.map_err(|error| Error::io("open", "the first root", error))?,
            environment: child_environment(station, &[]),
            deadline: None,
            keep: Keep::Head(1024),
            sweep: Sweep::Group,
        };
        let finished = run(&child, call, &mut |_, _| ControlFlow::Continue(()))?;
        if let Ended::Interrupted(why) = finished.ended {
            return Err(why.into());
        }
        let text = String::from_utf8_lossy(finished.stdout.bytes()).into_owned();
        let version =
            version(&text).filter(|version| *version >= OLDEST).ok_or_else(|| too_old(text.trim()))?;
        Ok(station.git().get_or_init(|| Self { path, version }).clone())
    }
}

fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.strip_prefix("git version ")?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn too_old(found: &str) -> Error {
    let (major, minor) = OLDEST;
    Error::machine("git_too_old", format!("`{found}` is too old to be run safely"))
        .hint(format!("install git {major}.{minor} or newer"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(version("git version 2.47.3\n"), Some((2, 47)));
        assert_eq!(version("git version 2.39.5 (Apple Git-154)\n"), Some((2, 39)));
        assert_eq!(version("git version 2.50.0.windows.1"), Some((2, 50)));
        assert_eq!(version("hub version 2.14"), None);
    }
}
