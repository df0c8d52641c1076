//! `hewto index clear`.

use hewto_engine::search;
use hewto_engine::view::ClearedView;
use serde_json::json;

use crate::act;
use crate::failure::{Outcome, Verdict};
use crate::place::Place;
use crate::ui::Ui;

pub(crate) fn run(ui: &mut Ui, place: &Place) -> Outcome {
    let workspace = place.workspace()?;
    let view = act::in_workspace(&workspace, "index clear", json!({}), |ctx| search::clear(&workspace, ctx))?;
    ui.answer(&view, |view| render(*view).to_owned())?;
    Ok(Verdict::Yes)
}

fn render(view: ClearedView) -> &'static str {
    match (view.cleared, view.shared_vectors) {
        (true, false) => "the search index is gone",
        (false, false) => "there was no search index",
        (true, true) => {
            "the search index is gone, and the vectors that all work trees of this repository share"
        }
        (false, true) => {
            "there was no search index; the vectors that all work trees of this repository share are gone"
        }
    }
}
