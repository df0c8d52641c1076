//! `hewto index clear`.

use hewto_engine::search;
use serde::Serialize;
use serde_json::json;

use crate::act;
use crate::failure::{Outcome, Verdict};
use crate::place::Place;
use crate::ui::Ui;

#[derive(Debug, Serialize)]
struct Cleared {
    /// Whether there was an index
    cleared: bool,
}

pub(crate) fn run(ui: &mut Ui, place: &Place) -> Outcome {
    let workspace = place.workspace()?;
    let cleared =
        act::in_workspace(&workspace, "index clear", json!({}), |ctx| search::clear(&workspace, ctx))?;
    let view = Cleared { cleared };
    ui.answer(&view, |view| {
        let text = if view.cleared { "the search index is gone" } else { "there was no search index" };
        text.to_owned()
    })?;
    Ok(Verdict::Yes)
}
