//! A client that does nothing but send a line and wait for one.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A server under measurement.
#[derive(Debug)]
pub(crate) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    line: String,
    next_id: u64,
}

impl Client {
    /// Starts a server in a folder and shakes hands.
    pub(crate) fn start(program: &Path, arguments: &[&str], folder: &Path) -> std::io::Result<Self> {
        let mut child = Command::new(program)
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let mut client = Self { child, stdin, stdout, line: String::new(), next_id: 0 };
        client.request(
            "initialize",
            &json!({ "protocolVersion": "2025-11-25", "capabilities": {},
                     "clientInfo": { "name": "bench", "version": "0" } }),
        )?;
        Ok(client)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> std::io::Result<()> {
        self.request("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// Calls a tool that answers in pages until the last of them.
    pub(crate) fn call_through(&mut self, tool: &str, arguments: &Value) -> std::io::Result<()> {
        let mut arguments = arguments.clone();
        loop {
            self.call(tool, &arguments)?;
            let Some(cursor) = self.next_cursor() else { return Ok(()) };
            arguments["cursor"] = cursor.into();
        }
    }

    /// The cursor of the last answer, as it stands in the structured content; in the text its quotes are escaped.
    fn next_cursor(&self) -> Option<String> {
        let (_, rest) = self.line.split_once("\"next_cursor\":\"")?;
        rest.split_once('"').map(|(cursor, _)| cursor.to_owned())
    }

    /// The last answer, as it came.
    pub(crate) fn answer(&self) -> &str {
        &self.line
    }

    /// Sends a request and waits for its answer, which has to be a result.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> std::io::Result<()> {
        self.next_id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params });
        let stdin = self.stdin.as_mut().expect("stdin is open until the client is dropped");
        stdin.write_all(format!("{request}\n").as_bytes())?;
        self.line.clear();
        self.stdout.read_line(&mut self.line)?;
        // Parsing would be measured too; a failure is told by its first bytes well enough. A schema may have an `error` too.
        let failures = ["\"error\":{\"code\"", "\"isError\":true"];
        if self.line.is_empty() || failures.iter().any(|failure| self.line.contains(failure)) {
            let told: String = self.line.chars().take(2_000).collect();
            return Err(std::io::Error::other(format!("{method} failed: {told}")));
        }
        Ok(())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // End of input ends the server.
        self.stdin = None;
        let _ = self.child.wait();
    }
}
