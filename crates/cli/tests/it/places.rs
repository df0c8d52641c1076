//! Several workspaces under one server and one command line: nested ones, linked work trees, ids that name theirs.

use std::fmt::Write as _;
use std::process::Command;

use hewto_testkit::{Era, McpSession};
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

fn git(sandbox: &Sandbox, args: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=ann", "-c", "user.email=ann@example.com"]).args(args);
    let output =
        command.current_dir(sandbox.project()).env("HOME", sandbox.root().join("home")).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The answers to these calls, one after the other, of a server in the project.
fn calls(sandbox: &Sandbox, args: &[&str], calls: &[Value]) -> Vec<Value> {
    let mut input = String::from(
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}\n",
    );
    for (id, params) in calls.iter().enumerate() {
        let call = json!({ "jsonrpc": "2.0", "id": id + 1, "method": "tools/call", "params": params });
        let _ = writeln!(input, "{call}");
    }
    let shown = sandbox.run_with_input(&[&["serve"], args].concat(), &input);
    let frames: Vec<Value> = shown.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    (1..=calls.len())
        .map(|id| {
            frames.iter().find(|frame| frame["id"] == id).unwrap_or_else(|| panic!("{shown}"))["result"]
                .clone()
        })
        .collect()
}

fn monorepo() -> Sandbox {
    let sandbox = Sandbox::workspace();
    for folder in ["packages/web", "packages/api"] {
        sandbox.write(&format!("{folder}/package.json"), "{}");
        let made = sandbox.json(&["init", folder, "--yes", "--agents", "none"]);
        assert_eq!(
            (&made["created"], made["root"].as_str()),
            (&true.into(), sandbox.project().join(folder).to_str())
        );
        assert_eq!(sandbox.json(&["init", folder, "--yes", "--agents", "none"])["created"], false);
    }
    sandbox.write("packages/web/specs/auth/spec.md", "# Auth\n\n## Purpose\nLets people in, and nobody else, at all times.\n\n## Requirements\n\n### Requirement: Login\nThe system SHALL log in.\n\n#### Scenario: Good\n- **WHEN** it fits\n- **THEN** in\n");
    sandbox
}

#[test]
fn a_call_names_its_workspace_and_the_reply_says_where_it_wrote() {
    let sandbox = monorepo();
    let create = |workspace: Value| json!({ "name": "spec_create", "arguments": { "title": "A thing", "description": "What it is", "workspace": workspace } });
    let web = sandbox.project().join("packages/web");
    let answers = calls(
        &sandbox,
        &[],
        &[
            create(json!("packages/web")),
            create(json!("api")),
            json!({ "name": "spec_create", "arguments": { "title": "Here", "description": "What it is" } }),
            json!({ "name": "list_specs", "arguments": { "workspace": "web" } }),
            json!({ "name": "list_specs", "arguments": {}, "_meta": { "hewto/workspace": "packages/web" } }),
            create(json!("/etc")),
            create(json!("nowhere")),
            create(json!(7)),
        ],
    );
    assert_eq!(answers[0]["_meta"]["root"], web.display().to_string(), "{:#}", answers[0]);
    assert_eq!(answers[1]["_meta"]["root"], sandbox.project().join("packages/api").display().to_string());
    assert_eq!(answers[2]["_meta"]["root"], sandbox.project().display().to_string());
    for list in &answers[3..5] {
        assert!(list["structuredContent"].to_string().contains("auth"), "{list:#}");
    }
    for (refused, why) in [(5, "outside_workspace"), (6, "workspace_not_found"), (7, "invalid_params")] {
        assert_eq!(answers[refused]["isError"], true, "{:#}", answers[refused]);
        assert!(
            answers[refused]["content"][0]["text"].as_str().unwrap().contains(why),
            "{:#}",
            answers[refused]
        );
    }
    assert_eq!(
        fs_err::read_dir(web.join("specs")).unwrap().count(),
        2,
        "one that was there, one that was made"
    );
}

#[test]
fn a_folder_that_is_no_package_becomes_a_workspace_of_its_own_on_wish() {
    let sandbox = Sandbox::workspace();
    fs_err::create_dir(sandbox.project().join("sub")).unwrap();
    assert_eq!(sandbox.json(&["init", "sub", "--yes", "--agents", "none"])["created"], false);
    assert_eq!(sandbox.json(&["init", "sub", "--nested", "--yes", "--agents", "none"])["created"], true);
    assert!(sandbox.project().join("sub/.hewto/config.toml").is_file());
}

#[test]
fn ids_say_which_workspace_they_are_of() {
    let sandbox = monorepo();
    let answers = calls(
        &sandbox,
        &[],
        &[json!({ "name": "get_spec_requirements", "arguments": { "spec_id": "web:auth" } })],
    );
    assert!(answers[0]["structuredContent"].to_string().contains("Login"), "{:#}", answers[0]);
    let shown = sandbox.ok(&["spec", "show", "web:auth"]);
    assert!(shown.contains("log in"), "{shown}");
    assert!(sandbox.run(&["spec", "show", "api:auth"]).ends_with("[exit 1]"));
    let unknown = sandbox.run(&["spec", "show", "nope:cart"]);
    assert!(unknown.contains("no workspace below this folder is called `nope`"), "{unknown}");
    // Of a change too, and from inside another workspace of the repository.
    sandbox.write(
        "packages/web/changes/x/proposal.md",
        "# Change: X\n\n## Why\n\nBecause.\n\n## What Changes\n\n- x\n",
    );
    let answers = calls(
        &sandbox,
        &[],
        &[
            json!({ "name": "get_change", "arguments": { "change_id": "web:x" } }),
            json!({ "name": "spec_status", "arguments": { "spec_id": "change:web:x" } }),
        ],
    );
    for answer in answers {
        assert_ne!(answer["isError"], true, "{answer:#}");
    }
    assert!(sandbox.ok(&["change", "show", "web:x"]).contains("Because."));
}

#[test]
fn the_roots_of_a_client_choose_the_workspace_of_each_call() {
    let sandbox = monorepo();
    let folder = sandbox.root().join("elsewhere");
    fs_err::create_dir_all(&folder).unwrap();
    let mut session =
        McpSession::spawn_raw(env!("CARGO_BIN_EXE_hewto"), &["serve"], &folder, &[("X", "")], Era::Legacy);
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": { "roots": { "listChanged": true } }, "clientInfo": { "name": "t", "version": "1" } });
    session.request("initialize", params).unwrap();
    session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    // Where a call writes while the client works in this package.
    let mut made_in = |package: &str| {
        let root = sandbox.project().join("packages").join(package);
        let call =
            json!({ "name": "spec_create", "arguments": { "title": "There", "description": "What it is" } });
        session.send(&json!({ "jsonrpc": "2.0", "id": package, "method": "tools/call", "params": call }));
        loop {
            let message = session.receive();
            if message["method"] == "roots/list" {
                let roots = json!({ "roots": [{ "uri": format!("file://{}", root.display()) }] });
                session.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": roots }));
            } else if message["id"] == package {
                session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" }));
                return message["result"]["_meta"]["root"] == root.display().to_string();
            }
        }
    };
    assert!(made_in("web"));
    // Messages are handled side by side: a call may still be before the news.
    assert!((0..100).any(|_| made_in("api")));
}

#[test]
fn status_shows_all_workspaces_below_a_folder() {
    let sandbox = monorepo();
    let view = sandbox.json(&["status", "--all"]);
    let names: Vec<&str> =
        view["workspaces"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["project", "api", "web"]);
    assert_eq!(view["workspaces"][2]["status"]["specs"]["total"], 1);
    assert!(sandbox.ok(&["status", "--all"]).contains("packages/web"));
}

#[test]
fn a_linked_work_tree_is_a_workspace_of_its_own_branch() {
    let sandbox = Sandbox::workspace();
    git(&sandbox, &["init", "-q", "-b", "main"]);
    git(&sandbox, &["add", "-A"]);
    git(&sandbox, &["commit", "-qm", "first"]);
    git(&sandbox, &["worktree", "add", "-q", "-b", "topic", "../tree"]);
    let tree = sandbox.root().join("tree");
    let call = json!({ "name": "spec_create", "arguments": { "title": "There", "description": "What it is", "workspace": tree } });
    let here =
        json!({ "name": "spec_create", "arguments": { "title": "Here", "description": "What it is" } });
    let answers = calls(&sandbox, &[], &[call, here]);
    assert_eq!(
        (&answers[0]["_meta"]["root"], &answers[0]["_meta"]["branch"]),
        (&json!(tree), &json!("topic")),
        "{:#}",
        answers[0]
    );
    assert_eq!(answers[1]["_meta"]["branch"], "main");
    assert_eq!(fs_err::read_dir(tree.join("specs")).unwrap().count(), 1);
}

#[test]
fn what_is_to_be_called_next_is_called_in_the_workspace_that_answered() {
    let sandbox = monorepo();
    let change = |id: &str| {
        let scenario = json!({ "name": "Again", "when": "it fits", "then": "in" });
        let requirement =
            json!({ "name": "Return", "text": "The system SHALL let them back.", "scenarios": [scenario] });
        json!({ "name": "change_create", "arguments": {
            "change_id": id, "why": "People come back every day and want to go on where they were, without waiting.",
            "what_changes": "a way back", "deltas": { "auth": { "added": [requirement] } } } })
    };
    let answers = calls(&sandbox, &[], &[change("same"), change("web:same")]);
    let next = |at: usize| answers[at]["structuredContent"]["next"].as_str().unwrap().to_owned();
    assert!(!next(0).contains("workspace"), "{}", next(0));
    let (_, arguments) =
        next(1).split_once(' ').map(|(tool, rest)| (tool.to_owned(), rest.to_owned())).unwrap();
    let first = serde_json::Deserializer::from_str(&arguments).into_iter::<Value>().next().unwrap().unwrap();
    let web = sandbox.project().join("packages/web");
    assert_eq!(first["workspace"], web.display().to_string(), "{}", answers[1]);
}

#[test]
fn commands_in_texts_name_the_workspace_that_this_one_names() {
    let sandbox = Sandbox::workspace();
    sandbox.ok(&["change", "new", "x", "--why", "Because.", "--what", "All.", "--task", "One"]);
    let project = sandbox.project();
    let place = project.to_str().unwrap();
    let told = |args: &[&str]| {
        let mut command = sandbox.hewto(&[&["--workspace", place], args].concat());
        let output = command.current_dir(sandbox.root()).output().unwrap();
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat()
    };
    let approve = told(&["approve", "x"]);
    assert!(approve.contains(&format!("`hewto --workspace {place} approve x`")), "{approve}");
    let next = told(&["next"]);
    assert!(next.contains(&format!("hewto --workspace {place} ")), "{next}");
    assert!(!next.contains("hewto change") && !next.contains("hewto plan"), "{next}");
    let status = told(&["status"]);
    assert!(
        ["validate", "plan", "gate"].iter().all(|word| !status.contains(&format!("hewto {word}"))),
        "{status}"
    );
}
