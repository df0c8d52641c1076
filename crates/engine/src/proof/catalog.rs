//! What the specs of a workspace promise, by the names that tags use.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::num::NonZero;
use std::sync::Arc;

use hewto_core::delta::DeltaDoc;
use hewto_core::document::Document;
use hewto_core::near::near;
use hewto_core::proof::{Promise, Ref, promises_of, read_promises};
use hewto_store::{Context, DocKey, SpecEntry};

use crate::change::ChangeFolder;
use crate::error::Result;
use crate::workspace::Workspace;

/// How many names a miss suggests.
const SUGGESTIONS: usize = 3;

/// Promises by capability.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    pub(crate) capabilities: BTreeMap<String, Capability>,
    /// Promises that open changes add or alter, by the name of the change.
    pub(crate) changes: BTreeMap<String, Vec<(String, Promise)>>,
    requirements: HashMap<Ref, usize>,
    names: BTreeSet<Ref>,
}

/// One spec.
#[derive(Debug)]
pub(crate) struct Capability {
    /// Where its text stands, from the root.
    pub(crate) file: String,
    pub(crate) promises: Vec<Promise>,
}

impl Catalog {
    /// The promises of all specs, or of some, and of all open changes.
    pub(crate) fn load(ws: &Workspace, ctx: &Context, only: Option<&BTreeSet<String>>) -> Result<Self> {
        let mut catalog = Self::default();
        let specs: Vec<Arc<SpecEntry>> = match only {
            // Nothing is looked at but what is asked for.
            Some(only) => {
                let ids = only.iter().filter_map(|id| hewto_core::id::SpecId::parse(id).ok());
                let entries: Result<Vec<_>, _> = ids.map(|id| ws.store().entry(ctx, &id)).collect();
                entries?.into_iter().flatten().collect()
            }
            None => ws.store().snapshot(ctx)?.specs.clone(),
        };
        for (id, capability) in read_specs(ws, ctx, &specs)? {
            catalog.capabilities.insert(id, capability);
        }
        for folder in ChangeFolder::load_all(ws, ctx)? {
            let mut promises = Vec::new();
            for delta in &folder.deltas {
                let document = Document::parse(&delta.document.text);
                let doc = DeltaDoc::read(&document);
                let capability = delta.capability.as_str();
                for requirements in [&doc.added, &doc.modified] {
                    let file = delta.document.path.to_string();
                    let read = promises_of(capability, &document, requirements);
                    promises.extend(read.into_iter().map(|promise| (file.clone(), promise)));
                }
                // A renamed requirement keeps its scenarios.
                for rename in &doc.renamed {
                    catalog.rename(capability, rename.from, rename.to);
                }
            }
            catalog.changes.insert(folder.id().to_owned(), promises);
        }
        catalog.count();
        Ok(catalog)
    }

    fn rename(&mut self, capability: &str, from: &str, to: &str) {
        let Some(known) = self.capabilities.get(capability) else { return };
        let new = hewto_core::requirement::requirement_ids([to]).remove(0);
        let of_it = known.promises.iter().filter(|promise| promise.requirement == from);
        let names: Vec<Ref> =
            of_it.map(|promise| Ref::new(capability, &new, promise.reference.scenario())).collect();
        self.names.extend(names);
    }

    fn count(&mut self) {
        for capability in self.capabilities.values() {
            for promise in &capability.promises {
                *self.requirements.entry(promise.reference.whole_requirement()).or_default() += 1;
                self.names.insert(promise.reference.clone());
            }
        }
        for (_, promise) in self.changes.values().flatten() {
            self.names.insert(promise.reference.clone());
            self.requirements.entry(promise.reference.whole_requirement()).or_insert(0);
        }
    }

    /// How many scenarios the requirement of a promise has.
    pub(crate) fn siblings(&self, reference: &Ref) -> usize {
        let whole = reference.whole_requirement();
        let in_specs = self.requirements.get(&whole).copied().unwrap_or(0);
        let pending = || {
            let all = self.changes.values().flatten();
            all.filter(|(_, promise)| promise.reference.whole_requirement() == whole).count()
        };
        if in_specs == 0 { pending() } else { in_specs }
    }

    /// Whether a spec or an open change has a promise of this name.
    pub(crate) fn knows(&self, reference: &Ref) -> bool {
        self.names.contains(reference)
            || (reference.scenario().is_none()
                && (self.requirements.contains_key(reference)
                    || self.names.iter().any(|name| reference.covers(name))))
    }

    /// All promises of a capability, or those with a name.
    pub(crate) fn find(&self, reference: &Ref) -> Vec<(&str, &Promise)> {
        let in_spec = self.capabilities.get(reference.capability()).into_iter().flat_map(|capability| {
            capability.promises.iter().map(|promise| (capability.file.as_str(), promise))
        });
        let found: Vec<_> = in_spec.filter(|(_, promise)| reference.covers(&promise.reference)).collect();
        if !found.is_empty() {
            return found;
        }
        let pending = self.changes.values().flatten().map(|(file, promise)| (file.as_str(), promise));
        pending.filter(|(_, promise)| reference.covers(&promise.reference)).collect()
    }

    /// The names that somebody may have meant.
    pub(crate) fn near(&self, reference: &Ref) -> Vec<String> {
        let all = || self.names.iter();
        let same: Vec<String> = all()
            .filter(|name| {
                name.capability() == reference.capability() && name.requirement() == reference.requirement()
            })
            .map(ToString::to_string)
            .collect();
        let wanted = reference.to_string();
        let of_requirement = near(&wanted, same.iter().map(String::as_str), SUGGESTIONS);
        if !of_requirement.is_empty() {
            return of_requirement;
        }
        let of_capability: Vec<String> = all()
            .filter(|name| name.capability() == reference.capability())
            .map(ToString::to_string)
            .collect();
        let mut found = near(&wanted, of_capability.iter().map(String::as_str), SUGGESTIONS);
        if found.is_empty() && !same.is_empty() {
            found = same.into_iter().take(SUGGESTIONS).collect();
        }
        found
    }
}

/// The promises of specs, read on all cores.
fn read_specs(ws: &Workspace, ctx: &Context, specs: &[Arc<SpecEntry>]) -> Result<Vec<(String, Capability)>> {
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let share = specs.len().div_ceil(threads).max(1);
    let read = |share: &[Arc<SpecEntry>]| -> Result<Vec<(String, Capability)>> {
        let mut out = Vec::with_capacity(share.len());
        for entry in share {
            ctx.check()?;
            // A document that cannot be read promises nothing; `validate` says why.
            let Ok(Some(doc)) = ws.store().read(ctx, &DocKey::Spec(entry.id.clone())) else { continue };
            let promises = read_promises(entry.id.as_str(), &doc.text);
            out.push((entry.id.to_string(), Capability { file: doc.path.to_string(), promises }));
        }
        Ok(out)
    };
    if specs.len() < 32 {
        return read(specs);
    }
    let parts: Result<Vec<_>> = std::thread::scope(|scope| {
        let workers: Vec<_> = specs.chunks(share).map(|share| scope.spawn(move || read(share))).collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, _>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().map(join).collect()
    });
    Ok(parts?.into_iter().flatten().collect())
}
