//! `hewto review list`.

use hewto_engine::review;
use hewto_engine::view::CommentsView;

use super::text;
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::Ui;

/// List the comments on a spec or change, open ones first
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The spec's id, or change:ID
    id: String,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let view = review::comments(&place.workspace()?, &context(), &args.id)?;
    ui.answer(&view, render)?;
    Ok(Verdict::Yes)
}

fn render(view: &CommentsView) -> String {
    if view.comments.is_empty() {
        return format!("nobody has commented on {}\n", view.spec_id);
    }
    view.comments.iter().map(text::comment).collect()
}
