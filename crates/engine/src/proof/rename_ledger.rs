//! What an archived change renamed, written in its own commit, so that old tags stay valid.

use hewto_core::delta::DeltaDoc;
use hewto_core::document::Document;
use hewto_core::proof::ledger::{Alias, Aliases};
use hewto_core::proof::{Ref, renames};
use hewto_store::{Context, DocKey, Expect, Own, Transaction};

use super::authentic;
use super::since::Reviewed;
use crate::error::{Error, Result};
use crate::workspace::Workspace;

const PURPOSE: &str = "renamed";

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
        aliases.add(from, to, change, |signed| Some(authentic::seal(ctx, PURPOSE, signed)));
    }
    let expect = doc.as_ref().map_or(Expect::Absent, |doc| Expect::Hash(doc.hash));
    transaction.put(key, aliases.write(), expect);
    Ok(())
}

/// The renames by which known debt goes at a gate: those of changes that were archived here, and those in the default branch.
/// Whoever writes a name of their own into the ledger would give the debt of one promise to another.
pub(super) fn vouched(ws: &Workspace, ctx: &Context, aliases: &Aliases) -> Aliases {
    let reviewed = Reviewed::new(ws, ctx);
    let is_reviewed = |from: &Ref, alias: &Alias| {
        reviewed.text(Own::Aliases.path()).is_some_and(|text| Aliases::read(text).has(from, alias))
    };
    aliases.that(|from, alias| {
        let mac = alias.mac.as_deref();
        mac.is_some_and(|mac| authentic::is_ours(ctx, PURPOSE, &alias.signed(from), mac))
            || is_reviewed(from, alias)
    })
}
