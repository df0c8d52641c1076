//! Which agents are in use, and which files of theirs are to hold what.

use std::collections::BTreeMap;
use std::path::Path;

use hewto_store::RelPath;

use super::{AgentChoice, AgentView};
use crate::client::Agent;
use crate::install::{Part, ServerEntry};

/// What all agents read that have no file of their own.
const SHARED: &str = "AGENTS.md";

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
    let all = Agent::all().map(|agent| Connected { agent, found_by: traces(agent) });
    match choice {
        AgentChoice::All => all.collect(),
        AgentChoice::Found => all.filter(|connected| !connected.found_by.is_empty()).collect(),
        AgentChoice::Named(names) => all.filter(|connected| names.contains(&connected.agent)).collect(),
    }
}

/// The parts of each file, by the names that agents know; `read` gives the text of a file.
pub(super) fn parts(
    connected: &[Connected],
    choice: &AgentChoice,
    root: &Path,
    command: &str,
    read: impl Fn(&RelPath) -> Option<String>,
) -> BTreeMap<RelPath, Part> {
    let shared = RelPath::parse(SHARED).expect("a plain name is a path");
    let mut parts = BTreeMap::new();
    for Connected { agent, .. } in connected {
        if let Some(file) = agent.project_file(root) {
            let root = root.to_string_lossy().into_owned();
            parts.insert(file, Part::Entry(ServerEntry { agent: *agent, command: command.to_owned(), root }));
        }
        let Some(own) = agent.instructions() else { continue };
        // A file that takes in the shared one needs no section of its own.
        let imports = |text: String| text.lines().any(|line| line.trim() == IMPORT);
        let place = if own != shared && read(&own).is_some_and(imports) { shared.clone() } else { own };
        parts.insert(place, Part::Section);
    }
    // Whoever reads the shared file finds hewto in it, even if no agent left another trace.
    if *choice == AgentChoice::Found && read(&shared).is_some() {
        parts.insert(shared, Part::Section);
    }
    parts
}

impl From<&Connected> for AgentView {
    fn from(connected: &Connected) -> Self {
        Self {
            agent: connected.agent.name().to_owned(),
            name: connected.agent.title().to_owned(),
            found_by: connected.found_by.clone(),
            open: connected.agent.open().to_owned(),
            sentence: SENTENCE.to_owned(),
        }
    }
}
