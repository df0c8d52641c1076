//! `hewto adopt`: what a repository that has only code shows, drafted as one change.

use std::fmt::Write;

use clap::builder::PossibleValuesParser;
use hewto_core::adopt::Kind;
use hewto_engine::adopt::{self, AdoptView, InventoryView, SeenProblem};
use serde_json::json;

use crate::act;
use crate::failure::{Outcome, Verdict, usage};
use crate::place::{Place, unhurried};
use crate::ui::{Cell, DIM, NAME, Table, Ui, WARN, count, one_line, paint};

/// Draft specs from existing code
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Reads Rust, TypeScript, JavaScript, Python, Go, Java and C#: HTTP routes, commands and flags, public functions, tables, environment \
variables, jobs and tests, each with file and line. What nobody has described yet becomes one change to be reviewed, with \
requirements marked as observed; living specs are not touched. Running it again brings only what is new.

Examples:
  hewto adopt --list                    what is there, as a table; needs no workspace
  hewto adopt --list --kind route       only routes
  hewto adopt                           draft the change
  hewto adopt --promote \"http-users#GET /users\"   somebody has described it: take the mark off")]
pub(crate) struct Args {
    /// Print the inventory alone, and write nothing
    #[arg(long)]
    list: bool,
    /// Only this kind: route, command, flag, function, table, variable, job, test; with --list
    #[arg(long, value_name = "KIND", requires = "list", value_parser = PossibleValuesParser::new(Kind::ALL.map(Kind::as_str)))]
    kind: Vec<String>,
    /// Take the mark off an observed requirement that is described now
    #[arg(long, value_name = "SPEC#REQUIREMENT", conflicts_with = "list")]
    promote: Vec<String>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    if args.list {
        let root =
            place.workspace().map_or_else(|_| place.start().to_owned(), |found| found.root().to_owned());
        if !root.is_dir() {
            return Err(usage(format!("no folder is there: {}", root.display()))
                .hint("name one with --workspace")
                .into());
        }
        let mut view = adopt::inventory(&root, &unhurried())?;
        if !args.kind.is_empty() {
            view.keep(|kind| args.kind.iter().any(|wanted| wanted == kind.as_str()));
        }
        ui.answer(&view, show_inventory)?;
        return Ok(Verdict::Yes);
    }
    let workspace = place.workspace()?;
    if !args.promote.is_empty() {
        let inputs = json!({ "promote": args.promote });
        let promoted = act::in_workspace(&workspace, "adopt --promote", inputs, |ctx| {
            adopt::promote(&workspace, ctx, &args.promote)
        })?;
        ui.answer(&promoted, |promoted| {
            promoted
                .iter()
                .map(|one| format!("{}#{} is described\n", one.capability, one.requirement))
                .collect()
        })?;
        return Ok(Verdict::Yes);
    }
    let layout = || Some(workspace.layout().clone());
    let view = act::noted(unhurried(), "adopt", json!({}), layout, |ctx| adopt::adopt(&workspace, ctx))?;
    ui.answer(&view, show)?;
    Ok(Verdict::Yes)
}

fn show_inventory(view: &InventoryView) -> String {
    let mut out = String::new();
    if !view.items.is_empty() {
        let mut table = Table::with_header(["KIND", "NAME", "PLACE", "BY", "TESTS"]);
        for item in &view.items {
            let tests = if item.tests.is_empty() { String::new() } else { item.tests.len().to_string() };
            table.row([
                Cell::styled(item.kind.as_str(), DIM),
                Cell::styled(one_line(&item.name), NAME),
                Cell::plain(format!("{}:{}", item.file, item.line)),
                Cell::plain(&item.by),
                Cell::plain(tests),
            ]);
        }
        out.push_str(&table.render());
    }
    let counts: Vec<String> = view.counts.iter().map(|(kind, number)| count(*number, kind)).collect();
    let counts = if counts.is_empty() { "nothing seen".to_owned() } else { counts.join(", ") };
    let _ = writeln!(out, "{} read: {counts}", count(view.files, "file"));
    problems(&mut out, &view.problems);
    out
}

fn show(view: &AdoptView) -> String {
    let mut out = String::new();
    let seen: Vec<String> = view.seen.iter().map(|(kind, number)| count(*number, kind)).collect();
    let _ = writeln!(out, "seen: {}", if seen.is_empty() { "nothing".to_owned() } else { seen.join(", ") });
    match &view.change {
        None => out.push_str("nothing that is not described already\n"),
        Some(change) => {
            let _ =
                writeln!(out, "new: {}, drafted as the change {}", view.new, paint(NAME, &change.change_id));
            for file in &change.files {
                let _ = writeln!(out, "  {file}");
            }
            let _ = writeln!(
                out,
                "next: hewto change show {0}, then describe it requirement by requirement",
                change.change_id
            );
        }
    }
    problems(&mut out, &view.problems);
    out
}

fn problems(out: &mut String, problems: &[SeenProblem]) {
    for SeenProblem { file, line, message } in problems {
        let _ = writeln!(out, "{} {}:{line}: {message}", paint(WARN, "note:"), one_line(file));
    }
}
