//! How messages come in and go out: lines on stdin and stdout, or requests over HTTP.

pub(crate) mod decode;
pub(crate) mod http;
pub(crate) mod line;
mod owed;
mod stdio;

pub(crate) use stdio::StdioTransport;
