//! Standard input that can be ended from inside.
//!
//! The server ends well when its input ends: it answers what came in and closes its logs. A signal is to have the same
//! effect, but a thread that waits in a read cannot be called back. So it waits for either of two things.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

/// Standard input, unbuffered.
#[derive(Debug)]
pub(super) struct Input {
    stream: File,
    stopped: PipeReader,
}

/// Ends the input when it is dropped.
#[derive(Debug)]
pub(super) struct Stop {
    _open: PipeWriter,
}

impl Input {
    pub(super) fn standard() -> io::Result<(Self, Stop)> {
        Self::of(File::from(io::stdin().as_fd().try_clone_to_owned()?))
    }

    fn of(stream: File) -> io::Result<(Self, Stop)> {
        let (stopped, open) = io::pipe()?;
        Ok((Self { stream, stopped }, Stop { _open: open }))
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut waiting =
            [PollFd::new(&self.stopped, PollFlags::IN), PollFd::new(&self.stream, PollFlags::IN)];
        match poll(&mut waiting, None) {
            Err(Errno::INTR) => return Err(io::ErrorKind::Interrupted.into()),
            other => other?,
        };
        // Nobody writes to the pipe: any news from it is its end.
        if waiting[0].revents().is_empty() { self.stream.read(buffer) } else { Ok(0) }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::OwnedFd;
    use std::thread;

    use super::*;

    fn input() -> (Input, Stop, PipeWriter) {
        let (reader, writer) = io::pipe().unwrap();
        let (input, stop) = Input::of(File::from(OwnedFd::from(reader))).unwrap();
        (input, stop, writer)
    }

    #[test]
    fn what_is_written_arrives_and_its_end_is_the_end() {
        let (mut input, _stop, mut writer) = input();
        writer.write_all(b"hello").unwrap();
        drop(writer);
        let mut text = String::new();
        input.read_to_string(&mut text).unwrap();
        assert_eq!(text, "hello");
    }

    #[test]
    fn a_reader_that_waits_is_ended_by_the_stop() {
        let (mut input, stop, _writer) = input();
        let reader = thread::spawn(move || input.read(&mut [0; 8]).unwrap());
        drop(stop);
        assert_eq!(reader.join().unwrap(), 0);
    }
}
