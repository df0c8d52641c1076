//! Sixteen hands on one workspace: agents over stdio and HTTP, the command line, an editor and `git checkout`. What each saw
//! and wrote is checked to be linearizable, artifact by artifact.

#![expect(clippy::disallowed_methods, reason = "the test starts programs and writes files as an editor does")]

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use hewto_testkit::{Era, TestWorkspace};
use serde_json::{Value, json};

use crate::http_client::HttpServer;
use crate::mcp_client::serve_with;

/// How often each hand acts.
const ROUNDS: usize = 6;
const SPECS: usize = 3;

/// Something that a hand did to the title of a spec, and when.
#[derive(Debug, Clone)]
struct Event {
    spec: String,
    title: String,
    is_write: bool,
    began: Duration,
    ended: Duration,
}

struct History {
    zero: Instant,
    events: Mutex<Vec<Event>>,
}

impl History {
    /// Does something and notes what it says to have written or seen.
    fn note(&self, is_write: bool, act: impl FnOnce() -> Vec<(String, String)>) {
        let began = self.zero.elapsed();
        let seen = act();
        let ended = self.zero.elapsed();
        let events = seen.into_iter().map(|(spec, title)| Event { spec, title, is_write, began, ended });
        self.events.lock().unwrap().extend(events);
    }
}

/// The titles in an answer of `spec_list`.
fn titles(view: &Value) -> Vec<(String, String)> {
    let specs = view["specs"].as_array().into_iter().flatten();
    specs
        .map(|spec| (spec["id"].as_str().unwrap().to_owned(), spec["title"].as_str().unwrap().to_owned()))
        // Git makes a file before it writes it; a spec that says nothing is called by its id for that moment.
        .filter(|(id, title)| !title.is_empty() && id != title)
        .collect()
}

fn of_tool(reply: &Value) -> Option<Value> {
    let text = reply["content"][0]["text"].as_str()?;
    (reply["isError"] != true).then(|| serde_json::from_str(text).unwrap_or_default())
}

/// An agent: writes a title, then looks at all.
fn agent(history: &History, hand: usize, ids: &[String], call: &mut dyn FnMut(&str, Value) -> Option<Value>) {
    for round in 0..ROUNDS {
        let (id, title) = (&ids[(hand + round) % SPECS], format!("T{hand}-{round}"));
        history.note(true, || {
            // Whoever is refused has written nothing.
            let done = call("spec_update", json!({ "spec_id": id, "title": title }));
            done.map(|_| (id.clone(), title.clone())).into_iter().collect()
        });
        history.note(false, || call("spec_list", json!({})).map(|view| titles(&view)).unwrap_or_default());
    }
}

fn editor(history: &History, hand: usize, ids: &[String], workspace: &TestWorkspace) {
    for round in 0..ROUNDS {
        let (id, title) = (&ids[(hand + round) % SPECS], format!("T{hand}-{round}"));
        history.note(true, || {
            let path = workspace.root().join(format!("specs/{id}/spec.md"));
            // Where git is about to write it, there is nothing to edit.
            let Some(text) = std::fs::read_to_string(&path).ok().filter(|text| text.contains("title:"))
            else {
                return Vec::new();
            };
            let edited: Vec<String> = text
                .lines()
                .map(
                    |line| {
                        if line.starts_with("title:") { format!("title: {title}") } else { line.to_owned() }
                    },
                )
                .collect();
            let draft = workspace.root().join(format!(".draft-{hand}"));
            std::fs::write(&draft, edited.join("\n") + "\n").unwrap();
            std::fs::rename(&draft, &path).unwrap();
            vec![(id.clone(), title.clone())]
        });
        std::thread::yield_now();
    }
}

fn git(workspace: &TestWorkspace, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b"])
        .args(arguments)
        .current_dir(workspace.root())
        .output()
        .unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

/// Commits in which every spec has a title that it has nowhere else; the specs are then as they were.
fn commits(workspace: &TestWorkspace, ids: &[String]) -> Vec<String> {
    let path = |id: &String| workspace.root().join(format!("specs/{id}/spec.md"));
    let before: Vec<String> = ids.iter().map(|id| std::fs::read_to_string(path(id)).unwrap()).collect();
    git(workspace, &["init", "-q"]).unwrap();
    let commits = (0..ROUNDS)
        .map(|round| {
            for (at, (id, text)) in ids.iter().zip(&before).enumerate() {
                let text = text.replace(&format!("title: Start {at}"), &format!("title: G{round}-{at}"));
                std::fs::write(path(id), text).unwrap();
            }
            git(workspace, &["add", "specs"]).unwrap();
            git(workspace, &["commit", "-q", "-m", "titles"]).unwrap();
            git(workspace, &["rev-parse", "HEAD"]).unwrap()
        })
        .collect();
    for (id, text) in ids.iter().zip(before) {
        std::fs::write(path(id), text).unwrap();
    }
    commits
}

fn checkouts(history: &History, commits: &[String], ids: &[String], workspace: &TestWorkspace) {
    for (round, commit) in commits.iter().enumerate() {
        let at = round % SPECS;
        history.note(true, || {
            let path = format!("specs/{}/spec.md", ids[at]);
            let done = git(workspace, &["checkout", "-q", commit, "--", &path]);
            done.map(|_| (ids[at].clone(), format!("G{round}-{at}"))).into_iter().collect()
        });
    }
}

fn reader(history: &History, workspace: &TestWorkspace) {
    for _ in 0..ROUNDS {
        history.note(false, || {
            let output = Command::new(env!("CARGO_BIN_EXE_hewto"))
                .args(["spec", "list", "--json"])
                .current_dir(workspace.root())
                .output()
                .unwrap();
            titles(&serde_json::from_slice(&output.stdout).unwrap())
        });
    }
}

/// Whether the history of a register whose values are all different can be put in one order (Gibbons and Korach): what
/// is known of two values must not overlap, nor may a value come and go while another is known to be there.
fn check(events: &[Event]) -> Result<(), String> {
    let mut values: BTreeMap<&str, Vec<&Event>> = BTreeMap::new();
    for event in events {
        values.entry(&event.title).or_default().push(event);
    }
    let mut zones = Vec::new();
    for (title, events) in &values {
        let Some(write) = events.iter().find(|event| event.is_write) else {
            return Err(format!("`{title}` was read and never written"));
        };
        if let Some(early) = events.iter().find(|event| event.ended < write.began) {
            return Err(format!("`{title}` was read before it was written: {early:?}"));
        }
        let first_end = events.iter().map(|event| event.ended).min().unwrap_or_default();
        let last_start = events.iter().map(|event| event.began).max().unwrap_or_default();
        zones.push((*title, first_end, last_start));
    }
    for (a, a_end, a_start) in &zones {
        for (b, b_end, b_start) in zones.iter().filter(|(b, ..)| b != a) {
            let (a_forward, b_forward) = (a_end < a_start, b_end < b_start);
            if a_forward && b_forward && a_end < b_start && b_end < a_start {
                return Err(format!("`{a}` and `{b}` were both there at once"));
            }
            if a_forward && !b_forward && a_end < b_start && b_end < a_start {
                return Err(format!("`{b}` came and went while `{a}` was there"));
            }
        }
    }
    Ok(())
}

#[test]
fn what_sixteen_hands_see_and_write_has_one_order() {
    let workspace = TestWorkspace::from_fixture("//- .hewto/config.toml\n[project]\nname = \"hands\"\n");
    let http = HttpServer::start(workspace.root(), &[]);
    let mut first = serve_with(&workspace, Era::Legacy, &[]);
    let ids: Vec<String> = (0..SPECS)
        .map(|at| {
            let new = json!({ "title": format!("Start {at}"), "description": "d" });
            first.call("spec_create", new).ok()["spec_id"].as_str().unwrap().to_owned()
        })
        .collect();
    let commits = commits(&workspace, &ids);
    let history = History { zero: Instant::now(), events: Mutex::new(Vec::new()) };
    history
        .note(true, || ids.iter().enumerate().map(|(at, id)| (id.clone(), format!("Start {at}"))).collect());
    std::thread::scope(|scope| {
        let (history, ids, workspace, http) = (&history, &ids, &workspace, &http);
        let commits = &commits;
        for hand in 0..5 {
            scope.spawn(move || {
                let mut session = serve_with(workspace, Era::Legacy, &[]);
                agent(history, hand, ids, &mut |tool, arguments| {
                    let id = session.start("tools/call", json!({ "name": tool, "arguments": arguments }));
                    of_tool(&session.finish(id).ok()?)
                });
            });
        }
        for hand in 5..11 {
            scope.spawn(move || {
                agent(history, hand, ids, &mut |tool, arguments| {
                    of_tool(&http.call("/mcp", tool, arguments).json()["result"])
                });
            });
        }
        for hand in 11..13 {
            scope.spawn(move || editor(history, hand, ids, workspace));
        }
        scope.spawn(move || checkouts(history, commits, ids, workspace));
        for _ in 14..16 {
            scope.spawn(move || reader(history, workspace));
        }
    });
    history.note(false, || titles(&first.call("spec_list", json!({})).ok()));
    let events = history.events.into_inner().unwrap();
    assert!(events.iter().filter(|event| event.is_write).count() > 16, "hardly anybody could write");
    for id in &ids {
        let own: Vec<Event> = events.iter().filter(|event| event.spec == *id).cloned().collect();
        if let Err(fault) = check(&own) {
            panic!("{id}: {fault}\n{own:#?}");
        }
    }
}

#[test]
fn the_check_knows_a_history_that_has_no_order() {
    let event = |title: &str, is_write, began, ended| Event {
        spec: "x".into(),
        title: title.into(),
        is_write,
        began: Duration::from_millis(began),
        ended: Duration::from_millis(ended),
    };
    let write = |title, began, ended| event(title, true, began, ended);
    let read = |title, began, ended| event(title, false, began, ended);
    assert!(check(&[write("a", 0, 1), write("b", 2, 3), read("b", 4, 5)]).is_ok());
    // A stale read, a lost update that came back, a value from nowhere, one from the future.
    assert!(check(&[write("a", 0, 1), write("b", 2, 3), read("a", 4, 5)]).is_err());
    assert!(check(&[write("a", 0, 1), write("b", 2, 9), read("b", 3, 4), read("a", 5, 6)]).is_err());
    assert!(check(&[write("a", 0, 1), read("c", 2, 3)]).is_err());
    assert!(check(&[read("a", 0, 1), write("a", 2, 3)]).is_err());
}
