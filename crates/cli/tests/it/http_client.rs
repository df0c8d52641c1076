//! How the HTTP tests start a server on a free port, and speak to it byte by byte.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{BufRead, BufReader, Read, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use hewto_testkit::TestWorkspace;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// Long, because test machines are busy.
const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) const MODERN: &str = "2026-07-28";

/// Who may come in where tokens are asked for.
const TOKENS: &str = "# ours\nreader read r-token-5f1c9a7be3d24806\nwriter read,write w-token-5f1c9a7be3d24806\nstation workstation s-token-5f1c9a7be3d24806\n";

/// A server on a port of its own.
pub(crate) struct HttpServer {
    child: Child,
    pub(crate) address: SocketAddr,
    stderr: BufReader<std::process::ChildStderr>,
    /// Sent with every request.
    token: Option<String>,
}

/// What a server answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) text: String,
}

/// A connection whose answer is read piece by piece.
pub(crate) struct Wire(pub(crate) BufReader<TcpStream>);

impl HttpServer {
    pub(crate) fn start(folder: &Path, flags: &[&str]) -> Self {
        Self::start_with(folder, flags, &[])
    }

    /// The same with further variables.
    pub(crate) fn start_with(folder: &Path, flags: &[&str], env: &[(&str, &str)]) -> Self {
        let mut command = command(folder, &[&["--http", "127.0.0.1:0"], flags].concat());
        let mut child = command.envs(env.iter().copied()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        let address = loop {
            let mut line = String::new();
            assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "the server ended: {said}");
            if let Some(rest) = line.strip_prefix("serving http://") {
                break rest.split('/').next().unwrap().parse().unwrap();
            }
            said += &line;
        };
        Self { child, address, stderr, token: None }
    }

    /// The same server, asked by somebody with this token.
    pub(crate) fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    pub(crate) fn connect(&self) -> Wire {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Wire(BufReader::new(stream))
    }

    /// Sends a request on a connection of its own.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        self.begin(method, path, headers, body).answer()
    }

    pub(crate) fn begin(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Wire {
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            write!(head, "Host: {}\r\n", self.address).unwrap();
        }
        if let Some(token) = &self.token {
            write!(head, "Authorization: Bearer {token}\r\n").unwrap();
        }
        for (name, value) in headers {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        if !body.is_empty() {
            write!(head, "Content-Length: {}\r\n", body.len()).unwrap();
        }
        let mut wire = self.connect();
        // A server that has heard enough may have closed its ears.
        let _ = wire.0.get_mut().write_all(&[head.as_bytes(), b"\r\n", body].concat());
        wire
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], b"")
    }

    /// A request of the new era with the headers that belong to it.
    pub(crate) fn modern(&self, path: &str, method: &str, params: Value) -> Answer {
        self.begin_modern(path, method, params, "application/json, text/event-stream").answer()
    }

    pub(crate) fn begin_modern(&self, path: &str, method: &str, params: Value, accept: &str) -> Wire {
        let message = modern_message(1, method, params);
        let name = message["params"]["name"].as_str().or(message["params"]["uri"].as_str());
        let mut headers = vec![
            ("Content-Type", "application/json"),
            ("Accept", accept),
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", method),
        ];
        headers.extend(name.map(|name| ("Mcp-Name", name)));
        self.begin("POST", path, &headers, message.to_string().as_bytes())
    }

    pub(crate) fn call(&self, path: &str, tool: &str, arguments: Value) -> Answer {
        self.modern(path, "tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// A message of the old era, within a session where there is one.
    pub(crate) fn legacy(&self, session: Option<&str>, message: &Value) -> Answer {
        let mut headers =
            vec![("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
        headers.extend(session.map(|id| ("Mcp-Session-Id", id)));
        self.send("POST", "/mcp", &headers, message.to_string().as_bytes())
    }

    /// Shakes hands in the old era; the session's id.
    pub(crate) fn initialize(&self) -> String {
        let answer = self.legacy(None, &initialize());
        assert_eq!(answer.status, 200, "{answer:?}");
        let id = answer.header("mcp-session-id").unwrap().to_owned();
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(self.legacy(Some(&id), &note).status, 202);
        id
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self) {
        let pid = Pid::from_raw(self.child.id().try_into().unwrap()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
    }

    /// Waits for the end; what was said on standard error since the start.
    pub(crate) fn wait(mut self) -> (ExitStatus, String) {
        let mut said = String::new();
        self.stderr.read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap(), said)
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn command(folder: &Path, flags: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hewto"));
    command
        .arg("serve")
        .args(flags)
        .current_dir(folder)
        .env_remove("HEWTO_WORKSPACE")
        .env_remove("SPECMAN_WORKSPACE")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

pub(crate) fn modern_message(id: i64, method: &str, mut params: Value) -> Value {
    let meta = &mut params["_meta"];
    meta["io.modelcontextprotocol/protocolVersion"] = json!(MODERN);
    if meta["io.modelcontextprotocol/clientCapabilities"].is_null() {
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    }
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

pub(crate) fn initialize() -> Value {
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" },
    } })
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        // A server that takes its time answers with events; the last one is the reply.
        let event = self.text.lines().filter_map(|line| line.strip_prefix("data: ")).next_back();
        let text = if self.text.starts_with('{') { &self.text } else { event.unwrap_or(&self.text) };
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The key that a program acts on.
    pub(crate) fn error(&self) -> Value {
        self.json()["error"]["data"]["error"].clone()
    }
}

impl Wire {
    pub(crate) fn head(&mut self) -> Answer {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).unwrap();
            let line = line.trim_end().to_owned();
            if line.is_empty() {
                break;
            }
            lines.push(line);
        }
        let status = lines.first().unwrap_or_else(|| panic!("no answer"));
        let status = status.split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines[1..].iter().filter_map(|line| line.split_once(": "));
        let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect();
        Answer { status, headers, text: String::new() }
    }

    /// The whole answer, until the server closes.
    pub(crate) fn answer(mut self) -> Answer {
        let mut answer = self.head();
        let mut text = String::new();
        self.0.read_to_string(&mut text).unwrap();
        answer.text = text;
        answer
    }

    /// The next event of a stream, past its chunks and comments; `None` at the end.
    pub(crate) fn event(&mut self) -> Option<Value> {
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            if let Some(data) = line.strip_prefix("data: ") {
                return Some(serde_json::from_str(data).unwrap());
            }
        }
    }

    /// Waits until the server closes the connection; false when patience ends first.
    pub(crate) fn ends(mut self) -> bool {
        self.0.read_to_end(&mut Vec::new()).is_ok()
    }
}

/// A server that asks for a token of [`TOKENS`].
pub(crate) fn with_tokens(workspace: &TestWorkspace, flags: &[&str]) -> HttpServer {
    token_file(workspace, TOKENS);
    HttpServer::start(workspace.root(), &[&["--token-file", "tokens"], flags].concat())
}

/// Writes the file `tokens`, which nobody else can read.
pub(crate) fn token_file(workspace: &TestWorkspace, text: &str) {
    let file = workspace.root().join("tokens");
    fs_err::write(&file, text).unwrap();
    fs_err::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
}

/// Keeps writers waiting until it is dropped.
pub(crate) fn hold_lock(workspace: &TestWorkspace) -> File {
    let file = OpenOptions::new().write(true).open(workspace.root().join(".hewto/lock")).unwrap();
    file.lock().unwrap();
    file
}

pub(crate) fn wait_for(mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "it never happened");
        std::thread::yield_now();
    }
}
