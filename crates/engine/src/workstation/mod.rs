//! The workstation toolset: files, git and builds beneath the allowed folders.
//!
//! What is done is `hewto-workstation`'s; this module opens it with the workspace's configuration, and runs each call
//! with the caller's deadline, cancellation and progress, at the pace that is due to the caller.

mod permission;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use hewto_store::OWN_FOLDER;
pub use hewto_workstation::{Call, ToolClass, Workstation, ci, files, git, shut_down};
use hewto_workstation::{CommitHooks, Limits, Protected, RateLimiter, Roots, Settings};

use self::permission::{Permission, Seen};
use crate::error::{Action, Error, Hint, Result};
use crate::hub::HubSettings;
use crate::trust::Trust;
use crate::{Context, Progress, Project, Start, Workspace};

/// What the process that serves was started with.
#[derive(Debug, Clone, Default)]
pub struct Machine {
    /// The allowed folders, absolute; the workspace's root unless given.
    pub roots: Vec<PathBuf>,
    /// The entries of `PATH`.
    pub search_path: Vec<PathBuf>,
    pub environment: Vec<(OsString, OsString)>,
    /// What the owner of the machine has trusted.
    pub trust: Trust,
    /// The hub that the owner of the machine named.
    pub hub: Option<Arc<HubSettings>>,
    /// Whether the logs are kept from tools: where many call, each sees its own operations only.
    pub hides_logs: bool,
}

/// An open workstation, shared by all calls.
#[derive(Debug)]
pub(crate) struct OpenWorkstation {
    current: RwLock<Arc<Current>>,
    limiter: RateLimiter,
    workspace: Option<Workspace>,
}

/// The allowed folders with the settings that held when they were last looked at.
#[derive(Debug)]
struct Current {
    workstation: Workstation,
    seen: Vec<Seen>,
}

impl OpenWorkstation {
    /// Opens the allowed folders with what the workspace's own configuration allows in them, as far as it is trusted.
    ///
    /// Without a workspace the first root is asked whether it is one; else nothing beyond the defaults is allowed.
    fn open(machine: &Machine, workspace: Result<&Workspace>, ctx: &Context) -> Result<Self> {
        let (roots, workspace) = match (machine.roots.as_slice(), workspace) {
            ([], Ok(workspace)) => (vec![workspace.root().to_owned()], Some(workspace.clone())),
            ([], Err(error)) => {
                return Err(
                    error.hint(Hint::from(Action::Init).text(", or start the server with `--root PATH`"))
                );
            }
            (given, Ok(workspace)) => (given.to_vec(), Some(workspace.clone())),
            (given, Err(_)) => (given.to_vec(), workspace_at(&given[0])),
        };
        let own_config = |workspace: &Workspace| workspace.places().config.under(workspace.root());
        let real = |folder: PathBuf| fs_err::canonicalize(&folder).unwrap_or(folder);
        // Nothing is written below the folder of hewto itself, which says what the tools may do, nor where the owner's
        // trust and the machine's key are kept, or may be.
        let keys = ctx.secret().folders().iter().cloned();
        let logs = workspace.iter().filter(|_| machine.hides_logs).flat_map(logs_of);
        let protected = Protected {
            names: vec![OWN_FOLDER.to_owned()],
            files: workspace.as_ref().map(own_config).into_iter().collect(),
            folders: machine.trust.state_dir().into_iter().chain(keys).chain(logs).map(real).collect(),
        };
        let roots = Roots::open(&roots, protected)?;
        let permission = Permission::ask(&machine.trust, workspace.as_ref(), &real_paths(&roots), ctx)?;
        let limiter = RateLimiter::new(permission.rates);
        let workstation = Workstation::new(roots, settings(machine, &permission));
        let current = RwLock::new(Arc::new(Current { workstation, seen: permission.seen }));
        Ok(Self { current, limiter, workspace })
    }

    fn current(&self) -> Arc<Current> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The same as configured and trusted now.
    fn looked_at_again(&self, machine: &Machine, ctx: &Context) -> Result<Arc<Current>> {
        let current = self.current();
        let roots = real_paths(current.workstation.roots());
        let permission = Permission::ask(&machine.trust, self.workspace.as_ref(), &roots, ctx)?;
        if permission.seen == current.seen {
            return Ok(current);
        }
        let workstation = current.workstation.with_settings(settings(machine, &permission));
        let next = Arc::new(Current { workstation, seen: permission.seen });
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&next);
        Ok(next)
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
        self.workstation.get().map(|open| open.current().workstation.settings().limits.run_time)
    }

    /// Runs one use case of the workstation for a caller, as long as they may.
    pub fn perform<T>(
        &self,
        ctx: &Context,
        work: impl FnOnce(&Workstation, &Call<'_>) -> hewto_workstation::Result<T>,
    ) -> Result<T> {
        perform(&self.workstation(ctx)?.current().workstation, ctx, work)
    }

    /// The same for what starts programs of the project: it goes by what is configured and trusted now.
    pub fn perform_trusted<T>(
        &self,
        ctx: &Context,
        work: impl FnOnce(&Workstation, &Call<'_>) -> hewto_workstation::Result<T>,
    ) -> Result<T> {
        let current = self.workstation(ctx)?.looked_at_again(&self.machine, ctx)?;
        perform(&current.workstation, ctx, work)
    }
}

fn perform<T>(
    workstation: &Workstation,
    ctx: &Context,
    work: impl FnOnce(&Workstation, &Call<'_>) -> hewto_workstation::Result<T>,
) -> Result<T> {
    let cancellation = ctx.cancellation().clone();
    let is_cancelled = || cancellation.is_cancelled();
    let commit = || ctx.pass_commit_point();
    let told = AtomicU64::new(0);
    let progress = |line: &str| {
        let done = told.fetch_add(1, Ordering::Relaxed) + 1;
        ctx.report(Progress { done, total: None, message: line.to_owned() });
    };
    let call = Call::unbounded()
        .with_deadline(ctx.deadline())
        .with_cancellation(&is_cancelled)
        .with_commit_point(&commit)
        .with_progress(&progress);
    Ok(work(workstation, &call)?)
}

fn real_paths(roots: &Roots) -> Vec<PathBuf> {
    roots.paths().into_iter().map(Path::to_owned).collect()
}

/// A workstation that is only asked, of one folder and with nothing allowed.
pub(crate) fn for_reading(folder: PathBuf, search_path: &[PathBuf]) -> Option<Workstation> {
    let roots = Roots::open(&[folder], Protected::default()).ok()?;
    let settings = Settings { search_path: search_path.to_vec(), ..Settings::default() };
    Some(Workstation::new(roots, settings))
}

fn settings(machine: &Machine, permission: &Permission) -> Settings {
    let (allowed, limits) = (permission.allowed.clone(), Limits::default());
    Settings {
        commands: allowed.commands,
        pass_environment: allowed.pass_environment,
        commit_hooks: if allowed.runs_hooks { CommitHooks::Run } else { CommitHooks::Skip },
        limits: Limits { run_time: allowed.run_time.unwrap_or(limits.run_time), ..limits },
        search_path: machine.search_path.clone(),
        environment: machine.environment.clone(),
        run_places: permission.places.clone(),
    }
}

/// Where everybody's calls are on record.
fn logs_of(workspace: &Workspace) -> Vec<PathBuf> {
    let operations = workspace.places().operation_log.under(workspace.root());
    let mut folders = vec![workspace.places().wire_logs.under(workspace.root())];
    folders.extend(operations.parent().map(Path::to_owned));
    folders
}

fn workspace_at(root: &Path) -> Option<Workspace> {
    let real = std::fs::canonicalize(root).ok()?;
    Workspace::discover(Start::Here(root)).ok().filter(|workspace| workspace.root() == real)
}

impl From<hewto_workstation::Error> for Error {
    fn from(error: hewto_workstation::Error) -> Self {
        let mut own = Self::new(error.kind, error.key, error.full_message());
        own.hint = error.hint;
        own.details = *error.details;
        own
    }
}

#[cfg(test)]
mod tests;
