//! Standard output: a way to write to it without waiting, and a watch over whether anybody reads it.
//!
//! A client that was killed closes nothing in good order. A call that is still at work for it would go on for nobody.

use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::thread;

use hewto_mcp::WriteNow;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::net::SendFlags;
use tokio::sync::oneshot;

/// Writes what a pipe or a socket has room for; `None` where that cannot be done without waiting.
pub(super) fn write_now() -> Option<WriteNow> {
    let stdout = io::stdout();
    match FileType::from_raw_mode(rustix::fs::fstat(&stdout).ok()?.st_mode) {
        // Opened anew: others may share the inherited end, and would not expect that it never waits.
        FileType::Fifo => {
            let path = format!("/proc/self/fd/{}", stdout.as_raw_fd());
            let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let pipe = rustix::fs::open(path, flags, Mode::empty()).ok()?;
            Some(Box::new(move |bytes| Ok(rustix::io::write(&pipe, bytes)?)))
        }
        FileType::Socket => {
            let socket = stdout.as_fd().try_clone_to_owned().ok()?;
            Some(Box::new(move |bytes| Ok(rustix::net::send(&socket, bytes, SendFlags::DONTWAIT)?)))
        }
        _ => None,
    }
}

/// Resolves when the other end of standard output is closed; never, when it is no pipe.
pub(super) fn closed() -> io::Result<impl Future<Output = ()>> {
    let stdout = io::stdout().as_fd().try_clone_to_owned()?;
    let (tell, told) = oneshot::channel();
    thread::Builder::new().name("hewto-output".to_owned()).spawn(move || {
        // Whoever waits for nothing in particular is told of the end alone.
        let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
        while let Err(Errno::INTR) = poll(&mut watched, None) {}
        // The server may have ended by itself.
        let _ = tell.send(());
    })?;
    Ok(async move {
        if told.await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
