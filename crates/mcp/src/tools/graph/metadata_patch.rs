//! `specman_metadata_patch`: edit the front matter.

use hewto_engine::metadata::{self, PatchRequest, Persistence};
use hewto_engine::view::MetadataPatched;
use hewto_engine::{Context, LockIntent, Result, Workspace, concept};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::HANDLES;
use super::args::{ReferenceParam, WithDocument, references};
use crate::options::Toolset;
use crate::table::{About, Capability, Effect, Repeat, Tool, World};

pub(crate) struct MetadataPatch;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A handle such as impl://name, a path, or an https address
    locator: String,
    add_dependencies: Option<Vec<ReferenceParam>>,
    remove_dependencies: Option<Vec<String>>,
    add_references: Option<Vec<ReferenceParam>>,
    remove_references: Option<Vec<String>>,
    /// Keys and their values, such as version
    set: Option<Map<String, Value>>,
    /// Write the document instead of only showing it
    persist: Option<bool>,
    #[schemars(range(min = 1000, max = 1_000_000))]
    max_chars: Option<usize>,
}

impl Tool for MetadataPatch {
    const ABOUT: About = About {
        name: "specman_metadata_patch",
        title: "Edit the front matter",
        description: "Add or remove dependencies (specs, scratch pads) and references (implementations), or set keys. Previews unless persist is true, a document on the web always; every other byte stays.",
        toolset: Toolset::Graph,
        effect: Effect::Overwrites,
        repeat: Repeat::ChangesNothing,
        aliases: &[],
    };
    const CAPABILITY: Option<Capability> = Some(Capability {
        id: "specman.core.metadata.patch",
        concept_ref: concept::METADATA_MUTATION,
        lock: |arguments| match arguments.get("persist") {
            Some(Value::Bool(true)) => LockIntent::Write,
            _ => LockIntent::Read,
        },
        world: World::Open,
        extensions: HANDLES,
    });
    type Params = WithDocument<Params>;
    type View = MetadataPatched;

    fn run(workspace: &Workspace, context: &Context, params: Self::Params) -> Result<MetadataPatched> {
        let (is_whole, params) = (params.is_whole(), params.request);
        let persistence =
            if params.persist.unwrap_or(false) { Persistence::Persist } else { Persistence::Preview };
        let request = PatchRequest {
            locator: params.locator,
            add_dependencies: references(params.add_dependencies),
            remove_dependencies: params.remove_dependencies.unwrap_or_default(),
            add_references: references(params.add_references),
            remove_references: params.remove_references.unwrap_or_default(),
            set: params.set.unwrap_or_default(),
            max_chars: params.max_chars,
        };
        let view = metadata::patch(workspace, context, &request, persistence)?;
        Ok(if is_whole { view.whole() } else { view.compact() })
    }
}
