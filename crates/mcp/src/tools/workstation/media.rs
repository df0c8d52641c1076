//! What several tools of the workstation answer with.

use hewto_engine::workstation::files::{MediaKind, ReadView};
use rmcp::model::{ContentBlock, ResourceContents};

/// The block in which a file that is no text travels.
pub(super) fn media_block(view: &ReadView, data: Option<String>) -> Option<ContentBlock> {
    let (media, data) = (view.media.as_ref()?, data?);
    Some(match media.kind {
        MediaKind::Image => ContentBlock::image(data, &media.mime_type),
        MediaKind::Audio => ContentBlock::audio(data, &media.mime_type),
        MediaKind::Binary => {
            let blob = ResourceContents::blob(data, format!("file://{}", view.path));
            ContentBlock::resource(blob.with_mime_type(&media.mime_type))
        }
    })
}
