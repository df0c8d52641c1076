//! `spec_update`: edits a spec without disturbing what was not named.

use hewto_core::document::Document;
use hewto_core::spec::{Category, SpecEdit, body, edit_spec};
use hewto_store::{Context, Transaction};
use schemars::JsonSchema;
use serde::Deserialize;

use super::dependencies::{DependencyInput, refuse_cycle, resolve_inputs};
use super::living;
use super::schema::categories;
use crate::claim;
use crate::error::{Error, Result};
use crate::item::{Item, SpecText, refuse_archived};
use crate::text;
use crate::view::SpecUpdated;
use crate::workspace::Workspace;

/// How many lines that are gone are told, and how much of each.
const MOST_DROPPED: usize = 20;
const MOST_DROPPED_CHARS: usize = 160;

/// What is to change; everything absent stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct SpecChanges {
    pub title: Option<String>,
    pub description: Option<String>,
    pub content: Option<String>,
    #[serde(default)]
    #[schemars(schema_with = "categories")]
    pub category: Option<Category>,
    /// Replaces all
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

    let (lock, ref ws) = claim::lock(ws, ctx, id, None, Workspace::lock_together)?;
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
    let new = edit_spec(&spec.document.text, &edit)
        .map_err(|error| Error::cannot_edit(spec.document.path.as_str(), error))?;
    // A plan gives a living spec a state, and no front matter: what it promises is promised all the same.
    if !item.has_state() || Document::parse(&spec.document.text).front_matter().is_none() {
        living::keep_promises(&spec, &new)?;
    }
    let mut transaction = Transaction::new();
    spec.put_edited(&mut transaction, &edit)?;
    lock.finish(ctx, transaction)?;
    Ok(SpecUpdated {
        spec_id: spec.id.to_string(),
        updated: true,
        updated_at: now,
        dropped: dropped(&spec, &new, edit.description.as_deref()),
    })
}

/// Lines that somebody wrote and that are gone, each once.
fn dropped(spec: &SpecText, new: &str, description: Option<&str>) -> Vec<String> {
    let (before, after) = (body(&spec.document.text), body(new));
    let diff = similar::TextDiff::from_lines(before, after);
    let gone = diff.iter_all_changes().filter(|change| change.tag() == similar::ChangeTag::Delete);
    let mut lines: Vec<String> = gone
        .map(|change| change.value().trim().to_owned())
        .filter(|line| !line.is_empty() && !after.contains(line.as_str()))
        .collect();
    let old = spec.head.description.as_deref().map(str::trim).filter(|old| !old.is_empty());
    if let (Some(old), Some(new)) = (old, description)
        && old != new
    {
        lines.insert(0, old.to_owned());
    }
    let rest = lines.len().saturating_sub(MOST_DROPPED);
    lines.truncate(MOST_DROPPED);
    for line in &mut lines {
        if let Some((at, _)) = line.char_indices().nth(MOST_DROPPED_CHARS) {
            line.replace_range(at.., "…");
        }
    }
    lines.extend((rest > 0).then(|| format!("and {rest} more lines")));
    lines
}
