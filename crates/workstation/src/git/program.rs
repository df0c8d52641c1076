//! The git program: where it is, and whether it is new enough to be guarded.

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::call::Call;
use crate::error::{Error, Key, Result};
use crate::process::{Child, Ended, Keep, Sweep, USER_NAMES, child_environment, find_program, run};
use crate::station::Workstation;

/// The first version that takes configuration from the environment, which nothing in a repository can overrule.
const OLDEST: (u32, u32) = (2, 31);

/// A git that can be guarded.
#[derive(Debug, Clone)]
pub(crate) struct GitProgram {
    pub(super) path: PathBuf,
    pub(super) version: (u32, u32),
    /// Where the system and the user keep their configuration; `None` when git does not say.
    pub(super) config_files: Option<Vec<PathBuf>>,
}

impl GitProgram {
    pub(super) fn find(station: &Workstation, call: &Call<'_>) -> Result<Self> {
        if let Some(known) = station.git().get() {
            return Ok(known.clone());
        }
        let path = find_program(station, "git")?;
        let ask = |arguments: &[&str]| ask(station, call, &path, arguments);
        let text = ask(&["--version"])?;
        let version =
            version(&text).filter(|version| *version >= OLDEST).ok_or_else(|| too_old(text.trim()))?;
        let files = [ask(&["var", "GIT_CONFIG_SYSTEM"])?, ask(&["var", "GIT_CONFIG_GLOBAL"])?];
        let config_files = config_files(&files);
        Ok(station.git().get_or_init(|| Self { path, version, config_files }).clone())
    }
}

/// What git prints when it is asked outside of any repository; nothing when it does not know.
fn ask(station: &Workstation, call: &Call<'_>, program: &Path, arguments: &[&str]) -> Result<String> {
    let folder = station.roots().fd(0).try_clone_to_owned();
    let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    let mut environment = child_environment(station, &[USER_NAMES]);
    environment.push(("GIT_DIR".into(), "/dev/null".into()));
    let child = Child {
        program,
        arguments: &arguments,
        folder: &folder.map_err(|error| Error::io("open", "the first root", error))?,
        environment,
        deadline: None,
        keep: Keep::Head(8 * 1024),
        sweep: Sweep::Group,
    };
    let finished = run(&child, call, &mut |_, _| ControlFlow::Continue(()))?;
    if let Ended::Interrupted(why) = finished.ended {
        return Err(why.into());
    }
    Ok(String::from_utf8_lossy(finished.stdout.bytes()).into_owned())
}

/// The files that git names; all of them, or none is of use.
fn config_files(answers: &[String]) -> Option<Vec<PathBuf>> {
    let known = answers.iter().all(|answer| !answer.trim().is_empty());
    let files: Vec<PathBuf> = answers.iter().flat_map(|answer| answer.lines()).map(PathBuf::from).collect();
    (known && files.iter().all(|file| file.is_absolute())).then_some(files)
}

fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.strip_prefix("git version ")?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn too_old(found: &str) -> Error {
    let (major, minor) = OLDEST;
    Error::machine(Key::GitTooOld, format!("`{found}` is too old to be run safely"))
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

    #[test]
    fn the_files_of_the_configuration_are_known_when_git_names_all_of_them() {
        let (system, user) =
            ("/etc/gitconfig\n".to_owned(), "/u/.config/git/config\n/u/.gitconfig\n".to_owned());
        assert_eq!(config_files(&[system.clone(), user]).unwrap().len(), 3);
        for unclear in ["", "\n", "gitconfig\n"] {
            assert_eq!(config_files(&[system.clone(), unclear.to_owned()]), None, "{unclear:?}");
        }
    }
}
