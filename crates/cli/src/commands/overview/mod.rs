//! `hewto` alone: where the workspace stands and what is ready next, or how to begin.

mod watch;

use std::fmt::Write;
use std::path::Path;

use hewto_engine::neighbours::{self, AllView};
use hewto_engine::view::{OverviewView, SpecCounts};
use hewto_engine::{Key, hub, overview};
use serde::Serialize;

use crate::actions::{here, typed};
use crate::commands::hub::show;
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{self, BAD, Cell, DIM, GOOD, HEADING, NAME, Table, Ui, WARN, count, one_line, paint};

/// How many lines of each kind are shown; `--json` has them all.
const SHOWN: usize = 7;

/// What `--json` says where there is no workspace.
#[derive(Debug, Serialize)]
struct NowhereView {
    root: Option<String>,
    hint: String,
}

/// Show where everything stands and what is next
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Draw it again whenever something changes, until Ctrl-C
    #[arg(long)]
    watch: bool,
    /// Every workspace at or below the folder, nested ones too
    #[arg(long, conflicts_with = "watch")]
    all: bool,
    /// Show what the hub knows: every repository that is open to you, overlaps, and who works on what
    #[arg(long, conflicts_with_all = ["watch", "all"])]
    hub: bool,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    if args.hub {
        ui.answer(&hub::status(&place.workspace()?, &context())?, show::status)?;
        return Ok(Verdict::Yes);
    }
    if args.all {
        let view = neighbours::status_of_all(place.start(), &context())?;
        ui.answer(&view, render_all)?;
        return Ok(Verdict::Yes);
    }
    match place.workspace() {
        Ok(workspace) if args.watch => return watch::run(ui, &workspace),
        Ok(workspace) => {
            ui.answer(&overview::status(&workspace, &context())?, render)?;
        }
        // Somebody who is nowhere in particular is shown the way in; a wrong override stays an error.
        Err(error) if error.key == Key::WorkspaceNotFound && place.named_by().is_none() => {
            let view = NowhereView { root: None, hint: crate::actions::hint(&error).unwrap_or_default() };
            ui.answer(&view, |_| beginning(place.start()))?;
        }
        Err(error) => return Err(error.into()),
    }
    Ok(Verdict::Yes)
}

/// One line for each workspace.
fn render_all(view: &AllView) -> String {
    if view.workspaces.is_empty() {
        return format!("no workspace at or below: {}", one_line(&view.folder));
    }
    let mut table =
        Table::with_header(["WORKSPACE", "BRANCH", "SPECS", "CHANGES", "PROBLEMS", "NEXT", "ROOT"]);
    for one in &view.workspaces {
        let branch = one.place.branch.as_deref().unwrap_or("-");
        let root = one.place.root.display().to_string();
        let cells = if let Some(status) = &one.status {
            [
                Cell::plain(status.specs.total.to_string()),
                Cell::plain(status.changes.len().to_string()),
                Cell::plain(match (status.health.errors, status.health.warnings) {
                    (0, 0) => "none".to_owned(),
                    (errors, warnings) => {
                        format!("{}, {}", count(errors, "error"), count(warnings, "warning"))
                    }
                }),
                Cell::plain(status.ready.first().map(|ready| ready.item.clone()).unwrap_or_default()),
            ]
        } else {
            let error = one.error.as_deref().unwrap_or_default();
            [Cell::plain("-"), Cell::plain("-"), Cell::styled(one_line(error), BAD), Cell::plain("")]
        };
        let [specs, changes, problems, next] = cells;
        table.row([
            Cell::styled(&one.place.name, NAME),
            Cell::plain(branch),
            specs,
            changes,
            problems,
            next,
            Cell::styled(root, DIM),
        ]);
    }
    table.render()
}

/// Three lines on how to begin.
fn beginning(start: &Path) -> String {
    let specman = if hewto_engine::init::layout_of(start) == hewto_engine::LayoutKind::Specman {
        "these are SpecMan's documents without its marker: hewto init works on them in place\n"
    } else {
        ""
    };
    format!(
        "no workspace at or above: {}\n{specman}{}  shows in a throw-away folder what hewto does\n{}  makes this folder a workspace and connects the agents in use",
        start.display(),
        paint(NAME, "hewto demo"),
        paint(NAME, "hewto init"),
    )
}

pub(super) fn render(view: &OverviewView) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}", paint(HEADING, &one_line(&view.root)));
    if view.specs.total == 0 && view.changes.is_empty() {
        let new = typed("spec new \"What is wanted\" --description \"…\"");
        let _ = writeln!(out, "no specs yet: {new}");
    } else {
        let _ = writeln!(out, "{}", counts(&view.specs));
    }
    let _ = writeln!(out, "{}", health(view));
    section(&mut out, "being built", &view.building, |table, build| {
        table.row([
            Cell::styled(&build.item, NAME),
            Cell::plain(&build.title),
            Cell::plain(format!("{} %", build.percentage)),
            Cell::styled(build.current_step.as_deref().unwrap_or_default(), DIM),
        ]);
    });
    if let Some(notice) = &view.notice {
        let _ = writeln!(out, "{} {}", paint(DIM, "note:"), one_line(&here(notice)));
    }
    section(&mut out, "waits for a person", &view.reviews, |table, waiting| {
        let comments = match waiting.comments.len() {
            0 => String::new(),
            open => format!("{} open", count(open, "comment")),
        };
        table.row([
            Cell::styled(&waiting.item, NAME),
            Cell::plain(format!("{}, version {}", waiting.standing, waiting.version)),
            Cell::plain(comments),
            Cell::plain(typed(&format!("approve {}", waiting.item))),
        ]);
    });
    section(&mut out, "claimed", &view.claims, |table, claim| {
        table.row([
            Cell::styled(&claim.spec_id, NAME),
            Cell::plain(&claim.holder.principal),
            Cell::plain(format!("{} s left", claim.left_s)),
        ]);
    });
    section(&mut out, "ready next", &view.ready, |table, ready| {
        table.row([
            Cell::styled(&ready.item, NAME),
            Cell::plain(&ready.title),
            Cell::plain(here(&ready.next)),
            Cell::styled(&ready.why, DIM),
        ]);
    });
    section(&mut out, "waiting", &view.blocked, |table, blocked| {
        let by = format!("for {}", blocked.by.join(", "));
        table.row([Cell::styled(&blocked.item, NAME), Cell::plain(&blocked.title), Cell::styled(by, WARN)]);
    });
    section(&mut out, "open changes", &view.changes, |table, change| {
        let progress = format!("{} of {}", change.task_progress.completed, change.task_progress.total);
        table.row([
            Cell::styled(&change.id, NAME),
            Cell::plain(&change.title),
            Cell::plain(progress + " tasks"),
        ]);
    });
    if !view.backlog.is_empty() {
        let title = format!("seen in the code, not yet described: {}", view.backlog.len());
        section(&mut out, &title, &view.backlog, |table, seen| {
            table.row([
                Cell::styled(format!("{}#{}", seen.capability, seen.requirement), NAME),
                Cell::styled(&seen.code, DIM),
            ]);
        });
    }
    section(&mut out, "overlapping changes", &view.overlaps, |table, overlap| {
        let place = format!("{}: {}", overlap.capability, overlap.requirement);
        let risk = overlap.at_risk.join("; ");
        table.row([
            Cell::plain(place),
            Cell::styled(overlap.changes.join(", "), WARN),
            Cell::plain(if risk.is_empty() { risk } else { format!("scenario {risk}") }),
        ]);
    });
    out
}

/// `3 specs: 2 draft, 1 active`.
fn counts(specs: &SpecCounts) -> String {
    let states = [
        ("active", specs.active),
        ("draft", specs.draft),
        ("blocked", specs.blocked),
        ("done", specs.done),
        ("cancelled", specs.cancelled),
        ("archived", specs.archived),
        ("living", specs.living),
        ("unreadable", specs.unreadable),
    ];
    let shown: Vec<String> = states
        .into_iter()
        .filter(|(_, number)| *number > 0)
        .map(|(state, number)| format!("{number} {}", paint(ui::state(state), state)))
        .collect();
    let colon = if shown.is_empty() { "" } else { ": " };
    format!("{}{colon}{}", count(specs.total, "spec"), shown.join(", "))
}

fn health(view: &OverviewView) -> String {
    match (view.health.errors, view.health.warnings) {
        (0, 0) => paint(GOOD, "no problems found"),
        (0, warnings) => paint(WARN, &format!("{}: {}", count(warnings, "warning"), typed("validate"))),
        (errors, warnings) => {
            let (errors, warnings) = (count(errors, "error"), count(warnings, "warning"));
            let text = format!("{errors}, {warnings}: {}", typed("validate"));
            paint(BAD, &text)
        }
    }
}

/// A heading and the first few lines under it, or nothing at all.
fn section<T>(out: &mut String, title: &str, entries: &[T], row: impl Fn(&mut Table, &T)) {
    if entries.is_empty() {
        return;
    }
    let mut table = Table::indented();
    entries.iter().take(SHOWN).for_each(|entry| row(&mut table, entry));
    let _ = write!(out, "\n{}\n{}", paint(DIM, title), table.render());
    if entries.len() > SHOWN {
        let _ = writeln!(out, "  {}", paint(DIM, &format!("and {} more", entries.len() - SHOWN)));
    }
}
