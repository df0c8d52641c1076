//! `hewto hub audit verify`: whether anybody changed what happened.

use super::admin::{DatabaseArgs, with_database};
use crate::failure::{Outcome, Verdict};
use crate::ui::{Cell, NAME, Ui, facts};

/// Look at what happened
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Verify(Verify),
}

/// Check the chain of hashes over every call; exits with 1 when something is wrong
#[derive(Debug, clap::Args)]
pub(crate) struct Verify {
    /// A head that was shown before; it has to be in the chain still
    #[arg(long, value_name = "HASH", value_parser = head)]
    head: Option<String>,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// A head as it was copied from somewhere. What cannot be one is no sign that anything was cut off.
fn head(text: &str) -> Result<String, String> {
    let head = text.trim().to_ascii_lowercase();
    let is_hash = head.len() == 64 && head.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash { Ok(head) } else { Err("a head has 64 hexadecimal digits, as `verify` shows it".to_owned()) }
}

pub(super) fn run(ui: &mut Ui, command: &Command) -> Outcome {
    let Command::Verify(args) = command;
    let view =
        with_database(&args.database, async |database| database.verify_audit(args.head.as_deref()).await)?;
    ui.answer(&view, |view| {
        facts([
            ("audit", Cell::styled(view.fault.as_deref().unwrap_or("whole"), NAME)),
            ("calls", Cell::plain(format!("{} in {} links", view.rows, view.links))),
            ("head", Cell::plain(&view.head)),
        ])
    })?;
    Ok(if view.valid { Verdict::Yes } else { Verdict::No })
}
