//! `hewto search`: requirements and everything else, by words and by meaning.

use std::fmt::Write;

use hewto_engine::hub::{self, HubSearch};
use hewto_engine::search::{self, EntryKind, FindRequest, IndexCare};
use hewto_engine::view::{FoundHit, FoundView};

use crate::commands::hub::show;
use crate::failure::{Outcome, Verdict, usage};
use crate::place::{Place, context};
use crate::search_model::SearchModel;
use crate::ui::{DIM, HIT, NAME, Ui, one_line, paint};

/// Find requirements, changes, decisions and plans by words and by meaning
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without an index a small workspace gets one at the first question, and a large one is searched by words; `hewto \
                  index build` makes one that knows meaning too. Words in double quotes are found as they stand. A question that \
                  nothing seems to answer has no results; of others the last line says how sure they are, unless words alone ranked \
                  them. Archived changes say what was and not what holds: they come only with --archived, behind everything else."
)]
pub(crate) struct Args {
    /// What to look for
    #[arg(required = true)]
    query: Vec<String>,
    /// Look for these only
    #[arg(long, value_enum, default_value_t = Wanted::Any)]
    kind: Wanted,
    /// Show at most this many results
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
    /// Archived changes too: at most as many again, behind what holds now
    #[arg(long, conflicts_with = "hub")]
    archived: bool,
    /// Ask the hub: every repository that is open to you
    #[arg(long)]
    hub: bool,
    #[command(flatten)]
    model: SearchModel,
    /// Index in memory, for this question only, and write no file
    #[arg(long)]
    no_index: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Wanted {
    Spec,
    Requirement,
    Change,
    Decision,
    Plan,
    Any,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    if args.query.iter().all(|word| word.trim().is_empty()) {
        return Err(usage("there is nothing to look for").hint("say it: `hewto search WORDS`").into());
    }
    if args.archived && !matches!(args.kind, Wanted::Any | Wanted::Change) {
        let error = usage("only changes are archived");
        return Err(error.hint("leave out `--kind`, or look for changes: `--kind change`").into());
    }
    let care = IndexCare { in_memory: args.no_index, ..IndexCare::default() };
    let workspace = place.workspace()?.with_search(args.model.choice()?, care);
    if args.hub {
        let kind = args.kind.entry().map(|kind| kind.to_string());
        let query = HubSearch { text: args.query.join(" "), kind, limit: usize::from(args.limit) };
        ui.answer(&hub::search(&workspace, &context(), &query)?, show::found)?;
        return Ok(Verdict::Yes);
    }
    let request = FindRequest {
        query: args.query.join(" "),
        limit: Some(usize::from(args.limit)),
        kind: args.kind.entry(),
        archived: args.archived,
    };
    ui.answer(&search::find(&workspace, &context(), &request)?, render)?;
    Ok(Verdict::Yes)
}

fn render(view: &FoundView) -> String {
    let mut out = String::new();
    for hit in &view.results {
        let name = match &hit.requirement {
            Some(requirement) => format!("{} › {requirement}", hit.id),
            None => format!("{} ({})", hit.id, hit.title),
        };
        let scenario = hit.scenario.as_ref().map(|name| format!(" › {}", one_line(name))).unwrap_or_default();
        let _ = writeln!(
            out,
            "{} {}{} {}\n    {}",
            paint(DIM, &format!("{:.2}", hit.score)),
            paint(NAME, &one_line(&name)),
            paint(DIM, &scenario),
            paint(DIM, &format!("[{}{}]", if hit.archived { "archived " } else { "" }, hit.kind)),
            highlighted(hit)
        );
    }
    let shown = view.results.len();
    let count = match view.total {
        0 => "nothing matches".to_owned(),
        total if total > shown => format!("{shown} of {total} results"),
        1 => "1 result".to_owned(),
        total => format!("{total} results"),
    };
    // What words alone score is not comparable with the rest.
    let sure = match view.total {
        0 => String::new(),
        _ if view.mode.starts_with("lexical") => String::new(),
        _ => format!(", {:.0} % sure", view.confidence * 100.0),
    };
    let _ = writeln!(out, "{}", paint(DIM, &format!("{count}{sure}, ranking: {}", one_line(&view.mode))));
    let left_out = match view.archived_left_out {
        0 => return out,
        1 => "1 archived change matches too: --archived shows it".to_owned(),
        several => format!("{several} archived changes match too: --archived shows them"),
    };
    let _ = writeln!(out, "{}", paint(DIM, &left_out));
    out
}

/// The snippet on one line, with the words that match in another style.
fn highlighted(hit: &FoundHit) -> String {
    let text = hit.snippet.as_str();
    let mut out = String::new();
    let mut from = 0;
    for &[start, end] in &hit.highlights {
        let (Some(before), Some(word)) = (text.get(from..start), text.get(start..end)) else { break };
        out.push_str(&flat(before));
        out.push_str(&paint(HIT, &flat(word)));
        from = end;
    }
    out.push_str(&flat(text.get(from..).unwrap_or_default()));
    out
}

/// As [`one_line`], with the blanks at both ends kept: this is a piece from the middle of a line.
fn flat(text: &str) -> String {
    let blank = |at_end: bool| if at_end { " " } else { "" };
    let trimmed = one_line(text);
    if trimmed.is_empty() {
        return blank(!text.is_empty()).to_owned();
    }
    let lead = blank(text.starts_with(char::is_whitespace));
    let tail = blank(text.ends_with(char::is_whitespace));
    format!("{lead}{trimmed}{tail}")
}

impl Wanted {
    fn entry(self) -> Option<EntryKind> {
        match self {
            Self::Spec => Some(EntryKind::Spec),
            Self::Requirement => Some(EntryKind::Requirement),
            Self::Change => Some(EntryKind::Change),
            Self::Decision => Some(EntryKind::Decision),
            Self::Plan => Some(EntryKind::Plan),
            Self::Any => None,
        }
    }
}
