//! `lifecycle.plan_deletion` and `lifecycle.delete`: the whole folder goes, unless somebody needs the artifact.

use hewto_core::artifact::{ArtifactKind, Handle, Scheme};
use hewto_core::workspace_graph::{NodeId, Standing, WorkspaceGraph};
use hewto_store::{ContentHash, Context, DocFolder, Transaction};
use serde_json::json;

use super::creation::other_plan;
use super::envelope::succeeded;
use super::plan_store::{Intent, Plan, Seen};
use crate::claim;
use crate::concept;
use crate::error::{Action, Error, Hint, Key, Kind, Result};
use crate::graph::{ArtifactRef, edge_view, immutable, load, not_found, partial_tree, resolve_ref, summary};
use crate::item::{Item, refuse_archived};
use crate::view::{
    ArtifactSummary, DeletionPlan, DependencyEdge, DependencyTree, EdgeRelation, EnvelopeView,
};
use crate::workspace::Workspace;

/// Whether to delete what somebody needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Force {
    No,
    Yes,
}

/// Says what a deletion would remove and who stands against it, and keeps the plan.
pub fn plan_deletion(ws: &Workspace, ctx: &Context, target: &ArtifactRef) -> Result<DeletionPlan> {
    let graph = load(ws, ctx)?;
    let node = resolve_ref(ws, &graph, target)?;
    let found = Found::of(ws, ctx, &graph, node)?;
    let handle = graph.node(node).handle.clone();
    let plan = Plan::keep(ws, ctx, found.seen(), Intent::Deletion { handle })?;
    Ok(DeletionPlan {
        plan_id: plan.id,
        expires_at: plan.expires_at.to_string(),
        target: found.target,
        path: found.folder.to_string(),
        files: found.files,
        blocked: !found.blocking.is_empty(),
        blocking: found.blocking,
        dependencies: found.tree,
    })
}

/// Removes an artifact with everything in its folder.
pub fn delete(ws: &Workspace, ctx: &Context, plan_id: &str, force: Force) -> Result<EnvelopeView> {
    let inputs = json!({ "plan_id": plan_id, "force": force == Force::Yes });
    let handle = match Plan::load(ws, ctx, plan_id)?.intent {
        Intent::Deletion { handle } => handle,
        Intent::Creation(_) => return Err(other_plan(plan_id, "create", Action::CreateArtifact)),
    };
    let (lock, ref ws) = claim::lock_artifact(ws, ctx, &handle)?;
    let plan = Plan::load(ws, ctx, plan_id)?;
    let Intent::Deletion { handle } = &plan.intent else {
        return Err(other_plan(plan_id, "create", Action::CreateArtifact));
    };
    let graph = load(ws, ctx)?;
    let node = resolve_ref(ws, &graph, &ArtifactRef::Locator(handle.clone()))?;
    let found = Found::of(ws, ctx, &graph, node)?;
    plan.require_fresh(&found.seen()).map_err(|error| error.detail("blocking", json!(found.blocking)))?;
    if !found.blocking.is_empty() && force == Force::No {
        return Err(found.blocked());
    }
    let mut transaction = Transaction::new();
    transaction.delete_dir(&found.folder, found.hash);
    lock.commit(ctx, transaction)?;
    plan.use_up(ws)?;
    drop(lock);
    if !found.blocking.is_empty() {
        let overridden: Vec<&str> = found.blocking.iter().map(|edge| edge.from.handle.as_str()).collect();
        ctx.note(json!({ "forced": true, "overridden": overridden }));
    }
    ctx.note(json!({ "deleted": handle, "files": found.files }));
    Ok(succeeded(ws, ctx, inputs))
}

/// What a deletion is about, as it is now.
struct Found {
    target: ArtifactSummary,
    folder: DocFolder,
    files: Vec<String>,
    hash: ContentHash,
    blocking: Vec<DependencyEdge>,
    tree: DependencyTree,
}

impl Found {
    fn of(ws: &Workspace, ctx: &Context, graph: &WorkspaceGraph, node: NodeId) -> Result<Self> {
        let artifact = graph.node(node);
        let path = artifact.path.as_deref().ok_or_else(|| not_found(graph, &artifact.handle))?;
        immutable(ws, path)?;
        require_deletable(ws, ctx, graph, node)?;
        // The document of a change may be its folder.
        let folder = match path.rsplit_once('/') {
            Some((folder, name)) if name.contains('.') => folder,
            _ => path,
        };
        let folder = DocFolder::named(folder).ok_or_else(|| not_found(graph, &artifact.handle))?;
        refuse_inhabited(graph, node, &folder)?;
        let manifest =
            ws.store().manifest(ctx, &folder)?.ok_or_else(|| not_found(graph, &artifact.handle))?;
        let blocking = graph.blockers(node).map(|edge| edge_view(ws, graph, edge, EdgeRelation::Downstream));
        Ok(Self {
            target: summary(ws, artifact),
            files: manifest.files,
            hash: manifest.hash,
            blocking: blocking.collect(),
            // Something in a circle can be deleted: that is how one gets out of it.
            tree: partial_tree(ws, ctx, graph, node),
            folder,
        })
    }

    fn seen(&self) -> Seen {
        let mut seen = Seen::from([(self.folder.to_string(), self.hash.to_string())]);
        seen.extend(self.blocking.iter().map(|edge| (edge.from.handle.clone(), edge.r#type.clone())));
        seen
    }

    fn blocked(&self) -> Error {
        let names: Vec<String> =
            self.blocking.iter().map(|edge| format!("`{}` ({})", edge.from.handle, edge.r#type)).collect();
        Error::new(
            Kind::Refused,
            Key::DeletionBlocked,
            format!("`{}` is needed by {}", self.target.handle, names.join(", ")),
        )
        .detail("blocking", json!(self.blocking))
        .detail("dependencies", json!(self.tree))
        .detail("concept_ref", concept::LIFECYCLE_AUTOMATION)
        .hint(
            Hint::default()
                .text("change what needs it first, or ")
                .action(Action::DeleteArtifactByForce { handle: self.target.handle.clone() })
                .text(", which is recorded"),
        )
    }
}

fn require_deletable(ws: &Workspace, ctx: &Context, graph: &WorkspaceGraph, node: NodeId) -> Result<()> {
    let artifact = graph.node(node);
    match artifact.kind {
        ArtifactKind::Specification => match Handle::parse(&artifact.handle) {
            Some(Handle { scheme: Scheme::Spec, id, .. }) => {
                let state = Item::load(ws, ctx, id.as_str())?.state();
                state.map_or(Ok(()), |state| refuse_archived(id.as_str(), &state))
            }
            _ => Ok(()),
        },
        ArtifactKind::Implementation | ArtifactKind::ScratchPad | ArtifactKind::Change => Ok(()),
        kind @ (ArtifactKind::Plan | ArtifactKind::Decision | ArtifactKind::Task) => {
            Err(Error::new(Kind::Refused, Key::WrongKind, format!("{kind} is not deleted here"))
                .hint("delete specs, implementations, scratch pads and changes"))
        }
    }
}

/// Refuses to take other artifacts along that stand in the same folder.
fn refuse_inhabited(graph: &WorkspaceGraph, node: NodeId, folder: &DocFolder) -> Result<()> {
    let inside = graph.nodes().filter(|(id, other)| {
        *id != node
            && other.standing == Standing::Artifact
            && other.kind != ArtifactKind::Plan
            && other.path.as_deref().is_some_and(|path| folder.below(path).is_some())
    });
    let handles: Vec<&str> = inside.map(|(_, other)| other.handle.as_str()).collect();
    if handles.is_empty() {
        return Ok(());
    }
    Err(Error::new(
        Kind::Refused,
        Key::DeletionBlocked,
        format!("other artifacts are in its folder: `{}`", handles.join("`, `")),
    )
    .detail("inside", json!(handles))
    .hint("delete or move these first"))
}
