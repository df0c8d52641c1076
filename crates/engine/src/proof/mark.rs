//! A number that differs when code or tests may say something else: a page that shows proof asks for it again and again.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt as _;

use hewto_core::proof::settings::Policy;
use hewto_store::{Context, OWN_FOLDER};
use hewto_workstation::tree::{unfit_rules, unfit_rules_at, walker};

use super::settings::policy;
use super::walk::is_markdown;
use crate::error::Result;
use crate::workspace::Workspace;

/// Looks at the stamps of all files that can carry tags, and reads none. The same for ever where nobody asks for proof.
pub fn code_mark(ws: &Workspace, ctx: &Context) -> Result<u64> {
    if matches!(policy(ws, ctx), Ok(Policy::Off)) {
        return Ok(0);
    }
    let mut builder = walker(ws.root());
    builder.filter_entry(|entry| match entry.file_name().to_str() {
        Some(".git") => false,
        Some(".jj" | ".hg" | OWN_FOLDER) => entry.depth() != 1,
        // Whoever asks for the proof is told of it.
        _ => !entry.file_type().is_some_and(|kind| kind.is_dir()) || unfit_rules(entry.path()).is_none(),
    });
    if unfit_rules_at(ws.root()).is_some() {
        return Ok(0);
    }
    let mut mark = 0_u64;
    for (at, entry) in builder.build().flatten().enumerate() {
        if at.is_multiple_of(256) {
            ctx.check()?;
        }
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        if !is_file || is_markdown(&entry.file_name().to_string_lossy()) {
            continue;
        }
        let Ok(metadata) = entry.metadata() else { continue };
        let mut hasher = DefaultHasher::new();
        entry.path().hash(&mut hasher);
        (metadata.size(), metadata.mtime(), metadata.mtime_nsec(), metadata.ino()).hash(&mut hasher);
        // The order in which a folder lists its files means nothing.
        mark = mark.wrapping_add(hasher.finish());
    }
    Ok(mark)
}
