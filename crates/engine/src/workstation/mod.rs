//! The workstation toolset: files, git and builds beneath the allowed folders.
//!
//! What is done is `hewto-workstation`'s; this module opens it with the workspace's configuration, and runs each call
//! with the caller's deadline, cancellation and progress, at the pace that is due to the caller.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hewto_core::config::WorkstationConfig;
use hewto_store::OWN_FOLDER;
pub use hewto_workstation::{Call, ToolClass, Workstation, ci, files, git, shut_down};
use hewto_workstation::{CommitHooks, Limits, Protected, RateLimiter, Rates, Roots, Settings};

use crate::error::{Error, Result};
use crate::{Context, Progress, Project, Start, Workspace};

/// What the process that serves was started with.
#[derive(Debug, Clone, Default)]
pub struct Machine {
    /// The allowed folders, absolute; the workspace's root unless given.
    pub roots: Vec<PathBuf>,
    /// The entries of `PATH`.
    pub search_path: Vec<PathBuf>,
    pub environment: Vec<(OsString, OsString)>,
}

/// An open workstation, shared by all calls.
#[derive(Debug)]
pub(crate) struct OpenWorkstation {
    workstation: Workstation,
    limiter: RateLimiter,
}

impl OpenWorkstation {
    /// Opens the allowed folders with what the workspace's own configuration allows in them.
    ///
    /// Without a workspace the first root is asked whether it is one; else nothing beyond the defaults is allowed.
    fn open(machine: &Machine, workspace: Result<&Workspace>, ctx: &Context) -> Result<Self> {
        let (roots, workspace) = match (machine.roots.as_slice(), workspace) {
            ([], Ok(workspace)) => (vec![workspace.root().to_owned()], Some(workspace.clone())),
            ([], Err(error)) => {
                return Err(error.hint("run `hewto init`, or start the server with `--root PATH`"));
            }
            (given, Ok(workspace)) => (given.to_vec(), Some(workspace.clone())),
            (given, Err(_)) => (given.to_vec(), workspace_at(&given[0])),
        };
        // The settings of other tools are theirs, and not protected as ours are.
        let own = workspace.as_ref().filter(|workspace| workspace.layout().has_own_config());
        let allowed = own.map(|own| own.configuration(ctx).config.workstation.clone()).unwrap_or_default();
        let own_config =
            |workspace: &Workspace| workspace.layout().absolute(&workspace.layout().places().config);
        // Nothing is written below the folder of hewto itself: it says what the tools may do.
        let protected = Protected {
            names: vec![OWN_FOLDER.to_owned()],
            files: workspace.as_ref().map(own_config).into_iter().collect(),
        };
        let rates = rates(&allowed);
        let mut settings = settings(allowed);
        settings.search_path.clone_from(&machine.search_path);
        settings.environment.clone_from(&machine.environment);
        Ok(Self {
            workstation: Workstation::new(Roots::open(&roots, protected)?, settings),
            limiter: RateLimiter::new(rates),
        })
    }
}

impl Project {
    /// The allowed folders, opened at the first call that finds them.
    fn workstation(&self, ctx: &Context) -> Result<&OpenWorkstation> {
        if let Some(open) = self.workstation.get() {
            return Ok(open);
        }
        let open = OpenWorkstation::open(&self.machine, self.workspace(), ctx)?;
        Ok(self.workstation.get_or_init(|| open))
    }

    /// Opens the allowed folders now rather than at the first call.
    pub fn open_workstation(&self, ctx: &Context) -> Result<()> {
        self.workstation(ctx).map(drop)
    }

    /// Counts a call of this class against what its caller may make, or says how long to wait.
    pub fn admit(&self, ctx: &Context, class: ToolClass) -> Result<()> {
        match self.workstation.get() {
            Some(open) => Ok(open.limiter.take(ctx.client(), class, Instant::now())?),
            None => Ok(()),
        }
    }

    /// How long a build, a test run or a command may take when the call does not say.
    pub fn run_time(&self) -> Option<Duration> {
        self.workstation.get().map(|open| open.workstation.settings().limits.run_time)
    }

    /// Runs one use case of the workstation for a caller, as long as they may.
    pub fn perform<T>(
        &self,
        ctx: &Context,
        work: impl FnOnce(&Workstation, &Call<'_>) -> hewto_workstation::Result<T>,
    ) -> Result<T> {
        let open = self.workstation(ctx)?;
        let cancellation = ctx.cancellation().clone();
        let is_cancelled = || cancellation.is_cancelled();
        let told = AtomicU64::new(0);
        let progress = |line: &str| {
            let done = told.fetch_add(1, Ordering::Relaxed) + 1;
            ctx.report(Progress { done, total: None, message: line.to_owned() });
        };
        let call = Call::unbounded()
            .with_deadline(ctx.deadline())
            .with_cancellation(&is_cancelled)
            .with_progress(&progress);
        Ok(work(&open.workstation, &call)?)
    }
}

/// A workstation that is only asked, of one folder and with nothing allowed.
pub(crate) fn for_reading(folder: PathBuf, search_path: &[PathBuf]) -> Option<Workstation> {
    let roots = Roots::open(&[folder], Protected::default()).ok()?;
    let settings = Settings { search_path: search_path.to_vec(), ..Settings::default() };
    Some(Workstation::new(roots, settings))
}

fn settings(allowed: WorkstationConfig) -> Settings {
    let limits = Limits::default();
    Settings {
        commands: allowed.commands,
        pass_environment: allowed.pass_environment,
        commit_hooks: if allowed.runs_hooks { CommitHooks::Run } else { CommitHooks::Skip },
        limits: Limits { run_time: allowed.run_time.unwrap_or(limits.run_time), ..limits },
        ..Settings::default()
    }
}

fn rates(allowed: &WorkstationConfig) -> Rates {
    let (named, default) = (&allowed.rates, Rates::default());
    Rates {
        read: named.rate(named.read, default.read),
        write: named.rate(named.write, default.write),
        run: named.rate(named.run, default.run),
    }
}

fn workspace_at(root: &Path) -> Option<Workspace> {
    let real = std::fs::canonicalize(root).ok()?;
    Workspace::discover(Start::Here(root)).ok().filter(|workspace| workspace.root() == real)
}

impl From<hewto_workstation::Error> for Error {
    fn from(error: hewto_workstation::Error) -> Self {
        let mut own = Self::new(error.kind, error.key, error.code, error.full_message());
        own.hint = error.hint;
        own.details = *error.details;
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProjectOptions;

    fn project(config: &str) -> (tempfile::TempDir, Project) {
        let dir = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(dir.path()).unwrap();
        fs_err::create_dir(root.join(".hewto")).unwrap();
        fs_err::write(root.join(".hewto/config.toml"), config).unwrap();
        fs_err::write(root.join("f.txt"), "hello").unwrap();
        let machine = Machine { roots: vec![root], ..Machine::default() };
        let start = PathBuf::from("/nowhere/at/all");
        (dir, Project::new(ProjectOptions { start, machine, ..ProjectOptions::default() }))
    }

    fn write(path: &str) -> files::Write {
        files::Write { path: path.to_owned(), content: "x".to_owned() }
    }

    #[test]
    fn a_root_that_is_a_workspace_brings_its_settings_and_protects_them() {
        let (_dir, project) = project("[workstation.commands]\ngit = [[\"--version\"]]\n");
        let ctx = Context::background();
        let commands = &project.workstation(&ctx).unwrap().workstation.settings().commands;
        assert_eq!(commands["git"], [["--version"]]);
        let refused =
            project.perform(&ctx, |station, call| files::write(station, call, &write(".hewto/config.toml")));
        assert_eq!(refused.unwrap_err().key, "protected_path");
        project.perform(&ctx, |station, call| files::write(station, call, &write("g.txt"))).unwrap();
    }

    #[test]
    fn a_caller_in_a_hurry_is_told_how_long_to_wait() {
        let (_dir, project) = project("[workstation.rate]\nread = 0.001\n");
        let ctx = Context::background();
        project.open_workstation(&ctx).unwrap();
        project.admit(&ctx, ToolClass::Read).unwrap();
        project.admit(&ctx, ToolClass::Write).unwrap();
        let error = project.admit(&ctx, ToolClass::Read).unwrap_err();
        assert_eq!(error.key, "rate_limited");
        let wait = error.details["retry_after_s"].as_f64().unwrap();
        assert!(wait > 500.0 && wait <= 1000.0, "{wait}");
    }

    #[test]
    fn a_cancelled_caller_gets_nothing_done() {
        let (_dir, project) = project("");
        let ctx = Context::background();
        ctx.cancellation().cancel();
        let list = files::List {
            path: ".".to_owned(),
            order: files::ListOrder::Name,
            sizes: true,
            page: crate::PageRequest::default(),
        };
        let listed = project.perform(&ctx, |station, call| files::list(station, call, &list));
        assert_eq!(listed.unwrap_err().key, "cancelled");
    }

    #[test]
    fn for_settings_that_make_no_sense_the_defaults_hold() {
        let (_dir, project) = project("[workstation.rate]\nread = \"fast\"\n");
        let ctx = Context::background();
        let open = project.workstation(&ctx).unwrap();
        assert!(open.workstation.settings().commands.is_empty());
        assert_eq!(open.workstation.settings().limits.run_time, Duration::from_mins(10));
    }
}
