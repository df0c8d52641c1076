//! `spec_check_dependencies`: what one spec waits for.

use hewto_engine::view::DependenciesView;
use hewto_engine::{Context, Result, Workspace, spec};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};
use crate::tools::args::OfSpec;

pub(crate) struct SpecCheckDependencies;

impl Tool for SpecCheckDependencies {
    const ABOUT: About = About {
        name: "spec_check_dependencies",
        title: "Check dependencies",
        description: "Whether a spec's dependencies are satisfied, and which hard ones block its build.",
        toolset: Toolset::Workflow,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    type Params = OfSpec;
    type View = DependenciesView;

    fn run(workspace: &Workspace, context: &Context, params: OfSpec) -> Result<DependenciesView> {
        spec::check_dependencies(workspace, context, &params.spec_id)
    }
}
