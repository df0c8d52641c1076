//! The wrapper with tools that misbehave, over real pipes.

#[path = "tests/late.rs"]
mod late;

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use hewto_call::{Pool, TimeLimit};
use hewto_engine::{Progress, Workspace};
use hewto_testkit::TestWorkspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::*;
use crate::builder::McpServerBuilder;
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Table, Tool};
use crate::transport::test_input;

#[derive(Debug, Deserialize, JsonSchema)]
struct Nothing {}

#[derive(Debug, Serialize, JsonSchema)]
struct Fine {
    fine: bool,
}

const fn about(name: &'static str) -> About {
    About {
        name,
        title: "Test",
        description: "Test",
        toolset: Toolset::Workflow,
        effect: Effect::Adds,
        repeat: Repeat::Matters,
        aliases: &[],
    }
}

macro_rules! tool {
    ($tool:ident, $name:literal, $run:expr) => {
        struct $tool;

        impl Tool for $tool {
            const ABOUT: About = about($name);
            type Params = Nothing;
            type View = Fine;

            fn run(_: &Workspace, context: &Context, _: Nothing) -> Result<Fine> {
                let run: fn(&Context) -> Result<Fine> = $run;
                run(context)
            }
        }
    };
}

/// Lets a test hold a tool back and hear from it.
struct Latch {
    release: Mutex<Option<Receiver<()>>>,
    heard: Mutex<Option<Sender<bool>>>,
}

impl Latch {
    const fn new() -> Self {
        Self { release: Mutex::new(None), heard: Mutex::new(None) }
    }

    fn arm(&self) -> (Sender<()>, Receiver<bool>) {
        let (release, held) = channel();
        let (tell, hear) = channel();
        *self.release.lock().unwrap() = Some(held);
        *self.heard.lock().unwrap() = Some(tell);
        (release, hear)
    }

    /// Works until the test releases it.
    fn until_released(&self, mut work: impl FnMut()) {
        let held = self.release.lock().unwrap().take().expect("armed");
        while held.try_recv().is_err() {
            work();
            std::thread::yield_now();
        }
    }

    /// Waits for the test, then tells it whether the call was cancelled meanwhile.
    fn hold(&self, context: &Context) {
        let held = self.release.lock().unwrap().take().expect("armed");
        let _ = held.recv();
        let tell = self.heard.lock().unwrap().take().expect("armed");
        let _ = tell.send(context.cancellation().is_cancelled());
    }
}

static STUBBORN: Latch = Latch::new();
static SLOW: Latch = Latch::new();
static COUNTING: Latch = Latch::new();
static QUIET: Latch = Latch::new();
static BRIEF: Latch = Latch::new();

tool!(Crashes, "crashes", |_| panic!("the floor gave way"));
tool!(Works, "works", |_| Ok(Fine { fine: true }));
tool!(Obeys, "obeys", |context| loop {
    context.check()?;
    std::thread::yield_now();
});
tool!(Stays, "stays", |context| {
    STUBBORN.hold(context);
    Ok(Fine { fine: true })
});
tool!(Lingers, "lingers", |context| {
    SLOW.hold(context);
    Ok(Fine { fine: true })
});
tool!(StaysBriefly, "stays_briefly", |context| {
    BRIEF.hold(context);
    Ok(Fine { fine: true })
});
tool!(Broods, "broods", |context| {
    QUIET.hold(context);
    Ok(Fine { fine: true })
});
tool!(Reports, "reports", |context| {
    let mut done = 0;
    COUNTING.until_released(|| {
        done += 1;
        context.report(Progress { done, total: Some(u64::MAX), message: "counting".into() });
    });
    Ok(Fine { fine: true })
});

/// The same tool as one that the runtime runs by itself.
fn brief(name: &'static str, mut tool: ToolDef) -> ToolDef {
    tool.about.name = name;
    tool.lane = Lane::ReadItem;
    tool
}

/// A server in this process and the client's ends of its pipes.
struct Running {
    input: Option<PipeWriter>,
    output: BufReader<PipeReader>,
    server: Option<JoinHandle<Result<()>>>,
    workspace: TestWorkspace,
}

impl Running {
    fn start(timeout: Option<Duration>, workspace: TestWorkspace) -> Self {
        let table = Table::new(vec![
            ToolDef::of::<Crashes>(),
            ToolDef::of::<Works>(),
            ToolDef::of::<Obeys>(),
            ToolDef::of::<Stays>(),
            ToolDef::of::<Lingers>(),
            ToolDef::of::<Reports>(),
            ToolDef::of::<Broods>(),
            brief("stays_briefly", ToolDef::of::<StaysBriefly>()),
            brief("crashes_briefly", ToolDef::of::<Crashes>()),
            brief("obeys_briefly", ToolDef::of::<Obeys>()),
        ]);
        let pool = Pool::new(TimeLimit::new(timeout));
        let server = McpServerBuilder::new()
            .with_workspace(workspace.root())
            .with_heartbeat(Duration::from_millis(5))
            .assemble(table, pool);
        let (server_input, input) = std::io::pipe().unwrap();
        let (output, server_output) = std::io::pipe().unwrap();
        let thread = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            runtime.block_on(async { server.run_on(test_input(server_input), server_output).await })
        });
        let mut running =
            Self { input: Some(input), output: BufReader::new(output), server: Some(thread), workspace };
        running.send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize" }));
        assert_eq!(running.receive()["id"], 0);
        running
    }

    fn with_timeout(timeout: Duration) -> Self {
        Self::start(Some(timeout), TestWorkspace::native())
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn call(&mut self, id: i64, tool: &str) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool } }));
    }

    /// The reply to a call, which has to fail.
    fn failure(&mut self, id: i64) -> Value {
        let reply = self.receive();
        assert_eq!((&reply["id"], &reply["result"]["isError"]), (&json!(id), &json!(true)), "{reply}");
        serde_json::from_str(reply["result"]["content"][0]["text"].as_str().unwrap()).unwrap()
    }

    /// Closes the input; how the operations ended.
    fn close(mut self) -> Vec<String> {
        self.input = None;
        self.server.take().unwrap().join().unwrap().unwrap();
        let log = self.workspace.read(".hewto/logs/operations.jsonl");
        let status =
            |line: &str| serde_json::from_str::<Value>(line).unwrap()["status"].as_str().unwrap().to_owned();
        log.lines().map(status).collect()
    }
}

const LONG: Duration = Duration::from_mins(1);
/// Until a call is given up that stays; a call that does not stay is done by then on any machine.
const SOON: Duration = Duration::from_secs(5);

#[test]
fn a_panic_is_an_answer_and_the_server_goes_on() {
    let mut running = Running::with_timeout(LONG);
    running.call(1, "crashes");
    let error = running.failure(1);
    assert_eq!((&error["error"], &error["code"]), (&json!("internal_error"), &json!(-32603)));
    assert!(error["message"].as_str().unwrap().contains("the floor gave way"), "{error}");
    running.call(2, "works");
    assert_eq!(running.receive()["result"]["structuredContent"], json!({ "fine": true }));
    assert_eq!(running.close(), ["failed", "succeeded"]);
}

#[test]
fn what_the_runtime_runs_by_itself_may_panic_overstay_and_be_cancelled_like_everything_else() {
    let (release, hear) = BRIEF.arm();
    let mut running = Running::with_timeout(SOON);
    running.call(1, "crashes_briefly");
    assert_eq!(running.failure(1)["error"], "internal_error");
    running.call(2, "obeys_briefly");
    running.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 2 } }),
    );
    running.call(3, "stays_briefly");
    assert_eq!(running.failure(3)["error"], "timeout");
    running.call(4, "works");
    assert_eq!(running.receive()["id"], 4);
    release.send(()).unwrap();
    assert!(hear.recv().unwrap(), "it was told to stop");
    let mut ends = running.close();
    ends.sort();
    assert_eq!(ends, ["cancelled", "failed", "succeeded", "timed_out"]);
}

#[test]
fn calls_beyond_the_rate_are_refused_with_how_long_to_wait() {
    let workspace = TestWorkspace::native();
    workspace
        .add("//- .hewto/config.toml\n[project]\nname = \"s\"\n\n[rate]\nper_second = 0.001\nburst = 2\n");
    let mut running = Running::start(Some(LONG), workspace);
    for id in 1..=2 {
        running.call(id, "works");
        assert_eq!(running.receive()["result"]["isError"], false);
    }
    running.call(3, "works");
    let error = running.failure(3);
    assert_eq!(error["error"], "rate_limited");
    assert!(error["retry_after_ms"].as_u64().unwrap() > 0);
}

#[test]
fn a_workspace_says_how_long_its_calls_may_take() {
    let workspace = TestWorkspace::native();
    workspace.add("//- .hewto/config.toml\n[project]\nname = \"s\"\n\n[limits]\ncall_timeout_s = 1\n");
    let mut running = Running::start(None, workspace);
    running.call(1, "obeys");
    assert_eq!(running.failure(1)["error"], "timeout");
}

#[test]
fn the_end_of_input_waits_for_the_last_answer() {
    let (release, hear) = SLOW.arm();
    let mut running = Running::with_timeout(LONG);
    running.call(1, "works");
    running.call(2, "lingers");
    running.input = None;
    release.send(()).unwrap();
    assert!(!hear.recv().unwrap());
    let mut ids = [running.receive()["id"].as_i64(), running.receive()["id"].as_i64()];
    ids.sort_unstable();
    assert_eq!(ids, [Some(1), Some(2)]);
}
