//! The dashboard beside controls of the same run: the board beside lists over HTTP and beside a blank page in Chromium, an edit
//! on its way to a page, and what open pages cost.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Outcome;
use super::browser::first_paint;
use super::http::resident_mib;
use crate::generate;
use crate::http::Server;
use crate::programs::Programs;
use crate::report::Report;
use crate::sample::in_turns;

/// Specs for each change: 10,000 and 1,000.
const SPECS_OF_A_CHANGE: usize = 10;
const EDITS: usize = 20;
const PAGES: usize = 50;
const IDLE_TIME: Duration = Duration::from_secs(10);
/// Nothing is told for so long: what an edit causes is over.
const QUIET: Duration = Duration::from_millis(1_500);
const TOKEN: &str = "f3a91c07de5b48826d10e94ab7c35f68";

pub(super) type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

pub(super) fn dashboard(programs: &Programs, report: &mut Report) -> Outcome {
    let folder = tempfile::tempdir()?;
    generate::openspec(folder.path(), report.specs, report.specs / SPECS_OF_A_CHANGE)?;
    let tokens = folder.path().join("tokens");
    fs_err::write(&tokens, format!("bench read,write,approve,admin {TOKEN}\n"))?;
    fs_err::set_permissions(&tokens, std::fs::Permissions::from_mode(0o600))?;
    let arguments = ["serve", "--http", "127.0.0.1:0", "--ui", "--token-file", "tokens"];
    let server = Server::start(&programs.hewto, &arguments, folder.path())?;
    let visitor = Visitor::sign_in(server.address())?;
    let id = generate::id(1);
    let one = format!("/w/default/spec/{id}");
    let pages = [
        ("board", "/w/default/board", "list_changes", json!({}), "`list_changes` over HTTP", "≤ 2 ×"),
        ("page of specs", "/w/default/specs", "list_specs", json!({}), "`list_specs` over HTTP", "≤ 2 ×"),
        // It shows more than the list: who changes it, what keeps it.
        (
            "page of a spec",
            &one,
            "get_spec_requirements",
            json!({ "spec_id": id }),
            "`get_spec_requirements` over HTTP",
            "",
        ),
    ];
    // The first board has health computed behind it, which keeps all cores busy; this answers when that is over.
    visitor.get("/w/default/board")?;
    visitor.get("/w/default/health.json")?;
    for (name, page, tool, arguments, control_is, goal) in pages {
        visitor.get(page)?;
        let (ours, control) =
            in_turns(report.rounds, || visitor.timed(page), || visitor.timed_call(tool, &arguments))?;
        report.times(&format!("{name}, server time, warm"), ours, Some((control, control_is)), goal);
    }
    for page in ["graph", "decisions", "proof", "ops", "health"] {
        let address = format!("/w/default/{page}");
        visitor.get(&address)?;
        let mut times = (0..report.rounds).map(|_| visitor.timed(&address)).collect::<Fallible<Vec<_>>>()?;
        times.sort_unstable();
        report.times(&format!("page `{page}`, server time, warm"), times[times.len() / 2], None, "");
    }
    edits(folder.path(), &visitor, report)?;
    idle(&server, &visitor, report)?;
    first_paint(&visitor, report)
}

/// From the moment a file is written to the moment an open page has heard of it and has fetched what it says now.
fn edits(root: &Path, visitor: &Visitor, report: &mut Report) -> Outcome {
    let mut events = visitor.listen()?;
    let id = generate::id(1);
    let file = root.join("openspec/specs").join(&id).join("spec.md");
    let page = format!("/w/default/spec/{id}");
    let text = fs_err::read_to_string(&file)?;
    let mut times = Vec::new();
    for turn in 0..EDITS {
        quiet(&mut events)?;
        let mark = format!("edit-number-{turn}-is-here");
        let edited = text.replacen("This capability keeps", &format!("{mark} keeps"), 1);
        let begin = Instant::now();
        fs_err::write(&file, edited)?;
        loop {
            next_change(&mut events)?;
            if visitor.body(&page)?.contains(&mark) {
                break;
            }
        }
        times.push(begin.elapsed());
    }
    times.sort_unstable();
    let p95 = times[times.len() * 95 / 100];
    report.times("an edit on disk is on an open page, p95 of 20", p95, None, "≤ 1 s");
    Ok(())
}

/// Waits until whatever else the last edit caused has been told.
fn quiet(events: &mut BufReader<TcpStream>) -> Outcome {
    events.get_ref().set_read_timeout(Some(QUIET))?;
    let mut line = String::new();
    while events.read_line(&mut line).is_ok_and(|read| read > 0) {
        line.clear();
    }
    events.get_ref().set_read_timeout(None)?;
    Ok(())
}

fn next_change(events: &mut impl BufRead) -> Outcome {
    let mut line = String::new();
    while events.read_line(&mut line)? > 0 {
        if line.starts_with("event: changed") {
            return Ok(());
        }
        line.clear();
    }
    Err("the events ended".into())
}

/// What pages cost that nobody looks at, beside the server without them.
fn idle(server: &Server, visitor: &Visitor, report: &mut Report) -> Outcome {
    let share = |server: &Server| -> Fallible<f64> {
        std::thread::sleep(Duration::from_secs(2));
        let before = processor_time(server.pid())?;
        std::thread::sleep(IDLE_TIME);
        let used = processor_time(server.pid())?.saturating_sub(before);
        Ok(used.as_secs_f64() / IDLE_TIME.as_secs_f64() * 100.0)
    };
    let (none, memory) = (share(server)?, resident_mib(server.pid())?);
    let open: Vec<_> = (0..PAGES).map(|_| visitor.listen()).collect::<Fallible<_>>()?;
    let fifty = share(server)?;
    let more = (resident_mib(server.pid())? - memory).max(0.0) / PAGES as f64;
    drop(open);
    report.add("50 open pages, nothing happens", fifty, Some((none, "no page")), "% of a core", "≤ 2 %");
    report.add("memory of one of them", more, None, "MiB", "≤ 1");
    Ok(())
}

fn processor_time(pid: u32) -> Fallible<Duration> {
    let stat = fs_err::read_to_string(format!("/proc/{pid}/stat"))?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|ticks| ticks.parse::<u64>().ok()).unwrap_or(0);
    Ok(Duration::from_millis((ticks(11) + ticks(12)) * 10))
}

/// Somebody who is signed in.
pub(super) struct Visitor {
    pub(super) address: SocketAddr,
    pub(super) cookie: String,
}

impl Visitor {
    fn sign_in(address: SocketAddr) -> Fallible<Self> {
        let nobody = Self { address, cookie: String::new() };
        let body = format!("token={TOKEN}");
        let origin = format!("Origin: http://hewto.localhost:{}\r\n", address.port());
        let head = format!("{origin}Content-Type: application/x-www-form-urlencoded\r\n");
        let (answer, _) = nobody.ask("POST", "/login", &head, &body)?;
        let cookie = answer
            .lines()
            .find_map(|line| line.to_ascii_lowercase().strip_prefix("set-cookie: ").map(str::to_owned));
        let cookie = cookie.and_then(|cookie| cookie.split(';').next().map(str::to_owned));
        Ok(Self { address, cookie: cookie.ok_or("nobody was signed in")? })
    }

    fn ask(&self, method: &str, path: &str, head: &str, body: &str) -> Fallible<(String, String)> {
        let mut stream = TcpStream::connect(self.address)?;
        let host = format!("hewto.localhost:{}", self.address.port());
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {}\r\nConnection: close\r\n{head}Content-Length: {}\r\n\r\n{body}",
            self.cookie,
            body.len()
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").ok_or("an answer has a head")?;
        Ok((head.to_owned(), body.to_owned()))
    }

    pub(super) fn get(&self, path: &str) -> Fallible<()> {
        self.body(path).map(drop)
    }

    fn body(&self, path: &str) -> Fallible<String> {
        let (head, body) = self.ask("GET", path, "", "")?;
        if head.starts_with("HTTP/1.1 200") { Ok(body) } else { Err(format!("{path}: {head}").into()) }
    }

    fn timed(&self, path: &str) -> Fallible<Duration> {
        let begin = Instant::now();
        self.get(path)?;
        Ok(begin.elapsed())
    }

    fn timed_call(&self, tool: &str, arguments: &Value) -> Fallible<Duration> {
        let version = "2026-07-28";
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool, "arguments": arguments,
            "_meta": { "io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": {} } } });
        let head = format!(
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: {version}\r\n\
             Mcp-Method: tools/call\r\nMcp-Name: {tool}\r\nAuthorization: Bearer {TOKEN}\r\n"
        );
        let begin = Instant::now();
        let (head, answer) = self.ask("POST", "/mcp", &head, &body.to_string())?;
        let took = begin.elapsed();
        if head.starts_with("HTTP/1.1 200") && !answer.contains("\"isError\":true") {
            Ok(took)
        } else {
            Err(format!("{tool}: {head}\n{answer}").into())
        }
    }

    /// The events of an open page.
    fn listen(&self) -> Fallible<BufReader<TcpStream>> {
        let mut stream = TcpStream::connect(self.address)?;
        let host = format!("hewto.localhost:{}", self.address.port());
        write!(stream, "GET /w/default/events HTTP/1.1\r\nHost: {host}\r\nCookie: {}\r\n\r\n", self.cookie)?;
        let mut events = BufReader::new(stream);
        let mut line = String::new();
        while !line.starts_with(": hello") {
            line.clear();
            if events.read_line(&mut line)? == 0 {
                return Err("the events ended".into());
            }
        }
        Ok(events)
    }
}
