//! Long mode over both transports: servers on one workspace carry out use cases at random, and are killed at a random moment.
//! What was acknowledged is there, every document can be read, every line of a log is whole, and a later write works. Runs for
//! `HEWTO_PROVE_SERVER_SECONDS` (`scripts/prove.sh` asks for more).

#![expect(clippy::disallowed_methods, reason = "the test starts programs and kills them")]

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use hewto_testkit::TestWorkspace;
use serde_json::{Value, json};

use crate::http_client::{HttpServer, command, modern_message};

/// A small generator, so that a run can be repeated by its seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// What the model knows of the specs: the last title that was acknowledged, and one that may have come after it.
#[derive(Debug, Default)]
struct Model {
    titles: BTreeMap<String, Title>,
    plans: BTreeMap<String, bool>,
}

#[derive(Debug, Default, Clone)]
struct Title {
    acknowledged: String,
    asked: Vec<String>,
}

/// A way to call tools, until the server at its other end dies.
trait Caller {
    fn call(&mut self, tool: &str, arguments: Value) -> Option<Value>;
}

struct Pipe {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
    next: i64,
}

impl Pipe {
    fn start(root: &Path) -> Self {
        let mut child = command(root, &[]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // Nobody reads it, so it must not fill.
        let errors = child.stderr.take().unwrap();
        std::thread::spawn(move || std::io::copy(&mut BufReader::new(errors), &mut std::io::sink()));
        Self { child, lines, next: 1 }
    }
}

impl Caller for Pipe {
    fn call(&mut self, tool: &str, arguments: Value) -> Option<Value> {
        self.next += 1;
        let message =
            modern_message(self.next, "tools/call", json!({ "name": tool, "arguments": arguments }));
        let stdin = self.child.stdin.as_mut()?;
        stdin.write_all(format!("{message}\n").as_bytes()).ok()?;
        loop {
            let answer: Value = serde_json::from_str(&self.lines.next()?.ok()?).ok()?;
            if answer["id"] == json!(self.next) {
                return Some(answer["result"].clone());
            }
        }
    }
}

struct Http<'a>(&'a HttpServer);

impl Caller for Http<'_> {
    fn call(&mut self, tool: &str, arguments: Value) -> Option<Value> {
        let params = json!({ "name": tool, "arguments": arguments });
        let message = modern_message(1, "tools/call", params).to_string();
        let mut stream = std::net::TcpStream::connect(self.0.address).ok()?;
        let head = format!(
            "POST /mcp HTTP/1.1\r\nConnection: close\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: \
             application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: \
             {tool}\r\nContent-Length: {}\r\n\r\n{message}",
            self.0.address,
            message.len()
        );
        stream.write_all(head.as_bytes()).ok()?;
        let mut text = String::new();
        std::io::Read::read_to_string(&mut stream, &mut text).ok()?;
        let begin = text.find("{\"jsonrpc\"")?;
        let mut answers = serde_json::Deserializer::from_str(&text[begin..]).into_iter::<Value>();
        Some(answers.next()?.ok()?["result"].clone())
    }
}

fn is_done(answer: Option<&Value>) -> bool {
    answer.is_some_and(|answer| !answer.is_null() && answer["isError"] != true)
}

/// One worker: its own specs, so that the model knows what each may be.
fn work(caller: &mut dyn Caller, worker: &str, dice: &mut Dice, model: &Mutex<Model>, rounds: usize) {
    for _ in 0..rounds {
        let own: Vec<String> = {
            let model = model.lock().unwrap();
            model.titles.keys().filter(|id| id.contains(worker)).cloned().collect()
        };
        let title = format!("{worker} {}", dice.below(1 << 30));
        let Some(id) = own.get(usize::try_from(dice.below(4)).unwrap()).filter(|_| dice.below(5) > 0) else {
            let arguments = json!({ "title": title, "description": "d" });
            let answer = caller.call("spec_create", arguments);
            if let Some(id) =
                answer.as_ref().and_then(|answer| answer["structuredContent"]["spec_id"].as_str())
            {
                let title = Title { acknowledged: title, asked: Vec::new() };
                model.lock().unwrap().titles.insert(id.to_owned(), title);
            }
            if answer.is_none() {
                return;
            }
            continue;
        };
        let answer = if dice.below(3) == 0 {
            let steps =
                json!([{ "title": "one", "description": "d" }, { "title": "two", "description": "d" }]);
            let answer =
                caller.call("plan_create", json!({ "spec_id": id, "approach": "a", "steps": steps }));
            if is_done(answer.as_ref()) {
                model.lock().unwrap().plans.insert(id.clone(), true);
            }
            answer
        } else {
            let asked = title.clone();
            model.lock().unwrap().titles.get_mut(id).unwrap().asked.push(asked);
            let answer = caller.call("spec_update", json!({ "spec_id": id, "title": title }));
            if is_done(answer.as_ref()) {
                let now = Title { acknowledged: title, asked: Vec::new() };
                model.lock().unwrap().titles.insert(id.clone(), now);
            }
            answer
        };
        if answer.is_none() {
            return;
        }
    }
}

fn hewto(root: &Path, arguments: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_hewto")).args(arguments).current_dir(root).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Compares the workspace with the model, and takes over what may have happened last.
fn check(root: &Path, model: &mut Model, round: u64) {
    let listed: Value = serde_json::from_str(&hewto(root, &["spec", "list", "--json"])).unwrap();
    let specs = listed["specs"].as_array().unwrap();
    let found: BTreeMap<&str, &str> =
        specs.iter().map(|spec| (spec["id"].as_str().unwrap(), spec["title"].as_str().unwrap())).collect();
    for (id, title) in &mut model.titles {
        let now = *found.get(id.as_str()).unwrap_or_else(|| panic!("round {round}: `{id}` was acknowledged"));
        let may_be = now == title.acknowledged || title.asked.iter().any(|asked| asked == now);
        assert!(may_be, "round {round}: `{id}` is `{now}`, and was {title:?}");
        now.clone_into(&mut title.acknowledged);
        title.asked.clear();
        assert!(root.join(format!("specs/{id}/state.toon")).exists(), "round {round}: half of `{id}`");
    }
    for id in model.plans.keys() {
        assert!(root.join(format!("specs/{id}/plan.md")).exists(), "round {round}: the plan of `{id}`");
    }
    let validated = hewto(root, &["validate", "--json"]);
    assert!(!validated.contains("\"severity\": \"error\""), "round {round}: {validated}");
    assert!(
        hewto(root, &["spec", "new", "after", "--description", "d"]).contains("created"),
        "round {round}"
    );
    // A process that dies between two pages of a line leaves half of it, until the next one writes; nobody may have.
    for entry in std::fs::read_dir(root.join(".hewto/logs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|kind| kind == "jsonl") {
            let text = std::fs::read_to_string(&path).unwrap();
            let ends = text.rfind('\n').map_or(0, |at| at + 1);
            let torn =
                text[..ends].lines().filter(|line| serde_json::from_str::<Value>(line).is_err()).count();
            assert_eq!(torn, 0, "round {round}: {}", path.display());
            let is_shared = path.file_name().is_some_and(|name| name == "operations.jsonl");
            assert!(!is_shared || ends == text.len(), "round {round}: the last line is half");
        }
    }
}

#[test]
fn servers_that_are_killed_over_both_transports_lose_nothing_they_have_acknowledged() {
    let setting =
        |name: &str, or: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(or);
    let until = Instant::now() + Duration::from_secs(setting("HEWTO_PROVE_SERVER_SECONDS", 3));
    let mut dice = Dice(setting("HEWTO_PROVE_SEED", 17));
    let workspace = TestWorkspace::native();
    workspace.add("//- .hewto/config.toml\n[rate]\nper_second = 100000\nburst = 100000\n");
    let root = workspace.root();
    let model = Mutex::new(Model::default());
    let (mut round, mut kills) = (0, 0);
    // On a busy machine nobody may have come to anything in the first rounds.
    let is_idle = || model.lock().unwrap().titles.is_empty();
    while round < 2 || Instant::now() < until || (is_idle() && round < 50) {
        let server = HttpServer::start(root, &[]);
        let seeds: Vec<u64> = (0..5).map(|_| dice.below(1 << 30)).collect();
        let mut stdio: Vec<Pipe> = (0..2).map(|_| Pipe::start(root)).collect();
        let victims: Vec<u32> =
            stdio.iter().map(|server| server.child.id()).chain([server.process_id()]).collect();
        let moment = Duration::from_millis(20 + dice.below(400));
        std::thread::scope(|scope| {
            for (n, (caller, seed)) in stdio.iter_mut().zip(&seeds).enumerate() {
                let model = &model;
                scope.spawn(move || work(caller, &format!("s{n}"), &mut Dice(*seed), model, 40));
            }
            for (n, seed) in seeds[2..].iter().enumerate() {
                let (model, server) = (&model, &server);
                scope.spawn(move || work(&mut Http(server), &format!("h{n}"), &mut Dice(*seed), model, 40));
            }
            std::thread::sleep(moment);
            for victim in &victims {
                let pid = rustix::process::Pid::from_raw(victim.cast_signed()).unwrap();
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
                kills += 1;
            }
        });
        for mut server in stdio {
            let _ = server.child.wait();
        }
        drop(server);
        check(root, &mut model.lock().unwrap(), round);
        round += 1;
    }
    let model = model.into_inner().unwrap();
    println!("{kills} kills over both transports, {} specs, {} plans", model.titles.len(), model.plans.len());
    assert!(!model.titles.is_empty());
}
