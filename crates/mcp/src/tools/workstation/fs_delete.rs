//! `fs_delete`: away with it.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use super::args;
use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsDelete;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    path: String,
    /// Needed for folders that are not empty
    recursive: Option<bool>,
    /// Refuse what is not this; default any
    #[serde(default)]
    #[schemars(schema_with = "args::wanted_kind")]
    kind: Option<files::WantedKind>,
}

impl StationTool for FsDelete {
    const ABOUT: About = About {
        name: "fs_delete",
        title: "Delete",
        description: "Delete a file, a link or an empty folder; a folder with everything in it with recursive: true.",
        toolset: Toolset::Workstation,
        effect: Effect::Overwrites,
        repeat: Repeat::ChangesNothing,
        aliases: &["delete_file"],
    };
    const LANE: Lane = Lane::WriteTree;
    type Params = Params;
    type View = files::DeleteView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<files::DeleteView> {
        let request = files::Delete {
            path: params.path,
            recursive: params.recursive == Some(true),
            kind: params.kind.unwrap_or_default(),
        };
        project.perform(context, |station, call| files::delete(station, call, &request))
    }
}
