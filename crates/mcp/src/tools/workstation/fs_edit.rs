//! `fs_edit`: exact replacements in a file, all or none.

use hewto_call::Lane;
use hewto_engine::workstation::files;
use hewto_engine::{Context, Project, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, StationTool};

pub(crate) struct FsEdit;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    path: String,
    edits: Vec<EditArg>,
    /// Show the diff and write nothing
    dry_run: Option<bool>,
    #[schemars(range(min = 1000, max = 2_000_000))]
    max_chars: Option<usize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EditArg {
    old_text: String,
    new_text: String,
}

impl StationTool for FsEdit {
    const ABOUT: About = About {
        name: "fs_edit",
        title: "Edit a file",
        description: "Replace exact texts in a file, all or none, and show the diff. Each old_text has to occur exactly once; a failed match shows the nearest text. dry_run shows the diff only.",
        toolset: Toolset::Workstation,
        effect: Effect::Overwrites,
        repeat: Repeat::Matters,
        aliases: &["edit_file"],
    };
    const LANE: Lane = Lane::WriteFile;
    type Params = Params;
    type View = files::EditView;

    fn run(project: &Project, context: &Context, params: Params) -> Result<files::EditView> {
        let edit = |edit: EditArg| files::Edit { old_text: edit.old_text, new_text: edit.new_text };
        let request = files::EditFile {
            path: params.path,
            edits: params.edits.into_iter().map(edit).collect(),
            dry_run: params.dry_run == Some(true),
            max_chars: params.max_chars,
        };
        project.perform(context, |station, call| files::edit(station, call, &request))
    }
}
