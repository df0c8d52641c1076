//! `change_update`: edits any part of an open change and leaves the rest.

use std::collections::BTreeMap;

use hewto_core::change::{BaseRecord, Origin};
use hewto_core::delta::{DeltaDoc, NewDelta};
use hewto_core::document::Document;
use hewto_core::id::SpecId;
use hewto_core::tasks::{self, NewGroup, NewStep, NewTasks, PLACEHOLDER, TasksDoc};
use hewto_store::change_files::{BASE, DESIGN, PROPOSAL, TASKS, delta_to};
use hewto_store::{Context, Doc, DocKey, Expect, Transaction};

use super::ChangeFolder;
use super::bases;
use super::compose::{DeltaContext, compose};
use super::create::overlaps_of;
use super::edits::{taken_out, with_section};
use super::folder::read_file;
use super::item_name;
use super::meant::{capability_meant, no_name, twice};
use crate::check::{Strictness, validate_change};
use crate::claim;
use crate::error::{Error, Result};
use crate::faults::Faults;
use crate::item::{Item, refuse_archived};
use crate::text;
use crate::view::ChangeUpdated;
use crate::workspace::Workspace;

/// The heading of tasks that were given as plain titles.
const TASK_GROUP: &str = "Implementation";

/// What is to change in a change; everything absent stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeEdit {
    pub why: Option<String>,
    pub what_changes: Option<String>,
    /// The whole of `design.md`; a blank one takes it out.
    pub design: Option<String>,
    /// Titles: replaces all tasks; those whose title stays keep their tick and notes.
    pub tasks: Option<Vec<String>>,
    /// Titles of further tasks.
    pub add_tasks: Vec<String>,
    /// By capability: each requirement takes the place of the one of its name, or is added.
    pub deltas: BTreeMap<String, NewDelta>,
    /// By capability: names of requirements whose entries go; none takes out the whole delta.
    pub take_out: BTreeMap<String, Vec<String>>,
}

/// Edits a change and judges it.
pub fn update(ws: &Workspace, ctx: &Context, id: &str, change: &ChangeEdit) -> Result<ChangeUpdated> {
    if *change == ChangeEdit::default() && ctx.misread().is_empty() {
        return Err(Error::nothing_to_update(
            "why, what_changes, design, tasks, add_tasks, deltas or take_out",
        ));
    }
    let in_git = !change.deltas.is_empty() && bases::is_in_git(ws, ctx);
    let (lock, ref ws) = claim::lock(ws, ctx, &item_name(id), None, Workspace::lock)?;
    let mut faults = Faults::begin(ctx);
    let Some(folder) = faults.take(named(ws, ctx, id)) else {
        judge_alone(change, &mut faults);
        return Err(faults.finish().err().unwrap_or_else(|| Error::validation("there is no such change")));
    };
    let item = Item::load(ws, ctx, &format!("change:{}", folder.id()))?;
    refuse_archived(id, &item.state()?)?;
    let mut files = Files { folder: &folder, written: Vec::new(), record: None };
    files.proposal(change, &mut faults)?;
    files.design(ws, ctx, change, &mut faults)?;
    files.tasks(change, &mut faults)?;
    files.deltas(ws, ctx, change, &mut faults)?;
    faults.finish()?;
    if let Some(record) = files.record.take() {
        let is_local = folder.base.is_none() && (in_git || folder.kept.is_some());
        if !(is_local && bases::keep(ws, folder.id(), &record)) {
            let json = Some(record.to_json()).filter(|_| !record.capabilities.is_empty());
            files.write(BASE, folder.base.clone(), json);
        }
    }
    let mut transaction = Transaction::new();
    let mut diff = String::new();
    let mut changed = Vec::new();
    for File { name, before, after } in &files.written {
        let old = before.as_ref().map(|doc| doc.text.as_str());
        if old == after.as_deref() {
            continue;
        }
        let key = folder
            .entry
            .folder
            .document(name)
            .map_err(|error| Error::invalid_argument("deltas", "a capability", error.to_string()))?;
        let expect = before.as_ref().map_or(Expect::Absent, |doc| Expect::Hash(doc.hash));
        match after {
            Some(text) => transaction.put(key.clone(), text.as_str(), expect),
            None => transaction.delete(key.clone(), expect),
        };
        if *name != BASE {
            let (old, new) = (old.unwrap_or_default(), after.as_deref().unwrap_or_default());
            let file = similar::TextDiff::from_lines(old, new);
            diff.push_str(&file.unified_diff().context_radius(1).header(name, name).to_string());
        }
        changed.push(key.to_string());
    }
    if !changed.is_empty() {
        lock.commit(ctx, transaction)?;
    }
    drop(lock);
    Ok(ChangeUpdated {
        change_id: folder.id().to_owned(),
        updated: !changed.is_empty(),
        files: changed,
        diff,
        overlaps: overlaps_of(ws, ctx, folder.id())?,
        validation: validate_change(ws, ctx, Some(folder.id()), Strictness::Normal)?,
    })
}

/// The change that somebody named, or which argument names none.
pub(super) fn named(ws: &Workspace, ctx: &Context, id: &str) -> Result<ChangeFolder> {
    ChangeFolder::load(ws, ctx, id).map_err(|error| error.detail_unless_set("field", "change_id"))
}

/// What is wrong with an edit whatever it is an edit of.
fn judge_alone(change: &ChangeEdit, faults: &mut Faults) {
    for (field, text) in [("why", &change.why), ("what_changes", &change.what_changes)] {
        faults.take(text.as_ref().map(|text| text::required(field, text)).transpose());
    }
    for (field, titles) in
        [("tasks", change.tasks.as_deref().unwrap_or_default()), ("add_tasks", &change.add_tasks)]
    {
        task_titles(field, titles, &[], None, faults);
    }
    for name in change.deltas.keys() {
        faults.take(capability_meant(name));
    }
}

/// The answer to somebody who looked at a change to edit it and left everything as it was.
pub fn untouched(ws: &Workspace, ctx: &Context, id: &str) -> Result<ChangeUpdated> {
    let folder = ChangeFolder::load(ws, ctx, id)?;
    Ok(ChangeUpdated {
        change_id: folder.id().to_owned(),
        updated: false,
        files: Vec::new(),
        diff: String::new(),
        overlaps: overlaps_of(ws, ctx, folder.id())?,
        validation: validate_change(ws, ctx, Some(folder.id()), Strictness::Normal)?,
    })
}

/// The titles of the tasks there are, and the last number among them.
fn known_tasks(text: &str) -> (Vec<String>, Option<String>) {
    let document = Document::parse(text);
    let list = TasksDoc::read(&document);
    let last = list.tasks().filter_map(|task| task.number).last();
    (list.tasks().map(|task| task.title.to_owned()).collect(), last.map(str::to_owned))
}

/// The titles somebody sent, without the boxes and numbers that a list gives them.
fn task_titles(
    field: &str,
    given: &[String],
    known: &[String],
    last: Option<&str>,
    faults: &mut Faults,
) -> Vec<String> {
    let checked = given.iter().enumerate();
    let checked: Vec<String> = checked
        .filter_map(|(index, title)| faults.take(text::title(&format!("{field}/{index}"), title)))
        .collect();
    let titles: Vec<&str> = checked.iter().map(String::as_str).collect();
    let is_known = |title: &str| known.iter().any(|known| known.to_lowercase() == title.to_lowercase());
    let counted = tasks::uncounted(&titles, last);
    let meant = titles.iter().zip(counted).map(|(title, counted)| match tasks::bare_title(title) {
        _ if is_known(title) => *title,
        bare if is_known(bare) => bare,
        _ => counted,
    });
    meant.map(str::to_owned).collect()
}

/// A file of the change before and after the edit.
struct File {
    /// Below the change's folder.
    name: String,
    before: Option<Doc>,
    after: Option<String>,
}

struct Files<'f> {
    folder: &'f ChangeFolder,
    written: Vec<File>,
    /// The bases, where they are others now.
    record: Option<BaseRecord>,
}

impl Files<'_> {
    fn write(&mut self, name: &str, before: Option<Doc>, after: Option<String>) {
        self.written.push(File { name: name.to_owned(), before, after });
    }

    #[expect(clippy::unnecessary_wraps, reason = "as the other parts of a change, which can fail")]
    fn proposal(&mut self, change: &ChangeEdit, faults: &mut Faults) -> Result<()> {
        let mut edits = Vec::new();
        for (field, title, given) in
            [("why", "Why", &change.why), ("what_changes", "What Changes", &change.what_changes)]
        {
            let Some(given) = given else { continue };
            edits.extend(faults.take(text::required(field, given)).map(|text| (field, title, text)));
        }
        if edits.is_empty() {
            return Ok(());
        }
        let before = self.folder.proposal.clone();
        let start = || format!("# Change: {}\n", self.folder.title());
        let mut text = before.as_ref().map_or_else(start, |doc| doc.text.clone());
        for (field, title, new) in edits {
            match with_section(&text, title, &new) {
                Some(edited) => text = edited,
                None => faults.push(
                    Error::validation(format!("`{field}` does not read back as it was given"))
                        .detail("field", field)
                        .hint("close every code fence and comment, and write no headings of rank 1 or 2"),
                ),
            }
        }
        self.write(PROPOSAL, before, Some(text));
        Ok(())
    }

    fn design(
        &mut self,
        ws: &Workspace,
        ctx: &Context,
        change: &ChangeEdit,
        faults: &mut Faults,
    ) -> Result<()> {
        let Some(design) = &change.design else { return Ok(()) };
        let before = read_file(ws, ctx, self.folder.entry.file(DESIGN))?;
        if let Some(design) = faults.take(text::free("design", design)) {
            let end = design.trim_end();
            let same = before.as_ref().filter(|doc| doc.text.trim_end() == end).map(|doc| doc.text.clone());
            let text = same.unwrap_or_else(|| format!("{end}\n"));
            self.write(DESIGN, before, Some(text).filter(|_| !end.is_empty()));
        }
        Ok(())
    }

    #[expect(clippy::unnecessary_wraps, reason = "as the other parts of a change, which can fail")]
    fn tasks(&mut self, change: &ChangeEdit, faults: &mut Faults) -> Result<()> {
        if change.tasks.is_none() && change.add_tasks.is_empty() {
            return Ok(());
        }
        let planned = self.folder.planned_tasks().map(|doc| doc.text.clone());
        let (known, last) = planned.as_ref().map_or_else(Default::default, |text| known_tasks(text));
        let mut titles = match &change.tasks {
            Some(tasks) => task_titles("tasks", tasks, &known, None, faults),
            None => known.clone(),
        };
        let last = last.as_deref().filter(|_| change.tasks.is_none());
        titles.extend(task_titles("add_tasks", &change.add_tasks, &known, last, faults));
        let steps: Vec<NewStep> =
            titles.into_iter().map(|title| NewStep { title, ..NewStep::default() }).collect();
        let text = match planned {
            None if steps.is_empty() => PLACEHOLDER.to_owned(),
            Some(text) => {
                let left = tasks::replace_steps(&text, &steps).text;
                // Where nothing but headings is left of a list, it waits to be planned again.
                let is_bare = left.lines().all(|line| line.trim().is_empty() || line.starts_with('#'));
                if steps.is_empty() && is_bare { PLACEHOLDER.to_owned() } else { left }
            }
            None => tasks::render(&NewTasks {
                approach: None,
                groups: vec![NewGroup { name: TASK_GROUP.to_owned(), steps }],
            }),
        };
        self.write(TASKS, self.folder.tasks.clone(), Some(text));
        Ok(())
    }

    fn deltas(
        &mut self,
        ws: &Workspace,
        ctx: &Context,
        change: &ChangeEdit,
        faults: &mut Faults,
    ) -> Result<()> {
        let mut record = self.folder.recorded_bases();
        let mut touched = false;
        let names: std::collections::BTreeSet<&String> =
            change.deltas.keys().chain(change.take_out.keys()).collect();
        let mut seen = std::collections::BTreeSet::new();
        for name in names {
            let Some(capability) = faults.take(capability_meant(name)) else { continue };
            if !seen.insert(capability.clone()) {
                faults.push(twice(name, &capability));
                continue;
            }
            let known = self.folder.deltas.iter().find(|delta| delta.capability == capability);
            let before = known.map(|delta| delta.document.clone());
            let mut text = before.as_ref().map(|doc| doc.text.clone());
            if let Some(names) = change.take_out.get(name) {
                match taken_out(self.folder, capability.as_str(), text.as_deref(), names) {
                    Ok(left) => text = left,
                    Err(error) => faults.push(error),
                }
            }
            let current = ws.store().read(ctx, &DocKey::Spec(capability.clone()))?.map(|doc| doc.text);
            if current.is_none() && known.is_none() && !capability.is_plain() {
                faults.push(no_name(name, &capability));
            }
            if let Some(delta) = change.deltas.get(name) {
                let around = DeltaContext {
                    capability: capability.as_str(),
                    spec: current.as_deref(),
                    delta: text.as_deref(),
                };
                match compose(&around, delta) {
                    Ok(new) => text = Some(new),
                    Err(error) => faults.push(error),
                }
            }
            touched = true;
            rebased(&mut record, &capability, text.as_deref(), current.as_deref());
            self.write(&delta_to(capability.as_str()), before, text);
        }
        self.record = Some(record).filter(|record| touched && *record != self.folder.recorded_bases());
        Ok(())
    }
}

/// Takes the bases of what an edit brought, and forgets those of what it took out.
fn rebased(record: &mut BaseRecord, capability: &SpecId, delta: Option<&str>, spec: Option<&str>) {
    match delta {
        Some(text) => {
            let document = Document::parse(text);
            record.record(capability.as_str(), &DeltaDoc::read(&document), spec, Origin::Written);
        }
        None => drop(record.capabilities.remove(capability.as_str())),
    }
}
