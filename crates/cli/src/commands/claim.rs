//! `hewto claim`, `hewto release`, `hewto who`: taking turns.

use hewto_engine::claim::{self, ClaimRequest, Keep};
use hewto_engine::view::ClaimView;
use serde_json::json;

use crate::act;
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{Cell, NAME, Table, Ui, facts, one_line};

/// Claim a piece of work, or the best that is ready and free
#[derive(Debug, clap::Args)]
pub(crate) struct ClaimArgs {
    /// The spec's id, or change:ID; without it the best that is ready and free
    id: Option<String>,
    /// Only this step of it, by its title
    #[arg(long, value_name = "TITLE", requires = "id")]
    step: Option<String>,
    /// For so many seconds, from 30 to 3600; every write starts them again
    #[arg(long, value_name = "SECONDS")]
    lease: Option<u32>,
}

/// Give a claim back
#[derive(Debug, clap::Args)]
pub(crate) struct ReleaseArgs {
    /// The number of the claim, or what is held: the spec's id, or change:ID
    #[arg(value_name = "CLAIM")]
    which: String,
    /// What the next one should know
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
}

pub(crate) fn claim(ui: &mut Ui, place: &Place, args: ClaimArgs) -> Outcome {
    let workspace = place.workspace()?;
    let inputs = json!({ "id": args.id, "step": args.step, "lease": args.lease });
    let request = ClaimRequest { item: args.id, step: args.step, lease_s: args.lease };
    let view = act::in_workspace(&workspace, "claim", inputs, |ctx| claim::next(&workspace, ctx, &request))?;
    ui.answer(&view, |view| {
        facts([
            ("claimed", Cell::styled(what(view), NAME)),
            ("number", Cell::plain(view.claim.to_string())),
            ("until", Cell::plain(format!("{} ({} s)", view.until, view.left_s))),
            (
                "next",
                Cell::plain(format!("give `--claim {}` to every command that writes to it", view.claim)),
            ),
        ])
    })?;
    Ok(Verdict::Yes)
}

pub(crate) fn release(ui: &mut Ui, place: &Place, args: &ReleaseArgs) -> Outcome {
    let workspace = place.workspace()?;
    let keep = Keep { release: true, note: args.note.clone() };
    let inputs = json!({ "claim": args.which });
    let view = act::in_workspace(&workspace, "release", inputs, |ctx| {
        claim::keep(&workspace, ctx, claim::number_of(&workspace, ctx, &args.which)?, &keep)
    })?;
    ui.answer(&view, |view| facts([("released", Cell::styled(what(view), NAME))]))?;
    Ok(Verdict::Yes)
}

pub(crate) fn who(ui: &mut Ui, place: &Place) -> Outcome {
    let view = claim::who(&place.workspace()?, &context())?;
    ui.answer(&view, |view| {
        let unread =
            |work: &String| format!("the claim on {} cannot be read: {}\n", one_line(work), view.file);
        let unread: String = view.unread.iter().map(unread).collect();
        if view.claims.is_empty() {
            return if unread.is_empty() { "nobody has claimed anything\n".to_owned() } else { unread };
        }
        let mut table = Table::with_header(["CLAIM", "WORK", "HOLDER", "LEFT", "WORK TREE"]);
        for one in &view.claims {
            let branch = one.holder.branch.as_ref().map(|branch| format!(" ({branch})")).unwrap_or_default();
            table.row([
                Cell::plain(one.claim.to_string()),
                Cell::styled(what(one), NAME),
                Cell::plain(format!("{}/{}", one.holder.principal, short(&one.holder.session))),
                Cell::plain(format!("{} s", one.left_s)),
                Cell::plain(format!("{}{branch}", one.holder.worktree)),
            ]);
        }
        table.render() + &unread
    })?;
    Ok(Verdict::Yes)
}

fn what(view: &ClaimView) -> String {
    match &view.step {
        Some(step) => format!("{}, step {step}", view.spec_id),
        None => view.spec_id.clone(),
    }
}

fn short(session: &str) -> String {
    session.chars().take(8).collect()
}
