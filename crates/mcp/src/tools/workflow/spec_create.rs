//! `spec_create`: writes down something new that is wanted.

use hewto_engine::spec::{self, NewSpec};
use hewto_engine::view::SpecCreated;
use hewto_engine::{Context, Result, Workspace};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct SpecCreate;

impl Tool for SpecCreate {
    const ABOUT: About = About {
        name: "spec_create",
        title: "Create a spec",
        description: "Create a draft spec and get its id. To change requirements of living specs use change_create.",
        toolset: Toolset::Workflow,
        effect: Effect::Adds,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    type Params = NewSpec;
    type View = SpecCreated;

    fn run(workspace: &Workspace, context: &Context, new: NewSpec) -> Result<SpecCreated> {
        spec::create(workspace, context, &new)
    }
}
