//! The board in Chromium, beside a page with nothing on it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::Outcome;
use super::web::{Fallible, Visitor};
use crate::report::{self, Report};
use crate::sample::in_turns;

/// The first paint of the board beside that of a page with nothing on it.
pub(super) fn first_paint(visitor: &Visitor, report: &mut Report) -> Outcome {
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
    // What was edited before has health computed anew behind that page, on all cores; this answers when it is over.
    visitor.get("/w/default/health.json")?;
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
        made["value"]["sessionId"].as_str().ok_or("a session")?.clone_into(&mut browser.session);
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
        answer(stream)
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
            let _ = answer(stream);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// What the driver answers. It leaves the connection open, whatever it was asked for, so its own word on the length counts.
fn answer(stream: TcpStream) -> Fallible<Value> {
    let mut stream = BufReader::new(stream);
    let (mut length, mut line) = (0, String::new());
    while stream.read_line(&mut line)? > 0 && !line.trim().is_empty() {
        let header = line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        length = header.and_then(|(_, value)| value.trim().parse().ok()).unwrap_or(length);
        line.clear();
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}
