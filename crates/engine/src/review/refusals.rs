//! Refusals that this machine has recorded, beside the records themselves: whoever removes the file of one does not bring an
//! older approval of the same text back.
//!
//! The latest refusal of a text is kept, in the common git folder, sealed. An approval counts if it came later.

use hewto_core::decision::uid::Uid;
use hewto_core::proof::settings::digest;
use hewto_core::review::{Digest, Verdict};
use hewto_store::Context;
use hewto_store::secret::Seal;

use crate::error::Result;
use crate::workspace::Workspace;

const PURPOSE: &str = "review-refusal";

/// Keeps a refusal of a text.
pub(super) fn keep(
    ws: &Workspace,
    ctx: &Context,
    item: &str,
    content: &Digest,
    verdict: Verdict,
    uid: &Uid,
) -> Result<()> {
    if verdict == Verdict::Approved {
        return Ok(());
    }
    let (folder, name) = (ws.shared_folder(), name(item, content));
    let seal = ctx.secret().key().seal(PURPOSE, &[name.as_bytes(), uid.as_str().as_bytes()]);
    Ok(folder.write(&name, format!("{uid} {seal}\n").as_bytes())?)
}

/// The refusal of a text that this machine knows of.
pub(crate) fn known(ws: &Workspace, ctx: &Context, item: &str, content: &Digest) -> Option<Uid> {
    let name = name(item, content);
    let bytes = ws.shared_folder().read(&name).ok().flatten()?;
    let text = String::from_utf8(bytes).ok()?;
    let (uid, seal) = text.trim_end().split_once(' ')?;
    let key = ctx.secret().known_key().ok().flatten()?;
    let is_ours = key.is_sealed(PURPOSE, &[name.as_bytes(), uid.as_bytes()], &Seal::parse(seal)?);
    if is_ours { Uid::of_file_name(&format!("{uid}.md")) } else { None }
}

fn name(item: &str, content: &Digest) -> String {
    format!("review/refused-{}", &digest(format!("{item} {content}").as_bytes())[..32])
}
