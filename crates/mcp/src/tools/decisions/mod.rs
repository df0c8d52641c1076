//! Seed 003 (Preflights): clarify before code is written, and know what was decided.

mod decision_create;
mod read_architecture;
mod require_clarification;

pub(crate) use require_clarification::RequireClarification;

use crate::table::ToolDef;

pub(crate) const TOOLS: &[ToolDef] = &[
    ToolDef::deciding::<decision_create::DecisionCreate>(),
    ToolDef::deciding::<read_architecture::ReadArchitecture>(),
    ToolDef::deciding::<RequireClarification>(),
];

#[cfg(test)]
mod tests;
