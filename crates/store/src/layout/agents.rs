//! The files of the coding agents that `init` connects: by which they are known to be in use, and what they read before
//! they work. How each writes down a server is the engine's table of clients.

use std::fmt;
use std::str::FromStr;

use hewto_core::lifecycle::UnknownName;

use crate::path::RelPath;

/// A coding agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Agent {
    Claude,
    Cursor,
    Vscode,
    Codex,
    Gemini,
}

impl Agent {
    pub const ALL: [Self; 5] = [Self::Claude, Self::Cursor, Self::Vscode, Self::Codex, Self::Gemini];

    /// The name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude-code",
            Self::Cursor => "cursor",
            Self::Vscode => "vscode",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
        }
    }

    /// Files and folders of a project that tell of this agent.
    pub fn traces(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &[".claude", "CLAUDE.md", "CLAUDE.local.md", ".mcp.json"],
            Self::Cursor => &[".cursor", ".cursorrules"],
            Self::Vscode => &[".vscode", ".github/copilot-instructions.md"],
            Self::Codex => &[".codex"],
            Self::Gemini => &[".gemini", "GEMINI.md"],
        }
    }

    /// The folder in a person's home that tells of this agent.
    pub fn home_trace(self) -> &'static str {
        match self {
            Self::Claude => ".claude",
            Self::Cursor => ".cursor",
            Self::Vscode => ".vscode",
            Self::Codex => ".codex",
            Self::Gemini => ".gemini",
        }
    }

    /// What the agent reads before it works.
    pub fn instructions(self) -> RelPath {
        RelPath::known(match self {
            Self::Claude => "CLAUDE.md",
            Self::Gemini => "GEMINI.md",
            Self::Cursor | Self::Vscode | Self::Codex => "AGENTS.md",
        })
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Agent {
    type Err = UnknownName;
    /// Reads a name; the products' own spellings are understood too.
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        match text.trim().to_ascii_lowercase().as_str() {
            "claude" | "claude-code" => Ok(Self::Claude),
            "cursor" => Ok(Self::Cursor),
            "vscode" | "vs-code" | "code" | "copilot" => Ok(Self::Vscode),
            "codex" | "codex-cli" => Ok(Self::Codex),
            "gemini" | "gemini-cli" => Ok(Self::Gemini),
            _ => Err(UnknownName),
        }
    }
}
