//! The bodies of the fuzz tests of the wire layer: plain functions that take bytes and panic when a promise breaks.
//!
//! `tests/fuzz.rs` runs them over `fuzz/corpus` and mutations of it; cargo-fuzz runs them by hand (`fuzz/`). Nothing
//! else calls them.

use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

use crate::builder::McpServerBuilder;
use crate::options::ServerOptions;
use crate::resources::ResourceUri;
use crate::transport::decode::{Decoded, Handshake, decode};
pub use crate::transport::http::fuzz::headers;
use crate::transport::line::{Line, LineReader};

/// A cap that mutations reach.
const SHORT_LINE: usize = 512;

/// Framing and decoding: whatever the bytes, each line is a message, a refusal or nothing, and no line is too long.
pub fn lines(input: &[u8]) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime starts");
    let mut reader = LineReader::new(Cursor::new(input.to_vec()), SHORT_LINE);
    while let Some(line) = runtime.block_on(reader.next_line()).expect("bytes in memory can be read") {
        let Line::Text(text) = line else { continue };
        assert!(text.len() <= SHORT_LINE, "a line of {} bytes passed", text.len());
        let Ok(message) = serde_json::from_slice::<Value>(&text) else { continue };
        for handshake in [Handshake::Awaited, Handshake::Done] {
            if let Decoded::Refused { error, .. } = decode(message.clone(), handshake) {
                let code = error.code.0;
                assert!(matches!(code, -32603..=-32600), "a refusal has a code of JSON-RPC: {code}");
            }
        }
    }
}

/// A whole server: it reads the bytes to their end, answers in well-formed messages and ends well.
pub fn session(input: &[u8]) {
    let output = Output::default();
    let options = ServerOptions {
        // Whatever a mutation calls changes nothing.
        read_only: true,
        call_timeout: Some(Duration::from_secs(5)),
        ..ServerOptions::default()
    };
    let server = McpServerBuilder::new().with_workspace("/").with_options(options).build();
    let server = server.expect("the options are right");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build();
    let runtime = runtime.expect("a runtime starts");
    let ended = runtime.block_on(server.run_on(Cursor::new(input.to_vec()), output.clone()));
    ended.expect("the server ends well");
    let written = output.0.lock().unwrap_or_else(PoisonError::into_inner);
    for line in written.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let message: Value = serde_json::from_slice(line).expect("an answer is JSON");
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        let is_answer = message.get("result").is_some() != message.get("error").is_some();
        assert!(is_answer || message["method"].is_string(), "{message}");
    }
}

/// Addresses of resources: what can be read is written as an address that reads as the same.
pub fn address(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    if let Some(uri) = ResourceUri::parse(text) {
        assert_eq!(ResourceUri::parse(&uri.to_string()), Some(uri), "{text}");
    }
}

#[derive(Debug, Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
