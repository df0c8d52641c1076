//! `hewto spec deps`: what a spec waits for, and setting it.

use hewto_engine::spec::{self, SpecChanges};
use hewto_engine::view::DependenciesView;
use serde_json::json;

use super::list::state_cell;
use crate::act;
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{Cell, GOOD, NAME, Table, Ui, WARN, count, paint};
use crate::values::Dependency;

/// Show what a spec depends on, or set it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The spec's id
    id: String,
    /// Replace the dependencies: ID, ID:hard or ID:soft, separated by commas; an empty text removes them all
    #[arg(long, value_name = "ID[:KIND],…", value_delimiter = ',')]
    set: Option<Vec<Dependency>>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    let workspace = place.workspace()?;
    if let Some(set) = args.set {
        let inputs = json!({ "id": args.id, "set": set.iter().map(|entry| &entry.id).collect::<Vec<_>>() });
        let dependencies = set.into_iter().filter(|entry| !entry.id.is_empty()).map(Into::into).collect();
        let changes = SpecChanges { dependencies: Some(dependencies), ..SpecChanges::default() };
        act::in_workspace(&workspace, "spec deps", inputs, |ctx| {
            spec::update(&workspace, ctx, &args.id, &changes)
        })?;
    }
    let view = spec::check_dependencies(&workspace, &context(), &args.id)?;
    ui.answer(&view, render)?;
    Ok(Verdict::Yes)
}

fn render(view: &DependenciesView) -> String {
    if view.dependencies.is_empty() {
        return "no dependencies".to_owned();
    }
    let verdict = if view.all_satisfied {
        paint(GOOD, "nothing blocks a build")
    } else {
        paint(
            WARN,
            &format!("{} blocking a build", count(view.blocking.len(), "dependency").replace("ys", "ies")),
        )
    };
    format!("{}{verdict}", table(view))
}

/// One line per dependency.
pub(super) fn table(view: &DependenciesView) -> String {
    let mut table = Table::indented();
    for entry in &view.dependencies {
        table.row([
            if entry.satisfied { Cell::styled("ok", GOOD) } else { Cell::styled("open", WARN) },
            Cell::plain(&entry.kind),
            state_cell(Some(&entry.state)),
            Cell::styled(&entry.spec_id, NAME),
        ]);
    }
    table.render()
}
