//! Proof: running the declared checks, and which promises they show to hold.

mod adopt;
mod proof_links;
mod proof_run;
mod proof_status;

pub(crate) use proof_run::ProofRun;

use crate::table::ToolDef;

pub(crate) const TOOLS: &[ToolDef] = &[
    ToolDef::of::<adopt::Adopt>(),
    ToolDef::of::<proof_links::ProofLinks>(),
    ToolDef::of::<ProofRun>(),
    ToolDef::of::<proof_status::ProofStatus>(),
];
