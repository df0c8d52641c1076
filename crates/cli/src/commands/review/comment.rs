//! `hewto review comment`.

use hewto_engine::review::{self, Anchor, NewComment};
use serde_json::json;

use super::author;
use crate::act;
use crate::failure::{Outcome, Verdict};
use crate::place::Place;
use crate::ui::{Cell, NAME, Ui, facts};

/// Comment on a spec or change, or on one requirement, scenario or step of it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The spec's id, or change:ID
    id: String,
    /// What to say
    text: String,
    /// The capability whose delta is meant
    #[arg(long, value_name = "ID")]
    capability: Option<String>,
    /// The requirement that is meant, by its name
    #[arg(long, value_name = "NAME")]
    requirement: Option<String>,
    /// The scenario that is meant, by its name
    #[arg(long, value_name = "NAME", requires = "requirement")]
    scenario: Option<String>,
    /// The step that is meant, by its title
    #[arg(long, value_name = "TITLE")]
    step: Option<String>,
    /// Words of the text that are meant
    #[arg(long, value_name = "WORDS")]
    quote: Option<String>,
    /// The comment that this answers, by its id
    #[arg(long, value_name = "COMMENT", conflicts_with_all = ["capability", "requirement", "scenario", "step", "quote"])]
    reply_to: Option<String>,
    /// Who you are, if not the user of this session
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    let workspace = place.workspace()?;
    let by = author(ui, args.name.as_deref());
    let Args { id, text, capability, requirement, scenario, step, quote, reply_to, .. } = args;
    let inputs = json!({ "id": id, "text": text, "reply_to": reply_to });
    let new = NewComment { text, anchor: Anchor { capability, requirement, scenario, step, quote } };
    let made = act::in_workspace(&workspace, "review comment", inputs, |ctx| match &reply_to {
        Some(comment) => review::reply(&workspace, ctx, &id, &by, comment, &new.text),
        None => review::comment(&workspace, ctx, &id, &by, &new),
    })?;
    let on = if reply_to.is_some() { "a comment" } else { "all of it" };
    ui.answer(&made, |made| {
        facts([
            ("commented", Cell::styled(&made.spec_id, NAME)),
            ("on", Cell::plain(made.place.as_deref().unwrap_or(on))),
            ("comment", Cell::plain(&made.id)),
        ])
    })?;
    Ok(Verdict::Yes)
}
