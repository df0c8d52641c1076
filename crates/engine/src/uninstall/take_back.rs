//! What each file was before hewto came, as far as the manifest and its present text tell.

use hewto_store::{
    Agent, ContentHash, Context, DocKey, Expect, LayoutKind, ReadError, RelPath, Store, Transaction,
    plan_init,
};

use super::KeptView;
use crate::error::{Error, Result};
use crate::install::{FileChange, Manifest, Part, Record, part_of, settings};

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
        match before(path, record, &text) {
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
        let layout = self.store.layout();
        let laid_out =
            LayoutKind::ALL.into_iter().flat_map(|kind| plan_init(layout.root(), kind, "", "").files);
        let mut own = laid_out.map(|(path, _)| path).chain([layout.gitignore().0]);
        let agents = || Agent::ALL.into_iter().flat_map(|agent| [settings(agent), agent.instructions()]);
        own.any(|own| own == *path)
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

    /// Leaves alone what never was hewto's, and forgets it.
    fn leave(&mut self, path: &RelPath, why: &str, hint: &str) {
        self.kept.push(KeptView { file: path.to_string(), why: why.to_owned(), hint: hint.to_owned() });
    }

    fn keep(&mut self, path: &RelPath, record: &Record, why: &str, hint: &str) {
        self.leave(path, why, hint);
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
