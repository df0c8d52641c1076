//! What the graph is made from: each artifact with what it says about others.

use std::collections::BTreeMap;

use hewto_core::artifact::{ArtifactKind, Handle, Reference, Scheme, is_semantic_version};
use hewto_core::decision::uid::Uid;
use hewto_core::id::SpecId;
use hewto_core::rules::reading::FRONT_MATTER;
use hewto_core::spec::{Front, SpecHead};
use hewto_core::workspace_graph::{Link, LinkBase, Relation, Source};
use hewto_store::change_files::TASKS;
use hewto_store::{ChangeEntry, Shelf, SpecEntry};

use super::decisions::{CurrentTask, Record, proposal};
use super::load::GraphInputs;
use crate::change::delta_capability;

const SPECS: &[ArtifactKind] = &[ArtifactKind::Specification];
const SPECS_AND_IMPLEMENTATIONS: &[ArtifactKind] =
    &[ArtifactKind::Specification, ArtifactKind::Implementation];
const IMPLEMENTATIONS_AND_SPECS: &[ArtifactKind] =
    &[ArtifactKind::Implementation, ArtifactKind::Specification];
const SCRATCH_PADS: &[ArtifactKind] = &[ArtifactKind::ScratchPad];
const DECISIONS: &[ArtifactKind] = &[ArtifactKind::Decision];
const CHANGES: &[ArtifactKind] = &[ArtifactKind::Change];

pub(super) fn sources(inputs: &GraphInputs) -> Vec<Source> {
    let mut sources = Vec::new();
    for entry in &inputs.specs.specs {
        sources.push(of_document(artifact(Scheme::Spec, &entry.id, entry.spec_path()), &entry.head));
        if entry.has_plan() {
            sources.push(plan_of_spec(entry));
        }
    }
    let shelves = [
        (Shelf::Implementations, Scheme::Impl, &inputs.implementations),
        (Shelf::ScratchPads, Scheme::Scratch, &inputs.scratch_pads),
    ];
    for (shelf, scheme, snapshot) in shelves {
        for entry in &snapshot.specs {
            let path = format!("{}/{}", entry.folder, shelf.document());
            sources.push(of_document(artifact(scheme, &entry.id, path), &entry.head));
        }
    }
    for entry in &inputs.changes.changes {
        let mut source = change(entry, |id| inputs.specs.get(id).is_some());
        source.links.extend(inputs.records.of_change(entry).map(follows));
        sources.push(source);
        sources.extend(plan_of_change(entry));
    }
    sources.extend(inputs.records.decisions.iter().map(|record| decision(record)));
    sources.extend(inputs.records.task.as_ref().map(task));
    sources
}

/// An artifact that has a handle and says nothing yet.
pub(super) fn artifact(scheme: Scheme, id: &SpecId, path: String) -> Source {
    let handle = Handle::new(scheme, id.clone()).to_string();
    Source { handle, ..bare(scheme.kind(), id.as_str(), path) }
}

/// A spec, an implementation or a scratch pad, as its document tells it.
pub(super) fn of_document(source: Source, head: &SpecHead) -> Source {
    let kind = source.kind;
    let mut source = of_head(source, head);
    let (base, others) = match kind {
        ArtifactKind::Implementation => (LinkBase::Document, SPECS_AND_IMPLEMENTATIONS),
        ArtifactKind::ScratchPad => (LinkBase::Root, SCRATCH_PADS),
        _ => (LinkBase::Document, SPECS),
    };
    source.links.extend(dependencies(head, base, others));
    let Some(artifact) = &head.artifact else { return source };
    if kind == ArtifactKind::ScratchPad {
        let target = artifact.target.iter();
        source.links.extend(
            target.map(|target| link(Relation::Targets, target, LinkBase::Root, IMPLEMENTATIONS_AND_SPECS)),
        );
        if let Some(work_type) = artifact.work_type {
            source.metadata.insert("work_type".to_owned(), work_type.as_str().to_owned());
        }
        return source;
    }
    if kind == ArtifactKind::Implementation {
        let implements = artifact.spec.iter();
        source
            .links
            .extend(implements.map(|spec| link(Relation::Implements, spec, LinkBase::Document, SPECS)));
    }
    let references =
        links(Relation::References, &artifact.references, LinkBase::Document, SPECS_AND_IMPLEMENTATIONS);
    source.links.extend(references);
    source
}

fn of_head(mut source: Source, head: &SpecHead) -> Source {
    if let Some(title) = &head.title {
        source.metadata.insert("title".to_owned(), title.clone());
    }
    match head.front {
        Front::Missing => {
            source.metadata.insert("metadata_status".to_owned(), "missing".to_owned());
        }
        Front::Present => {
            let is_of_front = |code: &str| FRONT_MATTER.iter().any(|rule| rule.code == code);
            let fault = head.diagnostics.iter().find(|fault| is_of_front(fault.code));
            if let Some(fault) = fault {
                let status = format!("invalid-front-matter: {}", fault.message);
                source.metadata.insert("metadata_status".to_owned(), status);
            }
        }
    }
    let Some(artifact) = &head.artifact else { return source };
    if let Some(name) = &artifact.name {
        source.name.clone_from(name);
    }
    match &artifact.version {
        Some(version) if is_semantic_version(version) => source.version = Some(version.clone()),
        Some(version) => {
            source.metadata.insert("version_raw".to_owned(), version.clone());
            source.metadata.insert("version_error".to_owned(), "not a semantic version".to_owned());
        }
        None => {}
    }
    if !artifact.faults.is_empty() {
        source.metadata.insert("dependency_errors".to_owned(), artifact.faults.join(" | "));
    }
    let any = SPECS_AND_IMPLEMENTATIONS;
    source.links.extend(links(Relation::Supersedes, &artifact.supersedes, LinkBase::Document, any));
    source.links.extend(links(Relation::Relates, &artifact.relates, LinkBase::Document, any));
    source.links.extend(artifact.decision.as_ref().map(follows));
    source
}

fn plan_of_spec(entry: &SpecEntry) -> Source {
    let mut source = bare(ArtifactKind::Plan, entry.id.as_str(), entry.plan_path());
    let handle = Handle::new(Scheme::Spec, entry.id.clone()).to_string();
    source.links.push(link(Relation::Targets, &handle, LinkBase::Root, SPECS));
    source
}

fn change(entry: &ChangeEntry, exists: impl Fn(&SpecId) -> bool) -> Source {
    let path = proposal(entry).map_or_else(|| entry.folder.to_string(), |key| key.to_string());
    let mut source = bare(ArtifactKind::Change, entry.id.as_str(), path);
    source.handle = change_handle(entry);
    for capability in entry.files.iter().filter_map(|file| delta_capability(file)) {
        let handle = Handle::new(Scheme::Spec, capability.clone()).to_string();
        // What a change brings does not have to be there before.
        let optional = !exists(&capability);
        source.links.push(Link { optional, ..link(Relation::Modifies, &handle, LinkBase::Root, SPECS) });
    }
    source
}

fn plan_of_change(entry: &ChangeEntry) -> Option<Source> {
    let tasks = entry.file(TASKS)?;
    let mut source = bare(ArtifactKind::Plan, &format!("change:{}", entry.id), tasks.to_string());
    source.links.push(link(Relation::Targets, &change_handle(entry), LinkBase::Root, CHANGES));
    Some(source)
}

fn decision(record: &Record) -> Source {
    let mut source = bare(ArtifactKind::Decision, &record.slug, record.path.clone());
    source.handle = adr_handle(&record.slug);
    note(&mut source, record.title.as_deref(), record.fault.as_deref());
    for (relation, uids) in
        [(Relation::Previous, &record.previous), (Relation::Supersedes, &record.supersedes)]
    {
        let links = uids.iter().map(|uid| link(relation, &adr_handle(uid), LinkBase::Root, DECISIONS));
        source.links.extend(links);
    }
    source
}

fn task(task: &CurrentTask) -> Source {
    let mut source = bare(ArtifactKind::Task, "current", task.path.to_string());
    note(&mut source, Some(&task.title), task.fault.as_deref());
    let adr = task.related_adr.iter();
    source.links.extend(adr.map(|uid| link(Relation::Relates, &adr_handle(uid), LinkBase::Root, DECISIONS)));
    source
}

fn note(source: &mut Source, title: Option<&str>, fault: Option<&str>) {
    if let Some(title) = title.filter(|title| !title.is_empty()) {
        source.metadata.insert("title".to_owned(), title.to_owned());
    }
    if let Some(fault) = fault {
        source.metadata.insert("metadata_status".to_owned(), format!("invalid: {fault}"));
    }
}

/// The link to the decision that something follows from. In a repository around the workspace there may be decisions
/// that the graph does not know.
fn follows(uid: &Uid) -> Link {
    let to_decision = link(Relation::Relates, &adr_handle(uid.as_str()), LinkBase::Root, DECISIONS);
    Link { optional: true, ..to_decision }
}

fn change_handle(entry: &ChangeEntry) -> String {
    let id = SpecId::parse(entry.id.as_str()).expect("an id of a change is one of a spec too");
    Handle::new(Scheme::Change, id).to_string()
}

/// The handle of a decision; a name that no handle can carry is addressed by its path instead.
fn adr_handle(slug: &str) -> String {
    match SpecId::parse(slug) {
        Ok(id) => Handle::new(Scheme::Adr, id).to_string(),
        Err(_) => slug.to_owned(),
    }
}

/// An artifact that says nothing yet and is addressed by its path.
pub(super) fn bare(kind: ArtifactKind, slug: &str, path: String) -> Source {
    Source {
        kind,
        slug: slug.to_owned(),
        name: slug.to_owned(),
        handle: path.clone(),
        path,
        version: None,
        metadata: BTreeMap::new(),
        links: Vec::new(),
    }
}

fn dependencies(
    head: &SpecHead,
    base: LinkBase,
    kinds: &'static [ArtifactKind],
) -> impl Iterator<Item = Link> {
    head.dependencies.iter().map(move |dependency| Link {
        optional: dependency.optional,
        strength: Some(dependency.kind),
        ..link(Relation::Depends, &dependency.target, base, kinds)
    })
}

fn links(
    relation: Relation,
    references: &[Reference],
    base: LinkBase,
    kinds: &'static [ArtifactKind],
) -> impl Iterator<Item = Link> {
    references.iter().map(move |reference| Link {
        optional: reference.optional,
        ..link(relation, &reference.target, base, kinds)
    })
}

fn link(relation: Relation, reference: &str, base: LinkBase, kinds: &'static [ArtifactKind]) -> Link {
    Link { relation, reference: reference.to_owned(), base, kinds, optional: false, strength: None }
}
