//! `hewto gate`: what opens the gates, and who may change that.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};

use hewto_engine::gate::{self, GateChange};
use hewto_engine::review::{Channel, Reviewer};
use hewto_engine::view::{GateLevels, GatesView, ScopeGatesView};
use hewto_engine::{Error, Key, Kind};
use serde_json::json;

use crate::act;
use crate::env;
use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context};
use crate::sign;
use crate::ui::{Cell, NAME, Tty, Ui, facts};

/// Show what opens a plan, an archive and a decision, or change it
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Anybody may raise a gate. Lowering one is a decision that needs the channel which the gate wants now."
)]
pub(crate) struct Args {
    /// Which gate: plan, archive or decision
    #[arg(requires = "level")]
    gate: Option<String>,
    /// The weakest channel that opens it: none, asserted, elicited, terminal, web, hub, signed or touch
    level: Option<String>,
    /// Sign with this SSH key, where the gate wants a signature now
    #[arg(long, value_name = "KEY")]
    sign: Option<std::path::PathBuf>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let (Some(gate), Some(level)) = (&args.gate, &args.level) else {
        let view = gate::show(&workspace, &context())?;
        ui.answer(&view, render)?;
        return Ok(Verdict::Yes);
    };
    let change = gate::prepare(&workspace, &context(), gate, level)?;
    let by = if change.lowers() { ask(&change, args)? } else { raised_by() };
    let signature = match &args.sign {
        Some(key) if change.lowers() => Some(sign::sign(key, &change.statement(), workspace.root())?),
        _ => None,
    };
    let inputs = json!({ "gate": gate, "level": level, "channel": by.channel.as_str() });
    let view = act::in_workspace(&workspace, "gate", inputs, |ctx| {
        gate::submit(&workspace, ctx, &change, &by, signature.as_deref())
    })?;
    ui.answer(&view, render)?;
    Ok(Verdict::Yes)
}

/// Anybody may raise a gate; what a person at a terminal has raised, an edit of the file does not lower again.
fn raised_by() -> Reviewer {
    let is_person = env::agent().is_none() && io::stdin().is_terminal() && io::stderr().is_terminal();
    let channel = if is_person { Channel::Terminal } else { Channel::Asserted };
    Reviewer { name: env::user(), channel }
}

/// Lets a person confirm on a terminal that a gate is lowered.
fn ask(change: &GateChange, args: &Args) -> Result<Reviewer, Error> {
    let mut tty = Tty::for_a_person("lowering a gate", &format!("hewto gate {} {}", change.gate, change.to))?;
    tty.show(&format!(
        "The file as it will be; this trusts all of it, its checks too:\n\n{}\n",
        change.text
    ))?;
    let code = context().uuid().simple().to_string()[..6].to_owned();
    let question = format!(
        "To lower the gate `{}` from `{}` to `{}`, type {code}:",
        change.gate, change.from, change.to
    );
    if tty.ask(&question)?.as_deref() != Some(code.as_str()) {
        return Err(Error::new(
            Kind::Refused,
            Key::NotConfirmed,
            "the code was not typed; nothing was changed",
        ));
    }
    let channel = match &args.sign {
        Some(key) => sign::channel_of(key)?,
        None => Channel::Terminal,
    };
    Ok(Reviewer { name: env::user(), channel })
}

fn render(view: &GatesView) -> String {
    let GateLevels { plan, archive, decision, reviewers } = &view.levels;
    let mut out = facts([
        ("plan", Cell::styled(plan, NAME)),
        ("archive", Cell::styled(archive, NAME)),
        ("decision", Cell::styled(decision, NAME)),
    ]);
    if !reviewers.is_empty() {
        let _ = writeln!(out, "reviewers: {}", reviewers.join(", "));
    }
    for ScopeGatesView { scope, levels } in &view.scopes {
        let GateLevels { plan, archive, decision, reviewers } = levels;
        let _ = write!(out, "{scope}: plan {plan}, archive {archive}, decision {decision}");
        if !reviewers.is_empty() {
            let _ = write!(out, "; reviewers: {}", reviewers.join(", "));
        }
        out.push('\n');
    }
    if let Some(notice) = &view.notice {
        let _ = writeln!(out, "{notice}");
    }
    out
}
