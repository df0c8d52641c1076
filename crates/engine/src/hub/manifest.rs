//! The spec documents of a workspace with their hashes: what is pushed, and nothing else of a repository.

use std::collections::{BTreeMap, HashMap};

use hewto_core::decision::uid::record_id;
use hewto_core::hub::{DocKind, Listed, MAX_DOCUMENT_BYTES};
use hewto_core::review::Digest;
use hewto_store::change_files::{DESIGN, PROPOSAL, REVIEW, TASKS, delta_target};
use hewto_store::{Context, DocFolder, DocKey, STATE_FILE, Stamp};

use crate::error::Result;
use crate::workspace::Workspace;

/// What was hashed before, by path and state of the file.
#[derive(Debug, Default)]
pub(super) struct Memory(HashMap<String, (Stamp, String)>);

/// The documents of this moment.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    pub(super) listed: BTreeMap<String, Listed>,
}

/// Looks at all documents; files whose stamps are settled and known are not read again.
pub(super) fn gather(ws: &Workspace, ctx: &Context, memory: &mut Memory) -> Result<Manifest> {
    let mut gathering = Gathering { ws, ctx, memory, manifest: Manifest::default() };
    gathering.specs()?;
    gathering.changes()?;
    gathering.decisions()?;
    Ok(gathering.manifest)
}

struct Gathering<'g> {
    ws: &'g Workspace,
    ctx: &'g Context,
    memory: &'g mut Memory,
    manifest: Manifest,
}

impl Gathering<'_> {
    fn specs(&mut self) -> Result<()> {
        let snapshot = self.ws.store().snapshot(self.ctx)?;
        for entry in &snapshot.specs {
            self.ctx.check()?;
            let item = entry.id.to_string();
            self.add(&entry.spec_path(), DocKind::Spec, &item, None)?;
            if entry.stamps.plan.is_some() {
                self.add(&entry.plan_path(), DocKind::Plan, &item, None)?;
            }
            if entry.stamps.state.is_some() {
                self.add(&entry.state_path(), DocKind::State, &item, None)?;
            }
            self.reviews(&entry.folder, &item)?;
        }
        Ok(())
    }

    fn changes(&mut self) -> Result<()> {
        for entry in self.ws.store().changes(self.ctx)?.changes {
            self.ctx.check()?;
            let item = format!("change:{}", entry.id);
            for file in &entry.files {
                let kind = match file.as_str() {
                    PROPOSAL => DocKind::Proposal,
                    DESIGN => DocKind::Design,
                    TASKS => DocKind::Tasks,
                    STATE_FILE => DocKind::State,
                    other if delta_target(other).is_some() => DocKind::Delta,
                    other if is_record(other) => DocKind::Review,
                    _ => continue,
                };
                let capability = delta_target(file).filter(|_| kind == DocKind::Delta).map(str::to_owned);
                if let Some(key) = entry.file(file) {
                    self.add(&key.to_string(), kind, &item, capability)?;
                }
            }
        }
        Ok(())
    }

    fn decisions(&mut self) -> Result<()> {
        let folder = self.ws.places().decisions.clone();
        for name in self.ws.store().file_names(self.ctx, &folder)? {
            let Some((id, key)) = record_id(&name).zip(folder.document(&name).ok()) else { continue };
            self.add(&key.to_string(), DocKind::Decision, &id, None)?;
        }
        Ok(())
    }

    fn reviews(&mut self, folder: &DocFolder, item: &str) -> Result<()> {
        let folder = folder.review();
        if !self.ws.store().has_folder(&folder) {
            return Ok(());
        }
        for name in self.ws.store().file_names(self.ctx, &folder)? {
            if let (true, Ok(key)) = (name.ends_with(".md"), folder.document(&name)) {
                self.add(&key.to_string(), DocKind::Review, item, None)?;
            }
        }
        Ok(())
    }

    /// Lists a document; one that cannot be read, or is too large to be a spec, stays at home.
    fn add(&mut self, path: &str, kind: DocKind, item: &str, capability: Option<String>) -> Result<()> {
        let Some(key) = DocKey::named(path) else { return Ok(()) };
        let Some(stamp) = self.ws.store().stamp(self.ctx, &key)? else { return Ok(()) };
        let settled = self.ws.store().ticks().are_over(&stamp);
        let known = self.memory.0.get(path).filter(|(before, _)| settled && *before == stamp);
        let sha256 = if let Some((_, hash)) = known {
            hash.clone()
        } else {
            let Ok(Some(doc)) = self.ws.store().read(self.ctx, &key) else { return Ok(()) };
            if doc.text.len() > MAX_DOCUMENT_BYTES || doc.text.contains('\0') {
                return Ok(());
            }
            let hash = Digest::of(doc.text.as_bytes()).to_string();
            self.memory.0.insert(path.to_owned(), (stamp, hash.clone()));
            hash
        };
        let listed = Listed { sha256, kind, item: item.to_owned(), capability };
        self.manifest.listed.insert(path.to_owned(), listed);
        Ok(())
    }
}

fn is_record(file: &str) -> bool {
    file.strip_prefix(REVIEW)
        .and_then(|rest| rest.strip_prefix('/'))
        .is_some_and(|name| name.ends_with(".md") && !name.contains('/'))
}
