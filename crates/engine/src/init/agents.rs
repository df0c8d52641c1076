//! Which agents are in use, and which files of theirs are to hold what.

use std::collections::BTreeMap;
use std::path::Path;

use hewto_store::{Agent, RelPath, SHARED_INSTRUCTIONS};

use super::{AgentChoice, AgentView};
use crate::client::Client;
use crate::install::{Part, ServerEntry, settings};

/// The line by which `CLAUDE.md` takes in the instructions of all agents.
const IMPORT: &str = "@AGENTS.md";

/// What to type first. The same words work everywhere; how to get to the prompt differs.
const SENTENCE: &str = "Use hewto: ask me what I want to change, then write it down as a change with a plan.";

/// An agent to connect, and how it is known to be in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Connected {
    pub(super) agent: Agent,
    pub(super) found_by: Vec<String>,
}

/// The agents that are chosen, in the order of the table.
pub(super) fn connected(root: &Path, choice: &AgentChoice) -> Vec<Connected> {
    let traces = |agent: Agent| -> Vec<String> {
        let there = agent.traces().iter().filter(|trace| root.join(trace).exists());
        there.map(|trace| (*trace).to_owned()).collect()
    };
    let all = Agent::ALL.into_iter().map(|agent| Connected { agent, found_by: traces(agent) });
    match choice {
        AgentChoice::Found => all.filter(|connected| !connected.found_by.is_empty()).collect(),
        AgentChoice::Named(names) => all.filter(|connected| names.contains(&connected.agent)).collect(),
    }
}

/// The parts of each file. A link is not followed here; see [`super::plan()`].
pub(super) fn parts(
    root: &Path,
    connected: &[Connected],
    choice: &AgentChoice,
    command: &str,
) -> BTreeMap<RelPath, Part> {
    let mut parts = BTreeMap::new();
    for Connected { agent, .. } in connected {
        let entry = ServerEntry { agent: *agent, command: command.to_owned() };
        parts.insert(settings(*agent), Part::Entry(entry));
        parts.insert(instructions(root, *agent), Part::Section);
    }
    // Whoever reads the shared file finds hewto in it, even if no agent left another trace.
    if *choice == AgentChoice::Found && root.join(SHARED_INSTRUCTIONS).exists() {
        parts.insert(Agent::Codex.instructions(), Part::Section);
    }
    parts
}

/// Where the agent finds the section: in its own file, or in the shared one that its own takes in.
pub(super) fn instructions(root: &Path, agent: Agent) -> RelPath {
    let own = agent.instructions();
    let imports = |path: &RelPath| {
        fs_text(&path.under(root)).is_some_and(|text| text.lines().any(|line| line.trim() == IMPORT))
    };
    if own.as_str() != SHARED_INSTRUCTIONS && imports(&own) { Agent::Codex.instructions() } else { own }
}

fn fs_text(path: &Path) -> Option<String> {
    fs_err::read_to_string(path).ok()
}

impl From<&Connected> for AgentView {
    fn from(connected: &Connected) -> Self {
        let open = match connected.agent {
            Agent::Claude => "run `claude` here and allow the server `hewto`",
            Agent::Cursor => "open this folder, switch `hewto` on under Settings, MCP, and open the chat",
            Agent::Vscode => {
                "open this folder, start `hewto` in .vscode/mcp.json, and open the chat in agent mode"
            }
            Agent::Codex => "run `codex` here and trust the folder",
            Agent::Gemini => "run `gemini` here",
        };
        Self {
            agent: connected.agent.as_str().to_owned(),
            name: Client::from(connected.agent).title().to_owned(),
            found_by: connected.found_by.clone(),
            open: open.to_owned(),
            sentence: SENTENCE.to_owned(),
        }
    }
}
