//! Starts any MCP server as a client would, asks it what clients ask, and gathers what hosts would refuse.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read as _, Write};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use hewto_engine::Result;
use hewto_engine::host_check::{HostFinding, Judge, Level};
use serde::Serialize;
use serde_json::{Value, json};

use crate::failure::machine;
use crate::ui::one_line;

/// The versions of the old era, newest first.
const VERSIONS: [&str; 2] = ["2025-11-25", "2024-11-05"];
/// The version of the new one.
const MODERN: &str = "2026-07-28";
/// No frame is longer.
const MAX_LINE: u64 = 32 << 20;
/// A list goes on for so many pages at most.
const MAX_PAGES: usize = 100;

/// What to start.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    pub(crate) folder: PathBuf,
    /// Exactly these variables, and no others; `None` for those of this process.
    pub(crate) env: Option<Vec<(String, String)>>,
    /// How long an answer may take.
    pub(crate) patience: Duration,
}

/// What was found out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct CheckView {
    pub(crate) command: String,
    /// No host would refuse anything
    pub(crate) ok: bool,
    pub(crate) server: String,
    pub(crate) version: String,
    /// The versions of the protocol that it answered
    pub(crate) eras: Vec<String>,
    pub(crate) tools: usize,
    /// What the list of tools takes, in bytes
    pub(crate) bytes: usize,
    pub(crate) findings: Vec<HostFinding>,
}

/// Starts the server three times: with the newest and the oldest version of the old era, and with the new one.
pub(crate) fn check(target: &Target) -> Result<CheckView> {
    let mut judge = Judge::default();
    let mut view = CheckView {
        command: shown(target),
        ok: false,
        server: String::new(),
        version: String::new(),
        eras: Vec::new(),
        tools: 0,
        bytes: 0,
        findings: Vec::new(),
    };
    for version in VERSIONS {
        let mut session = Session::start(target)?;
        match session.initialize(version) {
            None => judge.add(
                Level::Error,
                "era",
                "initialize",
                format!("no answer to `initialize` with {version}"),
            ),
            Some(Err(error)) => {
                judge.add(
                    Level::Error,
                    "era",
                    "initialize",
                    format!("`initialize` with {version} is refused: {error}"),
                );
            }
            Some(Ok(result)) => {
                view.eras.push(result["protocolVersion"].as_str().unwrap_or_default().to_owned());
                if version == VERSIONS[0] {
                    judge.initialize(version, &result);
                    view.server = result
                        .pointer("/serverInfo/name")
                        .and_then(Value::as_str)
                        .unwrap_or_default()
                        .to_owned();
                    view.version = result
                        .pointer("/serverInfo/version")
                        .and_then(Value::as_str)
                        .unwrap_or_default()
                        .to_owned();
                    ask(&mut session, &result, &mut view, &mut judge);
                }
            }
        }
        session.end(&mut judge, version == VERSIONS[0]);
    }
    let mut session = Session::start(target)?;
    let meta = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientInfo": client(), "io.modelcontextprotocol/clientCapabilities": {} } });
    match session.request("server/discover", meta) {
        Some(Ok(_)) => view.eras.push(MODERN.to_owned()),
        Some(Err(_)) | None => judge.add(
            Level::Info,
            "era",
            "server/discover",
            format!("it does not speak {MODERN}; hosts of that era fall back to `initialize`"),
        ),
    }
    session.end(&mut judge, false);
    view.eras.sort();
    view.eras.dedup();
    view.findings = judge.finish();
    view.findings.dedup();
    view.ok = view.findings.iter().all(|finding| finding.level != Level::Error);
    Ok(view)
}

/// What a client asks once it is let in.
fn ask(session: &mut Session, initialized: &Value, view: &mut CheckView, judge: &mut Judge) {
    let has = |name: &str| initialized.pointer(&format!("/capabilities/{name}")).is_some();
    if has("tools") {
        let tools = session.list("tools/list", "tools", judge);
        view.tools = tools.len();
        view.bytes = tools.iter().map(|tool| tool.to_string().len()).sum();
        let server = if view.server.is_empty() { "server" } else { &view.server };
        judge.tools(server, &tools);
        match session.request("tools/call", json!({ "name": "no_such_tool_anywhere", "arguments": {} })) {
            None => {
                judge.add(
                    Level::Error,
                    "answer",
                    "tools/call",
                    "a call of an unknown tool is never answered",
                );
            }
            Some(Ok(result)) if result["isError"] != true => {
                judge.add(
                    Level::Warning,
                    "answer",
                    "tools/call",
                    "a call of an unknown tool is answered as if it had worked",
                );
            }
            Some(_) => {}
        }
    } else {
        judge.add(Level::Warning, "answer", "", "it has no tools");
    }
    for (capability, method, field) in
        [("prompts", "prompts/list", "prompts"), ("resources", "resources/list", "resources")]
    {
        if has(capability) {
            session.list(method, field, judge);
        }
    }
    if !matches!(session.request("ping", json!({})), Some(Ok(_))) {
        judge.add(Level::Warning, "answer", "ping", "`ping` is not answered: hosts take the server for dead");
    }
    match session.request("no/such/method", json!({})) {
        None => judge.add(Level::Error, "answer", "", "an unknown method is never answered"),
        Some(Ok(_)) => {
            judge.add(Level::Warning, "answer", "", "an unknown method is answered as if it were known");
        }
        Some(Err(_)) => {}
    }
}

/// A server under way.
struct Session {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    last_id: u64,
    patience: Duration,
    noise: Vec<String>,
}

impl Session {
    fn start(target: &Target) -> Result<Self> {
        let mut command = Command::new(&target.program);
        command.args(&target.args).current_dir(&target.folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // What it starts goes with it.
        command.process_group(0);
        if let Some(env) = &target.env {
            command.env_clear().envs(env.iter().map(|(name, value)| (name, value)));
        }
        let cannot = |error| machine(format!("cannot start `{}`", target.program.to_string_lossy()), error);
        let mut child = command.spawn().map_err(cannot)?;
        let output = child.stdout.take().expect("the output was asked to be piped");
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            let mut reader = BufReader::new(output);
            let mut line = Vec::new();
            while let Ok(read) = (&mut reader).take(MAX_LINE).read_until(b'\n', &mut line) {
                if read == 0 || sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    break;
                }
                line.clear();
            }
        });
        let (input, patience) = (child.stdin.take(), target.patience);
        Ok(Self { child, input, lines, last_id: 0, patience, noise: Vec::new() })
    }

    fn initialize(&mut self, version: &str) -> Option<std::result::Result<Value, String>> {
        let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client() });
        let answer = self.request("initialize", params);
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer
    }

    /// The answer, or the message of the error; `None` when there is none in time.
    #[expect(clippy::needless_pass_by_value, reason = "made where it is passed")]
    fn request(&mut self, method: &str, params: Value) -> Option<std::result::Result<Value, String>> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let until = Instant::now() + self.patience;
        loop {
            let line = self.lines.recv_timeout(until.saturating_duration_since(Instant::now())).ok()?;
            let Some(mut frame) = self.frame(&line) else { continue };
            if frame.get("id").and_then(Value::as_u64) != Some(id) || frame.get("method").is_some() {
                continue;
            }
            return match frame.get_mut("result") {
                Some(result) => Some(Ok(result.take())),
                None => Some(Err(frame
                    .pointer("/error/message")
                    .and_then(Value::as_str)
                    .unwrap_or("no reason given")
                    .to_owned())),
            };
        }
    }

    /// A line as a message; what is none is noise.
    fn frame(&mut self, line: &str) -> Option<Value> {
        let frame = serde_json::from_str::<Value>(line)
            .ok()
            .filter(|frame| frame["jsonrpc"] == "2.0" || frame.is_array());
        if frame.is_none() && !line.trim().is_empty() {
            self.noise.push(one_line(&line.chars().take(120).collect::<String>()));
        }
        frame
    }

    /// Everything of a list that has pages.
    fn list(&mut self, method: &str, field: &str, judge: &mut Judge) -> Vec<Value> {
        let mut all = Vec::new();
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let params = cursor.take().map_or_else(|| json!({}), |cursor: Value| json!({ "cursor": cursor }));
            match self.request(method, params) {
                Some(Ok(mut page)) => {
                    match page.get_mut(field).map(Value::take) {
                        Some(Value::Array(items)) => all.extend(items),
                        _ => judge.add(
                            Level::Error,
                            "answer",
                            method,
                            format!("the answer has no list `{field}`"),
                        ),
                    }
                    match page.get("nextCursor").filter(|cursor| !cursor.is_null()) {
                        Some(next) => cursor = Some(next.clone()),
                        None => return all,
                    }
                }
                Some(Err(error)) => {
                    judge.add(
                        Level::Error,
                        "answer",
                        method,
                        format!("it says that it has {field}, and refuses to list them: {error}"),
                    );
                    return all;
                }
                None => {
                    judge.add(Level::Error, "answer", method, "no answer");
                    return all;
                }
            }
        }
        judge.add(Level::Error, "size", method, "the list has no end");
        all
    }

    fn send(&mut self, frame: &Value) {
        if let Some(input) = &mut self.input {
            // A server that has gone shows by its silence.
            let _ = writeln!(input, "{frame}").and_then(|()| input.flush());
        }
    }

    /// Ends the input, and sees whether the server ends with it.
    fn end(mut self, judge: &mut Judge, tells: bool) {
        drop(self.input.take());
        let until = Instant::now() + self.patience.min(Duration::from_secs(5));
        let mut ended = false;
        while Instant::now() < until {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                ended = true;
                break;
            }
            // It is another program that is waited for; there is nothing to be woken by.
            thread::park_timeout(Duration::from_millis(10));
        }
        if !ended && tells {
            judge.add(
                Level::Warning,
                "answer",
                "",
                "it goes on when its input ends: hosts leave it behind, running",
            );
        }
        while let Ok(line) = self.lines.try_recv() {
            self.frame(&line);
        }
        for line in std::mem::take(&mut self.noise).iter().take(3).filter(|_| tells) {
            judge.add(
                Level::Error,
                "stdout",
                "",
                format!("standard output has what is no message: `{line}`"),
            );
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn client() -> Value {
    json!({ "name": "hewto mcp-check", "version": env!("CARGO_PKG_VERSION") })
}

fn shown(target: &Target) -> String {
    let words = std::iter::once(&target.program).chain(&target.args);
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
