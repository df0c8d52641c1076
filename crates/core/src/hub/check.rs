//! What a push may say at all, before anything of it is stored.

use super::{Listed, MAX_DOCUMENT_BYTES, MAX_DOCUMENTS, PROTOCOL, PushRequest, Reason, ViewKind};
use crate::claim::LONGEST_LEASE_S;
use crate::id::WorkItem;
use crate::review::Digest;

/// Why a message is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refused {
    pub reason: Reason,
    pub message: String,
    pub hint: &'static str,
}

const MAX_NAME_BYTES: usize = 200;
const MAX_PATH_BYTES: usize = 1_024;
const MAX_KEY_BYTES: usize = 100;
const MAX_CANDIDATES: usize = 1_000;

fn refused<T>(reason: Reason, message: impl Into<String>, hint: &'static str) -> Result<T, Refused> {
    Err(Refused { reason, message: message.into(), hint })
}

impl PushRequest {
    /// Whether everything that it names can be what it says.
    pub fn check(&self) -> Result<(), Refused> {
        if self.protocol != PROTOCOL {
            return refused(
                Reason::ProtocolMismatch,
                format!("this push speaks version {} and the hub version {PROTOCOL}", self.protocol),
                "bring hewto and the hub to the same version",
            );
        }
        check_repo(&self.repo)?;
        if !is_view_name(&self.view.name) {
            return refused(
                Reason::InvalidView,
                "the name of the view is empty, too long, or has characters that no branch has",
                "name a branch or a work tree as git does",
            );
        }
        if self.head.as_ref().is_some_and(|head| !is_commit(head)) {
            return refused(
                Reason::InvalidHead,
                "`head` is not a commit",
                "send its 40 or 64 hex digits, or leave it out",
            );
        }
        if !is_key(&self.key) {
            return refused(
                Reason::InvalidKey,
                "`key` is not an idempotency key",
                "send 8 to 100 letters and digits",
            );
        }
        if self.set.len() > MAX_DOCUMENTS || self.removed.len() > MAX_DOCUMENTS {
            let most = MAX_DOCUMENTS;
            let message = format!(
                "a view has {most} documents at most, and this push names {}",
                self.set.len().max(self.removed.len())
            );
            return refused(Reason::TooManyDocuments, message, "push spec documents only");
        }
        if self.whole && !self.removed.is_empty() {
            return refused(
                Reason::InvalidPush,
                "a whole manifest removes nothing by name",
                "leave `removed` out, or `whole`",
            );
        }
        for path in self.set.keys().chain(&self.removed) {
            if !is_safe_path(path) {
                let shown: String = path.chars().take(80).collect();
                let message = format!("`{}` is not a path inside a repository", shown.escape_debug());
                return refused(
                    Reason::UnsafePath,
                    message,
                    "send relative paths without `..`, `.` and control characters",
                );
            }
        }
        for (path, listed) in &self.set {
            listed.check(path)?;
        }
        if self.claims.len() > MAX_DOCUMENTS {
            let message = format!("a push names {MAX_DOCUMENTS} claims at most");
            return refused(Reason::InvalidPush, message, "name those that this work is done under");
        }
        for claim in &self.claims {
            check_work(&claim.item)?;
        }
        check_blobs(self.blobs.iter())
    }

    /// Whether the texts hash to what they are called by; checked apart, because it takes longest.
    pub fn check_hashes(&self) -> Result<(), Refused> {
        check_hashes(self.blobs.iter())
    }

    pub fn is_branch(&self) -> bool {
        self.view.kind == ViewKind::Branch
    }
}

impl super::ClaimAsk {
    pub fn check(&self) -> Result<(), Refused> {
        check_repo(&self.repo)?;
        if self.items.is_empty() || self.items.len() > MAX_CANDIDATES {
            return refused(
                Reason::InvalidClaim,
                format!("a claim names 1 to {MAX_CANDIDATES} items"),
                "name what is ready",
            );
        }
        self.items.iter().try_for_each(|item| check_work(item))?;
        check_lease(self.lease_s)?;
        let holder = [Some(&self.session), Some(&self.worktree), self.branch.as_ref()];
        if holder.into_iter().flatten().any(|text| !is_line(text) && !text.is_empty()) {
            return refused(
                Reason::InvalidClaim,
                "the holder cannot be named like this",
                "send short names on one line",
            );
        }
        Ok(())
    }
}

impl super::ClaimKeep {
    pub fn check(&self) -> Result<(), Refused> {
        check_repo(&self.repo)?;
        check_work(&self.item)?;
        if self.note.as_ref().is_some_and(|note| note.len() > 4_096 || note.contains('\0')) {
            return refused(
                Reason::InvalidClaim,
                "the note is too long, or is not text",
                "say it in fewer words",
            );
        }
        self.lease_s.map_or(Ok(()), check_lease)
    }
}

impl super::BlobsRequest {
    pub fn check(&self) -> Result<(), Refused> {
        check_repo(&self.repo)?;
        check_blobs(self.blobs.iter())?;
        check_hashes(self.blobs.iter())
    }
}

impl Listed {
    fn check(&self, path: &str) -> Result<(), Refused> {
        if self.sha256.parse::<Digest>().is_err() {
            let message = format!("`{path}` is listed without a SHA-256 in lower-case hex");
            return refused(Reason::InvalidHash, message, "hash the bytes of the file");
        }
        match self.kind {
            super::DocKind::Decision => {
                if !is_line(&self.item) {
                    return refused(
                        Reason::InvalidItem,
                        format!("`{path}` names no decision"),
                        "send the id of the record",
                    );
                }
            }
            _ => check_item(&self.item)?,
        }
        let is_delta = self.kind == super::DocKind::Delta;
        if is_delta != self.capability.is_some()
            || self.capability.as_ref().is_some_and(|name| !is_line(name) || !is_safe_path(name))
        {
            let message = format!("`{path}`: a delta names its capability, and nothing else does");
            return refused(Reason::InvalidItem, message, "send `capability` with deltas");
        }
        Ok(())
    }
}

fn check_blobs<'b>(blobs: impl ExactSizeIterator<Item = (&'b String, &'b String)>) -> Result<(), Refused> {
    if blobs.len() > MAX_DOCUMENTS {
        let message = format!("{} texts at once are more than a view has documents", blobs.len());
        return refused(Reason::TooManyDocuments, message, "send those that the hub lacks, in several calls");
    }
    for (hash, text) in blobs {
        if text.len() > MAX_DOCUMENT_BYTES {
            let message = format!("a document has {} bytes, more than {MAX_DOCUMENT_BYTES}", text.len());
            return refused(
                Reason::DocumentTooLarge,
                message,
                "spec documents are smaller; leave this one out",
            );
        }
        if text.contains('\0') {
            return refused(Reason::InvalidDocument, "a document holds a NUL", "send text");
        }
        if hash.parse::<Digest>().is_err() {
            return refused(
                Reason::InvalidHash,
                "a text is named by something that is not a SHA-256",
                "name it by its hash",
            );
        }
    }
    Ok(())
}

fn check_hashes<'b>(blobs: impl Iterator<Item = (&'b String, &'b String)>) -> Result<(), Refused> {
    for (hash, text) in blobs {
        if hash.parse() != Ok(Digest::of(text.as_bytes())) {
            let message = format!("a text does not hash to `{hash}`");
            return refused(Reason::HashMismatch, message, "hash the bytes that are sent");
        }
    }
    Ok(())
}

fn check_repo(name: &str) -> Result<(), Refused> {
    if is_repo_name(name) {
        return Ok(());
    }
    refused(
        Reason::InvalidRepo,
        "this is not a name of a repository",
        "use letters, digits and `-`, `_`, `.`, with `/` between parts",
    )
}

fn check_item(item: &str) -> Result<(), Refused> {
    if item.len() <= 2 * MAX_NAME_BYTES && WorkItem::parse(item).is_ok() {
        return Ok(());
    }
    let shown: String = item.chars().take(80).collect();
    let message = format!("`{}` is not a work item", shown.escape_debug());
    refused(Reason::InvalidItem, message, "name a spec by its id, a change as `change:ID`")
}

/// What can be claimed: an item or a step of it, perhaps of a workspace below the top of its repository.
fn check_work(key: &str) -> Result<(), Refused> {
    if key.len() <= 3 * MAX_NAME_BYTES && !key.is_empty() && !key.chars().any(char::is_control) {
        return Ok(());
    }
    refused(Reason::InvalidItem, "this cannot be claimed", "name an item, or a step of one")
}

fn check_lease(seconds: u32) -> Result<(), Refused> {
    if (1..=LONGEST_LEASE_S).contains(&seconds) {
        return Ok(());
    }
    refused(Reason::InvalidClaim, format!("a lease has 1 to {LONGEST_LEASE_S} seconds"), "ask for less")
}

/// Whether this can name a repository: parts of letters, digits and `-_.` with `/` between them.
pub fn is_repo_name(name: &str) -> bool {
    let is_part = |part: &str| {
        part.starts_with(|ch: char| ch.is_ascii_alphanumeric())
            && part.chars().all(|ch| ch.is_ascii_alphanumeric() || matches!(ch, '-' | '_' | '.'))
            && !part.contains("..")
    };
    !name.is_empty() && name.len() <= MAX_NAME_BYTES && name.split('/').all(is_part)
}

/// Whether a path stays inside the folder that it is relative to, and can be shown.
pub fn is_safe_path(path: &str) -> bool {
    !path.is_empty()
        && path.len() <= MAX_PATH_BYTES
        && !path.contains(['\\'])
        && !path.chars().any(char::is_control)
        && path.split('/').all(|part| !part.is_empty() && part != "." && part != ".." && part.len() <= 255)
}

fn is_view_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= MAX_NAME_BYTES
        && name.trim() == name
        && !name.chars().any(char::is_control)
        && !name.contains("..")
}

fn is_line(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_NAME_BYTES && !text.chars().any(char::is_control)
}

fn is_commit(head: &str) -> bool {
    matches!(head.len(), 40 | 64) && head.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_key(key: &str) -> bool {
    (8..=MAX_KEY_BYTES).contains(&key.len())
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}
