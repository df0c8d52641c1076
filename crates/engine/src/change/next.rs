//! What is to be done next with a change, as the exact call.

use std::collections::BTreeMap;

use hewto_core::delta::NewDelta;

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
pub(super) fn after_writing(id: &str, validation: &VerdictView, lane: Lane, tasks: usize) -> String {
    if !validation.valid {
        return format!("correct it with change_update {{\"change_id\": \"{id}\"}}");
    }
    match lane {
        Lane::Quick | Lane::QuickWithoutRequirement => format!(
            "quick lane: do it, plan_step_complete {{\"spec_id\": \"change:{id}\", \"step\": \"1\"}}, then \
             change_archive {{\"change_id\": \"{id}\"}}"
        ),
        Lane::Full if tasks == 0 => format!("plan_create {{\"spec_id\": \"change:{id}\"}}"),
        Lane::Full => format!(
            "let a person look at it, then build_start {{\"spec_id\": \"change:{id}\", \"plan_approved\": true}}"
        ),
    }
}
