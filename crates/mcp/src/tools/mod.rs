//! The tools, one folder per toolset, one file per tool.
//!
//! A tool's file has its parameters, what is said about it, and one engine call. It decides nothing.

pub(crate) mod args;
pub(crate) mod decisions;
pub(crate) mod graph;
pub(crate) mod proof;
pub(crate) mod review;
pub(crate) mod specs;
pub(crate) mod workflow;
pub(crate) mod workstation;

use crate::table::ToolDef;

/// Every tool there is, in no particular order.
pub(crate) fn all() -> impl Iterator<Item = &'static ToolDef> {
    let sets = [
        workflow::TOOLS,
        specs::TOOLS,
        decisions::TOOLS,
        graph::TOOLS,
        workstation::TOOLS,
        proof::TOOLS,
        review::TOOLS,
    ];
    sets.into_iter().flatten()
}
