//! Bringing in what other tools have written: one commit, all of it or nothing, with a report.
//!
//! `source` finds and reads the files, a reader of core makes parts of them, `planner` decides which files they become,
//! `again` makes a change of what came since the last import. What was brought stands in `.hewto/imports/`.

mod again;
mod decisions;
mod items;
mod naming;
mod planner;
mod source;
mod telling;

use std::path::{Path, PathBuf};

use hewto_core::import::Format;
use hewto_store::{Context, LayoutKind, Store, Transaction};

use self::planner::Planner;
use self::source::Source;
use crate::error::{Error, Result};
use crate::view::{ImportProposal, ImportProposals, ImportView, LeftOutView};

/// What to import.
#[derive(Debug, Clone)]
pub struct ImportOptions {
    pub format: String,
    /// The root of the source or something inside; the workspace itself where nobody says.
    pub path: Option<PathBuf>,
}

/// The names of the formats.
pub fn formats() -> Vec<&'static str> {
    Format::ALL.iter().map(|format| format.as_str()).collect()
}

/// What stands at a root that could be imported.
pub fn propose(ctx: &Context, root: &Path, store: Option<&Store>) -> Result<ImportProposals> {
    let mut found = Vec::new();
    for (format, traces, files) in source::look(ctx, root)? {
        let is_in_place = store.is_some_and(|store| is_in_place(store, format, root));
        let (command, why) = if is_in_place {
            (String::new(), "hewto works on these files where they are".to_owned())
        } else if format.is_loose() && traces.len() == 1 {
            (format!("hewto import {format} {}", traces[0]), what(format).to_owned())
        } else {
            (format!("hewto import {format}"), what(format).to_owned())
        };
        let (format, tool) = (format.as_str().to_owned(), format.tool().to_owned());
        found.push(ImportProposal { format, tool, found_by: traces, files, command, why });
    }
    Ok(ImportProposals { root: root.display().to_string(), found })
}

/// Whether hewto works on these files where they are.
fn is_in_place(store: &Store, format: Format, root: &Path) -> bool {
    format == Format::Openspec && store.root() == root && store.has(LayoutKind::Openspec)
}

fn what(format: Format) -> &'static str {
    match format {
        Format::Openspec => "specs and changes, to the byte",
        Format::SpecKit | Format::Kiro => "specs with requirements and scenarios, plans, standards",
        Format::Backlog | Format::TaskMaster => "work items with plans, states and dependencies",
        Format::SpecWorkflow => "specs, plans, approvals and logs as records",
        Format::AdrTools | Format::Madr => "decisions, their numbers as aliases",
        Format::Ears => "a spec a file, a requirement a sentence",
    }
}

/// What an import would do. Writes nothing.
pub fn preview(store: &Store, ctx: &Context, options: &ImportOptions) -> Result<ImportView> {
    let planner = plan(store, ctx, options)?;
    Ok(ImportView { dry_run: true, ..planner.into_view() })
}

/// Imports: everything in one commit.
pub fn import(store: &Store, ctx: &Context, options: &ImportOptions) -> Result<ImportView> {
    let lock = store.lock(ctx)?;
    let mut planner = plan(&lock, ctx, options)?;
    let mut transaction = Transaction::at_home(LayoutKind::Native);
    planner.write_to(&mut transaction);
    lock.commit(ctx, transaction)?;
    Ok(planner.into_view())
}

fn plan<'s>(store: &'s Store, ctx: &'s Context, options: &ImportOptions) -> Result<Planner<'s>> {
    let format: Format = options.format.parse().map_err(|_| {
        Error::invalid_argument("format", "a format", format!("`{}` is not a format", options.format))
            .hint(format!("use one of {}", formats().join(", ")))
    })?;
    let root = store.root();
    let path = options.path.clone().unwrap_or_else(|| root.to_owned());
    let mut source = Source::read(ctx, format, &path, root)?;
    let mut planner = Planner::new(store, ctx, format, &source.root)?;
    planner.view.left_out.extend(source.left_out);
    planner.view.notes.extend(source.notes);
    if is_in_place(store, format, &source.root) {
        planner.view.left_out.push(LeftOutView {
            file: "openspec".to_owned(),
            why: "hewto works on these files where they are; there is nothing to import".to_owned(),
            ..LeftOutView::default()
        });
        return Ok(planner);
    }
    if source.is_found {
        planner.leave_to_rivals(&mut source.files)?;
    }
    let bundle = format.read(&source.files);
    planner.bundle(bundle, source.is_whole)?;
    Ok(planner)
}
