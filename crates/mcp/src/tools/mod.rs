//! The tools, one folder per toolset, one file per tool.
//!
//! A tool's file has its parameters, what is said about it, and one engine call. It decides nothing.

pub(crate) mod decisions;
pub(crate) mod graph;
pub(crate) mod specs;
pub(crate) mod workflow;

use crate::table::ToolDef;

/// Every tool there is, in no particular order.
pub(crate) fn all() -> impl Iterator<Item = &'static ToolDef> {
    workflow::TOOLS.iter().chain(specs::TOOLS).chain(decisions::TOOLS).chain(graph::TOOLS)
}
