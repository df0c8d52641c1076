//! `hewto` alone: where the workspace stands and what is ready next, or how to begin.

use std::fmt::Write;
use std::path::Path;

use hewto_core::lifecycle::Lifecycle;
use hewto_engine::spec::{self, SpecFilter};
use hewto_engine::view::SpecListEntry;
use hewto_engine::{Context, Result, Workspace};
use serde::Serialize;

use super::spec::collect;
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{self, Cell, DIM, HEADING, NAME, Table, Ui, count, one_line, paint};

/// How many specs are shown as ready, and as waiting.
const SHOWN: usize = 5;
/// How many specs are looked at for that; a large workspace has its list.
const LOOKED_AT: usize = 500;

/// Where things stand.
#[derive(Debug, Serialize)]
struct OverviewView {
    /// Null outside a workspace
    workspace: Option<String>,
    total: usize,
    states: Vec<StateCount>,
    /// Active specs and drafts that nothing blocks
    ready: Vec<SpecLine>,
    /// Active specs and drafts that wait for others
    waiting: Vec<SpecLine>,
}

#[derive(Debug, Serialize)]
struct StateCount {
    /// `unreadable` for specs whose state cannot be read
    state: String,
    specs: usize,
}

#[derive(Debug, Serialize)]
struct SpecLine {
    id: String,
    title: String,
    state: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocking: Vec<String>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place) -> Outcome {
    match place.workspace() {
        Ok(workspace) => {
            let view = look(&workspace, &context())?;
            ui.answer(&view, render)?;
        }
        // Somebody who is nowhere in particular is shown the way in; a wrong override stays an error.
        Err(error) if error.key == "workspace_not_found" && place.named_by().is_none() => {
            let view =
                OverviewView { workspace: None, total: 0, states: vec![], ready: vec![], waiting: vec![] };
            ui.answer(&view, |_| beginning(place.start()))?;
        }
        Err(error) => return Err(error.into()),
    }
    Ok(Verdict::Yes)
}

fn look(workspace: &Workspace, ctx: &Context) -> Result<OverviewView> {
    let specs = collect(workspace, ctx, &SpecFilter::default(), usize::MAX)?.specs;
    let (mut ready, mut waiting) = (Vec::new(), Vec::new());
    // What is under way comes before what has not begun.
    let open = [Lifecycle::Active, Lifecycle::Draft].into_iter().flat_map(|state| in_state(&specs, state));
    for entry in open.take(LOOKED_AT) {
        if ready.len() == SHOWN && waiting.len() == SHOWN {
            break;
        }
        // One spec that cannot be read does not hide the others; `validate` has a word about it.
        let Ok(dependencies) = spec::check_dependencies(workspace, ctx, &entry.id) else { continue };
        let blocking = dependencies.blocking;
        let list = if blocking.is_empty() { &mut ready } else { &mut waiting };
        if list.len() < SHOWN {
            list.push(SpecLine {
                id: entry.id.clone(),
                title: entry.title.clone(),
                state: entry.state.clone().unwrap_or_default(),
                blocking,
            });
        }
    }
    Ok(OverviewView {
        workspace: Some(workspace.root().display().to_string()),
        total: specs.len(),
        states: count_states(&specs),
        ready,
        waiting,
    })
}

fn in_state(specs: &[SpecListEntry], state: Lifecycle) -> impl Iterator<Item = &SpecListEntry> {
    specs.iter().filter(move |spec| spec.state.as_deref() == Some(state.as_str()))
}

fn count_states(specs: &[SpecListEntry]) -> Vec<StateCount> {
    let known = Lifecycle::ALL.into_iter().map(|state| (state.as_str(), in_state(specs, state).count()));
    let unreadable = ("unreadable", specs.iter().filter(|spec| spec.state.is_none()).count());
    known
        .chain([unreadable])
        .filter(|(_, specs)| *specs > 0)
        .map(|(state, specs)| StateCount { state: state.to_owned(), specs })
        .collect()
}

fn beginning(start: &Path) -> String {
    format!(
        "no workspace at or above: {}\n{} makes this folder a workspace\n{} shows the whole journey of a spec in a throw-away folder",
        start.display(),
        paint(NAME, "hewto init"),
        paint(NAME, "hewto demo"),
    )
}

fn render(view: &OverviewView) -> String {
    let mut out = String::new();
    let root = view.workspace.as_deref().unwrap_or_default();
    let _ = writeln!(out, "{}", paint(HEADING, &one_line(root)));
    if view.total == 0 {
        out.push_str("no specs yet: hewto spec new \"What is wanted\" --description \"…\"\n");
        return out;
    }
    let states: Vec<String> = view
        .states
        .iter()
        .map(|entry| format!("{} {}", entry.specs, paint(ui::state(&entry.state), &entry.state)))
        .collect();
    let _ = writeln!(out, "{}: {}", count(view.total, "spec"), states.join(", "));
    if !view.ready.is_empty() {
        let _ = write!(out, "\n{}\n{}", paint(DIM, "ready next"), lines(&view.ready));
    }
    if !view.waiting.is_empty() {
        let _ = write!(out, "\n{}\n{}", paint(DIM, "waiting"), lines(&view.waiting));
    }
    out
}

fn lines(specs: &[SpecLine]) -> String {
    let mut table = Table::indented();
    for spec in specs {
        let title = match spec.blocking.as_slice() {
            [] => spec.title.clone(),
            blocking => format!("{} (waits for {})", spec.title, blocking.join(", ")),
        };
        table.row([
            Cell::styled(&spec.id, NAME),
            Cell::styled(&spec.state, ui::state(&spec.state)),
            Cell::plain(title),
        ]);
    }
    table.render()
}
