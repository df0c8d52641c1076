//! The coding agents: one row each. What a row says was read in the agent's own documentation, named above it with the
//! date of reading; where the documentation and what is installed differ, the documentation's newest page holds.
//!
//! Adding an agent is adding a row: `init`, `client-config`, `doctor`, `uninstall` and `upgrade` go by it, and one test
//! takes every row there and back.

use super::row::{JSON, Row, Shape};
use super::{ConfigFormat, SkillFiles};

pub(super) static ROWS: [Row; 21] = [
    // https://code.claude.com/docs/en/mcp, …/skills; read 2026-11-16. A skill is a slash command as well.
    Row {
        name: "claude-code",
        aliases: &["claude"],
        title: "Claude Code",
        files: &[".mcp.json"],
        shape: Shape::Typed,
        http: ("http", "url"),
        token: "${HEWTO_TOKEN}",
        traces: &[".claude", "CLAUDE.md", "CLAUDE.local.md", ".mcp.json"],
        home: ".claude",
        instructions: "CLAUDE.md",
        skills: SkillFiles::Skill(".claude/skills"),
        open: "run `claude` here and allow the server `hewto`",
        ..JSON
    },
    // https://modelcontextprotocol.io/docs/develop/connect-local-servers; read 2026-11-16. It starts programs only.
    Row {
        name: "claude-desktop",
        title: "Claude Desktop",
        files: &[
            "~/.config/Claude/claude_desktop_config.json",
            "~/Library/Application Support/Claude/claude_desktop_config.json",
        ],
        token: "",
        home: ".config/Claude",
        instructions: "",
        open: "start it again, and look for `hewto` among its connectors",
        note: "on macOS the file is ~/Library/Application Support/Claude/claude_desktop_config.json, \
               on Windows %APPDATA%\\Claude\\claude_desktop_config.json",
        ..JSON
    },
    // https://cursor.com/docs/context/mcp, …/agent/chat/commands; read 2026-11-16. It does not say where it starts a server,
    // but it fills in `${workspaceFolder}`.
    Row {
        name: "cursor",
        title: "Cursor",
        files: &[".cursor/mcp.json"],
        token: "${env:HEWTO_TOKEN}",
        traces: &[".cursor", ".cursorrules"],
        home: ".cursor",
        skills: SkillFiles::Prompt(".cursor/commands"),
        open: "open this folder, switch `hewto` on under Settings, MCP, and open the chat",
        ..JSON
    },
    // https://code.visualstudio.com/docs/copilot/reference/mcp-configuration, …/customization/prompt-files; read 2026-11-16.
    Row {
        name: "vscode",
        aliases: &["vs-code", "code", "copilot"],
        title: "VS Code",
        files: &[".vscode/mcp.json"],
        section: "servers",
        shape: Shape::Typed,
        http: ("http", "url"),
        token: "${env:HEWTO_TOKEN}",
        traces: &[".vscode", ".github/copilot-instructions.md"],
        home: ".vscode",
        skills: SkillFiles::PromptFile(".github/prompts"),
        open: "open this folder, start `hewto` in .vscode/mcp.json, and open the chat in agent mode",
        ..JSON
    },
    // https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers; read 2026-11-16. The tools that
    // may be used are part of the entry.
    Row {
        name: "copilot-cli",
        aliases: &["github-copilot-cli"],
        title: "Copilot CLI",
        files: &[".github/mcp.json"],
        shape: Shape::Local,
        http: ("http", "url"),
        traces: &[".github/mcp.json", ".github/copilot", ".copilot"],
        home: ".copilot",
        skills: SkillFiles::Skill(".github/skills"),
        open: "run `copilot` here and look at `/mcp show`",
        note: "~/.copilot/mcp-config.json serves all projects",
        ..JSON
    },
    // https://developers.openai.com/codex/mcp, …/codex/skills; read 2026-11-16.
    Row {
        name: "codex",
        aliases: &["codex-cli"],
        title: "Codex",
        files: &[".codex/config.toml"],
        format: ConfigFormat::Toml,
        section: "mcp_servers",
        token: "",
        traces: &[".codex"],
        home: ".codex",
        skills: SkillFiles::Skill(".agents/skills"),
        open: "run `codex` here and trust the folder",
        note: "Codex reads it in trusted projects; ~/.codex/config.toml serves all of them",
        ..JSON
    },
    // https://geminicli.com/docs/tools/mcp-server, …/cli/custom-commands; read 2026-11-16. A folder of commands is their prefix.
    Row {
        name: "gemini",
        aliases: &["gemini-cli"],
        title: "Gemini CLI",
        files: &[".gemini/settings.json"],
        http: ("", "httpUrl"),
        token: "${HEWTO_TOKEN}",
        traces: &[".gemini", "GEMINI.md"],
        home: ".gemini",
        instructions: "GEMINI.md",
        skills: SkillFiles::TomlCommand(".gemini/commands"),
        open: "run `gemini` here",
        ..JSON
    },
    // https://docs.windsurf.com/windsurf/cascade/mcp, …/workflows; read 2026-11-16. There is no file of a project.
    Row {
        name: "windsurf",
        title: "Windsurf",
        files: &["~/.codeium/windsurf/mcp_config.json"],
        http: ("", "serverUrl"),
        token: "${env:HEWTO_TOKEN}",
        traces: &[".windsurf", ".windsurfrules"],
        home: ".codeium/windsurf",
        skills: SkillFiles::Command(".windsurf/workflows"),
        open: "open this folder, refresh the servers of Cascade, and open the chat",
        ..JSON
    },
    // https://zed.dev/docs/ai/mcp, …/configuring-zed; read 2026-11-16. Servers of a project start once it is trusted.
    Row {
        name: "zed",
        title: "Zed",
        files: &[".zed/settings.json"],
        section: "context_servers",
        traces: &[".zed", ".rules"],
        home: ".config/zed",
        open: "open this folder, trust it, and open the agent panel",
        ..JSON
    },
    // https://kiro.dev/docs/mcp/configuration, …/docs/skills; read 2026-11-16.
    Row {
        name: "kiro",
        aliases: &["kiro-cli"],
        title: "Kiro",
        files: &[".kiro/settings/mcp.json"],
        token: "${HEWTO_TOKEN}",
        traces: &[".kiro"],
        home: ".kiro",
        skills: SkillFiles::Skill(".kiro/skills"),
        open: "open this folder, look at the servers in Kiro's panel, and open the chat",
        ..JSON
    },
    // https://docs.cline.bot/getting-started/config, …/mcp/configuring-mcp-servers; read 2026-11-16. The extension, the command
    // line and the SDK share one file of the person.
    Row {
        name: "cline",
        title: "Cline",
        files: &["~/.cline/data/settings/cline_mcp_settings.json"],
        http: ("streamableHttp", "url"),
        traces: &[".clinerules", ".cline"],
        home: ".cline",
        skills: SkillFiles::Skill(".cline/skills"),
        open: "look at the servers in Cline's panel and start a task",
        note: "older extensions of VS Code keep it in globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        ..JSON
    },
    // https://docs.roocode.com/features/mcp/using-mcp-in-roo, …/features/slash-commands; read 2026-11-16.
    Row {
        name: "roo",
        aliases: &["roo-code", "roocode"],
        title: "Roo Code",
        files: &[".roo/mcp.json"],
        http: ("streamable-http", "url"),
        token: "${env:HEWTO_TOKEN}",
        traces: &[".roo", ".roomodes", ".roorules"],
        home: ".roo",
        skills: SkillFiles::Command(".roo/commands"),
        open: "open this folder and look at the servers in Roo Code's panel",
        ..JSON
    },
    // https://opencode.ai/docs/mcp-servers, …/docs/commands; read 2026-11-16. The command is one list; comments are allowed.
    Row {
        name: "opencode",
        aliases: &["open-code"],
        title: "opencode",
        files: &["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"],
        section: "mcp",
        shape: Shape::Argv,
        http: ("remote", "url"),
        token: "{env:HEWTO_TOKEN}",
        traces: &[".opencode", "opencode.json", "opencode.jsonc"],
        home: ".config/opencode",
        skills: SkillFiles::Command(".opencode/commands"),
        open: "run `opencode` here",
        ..JSON
    },
    // https://ampcode.com/manual, ampcode.com/cli-settings.schema.json; read 2026-11-16. The key has a dot in it; servers of a
    // workspace need approval.
    Row {
        name: "amp",
        title: "Amp",
        files: &[".amp/settings.json", ".amp/settings.jsonc"],
        section: "amp.mcpServers",
        token: "${HEWTO_TOKEN}",
        traces: &[".amp"],
        home: ".config/amp",
        skills: SkillFiles::Skill(".agents/skills"),
        open: "run `amp` here and approve the server with `amp mcp approve hewto`",
        ..JSON
    },
    // https://docs.continue.dev/customize/deep-dives/mcp, …/prompts; read 2026-11-16. Each server has a file of its own, a list
    // of one item, with a head that names and versions it.
    Row {
        name: "continue",
        aliases: &["continue-dev"],
        title: "Continue",
        files: &[".continue/mcpServers/hewto.yaml", ".continue/mcpServers/hewto.yml"],
        format: ConfigFormat::Yaml,
        shape: Shape::Named,
        http: ("streamable-http", "url"),
        token: "${{ secrets.HEWTO_TOKEN }}",
        traces: &[".continue", ".continuerules"],
        home: ".continue",
        skills: SkillFiles::Invokable(".continue/prompts"),
        open: "open this folder and the chat, and switch to agent mode",
        ..JSON
    },
    // https://junie.jetbrains.com/docs/junie-cli-mcp-configuration.html, jetbrains.com/help/ai-assistant/mcp.html; read
    // 2026-11-16. Junie reads a file of the project; AI Assistant takes the same text in its settings.
    Row {
        name: "jetbrains",
        aliases: &["junie", "jetbrains-ai", "ai-assistant"],
        title: "JetBrains AI and Junie",
        files: &[".junie/mcp/mcp.json"],
        traces: &[".junie", ".aiassistant"],
        home: ".junie",
        open: "open this folder and choose Junie in the AI chat",
        note: "Junie reads the file; for AI Assistant paste it under Settings, Tools, AI Assistant, MCP, as JSON",
        ..JSON
    },
    // https://block.github.io/goose/docs/guides/config-files, …/guides/context-engineering/using-skills; read 2026-11-16. There
    // is no file of a project; every extension says its name once more.
    Row {
        name: "goose",
        title: "Goose",
        files: &["~/.config/goose/config.yaml"],
        format: ConfigFormat::Yaml,
        section: "extensions",
        shape: Shape::Goose,
        http: ("streamable_http", "uri"),
        traces: &[".goosehints", ".goose"],
        home: ".config/goose",
        skills: SkillFiles::Skill(".agents/skills"),
        open: "run `goose session` here",
        note: "on Windows the file is %APPDATA%\\Block\\goose\\config\\config.yaml",
        ..JSON
    },
    // https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp, …/commands; read 2026-11-16.
    Row {
        name: "qwen",
        aliases: &["qwen-code"],
        title: "Qwen Code",
        files: &[".qwen/settings.json"],
        http: ("", "httpUrl"),
        token: "${HEWTO_TOKEN}",
        traces: &[".qwen", "QWEN.md"],
        home: ".qwen",
        instructions: "QWEN.md",
        skills: SkillFiles::Command(".qwen/commands"),
        open: "run `qwen` here",
        ..JSON
    },
    // https://github.com/charmbracelet/crush (README, docs/config); read 2026-11-16. Newer versions prefer a script, `crushrc`,
    // and go on reading the JSON.
    Row {
        name: "crush",
        title: "Crush",
        files: &["crush.json", ".crush.json"],
        section: "mcp",
        shape: Shape::Typed,
        http: ("http", "url"),
        token: "$HEWTO_TOKEN",
        traces: &[".crush", "crush.json", ".crush.json", "CRUSH.md"],
        home: ".config/crush",
        skills: SkillFiles::Skill(".agents/skills"),
        open: "run `crush` here",
        ..JSON
    },
    // https://docs.warp.dev/agent-platform/warp-agents/agent-context/mcp, …/skills; read 2026-11-16.
    Row {
        name: "warp",
        title: "Warp",
        files: &[".warp/.mcp.json"],
        traces: &[".warp", "WARP.md"],
        home: ".warp",
        skills: SkillFiles::Skill(".agents/skills"),
        open: "open this folder in Warp and start `hewto` under Settings, Agents, MCP servers",
        note: "~/.warp/.mcp.json serves all projects",
        ..JSON
    },
    // https://antigravity.google/docs/mcp, …/docs/rules-workflows; read 2026-11-16. There is no file of a project. Since its
    // second version the IDE and the command line share one file; the older one is read where it is the only one
    // (developer.mescius.com/mcp/docs, google-antigravity-cli; jgravelle/jcodemunch-mcp v1.108.89; read 2026-11-16).
    Row {
        name: "antigravity",
        aliases: &["google-antigravity"],
        title: "Antigravity",
        files: &["~/.gemini/config/mcp_config.json", "~/.gemini/antigravity/mcp_config.json"],
        http: ("", "serverUrl"),
        traces: &[".agent", ".antigravity"],
        home: ".gemini/antigravity",
        skills: SkillFiles::Command(".agent/workflows"),
        open: "open this folder, refresh under Manage MCP Servers, and open the agent panel",
        ..JSON
    },
];
