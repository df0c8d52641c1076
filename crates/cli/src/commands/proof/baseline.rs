//! `hewto proof baseline`: known debt by name.

use std::fmt::Write as _;

use hewto_engine::Key;
use hewto_engine::proof::{self, BaselineMode, Concession};
use hewto_engine::view::BaselineView;
use serde_json::{Value, json};

use crate::act;
use crate::failure::{Outcome, Verdict};
use crate::person::Decider;
use crate::place::Place;
use crate::ui::{DIM, NAME, Ui, count, one_line, paint};

/// How many names are shown of each kind.
const SHOWN: usize = 10;

/// Record what is red now as known debt, or drop debt that was paid
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The first baseline may be drawn by anybody; from then on it only shrinks, unless a person lets it grow in a terminal."
)]
pub(crate) struct Args {
    /// Drop the names that are no longer debt
    #[arg(long)]
    tighten: bool,
    #[command(flatten)]
    decider: Decider,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let draw = |mode: BaselineMode<'_>| {
        let inputs = json!({ "tighten": args.tighten });
        act::in_workspace(&workspace, "proof baseline", inputs, |ctx| proof::baseline(&workspace, ctx, mode))
    };
    let first = draw(if args.tighten { BaselineMode::Tighten } else { BaselineMode::Draw(None) });
    let view = match first {
        Err(error) if error.key == Key::PersonRequired => {
            let added: Vec<String> = match error.details.get("added") {
                Some(Value::Array(names)) => {
                    names.iter().filter_map(Value::as_str).map(str::to_owned).collect()
                }
                _ => Vec::new(),
            };
            let shown = format!("{}\nLet it grow by:\n  {}", error.full_message(), added.join("\n  "));
            let what = ("letting debt grow", "hewto proof baseline");
            // Without a terminal the refusal itself says more: the names.
            match args.decider.confirm(&workspace, what, &shown, &Concession::Debt { added: &added }) {
                Ok(person) => draw(BaselineMode::Draw(Some(&person)))?,
                Err(refusal) if matches!(refusal.key, Key::TerminalRequired | Key::PersonRequired) => {
                    return Err(error.into());
                }
                Err(refusal) => return Err(refusal.into()),
            }
        }
        other => other?,
    };
    ui.answer(&view, render)?;
    Ok(Verdict::Yes)
}

fn render(view: &BaselineView) -> String {
    let mut out = String::new();
    for (word, names) in [("added", &view.added), ("dropped", &view.dropped)] {
        for name in names.iter().take(SHOWN) {
            let _ = writeln!(out, "{} {}", paint(DIM, word), one_line(name));
        }
        if names.len() > SHOWN {
            let _ = writeln!(out, "{} {} more", paint(DIM, word), names.len() - SHOWN);
        }
    }
    let _ = writeln!(
        out,
        "{} names {} without proof and {} that fail{}",
        paint(NAME, &view.file),
        count(view.uncovered, "scenario"),
        count(view.failing, "test"),
        if view.written { "" } else { "; nothing changed" }
    );
    out
}
