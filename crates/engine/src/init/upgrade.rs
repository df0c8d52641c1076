//! `upgrade`: brings what an earlier version of hewto wrote to this one.
//!
//! It goes by the manifest: sections, entries and skills that are as they were written are renewed. What somebody has edited
//! is not touched; what hewto would write now is put beside it, as `<file>.new`.

use std::path::Path;

use hewto_store::{ContentHash, Context, Own, RelPath, STATE_GITIGNORE, Store, discover_own};

use super::planner::Planner;
use super::{Plan, Purpose};
use crate::client::{Agent, Scope, skills};
use crate::error::{Error, Key, Kind, Result};
use crate::install::{Manifest, Part, Personal, ServerEntry, part_of};

/// Looks at everything that `init` has written, and writes nothing.
pub fn plan_upgrade(
    folder: &Path,
    ctx: &Context,
    command: &str,
    personal: Option<&Personal>,
) -> Result<Plan> {
    let layout = discover_own(folder).ok_or_else(|| nothing_here(folder))?;
    let root = layout.root().to_owned();
    let store = Store::open(layout.clone())?;
    let mut planner = Planner::new(Some(store), Purpose::Upgrade);
    let manifest_text = planner.read(ctx, &Own::Manifest.place())?;
    if manifest_text.is_none() {
        return Err(nothing_here(folder));
    }
    planner.manifest = Manifest::read(manifest_text.as_deref())?;
    let shown_root = root.to_string_lossy().into_owned();
    let agents = connected(&planner.manifest);
    let personally = match personal {
        Some(personal) => personal.connected(&shown_root)?,
        None => Vec::new(),
    };
    planner.renewed = agents.iter().chain(&personally).copied().collect();

    let entry = |agent| ServerEntry { agent, command: command.to_owned(), root: shown_root.clone() };
    let written: Vec<RelPath> = planner
        .manifest
        .files
        .iter()
        .filter(|(_, record)| record.part.is_some())
        .map(|(path, _)| path.clone())
        .collect();
    for path in written {
        match part_of(&path) {
            Some(Part::Entry(known)) => planner.add_part(ctx, &path, &Part::Entry(entry(known.agent)))?,
            Some(Part::Section) => planner.add_part(ctx, &path, &Part::Section)?,
            None => {}
        }
    }
    if !planner.manifest.no_skills {
        for (path, text) in agents.iter().chain(&personally).flat_map(|agent| skills(*agent)) {
            planner.add_own(ctx, &path, &text)?;
        }
    }
    for agent in &personally {
        if let Some(personal) = personal {
            planner.add_personal(personal, &entry(*agent))?;
        }
    }
    renew_gitignore(&mut planner, ctx)?;
    planner.finish(ctx, &[], manifest_text)?;
    Ok(Plan::of_upgrade(root, layout, planner, personal.cloned()))
}

/// The agents that the manifest tells of.
fn connected(manifest: &Manifest) -> Vec<Agent> {
    let has = |file: &&str| RelPath::parse(file).is_ok_and(|path| manifest.files.contains_key(&path));
    let is_connected = |agent: &Agent| agent.scope() == Scope::Project && agent.files().iter().any(&has);
    Agent::all().filter(is_connected).collect()
}

/// The list of what belongs to one machine, if it is as it was written.
fn renew_gitignore(planner: &mut Planner, ctx: &Context) -> Result<()> {
    let (path, text) = (Own::Gitignore.place(), STATE_GITIGNORE);
    let there = planner.read(ctx, &path)?;
    let known = planner.manifest.files.get(&path).map(|record| record.after);
    let is_ours = there.as_ref().is_some_and(|there| known == Some(ContentHash::of(there.as_bytes())));
    if is_ours && there.as_deref() != Some(text) {
        planner.renew(path, there, text.to_owned(), "what belongs to one machine");
    }
    Ok(())
}

fn nothing_here(folder: &Path) -> Error {
    Error::new(
        Kind::Refused,
        Key::NothingToUninstall,
        format!("nothing that `hewto init` wrote is here: {}", folder.display()),
    )
    .hint("run `hewto init` first")
}
