//! `spec_update`: edits a spec and leaves what was not named.

use hewto_engine::spec::{self, SpecChanges};
use hewto_engine::view::SpecUpdated;
use hewto_engine::{Context, Result, Workspace};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};
use crate::tools::args::OfSpec;

pub(crate) struct SpecUpdate;

impl Tool for SpecUpdate {
    const ABOUT: About = About {
        name: "spec_update",
        title: "Update a spec",
        description: "Change the named parts of a spec; the rest stays.",
        toolset: Toolset::Workflow,
        effect: Effect::Overwrites,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = OfSpec<SpecChanges>;
    type View = SpecUpdated;

    fn run(workspace: &Workspace, context: &Context, params: OfSpec<SpecChanges>) -> Result<SpecUpdated> {
        spec::update(workspace, context, &params.spec_id, &params.request)
    }
}
