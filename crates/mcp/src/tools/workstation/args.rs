//! Parts of parameters that several tools of the workstation share.

use hewto_engine::PageRequest;
use hewto_engine::workstation::ci;
use hewto_engine::workstation::files::{Ignored, MediaKind, ReadView};
use rmcp::model::{ContentBlock, ResourceContents};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use crate::schema::one_of;

/// A project, and how long something may be done with it: `ci_build`, `ci_restore`, `ci_test`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProjectParams {
    /// A folder, or a project file in it; default the first root
    path: Option<String>,
    /// Where a folder has several
    tool: Option<ci::Tool>,
    /// Seconds it may take; default 600
    #[schemars(range(min = 1, max = 3600))]
    timeout_s: Option<u64>,
    #[schemars(range(min = 1000, max = 2_000_000))]
    max_chars: Option<usize>,
}

impl ProjectParams {
    pub(super) fn to(self, action: ci::Action) -> ci::Build {
        let Self { path, tool, timeout_s, max_chars } = self;
        ci::Build { path: folder(path), action, tool, timeout_s, max_chars }
    }
}

/// The part of a list that is wanted.
pub(super) fn page(limit: Option<usize>, cursor: Option<String>, max_chars: Option<usize>) -> PageRequest {
    PageRequest { limit, cursor, max_chars }
}

/// The folder that is named, or the first root.
pub(super) fn folder(path: Option<String>) -> String {
    path.unwrap_or_else(|| ".".to_owned())
}

pub(super) fn ignored(include: Option<bool>) -> Ignored {
    if include == Some(true) { Ignored::Show } else { Ignored::Skip }
}

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

pub(super) fn form(_: &mut SchemaGenerator) -> Schema {
    one_of(["auto", "text", "media"])
}

pub(super) fn list_order(_: &mut SchemaGenerator) -> Schema {
    one_of(["name", "size"])
}

pub(super) fn wanted_kind(_: &mut SchemaGenerator) -> Schema {
    one_of(["any", "file", "directory"])
}

pub(super) fn branch_kind(_: &mut SchemaGenerator) -> Schema {
    one_of(["local", "remote", "all"])
}

pub(super) fn stash_action(_: &mut SchemaGenerator) -> Schema {
    one_of(["push", "pop", "list"])
}
