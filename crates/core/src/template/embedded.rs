//! The templates and prompts that are always there.

use super::Scenario;
use crate::artifact::WorkType;

/// The template of a scenario.
pub fn embedded_template(scenario: Scenario) -> &'static str {
    match scenario {
        Scenario::Specification => include_str!("texts/spec.md"),
        Scenario::Implementation => include_str!("texts/impl.md"),
        Scenario::WorkType(WorkType::Fix) => include_str!("texts/scratch-fix.md"),
        Scenario::ScratchPad | Scenario::WorkType(_) => include_str!("texts/scratch.md"),
    }
}

/// The prompt of a scenario; there is one for each kind of scratch pad that can be made, and none for the rest.
pub fn embedded_prompt(scenario: Scenario) -> Option<&'static str> {
    Some(match scenario {
        Scenario::Specification => include_str!("texts/prompt-spec.md"),
        Scenario::Implementation => include_str!("texts/prompt-impl.md"),
        Scenario::WorkType(WorkType::Feat) => include_str!("texts/prompt-scratch-feat.md"),
        Scenario::WorkType(WorkType::Ref) => include_str!("texts/prompt-scratch-ref.md"),
        Scenario::WorkType(WorkType::Fix) => include_str!("texts/prompt-scratch-fix.md"),
        Scenario::WorkType(WorkType::Revision) => include_str!("texts/prompt-scratch-revision.md"),
        Scenario::ScratchPad | Scenario::WorkType(WorkType::Draft) => return None,
    })
}
