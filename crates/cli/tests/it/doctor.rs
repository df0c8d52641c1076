//! `hewto doctor`: what it finds, how it mends, and what it refuses to start.

use serde_json::Value;

use crate::sandbox::Sandbox;

/// The findings about one thing.
fn findings<'a>(report: &'a Value, check: &str) -> Vec<&'a Value> {
    report["findings"].as_array().unwrap().iter().filter(|finding| finding["check"] == check).collect()
}

fn report(sandbox: &Sandbox, args: &[&str]) -> Value {
    let output = sandbox.output(&[&["doctor", "--json"], args].concat());
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_fresh_workspace_is_well_and_every_agent_answers() {
    let sandbox = Sandbox::empty();
    sandbox.ok(&["init", "--yes", "--agents", "all"]);
    insta::assert_snapshot!(sandbox.run(&["doctor"]), @r"
    ok       workspace     [DIR]/project (native)
    ok       layout        specs in specs
    ok       gates         plans are approved by an argument that agents give themselves; `hewto gate plan terminal` makes it a person's word
                           fix: run `hewto gate plan terminal`
    ok       logs          .hewto/logs/operations.jsonl takes writes
    ok       lock          nobody holds it
    ok       journal       no write is unfinished
    ok       index         entries: 0, documents: 0
    ok       git           no repository here; hewto does not need one
    ok       installation  100 files, as `hewto uninstall` needs them
    ok       documents     specs: 0, errors: 0, warnings: 0
    ok       claude-code   the server answers with [N] tools (.mcp.json)
    ok       cursor        the server answers with [N] tools (.cursor/mcp.json)
    ok       vscode        the server answers with [N] tools (.vscode/mcp.json)
    ok       copilot-cli   the server answers with [N] tools (.github/mcp.json)
    ok       codex         the server answers with [N] tools (.codex/config.toml)
    ok       gemini        the server answers with [N] tools (.gemini/settings.json)
    ok       zed           the server answers with [N] tools (.zed/settings.json)
    ok       kiro          the server answers with [N] tools (.kiro/settings/mcp.json)
    ok       roo           the server answers with [N] tools (.roo/mcp.json)
    ok       opencode      the server answers with [N] tools (opencode.json)
    ok       amp           the server answers with [N] tools (.amp/settings.json)
    ok       continue      the server answers with [N] tools (.continue/mcpServers/hewto.yaml)
    ok       jetbrains     the server answers with [N] tools (.junie/mcp/mcp.json)
    ok       qwen          the server answers with [N] tools (.qwen/settings.json)
    ok       crush         the server answers with [N] tools (crush.json)
    ok       warp          the server answers with [N] tools (.warp/.mcp.json)

    all is well
    [exit 0]
    ");
    let report = report(&sandbox, &[]);
    for agent in ["claude-code", "cursor", "vscode", "codex", "gemini"] {
        let [finding] = findings(&report, agent)[..] else { panic!("{report}") };
        assert!(finding["message"].as_str().unwrap().starts_with("the server answers with"), "{finding}");
    }
}

#[test]
fn without_a_workspace_it_says_how_to_get_one() {
    let sandbox = Sandbox::empty();
    insta::assert_snapshot!(sandbox.run(&["doctor"]), @r"
    error    workspace  no workspace at or above: [DIR]/project
                        fix: run `hewto init` in the folder that should become the workspace

    1 error, 0 warnings
    [exit 1]
    ");
}

#[test]
fn every_fault_comes_with_its_fix() {
    let sandbox = Sandbox::empty();
    sandbox.ok(&["init", "--yes", "--agents", "claude,codex"]);
    sandbox.write(
        ".mcp.json",
        "{\"mcpServers\": {\"hewto\": {\"command\": \"hewto-is-not-here\", \"args\": [\"serve\"]}}}",
    );
    sandbox.write(".codex/config.toml", "model = \n");
    sandbox.write(".cursor/rules/a.mdc", "");
    sandbox.write("specs/broken/spec.md", "---\ntitle: x\ndependencies: [a\n---\n");
    fs_err::create_dir(sandbox.project().join(".git")).unwrap();
    fs_err::remove_file(sandbox.project().join(".hewto/.gitignore")).unwrap();
    let _ = fs_err::remove_file(sandbox.project().join(".hewto/logs/operations.jsonl"));
    fs_err::create_dir_all(sandbox.project().join(".hewto/logs/operations.jsonl")).unwrap();
    fs_err::remove_dir_all(sandbox.project().join(".hewto/cache")).unwrap();
    sandbox.write(".hewto/cache", "a file, not a folder");
    let report = report(&sandbox, &[]);
    assert_eq!(report["healthy"], false);
    for (check, status) in [
        ("claude-code", "error"),
        ("codex", "error"),
        ("cursor", "warning"),
        ("documents", "error"),
        ("git", "warning"),
        ("logs", "error"),
        ("index", "error"),
    ] {
        let found = findings(&report, check);
        assert!(found.iter().any(|finding| finding["status"] == status), "{check}: {report}");
        assert!(found.iter().all(|finding| finding["fix"].is_string()), "{check}: {found:?}");
    }
}

// @spec installation#doctor-names-a-fix-for-every-finding/the-program-has-moved
#[test]
fn fix_connects_agents_and_finds_a_program_that_moved() {
    let sandbox = Sandbox::empty();
    sandbox.ok(&["init", "--yes", "--agents", "claude"]);
    let program = env!("CARGO_BIN_EXE_hewto");
    // As if hewto had been elsewhere when `init` was run.
    for file in [".mcp.json", ".hewto/manifest.json"] {
        sandbox.write(file, &sandbox.read(file).replace(program, "/gone/hewto"));
    }
    sandbox.write(".gemini/settings.json", "{}\n");
    let before = report(&sandbox, &[]);
    assert_eq!(
        (before["healthy"].as_bool(), findings(&before, "gemini")[0]["status"].as_str()),
        (Some(false), Some("warning"))
    );
    let after = report(&sandbox, &["--fix"]);
    assert_eq!(after["healthy"], true, "{after}");
    assert!(sandbox.read(".mcp.json").contains(program));
    assert!(sandbox.read(".gemini/settings.json").contains(program));
    sandbox.ok(&["uninstall", "--yes"]);
    assert_eq!(sandbox.read(".gemini/settings.json"), "{}\n");
    assert!(!sandbox.project().join(".mcp.json").exists());
}

// @spec installation#doctor-names-a-fix-for-every-finding/an-entry-that-starts-something-else
#[test]
fn a_repository_does_not_get_to_run_its_own_program() {
    use std::os::unix::fs::PermissionsExt as _;
    for (entry, why) in [
        ("{\"command\": \"./hewto\", \"args\": [\"serve\"]}", "a program of the repository"),
        ("{\"command\": \"/bin/sh\", \"args\": [\"-c\", \"touch ran\"]}", "another program"),
        ("{\"command\": \"HEWTO\", \"args\": [\"uninstall\", \"--yes\"]}", "not told to `serve`"),
        (
            "{\"command\": \"HEWTO\", \"args\": [\"serve\"], \"env\": {\"LD_PRELOAD\": \"x.so\"}}",
            "how programs are loaded",
        ),
        ("{\"command\": \"../tools/hewto\", \"args\": [\"serve\"]}", "another hewto than this one"),
        ("{\"command\": \"../tools/hewto.sh\", \"args\": [\"serve\"]}", "another hewto than this one"),
        ("{\"command\": \"HEWTO\", \"args\": [\"serve\", \"--log-dir\", \"../outside\"]}", "`--log-dir`"),
        ("{\"command\": \"HEWTO\", \"args\": [\"serve\", \"--log-dir=../outside\"]}", "`--log-dir`"),
        ("{\"command\": \"HEWTO\", \"args\": [\"serve\", \"--workspace\", \"..\"]}", "`--workspace`"),
        ("{\"command\": \"HEWTO\", \"args\": [\"serve\", \"--http\", \"127.0.0.1:17999\"]}", "`--http`"),
        ("{\"command\": \"HEWTO\", \"args\": [\"serve\", \"--model\", \"../outside\"]}", "`--model`"),
        (
            "{\"command\": \"HEWTO\", \"args\": [\"serve\"], \"env\": {\"SPECMAN_MCP_LOG_PATH\": \"../outside\"}}",
            "`SPECMAN_MCP_LOG_PATH`",
        ),
        (
            "{\"command\": \"HEWTO\", \"args\": [\"serve\"], \"env\": {\"XDG_STATE_HOME\": \"/outside\"}}",
            "`XDG_STATE_HOME`",
        ),
    ] {
        let sandbox = Sandbox::workspace();
        sandbox.write("hewto", "#!/bin/sh\ntouch ran\n");
        // Beside the workspace, as in a repository with several of them.
        sandbox.write("../tools/hewto", "#!/bin/sh\ntouch ran\n");
        sandbox.write("../tools/hewto.sh", "#!/bin/sh\ntouch ran\n");
        for program in ["hewto", "../tools/hewto", "../tools/hewto.sh"] {
            let path = sandbox.project().join(program);
            fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let home = names_in(&sandbox.root().join("home"));
        let entry = entry.replace("HEWTO", env!("CARGO_BIN_EXE_hewto"));
        sandbox.write(".mcp.json", &format!("{{\"mcpServers\": {{\"hewto\": {entry}}}}}"));
        let report = report(&sandbox, &[]);
        let [finding] = findings(&report, "claude-code")[..] else { panic!("{report}") };
        assert_eq!(finding["status"], "warning");
        assert!(finding["message"].as_str().unwrap().contains(why), "{finding}");
        for folder in ["project", "tools", "."] {
            assert!(!sandbox.root().join(folder).join("ran").exists(), "{entry}");
        }
        assert!(!sandbox.root().join("outside").exists(), "{entry}");
        assert_eq!(names_in(&sandbox.root().join("home")), home, "{entry}");
    }
}

fn names_in(folder: &std::path::Path) -> Vec<std::ffi::OsString> {
    let mut names: Vec<_> =
        fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}

#[test]
fn the_server_that_is_tried_sees_nothing_of_the_environment_and_writes_nothing() {
    let sandbox = Sandbox::empty();
    sandbox.ok(&["init", "--yes", "--agents", "claude"]);
    let before = sandbox.files();
    let logs = names_in(&sandbox.project().join(".hewto"));
    let output = sandbox
        .hewto(&["doctor", "--json"])
        .env("HEWTO_TOOLSETS", "no-such-toolset")
        .env("SPECMAN_MCP_LOG_PATH", sandbox.root().join("elsewhere.jsonl"))
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let [finding] = findings(&report, "claude-code")[..] else { panic!("{report}") };
    assert!(finding["message"].as_str().unwrap().starts_with("the server answers with"), "{finding}");
    assert_eq!((sandbox.files(), names_in(&sandbox.project().join(".hewto"))), (before, logs));
    assert_eq!(names_in(&sandbox.root().join("tmp")).len(), 0, "the temporary folder is gone");
}

#[test]
fn what_cannot_be_mended_keeps_nothing_else_from_being_mended() {
    let sandbox = Sandbox::workspace();
    sandbox.write(".hewto/manifest.json", "{broken");
    sandbox.write(
        "specs/auth/spec.md",
        "# auth\n\n## Purpose\nLet people in and keep everybody else out, at all times.\n\n## Requirements\n\n\
         ### Requirement: Login\nThe system SHALL log in.\n\n##### Scenario: Good\n- **WHEN** it fits\n- **THEN** in\n",
    );
    for mended in [1, 0] {
        let report = report(&sandbox, &["--fix"]);
        assert_eq!(report["fixed"].as_array().unwrap().len(), mended, "{report}");
        assert_eq!(report["healthy"], false);
        let [finding] = findings(&report, "installation")[..] else { panic!("{report}") };
        assert!(finding["message"].as_str().unwrap().contains("manifest cannot be read"), "{finding}");
    }
    assert!(sandbox.read("specs/auth/spec.md").contains("\n#### Scenario: Good"));
}
