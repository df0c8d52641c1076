//! `hewto man`: the manual, from the same definitions as the help pages.

use std::path::{Path, PathBuf};

use hewto_engine::Result;
use serde::Serialize;

use crate::args;
use crate::failure::{Outcome, Verdict, machine};
use crate::place::absolute;
use crate::ui::Ui;

/// Print the manual page, or write one for every command into a folder
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hewto man | man -l -              read it now
  hewto man ~/.local/share/man/man1  install it: `man hewto`, `man hewto-spec-new` …")]
pub(crate) struct Args {
    /// The folder for the pages of all commands
    dir: Option<PathBuf>,
}

#[derive(Debug, Serialize)]
struct ManView {
    /// The page of `hewto`, when no folder was named
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
    /// The pages that were written
    files: Vec<String>,
}

pub(crate) fn run(ui: &mut Ui, args: &Args) -> Outcome {
    let view = match &args.dir {
        None => ManView { page: Some(page(&args::plain_command())?), files: Vec::new() },
        Some(dir) => ManView { page: None, files: write_all(&absolute(dir)?)? },
    };
    ui.answer_verbatim(&view, |view| match &view.page {
        Some(page) => page.clone(),
        None => view.files.join("\n"),
    })?;
    Ok(Verdict::Yes)
}

fn write_all(dir: &Path) -> Result<Vec<String>> {
    fs_err::create_dir_all(dir).map_err(|error| machine("cannot make the folder", error))?;
    let mut files = Vec::new();
    let mut command = args::plain_command();
    // Only then do the commands inside know their full names.
    command.build();
    let mut waiting = vec![&command];
    while let Some(command) = waiting.pop() {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name());
        let file = dir.join(format!("{name}.1"));
        fs_err::write(&file, page(command)?).map_err(|error| machine("cannot write a page", error))?;
        files.push(file.display().to_string());
        waiting.extend(command.get_subcommands().filter(|inside| !inside.is_hide_set()));
    }
    files.sort();
    Ok(files)
}

fn page(command: &clap::Command) -> Result<String> {
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(command.clone()).render(&mut page);
    rendered.map_err(|error| machine("cannot make the page", error))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
