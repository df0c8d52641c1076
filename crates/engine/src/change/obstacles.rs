//! What stands in the way of archiving a change, beside what its deltas say: links, places that cannot be written, a
//! state that cannot be read, a build under way.
//!
//! `validate_change` and `archive` ask the same question here, so that they cannot disagree.

use hewto_core::id::WorkItem;
use hewto_core::lifecycle::Lifecycle;
use hewto_core::state::WorkflowState;
use hewto_store::change_files::is_of_deltas;
use hewto_store::{Context, DocFolder, DocKey, Expect, Transaction};

use super::ChangeFolder;
use super::folder::Unreadable;
use crate::error::{Action, Error, Hint, Result};
use crate::workspace::Workspace;

/// Something in the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Obstacle {
    pub(crate) kind: ObstacleKind,
    /// Relative to the workspace.
    pub(crate) file: String,
    pub(crate) line: Option<usize>,
    pub(crate) message: String,
    pub(crate) hint: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ObstacleKind {
    /// A link where a delta should stand: nothing behind it would be applied.
    Link,
    /// The archive has a change of this name.
    Taken,
    /// Something cannot be written or moved where it belongs.
    Place,
    /// `state.toon` cannot be read.
    State,
    /// It is being built. Work in progress is archived once it is finished.
    Build,
}

/// Everything that is in the way as things stand now.
pub(crate) fn obstacles(ws: &Workspace, ctx: &Context, folder: &ChangeFolder) -> Result<Vec<Obstacle>> {
    let links = folder.entry.links.iter().filter(|link| is_of_deltas(link));
    let mut found: Vec<Obstacle> = links
        .map(|link| Obstacle {
            kind: ObstacleKind::Link,
            file: format!("{}/{link}", folder.entry.folder),
            line: None,
            message: format!("`{link}` is a link, and links are not followed"),
            hint: "put the real file there".to_owned(),
        })
        .collect();
    let destination = destination(ctx, folder)?;
    if ws.store().has_folder(&destination) {
        found.push(Obstacle {
            kind: ObstacleKind::Taken,
            file: folder.entry.folder.to_string(),
            line: None,
            message: format!("there is an archived change already: `{destination}`"),
            hint: "rename the change's folder, then archive it again".to_owned(),
        });
    } else {
        let mut moving = Transaction::new();
        moving.move_dir(&folder.entry.folder, &destination);
        found.extend(refusal(ws, ctx, moving, folder.entry.folder.as_str()));
    }
    for delta in &folder.deltas {
        let mut writing = Transaction::at_home(folder.owner());
        writing.put(delta.key(), "", Expect::Any);
        found.extend(refusal(ws, ctx, writing, delta.document.path.as_str()));
    }
    match standing(ws, ctx, folder)? {
        Err(broken) => found.push(broken),
        Ok(Some(state)) if matches!(state.lifecycle, Lifecycle::Active | Lifecycle::Blocked) => {
            found.push(Obstacle {
                kind: ObstacleKind::Build,
                file: folder.entry.folder.to_string(),
                line: None,
                message: format!("it is '{}': its build is not complete", state.lifecycle),
                hint: ctx.say(
                    Action::CompleteBuild { item: format!("change:{}", folder.id()) }
                        .then(", then archive it"),
                ),
            });
        }
        Ok(_) => {}
    }
    Ok(found)
}

/// Where the change goes: `YYYY-MM-DD-<id>`, unless the id carries its date already.
pub(super) fn destination(ctx: &Context, folder: &ChangeFolder) -> Result<DocFolder> {
    let id = folder.id();
    let name =
        if starts_with_date(id) { id.to_owned() } else { format!("{}-{id}", &ctx.now_rfc3339()[..10]) };
    folder.entry.archive.folder(&name).map_err(|error| Error::validation(error.to_string()))
}

/// The state of a change; `None` when nobody has worked on it.
pub(crate) fn standing(
    ws: &Workspace,
    ctx: &Context,
    folder: &ChangeFolder,
) -> Result<Result<Option<WorkflowState>, Obstacle>> {
    let key = DocKey::State(WorkItem::Change(folder.entry.id.clone()));
    let place = ws.store().path(&key, folder.owner());
    let file = place.map(|path| path.to_string()).unwrap_or_default();
    let broken = |line, message, hint: &str| Obstacle {
        kind: ObstacleKind::State,
        file: file.clone(),
        line,
        message,
        hint: hint.to_owned(),
    };
    Ok(match Unreadable::or(&file, ws.store().read(ctx, &key))? {
        Ok(None) => Ok(None),
        Ok(Some(doc)) => WorkflowState::read(&doc.text).map(Some).map_err(|fault| {
            let hint = Hint::from("correct it by hand, or ").action(Action::ValidateAndFix);
            broken(Some(fault.line), fault.message, &ctx.say(hint.text(" to set it aside and rebuild it")))
        }),
        Err(one) => Err(broken(None, one.message, &one.hint)),
    })
}

/// Why a transaction would not be committed.
fn refusal(ws: &Workspace, ctx: &Context, transaction: Transaction, file: &str) -> Option<Obstacle> {
    let error = Error::from(ws.store().rehearse(ctx, transaction).err()?);
    Some(Obstacle {
        kind: ObstacleKind::Place,
        file: file.to_owned(),
        line: None,
        message: error.to_string(),
        hint: error.hint.map(|hint| ctx.say(hint)).unwrap_or_default(),
    })
}

pub(super) fn starts_with_date(id: &str) -> bool {
    let bytes = id.as_bytes();
    bytes.len() > 11
        && bytes[10] == b'-'
        && bytes[..10].iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}
