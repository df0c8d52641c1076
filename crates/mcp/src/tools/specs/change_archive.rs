//! `change_archive`: puts a finished change into the specs.

use hewto_engine::change::{self, ArchiveOptions};
use hewto_engine::view::ArchiveView;
use hewto_engine::{Context, Result, Workspace};

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};
use crate::tools::args::OfChange;

/// Room for the rest of the reply.
const DEFAULT_DIFF_CHARS: usize = 20_000;

pub(crate) struct ChangeArchive;

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
    type Params = OfChange<ArchiveOptions>;
    type View = ArchiveView;

    fn run(
        workspace: &Workspace,
        context: &Context,
        params: OfChange<ArchiveOptions>,
    ) -> Result<ArchiveView> {
        let max_chars = params.request.max_chars.or(Some(DEFAULT_DIFF_CHARS));
        let options = ArchiveOptions { max_chars, ..params.request };
        change::archive(workspace, context, &params.change_id, options)
    }
}
