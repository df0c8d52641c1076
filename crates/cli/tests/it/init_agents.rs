//! `hewto init` and the agents: who is found, what is written, what is left alone.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

#[test]
fn agents_are_found_by_their_files_and_told_what_to_type() {
    let sandbox = Sandbox::empty();
    sandbox.write("CLAUDE.md", "# Mine\n");
    fs_err::create_dir(sandbox.project().join(".codex")).unwrap();
    insta::assert_snapshot!(sandbox.run(&["init", "--yes"]), @r"
    workspace  [DIR]/project
    layout     native, new
    agents     Claude Code (CLAUDE.md), Codex (.codex)
    plan
      create  .hewto/config.toml     the workspace
      create  .hewto/proof.toml      the workspace
      create  .codex/config.toml     the hewto server
      create  .mcp.json              the hewto server
      create  AGENTS.md              a marked section on hewto
      merge   CLAUDE.md              a marked section on hewto
      create  .hewto/.gitignore      what belongs to one machine
      create  .hewto/manifest.json   what was written, for `hewto uninstall`
      create  .claude/skills/hewto…  7 skills
      create  .agents/skills/hewto…  7 skills

    wrote 22 files; `hewto uninstall` takes everything back

    Claude Code: run `claude` here and allow the server `hewto`, then type:
      Use hewto: ask me what I want to change, then write it down as a change with a plan.

    Codex: run `codex` here and trust the folder, then type:
      Use hewto: ask me what I want to change, then write it down as a change with a plan.
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.read("CLAUDE.md"), @r"
    # Mine

    <!-- hewto:begin (written by `hewto init`, removed by `hewto uninstall`) -->
    ## What is to be built, and why: hewto

    Specs, changes and decisions are plain files here, kept by the MCP server `hewto`.

    - Begin with `workspace_status`: what is open, and what comes next.
    - A vague or structural wish: `require_clarification` before writing code.
    - What holds now: `list_specs`, `get_requirement`, `read_architecture`.
    - New behaviour, create → plan → build: `change_create`; its tasks are the plan. Let the user approve; then `build_start`, `plan_step_complete` for each step when really done, `build_complete`, `change_archive`. Work without a new promise: `spec_create`, `plan_create`, then the same.
    - A typo needs no change. A one-line fix: `change_create` with one task, then archive.
    - Never edit `state.toon` by hand. When a tool refuses, follow its hint.
    - Without the tools, `hewto --help` does the same from a shell.
    <!-- hewto:end -->
    ");
    insta::assert_snapshot!(sandbox.read(".mcp.json"), @r#"
    {
      "mcpServers": {
        "hewto": {
          "type": "stdio",
          "command": "[HEWTO]",
          "args": ["serve"]
        }
      }
    }
    "#);
    insta::assert_snapshot!(sandbox.read(".codex/config.toml"), @r#"
    [mcp_servers.hewto]
    command = "[HEWTO]"
    args = ["serve"]
    "#);
    assert_eq!(sandbox.read("AGENTS.md"), sandbox.read("CLAUDE.md").replace("# Mine\n\n", ""));
    assert!(!sandbox.project().join(".cursor").exists());
    insta::assert_snapshot!(sandbox.run(&["init", "--yes"]), @r"
    already a workspace (native): [DIR]/project
    nothing was changed

    Claude Code: run `claude` here and allow the server `hewto`, then type:
      Use hewto: ask me what I want to change, then write it down as a change with a plan.

    Codex: run `codex` here and trust the folder, then type:
      Use hewto: ask me what I want to change, then write it down as a change with a plan.
    [exit 0]
    ");
}

#[test]
fn every_agent_gets_the_server_where_it_looks_for_it() {
    let sandbox = Sandbox::empty();
    sandbox.ok(&["init", "--yes", "--agents", "all"]);
    let program = env!("CARGO_BIN_EXE_hewto");
    for (file, key, args) in [
        (".mcp.json", "mcpServers", json!(["serve"])),
        (".cursor/mcp.json", "mcpServers", json!(["serve", "--workspace", "${workspaceFolder}"])),
        (".vscode/mcp.json", "servers", json!(["serve"])),
        (".gemini/settings.json", "mcpServers", json!(["serve"])),
    ] {
        let entry = serde_json::from_str::<Value>(&sandbox.read(file)).unwrap()[key]["hewto"].take();
        assert_eq!((&entry["command"], &entry["args"]), (&json!(program), &args), "{file}");
    }
    for file in ["AGENTS.md", "CLAUDE.md", "GEMINI.md"] {
        assert!(sandbox.read(file).len() <= 1024, "{file}");
    }
}

#[test]
fn agents_can_be_named_or_refused() {
    for (agents, files) in [
        ("none", vec![]),
        ("cursor", vec![".cursor/mcp.json", "AGENTS.md"]),
        ("Gemini-CLI,claude", vec![".gemini/settings.json", ".mcp.json", "CLAUDE.md", "GEMINI.md"]),
    ] {
        let sandbox = Sandbox::empty();
        sandbox.ok(&["init", "--yes", "--agents", agents, "--no-skills"]);
        let mut found: Vec<String> = sandbox.files().into_iter().map(|(path, _)| path).collect();
        found.retain(|path| !path.starts_with(".hewto/"));
        assert_eq!(found, files, "{agents}");
    }
    let sandbox = Sandbox::empty();
    insta::assert_snapshot!(sandbox.run(&["init", "--yes", "--agents", "claude,emacs"]), @r"
    [stderr]
    error: no agent is called `emacs`
    hint: name some of `claude-code`, `claude-desktop`, `cursor`, `vscode`, `copilot-cli`, `codex`, `gemini`, `windsurf`, `zed`, `kiro`, `cline`, `roo`, `opencode`, `amp`, `continue`, `jetbrains`, `goose`, `qwen`, `crush`, `warp`, `antigravity`, or `none`, or `all`
    [exit 2]
    ");
    assert!(sandbox.files().is_empty());
}

#[test]
fn a_broken_configuration_is_told_of_and_left_while_the_rest_is_written() {
    let sandbox = Sandbox::empty();
    for (file, text) in [
        (".mcp.json", "{\"mcpServers\": {"),
        (".cursor/mcp.json", "{\"mcpServers\": []}"),
        (".codex/config.toml", "model = \n"),
        (".gemini/settings.json", "{\"mcpServers\": {\"hewto\": {\"command\": \"mine\"}}}"),
        ("AGENTS.md", "<!-- hewto:begin -->\n"),
    ] {
        sandbox.write(file, text);
    }
    fs_err::write(sandbox.project().join("CLAUDE.md"), b"\xff\xfe not text").unwrap();
    insta::assert_snapshot!(sandbox.run(&["init", "--yes"]), @r"
    workspace  [DIR]/project
    layout     native, new
    agents     Claude Code (CLAUDE.md, .mcp.json), Cursor (.cursor), Codex (.codex), Gemini CLI (.gemini)
    plan
      create      .hewto/config.toml       the workspace
      create      .hewto/proof.toml        the workspace
      left alone  .codex/config.toml       it is not valid TOML: string values must be quoted, expected literal string (line 1)
      left alone  .cursor/mcp.json         `mcpServers` is not an object
      left alone  .gemini/settings.json    it already has its own entry `hewto`
      left alone  .mcp.json                it is not valid JSON: Unterminated object on line 1 column 16
      left alone  AGENTS.md                the marks of hewto's section are damaged
      left alone  CLAUDE.md                not UTF-8 from byte 0 on: `CLAUDE.md`
      create      GEMINI.md                a marked section on hewto
      create      .hewto/.gitignore        what belongs to one machine
      create      .hewto/manifest.json     what was written, for `hewto uninstall`
      create      .claude/skills/hewto…    7 skills
      create      .cursor/commands/hewto…  7 skills
      create      .agents/skills/hewto…    7 skills
      create      .gemini/commands/hewto…  7 skills
    left alone: .codex/config.toml: it is not valid TOML: string values must be quoted, expected literal string (line 1)
      hint: correct the file and run `hewto init` again
    left alone: .cursor/mcp.json: `mcpServers` is not an object
      hint: correct the file and run `hewto init` again
    left alone: .gemini/settings.json: it already has its own entry `hewto`
      hint: keep it as it is, or remove it and run `hewto init` again
    left alone: .mcp.json: it is not valid JSON: Unterminated object on line 1 column 16
      hint: correct the file and run `hewto init` again
    left alone: AGENTS.md: the marks of hewto's section are damaged
      hint: put the marks back in pairs, or remove them, and run `hewto init` again
    left alone: CLAUDE.md: not UTF-8 from byte 0 on: `CLAUDE.md`
      hint: save the file as UTF-8

    wrote 33 files; `hewto uninstall` takes everything back

    Claude Code: correct .mcp.json and run `hewto init` again, run `claude` here and allow the server `hewto`, then type:
      Use hewto: ask me what I want to change, then write it down as a change with a plan.

    Cursor: correct .cursor/mcp.json and run `hewto init` again, open this folder, switch `hewto` on under Settings, MCP, and open the chat, then type:
      Use hewto: ask me what I want to change, then write it down as a change with a plan.

    Codex: correct .codex/config.toml and run `hewto init` again, run `codex` here and trust the folder, then type:
      Use hewto: ask me what I want to change, then write it down as a change with a plan.

    Gemini CLI: run `gemini` here, then type:
      Use hewto: ask me what I want to change, then write it down as a change with a plan.
    [exit 1]
    ");
    assert_eq!(sandbox.read(".mcp.json"), "{\"mcpServers\": {");
    assert!(sandbox.read("GEMINI.md").contains("hewto:begin"));
    assert_eq!(sandbox.output(&["init", "--dry-run"]).status.code(), Some(1));
}

#[test]
fn what_stands_where_a_file_should_be_is_left_alone() {
    let sandbox = Sandbox::empty();
    sandbox.write(".cursor", "a file, not a folder\n");
    sandbox.write("CLAUDE.md/notes.txt", "a folder, not a file\n");
    // A pipe that nobody writes to: whoever reads it waits for ever.
    let pipe = sandbox.project().join("GEMINI.md");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let shown = sandbox.run(&["init", "--yes"]);
    assert!(
        shown.contains("left alone: .cursor/mcp.json") && shown.contains("left alone: CLAUDE.md"),
        "{shown}"
    );
    assert!(shown.ends_with("[exit 1]"), "{shown}");
    assert!(sandbox.project().join(".mcp.json").is_file());
    sandbox.ok(&["uninstall", "--yes"]);
    fs_err::remove_file(pipe).unwrap();
    assert_eq!(sandbox.files().len(), 2);
}

#[test]
fn one_file_under_two_names_gets_one_section() {
    let sandbox = Sandbox::empty();
    sandbox.write("AGENTS.md", "# All\n");
    std::os::unix::fs::symlink("AGENTS.md", sandbox.project().join("CLAUDE.md")).unwrap();
    sandbox.write("GEMINI.md", "See below.\n\n@AGENTS.md\n");
    sandbox.ok(&["init", "--yes"]);
    assert_eq!(sandbox.read("AGENTS.md").matches("hewto:begin").count(), 1);
    assert_eq!(sandbox.read("GEMINI.md"), "See below.\n\n@AGENTS.md\n");
    assert!(sandbox.project().join("CLAUDE.md").is_symlink());
    sandbox.ok(&["uninstall", "--yes"]);
    assert_eq!(sandbox.read("AGENTS.md"), "# All\n");
}

#[test]
fn a_link_out_of_the_project_is_not_followed() {
    let sandbox = Sandbox::empty();
    fs_err::write(sandbox.root().join("home/shared.md"), "mine\n").unwrap();
    std::os::unix::fs::symlink("../home/shared.md", sandbox.project().join("CLAUDE.md")).unwrap();
    let shown = sandbox.run(&["init", "--yes"]);
    assert!(shown.contains("left alone: CLAUDE.md") && shown.ends_with("[exit 1]"), "{shown}");
    assert_eq!(fs_err::read_to_string(sandbox.root().join("home/shared.md")).unwrap(), "mine\n");
}

#[test]
fn a_repository_inside_a_workspace_gets_its_own() {
    let sandbox = Sandbox::workspace();
    // A repository, and a linked work tree or submodule, whose `.git` is a file.
    fs_err::create_dir_all(sandbox.project().join("inner/.git")).unwrap();
    sandbox.write("tree/.git", "gitdir: ../elsewhere\n");
    for folder in ["inner", "tree"] {
        let made = sandbox.json(&["init", folder, "--yes"]);
        assert_eq!(made["created"], true, "{made}");
        assert!(sandbox.project().join(folder).join(".hewto/config.toml").is_file());
    }
    let mut uninstall = sandbox.hewto(&["uninstall", "--yes"]);
    assert!(uninstall.current_dir(sandbox.project().join("inner")).status().unwrap().success());
    assert!(!sandbox.project().join("inner/.hewto").exists());
    // Once more does not reach for the workspace around it.
    let mut again = sandbox.hewto(&["uninstall", "--yes"]);
    assert_eq!(again.current_dir(sandbox.project().join("inner")).status().unwrap().code(), Some(1));
    assert!(sandbox.project().join(".hewto/config.toml").is_file());
}

#[test]
fn a_name_with_blanks_and_umlauts_is_a_name_like_any_other() {
    let sandbox = Sandbox::empty();
    let folder = "Größe, äußerst 'eigen'";
    fs_err::create_dir(sandbox.project().join(folder)).unwrap();
    sandbox.ok(&["init", folder, "--yes", "--agents", "all"]);
    assert!(sandbox.read(&format!("{folder}/.hewto/config.toml")).contains(folder));
    let mut uninstall = sandbox.hewto(&["uninstall", "--yes"]);
    assert!(uninstall.current_dir(sandbox.project().join(folder)).status().unwrap().success());
    assert_eq!(fs_err::read_dir(sandbox.project().join(folder)).unwrap().count(), 0);
}

// @spec installation#init-connects-the-agents-in-use/a-configuration-with-comments
#[test]
fn every_other_byte_of_a_configuration_with_comments_stays() {
    let sandbox = Sandbox::empty();
    let mine = "\u{feff}{\r\n  // ours\r\n  \"mcpServers\": {\r\n    \"other\": { \"command\": \"x\" } /* keep */\r\n  },\r\n  \"z\": [1,2] // last\r\n}\r\n";
    sandbox.write(".mcp.json", mine);
    sandbox.ok(&["init", "--yes", "--agents", "claude-code"]);
    let now = sandbox.read(".mcp.json");
    let (before, rest) = now.split_once("    \"hewto\": {\r\n").expect("the server is there");
    let (entry, after) = rest.split_once("\r\n    }\r\n").expect("its entry ends");
    assert!(entry.contains("\"serve\"") && !entry.replace("\r\n", "").contains('\n'), "{entry:?}");
    // One comma more, and nothing else.
    assert_eq!(format!("{before}{after}").replacen("\"x\" },", "\"x\" }", 1), mine);
}

// @spec installation#init-connects-the-agents-in-use/interrupted
#[test]
fn an_interrupted_init_leaves_all_or_nothing() {
    for delay in 0..12 {
        let sandbox = Sandbox::empty();
        for file in ["AGENTS.md", "CLAUDE.md", "GEMINI.md"] {
            sandbox.write(file, "# Mine\n");
        }
        let before = sandbox.files();
        let child = sandbox
            .hewto(&["init", "--yes", "--agents", "all"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Not a wait for anything: the signal comes at another moment in each round.
        let until = std::time::Instant::now() + std::time::Duration::from_millis(delay * 2);
        while std::time::Instant::now() < until {
            std::hint::spin_loop();
        }
        let pid = rustix::process::Pid::from_child(&child);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::INT);
        let output = child.wait_with_output().unwrap();
        let now = sandbox.files();
        if now == before {
            assert!(!sandbox.project().join(".hewto").exists(), "after {delay}: {output:?}");
            continue;
        }
        for file in ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".mcp.json", ".codex/config.toml"] {
            assert!(sandbox.read(file).contains("hewto"), "{file} after {delay}: {output:?}");
        }
        assert!(sandbox.project().join(".hewto/manifest.json").is_file());
    }
}
