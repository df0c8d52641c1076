//! `spec_create`: a new spec, as a draft.

use hewto_core::id::{SpecId, WorkItem};
use hewto_core::lifecycle::Lifecycle;
use hewto_core::spec::{self, Category};
use hewto_core::state::WorkflowState;
use hewto_store::{Context, DocKey, Expect, LayoutKind, SPEC_FILE, Transaction};
use schemars::JsonSchema;
use serde::Deserialize;

use super::dependencies::{DependencyInput, resolve_inputs};
use super::schema::categories;
use crate::decision;
use crate::error::Result;
use crate::text;
use crate::view::SpecCreated;
use crate::workspace::{Workspace, first_path};

/// What a new spec is made of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSpec {
    pub title: String,
    pub description: String,
    /// The workspace's default when absent.
    #[serde(default)]
    #[schemars(schema_with = "categories", description = "")]
    pub category: Option<Category>,
    // Title and description when absent.
    /// Markdown body
    pub content: Option<String>,
    #[serde(default)]
    pub dependencies: Vec<DependencyInput>,
    /// UID of its ADR
    pub decision: Option<String>,
}

/// Writes `spec.md` and `state.toon` of a new draft.
pub fn create(ws: &Workspace, ctx: &Context, new: &NewSpec) -> Result<SpecCreated> {
    let title = text::title("title", &new.title)?;
    let description = text::required("description", &new.description)?;
    let content = text::optional("content", new.content.as_deref())?
        .unwrap_or_else(|| format!("# {title}\n\n{description}\n"));

    let decision = new.decision.as_deref().map(|uid| decision::require(ws, ctx, uid)).transpose()?;

    let (lock, ref ws) = ws.lock_together(ctx)?;
    let dependencies = resolve_inputs(ws, ctx, None, &new.dependencies)?;
    let now = ctx.now_rfc3339();
    let id = free_id(ws, ctx, &title)?;
    let document = spec::render_new_spec(&spec::NewSpec {
        title,
        description,
        category: new.category.unwrap_or_else(|| ws.default_category(ctx)),
        state: Lifecycle::Draft,
        dependencies,
        decision,
        created_at: now.clone(),
        updated_at: now.clone(),
        content,
    });
    let state = WorkflowState::draft(id.as_str(), &now);
    let mut transaction = Transaction::at_home(LayoutKind::Airsspec);
    transaction.put(DocKey::Spec(id.clone()), document, Expect::Absent);
    transaction.put(DocKey::State(WorkItem::Spec(id.clone())), state.render(), Expect::Absent);
    let committed = lock.finish(ctx, transaction)?;
    let path = first_path(&committed);
    let folder = path.strip_suffix(SPEC_FILE).unwrap_or(&path).to_owned();
    Ok(SpecCreated { spec_id: id.to_string(), created: true, path: folder })
}

/// The first id for this title that no spec root knows, one second later at a time (D-1).
fn free_id(ws: &Workspace, ctx: &Context, title: &str) -> Result<SpecId> {
    let mut id = ctx.spec_id(title);
    while ws.store().is_taken(&id) {
        ctx.check()?;
        id = id.bumped();
    }
    Ok(id)
}
