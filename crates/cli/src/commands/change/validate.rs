//! `hewto change validate`: a verdict, and the moment at which a change's base is recorded.

use std::fmt::Write;

use anstyle::Style;
use hewto_engine::change::{self, Recording};
use hewto_engine::check::{self, Strictness};
use hewto_engine::view::{VerdictItem, VerdictView};
use serde_json::json;

use crate::act;
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{BAD, DIM, GOOD, Ui, WARN, one_line, paint};

/// Check one change, or all open ones
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Also records the requirements it touches as they stand now, unless git knows how they stood at the \
                  delta's first commit."
)]
pub(crate) struct Args {
    /// The change's id; all open changes when absent
    id: Option<String>,
    /// Let warnings count as errors
    #[arg(long)]
    strict: bool,
    /// Take the specs as they stand now for the base, once you have taken over what changed in them
    #[arg(long, requires = "id")]
    rebase: bool,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let strictness = Strictness::from(args.strict);
    let recording = if args.rebase { Recording::Rebase } else { Recording::Missing };
    let inputs = json!({ "id": args.id, "rebase": args.rebase });
    act::perhaps_in_workspace(&workspace, "change validate", inputs, |ctx| {
        change::record_bases(&workspace, ctx, args.id.as_deref(), recording)
    })?;
    let verdict = check::validate_change(&workspace, &context(), args.id.as_deref(), strictness)?;
    ui.answer(&verdict, render)?;
    Ok(if verdict.valid { Verdict::Yes } else { Verdict::No })
}

/// What is wrong with a change that was just written.
pub(super) fn findings(verdict: &VerdictView) -> String {
    if verdict.errors.is_empty() && verdict.warnings.is_empty() {
        return String::new();
    }
    format!("\n{}", render(verdict))
}

pub(super) fn render(verdict: &VerdictView) -> String {
    let mut out = String::new();
    section(&mut out, "ERRORS", BAD, &verdict.errors);
    section(&mut out, "WARNINGS", WARN, &verdict.warnings);
    let style = if verdict.valid { GOOD } else { BAD };
    let _ = writeln!(out, "{}", paint(style, &verdict.summary));
    out
}

fn section(out: &mut String, heading: &str, style: Style, items: &[VerdictItem]) {
    if items.is_empty() {
        return;
    }
    let _ = writeln!(out, "{}", paint(style, &format!("{heading} ({})", items.len())));
    for item in items {
        let line = item.line.map(|line| format!(":{line}")).unwrap_or_default();
        let _ = writeln!(
            out,
            "  {}{line}: {} {}",
            one_line(&item.file),
            one_line(&item.description),
            paint(DIM, &format!("[{}]", item.code))
        );
        if !item.hint.is_empty() {
            let _ = writeln!(out, "    hint: {}", one_line(&item.hint));
        }
    }
    out.push('\n');
}
