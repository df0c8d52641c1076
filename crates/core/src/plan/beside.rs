//! What a plan says beside the texts that are read from it: other sections, prose between the steps, how hard they are.

use super::field::{Label, status};
use super::places::Places;
use crate::document::{Document, Span};

/// Where a plan's own parts stand, so that everything else can be found round them.
#[derive(Debug)]
pub(crate) struct PlanSpans {
    /// Empty where no section is the approach.
    pub(crate) approach: Span,
    pub(crate) steps: Vec<Span>,
    /// What the fields of each step say beyond how far it is, as it was written: how hard it is, and words that are no
    /// status.
    pub(crate) beside: Vec<String>,
}

impl PlanSpans {
    pub(crate) fn of(document: &Document<'_>) -> Self {
        let places = Places::of(document);
        let beside = places.steps.iter().map(|step| {
            let said = [Label::Complexity, Label::Status].into_iter().filter_map(|label| {
                let value = document.slice(step.field(label)?.value.clone()).trim();
                let is_progress = label == Label::Status && status(value).is_some();
                (!is_progress).then(|| format!("- **{}:** {value}", label.name()))
            });
            said.collect::<Vec<_>>().join("\n")
        });
        Self {
            approach: places.approach.clone().unwrap_or(0..0),
            steps: places.steps.iter().map(|step| step.span.clone()).collect(),
            beside: beside.collect(),
        }
    }
}
