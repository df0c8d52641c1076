//! `ci_diagnostics`: the machine.

use hewto_call::Lane;
use hewto_engine::workstation::ci;
use hewto_engine::{Context, Project, Result};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};
use crate::tools::args::Nothing;

pub(crate) struct CiDiagnostics;

impl StationTool for CiDiagnostics {
    const ABOUT: About = About {
        name: "ci_diagnostics",
        title: "Diagnostics",
        description: "Tell the system, the processors, the programs that builds can use, and which commands are allowed.",
        toolset: Toolset::Workstation,
        effect: Effect::Reads,
        repeat: Repeat::ChangesNothing,
        aliases: &["get_diagnostics"],
    };
    const LANE: Lane = Lane::StatPath;
    type Params = Nothing;
    type View = ci::DiagnosticsView;

    fn run(project: &Project, context: &Context, _: Nothing) -> Result<ci::DiagnosticsView> {
        project.perform(context, |station, _| Ok(ci::diagnostics(station)))
    }
}
