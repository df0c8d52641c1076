//! A server under way, as a client holds it.

use std::io::{BufRead, BufReader, Read as _, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use hewto_engine::Result;
use hewto_engine::host_check::{Judge, Level};
use serde_json::{Value, json};

use super::{MAX_LINE, MAX_PAGES, Target, client};
use crate::failure::machine;
use crate::ui::one_line;

/// A server under way.
pub(super) struct Session {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    last_id: u64,
    patience: Duration,
    noise: Vec<String>,
    /// The last line on standard error, once it has ended.
    words: Receiver<String>,
}

/// No line of standard error is kept longer.
const MAX_WORDS: u64 = 4 << 10;
/// So long a server that has closed its output may take to end.
const ENDING: Duration = Duration::from_millis(500);

impl Session {
    pub(super) fn start(target: &Target) -> Result<Self> {
        let mut command = Command::new(&target.program);
        command.args(&target.args).current_dir(&target.folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // What it starts goes with it.
        command.process_group(0);
        if let Some(env) = &target.env {
            command.env_clear().envs(env.iter().map(|(name, value)| (name, value)));
        }
        let cannot = |error| machine(format!("cannot start `{}`", target.program.to_string_lossy()), error);
        let mut child = command.spawn().map_err(cannot)?;
        let output = child.stdout.take().expect("the output was asked to be piped");
        let (sender, lines) = mpsc::channel();
        let errors = child.stderr.take().expect("the errors were asked to be piped");
        let (last, words) = mpsc::channel();
        let (input, patience) = (child.stdin.take(), target.patience);
        // From here on the server ends with this value, whatever fails.
        let session = Self { child, input, lines, last_id: 0, patience, noise: Vec::new(), words };
        let no_thread = |error| machine("cannot start a thread that reads what the server says", error);
        let reader = thread::Builder::new().name("hewto-answers".to_owned()).spawn(move || {
            let mut reader = BufReader::new(output);
            let mut line = Vec::new();
            while let Ok(read) = (&mut reader).take(MAX_LINE).read_until(b'\n', &mut line) {
                if read == 0 || sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    break;
                }
                line.clear();
            }
        });
        reader.map_err(no_thread)?;
        let reader = thread::Builder::new().name("hewto-errors".to_owned()).spawn(move || {
            let mut reader = BufReader::new(errors);
            let (mut said, mut line) = (String::new(), Vec::new());
            while let Ok(read) = (&mut reader).take(MAX_WORDS).read_until(b'\n', &mut line) {
                if read == 0 {
                    break;
                }
                let text = String::from_utf8_lossy(&line);
                if !text.trim().is_empty() {
                    text.trim().clone_into(&mut said);
                }
                line.clear();
            }
            let _ = last.send(said);
        });
        reader.map_err(no_thread)?;
        Ok(session)
    }

    /// Why there is no answer, where the server has ended: how, and what it said last.
    pub(super) fn end_told(&mut self) -> String {
        let until = Instant::now() + ENDING;
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if Instant::now() < until => thread::park_timeout(Duration::from_millis(10)),
                Ok(None) | Err(_) => return String::new(),
            }
        };
        let last = self.words.recv_timeout(ENDING).unwrap_or_default();
        let said = one_line(&last.chars().take(200).collect::<String>());
        let said = if said.is_empty() { String::new() } else { format!("; its last words were `{said}`") };
        format!(": it has ended ({status}){said}")
    }

    pub(super) fn initialize(&mut self, version: &str) -> Option<std::result::Result<Value, String>> {
        let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client() });
        let answer = self.request("initialize", params);
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer
    }

    /// The answer, or the message of the error; `None` when there is none in time.
    #[expect(clippy::needless_pass_by_value, reason = "made where it is passed")]
    pub(super) fn request(
        &mut self,
        method: &str,
        params: Value,
    ) -> Option<std::result::Result<Value, String>> {
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
    pub(super) fn frame(&mut self, line: &str) -> Option<Value> {
        let frame = serde_json::from_str::<Value>(line)
            .ok()
            .filter(|frame| frame["jsonrpc"] == "2.0" || frame.is_array());
        if frame.is_none() && !line.trim().is_empty() {
            self.noise.push(one_line(&line.chars().take(120).collect::<String>()));
        }
        frame
    }

    /// Everything of a list that has pages.
    pub(super) fn list(&mut self, method: &str, field: &str, judge: &mut Judge) -> Vec<Value> {
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

    pub(super) fn send(&mut self, frame: &Value) {
        if let Some(input) = &mut self.input {
            // A server that has gone shows by its silence.
            let _ = writeln!(input, "{frame}").and_then(|()| input.flush());
        }
    }

    /// Ends the input, and sees whether the server ends with it.
    pub(super) fn end(mut self, judge: &mut Judge, tells: bool) {
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
                format!("standard output has what is not a message: `{line}`"),
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
