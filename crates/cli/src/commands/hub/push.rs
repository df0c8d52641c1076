//! `hewto hub push`: brings what is here to the hub, and what was decided there into files.

use hewto_engine::hub::{self, PushOptions};
use serde_json::json;

use crate::act;
use crate::failure::{Outcome, Verdict};
use crate::place::Place;
use crate::ui::{Cell, NAME, Ui, facts};

/// Push spec documents to your hub, and fetch what was decided there
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Only spec documents travel: specs, plans, changes, decisions, reviews. A token with the role `ci` pushes the branch that is checked \
out (--branch names it where nothing is); any other pushes this work tree. A pipeline names the hub in HEWTO_HUB_URL and the token in \
HEWTO_HUB_TOKEN.")]
pub(crate) struct Args {
    /// Push as this branch; only a token with the role `ci` may
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// What the repository is called at the hub
    #[arg(long, value_name = "NAME")]
    repo: Option<String>,
    /// Push everything, whatever was pushed before
    #[arg(long)]
    whole: bool,
}

pub(super) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let options = PushOptions { branch: args.branch.clone(), repo: args.repo.clone(), whole: args.whole };
    let inputs = json!({ "branch": args.branch, "repo": args.repo, "whole": args.whole });
    let view = act::perhaps_in_workspace(&workspace, "hub push", inputs, |ctx| {
        hub::push(&workspace, ctx, &options)
    })?;
    ui.answer(&view, |view| {
        let mut brought =
            if view.brought.is_empty() { "nothing".to_owned() } else { view.brought.join(", ") };
        if view.more {
            brought.push_str("; there is more, push again for it");
        }
        facts([
            ("pushed", Cell::styled(format!("{} {}", view.kind, view.view), NAME)),
            ("repository", Cell::plain(&view.repo)),
            ("version", Cell::plain(view.version.to_string())),
            (
                "documents",
                Cell::plain(format!(
                    "{}: {} new or different, {} gone",
                    view.documents, view.changed, view.removed
                )),
            ),
            ("brought", Cell::plain(brought)),
        ])
    })?;
    Ok(Verdict::Yes)
}
