//! `hewto proof waive`: a person lets a promise pass.

use hewto_engine::proof::{self, Person};
use hewto_engine::view::PersonRecordView;
use hewto_engine::{Error, Key, Kind};
use serde_json::json;

use crate::failure::{Outcome, Verdict};
use crate::place::Place;
use crate::ui::{Cell, NAME, Tty, Ui, facts};
use crate::{act, env};

/// Let a promise pass although it is not proven, until a day
#[derive(Debug, clap::Args)]
#[command(after_help = "It asks on a terminal; where an agent's variables are set it refuses.")]
pub(crate) struct Args {
    /// The promise: capability#requirement/scenario, or a whole requirement
    #[arg(value_name = "REF")]
    reference: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// The last day, such as 2026-12-31
    #[arg(long, value_name = "DATE")]
    until: String,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let question = format!("Let `{}` pass until {}, because: {}?", args.reference, args.until, args.reason);
    let command = format!("hewto proof waive {} --reason … --until {}", args.reference, args.until);
    let person = confirmed("a waiver", &command, &question)?;
    let inputs = json!({ "ref": args.reference, "reason": args.reason, "until": args.until });
    let view = act::in_workspace(&workspace, "proof waive", inputs, |ctx| {
        proof::waive(&workspace, ctx, &args.reference, &args.reason, &args.until, &person)
    })?;
    ui.answer(&view, shown)?;
    Ok(Verdict::Yes)
}

/// Somebody at a terminal who has said yes.
pub(crate) fn confirmed(what: &str, command: &str, question: &str) -> Result<Person, Error> {
    let mut tty = Tty::for_a_person(what, command)?;
    if !tty.agrees(question)? {
        return Err(Error::new(Kind::Refused, Key::NotConfirmed, "nobody said yes; nothing was recorded")
            .hint(format!("run `{command}` again")));
    }
    Ok(Person { name: env::user(), channel: "terminal".to_owned() })
}

pub(crate) fn shown(view: &PersonRecordView) -> String {
    let mut text = facts([
        ("ref", Cell::styled(view.reference.to_string(), NAME)),
        ("by", Cell::plain(format!("{}, {}", view.by, view.channel))),
        ("reason", Cell::plain(&view.reason)),
        ("record", Cell::plain(&view.file)),
    ]);
    if let Some(until) = &view.until {
        text.push_str(&facts([("until", Cell::plain(until))]));
    }
    text
}
