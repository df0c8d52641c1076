//! How an `init` comes to its plan: what each file is to be, and why some are left alone.

use hewto_store::{Agent, ContentHash, Context, DocKey, Layout, ReadError, RelPath, Store};

use super::{Action, PlannedView};
use crate::error::{Error, Result};
use crate::install::{FileChange, Manifest, Part, Record, Splice, Unreadable};

/// A configuration or an instruction file of this size is none.
const MAX_FILE_BYTES: usize = 1 << 20;

/// Why a configuration that connects the agent already is left alone.
pub(super) const OWN_ENTRY: &str = "it has an entry `hewto` of its own";

/// Gathers what is to be written, file by file.
pub(super) struct Planner {
    pub(super) store: Option<Store>,
    pub(super) manifest: Manifest,
    pub(super) renewed: Vec<Agent>,
    pub(super) changes: Vec<FileChange>,
    pub(super) lines: Vec<PlannedView>,
}

impl Planner {
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
        if self.store.as_ref().is_some_and(|store| store.stands(&path)) {
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
            self.manifest.found.extend(store.tree(ctx, folder)?);
        }
        self.manifest.found.sort();
        self.manifest.found.dedup();
        Ok(())
    }

    /// A part in a file that belongs to somebody else.
    pub(super) fn add_part(&mut self, ctx: &Context, named: &RelPath, part: &Part) -> Result<()> {
        ctx.check()?;
        let resolved = self.store.as_ref().map_or_else(|| Ok(named.clone()), |store| store.resolve(named));
        let path = match resolved {
            Ok(path) => path,
            Err(error) => {
                self.leave_unusable(named, error);
                return Ok(());
            }
        };
        if self.changes.iter().any(|change| change.path == path) {
            // Two names of one file.
            return Ok(());
        }
        if let Some(Err(error)) = self.store.as_ref().map(|store| store.check_writable(&path)) {
            // A file where a folder should be, or one that takes no writes.
            self.leave_unusable(&path, error);
            return Ok(());
        }
        let before = match self.read(ctx, &path) {
            Ok(Some(text)) if text.len() > MAX_FILE_BYTES => {
                self.leave(&path, "it is too large for what it should be", "look at the file");
                return Ok(());
            }
            Ok(text) => text,
            Err(error @ (ReadError::NotUtf8 { .. } | ReadError::File(_))) => {
                self.leave_unusable(&path, error);
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        if let Err(Unreadable(why)) = self.merge(&path, part, before) {
            let hint = match part {
                Part::Entry(_) => "mend the file and run `hewto init` again",
                Part::Section => "put the marks back in pairs, or remove them, and run `hewto init` again",
            };
            self.leave(&path, &why, hint);
        }
        Ok(())
    }

    fn merge(
        &mut self,
        path: &RelPath,
        part: &Part,
        before: Option<String>,
    ) -> std::result::Result<(), Unreadable> {
        let text = before.as_deref().unwrap_or_default();
        let known = self.manifest.files.get(path).cloned();
        let (action, base) = match part.find(text)? {
            None => (if before.is_some() { Action::Merge } else { Action::Create }, before.clone()),
            Some(there) if there == part.canonical() => {
                self.line(path, Action::Unchanged, "has it already", None);
                return Ok(());
            }
            Some(there) if known.as_ref().and_then(|record| record.part.as_ref()) == Some(&there) => {
                if matches!(part, Part::Entry(entry) if !self.renewed.contains(&entry.agent)) {
                    // Another place of the program is no reason to change what works; `doctor` looks at that.
                    self.line(path, Action::Unchanged, "has it already", None);
                    return Ok(());
                }
                (Action::Update, Some(without(part, known.as_ref(), text)?))
            }
            Some(_) => {
                let why = match part {
                    Part::Entry(_) => OWN_ENTRY,
                    Part::Section => "its section on hewto was edited",
                };
                self.leave(path, why, "keep it as it is, or remove it and run `hewto init` again");
                return Ok(());
            }
        };
        let base =
            base.filter(|base| action != Action::Update || known_before(known.as_ref()) || !base.is_empty());
        let after = part.add(base.as_deref().unwrap_or_default())?;
        self.line(path, action, part.what(), None);
        let record = Record {
            before: base.as_ref().map(|text| ContentHash::of(text.as_bytes())),
            after: ContentHash::of(after.as_bytes()),
            edit: Some(Splice::between(base.as_deref().unwrap_or_default(), &after)),
            part: Some(part.canonical()),
        };
        self.manifest.files.insert(path.clone(), record);
        self.changes.push(FileChange { path: path.clone(), before, after: Some(after) });
        Ok(())
    }

    /// The machine's `.gitignore` and the manifest, once there is something to put into it.
    pub(super) fn finish(
        &mut self,
        ctx: &Context,
        layout: &Layout,
        folders: &[RelPath],
        manifest_text: Option<String>,
    ) -> Result<()> {
        if self.changes.is_empty() && folders.is_empty() {
            return Ok(());
        }
        let (gitignore, text) = layout.gitignore();
        if self.read(ctx, &gitignore)?.is_none() {
            let record =
                Record { before: None, after: ContentHash::of(text.as_bytes()), edit: None, part: None };
            self.manifest.files.insert(gitignore.clone(), record);
            self.line(&gitignore, Action::Create, "what belongs to one machine", None);
            self.changes.push(FileChange { path: gitignore, before: None, after: Some(text.to_owned()) });
        }
        let path = layout.places().manifest.clone();
        let written: Vec<RelPath> =
            self.changes.iter().map(|change| change.path.clone()).chain([path.clone()]).collect();
        let above = written.iter().filter_map(RelPath::parent).chain(folders.iter().cloned());
        for folder in above.flat_map(|folder| folders_to(&folder)) {
            if !self.store.as_ref().is_some_and(|store| store.stands(&folder)) {
                self.manifest.add_folder(folder);
            }
        }
        let action = if manifest_text.is_some() { Action::Update } else { Action::Create };
        self.line(&path, action, "what was written, for `hewto uninstall`", None);
        self.changes.push(FileChange { path, before: manifest_text, after: Some(self.manifest.render()) });
        Ok(())
    }

    fn line(&mut self, path: &RelPath, action: Action, why: &str, hint: Option<&str>) {
        self.lines.push(PlannedView {
            file: path.to_string(),
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

/// The text as it was before hewto's part came.
fn without(part: &Part, record: Option<&Record>, text: &str) -> std::result::Result<String, Unreadable> {
    let edit = record.and_then(|record| record.edit.as_ref());
    match edit.and_then(|edit| edit.undo_anywhere(text)) {
        Some(base) => Ok(base),
        None => part.remove(text),
    }
}

/// Whether there was a file before hewto came.
fn known_before(record: Option<&Record>) -> bool {
    record.is_some_and(|record| record.before.is_some())
}

/// A folder and all that it is in.
fn folders_to(folder: &RelPath) -> Vec<RelPath> {
    let mut folders = vec![folder.clone()];
    while let Some(parent) = folders.last().and_then(RelPath::parent) {
        folders.push(parent);
    }
    folders
}
