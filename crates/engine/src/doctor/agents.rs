//! The agents: whether each that is in use knows the server, and whether the server answers when started as configured.

use hewto_store::{Context, DocKey, ReadError};

use super::{Examiner, Findings, Probe};
use crate::client::{Agent, Scope};
use crate::error::{Error, Result};
use crate::init::{self, AgentChoice, InitOptions};
use crate::install::{ConfiguredServer, Unreadable};
use crate::workspace::Workspace;

/// How the configuration of an agent stands.
enum Standing {
    /// Nothing tells of this agent.
    Unused,
    Unconnected,
    /// The file, and what is wrong with it.
    Unreadable(String, String),
    Connected(Box<ConfiguredServer>),
}

pub(super) fn look(ws: &Workspace, ctx: &Context, examiner: &Examiner<'_>, findings: &mut Findings) {
    let mut in_use = 0;
    for agent in Agent::all() {
        let name = agent.name();
        in_use += 1;
        match standing(ws, ctx, examiner, agent) {
            Standing::Unused => in_use -= 1,
            Standing::Unconnected => findings.warning(
                name,
                format!("{agent} is in use here and does not know the server"),
                &format!("run `hewto init --agents {name}`"),
            ),
            Standing::Unreadable(file, why) => findings.error(
                name,
                format!("{file} cannot be used: {why}"),
                &format!("correct the file, then run `hewto init --agents {name}`"),
            ),
            Standing::Connected(server) => {
                judge(name, &server, (examiner.probe)(&server, ws.root()), findings);
            }
        }
    }
    if in_use == 0 {
        findings.ok("agents", "none is in use here; `hewto init --agents NAME` connects one");
    }
}

/// Connects agents that are in use, and tells those whose program is gone where it is now.
pub(super) fn mend(ws: &Workspace, ctx: &Context, examiner: &Examiner<'_>) -> Result<Vec<String>> {
    let needs_it = |agent: &Agent| match standing(ws, ctx, examiner, *agent) {
        Standing::Unused | Standing::Unreadable(..) => false,
        // A person's own file is written for those who ask for it.
        Standing::Unconnected => agent.scope() == Scope::Project,
        Standing::Connected(server) => (examiner.probe)(&server, ws.root()) == Probe::Missing,
    };
    let agents: Vec<Agent> = Agent::all().filter(needs_it).collect();
    if agents.is_empty() {
        return Ok(Vec::new());
    }
    let options = InitOptions {
        agents: AgentChoice::Named(agents.clone()),
        command: examiner.command.clone(),
        renewed: agents,
        personal: examiner.personal.clone(),
        ..InitOptions::new(hewto_store::LayoutKind::Native)
    };
    let view = init::init(ws.root(), ctx, &options)?;
    Ok(view.files.into_iter().map(|file| format!("{file} was written")).collect())
}

fn judge(name: &str, server: &ConfiguredServer, probe: Probe, findings: &mut Findings) {
    let ConfiguredServer { file, command, .. } = server;
    match probe {
        Probe::Answers { tools } => {
            findings.ok(name, format!("the server answers with {tools} tools ({file})"));
        }
        Probe::Missing => findings.error(
            name,
            format!("{file} starts `{command}`, which is not there"),
            "put it on the search path, or run `hewto doctor --fix`, which renews the entry unless somebody wrote it by hand",
        ),
        Probe::NotStarted(why) => findings.warning(
            name,
            format!("{file} starts `{command}`, which was not tried: {why}"),
            "look at the entry `hewto` in the file",
        ),
        Probe::Silent(why) => findings.error(
            name,
            format!("{file} starts `{command}`, which does not answer: {why}"),
            "start it by hand with `--debug` to see what it says",
        ),
    }
}

fn standing(ws: &Workspace, ctx: &Context, examiner: &Examiner<'_>, agent: Agent) -> Standing {
    let is_in_use = agent.traces().iter().any(|trace| ws.root().join(trace).exists());
    let (file, text) = match agent.project_file(ws.root()) {
        Some(file) => match ws.store().read(ctx, &DocKey::File(file.clone())) {
            Ok(doc) => (file.to_string(), doc.map(|doc| doc.text)),
            Err(error @ (ReadError::NotUtf8 { .. } | ReadError::File(_))) => {
                return Standing::Unreadable(file.to_string(), Error::from(error).to_string());
            }
            Err(_) => return Standing::Unused,
        },
        None => match examiner.personal.as_ref().and_then(|personal| personal.read(agent)) {
            Some((file, Ok(text))) => (file.to_owned(), text),
            Some((file, Err(error))) if is_in_use => {
                return Standing::Unreadable(file.to_owned(), error.to_string());
            }
            Some(_) | None => return Standing::Unused,
        },
    };
    // An entry of the person's own may name another workspace.
    let is_for_this = |server: &ConfiguredServer| {
        let root = ws.root().to_string_lossy();
        agent.scope() == Scope::Project || server.args.iter().any(|arg| *arg == root)
    };
    match text.as_deref().map(|text| ConfiguredServer::read(agent, &file, text)) {
        Some(Ok(Some(server))) if is_for_this(&server) => {
            Standing::Connected(Box::new(server.resolved(ws.root())))
        }
        Some(Err(Unreadable(why))) if is_in_use || agent.scope() == Scope::Project => {
            Standing::Unreadable(file, why)
        }
        _ if is_in_use => Standing::Unconnected,
        _ => Standing::Unused,
    }
}
