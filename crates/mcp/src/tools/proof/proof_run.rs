//! `proof_run`: runs the declared checks, or waits on for those that run.

use std::time::Duration;

use hewto_call::Lane;
use hewto_engine::proof::run::{self, RunRequest};
use hewto_engine::view::ProofRunView;
use hewto_engine::{Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

/// A call that waits longer would run into the limits of clients.
const LONGEST_WAIT_S: u64 = 25;

pub(crate) struct ProofRun;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    /// One check; all unless given
    check: Option<String>,
    /// Promises to tell the state of
    refs: Option<Vec<String>>,
    /// A run to wait on for
    run: Option<String>,
    #[schemars(range(min = 0, max = 25))]
    wait_s: Option<u64>,
    /// End that run
    cancel: Option<bool>,
}

impl Tool for ProofRun {
    const ABOUT: About = About {
        name: "proof_run",
        title: "Run the checks",
        description: "Run the declared tests and record what they prove. Waits up to 25 s, then answers `running` with a `run` to call again with. Equal trees share one run. Only this writes evidence.",
        toolset: Toolset::Proof,
        effect: Effect::Adds,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const LANE: Lane = Lane::Run;
    type Params = Params;
    type View = ProofRunView;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<ProofRunView> {
        let wait = Some(Duration::from_secs(params.wait_s.unwrap_or(LONGEST_WAIT_S).min(LONGEST_WAIT_S)));
        match (&params.run, params.cancel) {
            (Some(run), Some(true)) => run::cancel(workspace, context, run),
            (Some(run), _) => run::resume(workspace, context, run, wait),
            (None, _) => {
                let request = RunRequest {
                    checks: params.check.into_iter().collect(),
                    refs: params.refs.unwrap_or_default(),
                    wait,
                    ..RunRequest::default()
                };
                run::run(workspace, context, &request)
            }
        }
    }
}
