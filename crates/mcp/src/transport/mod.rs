//! How messages come in and go out: lines on stdin and stdout, or requests over HTTP.

pub(crate) mod decode;
pub(crate) mod frame;
pub(crate) mod http;
mod in_flight;
pub(crate) mod line;
mod outlet;
mod stdio;

pub use outlet::WriteNow;
pub(crate) use stdio::StdioTransport;

/// The server's end of a pipe that a test writes to.
#[cfg(test)]
pub(crate) fn test_input(pipe: std::io::PipeReader) -> tokio::net::unix::pipe::Receiver {
    tokio::net::unix::pipe::Receiver::from_owned_fd(pipe.into()).unwrap()
}
