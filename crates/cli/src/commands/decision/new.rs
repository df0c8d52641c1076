//! `hewto decision new`: a record of something that was decided elsewhere.

use hewto_engine::decision::{self, NewDecision, Superseded};
use serde_json::json;

use crate::act;
use crate::commands::clarify::RepoArgs;
use crate::failure::{Outcome, Verdict, usage};
use crate::place::Place;
use crate::ui::{Cell, NAME, Ui, facts};

/// Record a decision without an interview
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The category: Frontend, Backend, Database, Authentication, Infra or Other
    category: String,
    /// What is decided: a field of the category and its value
    #[arg(value_name = "FIELD=VALUE", required = true)]
    fields: Vec<String>,
    /// Why it was needed, in a sentence or two
    #[arg(long, value_name = "TEXT")]
    context: String,
    /// The UID of a decision that this one takes the place of
    #[arg(long, value_name = "UID", requires = "reason")]
    supersedes: Option<String>,
    /// Why that one no longer holds
    #[arg(long, value_name = "TEXT", requires = "supersedes")]
    reason: Option<String>,
    #[command(flatten)]
    repo: RepoArgs,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    let repository = args.repo.open(place)?;
    let fields = args.fields.iter().map(|pair| field(pair)).collect::<Result<_, _>>()?;
    let supersedes = args.supersedes.map(|uid| Superseded { uid, reason: args.reason.unwrap_or_default() });
    let new = NewDecision { category: args.category, fields, context: args.context, supersedes };
    let inputs = json!({ "category": new.category, "fields": new.fields, "context": new.context });
    let view = act::in_repository(&repository, "decision new", inputs, |ctx| {
        decision::record(&repository, ctx, &new)
    })?;
    ui.answer(&view, |view| {
        facts([("recorded", Cell::styled(&view.card.uid, NAME)), ("file", Cell::plain(&view.card.path))])
    })?;
    Ok(Verdict::Yes)
}

fn field(pair: &str) -> Result<(String, String), hewto_engine::Error> {
    let (field, value) = pair
        .split_once('=')
        .ok_or_else(|| usage(format!("`{pair}` is not a FIELD=VALUE")).hint("such as `Strategy=OAuth`"))?;
    Ok((field.trim().to_owned(), value.to_owned()))
}
