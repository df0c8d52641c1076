//! `hewto change archive`.

use std::fmt::Write;

use hewto_engine::Error;
use hewto_engine::change::{self, ArchiveOptions};
use hewto_engine::view::ArchiveView;
use serde_json::{Value, json};

use crate::act;
use crate::commands::open_points;
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{BAD, Format, GOOD, Ui, WARN, one_line, paint, visible};

/// Put a change into the specs and move it to the archive
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Everything is written in one commit or not at all. What does not fit is listed and exits with 1."
)]
pub(crate) struct Args {
    /// The change's id
    id: String,
    /// Show the diff and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Archive although tasks are open
    #[arg(long)]
    yes: bool,
}

impl Args {
    /// What `hewto archive` passes on.
    pub(crate) fn of(id: String, dry_run: bool, yes: bool) -> Self {
        Self { id, dry_run, yes }
    }
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let options =
        ArchiveOptions { dry_run: args.dry_run, allow_open_tasks: args.yes, ..ArchiveOptions::default() };
    let view = if args.dry_run {
        change::archive(&workspace, &context(), &args.id, options)
    } else {
        let inputs = json!({ "id": args.id, "yes": args.yes });
        act::in_workspace(&workspace, "change archive", inputs, |ctx| {
            change::archive(&workspace, ctx, &args.id, options)
        })
    };
    let view = view.map_err(|error| explain(ui, error))?;
    ui.answer(&view, render)?;
    Ok(Verdict::Yes)
}

/// People see every reason; `--json` has them in the error itself.
fn explain(ui: &mut Ui, error: Error) -> Error {
    let reasons = error.details.get("errors").and_then(Value::as_array).cloned().unwrap_or_default();
    if reasons.len() > 1 && ui.format() == Format::Human {
        for reason in &reasons {
            let text = |key: &str| reason.get(key).and_then(Value::as_str).map(one_line);
            let place: Vec<String> =
                ["capability", "requirement", "scenario"].into_iter().filter_map(text).collect();
            let place = if place.is_empty() { String::new() } else { format!("{}: ", place.join(" / ")) };
            // A terminal that is gone is reported when the error itself cannot be written.
            let _ = ui.note(format!("{} {place}{}", paint(BAD, "✗"), text("message").unwrap_or_default()));
            if let Some(hint) = text("hint").filter(|hint| !hint.is_empty()) {
                let _ = ui.note(format!("    hint: {hint}"));
            }
        }
    }
    error
}

fn render(view: &ArchiveView) -> String {
    let mut out = String::new();
    if let Some(diff) = &view.diff {
        out.push_str(&visible(diff));
    }
    for warning in &view.warnings {
        let _ = writeln!(out, "{} {}", paint(WARN, "note:"), one_line(warning));
    }
    for spec in &view.specs {
        let _ = writeln!(
            out,
            "{} {}  +{} ~{} -{} >{}",
            one_line(&spec.capability),
            spec.outcome,
            spec.added,
            spec.modified,
            spec.removed,
            spec.renamed
        );
    }
    match &view.path {
        Some(path) => {
            let _ = writeln!(out, "{} {}", paint(GOOD, "archived:"), one_line(path));
            if let Some(task) = &view.closed_task {
                let _ = writeln!(out, "{} {}", paint(GOOD, "task closed:"), one_line(task));
            }
        }
        None => out.push_str("nothing was written\n"),
    }
    out + &open_points::open(&view.open)
}
