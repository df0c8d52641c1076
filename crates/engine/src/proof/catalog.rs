//! What the specs of a workspace promise, by the names that tags use.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hewto_core::delta::DeltaDoc;
use hewto_core::document::Document;
use hewto_core::id::SpecId;
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
    /// Promises that open changes add or alter, by the name of the change, each with its file.
    pub(crate) changes: BTreeMap<String, Vec<(Arc<str>, Promise)>>,
    /// What open changes add, alter or rename.
    pending: BTreeSet<Ref>,
}

/// One spec.
#[derive(Debug)]
pub(crate) struct Capability {
    /// Where its text stands, from the root.
    pub(crate) file: Arc<str>,
    pub(crate) promises: Vec<Promise>,
    /// Which of them is which, sorted by name.
    by_name: Vec<usize>,
}

impl Capability {
    fn new(file: &str, promises: Vec<Promise>) -> Self {
        let mut by_name: Vec<usize> = (0..promises.len()).collect();
        by_name.sort_unstable_by(|a, b| promises[*a].reference.cmp_within(&promises[*b].reference));
        Self { file: file.into(), promises, by_name }
    }

    /// The promises of the requirement that this is, or is a scenario of.
    fn of_requirement(&self, reference: &Ref) -> impl ExactSizeIterator<Item = &Promise> {
        let requirement = |index: &usize| self.promises[*index].reference.requirement();
        let first = self.by_name.partition_point(|index| requirement(index) < reference.requirement());
        let rest = &self.by_name[first..];
        let end = rest.partition_point(|index| requirement(index) == reference.requirement());
        rest[..end].iter().map(|index| &self.promises[*index])
    }
}

impl Catalog {
    /// The promises of all specs, or of some, and of all open changes.
    pub(crate) fn load(ws: &Workspace, ctx: &Context, only: Option<&BTreeSet<String>>) -> Result<Self> {
        let mut catalog = Self::default();
        let specs: Vec<Arc<SpecEntry>> = match only {
            // Nothing is looked at but what is asked for.
            Some(only) => {
                let found: Result<Vec<_>> = only.iter().map(|id| entry(ws, ctx, id)).collect();
                found?.into_iter().flatten().collect()
            }
            None => ws.store().snapshot(ctx)?.specs.clone(),
        };
        catalog.capabilities = read_specs(ws, ctx, &specs)?.into_iter().collect();
        for folder in ChangeFolder::load_all(ws, ctx)? {
            let mut promises = Vec::new();
            for delta in &folder.deltas {
                let document = Document::parse(&delta.document.text);
                let doc = DeltaDoc::read(&document);
                let capability = delta.capability.as_str();
                let file: Arc<str> = delta.document.path.as_str().into();
                for requirements in [&doc.added, &doc.modified] {
                    let read = promises_of(capability, &document, requirements);
                    promises.extend(read.into_iter().map(|promise| (Arc::clone(&file), promise)));
                }
                // A renamed requirement keeps its scenarios.
                for rename in &doc.renamed {
                    catalog.rename(capability, rename.from, rename.to);
                }
            }
            catalog.pending.extend(promises.iter().map(|(_, promise)| promise.reference.clone()));
            catalog.changes.insert(folder.id().to_owned(), promises);
        }
        Ok(catalog)
    }

    fn rename(&mut self, capability: &str, from: &str, to: &str) {
        let Some(known) = self.capabilities.get(capability) else { return };
        let new = hewto_core::requirement::requirement_ids([to]).remove(0);
        let of_it = known.promises.iter().filter(|promise| *promise.requirement == *from);
        let names = of_it.map(|promise| Ref::new(capability, &new, promise.reference.scenario()));
        self.pending.extend(names);
    }

    /// The spec that a reference means. Folders may be named in the decomposed form that references never have.
    fn capability(&self, reference: &Ref) -> Option<&Capability> {
        let name = reference.capability();
        let own = |capability: &&Capability| {
            capability.promises.first().is_some_and(|promise| promise.reference.capability() == name)
        };
        let composed = || self.capabilities.values().find(own).filter(|_| !name.is_ascii());
        self.capabilities.get(name).or_else(composed)
    }

    /// Names of open changes that stand for this requirement.
    fn pending_of(&self, whole: &Ref) -> impl Iterator<Item = &Ref> {
        self.pending.range(whole..).take_while(|name| whole.covers(name))
    }

    /// How many scenarios the requirement of a promise has.
    pub(crate) fn siblings(&self, reference: &Ref) -> usize {
        let in_specs = self.capability(reference).map_or(0, |found| found.of_requirement(reference).len());
        if in_specs > 0 {
            return in_specs;
        }
        let whole = reference.whole_requirement();
        self.changes.values().flatten().filter(|(_, promise)| whole.covers(&promise.reference)).count()
    }

    /// Whether a spec or an open change has a promise of this name.
    pub(crate) fn knows(&self, reference: &Ref) -> bool {
        let in_spec = self
            .capability(reference)
            .is_some_and(|found| found.of_requirement(reference).any(|own| reference.covers(&own.reference)));
        in_spec || self.pending_of(&reference.whole_requirement()).any(|name| reference.covers(name))
    }

    /// All promises of a capability, or those with a name.
    pub(crate) fn find(&self, reference: &Ref) -> Vec<(&Arc<str>, &Promise)> {
        let in_spec = self
            .capability(reference)
            .into_iter()
            .flat_map(|capability| capability.promises.iter().map(|promise| (&capability.file, promise)));
        let found: Vec<_> = in_spec.filter(|(_, promise)| reference.covers(&promise.reference)).collect();
        if !found.is_empty() {
            return found;
        }
        let pending = self.changes.values().flatten().map(|(file, promise)| (file, promise));
        pending.filter(|(_, promise)| reference.covers(&promise.reference)).collect()
    }

    /// The names that somebody may have meant.
    pub(crate) fn near(&self, reference: &Ref) -> Vec<String> {
        let is_known = self.capability(reference).is_some()
            || self.pending.iter().any(|name| name.capability() == reference.capability());
        if is_known {
            return self.near_within(reference);
        }
        // Its capability is misspelt, and perhaps nothing else.
        let named = self.capabilities.keys().map(String::as_str);
        let names: BTreeSet<&str> = named.chain(self.pending.iter().map(Ref::capability)).collect();
        let meant = near(reference.capability(), names, SUGGESTIONS).into_iter().flat_map(|capability| {
            let meant = Ref::new(&capability, reference.requirement(), reference.scenario());
            if self.knows(&meant) { vec![meant.to_string()] } else { self.near_within(&meant) }
        });
        meant.take(SUGGESTIONS).collect()
    }

    fn near_within(&self, reference: &Ref) -> Vec<String> {
        let in_spec = self.capability(reference).into_iter().flat_map(|found| &found.promises);
        let pending = self.pending.iter().filter(|name| name.capability() == reference.capability());
        let all: BTreeSet<&Ref> = in_spec.map(|promise| &promise.reference).chain(pending).collect();
        let same: Vec<String> = all
            .iter()
            .filter(|name| name.requirement() == reference.requirement())
            .map(ToString::to_string)
            .collect();
        let wanted = reference.to_string();
        let of_requirement = near(&wanted, same.iter().map(String::as_str), SUGGESTIONS);
        if !of_requirement.is_empty() {
            return of_requirement;
        }
        // A requirement is meant as a whole, or a scenario by its own name only.
        let wholes: BTreeSet<String> = all.iter().map(|name| name.whole_requirement().to_string()).collect();
        let whole = reference.whole_requirement().to_string();
        let requirements = near(&whole, wholes.iter().map(String::as_str), SUGGESTIONS);
        let of_capability: Vec<String> = all.iter().map(ToString::to_string).collect();
        let scenarios = near(&wanted, of_capability.iter().map(String::as_str), SUGGESTIONS);
        let own_name = reference.scenario().unwrap_or(reference.requirement());
        let by_own_name = all.iter().filter(|name| name.scenario() == Some(own_name));
        let (first, second) = match reference.scenario() {
            Some(_) => (scenarios, requirements),
            None => (requirements, scenarios),
        };
        let mut found: Vec<String> = Vec::new();
        let by_own_name = by_own_name.map(ToString::to_string);
        for name in first.into_iter().chain(by_own_name).chain(same).chain(second) {
            if !found.contains(&name) && found.len() < SUGGESTIONS {
                found.push(name);
            }
        }
        found
    }
}

/// The spec of this name; a reference names it in the composed form, whatever its folder has.
fn entry(ws: &Workspace, ctx: &Context, name: &str) -> Result<Option<Arc<SpecEntry>>> {
    let Ok(id) = SpecId::parse(name) else { return Ok(None) };
    let found = ws.store().entry(ctx, &id)?;
    if found.is_some() || name.is_ascii() {
        return Ok(found);
    }
    let is_meant = |entry: &&Arc<SpecEntry>| Ref::new(entry.id.as_str(), "", None).capability() == name;
    Ok(ws.store().snapshot(ctx)?.specs.iter().find(is_meant).cloned())
}

/// The promises of specs, read on all cores.
fn read_specs(ws: &Workspace, ctx: &Context, specs: &[Arc<SpecEntry>]) -> Result<Vec<(String, Capability)>> {
    let read = |share: &[Arc<SpecEntry>]| -> Result<Vec<(String, Capability)>> {
        let mut out = Vec::with_capacity(share.len());
        for entry in share {
            ctx.check()?;
            // A document that cannot be read promises nothing; `validate` says why.
            let Ok(Some(doc)) = ws.store().read(ctx, &DocKey::Spec(entry.id.clone())) else { continue };
            let promises = read_promises(entry.id.as_str(), &doc.text);
            out.push((entry.id.to_string(), Capability::new(doc.path.as_str(), promises)));
        }
        Ok(out)
    };
    if specs.len() < 32 {
        return read(specs);
    }
    let parts: Result<Vec<_>> = hewto_parallel::map_chunks(specs, read).into_iter().collect();
    Ok(parts?.into_iter().flatten().collect())
}
