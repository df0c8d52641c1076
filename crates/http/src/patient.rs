//! A socket that waits for its client, but not for ever.
//!
//! hyper has a time for reading; this adds one for writing. A client that takes nothing for so long is given up, and
//! what was on its way to it goes with the connection.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::time::{Instant, Sleep, sleep, timeout};

use crate::tls::Stream;

/// How long a client may take nothing of what is sent to it.
const WRITE_TIME: Duration = Duration::from_secs(15);
/// How much is still read after the last answer.
const LINGER_BYTES: usize = 64 * 1024 * 1024;

#[derive(Debug)]
pub(crate) struct Patient {
    stream: Stream,
    /// Runs while the client takes nothing.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, waiting: None }
    }

    /// Ends the connection gently. Closing with bytes unread would reset it and destroy the answer on its way.
    pub(crate) async fn part(mut self, linger: Duration) {
        let _ = timeout(linger, async {
            self.stream.shutdown().await?;
            let mut rest = vec![0; 16 * 1024];
            let mut left = LINGER_BYTES;
            while left > 0 {
                match self.stream.read(&mut rest).await? {
                    0 => break,
                    read => left = left.saturating_sub(read),
                }
            }
            io::Result::Ok(())
        })
        .await;
    }

    fn watch(&mut self, cx: &mut Context<'_>, wrote: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if wrote.is_ready() {
            self.waiting = None;
            return wrote;
        }
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(WRITE_TIME)));
        ready!(waiting.as_mut().poll(cx));
        // So that the next attempt, if there is one, has its own time.
        waiting.as_mut().reset(Instant::now() + WRITE_TIME);
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &[u8]) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write(cx, buffer);
        self.watch(cx, wrote)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write_vectored(cx, buffers);
        self.watch(cx, wrote)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
