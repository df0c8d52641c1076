//! One guarded git process after another, in one repository.

use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use hewto_core::failure::Kind;

use super::config_files::may_name_programs;
use super::discover::Repository;
use super::guard::{Locks, NAMED_SETTINGS, Named, RequiredFilters, environment};
use super::program::GitProgram;
use crate::call::Call;
use crate::error::{Action, Error, Key, Result};
use crate::process::{Child, Ended, Keep, Stream, Sweep, run};
use crate::settings::CommitHooks;
use crate::show::{beginning, show_bytes};
use crate::station::Workstation;

/// More than this is never asked of git at once.
const MAX_OUTPUT: usize = 64 << 20;
/// How much of what git complains about is passed on.
const COMPLAINT_CHARS: usize = 2_000;

/// A repository with everything that is needed to run git in it.
#[derive(Debug)]
pub(super) struct Git<'g> {
    pub(super) station: &'g Workstation,
    pub(super) call: &'g Call<'g>,
    pub(super) repository: Repository,
    program: GitProgram,
    named: Named,
}

/// One git process.
#[derive(Debug)]
pub(super) struct Task<'t> {
    arguments: Vec<OsString>,
    locks: Locks,
    required: RequiredFilters,
    hooks: CommitHooks,
    most: usize,
    cut: Cut,
    doing: &'t str,
}

/// What happens when git prints more than is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// The answer would be wrong: an error.
    Refuse,
    /// The beginning is enough: git is ended.
    Accept,
}

/// What git printed.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
    pub(super) exit_code: i32,
    /// Whether the end is missing.
    pub(super) cut: bool,
}

impl<'g> Git<'g> {
    /// Finds the repository and learns what of its configuration has to be overruled.
    pub(super) fn open(station: &'g Workstation, call: &'g Call<'g>, repo: Option<&str>) -> Result<Self> {
        let program = GitProgram::find(station, call)?;
        let repository = Repository::find(station, call, repo.unwrap_or("."))?;
        Self::at(station, call, program, repository)
    }

    /// The repository whose work tree is the first root, for what hewto itself asks. Where it reaches outside, and its git folder
    /// was judged, that folder is taken.
    pub(super) fn open_own(
        station: &'g Workstation,
        call: &'g Call<'g>,
        git_folder: Option<&Path>,
    ) -> Result<Self> {
        let program = GitProgram::find(station, call)?;
        let repository = match (Repository::find(station, call, "."), git_folder) {
            (Err(error), Some(folder)) if error.kind == Kind::Refused => {
                Repository::with_git_folder(station.roots(), folder)?
            }
            (found, _) => found?,
        };
        Self::at(station, call, program, repository)
    }

    fn at(
        station: &'g Workstation,
        call: &'g Call<'g>,
        program: GitProgram,
        repository: Repository,
    ) -> Result<Self> {
        repository.refuse_pipes(station.roots())?;
        let git = Self { station, call, repository, program, named: Named::default() };
        if may_name_programs(station.roots(), &git.program, &git.repository) {
            git.with_named_settings()
        } else {
            Ok(git)
        }
    }

    fn with_named_settings(mut self) -> Result<Self> {
        let output = self.run(&Task::new(["config", "-z", "--includes", "--get-regexp", NAMED_SETTINGS]))?;
        // 1 means that there is no such setting.
        if output.exit_code > 1 {
            return Err(failed("read the configuration", &output));
        }
        self.named = Named::parse(&output.stdout);
        if let Some(work_tree) = self.named.work_tree.clone() {
            self.repository = self.repository.with_work_tree(self.station.roots(), &work_tree)?;
        }
        Ok(self)
    }

    pub(super) fn version(&self) -> (u32, u32) {
        self.program.version
    }

    /// Says which filters of the repository were not run, where it has some.
    pub(super) fn note(&self) -> Option<String> {
        let shown: Vec<String> =
            self.named.filters.iter().map(|name| show_bytes(name.as_bytes()).text).collect();
        (!shown.is_empty()).then(|| format!("filters are not run here: `{}`", shown.join("`, `")))
    }

    /// Runs git, whatever its exit code.
    pub(super) fn run(&self, task: &Task<'_>) -> Result<Output> {
        self.run_for(task, self.call)
    }

    /// The same on behalf of a call with less time.
    pub(super) fn run_for(&self, task: &Task<'_>, call: &Call<'_>) -> Result<Output> {
        let child = Child {
            program: &self.program.path,
            arguments: &task.arguments,
            folder: &self.repository.top,
            environment: environment(
                self.station,
                &self.repository.git_dir,
                &self.named,
                task.locks,
                task.required,
                task.hooks,
            ),
            deadline: None,
            keep: Keep::Head(task.most),
            sweep: if task.hooks == CommitHooks::Run { Sweep::Everywhere } else { Sweep::Group },
        };
        let mut seen = 0;
        let finished = run(&child, call, &mut |stream, chunk| {
            seen += if stream == Stream::Stdout { chunk.len() } else { 0 };
            if seen > task.most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if let Ended::Interrupted(why) = finished.ended {
            return Err(why.into());
        }
        let cut = finished.stdout.is_cut();
        if cut && task.cut == Cut::Refuse {
            return Err(Error::refused(Key::OutputTooLarge, "git answers with more than can be read here")
                .hint("ask for less: name `paths`, or a smaller range"));
        }
        Ok(Output {
            stdout: finished.stdout.bytes().to_vec(),
            stderr: show_bytes(finished.stderr.bytes()).text,
            exit_code: if cut { 0 } else { finished.exit_code().unwrap_or(-1) },
            cut,
        })
    }

    /// Runs git and takes anything but success for a failure.
    pub(super) fn must(&self, task: &Task<'_>) -> Result<Output> {
        let output = self.run(task)?;
        if output.exit_code == 0 { Ok(output) } else { Err(failed(task.doing, &output)) }
    }

    /// The one line that git prints.
    pub(super) fn line(&self, task: &Task<'_>) -> Result<String> {
        let output = self.must(task)?;
        Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    }
}

impl<'t> Task<'t> {
    /// A task that only reads.
    pub(super) fn new<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Self {
        let arguments = arguments.into_iter().map(|argument| argument.as_ref().to_owned()).collect();
        Self {
            arguments,
            locks: Locks::Needed,
            required: RequiredFilters::Ignore,
            hooks: CommitHooks::Skip,
            most: MAX_OUTPUT,
            cut: Cut::Refuse,
            doing: "ask git",
        }
    }

    pub(super) fn doing(mut self, doing: &'t str) -> Self {
        self.doing = doing;
        self
    }

    /// More arguments.
    pub(super) fn with<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Paths, after everything else; git takes them literally.
    pub(super) fn paths(self, paths: &[OsString]) -> Self {
        self.with(["--"]).with(paths)
    }

    /// Paths are no longer literal: each has to say so itself.
    pub(super) fn with_pathspec_magic(mut self) -> Self {
        self.arguments.insert(0, "--no-literal-pathspecs".into());
        self
    }

    pub(super) fn writing(mut self) -> Self {
        self.locks = Locks::All;
        self
    }

    pub(super) fn insisting_on_filters(mut self) -> Self {
        self.required = RequiredFilters::Insist;
        self
    }

    pub(super) fn hooks(mut self, hooks: CommitHooks) -> Self {
        self.hooks = hooks;
        self
    }

    pub(super) fn at_most(mut self, bytes: usize) -> Self {
        self.most = bytes.min(MAX_OUTPUT);
        self.cut = Cut::Accept;
        self
    }
}

/// A failure in git's own words.
pub(super) fn failed(doing: &str, output: &Output) -> Error {
    let complaint = output.stderr.trim();
    let words = complaint.lines().next().unwrap_or_default();
    let words = words.trim_start_matches("fatal: ").trim_start_matches("error: ");
    let message =
        if words.is_empty() { format!("cannot {doing}") } else { format!("cannot {doing}: {words}") };
    let error = if complaint.contains(".lock': File exists") {
        Error::machine(Key::RepositoryLocked, message)
            .hint("another git process is at work here; try again when it is done")
    } else if complaint.contains("tell me who you are") || complaint.contains("empty ident") {
        Error::refused(Key::IdentityMissing, "git does not know who commits")
            .hint("the user has to set `user.name` and `user.email` in their git configuration")
    } else if complaint.contains("did not match any file") {
        Error::refused(Key::NotFound, message)
            .hint(Action::GitStatus.then(" or ").action(Action::ListFolder).text(" to see the names"))
    } else if complaint.contains("filter") && complaint.contains("failed") {
        Error::refused(Key::FilterRequired, message).hint(
            "this file needs a filter of the repository, which is not run here; stage it by other means",
        )
    } else {
        Error::refused(Key::GitFailed, message)
    };
    error.detail("exit_code", output.exit_code).detail("stderr", beginning(complaint, COMPLAINT_CHARS))
}
