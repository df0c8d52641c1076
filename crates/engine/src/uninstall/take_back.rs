//! What each file was before hewto came, as far as the manifest and its present text tell.

use hewto_core::import::Memory;
use hewto_store::{
    Context, DocKey, Expect, LayoutKind, Own, ReadError, RelPath, Store, Transaction, plan_init,
};

use super::KeptView;
use crate::client::{Agent, is_skill};
use crate::error::{Error, Result};
use crate::install::{Before, FileChange, Manifest, Record, before, part_of};

/// Goes through the files of a manifest.
#[derive(Debug)]
pub(super) struct Planner<'a> {
    store: &'a Store,
    pub(super) changes: Vec<FileChange>,
    pub(super) kept: Vec<KeptView>,
    /// The records of what is kept.
    pub(super) rest: Manifest,
}

impl<'a> Planner<'a> {
    pub(super) fn new(store: &'a Store) -> Self {
        Self { store, changes: Vec::new(), kept: Vec::new(), rest: Manifest::default() }
    }

    pub(super) fn take_back(&mut self, ctx: &Context, path: &RelPath, record: &Record) -> Result<()> {
        ctx.check()?;
        if !self.is_of_init(path) {
            let why = "`hewto init` does not write such a file, whatever the manifest says";
            self.leave(path, why, "look at the manifest: somebody else may have written it");
            return Ok(());
        }
        let text = match self.store.read(ctx, &DocKey::File(path.clone())) {
            Ok(Some(doc)) => doc.text,
            Ok(None) => return Ok(()),
            Err(error @ (ReadError::NotUtf8 { .. } | ReadError::File(_))) => {
                self.keep(path, record, &error.to_string(), error.hint());
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        match before(part_of(path).as_ref(), record, &text) {
            Before::Text(after) if after.as_deref() == Some(text.as_str()) => {}
            Before::Text(after) => {
                if let Some(error) = self.refusal(ctx, path, after.as_deref()) {
                    self.keep(path, record, &error.to_string(), &error.plain_hint().unwrap_or_default());
                    return Ok(());
                }
                self.changes.push(FileChange { path: path.clone(), before: Some(text), after });
            }
            Before::Edited(why) => {
                self.keep(path, record, &why, "remove hewto's part by hand, or keep it");
            }
        }
        Ok(())
    }

    /// Whether `init` could have written this file: one that it lays out, or an agent's, perhaps by way of a link.
    fn is_of_init(&self, path: &RelPath) -> bool {
        let laid_out =
            LayoutKind::ALL.into_iter().flat_map(|kind| plan_init(self.store.root(), kind, "", "").files);
        let mut own = laid_out.map(|(path, _)| path).chain([Own::Gitignore.place()]);
        // What an upgrade has put beside a file that somebody edited.
        let path = &path
            .as_str()
            .strip_suffix(".new")
            .and_then(|path| RelPath::parse(path).ok())
            .unwrap_or(path.clone());
        let files = |agent: Agent| agent.files().iter().filter_map(|file| RelPath::parse(file).ok());
        let agents = || Agent::all().flat_map(move |agent| files(agent).chain(agent.instructions()));
        own.any(|own| own == *path)
            || is_skill(path)
            || agents().any(|own| own == *path || self.store.resolve(&own).is_ok_and(|real| real == *path))
    }

    /// Why the file could not be given back, if so.
    fn refusal(&self, ctx: &Context, path: &RelPath, after: Option<&str>) -> Option<Error> {
        let mut alone = Transaction::new();
        match after {
            Some(text) => alone.put(DocKey::File(path.clone()), text, Expect::Any),
            None => alone.delete(DocKey::File(path.clone()), Expect::Any),
        };
        self.store.rehearse(ctx, alone).err().map(Error::from)
    }

    /// A native workspace that no manifest knows of.
    pub(super) fn look_for_loose_ends(&mut self, ctx: &Context, manifest: &Manifest) -> Result<()> {
        let config = &self.store.places().config;
        let is_ours = self.store.has(LayoutKind::Native);
        if is_ours && !manifest.files.contains_key(config) && self.store.read(ctx, &DocKey::Config)?.is_some()
        {
            self.kept.push(KeptView {
                file: config.to_string(),
                why: "according to the manifest, `hewto init` did not write it".to_owned(),
                hint: "delete it by hand, or run `hewto uninstall --purge`".to_owned(),
            });
        }
        Ok(())
    }

    /// What hewto remembers of imports: without hewto nobody reads it, and what was imported stands in the specs.
    pub(super) fn take_back_imports(&mut self, ctx: &Context) -> Result<()> {
        let folder = &self.store.places().imports;
        for key in self.store.tree(ctx, folder)?.iter().filter_map(|below| folder.document(below).ok()) {
            let Ok(Some(doc)) = self.store.read(ctx, &key) else { continue };
            // Whatever else somebody keeps there is theirs.
            if Memory::read([(doc.path.as_str(), doc.text.as_str())]).is_ok() {
                self.changes.push(FileChange { path: doc.path, before: Some(doc.text), after: None });
            }
        }
        Ok(())
    }

    /// Leaves alone what never was hewto's, and forgets it.
    fn leave(&mut self, path: &RelPath, why: &str, hint: &str) {
        self.kept.push(KeptView { file: path.to_string(), why: why.to_owned(), hint: hint.to_owned() });
    }

    fn keep(&mut self, path: &RelPath, record: &Record, why: &str, hint: &str) {
        self.leave(path, why, hint);
        self.rest.files.insert(path.clone(), record.clone());
    }
}
