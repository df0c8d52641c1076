//! People decide, agents take turns: waiting for a verdict, comments, claims.

mod approval_wait;
mod claim_keep;
mod claim_next;
mod review_comment;

pub(crate) use approval_wait::ApprovalWait;

use crate::table::ToolDef;

pub(crate) const TOOLS: &[ToolDef] = &[
    ToolDef::of::<ApprovalWait>(),
    ToolDef::of::<claim_keep::ClaimKeep>(),
    ToolDef::of::<claim_next::ClaimNext>(),
    ToolDef::of::<review_comment::ReviewComment>(),
];
