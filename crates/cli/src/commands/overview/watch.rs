//! `hewto status --watch`: the same screen, drawn again whenever something changes, the size of the terminal among it.
//!
//! Whether something changed is the store's to say, which hears of it from the system; files are read only then.

use std::time::Duration;

use hewto_engine::Workspace;
use hewto_engine::overview;

use super::render;
use crate::failure::{Outcome, Verdict};
use crate::place::context;
use crate::ui::{self, Format, Ui};

/// How soon after a change the screen shows it, at most.
const BETWEEN_LOOKS: Duration = Duration::from_millis(250);

pub(super) fn run(ui: &mut Ui, workspace: &Workspace) -> Outcome {
    let mut shown: Option<String> = None;
    let mut seen = None;
    let mut text = String::new();
    loop {
        let mark = overview::mark(workspace, &context())?;
        if seen != Some(mark) {
            seen = Some(mark);
            let view = overview::status(workspace, &context())?;
            if ui.format() == Format::Json {
                // A line for each picture.
                ui.json_line(&view)?;
            } else {
                text = render(&view);
            }
        }
        // The terminal may have another size by now.
        if ui.format() == Format::Human {
            let picture = ui::fitted(&text);
            if shown.as_ref() != Some(&picture) {
                ui.redraw(&picture)?;
                shown = Some(picture);
            }
        }
        if ui.is_gone() {
            return Ok(Verdict::Yes);
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
}
