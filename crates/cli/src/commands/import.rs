//! `hewto import`: bring in what another tool has written.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use hewto_engine::import::{self, ImportOptions};
use hewto_engine::init::{self, AgentChoice, InitOptions};
use hewto_engine::view::{ImportProposals, ImportView};
use hewto_engine::{Layout, LayoutKind, Store};
use serde_json::json;

use crate::failure::{Outcome, Verdict};
use crate::place::{Place, absolute, unhurried};
use crate::ui::{BAD, Cell, DIM, Format, GOOD, HEADING, NAME, Table, Ui, WARN, count, one_line, paint};
use crate::{act, env, interrupt};

/// Rows of a list that are shown before the rest is counted.
const SHOWN: usize = 40;

/// Import specs, plans and decisions from another tool
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without a format it looks at what is there and proposes. Everything comes in one commit or not at all; the source stays as it is. \
Importing again changes nothing, unless the source has moved on: then what is new comes as a change. Something that cannot be \
read (a merge that is not finished, a file that ends in the middle) is named with its line and left out, and the rest comes (exit 1).

Examples:
  hewto import                          look and propose
  hewto import kiro --dry-run           every file and every sentence without a place of its own
  hewto import spec-kit ../old-project  from another folder
  hewto import adr-tools doc/adr")]
pub(crate) struct Args {
    /// Whose files to read
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(import::formats()))]
    format: Option<String>,
    /// The root of the project, or a folder or file of the tool [default: the workspace]
    path: Option<PathBuf>,
    /// Show every file that would be written, and every sentence that has no place of its own; write nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let found = place.workspace();
    let path = args.path.as_deref().map(absolute).transpose()?;
    let Some(format) = &args.format else {
        let root =
            found.as_ref().map_or_else(|_| place.start().to_owned(), |workspace| workspace.root().to_owned());
        let store = found.as_ref().ok().map(hewto_engine::Workspace::store);
        let view = import::propose(&unhurried(), &root, store)?;
        ui.answer(&view, show_proposals)?;
        return Ok(Verdict::Yes);
    };
    let options =
        ImportOptions { format: format.clone(), path: path.or_else(|| unplaced(found.is_ok(), place)) };
    if args.dry_run {
        let store = match &found {
            Ok(workspace) => workspace.store().clone(),
            Err(_) => Store::open(Layout::load(&real(place.start()))).map_err(hewto_engine::Error::from)?,
        };
        let mut view = import::preview(&store, &unhurried(), &options)?;
        if found.is_err() && !view.files.is_empty() {
            let made = init::plan(place.start(), &unhurried(), &for_import()?)?.view();
            view = view.with_workspace(&made.files);
        }
        ui.answer(&view, show)?;
        return Ok(verdict(&view));
    }
    let mut made = Vec::new();
    let workspace = match found {
        Ok(workspace) => workspace,
        // Whoever brings something wants a workspace for it; an override that leads nowhere is a mistake.
        Err(error) if place.named_by().is_some() => return Err(error.into()),
        Err(_) => {
            // What cannot be read is told before anything is made.
            let store = Store::open(Layout::load(&real(place.start()))).map_err(hewto_engine::Error::from)?;
            let seen = import::preview(&store, &unhurried(), &options)?;
            if seen.files.is_empty() {
                // Nothing comes, so nothing is made for it either.
                let view = ImportView { dry_run: false, ..seen };
                ui.answer(&view, show)?;
                return Ok(verdict(&view));
            }
            made = make(ui, place)?;
            place.workspace()?
        }
    };
    let context = unhurried();
    interrupt::calls_off(&context)?;
    let inputs =
        json!({ "format": format, "path": options.path.as_ref().map(|path| path.display().to_string()) });
    let layout = || (!context.committed().is_empty()).then(|| workspace.layout().clone());
    let view = act::noted(context.clone(), "import", inputs, layout, |context| {
        import::import(workspace.store(), context, &options)
    })?;
    let view = view.with_workspace(&made);
    ui.answer(&view, show)?;
    Ok(verdict(&view))
}

/// Without a workspace the source is looked for where the command stands.
fn unplaced(has_workspace: bool, place: &Place) -> Option<PathBuf> {
    (!has_workspace).then(|| place.start().to_owned())
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// A workspace for what comes, without touching the files of any agent.
fn for_import() -> Outcome<InitOptions> {
    let agents = AgentChoice::Named(Vec::new());
    Ok(InitOptions { agents, command: env::program()?, ..InitOptions::new(LayoutKind::Native) })
}

/// Makes the workspace; its files.
fn make(ui: &mut Ui, place: &Place) -> Outcome<Vec<String>> {
    let view = init::init(place.start(), &unhurried(), &for_import()?)?;
    if ui.format() == Format::Human {
        ui.note(format_args!("made a workspace: {} (`hewto init` connects agents)", one_line(&view.root)))?;
    }
    Ok(view.files)
}

fn verdict(view: &ImportView) -> Verdict {
    if view.complete { Verdict::Yes } else { Verdict::No }
}

fn show_proposals(view: &ImportProposals) -> String {
    if view.found.is_empty() {
        let known = import::formats().join(", ");
        return format!(
            "nothing to import was found in {}\nknown formats: {known}; `hewto import FORMAT PATH` looks elsewhere\n",
            one_line(&view.root)
        );
    }
    let mut table = Table::indented();
    for one in &view.found {
        table.row([
            Cell::styled(&one.tool, NAME),
            Cell::plain(count(one.files, "file")),
            Cell::styled(one.found_by.join(", "), DIM),
            Cell::plain(&one.why),
        ]);
    }
    let mut out = format!("found in {}\n{}", one_line(&view.root), table.render());
    let commands: Vec<&str> =
        view.found.iter().map(|one| one.command.as_str()).filter(|one| !one.is_empty()).collect();
    if let Some(first) = commands.first() {
        let _ = writeln!(out, "next: {} --dry-run", one_line(first));
        for command in &commands[1..] {
            let _ = writeln!(out, "  or: {} --dry-run", one_line(command));
        }
    }
    out
}

fn show(view: &ImportView) -> String {
    let mut out = String::new();
    let limit = if view.dry_run { usize::MAX } else { SHOWN };
    if view.dry_run && !view.files.is_empty() {
        let _ = writeln!(out, "{}", paint(HEADING, "would write"));
        let mut table = Table::indented();
        for file in &view.files {
            let from = file.from.as_deref().map(|from| format!("from {from}")).unwrap_or_default();
            table.row([
                Cell::styled(&file.action, GOOD),
                Cell::styled(&file.file, NAME),
                Cell::styled(from, DIM),
            ]);
        }
        out.push_str(&table.render());
    }
    if !view.imported.is_empty() {
        let _ = writeln!(out, "{}", paint(HEADING, "imported"));
        let mut table = Table::indented();
        for one in view.imported.iter().take(limit) {
            let state = one.state.clone().unwrap_or_default();
            table.row([
                Cell::plain(&one.kind),
                Cell::styled(&one.id, NAME),
                Cell::plain(&one.title),
                Cell::plain(contents(one.requirements, one.scenarios, one.steps)),
                Cell::styled(state, DIM),
            ]);
        }
        out.push_str(&table.render());
        more(&mut out, view.imported.len(), limit);
    }
    if !view.kept_as_prose.is_empty() {
        let _ = writeln!(out, "{}", paint(HEADING, "kept as prose"));
        for one in view.kept_as_prose.iter().take(limit) {
            let to = if one.to.is_empty() { String::new() } else { format!(" → {}", one_line(&one.to)) };
            let _ = writeln!(
                out,
                "  {}:{} {}{}",
                one_line(&one.file),
                one.line,
                one_line(&one.what),
                paint(DIM, &to)
            );
            if view.dry_run {
                for line in one.text.lines() {
                    let _ = writeln!(out, "    {}", paint(DIM, &one_line(line)));
                }
            }
        }
        more(&mut out, view.kept_as_prose.len(), limit);
    }
    if !view.left_out.is_empty() {
        let _ = writeln!(out, "{}", paint(HEADING, "left out"));
        // What somebody has to look at comes first, and all of it.
        let (faults, others): (Vec<_>, Vec<_>) = view.left_out.iter().partition(|one| one.fault);
        for one in faults.iter().chain(others.iter().take(limit)) {
            let line = one.line.map(|line| format!(":{line}")).unwrap_or_default();
            let why = paint(if one.fault { BAD } else { WARN }, &one_line(&one.why));
            let _ = writeln!(out, "  {}{line} {why}", one_line(&one.file));
            if view.dry_run {
                for line in one.text.lines() {
                    let _ = writeln!(out, "    {}", paint(DIM, &one_line(line)));
                }
            }
        }
        more(&mut out, others.len(), limit);
    }
    for note in view.notes.iter().take(limit) {
        let _ = writeln!(out, "note: {}", one_line(note));
    }
    more(&mut out, view.notes.len(), limit);
    out.push_str(&summary(view));
    out
}

fn more(out: &mut String, all: usize, limit: usize) {
    if all > limit {
        let _ = writeln!(out, "  … and {} more; `--json` has all of them", all - limit);
    }
}

fn contents(requirements: usize, scenarios: usize, steps: usize) -> String {
    let parts = [(requirements, "requirement"), (scenarios, "scenario"), (steps, "step")];
    let told = parts.iter().filter(|(number, _)| *number > 0).map(|(number, noun)| count(*number, noun));
    told.collect::<Vec<_>>().join(", ")
}

fn summary(view: &ImportView) -> String {
    let mut out = String::new();
    let written = view.files.len();
    let what = format!(
        "{} imported, {} kept as prose, {} left out",
        view.imported.len(),
        view.kept_as_prose.len(),
        view.left_out.len()
    );
    match (view.dry_run, written) {
        (_, 0) if view.unchanged == 0 => out.push_str("nothing was imported\n"),
        (_, 0) => {
            let _ = writeln!(out, "nothing is new: {}, as imported before", count(view.unchanged, "part"));
        }
        (true, _) => {
            let _ = writeln!(out, "would write {}: {what}\nnothing was written", count(written, "file"));
        }
        (false, _) => {
            let _ = writeln!(out, "wrote {}: {what}", count(written, "file"));
        }
    }
    if let Some(change) = &view.change {
        let _ = writeln!(
            out,
            "what is new since the last import is in the change `{change}`\nnext: hewto change show {change}"
        );
    } else if !view.dry_run && written > 0 {
        out.push_str("next: hewto status\n");
    }
    out
}
