//! `hewto index clear`.

use hewto_engine::search;
use serde::Serialize;

use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::Ui;

#[derive(Debug, Serialize)]
struct Cleared {
    /// Whether there was an index
    cleared: bool,
}

pub(crate) fn run(ui: &mut Ui, place: &Place) -> Outcome {
    let view = Cleared { cleared: search::clear(&place.workspace()?, &context())? };
    ui.answer(&view, |view| {
        let text = if view.cleared { "the search index is gone" } else { "there was no search index" };
        text.to_owned()
    })?;
    Ok(Verdict::Yes)
}
