//! `proof_status`: which promises hold.

use hewto_engine::proof::{StatusQuery, status};
use hewto_engine::view::MatrixView;
use hewto_engine::{Context, Result, Workspace};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct ProofStatus;

impl Tool for ProofStatus {
    const ABOUT: About = About {
        name: "proof_status",
        title: "Which promises hold",
        description: "Each scenario with its code, its test, the last result and its state (uncovered, failed, stale, verified, …), what is red first, and the `tag` line that links a test.",
        toolset: Toolset::Proof,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = StatusQuery;
    type View = MatrixView;

    fn run(workspace: &Workspace, context: &Context, query: StatusQuery) -> Result<MatrixView> {
        status(workspace, context, &query)
    }
}
