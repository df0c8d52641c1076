//! `hewto review resolve`.

use hewto_engine::review;
use serde_json::json;

use super::author;
use crate::act;
use crate::failure::{Outcome, Verdict};
use crate::place::Place;
use crate::ui::{Cell, NAME, Ui, facts};

/// Resolve a comment
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The spec's id, or change:ID
    id: String,
    /// The comment, as `hewto review list` names it
    comment: String,
    /// How it was settled
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Who you are, if not the user of this session
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let by = author(ui, args.name.as_deref());
    let inputs = json!({ "id": args.id, "comment": args.comment });
    let made = act::in_workspace(&workspace, "review resolve", inputs, |ctx| {
        review::resolve(&workspace, ctx, &args.id, &by, &args.comment, args.note.as_deref())
    })?;
    ui.answer(&made, |made| {
        facts([("resolved", Cell::styled(&args.comment, NAME)), ("record", Cell::plain(&made.id))])
    })?;
    Ok(Verdict::Yes)
}
