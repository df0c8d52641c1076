//! `hewto approve`: a person's word on what is there, given on a terminal.

use std::fmt::Write as _;
use std::path::PathBuf;

use hewto_engine::review::{self, Ballot, Channel, Permission, ReviewOptions, Reviewer};
use hewto_engine::view::{CommentState, Decided, ReviewView};
use hewto_engine::{Error, Key, Kind};
use serde_json::json;

use super::review::text;
use crate::act;
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::ui::{Cell, GOOD, NAME, Tty, Ui, facts};
use crate::{env, sign};

/// Approve a spec or change as it stands, or ask for something else
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It shows what is different since the last approval and asks for a code, on a terminal; where an agent's \
                  variables are set it refuses. The record names the SHA-256 of what was shown and counts as long as that is there."
)]
pub(crate) struct Args {
    /// The spec's id, or change:ID
    id: String,
    /// Ask for changes instead
    #[arg(long, conflicts_with = "reject")]
    request_changes: bool,
    /// Reject it instead
    #[arg(long)]
    reject: bool,
    /// What the others should know
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Who you are, if not the user of this session
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
    /// Let it be archived although tasks are open
    #[arg(long)]
    allow_open_tasks: bool,
    /// Sign with this SSH key; a security key has to be touched
    #[arg(long, value_name = "KEY")]
    sign: Option<PathBuf>,
    /// Show everything, and not only what is different since the last approval
    #[arg(long)]
    whole: bool,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let command = format!("hewto approve {}", args.id);
    let mut tty = Tty::for_a_person("an approval", &command)?;
    let workspace = place.workspace()?;
    let view = review::show(&workspace, &context(), &args.id, ReviewOptions { whole: args.whole })?;
    let channel = match &args.sign {
        Some(key) => sign::channel_of(key)?,
        None => Channel::Terminal,
    };
    let by = Reviewer { name: args.name.clone().unwrap_or_else(env::user), channel };
    tty.page(&text::review(&view))?;
    let verdict = args.verdict();
    let code = context().uuid().simple().to_string()[..6].to_owned();
    let question = format!(
        "To record `{verdict}` for version {} of {} as {}, type {code}:",
        view.version, view.spec_id, by.name
    );
    if tty.ask(&question)?.as_deref() != Some(code.as_str()) {
        return Err(Error::new(
            Kind::Refused,
            Key::NotConfirmed,
            "the code was not typed; nothing was recorded",
        )
        .hint(format!("run `{command}` again"))
        .into());
    }
    let ballot = Ballot {
        verdict,
        shown: view.digest.clone(),
        note: args.note.clone(),
        allows: if args.allow_open_tasks { vec![Permission::OpenTasks] } else { Vec::new() },
    };
    let inputs = json!({ "id": args.id, "verdict": verdict.as_str(), "channel": channel.as_str() });
    let decided = act::in_workspace(&workspace, "approve", inputs, |ctx| {
        let draft = review::prepare(&workspace, ctx, &args.id, &by, &ballot)?;
        let signature = match &args.sign {
            Some(key) => Some(sign::sign(key, &draft.statement(), workspace.root())?),
            None => None,
        };
        review::submit(&workspace, ctx, draft, signature)
    })?;
    ui.answer(&decided, |decided| render(decided, &view))?;
    Ok(Verdict::Yes)
}

impl Args {
    fn verdict(&self) -> review::Verdict {
        match (self.reject, self.request_changes) {
            (true, _) => review::Verdict::Rejected,
            (false, true) => review::Verdict::ChangesRequested,
            (false, false) => review::Verdict::Approved,
        }
    }
}

fn render(decided: &Decided, shown: &ReviewView) -> String {
    let mut out = facts([
        (decided.verdict.as_str(), Cell::styled(&decided.spec_id, NAME)),
        ("version", Cell::plain(format!("{} ({})", decided.version, &decided.digest[..12]))),
        ("by", Cell::plain(format!("{}, {}", decided.by, decided.channel))),
        ("record", Cell::styled(&decided.record, GOOD)),
    ]);
    if !decided.recorded {
        let _ = writeln!(out, "{} had already said so; nothing was written", decided.by);
    }
    let open = shown.comments.iter().filter(|comment| comment.state != CommentState::Resolved).count();
    if open > 0 {
        let _ = writeln!(out, "{open} comments are open: hewto review list {}", decided.spec_id);
    }
    out
}
