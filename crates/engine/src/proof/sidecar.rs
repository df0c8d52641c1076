//! Links that stand in a file of their own, for files that cannot carry a tag.

use hewto_core::proof::ledger::{SidecarEntry, SidecarTarget};
use hewto_core::proof::{Link, LinkKind, anchor_file, anchor_lines, anchor_title};
use hewto_store::{Context, DocKey};

use crate::workspace::Workspace;

/// The link that an entry stands for; none where what it names is not there.
pub(super) fn sidecar_link(ws: &Workspace, ctx: &Context, entry: &SidecarEntry) -> Option<Link> {
    let key = DocKey::named(&entry.path)?;
    let Ok(Some(bytes)) = ws.store().read_bytes(ctx, &key) else { return None };
    let text = String::from_utf8_lossy(&bytes);
    let (kind, anchor, title) = match &entry.target {
        SidecarTarget::Test { title: Some(title) } => {
            (LinkKind::Test, anchor_title(&entry.path, &text, title), Some(title.clone()))
        }
        SidecarTarget::Test { title: None } => (LinkKind::Test, Some(anchor_file(&entry.path, &text)), None),
        SidecarTarget::Code { lines: Some((first, last)) } => {
            (LinkKind::Code, anchor_lines(&entry.path, &text, *first..=*last), None)
        }
        SidecarTarget::Declared { name } => (LinkKind::Code, anchor_title(&entry.path, &text, name), None),
        SidecarTarget::Code { lines: None } => (LinkKind::Code, Some(anchor_file(&entry.path, &text)), None),
        SidecarTarget::File => (LinkKind::File, Some(anchor_file(&entry.path, &text)), None),
    };
    let anchor = anchor?;
    Some(Link {
        reference: entry.reference.clone(),
        kind,
        path: entry.path.clone(),
        line: anchor.start,
        anchor: Some(anchor),
        title,
        suites: Vec::new(),
    })
}
