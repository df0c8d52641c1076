//! What a tool is: a type that implements one of three traits, by what it stands on.

use hewto_call::Lane;
use hewto_engine::{Context, Project, Result, Workspace};
use rmcp::model::ContentBlock;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::about::{About, Capability, Effect};

/// A tool: what is said about it, what it takes, what it answers, and the one engine call it makes.
pub(crate) trait Tool {
    const ABOUT: About;
    /// Doc comments of the fields are the descriptions in the input schema.
    type Params: DeserializeOwned + JsonSchema;
    type View: Serialize + JsonSchema;

    /// The concept of seed 002 that the tool stands for, where it stands for one.
    const CAPABILITY: Option<Capability> = None;
    /// Tools that read or write go their ways; one that only looks at one item can say so.
    const LANE: Lane = lane_of(Self::ABOUT.effect);

    fn run(workspace: &Workspace, context: &Context, params: Self::Params) -> Result<Self::View>;
}

/// A tool of the decisions toolset, which works in any git repository and needs no workspace.
pub(crate) trait DecisionTool {
    const ABOUT: About;
    type Params: DeserializeOwned + JsonSchema;
    type View: Serialize + JsonSchema;

    fn run(project: &Project, context: &Context, params: Self::Params) -> Result<Self::View>;
}

/// A tool of the workstation, which works beneath the allowed folders and needs no workspace.
pub(crate) trait StationTool {
    const ABOUT: About;
    const LANE: Lane;
    type Params: DeserializeOwned + JsonSchema;
    type View: Serialize + JsonSchema;

    fn run(project: &Project, context: &Context, params: Self::Params) -> Result<Self::View>;

    /// Images and sounds, which travel in blocks of their own.
    fn media(_view: &mut Self::View) -> Vec<ContentBlock> {
        Vec::new()
    }
}

pub(super) const fn lane_of(effect: Effect) -> Lane {
    match effect {
        Effect::Reads => Lane::Read,
        Effect::Adds | Effect::Overwrites => Lane::Write,
    }
}
