//! Standard input that is read without a thread that waits for it, and that can be ended from inside.
//!
//! The server ends well when its input ends: it answers what came in and closes its logs. A signal is to have the same
//! effect.

use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd};
use std::os::unix::net::UnixStream as StdStream;
use std::pin::Pin;
use std::task::{Context, Poll};

use rustix::fs::{FileType, Mode, OFlags, Stat};
use tokio::io::{AsyncRead, ReadBuf, Stdin};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::sync::oneshot;

/// Standard input, unbuffered.
#[derive(Debug)]
pub(super) struct Input {
    stream: Stream,
    stopped: oneshot::Receiver<()>,
}

/// Ends the input when it is dropped.
#[derive(Debug)]
pub(super) struct Stop {
    _open: oneshot::Sender<()>,
}

#[derive(Debug)]
enum Stream {
    Pipe(pipe::Receiver),
    Socket(Socket),
    /// A file or a terminal: a thread waits for it.
    Other(Stdin),
}

/// A socket that does not wait while the server reads from it.
#[derive(Debug)]
struct Socket {
    stream: UnixStream,
    waits: bool,
}

impl Input {
    pub(super) fn standard() -> (Self, Stop) {
        let (output, errors) = (io::stdout(), io::stderr());
        let stream = Stream::of(&io::stdin(), &[output.as_fd(), errors.as_fd()]);
        Self::of(stream.unwrap_or_else(|_| Stream::Other(tokio::io::stdin())))
    }

    fn of(stream: Stream) -> (Self, Stop) {
        let (open, stopped) = oneshot::channel();
        (Self { stream, stopped }, Stop { _open: open })
    }
}

impl Stream {
    /// What can be waited for without a thread. Whether a stream waits is a matter of all who hold it, so the outputs,
    /// which have to, must not be the same.
    fn of(input: &impl AsFd, outputs: &[BorrowedFd<'_>]) -> io::Result<Self> {
        let stat = rustix::fs::fstat(input)?;
        match FileType::from_raw_mode(stat.st_mode) {
            // Opened anew, a pipe is ours alone.
            FileType::Fifo => {
                let path = format!("/proc/self/fd/{}", input.as_fd().as_raw_fd());
                let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
                let pipe = rustix::fs::open(path, flags, Mode::empty())?;
                Ok(Self::Pipe(pipe::Receiver::from_owned_fd(pipe)?))
            }
            FileType::Socket if !outputs.iter().any(|output| is_same(&stat, *output)) => {
                Ok(Self::Socket(Socket::new(input.as_fd())?))
            }
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

fn is_same(stat: &Stat, other: BorrowedFd<'_>) -> bool {
    rustix::fs::fstat(other).is_ok_and(|other| (other.st_dev, other.st_ino) == (stat.st_dev, stat.st_ino))
}

impl Socket {
    fn new(socket: BorrowedFd<'_>) -> io::Result<Self> {
        let waits = !rustix::fs::fcntl_getfl(socket)?.contains(OFlags::NONBLOCK);
        let stream = StdStream::from(socket.try_clone_to_owned()?);
        stream.set_nonblocking(true)?;
        Ok(Self { stream: UnixStream::from_std(stream)?, waits })
    }
}

impl Drop for Socket {
    /// Whoever reads on after the server finds it as it was.
    fn drop(&mut self) {
        if self.waits
            && let Ok(flags) = rustix::fs::fcntl_getfl(&self.stream)
        {
            let _ = rustix::fs::fcntl_setfl(&self.stream, flags - OFlags::NONBLOCK);
        }
    }
}

impl AsyncRead for Input {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // Nobody sends anything: any news is its end.
        if Pin::new(&mut self.stopped).poll(cx).is_ready() {
            return Poll::Ready(Ok(()));
        }
        match &mut self.stream {
            Stream::Pipe(pipe) => Pin::new(pipe).poll_read(cx, buffer),
            Stream::Socket(socket) => Pin::new(&mut socket.stream).poll_read(cx, buffer),
            Stream::Other(stdin) => Pin::new(stdin).poll_read(cx, buffer),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use tokio::io::AsyncReadExt as _;

    use super::*;

    /// The two kinds of streams that hosts start servers with, and the client's ends.
    fn inputs() -> [(Input, Stop, Box<dyn Write>); 2] {
        let (reader, writer) = io::pipe().unwrap();
        let (near, far) = StdStream::pair().unwrap();
        let through = |end: &dyn AsFd| Input::of(Stream::of(&end.as_fd(), &[]).unwrap());
        let (pipe, pipe_stop) = through(&reader);
        let (socket, socket_stop) = through(&near);
        [(pipe, pipe_stop, Box::new(writer)), (socket, socket_stop, Box::new(far))]
    }

    #[tokio::test]
    async fn what_is_written_arrives_and_its_end_is_the_end() {
        for (mut input, _stop, mut writer) in inputs() {
            let read = tokio::spawn(async move {
                let mut text = String::new();
                input.read_to_string(&mut text).await.map(|_| text)
            });
            tokio::task::yield_now().await;
            writer.write_all(b"hello").unwrap();
            tokio::task::yield_now().await;
            writer.write_all(b" there").unwrap();
            drop(writer);
            assert_eq!(read.await.unwrap().unwrap(), "hello there");
        }
    }

    #[tokio::test]
    async fn a_reader_that_waits_is_ended_by_the_stop() {
        for (mut input, stop, _writer) in inputs() {
            let read = tokio::spawn(async move { input.read(&mut [0; 8]).await });
            tokio::task::yield_now().await;
            drop(stop);
            assert_eq!(read.await.unwrap().unwrap(), 0);
        }
    }

    #[tokio::test]
    async fn whoever_else_holds_the_stream_finds_it_as_it_was() {
        let (reader, _writer) = io::pipe().unwrap();
        let (near, _far) = StdStream::pair().unwrap();
        for end in [reader.as_fd(), near.as_fd()] {
            drop(Stream::of(&end, &[]).unwrap());
            assert!(!rustix::fs::fcntl_getfl(end).unwrap().contains(OFlags::NONBLOCK));
        }
    }

    #[tokio::test]
    async fn a_socket_that_is_the_output_too_goes_on_waiting() {
        let (near, _far) = StdStream::pair().unwrap();
        assert!(Stream::of(&near, &[near.as_fd()]).is_err());
        assert!(!rustix::fs::fcntl_getfl(&near).unwrap().contains(OFlags::NONBLOCK));
    }
}
