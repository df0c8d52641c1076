//! A client of an MCP server, as small as can be: one request at a time, one line each way.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use hewto_engine::{Error, Key, Kind, Result};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::env;
use crate::failure::machine;

/// The server ends every call within 30 seconds (D-12); a little later it is not coming any more.
const PATIENCE: Duration = Duration::from_secs(40);

/// How a server is started.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    pub(crate) folder: PathBuf,
    /// Whether the server sees the variables of this process.
    pub(crate) inherits: Inherits,
    /// Variables to set, and to unset.
    pub(crate) env: BTreeMap<String, Option<String>>,
    /// What the server says on its standard error is shown to whoever started this command.
    pub(crate) stderr: Stderr,
    pub(crate) patience: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inherits {
    Everything,
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stderr {
    Shown,
    Dropped,
}

/// A running server and the way to talk to it.
#[derive(Debug)]
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    last_id: u64,
    patience: Duration,
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reply {
    Result(Value),
    /// The error object of an `isError` result.
    Refusal(Value),
}

impl Launch {
    /// This program's server with all that is on by default, whatever the user has set for his own: no model either.
    pub(crate) fn own(program: &Path, workspace: &Path) -> Self {
        Self {
            program: program.to_owned(),
            args: vec!["serve".into(), "--workspace".into(), workspace.into()],
            folder: workspace.to_owned(),
            inherits: Inherits::Everything,
            env: env::OF_THE_SERVER.iter().map(|name| ((*name).to_owned(), None)).collect(),
            stderr: Stderr::Shown,
            patience: PATIENCE,
        }
    }

    /// This very program as a server of a workspace, with fixed arguments and next to no environment; its logs and its home
    /// are in a folder that goes with the second value.
    pub(crate) fn scrubbed(workspace: &Path, patience: Duration) -> Result<(Self, TempDir)> {
        let program =
            std::env::current_exe().map_err(|error| machine("cannot find this program's own file", error))?;
        let folder = tempfile::tempdir().map_err(|error| machine("cannot make a temporary folder", error))?;
        let own = folder.path().to_string_lossy().into_owned();
        let path = env::search_path_text().unwrap_or_default();
        let launch = Self {
            args: vec![
                "serve".into(),
                "--workspace".into(),
                workspace.into(),
                "--log-dir".into(),
                folder.path().into(),
            ],
            program,
            folder: folder.path().to_owned(),
            inherits: Inherits::Nothing,
            env: [("HOME", own), ("PATH", path)].map(|(name, value)| (name.to_owned(), Some(value))).into(),
            stderr: Stderr::Dropped,
            patience,
        };
        Ok((launch, folder))
    }
}

impl Client {
    /// Starts a server and shakes hands.
    pub(crate) fn start(launch: &Launch) -> Result<Self> {
        let mut command = Command::new(&launch.program);
        command.args(&launch.args).current_dir(&launch.folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        if launch.stderr == Stderr::Dropped {
            command.stderr(Stdio::null());
        }
        if launch.inherits == Inherits::Nothing {
            command.env_clear();
        }
        for (name, value) in &launch.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let mut child = command.spawn().map_err(|error| machine("cannot start the server", error))?;
        let output = child.stdout.take().expect("the output was asked to be piped");
        let (sender, lines) = mpsc::channel();
        let patience = launch.patience;
        // From here on the server ends with this value, whatever fails.
        let mut client = Self { input: child.stdin.take(), child, lines, last_id: 0, patience };
        let reader = thread::Builder::new().name("hewto-client".to_owned()).spawn(move || {
            let incoming = BufReader::new(output).lines().map_while(std::result::Result::ok);
            incoming.take_while(|line| sender.send(line.clone()).is_ok()).for_each(drop);
        });
        reader.map_err(|error| machine("cannot start a thread that reads the server's answers", error))?;
        client.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": "hewto", "version": env!("CARGO_PKG_VERSION") },
            }),
        )?;
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(client)
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Reply> {
        let mut result = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        if result.get("isError").and_then(Value::as_bool) == Some(true) {
            let text = result.pointer("/content/0/text").and_then(Value::as_str).unwrap_or_default();
            let object = serde_json::from_str(text).map_err(|_| strange(&result.to_string()))?;
            return Ok(Reply::Refusal(object));
        }
        Ok(Reply::Result(result.get_mut("structuredContent").map(Value::take).unwrap_or_default()))
    }

    /// Ends the input and waits for the server to end.
    pub(crate) fn end(mut self) -> Result<()> {
        drop(self.input.take());
        self.child.wait().map_err(|error| machine("cannot wait for the server", error))?;
        Ok(())
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let line = self.lines.recv_timeout(self.patience).map_err(|_| silent())?;
            let mut frame: Value = serde_json::from_str(&line).map_err(|_| strange(&line))?;
            if frame.get("id").and_then(Value::as_u64) != Some(id) {
                // Nobody here waits for notifications.
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
    /// Leaves no server behind when something breaks off; after [`Client::end`] both calls find nothing to do.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn silent() -> Error {
    Error::new(Kind::Machine, Key::ServerSilent, "the server does not answer")
        .hint("run `hewto serve --debug` to see what it says")
}

fn strange(line: &str) -> Error {
    let shown: String = line.chars().take(200).collect();
    Error::new(Kind::Machine, Key::ServerStrange, format!("the server's answer was not expected: {shown}"))
}
