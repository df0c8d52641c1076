//! Many processes take turns: each piece of work is built by one of them, once, whoever is killed or stopped on the way.
//!
//! A small share runs with all tests. The whole of it is run by hand: `HEWTO_RACE_ITEMS=1000 HEWTO_RACE_WORKERS=16
//! HEWTO_RACE_TROUBLE=40 cargo test -p hewto --test it claims_race`; every so many-th claim is then killed or stopped.

#![expect(clippy::disallowed_methods, reason = "the test asks where programs are, or how long it may take")]

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hewto_testkit::{Era, McpSession, TestWorkspace};
use serde_json::{Value, json};

use crate::http_client::HttpServer;
use crate::mcp_client::serve_with;

/// One more than the shortest lease.
const PAST_THE_LEASE: Duration = Duration::from_secs(31);

/// How a worker reaches hewto.
#[expect(clippy::large_enum_variant, reason = "a handful of them live at once")]
enum Way<'a> {
    Stdio(Option<McpSession>),
    Http(&'a HttpServer),
    CommandLine,
}

struct Worker<'a> {
    way: Way<'a>,
    workspace: &'a TestWorkspace,
}

impl Worker<'_> {
    /// One call; what was refused is told by its key.
    fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, String> {
        let key = |error: &Value| error["error"].as_str().unwrap_or_default().to_owned();
        match &mut self.way {
            Way::Stdio(session) => {
                let session = session
                    .get_or_insert_with(|| serve_with(self.workspace, Era::Legacy, &["--toolsets", "all"]));
                let id = session.start("tools/call", json!({ "name": tool, "arguments": arguments }));
                let reply = session.finish(id).map_err(|error| format!("{error:?}"))?;
                unpack(&reply).map_err(|error| key(&error))
            }
            Way::Http(server) => {
                let reply = server.call("/mcp", tool, arguments).json();
                unpack(&reply["result"]).map_err(|error| key(&error))
            }
            Way::CommandLine => {
                let output = Command::new(env!("CARGO_BIN_EXE_hewto"))
                    .args(typed(tool, &arguments))
                    .arg("--json")
                    .current_dir(self.workspace.root())
                    .output()
                    .unwrap();
                let view: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
                if output.status.success() { Ok(view) } else { Err(key(&view)) }
            }
        }
    }
}

fn unpack(reply: &Value) -> Result<Value, Value> {
    if reply["isError"] == true {
        let text = reply["content"][0]["text"].as_str().unwrap_or_default();
        return Err(serde_json::from_str(text).unwrap_or_default());
    }
    Ok(reply["structuredContent"].clone())
}

/// The command for a call.
fn typed(tool: &str, arguments: &Value) -> Vec<String> {
    let text = |name: &str| match &arguments[name] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut words: Vec<String> = match tool {
        "claim_next" => vec!["claim".into(), "--lease".into(), text("lease_s")],
        "claim_keep" => vec!["release".into(), text("claim")],
        "build_start" => vec!["build".into(), "start".into(), text("spec_id"), "--approve".into()],
        "plan_step_complete" => vec!["plan".into(), "done".into(), text("spec_id"), "1".into()],
        "build_complete" => {
            vec!["build".into(), "done".into(), text("spec_id"), "--summary".into(), "s".into()]
        }
        other => panic!("{other}"),
    };
    if tool != "claim_next" && tool != "claim_keep" {
        words.extend(["--claim".into(), text("claim")]);
    }
    words
}

// @spec review#work-is-done-once/many-claim-at-once
#[test]
fn every_item_is_built_once_by_somebody() {
    let number = |name: &str, usual: usize| {
        std::env::var_os(name).and_then(|text| text.to_str()?.parse().ok()).unwrap_or(usual)
    };
    let items = number("HEWTO_RACE_ITEMS", 12);
    let workers = number("HEWTO_RACE_WORKERS", 4);
    let trouble = number("HEWTO_RACE_TROUBLE", usize::MAX);
    let workspace = TestWorkspace::native();
    for item in 0..items {
        let id = format!("item-{item:04}");
        workspace.add(&format!(
            "//- specs/{id}/spec.md\n---\ntitle: {id}\ndescription: d\n---\n# {id}\n//- specs/{id}/plan.md\n---\nspec_id: {id}\napproach: a\n---\n# Implementation Plan\n\n## Approach\n\na\n\n## Steps\n\n### Step 1: Do it\n\nx\n\n- **Status:** pending\n//- specs/{id}/state.toon\nspec_id: {id}\nlifecycle: draft\nphase: plan\nbuild_progress:\n  percentage: 0\n  current_step: null\n  notes: null\nupdated_at: \"2026-01-01T00:00:00Z\"\n"
        ));
    }
    let server = HttpServer::start(workspace.root(), &["--toolsets", "all"]);
    let built: Mutex<BTreeMap<String, usize>> = Mutex::default();
    let numbers: Mutex<BTreeSet<u64>> = Mutex::default();
    let claimed = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for index in 0..workers {
            let way = match index % 3 {
                0 => Way::Stdio(None),
                1 => Way::Http(&server),
                _ => Way::CommandLine,
            };
            let (workspace, built, numbers, claimed) = (&workspace, &built, &numbers, &claimed);
            scope.spawn(move || {
                let mut worker = Worker { way, workspace };
                while built.lock().unwrap().len() < items {
                    let taken = match worker.call("claim_next", json!({ "lease_s": 30 })) {
                        Ok(taken) => taken,
                        // Others are at it; an HTTP caller without a session shares the claims of its principal.
                        Err(key) => {
                            assert_eq!(key, "nothing_ready");
                            std::thread::sleep(Duration::from_millis(50));
                            continue;
                        }
                    };
                    let (id, claim) = (taken["spec_id"].clone(), taken["claim"].clone());
                    numbers.lock().unwrap().insert(claim.as_u64().unwrap());
                    match (claimed.fetch_add(1, Ordering::Relaxed) + 1) % trouble {
                        // Killed: nobody hears of it again until its lease is over.
                        0 => {
                            if let Way::Stdio(session) = &mut worker.way
                                && let Some(session) = session.take()
                            {
                                session.kill();
                            }
                            continue;
                        }
                        // Stopped past its lease, and resumed.
                        1 if trouble != usize::MAX => std::thread::sleep(PAST_THE_LEASE),
                        _ => {}
                    }
                    let with = |more: Value| {
                        let mut arguments = json!({ "spec_id": id, "claim": claim });
                        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                        arguments
                    };
                    let done = worker
                        .call("build_start", with(json!({ "plan_approved": true })))
                        // Whoever was killed may have begun it.
                        .or_else(|key| if key == "validation_failed" { Ok(Value::Null) } else { Err(key) })
                        .and_then(|_| worker.call("plan_step_complete", with(json!({ "step_index": 0 }))))
                        .and_then(|_| worker.call("build_complete", with(json!({ "summary": "s" }))));
                    match done {
                        Ok(_) => *built.lock().unwrap().entry(id.to_string()).or_default() += 1,
                        Err(key) => assert!(
                            matches!(key.as_str(), "claim_lost" | "invalid_transition" | "claimed"),
                            "{key}"
                        ),
                    }
                    let _ = worker.call("claim_keep", json!({ "claim": claim, "release": true }));
                }
            });
        }
    });
    let built = built.into_inner().unwrap();
    assert_eq!(built.len(), items);
    assert!(built.values().all(|times| *times == 1), "{built:?}");
    for item in 0..items {
        let state = workspace.read(&format!("specs/item-{item:04}/state.toon"));
        assert!(state.contains("lifecycle: done"), "{state}");
    }
    assert!(numbers.into_inner().unwrap().len() >= items, "each turn has a number of its own");
}
