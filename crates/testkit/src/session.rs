//! A client of the MCP server: spawns the real binary and talks to it over its pipes, in either era.
//!
//! It checks what every host relies on as it goes: each success matches the tool's own output schema, says the same
//! in text, and has the fields of its era. Waiting is bounded, and failing shows the server's stderr.

mod check;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::reply::{RpcError, ToolReply};

/// How long anything may take before the test fails; long, because test machines are busy.
const PATIENCE: Duration = Duration::from_mins(1);

/// How a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// 2025-11-25 and before: `initialize`, then plain requests.
    Legacy,
    /// 2026-07-28: no handshake, each request brings its own `_meta`.
    Modern,
}

/// A running server and the client's end of its pipes.
#[derive(Debug)]
pub struct McpSession {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Arc<Mutex<String>>,
    stderr_thread: Option<JoinHandle<()>>,
    era: Era,
    next_id: i64,
    /// Replies that came while another was waited for.
    replies: HashMap<String, Value>,
    notifications: Vec<Value>,
    output_schemas: Option<HashMap<String, Value>>,
}

/// How a server ended.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    pub stderr: String,
    /// Lines that nobody had read
    pub rest: Vec<String>,
}

impl McpSession {
    /// Starts `binary args…` in `folder` and, in the old era, shakes hands.
    pub fn spawn<E: AsRef<OsStr>>(
        binary: &str,
        args: &[&str],
        folder: &Path,
        env: &[(&str, E)],
        era: Era,
    ) -> Self {
        let mut session = Self::spawn_raw(binary, args, folder, env, era);
        if era == Era::Legacy {
            let params = json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": "testkit", "version": "1" },
            });
            session.request("initialize", params).expect("initialize is answered");
            session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        }
        session
    }

    /// Starts the server and says nothing yet.
    pub fn spawn_raw<E: AsRef<OsStr>>(
        binary: &str,
        args: &[&str],
        folder: &Path,
        env: &[(&str, E)],
        era: Era,
    ) -> Self {
        let mut child = Command::new(binary)
            .args(args)
            .current_dir(folder)
            .env_remove("HEWTO_WORKSPACE")
            .env_remove("SPECMAN_WORKSPACE")
            .envs(env.iter().map(|(name, value)| (name, value.as_ref())))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("stdout is piped");
        let mut errors = child.stderr.take().expect("stderr is piped");
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let stderr = Arc::new(Mutex::new(String::new()));
        let stderr_thread = thread::spawn({
            let stderr = Arc::clone(&stderr);
            move || {
                let mut buffer = [0; 4096];
                while let Ok(read @ 1..) = errors.read(&mut buffer) {
                    stderr.lock().expect("stderr").push_str(&String::from_utf8_lossy(&buffer[..read]));
                }
            }
        });
        Self {
            child,
            stdin,
            lines,
            stderr,
            stderr_thread: Some(stderr_thread),
            era,
            next_id: 1,
            replies: HashMap::new(),
            notifications: Vec::new(),
            output_schemas: None,
        }
    }

    /// Calls a tool and checks the form of its reply.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> ToolReply {
        let id = self.start_call(tool, arguments);
        self.finish_call(tool, id)
    }

    /// Sends a call without waiting; [`Self::finish_call`] waits.
    #[expect(clippy::needless_pass_by_value, reason = "tests hand in what `json!` makes")]
    pub fn start_call(&mut self, tool: &str, arguments: Value) -> i64 {
        self.start("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    #[track_caller]
    pub fn finish_call(&mut self, tool: &str, id: i64) -> ToolReply {
        match self.finish(id) {
            Ok(result) => {
                self.check_result(tool, &result);
                ToolReply::from_json(result)
            }
            Err(error) => panic!("`{tool}` was answered with a protocol error: {error:?}"),
        }
    }

    /// Makes a request of this session's era and waits for its answer.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, RpcError> {
        let id = self.start(method, params);
        self.finish(id)
    }

    /// Sends a request of this session's era without waiting.
    pub fn start(&mut self, method: &str, mut params: Value) -> i64 {
        let id = self.next_id;
        self.next_id += 1;
        if self.era == Era::Modern {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
            meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "testkit", "version": "1" });
        }
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Waits for the answer to a request.
    #[track_caller]
    pub fn finish(&mut self, id: i64) -> Result<Value, RpcError> {
        let key = id.to_string();
        loop {
            if let Some(mut reply) = self.replies.remove(&key) {
                return match reply.get("error") {
                    Some(error) => Err(RpcError::from_json(error)),
                    None => Ok(reply["result"].take()),
                };
            }
            let message = self.receive();
            if message.get("method").is_some() {
                self.notifications.push(message);
            } else {
                self.replies.insert(message["id"].to_string(), message);
            }
        }
    }

    /// Sends one message as a line.
    pub fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    /// Sends bytes and a line feed.
    pub fn send_line(&mut self, line: &[u8]) {
        self.send_bytes(&[line, b"\n"].concat());
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        if let Err(error) = stdin.write_all(bytes).and_then(|()| stdin.flush()) {
            panic!("the server does not read any more ({error}); it said:\n{}", self.stderr());
        }
    }

    /// The next message, whatever it is.
    #[track_caller]
    pub fn receive(&mut self) -> Value {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => match serde_json::from_str(&line) {
                Ok(message) => message,
                Err(error) => panic!("stdout carries something else than a message ({error}): {line}"),
            },
            Err(RecvTimeoutError::Timeout) => {
                panic!("no message within {PATIENCE:?}; the server said:\n{}", self.stderr())
            }
            Err(RecvTimeoutError::Disconnected) => {
                panic!("the server closed its stdout; it said:\n{}", self.stderr())
            }
        }
    }

    /// Notifications that came so far.
    pub fn notifications(&self) -> &[Value] {
        &self.notifications
    }

    /// What the server has written to stderr so far.
    pub fn stderr(&self) -> String {
        self.stderr.lock().expect("stderr").clone()
    }

    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Closes stdin and waits for the server to end by itself.
    #[track_caller]
    pub fn close(mut self) -> Ended {
        self.stdin = None;
        let mut rest = Vec::new();
        // Its stdout ends with the process.
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => rest.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    panic!("the server does not end; it said:\n{}", self.stderr())
                }
            }
        }
        let status = self.child.wait().expect("the server can be waited for");
        if let Some(thread) = self.stderr_thread.take() {
            thread.join().expect("stderr is read to its end");
        }
        Ended { status, stderr: self.stderr(), rest }
    }

    /// Stops the server in the middle of what it does, and waits until none of its threads runs.
    ///
    /// A signal to a process is taken by one of its threads, and the others go on until that one has had its turn.
    pub fn pause(&self) {
        self.signal(Signal::STOP);
        while !self.is_paused() {
            thread::yield_now();
        }
    }

    /// Lets a paused server go on.
    pub fn resume(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("the server can be signalled");
    }

    fn is_paused(&self) -> bool {
        let tasks = fs_err::read_dir(format!("/proc/{}/task", self.child.id())).expect("the server is there");
        tasks.flatten().all(|task| {
            // A thread that has ended meanwhile runs no more.
            let Ok(stat) = fs_err::read_to_string(task.path().join("stat")) else { return true };
            let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
            matches!(state, Some('T' | 'Z' | 'X'))
        })
    }

    /// Ends the server as a crash would.
    pub fn kill(mut self) {
        self.child.kill().expect("the server can be killed");
        self.child.wait().expect("the server can be waited for");
    }
}

impl Drop for McpSession {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
