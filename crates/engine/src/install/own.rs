//! Edits of hewto's own commands to files that it wrote itself: the manifest goes along, so that `uninstall` still knows them.

use hewto_store::{ContentHash, Context, DocKey, Expect, Own, Store, Transaction};

use super::{Manifest, Record};
use crate::error::Result;

/// Adds to a transaction what the manifest says once this file has its new text. A file that a person has edited by hand
/// since stays the person's, and so does one that no `init` wrote.
pub(crate) fn note_edit(
    store: &Store,
    ctx: &Context,
    transaction: &mut Transaction,
    own: Own,
    before: Option<&str>,
    after: &str,
) -> Result<()> {
    let (key, path) = (DocKey::Own(Own::Manifest), own.place());
    let Some(doc) = store.read(ctx, &key)? else { return Ok(()) };
    // A manifest that cannot be read is told of by `uninstall` and `doctor`; it is no reason to refuse a gate.
    let Ok(mut manifest) = Manifest::read(Some(&doc.text)) else { return Ok(()) };
    let is_ours = match (manifest.files.get(&path), before) {
        (Some(record), Some(text)) => {
            record.part.is_none() && record.after == ContentHash::of(text.as_bytes())
        }
        // It was deleted, or a version before this one made none.
        (_, None) => true,
        (None, Some(_)) => false,
    };
    if is_ours {
        let record =
            Record { before: None, after: ContentHash::of(after.as_bytes()), edit: None, part: None };
        manifest.files.insert(path, record);
        let text = manifest.render();
        if text != doc.text {
            transaction.put(key, text, Expect::Hash(doc.hash));
        }
    }
    Ok(())
}
