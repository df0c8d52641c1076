//! `uninstall`: takes back what `init` wrote, byte for byte.
//!
//! What people have edited since is told of and left. Specs, changes and decisions stay unless they are asked to go
//! ([`Extent::Everything`]). All documents go in one commit; then the empty folders and the machine's own files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hewto_core::decision::uid::Uid;
use hewto_store::{
    ContentHash, Context, DocKey, Expect, Layout, LayoutKind, ReadError, RelPath, Store, Transaction,
    discover_remains,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{Error, Kind, Result};
use crate::install::{FileChange, Manifest, Part, Record, part_of, unified};

/// How much goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// What `init` wrote, and what belongs to the machine.
    Installation,
    /// Specs, changes and decisions too.
    Everything,
}

/// What `uninstall` did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UninstallView {
    pub root: String,
    /// Files that have their old bytes again
    pub restored: Vec<String>,
    pub deleted: Vec<String>,
    /// Folders of hewto's own, and folders that `init` made and that are empty
    pub folders: Vec<String>,
    /// Files that were left alone although hewto's part is in them
    pub kept: Vec<KeptView>,
    pub complete: bool,
    /// The unified diff of what would be written; with `--dry-run` only
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// A file that was left alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KeptView {
    pub file: String,
    pub why: String,
    pub hint: String,
}

/// What an `uninstall` is going to do.
#[derive(Debug)]
pub struct Plan {
    store: Store,
    /// Files whose bytes matter.
    changes: Vec<FileChange>,
    /// Documents that go unread.
    purged: BTreeMap<RelPath, ContentHash>,
    folders: Vec<RelPath>,
    kept: Vec<KeptView>,
}

/// Looks at everything and writes nothing.
pub fn plan(start: &Path, ctx: &Context, extent: Extent) -> Result<Plan> {
    let layout = discover_remains(start).map_err(|_| nothing_here(start))?;
    let store = Store::open(layout)?;
    let places = store.layout().places().clone();
    let manifest_text = store.read(ctx, &DocKey::File(places.manifest.clone()))?.map(|doc| doc.text);
    let manifest = Manifest::read(&places.manifest, manifest_text.as_deref())?;
    let mut planner =
        Planner { store: &store, changes: Vec::new(), kept: Vec::new(), rest: Manifest::default() };
    for (path, record) in &manifest.files {
        planner.take_back(ctx, path, record)?;
    }
    planner.look_for_loose_ends(ctx, &manifest)?;
    let (mut changes, mut kept, mut rest) = (planner.changes, planner.kept, planner.rest);
    let mut folders = manifest.folders.clone();
    let mut purged = BTreeMap::new();
    if extent == Extent::Everything {
        let mut purge = Purge { store: &store, files: BTreeMap::new(), folders: BTreeSet::new() };
        purge.all(ctx, &manifest)?;
        kept.retain(|kept| !purge.files.keys().any(|path| path.as_str() == kept.file));
        rest.files.retain(|path, _| !purge.files.contains_key(path));
        changes.retain(|change| !purge.files.contains_key(&change.path));
        purge.files.remove(&places.manifest);
        folders.extend(purge.folders);
        purged = purge.files;
    }
    if manifest_text.is_some() {
        // What could not be taken back now can be taken back later.
        rest.folders = if rest.files.is_empty() { Vec::new() } else { manifest.folders.clone() };
        let after = if rest.is_empty() { None } else { Some(rest.render()) };
        changes.push(FileChange { path: places.manifest, before: manifest_text, after });
    }
    folders.sort();
    folders.dedup();
    Ok(Plan { store, changes, purged, folders, kept })
}

impl Plan {
    pub fn root(&self) -> &Path {
        self.store.layout().root()
    }

    /// Documents that people wrote and that would be gone.
    pub fn purged(&self) -> usize {
        self.purged.len()
    }

    /// What would be done, with the diff.
    pub fn preview(&self, ctx: &Context) -> Result<UninstallView> {
        let mut changes = self.changes.clone();
        for path in self.purged.keys() {
            // A file that is no text has no diff; it is in the list all the same.
            if let Ok(Some(doc)) = self.store.read(ctx, &DocKey::File(path.clone())) {
                changes.push(FileChange { path: path.clone(), before: Some(doc.text), after: None });
            }
        }
        let folders = self.folders.iter().filter(|folder| self.store.stands(folder)).map(shown).collect();
        Ok(UninstallView { diff: Some(unified(&changes)), ..self.view(folders) })
    }

    /// Takes everything back.
    pub fn carry_out(self, ctx: &Context) -> Result<UninstallView> {
        let guard = self.store.lock(ctx)?;
        let stranded = self.store.stranded()?;
        let mut transaction = Transaction::new();
        for FileChange { path, before, after } in &self.changes {
            let expect = match before {
                Some(text) => Expect::Hash(ContentHash::of(text.as_bytes())),
                None => Expect::Absent,
            };
            match after {
                Some(text) => transaction.put(DocKey::File(path.clone()), text.as_str(), expect),
                None => transaction.delete(DocKey::File(path.clone()), expect),
            };
        }
        for (path, hash) in &self.purged {
            transaction.delete(DocKey::File(path.clone()), Expect::Hash(*hash));
        }
        guard.commit(ctx, transaction)?;
        let mut gone: Vec<String> = guard.remove_empty(&self.folders)?.iter().map(shown).collect();
        let mut kept = self.kept.clone();
        if stranded.is_empty() {
            let state = self.store.layout().gitignore().0.parent();
            guard.dismantle()?;
            gone.extend(state.filter(|folder| !self.store.stands(folder)).as_ref().map(shown));
        } else {
            kept.extend(stranded.iter().filter_map(|write| write.kept.as_ref()).map(|path| KeptView {
                file: path.to_string(),
                why: "a text waits there that could not be written".to_owned(),
                hint: "look at it, move what you need, delete it, and run `hewto uninstall` again".to_owned(),
            }));
        }
        gone.sort();
        gone.dedup();
        let complete = kept.is_empty();
        Ok(UninstallView { kept, complete, ..self.view(gone) })
    }

    fn view(&self, folders: Vec<String>) -> UninstallView {
        let of = |kept: bool| {
            let changes = self.changes.iter().filter(move |change| change.after.is_some() == kept);
            changes.map(|change| change.path.to_string())
        };
        let manifest = self.store.layout().places().manifest.to_string();
        UninstallView {
            root: self.root().display().to_string(),
            restored: of(true).filter(|path| *path != manifest).collect(),
            deleted: of(false).chain(self.purged.keys().map(ToString::to_string)).collect(),
            folders,
            kept: self.kept.clone(),
            complete: self.kept.is_empty(),
            diff: None,
        }
    }
}

struct Planner<'a> {
    store: &'a Store,
    changes: Vec<FileChange>,
    kept: Vec<KeptView>,
    /// The records of what is kept.
    rest: Manifest,
}

impl Planner<'_> {
    fn take_back(&mut self, ctx: &Context, path: &RelPath, record: &Record) -> Result<()> {
        ctx.check()?;
        let text = match self.store.read(ctx, &DocKey::File(path.clone())) {
            Ok(Some(doc)) => doc.text,
            Ok(None) => return Ok(()),
            Err(error @ (ReadError::NotUtf8 { .. } | ReadError::File(_))) => {
                self.keep(path, record, &error.to_string(), error.hint());
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        match before(path, record, &text) {
            Before::Text(after) if after.as_deref() == Some(text.as_str()) => {}
            Before::Text(after) => {
                self.changes.push(FileChange { path: path.clone(), before: Some(text), after });
            }
            Before::Edited(why) => {
                self.keep(path, record, &why, "remove hewto's part by hand, or keep it");
            }
        }
        Ok(())
    }

    /// A native workspace that no manifest knows of.
    fn look_for_loose_ends(&mut self, ctx: &Context, manifest: &Manifest) -> Result<()> {
        let layout = self.store.layout();
        let config = &layout.places().config;
        let is_ours = layout.has(LayoutKind::Native);
        if is_ours
            && !manifest.files.contains_key(config)
            && self.store.read(ctx, &DocKey::File(config.clone()))?.is_some()
        {
            self.kept.push(KeptView {
                file: config.to_string(),
                why: "`hewto init` did not write it, as far as the manifest tells".to_owned(),
                hint: "delete it by hand, or run `hewto uninstall --purge`".to_owned(),
            });
        }
        Ok(())
    }

    fn keep(&mut self, path: &RelPath, record: &Record, why: &str, hint: &str) {
        self.kept.push(KeptView { file: path.to_string(), why: why.to_owned(), hint: hint.to_owned() });
        self.rest.files.insert(path.clone(), record.clone());
    }
}

enum Before {
    /// `None`: there was no file.
    Text(Option<String>),
    Edited(String),
}

/// What a file was before hewto came, as far as its present text tells.
fn before(path: &RelPath, record: &Record, text: &str) -> Before {
    let is_untouched = ContentHash::of(text.as_bytes()) == record.after;
    match (&record.edit, record.before) {
        (_, None) if is_untouched => return Before::Text(None),
        (Some(edit), Some(before)) if is_untouched => {
            let restored = edit.undo_exactly(text).filter(|text| ContentHash::of(text.as_bytes()) == before);
            return restored.map_or_else(
                || Before::Edited("the manifest does not match it".to_owned()),
                |text| Before::Text(Some(text)),
            );
        }
        _ => {}
    }
    let (Some(part), Some(written)) = (part_of(path), &record.part) else {
        return Before::Edited("it was edited".to_owned());
    };
    match part.find(text) {
        Err(why) => Before::Edited(why.0),
        Ok(None) => Before::Text(Some(text.to_owned())),
        Ok(Some(there)) if there == *written => match take_out(&part, record, text) {
            Some(rest) if record.before.is_none() && part.is_shell(&rest) => Before::Text(None),
            Some(rest) => Before::Text(Some(rest)),
            None => Before::Edited("hewto's part cannot be told apart from the rest".to_owned()),
        },
        Ok(Some(_)) => Before::Edited("hewto's part in it was edited".to_owned()),
    }
}

/// The text without the part: by the edit that put it there, else by what the part looks like.
fn take_out(part: &Part, record: &Record, text: &str) -> Option<String> {
    let is_out = |text: &String| matches!(part.find(text), Ok(None));
    let by_edit = record.edit.as_ref().and_then(|edit| edit.undo_anywhere(text)).filter(is_out);
    by_edit.or_else(|| part.remove(text).ok().filter(is_out))
}

/// Collects specs, changes and decisions.
struct Purge<'a> {
    store: &'a Store,
    files: BTreeMap<RelPath, ContentHash>,
    folders: BTreeSet<RelPath>,
}

impl Purge<'_> {
    fn all(&mut self, ctx: &Context, manifest: &Manifest) -> Result<()> {
        let layout: &Layout = self.store.layout();
        let places = layout.places();
        let is_ours = |kind: LayoutKind| {
            // Another tool's files stay, unless it was hewto that laid them out.
            kind == LayoutKind::Native
                || manifest.files.keys().any(|path| {
                    path.starts_with(&format!(".{kind}/")) || path.starts_with(&format!("{kind}/"))
                })
        };
        for root in layout.spec_roots().iter().filter(|root| root.owners.iter().copied().any(is_ours)) {
            self.tree(ctx, &root.path)?;
        }
        for root in layout.change_roots().iter().filter(|root| is_ours(root.owner)) {
            self.tree(ctx, &root.changes)?;
            self.tree(ctx, &root.archive)?;
        }
        for folder in [&places.scratchpad, &places.templates] {
            self.tree(ctx, folder)?;
        }
        for folder in [&places.decisions, &places.task_archive] {
            // Records of other tools may stand in the same folder.
            for name in
                self.store.file_names(ctx, folder)?.iter().filter(|name| Uid::of_file_name(name).is_some())
            {
                if let Ok(path) = folder.join(name) {
                    self.file(ctx, &path)?;
                }
            }
        }
        for file in [
            &places.current_task,
            &places.architecture_state,
            &places.agent_prompt,
            &places.questions,
            &places.config,
        ] {
            self.file(ctx, file)?;
        }
        Ok(())
    }

    fn tree(&mut self, ctx: &Context, folder: &RelPath) -> Result<()> {
        for path in self.store.tree(ctx, folder)? {
            self.file(ctx, &path)?;
        }
        self.folders.insert(folder.clone());
        Ok(())
    }

    fn file(&mut self, ctx: &Context, path: &RelPath) -> Result<()> {
        if let Some(bytes) = self.store.read_bytes(ctx, &DocKey::File(path.clone()))? {
            self.files.insert(path.clone(), ContentHash::of(&bytes));
            self.folders.extend(std::iter::successors(path.parent(), RelPath::parent));
        }
        Ok(())
    }
}

fn shown(folder: &RelPath) -> String {
    format!("{folder}/")
}

fn nothing_here(start: &Path) -> Error {
    let message = format!("there is nothing to uninstall at or above: {}", start.display());
    Error::new(Kind::Refused, "nothing_to_uninstall", None, message)
        .hint("run it in the folder in which `hewto init` was run")
}
