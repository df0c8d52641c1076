//! What the program says about itself while it works: to standard error, and nowhere else (D-16).

use std::io::{self, Write};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tracing_subscriber::EnvFilter;

use crate::env;
use crate::ui::{self, Ui};

/// How much is said unless `HEWTO_LOG` asks for something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verbosity {
    Warnings,
    Debug,
}

/// What a pipe that can be written to takes at once.
const PIPE_BUF: usize = 4096;

/// Standard error, never waited for: a host that does not read it loses lines, and not its server.
#[derive(Debug)]
struct Unwaited;

impl Write for Unwaited {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        // Held from the look to the write, so that no other line takes the room.
        let mut stderr = io::stderr().lock();
        let ready = poll(&mut [PollFd::new(&stderr, PollFlags::OUT)], Some(&Timespec::default()));
        if ready.is_ok_and(|ready| ready > 0) {
            stderr.write_all(&line[..line.len().min(PIPE_BUF)])?;
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Starts logging; called once, before a command runs.
pub(crate) fn start(ui: &mut Ui, verbosity: Verbosity) {
    let default = match verbosity {
        // rmcp warns of every error that it passes on to the client, who is told anyway.
        Verbosity::Warnings => "warn,rmcp=error",
        // The name stands for all crates that begin with it.
        Verbosity::Debug => "info,hewto=debug",
    };
    let filter = match env::log_filter().map(EnvFilter::try_new) {
        Some(Ok(filter)) => filter,
        Some(Err(error)) => {
            // A log filter is no reason to refuse work.
            let _ = ui.note(format_args!("warning: `{}` is ignored: {error}", env::LOG));
            EnvFilter::new(default)
        }
        None => EnvFilter::new(default),
    };
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| Unwaited)
        .with_ansi(ui::stderr_has_colour())
        .init();
}
