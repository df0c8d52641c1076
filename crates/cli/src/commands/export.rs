//! `hewto export`: leave with everything.

use std::fmt::Write;
use std::path::PathBuf;

use hewto_engine::export::{self, FORMATS, Shape};
use hewto_engine::view::ExportView;

use crate::failure::{Outcome, Verdict};
use crate::place::{Place, absolute, unhurried};
use crate::ui::{Format, NAME, Ui, WARN, count, one_line, paint, visible};

/// Export specs, changes and decisions in a common format
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without PATH the text goes to standard output; with a file it is written there, and with a folder (or --tree) as several files. \
`html` is one page without scripts or requests, to be mailed or published. `openspec` is a tree that `hewto import openspec` \
reads back to the byte. Nothing is written over a file that says something else, unless --force is given.

Examples:
  hewto export html specs.html
  hewto export markdown > specs.md
  hewto export openspec ../leaving
  hewto export csv tables/")]
pub(crate) struct Args {
    /// Which format
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(FORMATS))]
    format: String,
    /// A file, or a folder for several [default: standard output]
    path: Option<PathBuf>,
    /// Write several files below PATH
    #[arg(long, requires = "path")]
    tree: bool,
    /// Write over files that say something else
    #[arg(long, requires = "path")]
    force: bool,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let path = args.path.as_deref().map(absolute).transpose()?;
    let is_folder = |path: &PathBuf| path.is_dir() || path.as_os_str().to_string_lossy().ends_with('/');
    let wants_tree =
        args.tree || path.as_ref().is_some_and(|path| args.format == "openspec" || is_folder(path));
    let shape = if wants_tree { Shape::Tree } else { Shape::One };
    let exported = export::export(&workspace, &unhurried(), &args.format, shape)?;
    let view = if let Some(path) = &path {
        export::write(&exported, path, shape, args.force)?
    } else {
        if ui.format() == Format::Human || args.format == "json" {
            let text = exported.files.first().map(|(_, text)| text.as_str()).unwrap_or_default();
            if ui.format() == Format::Human {
                ui.notes(&left_out(&exported.left_out))?;
            }
            ui.raw(text)?;
            return Ok(Verdict::Yes);
        }
        let files = exported.files.iter().map(|(name, _)| name.clone()).collect();
        ExportView { format: exported.format.clone(), path: None, files, left_out: exported.left_out.clone() }
    };
    ui.answer(&view, show)?;
    Ok(Verdict::Yes)
}

fn show(view: &ExportView) -> String {
    let mut out = left_out(&view.left_out);
    let place = view.path.as_deref().unwrap_or_default();
    let _ = writeln!(out, "wrote {} to {}", count(view.files.len(), "file"), paint(NAME, &one_line(place)));
    out
}

fn left_out(lines: &[String]) -> String {
    let mut out = String::new();
    for line in lines {
        let _ = writeln!(out, "{} {}", paint(WARN, "note:"), visible(&one_line(line)));
    }
    out
}
