//! People and agents over the real server: the client's form, comments, claims, and runs as tasks.

use std::os::unix::fs::PermissionsExt as _;

use hewto_testkit::{Era, McpSession};
use serde_json::{Value, json};

use crate::sandbox::{Sandbox, Terminal};

const PROPOSAL: &str = "# Change: Mail\n\n## Why\n\nBecause people have been asking for this every single week of the year.\n\n## What Changes\n\n- a link\n";
const DELTA: &str = "## ADDED Requirements\n\n### Requirement: Sign in\n\nThe system SHALL send a link.\n\n#### Scenario: Fresh\n\n- **WHEN** asked\n- **THEN** sent\n";

fn gated(gate: &str) -> Sandbox {
    let sandbox = Sandbox::workspace();
    sandbox.write(".hewto/proof.toml", &format!("[gates]\nplan = \"{gate}\"\n"));
    sandbox.write("changes/mail/proposal.md", PROPOSAL);
    sandbox.write("changes/mail/tasks.md", "## 1. All\n- [ ] 1.1 Table\n- [ ] 1.2 Mail\n");
    sandbox.write("changes/mail/specs/accounts/spec.md", DELTA);
    sandbox
}

fn serve(sandbox: &Sandbox, capabilities: &Value) -> McpSession {
    let home = sandbox.root().join("home");
    let env = [("HOME", home.as_os_str()), ("PATH", std::ffi::OsStr::new("/usr/bin:/bin"))];
    let mut session = McpSession::spawn_raw(
        env!("CARGO_BIN_EXE_hewto"),
        &["serve", "--toolsets", "all"],
        &sandbox.project(),
        &env,
        Era::Legacy,
    );
    let params = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": capabilities,
        "clientInfo": {"name": "client", "version": "1"},
    });
    session.request("initialize", params).unwrap();
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    session
}

/// Starts the build and answers the form, if there is one; the form, and the result.
fn start(session: &mut McpSession, reply: impl Fn(&Value) -> Value) -> (Option<Value>, Value) {
    let id = session.start_call("build_start", json!({"spec_id": "change:mail", "plan_approved": true}));
    let mut form = None;
    loop {
        let message = session.receive();
        if message["method"] == "elicitation/create" {
            let result = reply(&message["params"]);
            session.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}));
            form = Some(message["params"].clone());
        } else if message["id"] == json!(id) {
            return (form, message["result"].clone());
        }
    }
}

fn error_of(result: &Value) -> Value {
    assert_eq!(result["isError"], true, "{result}");
    serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap()
}

/// The characters that the form asks for.
fn code(form: &Value) -> String {
    let message = form["message"].as_str().unwrap();
    message.split("Digest ").nth(1).unwrap()[..4].to_owned()
}

// @spec review#an-approval-is-bound-to-what-was-shown/a-form-that-is-accepted-empty
#[test]
fn a_form_counts_when_four_characters_of_the_digest_are_typed() {
    let sandbox = gated("elicited");
    let mut session = serve(&sandbox, &json!({"elicitation": {}}));
    // A client that accepts forms by itself, and one that types something.
    for content in [json!({}), json!({"code": ""}), json!({"code": "0xyz"}), json!({"verdict": "approved"})] {
        let (form, result) = start(&mut session, |_| json!({"action": "accept", "content": content}));
        let form = form.unwrap();
        let message = form["message"].as_str().unwrap();
        assert!(message.contains("What you would approve") && message.contains("\n+ "), "{message}");
        assert_eq!(error_of(&result)["error"], "approval_pending", "{content}");
    }
    let (_, result) = start(&mut session, |_| json!({"action": "decline"}));
    assert_eq!(error_of(&result)["error"], "approval_pending");
    let (_, result) = start(
        &mut session,
        |form| json!({"action": "accept", "content": {"code": code(form), "verdict": "changes_requested", "note": "which?"}}),
    );
    assert_eq!(error_of(&result)["error"], "approval_pending");
    let waited = session.call("approval_wait", json!({"spec_id": "change:mail", "wait_s": 0})).ok();
    assert_eq!((&waited["decided"], &waited["note"]), (&json!(true), &json!("which?")), "{waited}");
    let (_, result) = start(
        &mut session,
        |form| json!({"action": "accept", "content": {"code": code(form).to_uppercase()}}),
    );
    assert_eq!(result["structuredContent"]["build_started"], true, "{result}");
    let record = sandbox.json(&["review", "show", "change:mail"])["verdicts"].clone();
    assert_eq!(record.as_array().unwrap().last().unwrap()["channel"], "elicited", "{record}");
}

#[test]
fn whoever_decides_elsewhere_while_a_form_is_open_is_first_and_the_form_is_put_away() {
    let sandbox = gated("elicited");
    let mut session = serve(&sandbox, &json!({"elicitation": {}}));
    let id = session.start_call("build_start", json!({"spec_id": "change:mail", "plan_approved": true}));
    let form = session.receive();
    assert_eq!(form["method"], "elicitation/create", "{form}");
    let mut terminal = Terminal::run(&sandbox, &["approve", "change:mail", "--as", "ana"]);
    terminal.until("type ");
    let code = terminal.until(":").trim_end_matches(':').to_owned();
    terminal.enter(&format!("{code}\n"));
    assert_eq!(terminal.end().1, Some(0));
    let mut put_away = false;
    let result = loop {
        let message = session.receive();
        put_away |=
            message["method"] == "notifications/cancelled" && message["params"]["requestId"] == form["id"];
        if message["id"] == json!(id) {
            break message["result"].clone();
        }
    };
    assert_eq!(result["structuredContent"]["build_started"], true, "{result}");
    assert!(put_away, "nobody waits for the form any more");
}

#[test]
fn a_form_that_is_declined_after_somebody_agreed_elsewhere_does_not_hold_the_build() {
    let sandbox = gated("elicited");
    let mut session = serve(&sandbox, &json!({"elicitation": {}}));
    // The verdict of the form itself is what is answered with, not how things stood before.
    let (_, result) = start(
        &mut session,
        |form| json!({"action": "accept", "content": {"code": code(form), "verdict": "rejected"}}),
    );
    assert_eq!(error_of(&result)["standing"], "rejected", "{result}");
    let (_, result) = start(&mut session, |_| {
        let mut terminal = Terminal::run(&sandbox, &["approve", "change:mail", "--as", "ana"]);
        terminal.until("type ");
        let code = terminal.until(":").trim_end_matches(':').to_owned();
        terminal.enter(&format!("{code}\n"));
        assert_eq!(terminal.end().1, Some(0));
        json!({"action": "decline"})
    });
    assert_eq!(result["structuredContent"]["build_started"], true, "{result}");
}

#[test]
fn a_client_without_forms_and_a_gate_that_wants_more_get_none() {
    let sandbox = gated("elicited");
    let mut session = serve(&sandbox, &json!({}));
    let (form, result) = start(&mut session, |_| panic!("nobody asked"));
    let refused = error_of(&result);
    assert_eq!((form, &refused["error"]), (None, &json!("approval_pending")));
    assert!(refused["hint"].as_str().unwrap().contains("hewto approve change:mail"), "{refused}");
    assert_eq!(refused["shown"].as_array().map(Vec::is_empty), Some(false), "{refused}");
    let sandbox = gated("terminal");
    let mut session = serve(&sandbox, &json!({"elicitation": {}}));
    let (form, result) = start(&mut session, |_| panic!("a form is too weak here"));
    assert_eq!((form, &error_of(&result)["error"]), (None, &json!("approval_pending")));
}

#[test]
fn a_waiting_agent_hears_what_a_person_says_elsewhere_and_works_off_comments() {
    let sandbox = gated("terminal");
    let mut session = serve(&sandbox, &json!({}));
    let mine = session
        .call(
            "review_comment",
            json!({"spec_id": "change:mail", "text": "Which mail?", "requirement": "Sign in", "quote": "send a link"}),
        )
        .ok();
    assert_eq!(mine["place"], "Requirement Sign in", "{mine}");
    let long = session.call("review_comment", json!({"spec_id": "change:mail", "text": "x".repeat(1 << 20)}));
    assert!(long.error()["message"].as_str().unwrap().contains("bytes"));
    let open = session.call("approval_wait", json!({"spec_id": "change:mail", "wait_s": 0})).ok();
    assert_eq!((&open["decided"], open["comments"].as_array().unwrap().len()), (&json!(false), 1), "{open}");
    let id = session.start_call("approval_wait", json!({"spec_id": "change:mail", "wait_s": 25}));
    let mut terminal = Terminal::run(&sandbox, &["approve", "change:mail", "--as", "ana", "--note", "go"]);
    terminal.until("type ");
    let code = terminal.until(":").trim_end_matches(':').to_owned();
    terminal.enter(&format!("{code}\n"));
    assert_eq!(terminal.end().1, Some(0));
    let heard = loop {
        let message = session.receive();
        if message["id"] == json!(id) {
            break message["result"]["structuredContent"].clone();
        }
    };
    assert_eq!(
        (&heard["standing"], &heard["by"], &heard["note"]),
        (&json!("approved"), &json!("ana"), &json!("go"))
    );
    let (_, result) = start(&mut session, |_| panic!("nobody asked"));
    assert_eq!(result["structuredContent"]["build_started"], true, "{result}");
}

#[test]
fn work_of_somebody_else_is_told_in_every_reply_and_a_number_that_was_lost_writes_nothing() {
    let sandbox = Sandbox::workspace();
    let id = sandbox.planned_spec("One", &[]);
    let mut holder = serve(&sandbox, &json!({}));
    let claim = holder.call("claim_next", json!({"spec_id": id, "lease_s": 30})).ok()["claim"].clone();
    let mut other = serve(&sandbox, &json!({}));
    let nothing = other.call("claim_next", json!({})).error();
    assert_eq!(nothing["error"], "nothing_ready");
    for (tool, arguments) in [
        ("spec_update", json!({"spec_id": id, "title": "Other"})),
        ("plan_update", json!({"spec_id": id, "approach": "Another way"})),
        ("build_start", json!({"spec_id": id, "plan_approved": true})),
        ("build_update", json!({"spec_id": id, "progress_percentage": 10})),
        ("plan_step_complete", json!({"spec_id": id, "step_index": 0})),
    ] {
        let reply = other.call(tool, arguments).ok();
        let open = reply["open"].as_array().unwrap_or_else(|| panic!("{tool}: {reply}"));
        assert!(open.iter().any(|point| point["key"] == "claimed"), "{tool}: {reply}");
    }
    // The holder's own writes say nothing of it, and begin the lease anew.
    let reply = holder.call("build_update", json!({"spec_id": id, "progress_percentage": 20})).ok();
    assert!(reply.get("open").is_none(), "{reply}");
    holder.call("claim_keep", json!({"claim": claim, "release": true, "note": "half"})).ok();
    let next = other.call("claim_next", json!({"spec_id": id})).ok()["claim"].clone();
    assert!(next.as_u64() > claim.as_u64(), "{next} {claim}");
    let late = holder.call("build_update", json!({"spec_id": id, "progress_percentage": 30, "claim": claim}));
    assert_eq!(late.error()["error"], "claim_lost");
}

#[test]
fn a_long_run_is_a_task_for_a_client_that_has_them() {
    let sandbox = Sandbox::workspace();
    sandbox.write(
        ".hewto/proof.toml",
        "policy = \"warn\"\n[check.unit]\nrun = [\"./check.sh\"]\nreport = \"report.tap\"\nformat = \"tap\"\n",
    );
    sandbox
        .write("check.sh", "#!/bin/sh\nuntil [ -e go ]; do sleep 0.05; done\necho 'ok 1 - a' > report.tap\n");
    sandbox.write(".gitignore", "go\n");
    let script = sandbox.project().join("check.sh");
    std::fs::set_permissions(script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let shown = sandbox.on_a_terminal(&["trust"], "y\n");
    assert!(shown.contains("check.sh"), "{shown}");
    let tasks = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let mut session = serve(&sandbox, &tasks);
    let call = |session: &mut McpSession, method: &str, params: Value| {
        session.request(method, params).unwrap_or_else(|error| panic!("{method}: {error:?}"))
    };
    let begun = call(&mut session, "tools/call", json!({"name": "proof_run", "arguments": {}}));
    assert_eq!((&begun["resultType"], &begun["status"]), (&json!("task"), &json!("working")), "{begun}");
    let task = json!({"taskId": begun["taskId"]});
    assert_eq!(call(&mut session, "tasks/get", task.clone())["status"], "working");
    let begun_at = begun["createdAt"].as_str().unwrap().to_owned();
    // Later by the clock: a task stays as old as it is.
    while call(&mut session, "tasks/get", task.clone())["lastUpdatedAt"] == begun_at.as_str() {
        std::thread::yield_now();
    }
    assert_eq!(call(&mut session, "tasks/get", task.clone())["createdAt"], begun_at.as_str());
    sandbox.write("go", "");
    let ended = loop {
        let seen = call(&mut session, "tasks/get", task.clone());
        if seen["status"] != "working" {
            break seen;
        }
    };
    assert_eq!(ended["status"], "completed", "{ended}");
    assert_eq!(ended["result"]["structuredContent"]["status"], "passed", "{ended}");
    // One that is called off leaves nothing behind.
    fs_err::remove_file(sandbox.project().join("go")).unwrap();
    sandbox.write("src/other.txt", "x");
    let begun = call(&mut session, "tools/call", json!({"name": "proof_run", "arguments": {}}));
    let task = json!({"taskId": begun["taskId"]});
    call(&mut session, "tasks/cancel", task.clone());
    assert_eq!(call(&mut session, "tasks/get", task)["status"], "cancelled");
    let unknown = session.request("tasks/get", json!({"taskId": "no-such"})).unwrap_err();
    assert_eq!(unknown.code, -32602, "{unknown:?}");
    // Who has no tasks waits in the call, or asks again.
    let mut plain = serve(&sandbox, &json!({}));
    let running = plain.call("proof_run", json!({"wait_s": 0})).ok();
    assert_eq!(running["status"], "running");
    plain.call("proof_run", json!({"run": running["run"], "cancel": true})).ok();
}
