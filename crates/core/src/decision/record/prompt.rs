//! `AGENT_PROMPT.md`: what a person hands to a coding agent. It names files and holds nobody's words.
//!
//! Only the command line writes it (seed 003, 1.3).

use std::fmt::Write as _;

/// The files that the prompt tells the agent to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentPrompt {
    /// Only when it was written in the same run.
    pub state: Option<String>,
    pub task: String,
    pub adr: Option<String>,
}

impl AgentPrompt {
    /// The prompt itself, without the page round it.
    pub fn prompt(&self) -> String {
        let mut out = String::from(
            "You are a coding agent. The decisions for this change have been made and written down.\n\n\
             Read these files first, in this order:\n",
        );
        for path in self.state.iter().chain([&self.task]).chain(&self.adr) {
            let _ = writeln!(out, "- {path}");
        }
        let _ = write!(
            out,
            "\nThen implement the task in {}.\n\n\
             - Implement strictly what the task says, inside its allowlist.\n\
             - Do NOT make architectural decisions, and do not change those that are recorded.\n\
             - Meet every acceptance criterion.\n\
             - If anything is unclear or missing, stop and ask.",
            self.task
        );
        out
    }

    pub fn render(&self) -> String {
        format!(
            "# Agent Prompt\n\n\
             Rules for the agent stand inside the prompt; the decisions stand in the files that it names.\n\n\
             ```\n{}\n```\n\n\
             ## How to use\n\n\
             - **Claude Code**: paste the prompt as your first message, or run `claude \"$(cat prompt.txt)\"`\n\
             - **Cursor**: open the agent panel and paste the prompt\n\
             - **Windsurf**: open Cascade and paste the prompt\n\n\
             The file is written anew by every `hewto clarify`.\n",
            self.prompt()
        )
    }

    /// Whether a page is one that [`Self::render`] wrote, and not somebody's own.
    pub fn is_own(page: &str) -> bool {
        page.starts_with("# Agent Prompt") && page.contains("written anew by every `hewto clarify`")
    }

    /// The prompt inside a rendered page: the text between the first two bare fences.
    pub fn extract(page: &str) -> Option<String> {
        let mut lines = page.lines();
        lines.by_ref().find(|line| *line == "```")?;
        let mut prompt = Vec::new();
        for line in lines {
            if line == "```" {
                return Some(prompt.join("\n"));
            }
            prompt.push(line);
        }
        None
    }
}
