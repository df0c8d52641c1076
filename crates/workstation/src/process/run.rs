//! Runs one child to its end and watches it on the way.

use std::ffi::OsString;
use std::io::Read;
use std::ops::ControlFlow;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hewto_core::interrupt::Interrupted;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::capture::{Captured, Keep};
use super::reap::{born, gone, is_closed, kill_group, kill_marked};
use crate::call::Call;
use crate::error::{Error, Key, Result};
use crate::show::show_path;

/// How often the clock and the cancellation are looked at.
const TICK: Duration = Duration::from_millis(20);
/// How long output may still come after everything was killed.
const LAST_WORDS: Duration = Duration::from_millis(300);
const CHUNK: usize = 64 * 1024;
/// Output beyond this is drained with pauses, so that an endless one cannot keep a core busy.
const FREE_BYTES: u64 = 64 << 20;
const PAUSE: Duration = Duration::from_millis(1);
/// How long a program may be busy before it is not started.
const BUSY_TIME: Duration = Duration::from_secs(2);

static RUNS: AtomicU64 = AtomicU64::new(0);

/// What to run.
#[derive(Debug)]
pub(crate) struct Child<'c> {
    pub(crate) program: &'c Path,
    pub(crate) arguments: &'c [OsString],
    /// The working folder; the child starts in this very folder, whatever its path means by then.
    pub(crate) folder: &'c OwnedFd,
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// When it is killed; the call's own deadline counts too.
    pub(crate) deadline: Option<Instant>,
    pub(crate) keep: Keep,
    pub(crate) sweep: Sweep,
}

/// Whether processes that left the group are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sweep {
    Group,
    Everywhere,
}

/// Which of its outputs a child writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Exited,
    /// Whoever watched had seen enough.
    Stopped,
    Interrupted(Interrupted),
}

/// A child that is no more.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) ended: Ended,
    pub(crate) status: ExitStatus,
    pub(crate) duration: Duration,
    pub(crate) stdout: Captured,
    pub(crate) stderr: Captured,
}

impl Finished {
    pub(crate) fn exit_code(&self) -> Option<i32> {
        self.status.code().filter(|_| self.ended == Ended::Exited)
    }

    pub(crate) fn signal(&self) -> Option<i32> {
        self.status.signal()
    }
}

/// Runs a child; `watch` sees its output as it comes and can end it.
pub(crate) fn run(
    child: &Child<'_>,
    call: &Call<'_>,
    watch: &mut dyn FnMut(Stream, &[u8]) -> ControlFlow<()>,
) -> Result<Finished> {
    call.check()?;
    let began = Instant::now();
    let mut running = Running::start(child)?;
    let mut output = Output {
        stdout: Captured::new(child.keep),
        stderr: Captured::new(child.keep),
        chunk: vec![0; CHUNK],
        wanted: ControlFlow::Continue(()),
        watch,
    };
    let mut drained = 0_u64;
    let mut silent_since = None;
    let ended = loop {
        if running.is_silent() {
            // Nothing more will come. Most children end in the same moment; the others are waited for.
            if running.has_exited() {
                break Ended::Exited;
            }
            if silent_since.get_or_insert_with(Instant::now).elapsed() < PAUSE {
                std::thread::yield_now();
            } else {
                std::thread::sleep(PAUSE);
            }
        } else {
            running.wait_for_output(TICK);
            for stream in [Stream::Stdout, Stream::Stderr] {
                let read = output.take(&mut running, stream);
                drained += read as u64;
                if read > 0 && drained > FREE_BYTES {
                    std::thread::sleep(PAUSE);
                }
            }
            if output.wanted.is_break() {
                break Ended::Stopped;
            }
            if running.has_exited() {
                break Ended::Exited;
            }
        }
        if let Err(why) = call.check() {
            break Ended::Interrupted(why);
        }
        if child.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            break Ended::Interrupted(Interrupted::TimedOut);
        }
    };
    let duration = began.elapsed();
    running.kill();
    // What was written before the end is still in the pipes.
    let until = Instant::now() + LAST_WORDS;
    while !running.is_silent() && Instant::now() < until {
        running.wait_for_output(TICK);
        for stream in [Stream::Stdout, Stream::Stderr] {
            output.take(&mut running, stream);
        }
    }
    let status = running.reap()?;
    Ok(Finished { ended, status, duration, stdout: output.stdout, stderr: output.stderr })
}

/// What has come from a child so far, and whether more is wanted.
struct Output<'w> {
    stdout: Captured,
    stderr: Captured,
    chunk: Vec<u8>,
    wanted: ControlFlow<()>,
    watch: &'w mut dyn FnMut(Stream, &[u8]) -> ControlFlow<()>,
}

impl Output<'_> {
    /// Takes in what a stream has now; how many bytes that were.
    fn take(&mut self, running: &mut Running, stream: Stream) -> usize {
        let read = running.read(stream, &mut self.chunk);
        if read > 0 {
            let captured = match stream {
                Stream::Stdout => &mut self.stdout,
                Stream::Stderr => &mut self.stderr,
            };
            captured.push(&self.chunk[..read]);
            if self.wanted.is_continue() {
                self.wanted = (self.watch)(stream, &self.chunk[..read]);
            }
        }
        read
    }
}

/// A child that lives. Dropped, it is killed with everything that it started.
struct Running {
    child: std::process::Child,
    pid: Pid,
    stdout: Option<std::process::ChildStdout>,
    stderr: Option<std::process::ChildStderr>,
    mark: Option<String>,
    reaped: bool,
}

impl Running {
    fn start(child: &Child<'_>) -> Result<Self> {
        let shown = show_path(child.program);
        let fail = |error: std::io::Error| {
            Error::machine(Key::ProgramFailedToStart, format!("cannot start: `{shown}`")).caused_by(error)
        };
        let number = RUNS.fetch_add(1, Ordering::Relaxed);
        let mark = format!("HEWTO_RUN={}-{number}-{:x}", std::process::id(), entropy());
        let mut command = Command::new(child.program);
        command
            .args(child.arguments)
            .env_clear()
            .envs(child.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(folder_path(child.folder))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        if let Some((name, value)) = mark.split_once('=') {
            command.env(name, value);
        }
        let mut process = spawn(&mut command).map_err(fail)?;
        let pid = Pid::from_child(&process);
        born(pid, &mark);
        let (stdout, stderr) = (process.stdout.take(), process.stderr.take());
        let mark = (child.sweep == Sweep::Everywhere).then_some(mark);
        let running = Self { child: process, pid, stdout, stderr, mark, reaped: false };
        let outputs = [running.stdout.as_ref().map(AsFd::as_fd), running.stderr.as_ref().map(AsFd::as_fd)];
        for fd in outputs.into_iter().flatten() {
            rustix::io::ioctl_fionbio(fd, true).map_err(|error| fail(error.into()))?;
        }
        if is_closed() {
            // The server ends: dropping it ends the child.
            return Err(Error::machine(Key::Cancelled, "the server is shutting down"));
        }
        Ok(running)
    }

    /// Whether both outputs are closed.
    fn is_silent(&self) -> bool {
        self.stdout.is_none() && self.stderr.is_none()
    }

    fn wait_for_output(&self, most: Duration) {
        let mut fds: Vec<PollFd<'_>> = Vec::with_capacity(2);
        fds.extend(self.stdout.as_ref().map(|fd| PollFd::new(fd, PollFlags::IN)));
        fds.extend(self.stderr.as_ref().map(|fd| PollFd::new(fd, PollFlags::IN)));
        let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(most.subsec_nanos()) };
        // Interrupted or not, the outputs are looked at next.
        let _ = poll(&mut fds, Some(&timeout));
    }

    /// Reads what is there; an output that has ended is closed.
    fn read(&mut self, stream: Stream, chunk: &mut [u8]) -> usize {
        let read = match stream {
            Stream::Stdout => self.stdout.as_mut().map(|output| output.read(chunk)),
            Stream::Stderr => self.stderr.as_mut().map(|output| output.read(chunk)),
        };
        let would_wait = |error: &std::io::Error| {
            matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::Interrupted)
        };
        match read {
            None => 0,
            Some(Err(error)) if would_wait(&error) => 0,
            Some(Ok(0) | Err(_)) => {
                match stream {
                    Stream::Stdout => self.stdout = None,
                    Stream::Stderr => self.stderr = None,
                }
                0
            }
            Some(Ok(read)) => read,
        }
    }

    /// Whether the child has ended; it is left as it is, so that its number stays its own.
    fn has_exited(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(self.pid), options), Ok(None))
    }

    fn kill(&self) {
        kill_group(self.pid);
        if let Some(mark) = &self.mark {
            kill_marked(mark);
        }
    }

    fn reap(&mut self) -> Result<ExitStatus> {
        self.reaped = true;
        gone(self.pid);
        self.child
            .wait()
            .map_err(|error| Error::machine(Key::IoError, "cannot wait for a child").caused_by(error))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.reaped {
            self.kill();
            gone(self.pid);
            let _ = self.child.wait();
        }
    }
}

/// Starts a program, even one that was written a moment ago: another child that is just being started has inherited the
/// descriptor it was written by, and until that child runs its own program the kernel calls this one busy.
fn spawn(command: &mut Command) -> std::io::Result<std::process::Child> {
    let began = Instant::now();
    loop {
        match command.spawn() {
            Err(error)
                if error.kind() == std::io::ErrorKind::ExecutableFileBusy && began.elapsed() < BUSY_TIME =>
            {
                std::thread::sleep(PAUSE);
            }
            spawned => return spawned,
        }
    }
}

/// A path by which a child reaches an open folder.
#[cfg(target_os = "linux")]
fn folder_path(folder: &OwnedFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()))
}

#[cfg(not(target_os = "linux"))]
fn folder_path(folder: &OwnedFd) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;
    // A folder without a path is gone; starting the child in `` then fails.
    let path = rustix::fs::getpath(folder).unwrap_or_default();
    PathBuf::from(OsString::from_vec(path.into_bytes()))
}

/// Something that no other run can guess or repeat.
fn entropy() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(std::process::id())
}
