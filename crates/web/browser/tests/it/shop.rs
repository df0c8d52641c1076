//! A workspace with some life in it, served by the real binary on a terminal, and an agent that calls its tools.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

const VERSION: &str = "2026-07-28";
/// Longer than anything takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// The same shop as in the tests without a browser.
pub(crate) const SHOP: &str = include_str!("shop.txt");

/// A running dashboard.
pub(crate) struct Shop {
    pub(crate) root: PathBuf,
    _home: TempDir,
    pub(crate) port: u16,
    terminal: Terminal,
}

/// The binary on a terminal of its own, without which no link is shown.
struct Terminal {
    process: Child,
    keys: ChildStdin,
    lines: Receiver<String>,
}

impl Shop {
    pub(crate) fn open(fixture: &str) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let root = home.path().join("shop");
        std::fs::create_dir_all(&root).expect("a folder");
        write(&root, fixture);
        let made = Command::new("git").args(["init", "-q"]).current_dir(&root).status();
        assert!(made.expect("git can be run").success());
        Self::at(home, root, 0)
    }

    /// The dashboard of what stands in a folder.
    pub(crate) fn at(home: TempDir, root: PathBuf, port: u16) -> Self {
        let terminal = Terminal::start(home.path(), &root, port);
        let serving = terminal.line("serving http://127.0.0.1:");
        let port = serving.split(':').nth(2).and_then(|rest| rest.split('/').next());
        let port = port.and_then(|port| port.parse().ok()).expect("the server says its port");
        Self { root, _home: home, port, terminal }
    }

    /// Ends the server; the same workspace on the same port is served anew by what this gives.
    pub(crate) fn restart(self) -> impl FnOnce() -> Self {
        let Self { root, _home: home, port, terminal } = self;
        drop(terminal);
        move || Self::at(home, root, port)
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://hewto.localhost:{}", self.port)
    }

    /// A link that signs in, as the terminal shows it.
    pub(crate) fn link(&mut self) -> String {
        // The one that was shown at the start may be too old by now.
        while self.terminal.lines.try_recv().is_ok() {}
        self.terminal.keys.write_all(b"\n").expect("a key can be pressed");
        let line = self.terminal.line("open ");
        line.trim_start_matches("open ").to_owned()
    }

    pub(crate) fn write(&self, fixture: &str) {
        write(&self.root, fixture);
    }

    pub(crate) fn edit(&self, path: &str, from: &str, to: &str) {
        let path = self.root.join(path);
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        assert!(text.contains(from), "{} has no {from:?}", path.display());
        std::fs::write(path, text.replace(from, to)).expect("it can be written");
    }

    /// What an agent gets for a call of a tool: a result, or an error.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Value {
        call(self.port, tool, arguments)
    }

    /// How the change stands with the people who decide.
    pub(crate) fn standing(&self) -> String {
        let waited = self.call("approval_wait", &json!({ "spec_id": "change:sign-in-by-mail", "wait_s": 0 }));
        waited["standing"].as_str().unwrap_or_else(|| panic!("no standing: {waited}")).to_owned()
    }
}

impl Terminal {
    fn start(home: &Path, root: &Path, port: u16) -> Self {
        let binary = std::env::var("HEWTO_BINARY").unwrap_or_else(|_| {
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../../target/debug/hewto").to_owned()
        });
        let command = format!("exec '{binary}' serve --http 127.0.0.1:{port} --ui");
        let mut process = Command::new("script")
            .args(["-qefc", &command, "/dev/null"])
            .current_dir(root)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home)
            .env("XDG_STATE_HOME", home.join("state"))
            .env("USER", "ana")
            .env("TERM", "dumb")
            .env("SHELL", "/bin/sh")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("`script` can be run");
        let keys = process.stdin.take().expect("its input");
        let output = BufReader::new(process.stdout.take().expect("its output"));
        let (told, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if told.send(line.trim().to_owned()).is_err() {
                    break;
                }
            }
        });
        Self { process, keys, lines }
    }

    /// The next line that begins so.
    fn line(&self, beginning: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| panic!("the terminal never shows {beginning:?}"));
            if line.starts_with(beginning) {
                return line;
            }
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // The terminal goes, and with it what runs on it: by name, since whoever started the tests may have hang-ups ignored.
        let script = self.process.id().to_string();
        let _ = Command::new("pkill").args(["-KILL", "-P", &script]).status();
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Calls a tool of the server on this port.
pub(crate) fn call(port: u16, tool: &str, arguments: &Value) -> Value {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": tool, "arguments": arguments, "_meta": {
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    } })
    .to_string();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: {VERSION}\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .expect("a call can be sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer comes");
    // JSON at once, or the last of some events.
    let json = answer.lines().rev().find_map(|line| {
        let line = line.strip_prefix("data: ").unwrap_or(line);
        serde_json::from_str::<Value>(line)
            .ok()
            .filter(|found| found.get("result").is_some() || found.get("error").is_some())
    });
    let json = json.unwrap_or_else(|| panic!("{tool}: {answer}"));
    let result = &json["result"];
    match result.get("structuredContent") {
        Some(content) => content.clone(),
        None => {
            let text = result["content"][0]["text"].as_str().unwrap_or_default();
            serde_json::from_str(text).unwrap_or(json)
        }
    }
}

/// Writes files: each begins with a line `//- path`, and a path that ends in `/` is a folder.
fn write(root: &Path, fixture: &str) {
    for section in fixture.split("//- ").skip(1) {
        let (name, text) = section.split_once('\n').unwrap_or((section, ""));
        let path = root.join(name.trim());
        if name.trim().ends_with('/') {
            std::fs::create_dir_all(path).expect("a folder can be made");
        } else {
            std::fs::create_dir_all(path.parent().expect("a file has a folder"))
                .expect("a folder can be made");
            std::fs::write(path, text).expect("a file can be written");
        }
    }
}
