//! `hewto proof init`: declares the checks that fit, tries each once, and says what it takes to trust them.

use std::fmt::Write as _;

use hewto_engine::proof::{self, Trial};
use hewto_engine::view::{ProofInitView, ProofPresetView};
use serde_json::json;

use super::run::check_shown;
use crate::act;
use crate::failure::{Outcome, Verdict};
use crate::interrupt;
use crate::place::{self, Place};
use crate::ui::{DIM, NAME, Ui, count, paint, visible};

/// Declare the checks that fit this project, and try each once
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only write the declarations
    #[arg(long)]
    no_try: bool,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace_that_runs(None)?;
    let trial = if args.no_try { Trial::Skip } else { Trial::Run };
    let context = place::unhurried();
    interrupt::calls_off(&context)?;
    let inputs = json!({ "no_try": args.no_try });
    let view = act::noted(
        context,
        "proof init",
        inputs,
        || Some(workspace.layout().clone()),
        |ctx| proof::init(&workspace, ctx, trial),
    )?;
    ui.answer(&view, shown)?;
    Ok(Verdict::Yes)
}

fn shown(view: &ProofInitView) -> String {
    let mut text = String::new();
    for preset in &view.checks {
        text.push_str(&preset_shown(preset));
    }
    let checks = count(view.checks.len(), "check");
    let _ = writeln!(text, "{} holds {checks} under the policy `{}`", view.file, view.policy);
    let _ = writeln!(
        text,
        "{} run `hewto trust` in a terminal, then `hewto proof run`; in CI `hewto proof run --trust {}`",
        paint(NAME, "next:"),
        view.digest
    );
    text
}

fn preset_shown(preset: &ProofPresetView) -> String {
    let word = if preset.added { "added" } else { "kept" };
    let because =
        preset.because.as_ref().map(|file| format!(" (because of {})", visible(file))).unwrap_or_default();
    let mut text = format!(
        "{word} {}: {}{}\n",
        paint(NAME, &visible(&preset.check)),
        visible(&preset.run.join(" ")),
        paint(DIM, &because)
    );
    if let Some(tried) = &preset.tried {
        for line in check_shown(tried).lines() {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}
