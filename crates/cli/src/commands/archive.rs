//! `hewto archive ID`: puts away what is done, a change or a spec.

use hewto_engine::{Lifecycle, spec};
use serde_json::json;

use super::change::archive as of_change;
use super::open_points;
use crate::act;
use crate::failure::{Outcome, Verdict, usage};
use crate::place::{Place, context};
use crate::ui::{Cell, NAME, Ui, facts};

/// Archive a change into the specs, or a spec that is done
#[derive(Debug, clap::Args)]
#[command(after_help = "The same as `hewto change archive ID` or `hewto spec move ID archived`.")]
pub(crate) struct Args {
    /// The change's or the spec's id
    id: String,
    /// Show the diff of a change and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Archive a change although tasks are open
    #[arg(long)]
    yes: bool,
}

#[expect(clippy::needless_pass_by_value, reason = "commands take their arguments")]
pub(crate) fn run(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    let workspace = place.workspace()?;
    // A spec and a change may share a name; the change is the one that is archived from here.
    let status = spec::status(&workspace, &context(), &format!("change:{}", bare(&args.id)));
    if status.is_ok() || args.id.starts_with("change:") {
        let args = of_change::Args::of(bare(&args.id).to_owned(), args.dry_run, args.yes);
        return of_change::run(ui, place, &args);
    }
    if args.dry_run {
        return Err(usage("`--dry-run` shows what a change would write; this is a spec").into());
    }
    let inputs = json!({ "id": args.id });
    let moved = act::in_workspace(&workspace, "archive", inputs, |ctx| {
        spec::transition(&workspace, ctx, &args.id, Lifecycle::Archived, None)
    })?;
    ui.answer(&moved, |moved| {
        let told = facts([
            ("archived", Cell::styled(&moved.spec_id, NAME)),
            ("was", Cell::plain(&moved.from_state)),
        ]);
        told + &open_points::open(&moved.open)
    })?;
    Ok(Verdict::Yes)
}

fn bare(id: &str) -> &str {
    id.strip_prefix("change:").unwrap_or(id)
}
