//! What goes with `--purge`: specs, changes and decisions, and what people have put into `.hewto/`.

use std::collections::{BTreeMap, BTreeSet};

use hewto_core::decision::uid::Uid;
use hewto_core::import::{Memory, hash};
use hewto_store::{
    ContentHash, Context, DocKey, Layout, LayoutKind, Own, RelPath, Store, change_files, plan_init,
};

use crate::error::Result;
use crate::install::Manifest;
use crate::proof::PROOF_FOLDER;

/// Collects specs, changes and decisions.
#[derive(Debug)]
pub(super) struct Purge<'a> {
    store: &'a Store,
    pub(super) files: BTreeMap<RelPath, ContentHash>,
    pub(super) folders: BTreeSet<RelPath>,
}

impl<'a> Purge<'a> {
    pub(super) fn new(store: &'a Store) -> Self {
        Self { store, files: BTreeMap::new(), folders: BTreeSet::new() }
    }

    pub(super) fn all(&mut self, ctx: &Context, manifest: &Manifest) -> Result<()> {
        let layout: &Layout = self.store.layout();
        let places = layout.places();
        // Another tool's files stay, unless it was hewto that laid them out.
        let is_ours = |kind: LayoutKind| {
            let laid_out = plan_init(layout.root(), kind, "", "").files;
            kind == LayoutKind::Native || laid_out.iter().any(|(path, _)| manifest.files.contains_key(path))
        };
        for root in layout.spec_roots().iter().filter(|root| root.owners.iter().copied().any(is_ours)) {
            self.tree(ctx, &root.path, manifest, change_files::is_of_spec)?;
        }
        for root in layout.change_roots().iter().filter(|root| is_ours(root.owner)) {
            for folder in [&root.changes, &root.archive] {
                self.tree(ctx, folder, manifest, change_files::is_of_change)?;
            }
        }
        self.tree(ctx, &places.scratchpad, manifest, change_files::is_of_scratch_pad)?;
        self.tree(ctx, &places.templates, manifest, |_| true)?;
        self.imported(ctx, manifest)?;
        // What people said of promises and decisions, by hewto's commands.
        let records = RelPath::parse(PROOF_FOLDER).into_iter();
        for folder in records.chain([places.waiting_decisions.clone()]) {
            self.tree(ctx, &folder, manifest, |_| true)?;
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
        for own in [Own::Proof, Own::AllowedSigners, Own::Links] {
            self.file(ctx, &own.place())?;
        }
        Ok(())
    }

    /// Collects the files that an import put beside specs and changes, if they still are what it wrote.
    fn imported(&mut self, ctx: &Context, manifest: &Manifest) -> Result<()> {
        let layout = self.store.layout();
        let changes = layout.change_roots().iter().flat_map(|root| [&root.changes, &root.archive]);
        let roots: Vec<&RelPath> = layout.spec_roots().iter().map(|root| &root.path).chain(changes).collect();
        for path in self.store.tree(ctx, &layout.places().imports)? {
            let Ok(Some(doc)) = self.store.read(ctx, &DocKey::File(path.clone())) else { continue };
            let Ok(memory) = Memory::read([(path.as_str(), doc.text.as_str())]) else { continue };
            for (file, known) in memory.parts.values().flat_map(|part| &part.files) {
                let Ok(file) = RelPath::parse(file) else { continue };
                let is_inside = roots.iter().any(|root| file.below(root).is_some());
                let text = self.store.read(ctx, &DocKey::File(file.clone())).ok().flatten();
                let is_as_written = text.is_some_and(|doc| hash(&doc.text) == known.written);
                if is_inside && is_as_written && manifest.found.binary_search(&file).is_err() {
                    self.file(ctx, &file)?;
                }
            }
        }
        Ok(())
    }

    /// Collects what hewto writes in the folders of a folder; what stood there before it came, or stands beside, stays.
    fn tree(
        &mut self,
        ctx: &Context,
        folder: &RelPath,
        manifest: &Manifest,
        is_written: impl Fn(&str) -> bool,
    ) -> Result<()> {
        for path in self.store.tree(ctx, folder)? {
            let is_ours = path.below(folder).is_some_and(&is_written);
            if is_ours && manifest.found.binary_search(&path).is_err() {
                self.file(ctx, &path)?;
            }
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
