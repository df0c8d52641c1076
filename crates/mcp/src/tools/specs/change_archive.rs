//! `change_archive`: puts a finished change into the specs.

use hewto_engine::change::{self, ArchiveOptions, Recording};
use hewto_engine::view::ArchiveView;
use hewto_engine::{Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

/// Room for the rest of the reply.
const DEFAULT_DIFF_CHARS: usize = 20_000;

pub(crate) struct ChangeArchive;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    change_id: String,
    dry_run: Option<bool>,
    allow_open_tasks: Option<bool>,
    /// It took over what changed in the specs
    rebase: Option<bool>,
    #[schemars(range(min = 1000, max = 1_000_000))]
    max_chars: Option<usize>,
}

impl Tool for ChangeArchive {
    const ABOUT: About = About {
        name: "change_archive",
        title: "Archive a change",
        description: "Apply a change to the specs and archive it, whole or not at all. dry_run shows the diff.",
        toolset: Toolset::Specs,
        effect: Effect::Overwrites,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    type Params = Params;
    type View = ArchiveView;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<ArchiveView> {
        let options = ArchiveOptions {
            dry_run: params.dry_run.unwrap_or(false),
            allow_open_tasks: params.allow_open_tasks.unwrap_or(false),
            bases: if params.rebase.unwrap_or(false) { Recording::Rebase } else { Recording::Missing },
            max_chars: Some(params.max_chars.unwrap_or(DEFAULT_DIFF_CHARS)),
        };
        change::archive(workspace, context, &params.change_id, options)
    }
}
