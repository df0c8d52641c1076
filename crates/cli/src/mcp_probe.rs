//! Starts any MCP server as a client would, asks it what clients ask, and gathers what hosts would refuse.

mod session;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use hewto_engine::Result;
use hewto_engine::host_check::{HostFinding, Judge, Level};
use serde::Serialize;
use serde_json::{Value, json};

use self::session::Session;

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
            None => {
                let why = session.end_told();
                judge.add(
                    Level::Error,
                    "era",
                    "initialize",
                    format!("no answer to `initialize` with {version}{why}"),
                );
            }
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
                    let named =
                        |what: &str| result["serverInfo"][what].as_str().unwrap_or_default().to_owned();
                    (view.server, view.version) = (named("name"), named("version"));
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

fn client() -> Value {
    json!({ "name": "hewto mcp-check", "version": env!("CARGO_PKG_VERSION") })
}

fn shown(target: &Target) -> String {
    let words = std::iter::once(&target.program).chain(&target.args);
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
