//! Proof: running the declared checks, and which promises they show to hold.

mod proof_links;
mod proof_run;
mod proof_status;

use crate::table::ToolDef;

pub(crate) const TOOLS: &[ToolDef] = &[
    ToolDef::of::<proof_links::ProofLinks>(),
    ToolDef::of::<proof_run::ProofRun>(),
    ToolDef::of::<proof_status::ProofStatus>(),
];
