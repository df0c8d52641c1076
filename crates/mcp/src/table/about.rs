//! What is said about a tool: to clients, to models, to whoever reads its `_meta`.

use hewto_engine::LockIntent;
use rmcp::model::{JsonObject, MetaObject};
use serde_json::{Value, json};

use crate::options::Toolset;

/// What clients and models are told about a tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct About {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) toolset: Toolset,
    pub(crate) effect: Effect,
    pub(crate) repeat: Repeat,
    /// Further names that calls may use and that are never advertised.
    pub(crate) aliases: &'static [&'static str],
}

/// What a call does to the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Reads,
    /// Adds or moves on; nothing that a person wrote is replaced.
    Adds,
    /// May replace what somebody wrote.
    Overwrites,
}

/// What the same call does a second time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    ChangesNothing,
    Matters,
}

/// What seed 002 wants to be known of a tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Capability {
    /// The seed's dotted name, under which calls are logged.
    pub(crate) id: &'static str,
    /// The governing concept, as a Markdown link.
    pub(crate) concept_ref: &'static str,
    /// What a call with these arguments wants to do with what it names.
    pub(crate) lock: fn(&JsonObject) -> LockIntent,
    pub(crate) world: World,
    /// What the tool can do beyond the seed.
    pub(crate) extensions: &'static [&'static str],
}

/// Whether a tool may look at documents on the web.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum World {
    Closed,
    Open,
}

/// The versions of the governing specification that the tools stand for.
const SPEC_VERSION: &str = ">=1.0.0";

impl Capability {
    /// What the tool's `_meta` says.
    pub(super) fn meta(&self) -> MetaObject {
        let mut meta = MetaObject::new();
        meta.insert("concept_ref".into(), self.concept_ref.into());
        meta.insert("spec_version".into(), SPEC_VERSION.into());
        if !self.extensions.is_empty() {
            meta.insert("extensions".into(), extensions(self.extensions));
        }
        meta
    }
}

/// The marks of what goes beyond the seed.
pub(crate) fn extensions(sources: &[&str]) -> Value {
    sources.iter().map(|source| json!({ "type": "extension", "source": source })).collect()
}
