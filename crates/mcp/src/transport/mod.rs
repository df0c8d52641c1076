//! How messages come in and go out: lines on stdin and stdout, or requests over HTTP.

pub(crate) mod decode;
pub(crate) mod http;
pub(crate) mod line;
mod outlet;
mod owed;
mod stdio;

pub use outlet::WriteNow;
pub(crate) use stdio::StdioTransport;
