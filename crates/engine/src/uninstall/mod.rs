//! `uninstall`: takes back what `init` wrote, byte for byte.
//!
//! What people have edited since is told of and left. Specs, changes and decisions stay unless they are asked to go
//! ([`Extent::Everything`]). All documents go in one commit; then the empty folders and the machine's own files, those
//! that lie in the git folder of a repository that was no workspace at the time included.

mod purge;
mod take_back;

use std::collections::BTreeMap;
use std::path::Path;

use hewto_store::{
    ContentHash, Context, DocFolder, DocKey, Expect, Own, RelPath, Store, Transaction, WriteGuard,
    discover_remains, discover_repository_state,
};
use schemars::JsonSchema;
use serde::Serialize;

use self::purge::Purge;
use self::take_back::Planner;
use crate::check::distrust;
use crate::error::{Error, Key, Kind, Result};
use crate::install::{FileChange, Manifest, Personal, PersonalChange, unified, unified_personal};

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
    /// The same repository as it was before it became a workspace, where that left something in its git folder.
    before: Option<Store>,
    /// Files whose bytes matter.
    changes: Vec<FileChange>,
    /// Documents that go unread.
    purged: BTreeMap<RelPath, ContentHash>,
    folders: Vec<DocFolder>,
    kept: Vec<KeptView>,
    /// Files in the home of whoever asks, and where they are.
    personal: Vec<PersonalChange>,
    owner: Option<Personal>,
}

/// Looks at everything and writes nothing.
pub fn plan(start: &Path, ctx: &Context, extent: Extent, owner: Option<Personal>) -> Result<Plan> {
    let (layout, before) = match discover_remains(start) {
        Ok(layout) => {
            let before = discover_repository_state(layout.root()).filter(|own| own.root() == layout.root());
            (layout, before)
        }
        Err(_) => (discover_repository_state(start).ok_or_else(|| nothing_here(start))?, None),
    };
    let store = Store::open(layout)?;
    let before = before.map(Store::open).transpose()?;
    let manifest_text = store.read(ctx, &DocKey::Own(Own::Manifest))?.map(|doc| doc.text);
    let manifest = Manifest::read(manifest_text.as_deref())?;
    let mut planner = Planner::new(&store);
    for (path, record) in &manifest.files {
        planner.take_back(ctx, path, record)?;
    }
    planner.look_for_loose_ends(ctx, &manifest)?;
    planner.take_back_imports(ctx)?;
    let (mut changes, mut kept, mut rest) = (planner.changes, planner.kept, planner.rest);
    let mut folders: Vec<DocFolder> = manifest.folders.iter().cloned().map(DocFolder::from).collect();
    folders.push(store.places().imports.clone());
    let mut purged = BTreeMap::new();
    if extent == Extent::Everything {
        let mut purge = Purge::new(&store);
        purge.all(ctx, &manifest)?;
        kept.retain(|kept| !purge.files.keys().any(|path| path.as_str() == kept.file));
        rest.files.retain(|path, _| !purge.files.contains_key(path));
        changes.retain(|change| !purge.files.contains_key(&change.path));
        purge.files.remove(&Own::Manifest.place());
        folders.extend(purge.folders);
        purged = purge.files;
    }
    if manifest_text.is_some() {
        // What could not be taken back now can be taken back later.
        rest.folders = if rest.files.is_empty() { Vec::new() } else { manifest.folders.clone() };
        rest.found = if rest.files.is_empty() { Vec::new() } else { manifest.found.clone() };
        let after = if rest.is_empty() { None } else { Some(rest.render()) };
        changes.push(FileChange { path: Own::Manifest.place(), before: manifest_text, after });
    }
    folders.sort();
    folders.dedup();
    let mut personal = Vec::new();
    if let Some(owner) = &owner {
        let (changes, left) = owner.take_back(&store.root().to_string_lossy())?;
        personal = changes;
        let hint = "remove hewto's entry by hand, or keep it".to_owned();
        kept.extend(left.into_iter().map(|(file, why)| KeptView { file, why, hint: hint.clone() }));
    }
    Ok(Plan { store, before, changes, purged, folders, kept, personal, owner })
}

impl Plan {
    pub fn root(&self) -> &Path {
        self.store.root()
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
        let folders = self.folders.iter().filter(|folder| self.store.has_folder(folder)).map(shown);
        let own = self
            .stores()
            .filter(|store| store.machine().stands_state())
            .map(|store| store.machine().shown_home());
        let diff = unified(&changes) + &unified_personal(&self.personal);
        Ok(UninstallView { diff: Some(diff), ..self.view(folders.chain(own).collect()) })
    }

    /// Takes everything back.
    pub fn carry_out(self, ctx: &Context) -> Result<UninstallView> {
        let guard = self.store.lock(ctx)?;
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
        if let Some(owner) = &self.owner {
            for change in &self.personal {
                owner.carry_out(change)?;
            }
            owner.clear(&self.personal)?;
        }
        let mut gone: Vec<String> = guard.remove_empty(&self.folders)?.iter().map(shown).collect();
        let mut kept = self.kept.clone();
        take_apart(&self.store, guard, ctx, &mut kept)?;
        if let Some(before) = &self.before {
            take_apart(before, before.lock(ctx)?, ctx, &mut kept)?;
        }
        gone.extend(
            self.stores()
                .filter(|store| !store.machine().stands_state())
                .map(|store| store.machine().shown_home()),
        );
        gone.sort();
        gone.dedup();
        let complete = kept.is_empty();
        Ok(UninstallView { kept, complete, ..self.view(gone) })
    }

    fn stores(&self) -> impl Iterator<Item = &Store> {
        std::iter::once(&self.store).chain(&self.before)
    }

    fn view(&self, folders: Vec<String>) -> UninstallView {
        let of = |kept: bool| {
            let changes = self.changes.iter().filter(move |change| change.after.is_some() == kept);
            changes.map(|change| change.path.to_string())
        };
        let personal = |kept: bool| {
            let changes = self.personal.iter().filter(move |change| change.after.is_some() == kept);
            changes.filter(|change| change.before.is_some()).map(|change| change.name.clone())
        };
        let manifest = Own::Manifest.path();
        UninstallView {
            root: self.root().display().to_string(),
            restored: of(true).filter(|path| *path != manifest).chain(personal(true)).collect(),
            deleted: of(false)
                .chain(personal(false))
                .chain(self.purged.keys().map(ToString::to_string))
                .collect(),
            folders,
            kept: self.kept.clone(),
            complete: self.kept.is_empty(),
            diff: None,
        }
    }
}

/// Removes the machine's part, unless somebody has yet to look at something in its journal.
fn take_apart(store: &Store, guard: WriteGuard, ctx: &Context, kept: &mut Vec<KeptView>) -> Result<()> {
    let machine = store.machine();
    let waiting = kept.len();
    let remains = machine.journal_remains(ctx)?;
    kept.extend(remains.stranded.iter().map(|write| KeptView {
        file: machine.shown(write.kept.as_ref().unwrap_or(&write.path)),
        why: "a text waits there that could not be written".to_owned(),
        hint: "look at it, move what you need, delete it, and run `hewto uninstall` again".to_owned(),
    }));
    kept.extend(remains.distrusted.iter().map(|(path, why)| KeptView {
        file: machine.shown(path),
        why: format!("this record of a write is ignored: {}", distrust(*why)),
        hint: "look at the texts beside it, then delete it, and run `hewto uninstall` again".to_owned(),
    }));
    if kept.len() == waiting {
        guard.dismantle()?;
    }
    Ok(())
}

fn shown(folder: &DocFolder) -> String {
    format!("{folder}/")
}

fn nothing_here(start: &Path) -> Error {
    let message = format!("there is nothing to uninstall at or above: {}", start.display());
    Error::new(Kind::Refused, Key::NothingToUninstall, message)
        .hint("run it in the folder in which `hewto init` was run")
}
