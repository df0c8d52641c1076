//! Plans and operation envelopes (seed 002).

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    ArtifactIdView, ArtifactSummary, DependencyEdge, DependencyTree, DirectiveView, Page, TemplateProvenance,
};

/// A document to be.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RenderedView {
    /// The whole document, front matter included
    pub body: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub omitted_chars: Option<usize>,
    /// Its front matter as data
    pub metadata: Map<String, Value>,
    pub provenance: TemplateProvenance,
}

/// A plan to create an artifact.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CreationPlan {
    /// Pass this to `specman_lifecycle_create`
    pub plan_id: String,
    pub expires_at: String,
    pub target: ArtifactIdView,
    pub handle: String,
    pub path: String,
    pub rendered: RenderedView,
    /// The tree that the artifact will have
    pub dependencies: DependencyTree,
    pub html_directives: Vec<DirectiveView>,
    pub reminder: String,
}

/// What a scratch pad is for.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ScratchProfile {
    /// ref, feat, fix or revision
    pub kind: String,
    pub name: String,
    pub template: String,
    pub provenance: TemplateProvenance,
    pub configuration: Map<String, Value>,
}

/// A plan to create a scratch pad.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ScratchPadPlan {
    #[serde(flatten)]
    pub plan: CreationPlan,
    pub profile: ScratchProfile,
}

/// A plan to delete an artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DeletionPlan {
    /// Pass this to `specman_lifecycle_delete`
    pub plan_id: String,
    pub expires_at: String,
    pub target: ArtifactSummary,
    /// The folder that goes
    pub path: String,
    /// Everything in it
    pub files: Vec<String>,
    /// Whether somebody needs it
    pub blocked: bool,
    /// Who needs it
    pub blocking: Vec<DependencyEdge>,
    pub dependencies: DependencyTree,
}

/// One operation, from its start to its end.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EnvelopeView {
    pub operation_id: String,
    pub session_id: String,
    pub principal: Option<String>,
    pub protocol_version: Option<String>,
    pub capability_id: String,
    /// The arguments, without secrets and long texts
    #[schemars(with = "Map<String, Value>")]
    pub inputs: Value,
    pub started_at: String,
    pub finished_at: Option<String>,
    pub artifacts: Vec<TouchedView>,
    /// none, read, write or workspace_wide
    pub lock_intent: String,
    #[schemars(with = "Vec<Map<String, Value>>")]
    pub transcript: Vec<Value>,
    /// in_progress, succeeded, failed, timed_out or cancelled
    pub status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default, with = "Option<Map<String, Value>>")]
    pub error: Option<Value>,
}

/// What happened to an artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TouchedView {
    /// Its handle
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub artifact: Option<String>,
    pub path: String,
    /// created, modified, deleted or moved
    pub action: String,
}

/// Operations, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct OperationList {
    pub operations: Vec<EnvelopeView>,
    #[serde(flatten)]
    pub page: Page,
}
