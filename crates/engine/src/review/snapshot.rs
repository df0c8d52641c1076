//! What was approved, kept so that the next reviewer sees what is different. Derived and disposable: without it the whole
//! text is shown again. It is believed because it hashes to the digest of the record.

use hewto_core::review::{Digest, Meaning};
use hewto_store::LocalKey;

use crate::workspace::Workspace;

/// Keeps a meaning on this machine.
pub(super) fn keep(ws: &Workspace, meaning: &Meaning) {
    let digest = meaning.digest();
    if let Err(error) = ws.store().machine().write_local(&place(&digest), meaning.written().as_bytes()) {
        tracing::debug!(%error, "what was approved cannot be kept for comparison");
    }
}

/// The meaning behind a digest.
pub(super) fn find(ws: &Workspace, digest: &Digest) -> Option<Meaning> {
    let kept = ws.store().machine().read_local(&place(digest)).ok().flatten();
    let kept = kept.and_then(|bytes| String::from_utf8(bytes).ok());
    kept.and_then(|written| Meaning::read_back(&written, digest))
}

fn place(digest: &Digest) -> LocalKey {
    LocalKey::Approved(digest.to_string())
}
