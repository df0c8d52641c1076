//! `hewto clarify reset`: drops the interview, after asking.

use hewto_engine::decision::{self, Repository};
use hewto_engine::{Error, Key, Kind};
use serde::Serialize;
use serde_json::json;

use crate::act;
use crate::failure::{Outcome, Verdict};
use crate::place::context;
use crate::ui::{Format, Ui};

/// Drop the interview that is open
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Do not ask whether you are sure
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Serialize)]
struct ResetView {
    status: &'static str,
}

pub(super) fn run(ui: &mut Ui, repository: &Repository, args: &Args) -> Outcome {
    // A script that asks for JSON means what it says.
    if !args.force && ui.format() == Format::Human {
        let state = decision::status(repository, &context())?;
        let sure =
            ui.ask(&format!("Drop the answers to \"{}\"?", crate::ui::one_line(&state.intention)), "no")?;
        if !matches!(sure.to_ascii_lowercase().as_str(), "y" | "yes") {
            return Err(Error::new(Kind::Refused, Key::Cancelled, "nothing was dropped")
                .hint("answer `yes`, or use `--force`")
                .into());
        }
    }
    act::in_repository(repository, "clarify reset", json!({}), |ctx| decision::reset(repository, ctx))?;
    ui.answer(&ResetView { status: "reset" }, |_| "the interview is dropped".to_owned())?;
    Ok(Verdict::Yes)
}
