//! Refusals that this machine has recorded, beside the records themselves: whoever removes the file of one does not bring an
//! older approval of the same text back, under whatever name.
//!
//! The latest refusal of a text is kept, in the common git folder, sealed. An approval counts if it came later.

use hewto_core::decision::uid::Uid;
use hewto_core::proof::settings::digest;
use hewto_core::review::{Digest, Head, Verdict};
use hewto_store::Context;
use hewto_store::secret::Seal;
use jiff::Timestamp;

use crate::error::Result;
use crate::workspace::Workspace;

const PURPOSE: &str = "review-refusal";

/// Keeps a refusal of a text.
pub(super) fn keep(ws: &Workspace, ctx: &Context, head: &Head, verdict: Verdict, uid: &Uid) -> Result<()> {
    if verdict == Verdict::Approved {
        return Ok(());
    }
    let (folder, name, at) =
        (ws.shared_folder(), name(&head.item, &head.content), head.at.as_second().to_string());
    let seal = ctx.secret().key().seal(PURPOSE, &[name.as_bytes(), uid.as_str().as_bytes(), at.as_bytes()]);
    Ok(folder.write(&name, format!("{uid} {at} {seal}\n").as_bytes())?)
}

/// The refusal of a text that this machine knows of.
pub(crate) fn known(ws: &Workspace, ctx: &Context, item: &str, content: &Digest) -> Option<Refusal> {
    let name = name(item, content);
    let bytes = ws.shared_folder().read(&name).ok().flatten()?;
    let text = String::from_utf8(bytes).ok()?;
    let (said, seal) = text.trim_end().rsplit_once(' ')?;
    // Without a time it is of a version that kept none.
    let (uid, at) = said.split_once(' ').map_or((said, None), |(uid, at)| (uid, Some(at)));
    let sealed: Vec<&[u8]> = [name.as_str(), uid].into_iter().chain(at).map(str::as_bytes).collect();
    let key = ctx.secret().known_key().ok().flatten()?;
    if !key.is_sealed(PURPOSE, &sealed, &Seal::parse(seal)?) {
        return None;
    }
    let at = at.and_then(|at| Timestamp::from_second(at.parse().ok()?).ok());
    Some(Refusal { uid: Uid::of_file_name(&format!("{uid}.md"))?, at })
}

/// A refusal, whether or not its file is still there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) uid: Uid,
    /// To the second; no two verdicts on a text are of the same one.
    pub(super) at: Option<Timestamp>,
}

impl Refusal {
    /// Whether it counts against an approval of the same text: one that came no later by its name, which whoever moves the file
    /// chooses, or by the time that is sealed in it.
    pub(crate) fn outlasts(&self, uid: &Uid, at: Timestamp) -> bool {
        self.uid > *uid || self.at.is_some_and(|said| said >= at)
    }
}

fn name(item: &str, content: &Digest) -> String {
    format!("review/refused-{}", &digest(format!("{item} {content}").as_bytes())[..32])
}
