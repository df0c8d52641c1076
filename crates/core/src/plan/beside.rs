//! What a plan says beside the texts that are read from it: other sections, prose between the steps, how hard they are.

use super::field::{Field, Label};
use super::places::Places;
use crate::document::{Document, Span};

/// Where a plan's own parts stand, so that everything else can be found round them.
#[derive(Debug)]
pub(crate) struct PlanSpans {
    /// Empty where no section is the approach.
    pub(crate) approach: Span,
    pub(crate) steps: Vec<Span>,
    /// What stands behind `Complexity:` of each step, as it was written.
    pub(crate) complexity: Vec<Option<String>>,
}

impl PlanSpans {
    pub(crate) fn of(document: &Document<'_>) -> Self {
        let places = Places::of(document);
        let value = |field: &Field| document.slice(field.value.clone()).trim().to_owned();
        let complexity = places.steps.iter().map(|step| step.field(Label::Complexity).map(value));
        Self {
            approach: places.approach.clone().unwrap_or(0..0),
            steps: places.steps.iter().map(|step| step.span.clone()).collect(),
            complexity: complexity.collect(),
        }
    }
}
