//! `hewto change edit`.

use std::collections::BTreeMap;

use hewto_engine::change::{self, ChangeEdit};
use hewto_engine::view::ChangeUpdated;
use hewto_engine::{Context, Result, Workspace};
use serde_json::json;

use super::validate::findings;
use super::written::{Page, Promises};
use crate::act;
use crate::editor;
use crate::failure::{Outcome, Verdict, usage};
use crate::place::{Place, context};
use crate::ui::{Cell, NAME, Ui, facts, visible};

/// Edit any part of an open change, in arguments or in an editor
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without arguments opens the whole change as one page in your editor (EDITOR). It is checked when it is saved, and \
opened again with what is wrong as comments; what was written is never lost.")]
pub(crate) struct Args {
    /// The change's id
    id: String,
    /// Why it is wanted
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    why: Option<String>,
    /// What will be different
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    what: Option<String>,
    /// The tasks, in place of all there are; those whose title stays keep their tick
    #[arg(long = "task", value_name = "TITLE", allow_hyphen_values = true)]
    tasks: Vec<String>,
    /// A further task
    #[arg(long = "add-task", value_name = "TITLE", allow_hyphen_values = true)]
    add_tasks: Vec<String>,
    #[command(flatten)]
    promises: Promises,
    /// Take out what the change says of a requirement, as CAPABILITY: NAME, or of a whole CAPABILITY
    #[arg(long = "take-out", value_name = "WHAT")]
    take_out: Vec<String>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    let workspace = place.workspace()?;
    let ctx = context();
    let mut edit = ChangeEdit {
        why: args.why,
        what_changes: args.what,
        tasks: Some(args.tasks).filter(|tasks| !tasks.is_empty()),
        add_tasks: args.add_tasks,
        deltas: if args.promises.is_empty() {
            BTreeMap::new()
        } else {
            args.promises.deltas(&workspace, &ctx)?
        },
        ..ChangeEdit::default()
    };
    for what in &args.take_out {
        let (capability, names) = match what.split_once(": ") {
            Some((capability, name)) => (capability, vec![name.to_owned()]),
            None => (what.as_str(), Vec::new()),
        };
        edit.take_out.entry(capability.to_owned()).or_default().extend(names);
    }
    let updated = if edit == ChangeEdit::default() {
        if !editor::is_there() {
            return Err(usage("nothing to edit was given, and there is no editor")
                .hint("give --why, --what, --task, --add-task, --requirement or --take-out, or set `EDITOR`")
                .into());
        }
        in_editor(&workspace, &ctx, &args.id)?
    } else {
        write(&workspace, &args.id, &edit)?
    };
    ui.answer(&updated, render)?;
    Ok(Verdict::Yes)
}

/// The whole change as a page, and what of it a person changed.
fn in_editor(workspace: &Workspace, ctx: &Context, id: &str) -> Result<ChangeUpdated> {
    let texts = change::texts(workspace, ctx, id)?;
    let before = Page {
        why: texts.why,
        what_changes: texts.what_changes,
        tasks: texts.tasks,
        design: texts.design,
        deltas: texts.deltas,
    };
    editor::write("change", &before.render(), |text| {
        let mut page = Page::read(text)?;
        // A page has the line ends of an editor; a document keeps its own.
        let as_before = |before: &str, after: &mut String| {
            if before.contains("\r\n") {
                *after = after.replace("\r\n", "\n").replace('\n', "\r\n");
            }
        };
        for (capability, text) in &mut page.deltas {
            as_before(before.deltas.get(capability).map_or("", String::as_str), text);
        }
        if let (Some(before), Some(after)) = (&before.design, &mut page.design) {
            as_before(before, after);
        }
        as_before(&before.why, &mut page.why);
        as_before(&before.what_changes, &mut page.what_changes);
        let changed = |before: &str, after: &str| (before.trim() != after.trim()).then(|| after.to_owned());
        let mut deltas = page.new_deltas();
        deltas.retain(|capability, _| {
            let text = |page: &Page| page.deltas.get(capability).map(|text| text.trim().to_owned());
            text(&before) != text(&page)
        });
        let gone = before.deltas.keys().filter(|capability| !page.deltas.contains_key(*capability));
        let edit = ChangeEdit {
            why: changed(&before.why, &page.why),
            what_changes: changed(&before.what_changes, &page.what_changes),
            design: match (&before.design, &page.design) {
                (Some(_), None) => Some(String::new()),
                (before, Some(after)) => changed(before.as_deref().unwrap_or_default(), after),
                (None, None) => None,
            },
            tasks: (before.tasks != page.tasks).then(|| page.tasks.clone()),
            add_tasks: Vec::new(),
            deltas,
            take_out: gone.map(|capability| (capability.clone(), Vec::new())).collect(),
        };
        if edit == ChangeEdit::default() {
            change::untouched(workspace, ctx, id)
        } else {
            write(workspace, id, &edit)
        }
    })
}

fn write(workspace: &Workspace, id: &str, edit: &ChangeEdit) -> Result<ChangeUpdated> {
    let capabilities: Vec<&String> = edit.deltas.keys().chain(edit.take_out.keys()).collect();
    let inputs = json!({ "id": id, "deltas": capabilities });
    act::in_workspace(workspace, "change edit", inputs, |ctx| change::update(workspace, ctx, id, edit))
}

fn render(updated: &ChangeUpdated) -> String {
    if !updated.updated {
        return "everything is as it was".to_owned();
    }
    let mut out = facts([("change", Cell::styled(&updated.change_id, NAME))]);
    out.push_str(&visible(&updated.diff));
    out.push_str(&findings(&updated.validation));
    out
}
