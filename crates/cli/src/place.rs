//! Where a command works: the folder from which the workspace is looked for (D-2).
//!
//! The order is `--workspace`, `HEWTO_WORKSPACE`, `SPECMAN_WORKSPACE`, the current folder. A place that somebody
//! named and that is in no workspace is an error; it is never quietly replaced by the next in the order.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use hewto_engine::decision::{Climb, Repository, RepositoryScope, Where};
use hewto_engine::workstation::Machine;
use hewto_engine::{Context, Key, Layout, Project, ProjectOptions, Result, Start, Workspace};

use crate::actions;
use crate::args::Globals;
use crate::env;
use crate::failure::{machine, usage};
use crate::hub_settings;
use crate::ui;

/// After this a command gives up; a lock that is held for so long is reported with its holder.
const TIME_FOR_A_COMMAND: Duration = Duration::from_mins(1);

/// The start folder and who named it.
#[derive(Debug)]
pub(crate) struct Place {
    start: PathBuf,
    named_by: Option<&'static str>,
}

impl Place {
    pub(crate) fn of(globals: &Globals) -> Result<Self> {
        match &globals.workspace[..] {
            [] => Self::unnamed(),
            [path] => Self::at(path),
            [..] => Err(usage("`--workspace` was given more than once")
                .hint("only `hewto serve --http` takes several, each as NAME=PATH")),
        }
    }

    /// The places of a server for several workspaces, each by its name: `--workspace NAME=PATH`. One without a name
    /// is called `default`.
    pub(crate) fn several(globals: &Globals, default: &str) -> Result<Vec<(String, Self)>> {
        if globals.workspace.is_empty() {
            return Ok(vec![(default.to_owned(), Self::unnamed()?)]);
        }
        let mut places: Vec<(String, Self)> = Vec::new();
        for argument in &globals.workspace {
            let (name, path) = name_and_path(argument)?;
            let name = name.unwrap_or(default);
            if places.iter().any(|(other, _)| other == name) {
                return Err(usage(format!("two workspaces are called `{name}`"))
                    .hint("give each its own name: `--workspace NAME=PATH`"));
            }
            places.push((name.to_owned(), Self::at(path)?));
        }
        Ok(places)
    }

    fn at(path: &Path) -> Result<Self> {
        Ok(Self { start: absolute(path)?, named_by: Some("--workspace") })
    }

    fn unnamed() -> Result<Self> {
        Ok(match env::workspace() {
            Some((name, path)) => Self { start: absolute(&path)?, named_by: Some(name) },
            None => Self { start: here()?, named_by: None },
        })
    }

    pub(crate) fn start(&self) -> &Path {
        &self.start
    }

    /// The flag or variable that named the start folder, if one did.
    pub(crate) fn named_by(&self) -> Option<&'static str> {
        self.named_by
    }

    /// The project that the start folder belongs to.
    pub(crate) fn project(&self) -> Project {
        Project::new(ProjectOptions {
            start: self.start.clone(),
            named_by: self.named_by.map(str::to_owned),
            machine: Machine {
                search_path: env::search_path(),
                trust: env::trust(),
                hub: hub_settings::of_owner(),
                ..Machine::default()
            },
            operation_log: env::operation_log(),
            ..ProjectOptions::default()
        })
    }

    /// The workspace at or above the start folder.
    pub(crate) fn workspace(&self) -> Result<Workspace> {
        self.project().into_workspace()
    }

    /// The same for commands that run checks; a digest that is given stands for the owner's trust in them.
    pub(crate) fn workspace_that_runs(&self, trusted: Option<&str>) -> Result<Workspace> {
        let trusted = trusted.map(str::parse).transpose().map_err(|error| {
            usage(format!("`--trust` takes the digest of `.hewto/proof.toml`: {error}"))
                .hint("`sha256sum .hewto/proof.toml` shows it")
        })?;
        Ok(self.workspace()?.with_children(env::search_path(), env::whole(), trusted))
    }

    /// Where the search for the workspace begins.
    pub(crate) fn look_from(&self) -> Start<'_> {
        match self.named_by {
            Some(by) => Start::Override { path: &self.start, by },
            None => Start::Here(&self.start),
        }
    }

    /// Whose operation log is meant: that of the workspace or, as decisions need none, that of the git repository.
    pub(crate) fn logged(&self) -> Result<Layout> {
        match self.workspace() {
            Ok(workspace) => Ok(workspace.layout().clone()),
            Err(error) if error.key == Key::WorkspaceNotFound && self.named_by.is_none() => self
                .repository(None, Climb::Up)
                .map(|repository| repository.layout().clone())
                .map_err(|_| error),
            Err(error) => Err(error),
        }
    }

    /// The git repository that was named, else the one at or above the start folder; it needs no workspace.
    pub(crate) fn repository(&self, named: Option<String>, climb: Climb) -> Result<Repository> {
        let start = if named.is_some() { here()? } else { self.start.clone() };
        let (trust, search_path) = (env::trust(), env::search_path());
        Repository::find(&Where { named, start, climb, reach: RepositoryScope::Anywhere, trust, search_path })
    }
}

/// Splits `NAME=PATH`. A path that has a `=` somewhere behind its first `/` is only a path.
fn name_and_path(argument: &Path) -> Result<(Option<&str>, &Path)> {
    let Some((name, path)) = argument.to_str().and_then(|text| text.split_once('=')) else {
        return Ok((None, argument));
    };
    if name.contains('/') {
        return Ok((None, argument));
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let is_name = name.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
        && name.len() <= 64
        && name.bytes().all(is_plain);
    if !is_name {
        return Err(usage(format!("`{}` cannot name a workspace", name.escape_debug()))
            .hint("a name has letters, digits, `.`, `_` and `-`, and begins with a letter or digit"));
    }
    if path.is_empty() {
        return Err(usage(format!("`{name}=` names no folder")).hint("write it as `--workspace NAME=PATH`"));
    }
    Ok((Some(name), Path::new(path)))
}

/// What a person calls an artifact: a path that is typed is seen from the current folder, and counts from the root of
/// the workspace too.
pub(crate) fn locator(workspace: &Workspace, typed: &str) -> Result<String> {
    let here = absolute(Path::new(typed))?;
    let is_here = !typed.contains("://") && here.exists() && here.starts_with(workspace.root());
    let normal = if is_here { here.canonicalize().ok() } else { None };
    Ok(normal.map_or_else(|| typed.to_owned(), |path| path.to_string_lossy().into_owned()))
}

/// A path as it was typed, seen from the current folder.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf> {
    if path.is_absolute() { Ok(path.to_owned()) } else { Ok(here()?.join(path)) }
}

fn here() -> Result<PathBuf> {
    env::current_dir().map_err(|error| machine("cannot find the current folder", error))
}

/// The number of the claim that this process shows with whatever it writes.
static CLAIM: OnceLock<u64> = OnceLock::new();

/// Shows the number of a claim from now on: `--claim`.
pub(crate) fn show_claim(number: Option<u64>) {
    if let Some(number) = number {
        CLAIM.get_or_init(|| number);
    }
}

/// The context of one command: the system's clock, and time enough for the largest workspace, but not for waiting
/// without end for somebody who holds the lock.
pub(crate) fn context() -> Context {
    unhurried().with_timeout(TIME_FOR_A_COMMAND)
}

/// The context of a command that takes as long as it takes.
pub(crate) fn unhurried() -> Context {
    let context = Context::background()
        .with_clock(env::clock())
        .with_principal(&env::user())
        .with_secret(env::secret())
        .with_claim(CLAIM.get().copied())
        .with_wording(actions::wording());
    match ui::bar() {
        Some(bar) => context.with_progress(bar),
        None => context,
    }
}
