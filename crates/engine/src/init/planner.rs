//! How an `init` comes to its plan: what each file is to be, and why some are left alone.

use hewto_store::{ContentHash, Context, DocKey, Layout, Own, ReadError, RelPath, STATE_GITIGNORE, Store};

use super::{Action, PlannedView, Purpose};
use crate::client::Agent;
use crate::error::{Error, Result};
use crate::install::{
    Decision, FileChange, Manifest, Part, Personal, PersonalChange, PersonalPlan, Record, ServerEntry,
    Unreadable, decide,
};

/// A configuration or an instruction file of this size is none.
const MAX_FILE_BYTES: usize = 1 << 20;

/// Gathers what is to be written, file by file.
pub(super) struct Planner {
    pub(super) store: Option<Store>,
    pub(super) manifest: Manifest,
    pub(super) renewed: Vec<Agent>,
    pub(super) changes: Vec<FileChange>,
    pub(super) lines: Vec<PlannedView>,
    /// Files of the person, written beside the commit.
    pub(super) personal: Vec<PersonalChange>,
    pub(super) purpose: Purpose,
}

impl Planner {
    pub(super) fn new(store: Option<Store>, purpose: Purpose) -> Self {
        Self {
            store,
            manifest: Manifest::default(),
            renewed: Vec::new(),
            changes: Vec::new(),
            lines: Vec::new(),
            personal: Vec::new(),
            purpose,
        }
    }

    /// A file that is hewto's own and out of date.
    pub(super) fn renew(&mut self, path: RelPath, before: Option<String>, text: String, what: &str) {
        self.line(&path, Action::Update, what, None);
        self.write_own(path, before, text);
    }

    pub(super) fn read(
        &self,
        ctx: &Context,
        path: &RelPath,
    ) -> std::result::Result<Option<String>, ReadError> {
        let Some(store) = &self.store else { return Ok(None) };
        Ok(store.read(ctx, &DocKey::File(path.clone()))?.map(|doc| doc.text))
    }

    /// A file of the workspace itself: written where there is none.
    pub(super) fn lay_out(&mut self, ctx: &Context, path: RelPath, text: String) -> Result<()> {
        if self.store.as_ref().is_some_and(|store| store.stands(&DocKey::File(path.clone()))) {
            self.line(&path, Action::Unchanged, "is there already", None);
            return Ok(());
        }
        ctx.check()?;
        self.line(&path, Action::Create, "the workspace", None);
        let record = Record { before: None, after: ContentHash::of(text.as_bytes()), edit: None, part: None };
        self.manifest.files.insert(path.clone(), record);
        self.changes.push(FileChange { path, before: None, after: Some(text) });
        Ok(())
    }

    /// Notes what stands in the folders of specs and changes before there is a workspace.
    pub(super) fn note_what_is_there(&mut self, ctx: &Context, layout: &Layout) -> Result<()> {
        let Some(store) = &self.store else { return Ok(()) };
        let changes = layout.change_roots().iter().flat_map(|root| [&root.changes, &root.archive]);
        for folder in layout.spec_roots().iter().map(|root| &root.path).chain(changes) {
            let below = store.tree(ctx, &folder.clone().into())?;
            self.manifest.found.extend(below.iter().filter_map(|below| folder.join(below).ok()));
        }
        self.manifest.found.sort();
        self.manifest.found.dedup();
        Ok(())
    }

    /// A part in a file that belongs to somebody else.
    pub(super) fn add_part(&mut self, ctx: &Context, named: &RelPath, part: &Part) -> Result<()> {
        let Some((path, before)) = self.usable(ctx, named)? else { return Ok(()) };
        if let Err(Unreadable(why)) = self.merge(ctx, &path, part, before)? {
            let hint = match part {
                Part::Entry(_) => "correct the file and run `hewto init` again",
                Part::Section => "put the marks back in pairs, or remove them, and run `hewto init` again",
            };
            self.leave(&path, &why, hint);
        }
        Ok(())
    }

    /// A file that is hewto's from the first byte to the last.
    pub(super) fn add_own(&mut self, ctx: &Context, named: &RelPath, text: &str) -> Result<()> {
        let Some((path, before)) = self.usable(ctx, named)? else { return Ok(()) };
        let known = self.manifest.files.get(&path).map(|record| record.after);
        let action = match &before {
            None => Action::Create,
            Some(there) if there == text => {
                self.line(&path, Action::Unchanged, "has it already", None);
                return Ok(());
            }
            Some(there) if known == Some(ContentHash::of(there.as_bytes())) => Action::Update,
            Some(_) if self.purpose == Purpose::Upgrade => {
                return self.put_beside(ctx, &path, "it was edited", text.to_owned());
            }
            Some(_) => {
                let why = if known.is_some() { "it was edited" } else { "somebody else wrote it" };
                self.leave(&path, why, "keep it as it is, or remove it and run `hewto init` again");
                return Ok(());
            }
        };
        self.line(&path, action, "a skill", None);
        self.write_own(path, before, text.to_owned());
        Ok(())
    }

    fn write_own(&mut self, path: RelPath, before: Option<String>, text: String) {
        let record = Record { before: None, after: ContentHash::of(text.as_bytes()), edit: None, part: None };
        self.manifest.files.insert(path.clone(), record);
        self.changes.push(FileChange { path, before, after: Some(text) });
    }

    /// Writes what the file would be now into one beside it.
    fn put_beside(&mut self, ctx: &Context, path: &RelPath, why: &str, text: String) -> Result<()> {
        let beside = RelPath::parse(&format!("{path}.new")).expect("a path with a suffix is a path");
        let there = self.read(ctx, &beside)?;
        let offered = self.manifest.files.get(&beside).map(|record| record.after);
        // Whoever has removed what was offered has seen it, and keeps their own.
        if there.is_none() && offered == Some(ContentHash::of(text.as_bytes())) {
            self.line(path, Action::Unchanged, "yours, and you have settled what hewto would write", None);
            return Ok(());
        }
        let hint = format!("compare it with {beside}, take over what you want, and remove {beside}");
        self.line(path, Action::Beside, why, Some(&hint));
        // A file of that name which is not as hewto left it belongs to a person.
        let is_ours = there.as_ref().is_none_or(|there| offered == Some(ContentHash::of(there.as_bytes())));
        if is_ours && there.as_deref() != Some(text.as_str()) {
            self.write_own(beside, there, text);
        }
        Ok(())
    }

    /// The real path of a file and its text, if it can be read and written; else says what is in the way.
    fn usable(&mut self, ctx: &Context, named: &RelPath) -> Result<Option<(RelPath, Option<String>)>> {
        ctx.check()?;
        let resolved = self.store.as_ref().map_or_else(|| Ok(named.clone()), |store| store.resolve(named));
        let path = match resolved {
            Ok(path) => path,
            Err(error) => {
                self.leave_unusable(named, error);
                return Ok(None);
            }
        };
        if self.changes.iter().any(|change| change.path == path) {
            // Two names of one file.
            return Ok(None);
        }
        if let Some(Err(error)) = self.store.as_ref().map(|store| store.machine().check_writable(&path)) {
            // A file where a folder should be, or one that takes no writes.
            self.leave_unusable(&path, error);
            return Ok(None);
        }
        match self.read(ctx, &path) {
            Ok(Some(text)) if text.len() > MAX_FILE_BYTES => {
                self.leave(&path, "it is too large for what it should be", "look at the file");
                Ok(None)
            }
            Ok(text) => Ok(Some((path, text))),
            Err(error @ (ReadError::NotUtf8 { .. } | ReadError::File(_))) => {
                self.leave_unusable(&path, error);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn merge(
        &mut self,
        ctx: &Context,
        path: &RelPath,
        part: &Part,
        before: Option<String>,
    ) -> Result<std::result::Result<(), Unreadable>> {
        let known = self.manifest.files.get(path).cloned();
        let renews = match part {
            Part::Entry(entry) => self.renewed.contains(&entry.agent),
            Part::Section => true,
        };
        match decide(part, known.as_ref(), before.as_deref(), renews) {
            Err(unreadable) => return Ok(Err(unreadable)),
            Ok(Decision::Unchanged) => self.line(path, Action::Unchanged, "has it already", None),
            Ok(Decision::Theirs(why)) if self.purpose == Purpose::Upgrade => {
                let text = before.as_deref().unwrap_or_default();
                match part.remove(text).and_then(|rest| part.add(&rest)) {
                    Ok(text) => self.put_beside(ctx, path, why, text)?,
                    Err(unreadable) => return Ok(Err(unreadable)),
                }
            }
            Ok(Decision::Theirs(why)) => {
                self.leave(path, why, "keep it as it is, or remove it and run `hewto init` again");
            }
            Ok(Decision::Write { renews, after, record }) => {
                let action = match &before {
                    _ if renews => Action::Update,
                    Some(_) => Action::Merge,
                    None => Action::Create,
                };
                self.line(path, action, part.what(), None);
                self.manifest.files.insert(path.clone(), record);
                self.changes.push(FileChange { path: path.clone(), before, after: Some(after) });
            }
        }
        Ok(Ok(()))
    }

    /// The entry in a file of the person's own.
    pub(super) fn add_personal(&mut self, personal: &Personal, entry: &ServerEntry) -> Result<()> {
        let renews = self.renewed.contains(&entry.agent);
        let Some((name, plan)) = personal.plan(entry, renews)? else { return Ok(()) };
        let part = Part::Entry(entry.clone());
        match plan {
            PersonalPlan::Unchanged => self.named(&name, Action::Unchanged, "has it already", None),
            PersonalPlan::Left(why) => {
                let hint = "correct the file, or remove the entry, and run `hewto init` again";
                self.named(&name, Action::LeftAlone, &why, Some(hint));
            }
            PersonalPlan::Change(change, renews) => {
                let action = match &change.before {
                    _ if renews => Action::Update,
                    Some(_) => Action::Merge,
                    None => Action::Create,
                };
                self.named(&name, action, part.what(), None);
                self.personal.push(*change);
            }
        }
        Ok(())
    }

    /// Tells of a file of the person's own that nobody has asked to be written.
    pub(super) fn mention_personal(&mut self, agent: Agent) {
        let hint = format!("run `hewto init --agents {}` to have it written", agent.name());
        self.named(agent.file(), Action::NotAsked, "it is your own, for all projects", Some(&hint));
    }

    /// The machine's `.gitignore` and the manifest, once there is something to put into it.
    pub(super) fn finish(
        &mut self,
        ctx: &Context,
        folders: &[RelPath],
        manifest_text: Option<String>,
    ) -> Result<()> {
        if self.changes.is_empty() && folders.is_empty() {
            return Ok(());
        }
        let (gitignore, text) = (Own::Gitignore.place(), STATE_GITIGNORE);
        if self.read(ctx, &gitignore)?.is_none() {
            let record =
                Record { before: None, after: ContentHash::of(text.as_bytes()), edit: None, part: None };
            self.manifest.files.insert(gitignore.clone(), record);
            self.line(&gitignore, Action::Create, "what belongs to one machine", None);
            self.changes.push(FileChange { path: gitignore, before: None, after: Some(text.to_owned()) });
        }
        let path = Own::Manifest.place();
        let written: Vec<RelPath> =
            self.changes.iter().map(|change| change.path.clone()).chain([path.clone()]).collect();
        let above = written.iter().filter_map(RelPath::parent).chain(folders.iter().cloned());
        for folder in above.flat_map(|folder| folders_to(&folder)) {
            if !self.store.as_ref().is_some_and(|store| store.has_folder(&folder.clone().into())) {
                self.manifest.add_folder(folder);
            }
        }
        let action = if manifest_text.is_some() { Action::Update } else { Action::Create };
        self.line(&path, action, "what was written, for `hewto uninstall`", None);
        self.changes.push(FileChange { path, before: manifest_text, after: Some(self.manifest.render()) });
        Ok(())
    }

    fn line(&mut self, path: &RelPath, action: Action, why: &str, hint: Option<&str>) {
        self.named(path.as_str(), action, why, hint);
    }

    fn named(&mut self, file: &str, action: Action, why: &str, hint: Option<&str>) {
        self.lines.push(PlannedView {
            file: file.to_owned(),
            action,
            why: why.to_owned(),
            hint: hint.map(str::to_owned),
        });
    }

    /// Leaves a file alone that cannot be read or written, and says what is in the way.
    fn leave_unusable(&mut self, path: &RelPath, error: impl Into<Error>) {
        let error: Error = error.into();
        self.leave(path, &error.to_string(), &error.plain_hint().unwrap_or_default());
    }

    fn leave(&mut self, path: &RelPath, why: &str, hint: &str) {
        self.line(path, Action::LeftAlone, why, Some(hint));
    }
}

/// A folder and all that it is in.
fn folders_to(folder: &RelPath) -> Vec<RelPath> {
    let mut folders = vec![folder.clone()];
    while let Some(parent) = folders.last().and_then(RelPath::parent) {
        folders.push(parent);
    }
    folders
}
