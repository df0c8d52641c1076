//! The graph as it is now; made anew only when something it is made from has changed (D-9).

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hewto_core::artifact::Scheme;
use hewto_core::id::SpecId;
use hewto_core::spec::SpecHead;
use hewto_core::workspace_graph::{NodeId, Source, WorkspaceGraph};
use hewto_store::{ChangeList, Context, Shelf, Snapshot};

use super::decisions::Records;
use super::sources::{artifact, of_document, sources};
use crate::error::Result;
use crate::workspace::Workspace;

/// The last graph and what it was made from.
#[derive(Debug, Default)]
pub(crate) struct GraphMemory {
    last: Mutex<Option<Arc<Remembered>>>,
    made: AtomicU64,
}

#[derive(Debug)]
struct Remembered {
    inputs: GraphInputs,
    graph: Arc<WorkspaceGraph>,
}

/// Everything that a graph is made from.
#[derive(Debug)]
pub(super) struct GraphInputs {
    pub(super) specs: Arc<Snapshot>,
    pub(super) implementations: Arc<Snapshot>,
    pub(super) scratch_pads: Arc<Snapshot>,
    pub(super) changes: ChangeList,
    pub(super) records: Records,
}

/// The graph of the workspace as it is now.
pub(crate) fn load(ws: &Workspace, ctx: &Context) -> Result<Arc<WorkspaceGraph>> {
    remembered(ws, ctx).map(|now| Arc::clone(&now.graph))
}

/// The same, and the open changes that it was made from: listing them is most of the work.
pub(crate) fn load_with_changes(ws: &Workspace, ctx: &Context) -> Result<(Arc<WorkspaceGraph>, ChangeList)> {
    remembered(ws, ctx).map(|now| (Arc::clone(&now.graph), now.inputs.changes.clone()))
}

fn remembered(ws: &Workspace, ctx: &Context) -> Result<Arc<Remembered>> {
    let store = ws.store();
    let known = ws.graphs().last.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let changes = store.changes(ctx)?;
    let records = Records::read(ws, ctx, &changes, known.as_ref().map(|known| &known.inputs.records))?;
    let inputs = GraphInputs {
        specs: store.snapshot(ctx)?,
        implementations: store.shelf(ctx, Shelf::Implementations)?,
        scratch_pads: store.shelf(ctx, Shelf::ScratchPads)?,
        changes,
        records,
    };
    if let Some(known) = known.filter(|known| known.inputs.is_same(&inputs)) {
        return Ok(known);
    }
    ctx.check()?;
    let graph = Arc::new(WorkspaceGraph::build(&sources(&inputs)));
    ws.graphs().made.fetch_add(1, Ordering::Relaxed);
    let remembered = Arc::new(Remembered { inputs, graph });
    *ws.graphs().last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&remembered));
    Ok(remembered)
}

/// The graph with one more artifact in it, and the node of that one.
pub(crate) fn preview(ws: &Workspace, ctx: &Context, source: Source) -> Result<(WorkspaceGraph, NodeId)> {
    load(ws, ctx)?;
    let known = ws.graphs().last.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut all = known.map(|known| sources(&known.inputs)).unwrap_or_default();
    let path = source.path.clone();
    all.push(source);
    let graph = WorkspaceGraph::build(&all);
    let node = graph.at_path(&path).expect("it was just put in");
    Ok((graph, node))
}

/// An artifact that is still to be written, as its document tells it.
pub(crate) fn planned(scheme: Scheme, id: &SpecId, path: String, head: &SpecHead) -> Source {
    of_document(artifact(scheme, id, path), head)
}

impl GraphMemory {
    /// How many graphs were made.
    pub(super) fn generation(&self) -> u64 {
        self.made.load(Ordering::Relaxed)
    }
}

impl GraphInputs {
    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.specs, &other.specs)
            && Arc::ptr_eq(&self.implementations, &other.implementations)
            && Arc::ptr_eq(&self.scratch_pads, &other.scratch_pads)
            && self.changes == other.changes
            && self.records == other.records
    }
}
