//! How messages come in and go out. So far: lines on stdin and stdout.

mod decode;
mod line;
mod owed;
mod stdio;

pub(crate) use stdio::StdioTransport;
