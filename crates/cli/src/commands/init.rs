//! `hewto init`: make a folder a workspace.
//!
//! Asks for name and description only when a person sits at the terminal; later, wiring up the agents in use
//! belongs here too.

use std::path::{Path, PathBuf};

use hewto_engine::init::{self, InitOptions, InitView};
use hewto_engine::{LayoutKind, Start, Workspace};

use crate::failure::{Outcome, Verdict};
use crate::place::{Place, absolute, context};
use crate::ui::{Cell, NAME, Ui, facts};

/// Make a folder a workspace
#[derive(Debug, clap::Args)]
#[command(after_help = "In a workspace it says so and changes nothing.")]
pub(crate) struct Args {
    /// The folder [default: --workspace, else the current folder]
    path: Option<PathBuf>,
    /// Whose files to lay out: hewto's own, or those of another tool
    #[arg(long, value_enum, default_value_t = Layout::Native)]
    layout: Layout,
    /// The project's name [default: the folder's name]
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// What the project is about
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Ask nothing
    #[arg(long, short)]
    yes: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Layout {
    Native,
    Airsspec,
    Spox,
    Specman,
    Openspec,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    let start = match &args.path {
        Some(path) => absolute(path)?,
        None => place.start().to_owned(),
    };
    let mut options =
        InitOptions { layout: args.layout.into(), name: args.name, description: args.description };
    // A folder that is a workspace already needs no answers.
    if !args.yes && ui.can_ask() && Workspace::discover(Start::Here(&start)).is_err() {
        ask(ui, &start, &mut options)?;
    }
    let view = init::init(&start, &context(), &options)?;
    ui.answer(&view, render)?;
    Ok(Verdict::Yes)
}

/// Asks for what was not given.
fn ask(ui: &mut Ui, start: &Path, options: &mut InitOptions) -> Outcome<()> {
    let folder = start.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if options.name.is_none() {
        options.name = Some(ui.ask("Project name", &folder)?).filter(|name| !name.is_empty());
    }
    if options.description.is_none() {
        options.description = Some(ui.ask("Description (optional)", "")?).filter(|text| !text.is_empty());
    }
    Ok(())
}

fn render(view: &InitView) -> String {
    if !view.created {
        return format!("already a workspace ({}): {}\nnothing was changed", view.layout, view.root);
    }
    facts([
        ("workspace", Cell::styled(&view.root, NAME)),
        ("layout", Cell::plain(&view.layout)),
        ("wrote", Cell::plain(view.files.join(", "))),
        ("next", Cell::plain("hewto spec new \"What is wanted\" --description \"…\"")),
        ("agents", Cell::plain("hewto serve (the MCP server's command)")),
    ])
}

impl From<Layout> for LayoutKind {
    fn from(layout: Layout) -> Self {
        match layout {
            Layout::Native => Self::Native,
            Layout::Airsspec => Self::Airsspec,
            Layout::Spox => Self::Spox,
            Layout::Specman => Self::Specman,
            Layout::Openspec => Self::Openspec,
        }
    }
}
