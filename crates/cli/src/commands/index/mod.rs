//! `hewto index`: the search index, which is a cache and may be thrown away.

mod build;
mod clear;
mod status;

use hewto_engine::view::IndexView;

use crate::failure::Outcome;
use crate::place::Place;
use crate::ui::{Cell, NAME, Ui, facts};

/// Build, inspect or delete the search index: build, status, clear
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Build(build::Args),
    Status(status::Args),
    /// Delete the search index, and the vectors that all work trees of the repository share
    Clear,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, command: Command) -> Outcome {
    match command {
        Command::Build(args) => build::run(ui, place, &args),
        Command::Status(args) => status::run(ui, place, &args),
        Command::Clear => clear::run(ui, place),
    }
}

fn render(view: &IndexView) -> String {
    if !view.exists {
        return "there is no search index\nmake one: hewto index build".to_owned();
    }
    let model = match &view.model_failure {
        Some(failure) => format!("{} ({failure})", view.model),
        None => view.model.clone(),
    };
    facts([
        ("index", Cell::styled(&view.folder, NAME)),
        ("documents", Cell::plain(view.documents.to_string())),
        ("entries", Cell::plain(view.entries.to_string())),
        ("embedded", Cell::plain(format!("{} of {} passages", view.embedded, view.passages))),
        ("model", Cell::plain(model)),
        ("size", Cell::plain(format!("{} KiB", view.bytes.div_ceil(1024)))),
    ])
}
