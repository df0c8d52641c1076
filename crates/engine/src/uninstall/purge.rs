//! What goes with `--purge`: specs, changes and decisions, and what people have put into `.hewto/`.

use std::collections::{BTreeMap, BTreeSet};

use hewto_core::decision::uid::Uid;
use hewto_core::import::{Memory, hash};
use hewto_store::{
    ContentHash, Context, DocFolder, DocKey, Layout, LayoutKind, Own, RelPath, Store, change_files, plan_init,
};

use crate::error::Result;
use crate::install::Manifest;

/// Collects specs, changes and decisions.
#[derive(Debug)]
pub(super) struct Purge<'a> {
    store: &'a Store,
    layout: &'a Layout,
    pub(super) files: BTreeMap<RelPath, ContentHash>,
    pub(super) folders: BTreeSet<DocFolder>,
}

impl<'a> Purge<'a> {
    pub(super) fn new(store: &'a Store) -> Self {
        Self { store, layout: store.layout(), files: BTreeMap::new(), folders: BTreeSet::new() }
    }

    pub(super) fn all(&mut self, ctx: &Context, manifest: &Manifest) -> Result<()> {
        let layout = self.layout;
        let places = layout.places();
        // Another tool's files stay, unless it was hewto that laid them out.
        let is_ours = |kind: LayoutKind| {
            let laid_out = plan_init(layout.root(), kind, "", "").files;
            kind == LayoutKind::Native || laid_out.iter().any(|(path, _)| manifest.files.contains_key(path))
        };
        for root in layout.spec_roots().iter().filter(|root| root.owners.iter().copied().any(is_ours)) {
            self.tree(ctx, &root.path.clone().into(), manifest, change_files::is_of_spec)?;
        }
        for root in layout.change_roots().iter().filter(|root| is_ours(root.owner)) {
            for folder in [&root.changes, &root.archive] {
                self.tree(ctx, &folder.clone().into(), manifest, change_files::is_of_change)?;
            }
        }
        self.tree(ctx, &places.scratchpad, manifest, change_files::is_of_scratch_pad)?;
        self.tree(ctx, &places.templates, manifest, |_| true)?;
        self.imported(ctx, manifest)?;
        // What people said of promises and decisions, by hewto's commands.
        for folder in [&places.proof, &places.waiting_decisions] {
            self.tree(ctx, folder, manifest, |_| true)?;
        }
        for folder in [&places.decisions, &places.task_archive] {
            // Records of other tools may stand in the same folder.
            for name in
                self.store.file_names(ctx, folder)?.iter().filter(|name| Uid::of_file_name(name).is_some())
            {
                if let Ok(key) = folder.document(name) {
                    self.file(ctx, &key)?;
                }
            }
        }
        for own in [
            Own::CurrentTask,
            Own::ArchitectureState,
            Own::AgentPrompt,
            Own::Questions,
            Own::Proof,
            Own::AllowedSigners,
            Own::Links,
        ] {
            self.file(ctx, &DocKey::Own(own))?;
        }
        self.file(ctx, &DocKey::Config)?;
        Ok(())
    }

    /// Collects the files that an import put beside specs and changes, if they still are what it wrote.
    fn imported(&mut self, ctx: &Context, manifest: &Manifest) -> Result<()> {
        let layout = self.layout;
        let changes = layout.change_roots().iter().flat_map(|root| [&root.changes, &root.archive]);
        let roots: Vec<&RelPath> = layout.spec_roots().iter().map(|root| &root.path).chain(changes).collect();
        let imports = &layout.places().imports;
        for key in self.store.tree(ctx, imports)?.iter().filter_map(|below| imports.document(below).ok()) {
            let Ok(Some(doc)) = self.store.read(ctx, &key) else { continue };
            let Ok(memory) = Memory::read([(doc.path.as_str(), doc.text.as_str())]) else { continue };
            for (file, known) in memory.parts.values().flat_map(|part| &part.files) {
                let Ok(file) = RelPath::parse(file) else { continue };
                let is_inside = roots.iter().any(|root| file.below(root).is_some());
                let key = DocKey::File(file.clone());
                let text = self.store.read(ctx, &key).ok().flatten();
                let is_as_written = text.is_some_and(|doc| hash(&doc.text) == known.written);
                if is_inside && is_as_written && manifest.found.binary_search(&file).is_err() {
                    self.file(ctx, &key)?;
                }
            }
        }
        Ok(())
    }

    /// Collects what hewto writes in the folders of a folder; what stood there before it came, or stands beside, stays.
    fn tree(
        &mut self,
        ctx: &Context,
        folder: &DocFolder,
        manifest: &Manifest,
        is_written: impl Fn(&str) -> bool,
    ) -> Result<()> {
        for below in self.store.tree(ctx, folder)?.iter().filter(|below| is_written(below)) {
            let Ok(key) = folder.document(below) else { continue };
            let path = key.to_string();
            if manifest.found.binary_search_by(|found| found.as_str().cmp(&path)).is_err() {
                self.file(ctx, &key)?;
            }
        }
        self.folders.insert(folder.clone());
        Ok(())
    }

    fn file(&mut self, ctx: &Context, key: &DocKey) -> Result<()> {
        let Some(path) = self.store.path(key, LayoutKind::Native) else { return Ok(()) };
        if let Some(bytes) = self.store.read_bytes(ctx, key)? {
            let folder = path.parent().map(DocFolder::from);
            self.folders.extend(std::iter::successors(folder, DocFolder::above));
            self.files.insert(path, ContentHash::of(&bytes));
        }
        Ok(())
    }
}
