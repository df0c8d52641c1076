//! `hewto spec show`: one spec as a person reads it.

use std::fmt::Write;

use hewto_core::lifecycle::Phase;
use hewto_engine::spec;
use hewto_engine::view::{DependenciesView, SpecBundle};

use super::{deps, status};
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{self, Cell, DIM, HEADING, NAME, Table, Ui, WARN, one_line, paint, visible};

/// Show a spec: where it stands, what it waits for, and its text
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The spec's id
    id: String,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let ctx = context();
    let bundle = spec::bundle(&workspace, &ctx, &args.id)?;
    // The bundle names the dependencies; how they stand is a question of its own, and only people are told here.
    let dependencies = match ui.format() {
        ui::Format::Human if !bundle.spec.metadata.dependencies.is_empty() => {
            Some(spec::check_dependencies(&workspace, &ctx, &args.id)?)
        }
        _ => None,
    };
    ui.answer(&bundle, |bundle| render(bundle, dependencies.as_ref()))?;
    Ok(Verdict::Yes)
}

fn render(bundle: &SpecBundle, dependencies: Option<&DependenciesView>) -> String {
    let metadata = &bundle.spec.metadata;
    let mut out = String::new();
    let _ = writeln!(out, "{}", paint(HEADING, &one_line(&metadata.title)));
    let _ = writeln!(out, "{}", state_line(bundle));
    if let Some(description) = metadata.description.as_deref().filter(|text| !text.trim().is_empty()) {
        let _ = writeln!(out, "\n{}", visible(description.trim()));
    }
    if let Some(view) = dependencies {
        let _ = write!(out, "\n{}\n{}", paint(DIM, "depends on"), deps::table(view));
    }
    let work = work(bundle);
    if !work.is_empty() {
        let _ = write!(out, "\n{work}");
    }
    for remark in &bundle.diagnostics {
        let line = remark.line.map(|line| format!(":{line}")).unwrap_or_default();
        let text = format!("{}: {}{line}: {}", remark.severity, remark.file, remark.message);
        let _ = writeln!(out, "{}", paint(WARN, &one_line(&text)));
    }
    let content = bundle.spec.content.trim_matches('\n');
    if !content.trim().is_empty() {
        let _ = writeln!(out, "\n{}\n{}", paint(DIM, "────"), visible(content));
    }
    out
}

/// How far plan and build are, and how the build ended.
fn work(bundle: &SpecBundle) -> String {
    let mut table = Table::default();
    let mut fact = |name: &str, text: &str| table.row([Cell::styled(name, DIM), Cell::plain(text)]);
    if let Some(progress) = &bundle.plan_progress {
        fact("plan", &status::plan_progress(progress));
    }
    if let Some(state) = bundle.state.as_ref().filter(|state| state.phase == Phase::Build) {
        fact("build", &status::build_progress(&state.build_progress));
        for (name, text) in [("summary", &state.summary), ("deviations", &state.deviations)] {
            if let Some(text) = text {
                fact(name, text);
            }
        }
    }
    table.render()
}

/// Id, state, phase and category, with dots between.
fn state_line(bundle: &SpecBundle) -> String {
    let state = bundle.state.as_ref().map_or("unreadable", |state| state.lifecycle.as_str());
    // What is promised has no state to speak of.
    let shown = bundle.kind.map_or(state, |kind| kind.as_str());
    let mut parts = vec![paint(NAME, &one_line(&bundle.id)), paint(ui::state(shown), shown)];
    let phase = bundle.state.as_ref().filter(|_| bundle.kind.is_none());
    parts.extend(phase.map(|state| format!("phase {}", state.phase)));
    parts.extend(bundle.spec.metadata.category.as_deref().map(one_line));
    if let Some(reason) = bundle.state.as_ref().and_then(|state| state.reason.as_deref()) {
        parts.push(one_line(reason));
    }
    parts.join(" · ")
}
