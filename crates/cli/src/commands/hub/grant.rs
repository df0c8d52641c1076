//! `hewto hub grant`: what somebody may do whom an OAuth issuer knows.

use hewto_hub::{NewGrant, Role};

use super::admin::{DatabaseArgs, RepoArgs, parse_role, with_database};
use crate::env;
use crate::failure::{Outcome, Verdict};
use crate::ui::Ui;

/// Grant a role to somebody who signs in through an OAuth issuer
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Who, as tokens of the issuer name them: SUBJECT@ISSUER-HOST
    name: String,
    /// What they may: reader, agent, reviewer, ci or admin
    #[arg(long, value_name = "ROLE", value_parser = parse_role)]
    role: Role,
    #[command(flatten)]
    repos: RepoArgs,
    #[command(flatten)]
    database: DatabaseArgs,
}

pub(super) fn run(ui: &mut Ui, args: Args) -> Outcome {
    let Args { name, role, repos, database } = args;
    let new = NewGrant { name, role, repos: repos.choice(), by: env::user() };
    with_database(&database, async |database| database.grant(&new).await)?;
    let view = serde_json::json!({ "name": new.name, "role": new.role.as_str() });
    ui.answer(&view, |_| format!("{} is {} there from now on\n", new.name, new.role))?;
    Ok(Verdict::Yes)
}
