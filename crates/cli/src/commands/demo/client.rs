//! A client of the MCP server, as small as can be: one request at a time, one line each way.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use hewto_engine::{Error, Kind, Result};
use serde_json::{Value, json};

use crate::env;
use crate::failure::machine;

/// The server ends every call within 30 seconds (D-12); a little later it is not coming any more.
const PATIENCE: Duration = Duration::from_secs(40);

/// A running server and the way to talk to it.
#[derive(Debug)]
pub(super) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    last_id: u64,
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reply {
    Result(Value),
    /// The error object of an `isError` result.
    Refusal(Value),
}

impl Client {
    /// Starts `<program> serve` on a workspace and shakes hands.
    pub(super) fn start(program: &Path, workspace: &Path) -> Result<Self> {
        let mut command = Command::new(program);
        command.arg("serve").arg("--workspace").arg(workspace).stdin(Stdio::piped()).stdout(Stdio::piped());
        for name in [env::TOOLSETS, env::TOOLS, env::READ_ONLY, env::PROFILE] {
            // The demonstration needs the whole workflow, whatever the user has set for his own server.
            command.env_remove(name);
        }
        let mut child = command.spawn().map_err(|error| machine("cannot start the server", error))?;
        let output = child.stdout.take().expect("the output was asked to be piped");
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            let incoming = BufReader::new(output).lines().map_while(std::result::Result::ok);
            incoming.take_while(|line| sender.send(line.clone()).is_ok()).for_each(drop);
        });
        let mut client = Self { input: child.stdin.take(), child, lines, last_id: 0 };
        client.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": "hewto-demo", "version": env!("CARGO_PKG_VERSION") },
            }),
        )?;
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(client)
    }

    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Reply> {
        let mut result = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        if result.get("isError").and_then(Value::as_bool) == Some(true) {
            let text = result.pointer("/content/0/text").and_then(Value::as_str).unwrap_or_default();
            let object = serde_json::from_str(text).map_err(|_| strange(&result.to_string()))?;
            return Ok(Reply::Refusal(object));
        }
        Ok(Reply::Result(result.get_mut("structuredContent").map(Value::take).unwrap_or_default()))
    }

    /// Ends the input and waits for the server to end.
    pub(super) fn end(mut self) -> Result<()> {
        drop(self.input.take());
        self.child.wait().map_err(|error| machine("cannot wait for the server", error))?;
        Ok(())
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let line = self.lines.recv_timeout(PATIENCE).map_err(|_| silent())?;
            let mut frame: Value = serde_json::from_str(&line).map_err(|_| strange(&line))?;
            if frame.get("id").and_then(Value::as_u64) != Some(id) {
                // Notifications have no place in the story.
                continue;
            }
            return match frame.get_mut("result") {
                Some(result) => Ok(result.take()),
                None => Err(strange(&line)),
            };
        }
    }

    fn send(&mut self, frame: &Value) -> Result<()> {
        let input = self.input.as_mut().expect("the input is open until the end");
        writeln!(input, "{frame}").and_then(|()| input.flush()).map_err(|error| silent().caused_by(error))
    }
}

impl Drop for Client {
    /// Leaves no server behind when the story breaks off; after [`Client::end`] both calls find nothing to do.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn silent() -> Error {
    Error::new(Kind::Machine, "server_silent", None, "the server does not answer")
        .hint("run `hewto serve --debug` to see what it says")
}

fn strange(line: &str) -> Error {
    let shown: String = line.chars().take(200).collect();
    Error::new(
        Kind::Machine,
        "server_strange",
        None,
        format!("the server's answer was not expected: {shown}"),
    )
}
