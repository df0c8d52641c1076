//! What is to be done next with a change, as the exact call.

use std::collections::BTreeMap;

use hewto_core::delta::{DeltaDoc, NewDelta};
use hewto_core::document::Document;
use hewto_store::Context;

use super::folder::{ChangeFolder, DeltaFile};
use crate::error::Action;
use crate::view::VerdictView;

/// How much a change asks of whoever builds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    /// One requirement and one task: no plan, one check, archive.
    Quick,
    /// One task and no requirement at all.
    QuickWithoutRequirement,
    Full,
}

impl Lane {
    pub(super) fn of(tasks: &[String], deltas: &BTreeMap<String, NewDelta>) -> Self {
        let touched: usize = deltas.values().map(touches).sum();
        match (tasks.len(), touched) {
            (1, 0) => Self::QuickWithoutRequirement,
            (1, 1) => Self::Quick,
            _ => Self::Full,
        }
    }
}

/// Whether a change that stands is small enough for the quick lane: one task, and at most one requirement.
pub(crate) fn is_quick(folder: &ChangeFolder) -> bool {
    let touched = |delta: &DeltaFile| {
        let document = Document::parse(&delta.document.text);
        let delta = DeltaDoc::read(&document);
        delta.added.len() + delta.modified.len() + delta.removed.len() + delta.renamed.len()
    };
    folder.task_progress().total == 1 && folder.deltas.iter().map(touched).sum::<usize>() <= 1
}

/// How many requirements a delta speaks of.
fn touches(delta: &NewDelta) -> usize {
    // Markdown may hold any number.
    let raw = if delta.raw.is_some() { 2 } else { 0 };
    raw + delta.added.len()
        + delta.modified.len()
        + delta.removed.len()
        + delta.renamed.len()
        + delta.add_scenarios.len()
}

/// What to do with a change that was just written.
pub(super) fn after_writing(
    ctx: &Context,
    id: &str,
    validation: &VerdictView,
    lane: Lane,
    tasks: usize,
) -> String {
    let of_change = format!("{{\"change_id\": \"{id}\"}}");
    let item = format!("change:{id}");
    if !validation.valid {
        let update = Action::UpdateChange { change: id.to_owned() };
        return format!("correct it: {}", ctx.call(&update, &of_change));
    }
    match lane {
        Lane::Quick | Lane::QuickWithoutRequirement => {
            let step = Action::CompleteStep { item: item.clone() };
            let archive = Action::ArchiveChange { change: id.to_owned() };
            format!(
                "quick lane: do it, {}, then {}",
                ctx.call(&step, &format!("{{\"spec_id\": \"{item}\", \"step\": \"1\"}}")),
                ctx.call(&archive, &of_change)
            )
        }
        Lane::Full if tasks == 0 => {
            let arguments = format!("{{\"spec_id\": \"{item}\"}}");
            ctx.call(&Action::CreatePlan { item }, &arguments)
        }
        Lane::Full => {
            let arguments = format!("{{\"spec_id\": \"{item}\", \"plan_approved\": true}}");
            format!("let a person look at it, then {}", ctx.call(&Action::StartBuild { item }, &arguments))
        }
    }
}
