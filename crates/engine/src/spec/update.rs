//! `spec_update`: edits a spec without disturbing what was not named.

use hewto_core::spec::{Category, SpecEdit};
use hewto_store::{Context, Transaction};

use super::dependencies::{DependencyInput, refuse_cycle, resolve_inputs};
use crate::error::{Error, Result};
use crate::item::{Item, refuse_archived};
use crate::text;
use crate::view::SpecUpdated;
use crate::workspace::Workspace;

/// What is to change; everything absent stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpecChanges {
    pub title: Option<String>,
    pub description: Option<String>,
    pub content: Option<String>,
    pub category: Option<Category>,
    /// Replaces all dependencies.
    pub dependencies: Option<Vec<DependencyInput>>,
}

/// Changes the named parts of a spec.
pub fn update(ws: &Workspace, ctx: &Context, id: &str, changes: &SpecChanges) -> Result<SpecUpdated> {
    if *changes == SpecChanges::default() {
        return Err(Error::nothing_to_update("title, description, content, category or dependencies"));
    }
    let title = changes.title.as_deref().map(|title| text::title("title", title)).transpose()?;
    let description =
        changes.description.as_deref().map(|text| text::required("description", text)).transpose()?;
    let content = changes.content.as_deref().map(|content| text::free("content", content)).transpose()?;

    let lock = ws.store().lock(ctx)?;
    let (item, spec) = Item::load_spec(ws, ctx, id)?;
    refuse_archived(id, &item.state()?)?;
    let dependencies = changes
        .dependencies
        .as_deref()
        .map(|inputs| {
            let resolved = resolve_inputs(ws, ctx, Some(&spec.id), inputs)?;
            refuse_cycle(ws, ctx, &spec.id, &resolved)?;
            Ok::<_, Error>(resolved)
        })
        .transpose()?;
    let now = ctx.now_rfc3339();
    let edit = SpecEdit {
        title,
        description,
        category: changes.category,
        content,
        dependencies,
        state: None,
        updated_at: Some(now.clone()),
    };
    let mut transaction = Transaction::new();
    spec.put_edited(&mut transaction, &edit)?;
    lock.commit(ctx, transaction)?;
    Ok(SpecUpdated { spec_id: spec.id.to_string(), updated: true, updated_at: now })
}
