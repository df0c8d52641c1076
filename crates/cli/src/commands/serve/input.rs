//! Standard input that is read without a thread that waits for it, and that can be ended from inside.
//!
//! The server ends well when its input ends: it answers what came in and closes its logs. A signal is to have the same
//! effect.

use std::fs::File;
use std::io::{self, PipeWriter, Read as _, Write as _};
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream as StdStream;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::sync::oneshot;

/// How long to wait where nothing was to be read after all.
const FALSE_ALARM: Duration = Duration::from_millis(10);

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
}

/// A socket that does not wait while the server reads from it.
#[derive(Debug)]
struct Socket {
    stream: UnixStream,
    waits: bool,
}

impl Input {
    pub(super) fn standard() -> io::Result<(Self, Stop)> {
        let (input, output, errors) = (io::stdin(), io::stdout(), io::stderr());
        Stream::of(input.as_fd(), &[output.as_fd(), errors.as_fd()]).map(Self::of)
    }

    fn of(stream: Stream) -> (Self, Stop) {
        let (open, stopped) = oneshot::channel();
        (Self { stream, stopped }, Stop { _open: open })
    }
}

impl Stream {
    fn of(input: BorrowedFd<'_>, outputs: &[BorrowedFd<'_>]) -> io::Result<Self> {
        Self::direct(input, outputs).or_else(|_| Self::relayed(input))
    }

    /// What the runtime can wait for. Whether a stream waits is a matter of all who hold it, so the outputs, which have
    /// to, must not be the same.
    fn direct(input: BorrowedFd<'_>, outputs: &[BorrowedFd<'_>]) -> io::Result<Self> {
        let stat = rustix::fs::fstat(input)?;
        match FileType::from_raw_mode(stat.st_mode) {
            // Opened anew, a pipe is ours alone. One with a name would not tell its end to whoever comes after its writer.
            FileType::Fifo if has_no_name(input)? && can_be_read(input)? => {
                let path = format!("/proc/self/fd/{}", input.as_raw_fd());
                let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
                let pipe = rustix::fs::open(path, flags, Mode::empty())?;
                Ok(Self::Pipe(pipe::Receiver::from_owned_fd(pipe)?))
            }
            FileType::Socket if !outputs.iter().any(|output| is_same(&stat, *output)) => {
                Ok(Self::Socket(Socket::new(input)?))
            }
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// A file, a terminal or the like: a thread waits for it and passes it on.
    fn relayed(input: BorrowedFd<'_>) -> io::Result<Self> {
        let input = File::from(input.try_clone_to_owned()?);
        let (received, pass_on) = io::pipe()?;
        thread::Builder::new().name("hewto-stdin".to_owned()).spawn(move || {
            if let Err(error) = relay(input, pass_on) {
                tracing::warn!(%error, "cannot read from the client");
            }
        })?;
        Ok(Self::Pipe(pipe::Receiver::from_owned_fd(OwnedFd::from(received))?))
    }
}

fn relay(mut input: File, mut pass_on: PipeWriter) -> io::Result<()> {
    if !can_be_read(input.as_fd())? {
        return Ok(());
    }
    let mut buffer = [0; 8 * 1024];
    loop {
        // Somebody may have made it return at once when there is nothing to read.
        let mut waiting = [PollFd::new(&input, PollFlags::IN)];
        match poll(&mut waiting, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        match input.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => {
                if pass_on.write_all(&buffer[..read]).is_err() {
                    // The server has ended.
                    return Ok(());
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // Some streams always seem ready, for the sake of an error that nobody can read.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::sleep(FALSE_ALARM),
            Err(error) => return Err(error),
        }
    }
}

#[cfg(target_os = "linux")]
fn has_no_name(pipe: BorrowedFd<'_>) -> io::Result<bool> {
    const PIPEFS: rustix::fs::FsWord = 0x5049_5045;
    Ok(rustix::fs::fstatfs(pipe)?.f_type == PIPEFS)
}

#[cfg(not(target_os = "linux"))]
fn has_no_name(_: BorrowedFd<'_>) -> io::Result<bool> {
    // Nor is there a way to open it anew.
    Ok(false)
}

fn can_be_read(stream: BorrowedFd<'_>) -> io::Result<bool> {
    Ok((rustix::fs::fcntl_getfl(stream)? & OFlags::RWMODE) != OFlags::WRONLY)
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
        // Nobody sends anything: any news is its end, and stays it.
        if self.stopped.is_terminated() || Pin::new(&mut self.stopped).poll(cx).is_ready() {
            return Poll::Ready(Ok(()));
        }
        match &mut self.stream {
            Stream::Pipe(pipe) => Pin::new(pipe).poll_read(cx, buffer),
            Stream::Socket(socket) => Pin::new(&mut socket.stream).poll_read(cx, buffer),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use tokio::io::AsyncReadExt as _;

    use super::*;

    /// The streams that hosts start servers with, and others, with the client's ends.
    fn inputs() -> [(Input, Stop, Box<dyn Write + Send>); 4] {
        let (reader, writer) = io::pipe().unwrap();
        let (near, far) = StdStream::pair().unwrap();
        let (both, other) = StdStream::pair().unwrap();
        // Nothing is there yet, and whoever reads is told so.
        both.set_nonblocking(true).unwrap();
        let (relayed, to_relayed) = io::pipe().unwrap();
        let pipe = Input::of(Stream::direct(reader.as_fd(), &[]).unwrap());
        let socket = Input::of(Stream::direct(near.as_fd(), &[]).unwrap());
        let shared = Input::of(Stream::of(both.as_fd(), &[both.as_fd()]).unwrap());
        let passed_on = Input::of(Stream::relayed(relayed.as_fd()).unwrap());
        [
            (pipe.0, pipe.1, Box::new(writer)),
            (socket.0, socket.1, Box::new(far)),
            (shared.0, shared.1, Box::new(other)),
            (passed_on.0, passed_on.1, Box::new(to_relayed)),
        ]
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
    async fn a_reader_that_waits_is_ended_by_the_stop_for_good() {
        for (mut input, stop, mut writer) in inputs() {
            let read = tokio::spawn(async move {
                let first = input.read(&mut [0; 8]).await;
                writer.write_all(b"more").unwrap();
                [first, input.read(&mut [0; 8]).await]
            });
            tokio::task::yield_now().await;
            drop(stop);
            for read in read.await.unwrap() {
                assert_eq!(read.unwrap(), 0);
            }
        }
    }

    #[tokio::test]
    async fn whoever_else_holds_the_stream_finds_it_as_it_was() {
        let (reader, _writer) = io::pipe().unwrap();
        let (near, _far) = StdStream::pair().unwrap();
        for end in [reader.as_fd(), near.as_fd()] {
            drop(Stream::direct(end, &[]).unwrap());
            assert!(!rustix::fs::fcntl_getfl(end).unwrap().contains(OFlags::NONBLOCK));
        }
    }

    #[tokio::test]
    async fn what_the_runtime_cannot_wait_for_is_left_alone() {
        let (near, _far) = StdStream::pair().unwrap();
        assert!(Stream::direct(near.as_fd(), &[near.as_fd()]).is_err(), "the output has to wait");
        assert!(!rustix::fs::fcntl_getfl(&near).unwrap().contains(OFlags::NONBLOCK));
        let (_reader, writer) = io::pipe().unwrap();
        assert!(Stream::direct(writer.as_fd(), &[]).is_err(), "it is for writing");
        let folder = tempfile::tempdir().unwrap();
        let named = folder.path().join("fifo");
        rustix::fs::mknodat(rustix::fs::CWD, &named, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        let open = File::options().read(true).write(true).open(&named).unwrap();
        assert!(Stream::direct(open.as_fd(), &[]).is_err(), "its end would be missed");
    }
}
