//! `git_stash`: changes put aside, and taken back.

use std::borrow::Cow;

use hewto_core::page::{Page, PageRequest};
use hewto_core::schema::one_of;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::argument::plain;
use super::command::{Git, Task, failed};
use crate::call::Call;
use crate::error::{self, Error, Key, Result};
use crate::page::paginate;
use crate::show::show_bytes;
use crate::station::Workstation;

/// What to do.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct Stash {
    /// A folder of the repository; default the first root
    pub repo: Option<String>,
    #[schemars(schema_with = "actions")]
    pub action: StashAction,
    /// What to call it
    pub message: Option<String>,
    #[serde(flatten)]
    pub page: PageRequest,
}

fn actions(_: &mut SchemaGenerator) -> Schema {
    one_of(["push", "pop", "list"])
}

/// What can be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StashAction {
    /// Put the changes of tracked files aside
    Push,
    /// Take the latest back
    Pop,
    List,
}

/// Something that was put aside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StashEntryView {
    /// Such as `stash@{0}`
    pub name: String,
    pub commit: String,
    pub date: String,
    pub message: String,
}

/// What is put aside now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StashView {
    /// The top folder of the repository
    pub root: String,
    pub action: StashAction,
    /// Whether something was put aside or taken back
    pub changed: bool,
    pub entries: Vec<StashEntryView>,
    #[serde(flatten)]
    pub page: Page,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub note: Option<String>,
}

/// Puts changes aside, takes them back, or lists what is aside.
pub fn stash(station: &Workstation, call: &Call<'_>, request: &Stash) -> Result<StashView> {
    let git = Git::open(station, call, request.repo.as_deref())?;
    let before = entries(&git)?;
    match request.action {
        StashAction::List => {}
        StashAction::Push => {
            let mut task = Task::new(["stash", "push", "--quiet"]).writing().insisting_on_filters();
            if let Some(message) = &request.message {
                task = task.with([format!("--message={}", plain("message", message)?)]);
            }
            if git.head()?.is_none() {
                return Err(Error::refused(Key::NothingToStash, "there is no commit yet"));
            }
            let submodules = git.submodules(&[])?;
            if !submodules.is_empty() {
                task = task.paths_without(&[".".into()], &submodules);
            }
            git.must(&task.doing("stash"))?;
        }
        StashAction::Pop => {
            if before.is_empty() {
                return Err(Error::refused(Key::NothingStashed, "nothing is put aside"));
            }
            let output = git.run(&Task::new(["stash", "pop", "--quiet"]).writing())?;
            if output.exit_code != 0 {
                return Err(pop_failed(&output));
            }
        }
    }
    let after: Vec<(String, StashEntryView)> =
        entries(&git)?.into_iter().enumerate().map(|(index, entry)| (format!("{index:09}"), entry)).collect();
    let list = ("stash", &git.repository.shown);
    let (entries, page) = paginate(
        &after,
        &request.page,
        &list,
        |(index, _)| Cow::Borrowed(index.as_bytes()),
        |(_, entry)| entry.clone(),
    )?;
    let note = git.note();
    let changed = page.total != before.len();
    Ok(StashView { root: git.repository.shown, action: request.action, changed, entries, page, note })
}

fn pop_failed(output: &super::command::Output) -> Error {
    let printed = format!("{}{}", show_bytes(&output.stdout).text, output.stderr);
    if printed.contains("CONFLICT") {
        return Error::refused(Key::StashConflict, "what was put aside is in conflict with the files here")
            .hint(
                error::Action::GitStatus.to("see the files in conflict, and resolve them; the stash is kept"),
            )
            .detail("stderr", printed.trim());
    }
    if printed.contains("would be overwritten") {
        return Error::refused(Key::WouldOverwrite, "changes here would be lost by taking the stash back")
            .hint("commit them first")
            .detail("stderr", printed.trim());
    }
    failed("take the stash back", output)
}

fn entries(git: &Git<'_>) -> Result<Vec<StashEntryView>> {
    let format = "--format=tformat:%gd%x00%H%x00%aI%x00%gs%x00";
    let output = git.must(&Task::new(["stash", "list", "-z", format]).doing("list the stash"))?;
    let fields: Vec<&[u8]> = output.stdout.split(|byte| *byte == 0).collect();
    let entry = |fields: &[&[u8]]| {
        let text = |index: usize| show_bytes(fields[index]).text;
        StashEntryView { name: text(0), commit: text(1), date: text(2), message: text(3) }
    };
    Ok(fields.chunks_exact(5).map(entry).collect())
}
