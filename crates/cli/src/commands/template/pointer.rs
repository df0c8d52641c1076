//! `hewto template set` and `hewto template clear`.

use hewto_engine::template::{self, Pointer, PointerAction};
use hewto_engine::view::PointerView;
use serde_json::json;

use crate::act;
use crate::failure::{Outcome, Verdict};
use crate::place::Place;
use crate::ui::{NAME, Ui, WARN, one_line, paint};
use crate::values;

/// Point at a template: a file inside the workspace, or an https address
#[derive(Debug, clap::Args)]
pub(crate) struct SetArgs {
    /// spec, impl or scratch
    #[arg(value_parser = values::pointer())]
    pointer: Pointer,
    /// The file, seen from the workspace root, or the address
    locator: String,
}

/// Remove the pointer and go back to the default template
#[derive(Debug, clap::Args)]
pub(crate) struct ClearArgs {
    /// spec, impl or scratch
    #[arg(value_parser = values::pointer())]
    pointer: Pointer,
}

pub(crate) fn set(ui: &mut Ui, place: &Place, args: SetArgs) -> Outcome {
    update(ui, place, "template set", args.pointer, &PointerAction::Set { locator: args.locator })
}

pub(crate) fn clear(ui: &mut Ui, place: &Place, args: &ClearArgs) -> Outcome {
    update(ui, place, "template clear", args.pointer, &PointerAction::Clear)
}

fn update(ui: &mut Ui, place: &Place, command: &str, pointer: Pointer, action: &PointerAction) -> Outcome {
    let workspace = place.workspace()?;
    let locator = match action {
        PointerAction::Set { locator } => Some(locator),
        PointerAction::Clear | PointerAction::Inspect => None,
    };
    let inputs = json!({ "pointer": pointer.as_str().to_ascii_lowercase(), "locator": locator });
    let view = act::in_workspace(&workspace, command, inputs, |ctx| {
        template::update_pointer(&workspace, ctx, pointer, action)
    })?;
    ui.answer(&view, render)?;
    Ok(Verdict::Yes)
}

fn render(view: &PointerView) -> String {
    let what = if view.changed { "now" } else { "still" };
    let line =
        format!("{} is {what} {} ({})", view.pointer, paint(NAME, &one_line(&view.locator)), view.tier);
    match &view.problem {
        Some(problem) => format!("{line}\n{}", paint(WARN, &one_line(problem))),
        None => line,
    }
}
