//! What an archived change renamed, written in its own commit, so that old tags stay valid.

use hewto_core::delta::DeltaDoc;
use hewto_core::document::Document;
use hewto_core::proof::ledger::Aliases;
use hewto_core::proof::renames;
use hewto_store::{Context, DocKey, Expect, Own, Transaction};

use crate::error::{Error, Result};
use crate::workspace::Workspace;

/// One spec before and after a change.
#[derive(Debug)]
pub(crate) struct Renamed<'a> {
    pub(crate) capability: &'a str,
    pub(crate) old: &'a str,
    pub(crate) new: &'a str,
    pub(crate) delta: &'a str,
}

/// Puts the names that changed into the ledger; nothing where none did.
pub(crate) fn put_aliases(
    ws: &Workspace,
    ctx: &Context,
    change: &str,
    specs: &[Renamed<'_>],
    transaction: &mut Transaction,
) -> Result<()> {
    let mut names = Vec::new();
    for spec in specs {
        let document = Document::parse(spec.delta);
        let delta = DeltaDoc::read(&document);
        let pairs: Vec<(String, String)> =
            delta.renamed.iter().map(|rename| (rename.from.to_owned(), rename.to.to_owned())).collect();
        names.extend(renames(spec.capability, spec.old, spec.new, &pairs));
    }
    if names.is_empty() {
        return Ok(());
    }
    let key = DocKey::Own(Own::Aliases);
    let doc = ws.store().read(ctx, &key)?;
    let mut aliases = doc.as_ref().map(|doc| Aliases::read(&doc.text)).unwrap_or_default();
    if let Some(fault) = aliases.faults.first() {
        return Err(Error::cannot_edit(
            Own::Aliases.path(),
            format!("line {}: {}", fault.line, fault.message),
        ));
    }
    for (from, to) in names {
        aliases.add(from, to, change);
    }
    let expect = doc.as_ref().map_or(Expect::Absent, |doc| Expect::Hash(doc.hash));
    transaction.put(key, aliases.write(), expect);
    Ok(())
}
