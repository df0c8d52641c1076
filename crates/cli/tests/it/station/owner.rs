//! Running the project's code is for whom the owner of the machine has trusted, over every transport.

use hewto_testkit::{Era, TestWorkspace};
use serde_json::{Value, json};

use super::yard::{Yard, ok, refused, trust_folder};
use crate::http_client::{HttpServer, token_file};

/// What a caller without permission writes in order to run something.
fn hostile_makefile(marker: &std::path::Path) -> String {
    format!(
        "all: test\nbuild: test\ntest:\n\ttouch '{}'\n\techo '[workstation]' >> .hewto/config.toml\n",
        marker.display()
    )
}

#[test]
fn writing_a_build_file_and_building_is_not_a_shell() {
    let yard = Yard::new().configured("").untrusted();
    let marker = yard.base().join("PWNED");
    let mut session = yard.serve();
    ok(&mut session, "fs_write", json!({ "path": "Makefile", "content": hostile_makefile(&marker) }));
    ok(
        &mut session,
        "fs_write",
        json!({ "path": "package.json", "content": "{\"scripts\": {\"test\": \"make\"}}" }),
    );
    for (tool, arguments) in [
        ("ci_build", json!({})),
        ("ci_test", json!({})),
        ("ci_test", json!({ "tool": "npm" })),
        ("ci_restore", json!({ "tool": "npm" })),
        ("ci_run", json!({ "command": "make" })),
        ("run_command", json!({ "command": "sh -c id", "workingDirectory": "." })),
    ] {
        let result = session.request("tools/call", json!({ "name": tool, "arguments": arguments })).unwrap();
        assert_eq!(result["isError"], true, "{tool}: {result}");
        let error: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(error["error"], "not_trusted", "{tool}: {error}");
        let command = error["command"].as_str().unwrap();
        assert_eq!(command, format!("hewto trust --workspace {}", yard.root().display()));
        assert!(error["hint"].as_str().unwrap().contains(command), "{error}");
    }
    assert!(!marker.exists());
    // The owner agrees, and the same server goes on.
    yard.trust();
    ok(&mut session, "ci_test", json!({}));
    assert!(marker.exists());
    // What ran has changed what is allowed, and with that nothing is any more.
    let config = String::from_utf8(yard.bytes(".hewto/config.toml")).unwrap();
    yard.put(".hewto/config.toml", config + "[workstation.commands]\nsh = []\n");
    assert_eq!(refused(&mut session, "ci_run", json!({ "command": "sh -c id" })), "not_trusted");
    assert_eq!(refused(&mut session, "ci_test", json!({})), "not_trusted");
}

#[test]
fn a_branch_cannot_bring_its_permission_along() {
    let yard = Yard::repository().configured("[workstation.commands]\ngit = [[\"--version\"]]\n");
    let mut session = yard.serve();
    ok(&mut session, "ci_run", json!({ "command": "git --version" }));
    yard.git(".", &["add", "-A", "-f"]);
    yard.git(".", &["commit", "-qm", "settings"]);
    yard.git(".", &["switch", "-qc", "evil"]);
    yard.put(".hewto/config.toml", "[project]\nname = \"yard\"\n[workstation.commands]\ngit = []\n");
    assert_eq!(refused(&mut session, "ci_run", json!({ "command": "git log" })), "not_trusted");
    yard.git(".", &["checkout", "-q", "--", "."]);
    ok(&mut session, "ci_run", json!({ "command": "git --version" }));
}

#[test]
fn the_commit_hooks_of_a_repository_run_only_where_they_are_trusted() {
    let yard = Yard::repository().configured("[workstation.git]\nhooks = true\n").untrusted();
    let hook = yard.script("hook", &format!("touch '{}'", yard.base().join("HOOKED").display()));
    fs_err::copy(hook, yard.root().join(".git/hooks/pre-commit")).unwrap();
    let mut session = yard.serve();
    let mut commit = |name: &str| {
        ok(&mut session, "fs_write", json!({ "path": name, "content": "x" }));
        ok(&mut session, "git_add", json!({ "paths": [name] }));
        ok(&mut session, "git_commit", json!({ "message": name }));
    };
    commit("one");
    assert!(!yard.base().join("HOOKED").exists());
    yard.trust();
    commit("two");
    assert!(yard.base().join("HOOKED").exists());
}

#[test]
fn the_profile_of_the_original_still_lists_what_it_then_refuses() {
    let yard = Yard::new().untrusted();
    yard.put("Makefile", "test:\n\ttrue\n");
    let root = yard.root();
    let args = ["serve", "--root", root.to_str().unwrap(), "--profile", "ancplua"];
    let mut session = yard.start(&args, &[], Era::Legacy);
    let list = session.request("tools/list", json!({})).unwrap();
    let names: Vec<&str> =
        list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    for name in ["build", "run_tests", "restore", "run_command"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let result = session
        .request("tools/call", json!({ "name": "run_tests", "arguments": { "projectPath": "." } }))
        .unwrap();
    assert!(result["content"][0]["text"].as_str().unwrap().contains("not_trusted"), "{result}");
}

#[test]
fn a_folder_elsewhere_is_not_covered_by_the_workspace() {
    let yard = Yard::new().configured("[workstation.commands]\npwd = []\n");
    let other = yard.base().join("other");
    fs_err::create_dir(&other).unwrap();
    let (root, second) = (yard.root(), other.to_str().unwrap().to_owned());
    let args = ["serve", "--root", root.to_str().unwrap(), "--root", &second, "--toolsets", "workstation"];
    let mut session = yard.start(&args, &[], Era::Legacy);
    ok(&mut session, "ci_run", json!({ "command": "pwd" }));
    let there = json!({ "command": "pwd", "cwd": second });
    assert_eq!(refused(&mut session, "ci_run", there.clone()), "not_trusted");
    trust_folder(&yard.base().join("state"), &other);
    ok(&mut session, "ci_run", there);
}

#[test]
fn over_http_it_takes_the_scope_and_the_owner() {
    let workspace = TestWorkspace::native();
    let state = tempfile::tempdir().unwrap();
    let marker = state.path().join("PWNED");
    let tokens = "files workstation f-token-5f1c9a7be3d24806\nrunner run r-token-5f1c9a7be3d24806\n";
    token_file(&workspace, tokens);
    let flags = ["--token-file", "tokens", "--toolsets", "all"];
    let env = [("XDG_STATE_HOME", state.path().to_str().unwrap())];
    let mut server =
        HttpServer::start_with(workspace.root(), &flags, &env).with_token("f-token-5f1c9a7be3d24806");
    let written =
        server.call("/mcp", "fs_write", json!({ "path": "Makefile", "content": hostile_makefile(&marker) }));
    assert_eq!(written.status, 200, "{written:?}");
    for (tool, arguments) in
        [("ci_build", json!({})), ("ci_test", json!({})), ("ci_run", json!({ "command": "id" }))]
    {
        let answer = server.call("/mcp", tool, arguments);
        assert_eq!((answer.status, answer.error()), (403, json!("insufficient_scope")), "{tool}");
        assert!(answer.header("www-authenticate").unwrap().contains("scope=\"run\""), "{answer:?}");
    }
    server = server.with_token("r-token-5f1c9a7be3d24806");
    assert_eq!(server.call("/mcp", "fs_read", json!({ "path": "Makefile" })).status, 403);
    let refused = server.call("/mcp", "ci_test", json!({}));
    assert_eq!(refused.status, 200);
    assert!(refused.text.contains("not_trusted") && refused.text.contains("hewto trust"), "{refused:?}");
    assert!(!marker.exists());
    trust_folder(state.path(), workspace.root());
    let ran = server.call("/mcp", "ci_test", json!({}));
    assert!(marker.exists(), "{ran:?}");
}
