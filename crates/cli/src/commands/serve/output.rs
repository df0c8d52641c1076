//! Notices when nobody reads standard output any more.
//!
//! A client that was killed closes nothing in good order. A call that is still at work for it would go on for nobody.

use std::io;
use std::os::fd::AsFd;
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use tokio::sync::oneshot;

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
