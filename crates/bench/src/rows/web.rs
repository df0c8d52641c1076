//! The dashboard beside controls of the same run: the board beside lists over HTTP and beside a blank page in Chromium, an edit
//! on its way to a page, and what open pages cost.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Outcome;
use crate::generate;
use crate::http::Server;
use crate::programs::Programs;
use crate::report::{self, Report};
use crate::sample::{in_turns, time};

/// Specs for each change: 10,000 and 1,000.
const SPECS_OF_A_CHANGE: usize = 10;
const EDITS: usize = 20;
const PAGES: usize = 50;
const IDLE_TIME: Duration = Duration::from_secs(10);
const TOKEN: &str = "f3a91c07de5b48826d10e94ab7c35f68";

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

pub(super) fn dashboard(programs: &Programs, report: &mut Report) -> Outcome {
    let folder = tempfile::tempdir()?;
    generate::openspec(folder.path(), report.specs, report.specs / SPECS_OF_A_CHANGE)?;
    let tokens = folder.path().join("tokens");
    fs_err::write(&tokens, format!("bench read,write,approve,admin {TOKEN}\n"))?;
    fs_err::set_permissions(&tokens, std::fs::Permissions::from_mode(0o600))?;
    let arguments = ["serve", "--http", "127.0.0.1:0", "--ui", "--token-file", "tokens"];
    let server = Server::start(&programs.hewto, &arguments, folder.path())?;
    let visitor = Visitor::sign_in(server.address())?;
    visitor.get("/w/default/board")?;
    let (ours, control) = in_turns(
        report.rounds,
        || visitor.timed("/w/default/board"),
        || visitor.timed_call("list_changes", &json!({})),
    )?;
    report.times("board, server time, warm", ours, Some((control, "`list_changes` over HTTP")), "≤ 2 ×");
    edits(folder.path(), &visitor, report)?;
    idle(&server, &visitor, report)?;
    first_paint(&visitor, report)
}

/// From the moment a file is written to the moment an open page hears of it.
fn edits(root: &Path, visitor: &Visitor, report: &mut Report) -> Outcome {
    let mut events = visitor.listen()?;
    let file = root.join("openspec/specs").join(generate::id(1)).join("spec.md");
    let text = fs_err::read_to_string(&file)?;
    let mut times = Vec::new();
    for turn in 0..EDITS {
        fs_err::write(&file, format!("{text}\n<!-- {turn} -->\n"))?;
        times.push(time(|| next_change(&mut events)));
        // Whatever else the edit causes is over before the next one.
        std::thread::sleep(Duration::from_millis(600));
    }
    times.sort_unstable();
    let p95 = times[times.len() * 95 / 100];
    report.times("an edit on disk reaches an open page, p95 of 20", p95, None, "≤ 1 s");
    Ok(())
}

fn next_change(events: &mut impl BufRead) {
    let mut line = String::new();
    while events.read_line(&mut line).is_ok_and(|read| read > 0) && !line.starts_with("event: changed") {
        line.clear();
    }
}

/// What pages cost that nobody looks at.
fn idle(server: &Server, visitor: &Visitor, report: &mut Report) -> Outcome {
    let open: Vec<_> = (0..PAGES).map(|_| visitor.listen()).collect::<Fallible<_>>()?;
    std::thread::sleep(Duration::from_secs(2));
    let before = processor_time(server.pid())?;
    std::thread::sleep(IDLE_TIME);
    let used = processor_time(server.pid())?.saturating_sub(before);
    drop(open);
    let share = used.as_secs_f64() / IDLE_TIME.as_secs_f64() * 100.0;
    report.add("50 open pages, nothing happens", share, None, "% of a core", "≤ 2 %");
    Ok(())
}

fn processor_time(pid: u32) -> Fallible<Duration> {
    let stat = fs_err::read_to_string(format!("/proc/{pid}/stat"))?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|ticks| ticks.parse::<u64>().ok()).unwrap_or(0);
    Ok(Duration::from_millis((ticks(11) + ticks(12)) * 10))
}

/// The first paint of the board beside that of a page with nothing on it.
fn first_paint(visitor: &Visitor, report: &mut Report) -> Outcome {
    let Some(browser) = Browser::start()? else {
        report::complain("left out: chromium and chromedriver are not installed");
        return Ok(());
    };
    let blank = blank_page()?;
    let origin = format!("http://hewto.localhost:{}", visitor.address.port());
    browser.open(&format!("{origin}/login"))?;
    let (name, value) = visitor.cookie.split_once('=').ok_or("a cookie has a value")?;
    browser.command("cookie", &json!({ "cookie": { "name": name, "value": value } }))?;
    let board = format!("{origin}/w/default/board");
    browser.first_paint(&board)?;
    let (ours, control) =
        in_turns(report.rounds, || browser.first_paint(&board), || browser.first_paint(&blank))?;
    report.times("board, first contentful paint", ours, Some((control, "a blank page")), "≤ 100 ms, ≤ 2.5 ×");
    Ok(())
}

/// A server whose page says one word.
fn blank_page() -> Fallible<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 8192]);
            let page = "<!doctype html><title>blank</title><p>blank";
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n";
            let _ = write!(stream, "{head}Content-Length: {}\r\n\r\n{page}", page.len());
        }
    });
    Ok(format!("http://{address}/"))
}

/// Somebody who is signed in.
struct Visitor {
    address: SocketAddr,
    cookie: String,
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

    fn get(&self, path: &str) -> Fallible<()> {
        let (head, _) = self.ask("GET", path, "", "")?;
        if head.starts_with("HTTP/1.1 200") { Ok(()) } else { Err(format!("{path}: {head}").into()) }
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
        let (head, _) = self.ask("POST", "/mcp", &head, &body.to_string())?;
        let took = begin.elapsed();
        if head.starts_with("HTTP/1.1 200") { Ok(took) } else { Err(format!("{tool}: {head}").into()) }
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

/// A browser, by its driver.
struct Browser {
    driver: Child,
    port: u16,
    session: String,
    profile: tempfile::TempDir,
}

impl Browser {
    fn start() -> Fallible<Option<Self>> {
        let driver =
            Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let Ok(mut driver) = driver else { return Ok(None) };
        let output = BufReader::new(driver.stdout.take().ok_or("its output")?);
        let port = output.lines().map_while(Result::ok).find_map(|line| {
            line.split_once("started successfully on port ")?.1.trim_end_matches('.').parse::<u16>().ok()
        });
        let profile = tempfile::tempdir()?;
        let mut browser =
            Self { driver, port: port.ok_or("the driver says its port")?, session: String::new(), profile };
        let folder = format!("--user-data-dir={}", browser.profile.path().display());
        let usual = include_str!("../../../web/browser/chromium-arguments.txt");
        let arguments: Vec<&str> = usual.lines().chain([folder.as_str()]).collect();
        let wanted =
            json!({ "capabilities": { "alwaysMatch": { "goog:chromeOptions": { "args": arguments } } } });
        let made = browser.send("/session", &wanted)?;
        browser.session = made["value"]["sessionId"].as_str().ok_or("a session")?.to_owned();
        Ok(Some(browser))
    }

    fn send(&self, path: &str, body: &Value) -> Fallible<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        let body = body.to_string();
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nHost: localhost:{}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let body = answer.split_once("\r\n\r\n").ok_or("an answer has a head")?.1;
        Ok(serde_json::from_str(body)?)
    }

    fn command(&self, name: &str, body: &Value) -> Fallible<Value> {
        self.send(&format!("/session/{}/{name}", self.session), body)
    }

    fn open(&self, address: &str) -> Fallible<()> {
        self.command("url", &json!({ "url": address })).map(drop)
    }

    /// Opens a page and tells when something of it could first be seen.
    fn first_paint(&self, address: &str) -> Fallible<Duration> {
        self.open(address)?;
        let script = "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null";
        for _ in 0..100 {
            let found = self.command("execute/sync", &json!({ "script": script, "args": [] }))?;
            if let Some(ms) = found["value"].as_f64() {
                return Ok(Duration::from_secs_f64(ms / 1000.0));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err(format!("{address} was never painted").into())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The driver ends the browser with the session, then is ended itself.
        if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) {
            let _ = write!(
                stream,
                "DELETE /session/{} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                self.session
            );
            let _ = stream.read_to_string(&mut String::new());
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
