//! What was edited or added after `hewto init` stays.

use super::{MCP, repository, usual};
use crate::sandbox::Sandbox;

// @spec installation#what-a-person-has-edited-is-left-alone/a-section-that-was-edited
#[test]
fn what_was_edited_after_init_is_told_of_and_left() {
    let sandbox = Sandbox::empty();
    repository(&sandbox, &usual());
    sandbox.ok(&["init", "--yes"]);
    // One part is edited, another file only around the part.
    let edited = sandbox.read("CLAUDE.md").replace("Never edit", "Do edit");
    sandbox.write("CLAUDE.md", &edited);
    let around = sandbox.read(".mcp.json").replace("\"other\"", "\"another\"");
    sandbox.write(".mcp.json", &around);
    insta::assert_snapshot!(sandbox.run(&["init", "--yes"]), @r"
    left alone: CLAUDE.md: its section on hewto was edited
      hint: keep it as it is, or remove it and run `hewto init` again
    already a workspace (native): [DIR]/project
    nothing was changed

    Claude Code: run `claude` here and allow the server `hewto`, then type:
      Use hewto: ask me what I want to change, then write it down as a change with a plan.

    Cursor: open this folder, switch `hewto` on under Settings, MCP, and open the chat, then type:
      Use hewto: ask me what I want to change, then write it down as a change with a plan.

    VS Code: open this folder, start `hewto` in .vscode/mcp.json, and open the chat in agent mode, then type:
      Use hewto: ask me what I want to change, then write it down as a change with a plan.

    Codex: run `codex` here and trust the folder, then type:
      Use hewto: ask me what I want to change, then write it down as a change with a plan.

    Gemini CLI: run `gemini` here, then type:
      Use hewto: ask me what I want to change, then write it down as a change with a plan.
    [exit 1]
    ");
    assert_eq!(sandbox.read("CLAUDE.md"), edited);
    insta::assert_snapshot!(sandbox.run(&["uninstall", "--yes"]), @r"
    left alone: CLAUDE.md: hewto's part in it was edited
      hint: remove hewto's part by hand, or keep it
      restored  .codex/config.toml
      restored  .cursor/mcp.json
      restored  .gemini/settings.json
      restored  .mcp.json
      restored  .vscode/mcp.json
      restored  AGENTS.md
      restored  GEMINI.md
      deleted   .agents/skills/hewto-archive/SKILL.md
      deleted   .agents/skills/hewto-build/SKILL.md
      deleted   .agents/skills/hewto-next/SKILL.md
      deleted   .agents/skills/hewto-plan/SKILL.md
      deleted   .agents/skills/hewto-propose/SKILL.md
      deleted   .agents/skills/hewto-review/SKILL.md
      deleted   .agents/skills/hewto-verify/SKILL.md
      deleted   .claude/skills/hewto-archive/SKILL.md
      deleted   .claude/skills/hewto-build/SKILL.md
      deleted   .claude/skills/hewto-next/SKILL.md
      deleted   .claude/skills/hewto-plan/SKILL.md
      deleted   .claude/skills/hewto-propose/SKILL.md
      deleted   .claude/skills/hewto-review/SKILL.md
      deleted   .claude/skills/hewto-verify/SKILL.md
      deleted   .cursor/commands/hewto-archive.md
      deleted   .cursor/commands/hewto-build.md
      deleted   .cursor/commands/hewto-next.md
      deleted   .cursor/commands/hewto-plan.md
      deleted   .cursor/commands/hewto-propose.md
      deleted   .cursor/commands/hewto-review.md
      deleted   .cursor/commands/hewto-verify.md
      deleted   .gemini/commands/hewto/archive.toml
      deleted   .gemini/commands/hewto/build.toml
      deleted   .gemini/commands/hewto/next.toml
      deleted   .gemini/commands/hewto/plan.toml
      deleted   .gemini/commands/hewto/propose.toml
      deleted   .gemini/commands/hewto/review.toml
      deleted   .gemini/commands/hewto/verify.toml
      deleted   .github/prompts/hewto-archive.prompt.md
      deleted   .github/prompts/hewto-build.prompt.md
      deleted   .github/prompts/hewto-next.prompt.md
      deleted   .github/prompts/hewto-plan.prompt.md
      deleted   .github/prompts/hewto-propose.prompt.md
      deleted   .github/prompts/hewto-review.prompt.md
      deleted   .github/prompts/hewto-verify.prompt.md
      deleted   .hewto/.gitignore
      deleted   .hewto/config.toml
      deleted   .hewto/proof.toml
      removed   .agents/
      removed   .agents/skills/
      removed   .agents/skills/hewto-archive/
      removed   .agents/skills/hewto-build/
      removed   .agents/skills/hewto-next/
      removed   .agents/skills/hewto-plan/
      removed   .agents/skills/hewto-propose/
      removed   .agents/skills/hewto-review/
      removed   .agents/skills/hewto-verify/
      removed   .claude/
      removed   .claude/skills/
      removed   .claude/skills/hewto-archive/
      removed   .claude/skills/hewto-build/
      removed   .claude/skills/hewto-next/
      removed   .claude/skills/hewto-plan/
      removed   .claude/skills/hewto-propose/
      removed   .claude/skills/hewto-review/
      removed   .claude/skills/hewto-verify/
      removed   .cursor/commands/
      removed   .gemini/commands/
      removed   .gemini/commands/hewto/
      removed   .git/hewto/
      removed   .github/
      removed   .github/prompts/
      removed   changes/
      removed   specs/
    the rest of hewto is gone from: [DIR]/project
    [exit 1]
    ");
    assert_eq!(sandbox.read("CLAUDE.md"), edited);
    assert_eq!(sandbox.read(".mcp.json"), MCP.replace("\"other\"", "\"another\""));
    // Once the part is gone there is nothing to tell any more.
    sandbox.write("CLAUDE.md", "Claude, read this.\n");
    assert!(sandbox.run(&["uninstall", "--yes"]).ends_with("[exit 0]"));
    assert!(!sandbox.project().join(".hewto").exists());
}

#[test]
fn servers_that_came_after_hewto_stay() {
    let sandbox = Sandbox::empty();
    sandbox.ok(&["init", "--yes", "--agents", "claude"]);
    let ours = sandbox.read(".mcp.json");
    let (head, _) = ours.rsplit_once("\n    }\n").unwrap();
    sandbox.write(".mcp.json", &format!("{head}\n    }},\n    \"later\": {{}}\n  }}\n}}\n"));
    sandbox.ok(&["uninstall", "--yes"]);
    assert_eq!(sandbox.read(".mcp.json"), "{\n  \"mcpServers\": {\n    \"later\": {}\n  }\n}\n");
    assert!(!sandbox.project().join("CLAUDE.md").exists());
}

#[test]
fn what_hewtos_own_commands_edited_is_still_hewtos() {
    let sandbox = Sandbox::empty();
    sandbox.write("Cargo.toml", "[package]\nname = \"x\"\n");
    let before = super::everything(&sandbox.project());
    sandbox.ok(&["init", "--yes"]);
    sandbox.ok(&["gate", "plan", "signed"]);
    sandbox.ok(&["proof", "init", "--no-try"]);
    assert!(sandbox.read(".hewto/proof.toml").contains("[check.cargo]"));
    let out = sandbox.run(&["uninstall", "--yes"]);
    assert!(out.ends_with("[exit 0]"), "{out}");
    assert_eq!(super::everything(&sandbox.project()), before);
    // A line of a person's own makes it theirs, whatever a command adds later.
    sandbox.ok(&["init", "--yes"]);
    let own = format!("# ours\n{}", sandbox.read(".hewto/proof.toml"));
    sandbox.write(".hewto/proof.toml", &own);
    sandbox.ok(&["gate", "plan", "signed"]);
    let out = sandbox.run(&["uninstall", "--yes"]);
    assert!(out.contains("left alone: .hewto/proof.toml") && out.ends_with("[exit 1]"), "{out}");
    assert!(sandbox.read(".hewto/proof.toml").starts_with("# ours\n"));
}

#[test]
fn an_import_without_init_leaves_nothing_but_its_specs() {
    let sandbox = Sandbox::empty();
    sandbox.write(
        ".kiro/specs/auth/requirements.md",
        "# Requirements\n\n### Requirement 1\n\n#### Acceptance Criteria\n\n1. WHEN a user logs in THEN the system SHALL greet\n",
    );
    sandbox.write(".kiro/specs/auth/tasks.md", "# Plan\n\nNotes.\n\n- [ ] 1. Do it\n");
    let before = super::everything(&sandbox.project());
    sandbox.ok(&["import", "kiro"]);
    sandbox.ok(&["uninstall", "--yes"]);
    assert!(!sandbox.project().join(".hewto").exists());
    assert!(sandbox.project().join("specs/auth/spec.md").is_file());
    // With `--purge` the files beside the specs go as well.
    std::fs::remove_dir_all(sandbox.project().join("specs")).unwrap();
    sandbox.ok(&["import", "kiro"]);
    sandbox.ok(&["uninstall", "--purge", "--yes"]);
    assert_eq!(super::everything(&sandbox.project()), before);
}

#[test]
fn a_folder_that_is_not_there_is_not_made() {
    let sandbox = Sandbox::empty();
    insta::assert_snapshot!(sandbox.run(&["init", "typo/deep", "--yes"]), @r"
    [stderr]
    error: no folder is there: [DIR]/project/typo/deep
    hint: make the folder first, or name one that is there; nothing was written
    [exit 2]
    ");
    assert!(!sandbox.project().join("typo").exists());
}
