//! The workstation toolset: files, git and builds beneath the allowed folders.
//!
//! What is done is `hewto-workstation`'s; this module opens it with the workspace's configuration, and runs each call
//! with the caller's deadline, cancellation and progress, at the pace that is due to the caller.

mod config;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hewto_store::OWN_FOLDER;
pub use hewto_workstation::{Call, ToolClass, Workstation, ci, files, git, shut_down};
use hewto_workstation::{Protected, RateLimiter, Roots};

use self::config::Config;
use crate::error::{Error, Result};
use crate::{Context, LayoutKind, Progress, Start, Workspace};

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
pub struct Station {
    station: Workstation,
    limiter: RateLimiter,
}

impl Station {
    /// Opens the allowed folders with what the workspace's own configuration allows in them.
    ///
    /// Without a workspace the first root is asked whether it is one; else nothing beyond the defaults is allowed.
    pub fn open(machine: &Machine, workspace: Result<&Workspace>, ctx: &Context) -> Result<Self> {
        let (roots, workspace) = match (machine.roots.as_slice(), workspace) {
            ([], Ok(workspace)) => (vec![workspace.root().to_owned()], Some(workspace.clone())),
            ([], Err(error)) => {
                return Err(error.hint("run `hewto init`, or start the server with `--root PATH`"));
            }
            (given, Ok(workspace)) => (given.to_vec(), Some(workspace.clone())),
            (given, Err(_)) => (given.to_vec(), workspace_at(&given[0])),
        };
        let config = match &workspace {
            // The settings of other tools are theirs, and not protected as ours are.
            Some(workspace) if workspace.layout().has(LayoutKind::Native) => {
                Config::read(&workspace.config_text(ctx)?)?
            }
            _ => Config::default(),
        };
        let own_config =
            |workspace: &Workspace| workspace.layout().absolute(&workspace.layout().places().config);
        // Nothing is written below the folder of hewto itself: it says what the tools may do.
        let protected = Protected {
            names: vec![OWN_FOLDER.to_owned()],
            files: workspace.as_ref().map(own_config).into_iter().collect(),
        };
        let mut settings = config.settings;
        settings.search_path.clone_from(&machine.search_path);
        settings.environment.clone_from(&machine.environment);
        Ok(Self {
            station: Workstation::new(Roots::open(&roots, protected)?, settings),
            limiter: RateLimiter::new(config.rates),
        })
    }

    /// Counts a call of this class against what its caller may make, or says how long to wait.
    pub fn admit(&self, ctx: &Context, class: ToolClass) -> Result<()> {
        Ok(self.limiter.take(ctx.client(), class, Instant::now())?)
    }

    /// How long a build, a test run or a command may take when the call does not say.
    pub fn run_time(&self) -> Duration {
        self.station.settings().limits.run_time
    }

    /// Runs one use case for a caller, as long as they may.
    pub fn perform<T>(
        &self,
        ctx: &Context,
        work: impl FnOnce(&Workstation, &Call<'_>) -> hewto_workstation::Result<T>,
    ) -> Result<T> {
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
        Ok(work(&self.station, &call)?)
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

    fn station(config: &str) -> (tempfile::TempDir, Result<Station>) {
        let dir = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(dir.path()).unwrap();
        fs_err::create_dir(root.join(".hewto")).unwrap();
        fs_err::write(root.join(".hewto/config.toml"), config).unwrap();
        fs_err::write(root.join("f.txt"), "hello").unwrap();
        let machine = Machine { roots: vec![root], ..Machine::default() };
        let none = Workspace::discover(Start::Here(Path::new("/nowhere/at/all"))).unwrap_err();
        let station = Station::open(&machine, Err(none), &Context::background());
        (dir, station)
    }

    fn write(path: &str) -> files::Write {
        files::Write { path: path.to_owned(), content: "x".to_owned() }
    }

    #[test]
    fn a_root_that_is_a_workspace_brings_its_settings_and_protects_them() {
        let (_dir, station) = station("[workstation.commands]\ngit = [[\"--version\"]]\n");
        let station = station.unwrap();
        assert_eq!(station.station.settings().commands["git"], [["--version"]]);
        let ctx = Context::background();
        let refused =
            station.perform(&ctx, |station, call| files::write(station, call, &write(".hewto/config.toml")));
        assert_eq!(refused.unwrap_err().key, "protected_path");
        station.perform(&ctx, |station, call| files::write(station, call, &write("g.txt"))).unwrap();
    }

    #[test]
    fn a_caller_in_a_hurry_is_told_how_long_to_wait() {
        let (_dir, station) = station("[workstation.rate]\nread = 0.001\n");
        let station = station.unwrap();
        let ctx = Context::background();
        station.admit(&ctx, ToolClass::Read).unwrap();
        station.admit(&ctx, ToolClass::Write).unwrap();
        let error = station.admit(&ctx, ToolClass::Read).unwrap_err();
        assert_eq!(error.key, "rate_limited");
        let wait = error.details["retry_after_s"].as_f64().unwrap();
        assert!(wait > 500.0 && wait <= 1000.0, "{wait}");
    }

    #[test]
    fn a_cancelled_caller_gets_nothing_done() {
        let (_dir, station) = station("");
        let ctx = Context::background();
        ctx.cancellation().cancel();
        let list = files::List {
            path: ".".to_owned(),
            order: files::ListOrder::Name,
            sizes: true,
            page: crate::PageRequest::default(),
        };
        let listed = station.unwrap().perform(&ctx, |station, call| files::list(station, call, &list));
        assert_eq!(listed.unwrap_err().key, "cancelled");
    }

    #[test]
    fn settings_that_make_no_sense_are_named() {
        let (_dir, station) = station("[workstation.rate]\nread = \"fast\"\n");
        let error = station.unwrap_err();
        assert_eq!(error.key, "config_invalid");
        assert!(error.message.contains("read"), "{}", error.message);
    }
}
