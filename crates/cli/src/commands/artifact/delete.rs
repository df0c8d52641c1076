//! `hewto artifact delete`.

use hewto_engine::artifact::{self, Force};
use hewto_engine::graph::ArtifactRef;
use serde_json::json;

use super::new::render;
use crate::act;
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, locator};
use crate::ui::Ui;

/// Delete an artifact with everything in its folder, unless others need it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A handle such as scratch://name, or a path
    handle: String,
    /// Delete although others need it; this is recorded
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let force = if args.force { Force::Yes } else { Force::No };
    let target = ArtifactRef::Locator(locator(&workspace, &args.handle)?);
    let inputs = json!({ "handle": args.handle, "force": args.force });
    let view = act::in_workspace(&workspace, "artifact delete", inputs, |ctx| {
        let plan = artifact::plan_deletion(&workspace, ctx, &target)?;
        artifact::delete(&workspace, ctx, &plan.plan_id, force)
    })?;
    ui.answer(&view, render)?;
    Ok(Verdict::Yes)
}
