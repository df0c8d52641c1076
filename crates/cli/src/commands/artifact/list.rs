//! `hewto artifact list`.

use hewto_engine::PageRequest;
use hewto_engine::graph::{self, ArtifactFilter};
use hewto_engine::view::ArtifactList;

use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{Cell, DIM, NAME, Table, Ui, WARN, count};

/// List the artifacts of the workspace
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only this kind: spec, impl, scratch, change or adr
    #[arg(long, value_name = "SCHEME")]
    scheme: Option<String>,
    /// Only paths that match, such as "spec/*/spec.md"
    #[arg(long, value_name = "GLOB")]
    glob: Option<String>,
    /// Show at most N
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    /// Go on where the last page ended
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    let filter = ArtifactFilter { scheme: args.scheme, glob: args.glob };
    let page =
        PageRequest { limit: Some(args.limit as usize), cursor: args.cursor, max_chars: Some(usize::MAX) };
    let view = graph::list_artifacts(&place.workspace()?, &context(), &filter, &page)?;
    ui.answer(&view, render)?;
    Ok(Verdict::Yes)
}

fn render(view: &ArtifactList) -> String {
    if view.artifacts.is_empty() {
        return "no artifacts".to_owned();
    }
    let mut table = Table::with_header(["HANDLE", "VERSION", "PATH", "NOTE"]);
    for artifact in &view.artifacts {
        let note = artifact.metadata.get("metadata_status").filter(|status| *status != "missing");
        table.row([
            Cell::styled(&artifact.handle, NAME),
            Cell::plain(artifact.version.as_deref().unwrap_or_default()),
            Cell::styled(artifact.path.as_deref().unwrap_or_default(), DIM),
            Cell::styled(note.map(String::as_str).unwrap_or_default(), WARN),
        ]);
    }
    let more = match &view.page.next_cursor {
        Some(cursor) => format!("{} more: --cursor {cursor}\n", count(view.page.remaining, "artifact")),
        None => String::new(),
    };
    format!("{}{more}", table.render())
}
