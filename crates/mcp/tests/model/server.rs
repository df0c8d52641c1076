//! A server in this process, and the client's end of its pipes.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead, BufReader, PipeWriter, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use hewto_engine::{Context, MachineSecret, Start, Workspace, trust};
use hewto_mcp::{Machine, McpServerBuilder, ServerOptions, Toolset};
use jsonschema::Validator;
use serde_json::{Value, json};

/// What the list says of a tool.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) read_only: bool,
    output: Validator,
}

static LISTED: OnceLock<BTreeMap<String, Listed>> = OnceLock::new();

/// How long a call may take before it hangs; test machines are busy.
const PATIENCE: Duration = Duration::from_mins(2);

/// A running server with every toolset.
#[derive(Debug)]
pub(crate) struct Server {
    input: Option<PipeWriter>,
    lines: Receiver<String>,
    thread: Option<JoinHandle<()>>,
    next: u64,
}

/// How a call ended.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    Done(Value),
    /// With the error object.
    Refused(Value),
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done(said) => write!(f, "done: {said}"),
            Self::Refused(error) => write!(f, "refused: {error}"),
        }
    }
}

impl Server {
    /// Serves `ws` and `repo` below a folder, whose owner trusts what they ask for.
    pub(crate) fn start(base: &Path) -> Self {
        let state = base.join("state");
        let trusted = trust::Trust::in_state_dir(&state);
        let context = Context::background();
        let workspace = Workspace::discover(Start::Here(&base.join("ws"))).unwrap();
        let wanted = trust::Request::of(&workspace, &context).unwrap();
        trust::accept(&trusted, &wanted, &[], &context).unwrap();
        let machine = Machine {
            roots: vec![base.join("ws"), base.join("repo")],
            search_path: ["/usr/local/bin", "/usr/bin", "/bin"].map(Into::into).to_vec(),
            environment: vec![("HOME".into(), base.join("home").into())],
            trust: trusted,
            ..Machine::default()
        };
        let options = ServerOptions { toolsets: Toolset::ALL.to_vec(), ..ServerOptions::default() };
        let server = McpServerBuilder::new()
            .with_workspace(base.join("ws"))
            .with_machine(machine)
            .with_secret(MachineSecret::keeping_in([state]))
            .with_options(options)
            .build()
            .unwrap();
        let (server_input, input) = std::io::pipe().unwrap();
        let (output, server_output) = std::io::pipe().unwrap();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
            runtime.unwrap().block_on(async {
                let input = tokio::net::unix::pipe::Receiver::from_owned_fd(server_input.into()).unwrap();
                server.run_on(input, server_output).await.unwrap();
            });
        });
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut started = Self { input: Some(input), lines, thread: Some(thread), next: 0 };
        let client = json!({ "name": "model", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        started.ask("initialize", &hello).unwrap();
        LISTED.get_or_init(|| started.list());
        started
    }

    /// Everything that the server lists.
    pub(crate) fn tools() -> &'static BTreeMap<String, Listed> {
        LISTED.get().expect("a server has been started")
    }

    fn list(&mut self) -> BTreeMap<String, Listed> {
        let tools = self.ask("tools/list", &json!({})).unwrap();
        let read = |tool: &Value| {
            let listed = Listed {
                read_only: tool["annotations"]["readOnlyHint"] == true,
                output: jsonschema::draft202012::new(&tool["outputSchema"]).unwrap(),
            };
            (tool["name"].as_str().unwrap().to_owned(), listed)
        };
        tools["tools"].as_array().unwrap().iter().map(read).collect()
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value, Value> {
        self.next += 1;
        let message = json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params });
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| panic!("no answer within {PATIENCE:?}: {method} {params}"));
            let mut message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == self.next {
                return match message.get_mut("error") {
                    Some(error) => Err(error.take()),
                    None => Ok(message["result"].take()),
                };
            }
        }
    }

    /// Calls a tool; its answer has the form that the list promises.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Answer {
        let result = match self.ask("tools/call", &json!({ "name": tool, "arguments": arguments })) {
            Ok(result) => result,
            Err(error) => panic!("`{tool}` was answered with an error of the protocol: {error}"),
        };
        let text = result["content"][0]["text"].as_str().expect("an answer has a text");
        let said: Value = serde_json::from_str(text).expect("the text is JSON");
        if result["isError"] == true {
            // The interview answers in the form of its seed.
            let error = if said["error"].is_object() { &said["error"]["code"] } else { &said["error"] };
            let key = error.as_str().unwrap_or_else(|| panic!("a refusal of `{tool}` without a key: {said}"));
            assert!(said["message"].is_string() || said["error"]["message"].is_string(), "{said}");
            let ours = ["internal_error", "timeout", "rate_limited", "write_stranded"];
            assert!(!ours.contains(&key.to_lowercase().as_str()), "`{tool}`: {said}");
            return Answer::Refused(said);
        }
        assert_eq!(said, result["structuredContent"], "text and structure of `{tool}` differ");
        let faults: Vec<String> = Self::tools()[tool]
            .output
            .iter_errors(&said)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(faults.is_empty(), "the reply of `{tool}` does not fit its schema: {faults:?}\n{said}");
        Answer::Done(said)
    }

    /// The answer of a call that has to succeed.
    #[track_caller]
    pub(crate) fn read(&mut self, tool: &str, arguments: &Value) -> Value {
        match self.call(tool, arguments) {
            Answer::Done(said) => said,
            Answer::Refused(error) => panic!("`{tool}` {arguments} is refused: {error}"),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.input = None;
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking(), "the server ends well");
        }
    }
}

/// The workspace as a process sees it that has just started.
pub(crate) fn fresh(base: &Path) -> (Workspace, Context) {
    let secret = MachineSecret::keeping_in([base.join("state")]);
    let workspace = Workspace::discover(Start::Here(&base.join("ws"))).unwrap();
    (workspace, Context::background().with_secret(secret))
}
