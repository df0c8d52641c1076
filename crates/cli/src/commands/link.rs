//! `hewto link`: every tag, what it stands at, and what is wrong with it.

use std::fmt::Write as _;

use hewto_engine::proof::{self, FixMode, LinkQuery};
use hewto_engine::view::{LinkFixView, LinksView, ProblemSeverity};
use serde_json::json;

use crate::act;
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{BAD, Cell, DIM, GOOD, NAME, Table, Ui, WARN, count, one_line, paint};

/// List the links from code and tests to promises, and what is wrong with them
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  hewto link                      every link
  hewto link accounts             those of a capability, a requirement or a scenario
  hewto link --path src           those in a file or folder
  hewto link --problems           only what is wrong (exit 1 when there are errors)
  hewto link fix --dry-run        old names that would be rewritten"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// A capability, or a reference
    #[arg(value_name = "CAPABILITY|REF")]
    reference: Option<String>,
    /// Only in this file or folder
    #[arg(long)]
    path: Option<String>,
    /// Only what is wrong
    #[arg(long)]
    problems: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Rewrite tags that carry old names of renamed promises
    Fix(Fix),
}

#[derive(Debug, clap::Args)]
struct Fix {
    /// Show what would be written and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Write; without it the command shows what it would do
    #[arg(long, visible_alias = "yes", conflicts_with = "dry_run")]
    write: bool,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    let workspace = place.workspace()?;
    if let Some(Command::Fix(fix)) = args.command {
        let view = if fix.write {
            act::in_workspace(&workspace, "link fix", json!({}), |ctx| {
                proof::fix(&workspace, ctx, FixMode::Write)
            })?
        } else {
            proof::fix(&workspace, &context(), FixMode::DryRun)?
        };
        ui.answer(&view, fixed)?;
        return Ok(if view.left.is_empty() { Verdict::Yes } else { Verdict::No });
    }
    let query = LinkQuery { reference: args.reference, path: args.path, problems: args.problems, page: None };
    let view = proof::links(&workspace, &context(), &query)?;
    ui.answer(&view, render)?;
    let wrong = view.problems.iter().any(|problem| problem.severity == ProblemSeverity::Error);
    Ok(if wrong { Verdict::No } else { Verdict::Yes })
}

fn render(view: &LinksView) -> String {
    let mut out = String::new();
    if !view.links.is_empty() {
        let mut table = Table::with_header(["REF", "KIND", "PLACE", "NAME"]);
        for link in &view.links {
            let place = &link.place;
            table.row([
                Cell::styled(link.reference.to_string(), NAME),
                Cell::plain(link.kind.as_str()),
                Cell::plain(format!("{}:{}-{}", place.path, place.line, place.end)),
                Cell::plain(place.name.as_deref().unwrap_or("–")),
            ]);
        }
        out.push_str(&table.render());
    }
    for problem in &view.problems {
        let style = match problem.severity {
            ProblemSeverity::Error => BAD,
            ProblemSeverity::Warning => WARN,
            ProblemSeverity::Info => DIM,
        };
        let _ = writeln!(
            out,
            "{} {}:{}: {}",
            paint(style, &problem.error),
            one_line(&problem.path),
            problem.line,
            one_line(&problem.message)
        );
        let _ = writeln!(out, "  hint: {}", one_line(&problem.hint));
    }
    let (files, problems) = (count(view.files, "file"), count(view.problems.len(), "problem"));
    // Whoever asks for what is wrong is not told of links.
    let _ = if view.links.is_empty() && !view.problems.is_empty() {
        writeln!(out, "{problems} in {files}")
    } else {
        writeln!(out, "{} in {files}, {problems}", count(view.links.len(), "link"))
    };
    out
}

fn fixed(view: &LinkFixView) -> String {
    let mut out = String::new();
    for fix in &view.fixed {
        let _ = writeln!(
            out,
            "{}:{}: {} → {}",
            one_line(&fix.path),
            fix.line,
            fix.from,
            paint(GOOD, &fix.to.to_string())
        );
    }
    for problem in &view.left {
        let _ = writeln!(out, "{}:{}: {}", one_line(&problem.path), problem.line, one_line(&problem.message));
        let _ = writeln!(out, "  hint: {}", one_line(&problem.hint));
    }
    let _ = match (view.fixed.len(), view.dry_run) {
        (0, _) => writeln!(out, "no tag carries an old name"),
        (n, true) => writeln!(out, "{} would be rewritten: run `hewto link fix --write`", count(n, "name")),
        (n, false) => writeln!(out, "{} rewritten", count(n, "name")),
    };
    out
}
