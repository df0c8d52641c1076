//! `hewto hub grant`: what somebody may do whom an OAuth issuer knows.

use hewto_hub::{NewGrant, RepoChoice, Role};

use super::admin::{DatabaseArgs, RepoArgs, parse_role, with_database};
use crate::env;
use crate::failure::{Outcome, Verdict};
use crate::ui::{Cell, NAME, Table, Ui};

/// Grant a role to somebody who signs in through an OAuth issuer, or take it back
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Who, as tokens of the issuer name them: SUBJECT@ISSUER-HOST
    #[arg(required_unless_present = "list")]
    name: Option<String>,
    /// What they may: reader, agent, reviewer, ci or admin
    #[arg(long, value_name = "ROLE", value_parser = parse_role, required_unless_present_any = ["revoke", "list"])]
    role: Option<Role>,
    #[command(flatten)]
    repos: RepoArgs,
    /// Take back what was granted, for these repositories or for all
    #[arg(long, conflicts_with = "role")]
    revoke: bool,
    /// List what is granted to whom
    #[arg(long, conflicts_with_all = ["name", "role", "revoke", "repo", "all_repos"])]
    list: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

pub(super) fn run(ui: &mut Ui, args: Args) -> Outcome {
    let Args { name, role, repos, database, .. } = args;
    match (name, role) {
        (Some(name), Some(role)) => {
            let new = NewGrant { name, role, repos: repos.choice(), by: env::user() };
            with_database(&database, async |database| database.grant(&new).await)?;
            let view = serde_json::json!({ "name": new.name, "role": new.role.as_str() });
            ui.answer(&view, |_| format!("{} is {} there from now on\n", new.name, new.role))?;
        }
        (Some(name), None) => {
            let repos = match repos.choice() {
                RepoChoice::These(names) if names.is_empty() => RepoChoice::All,
                choice => choice,
            };
            with_database(&database, async |database| {
                database.revoke_grant(&name, &repos, &env::user()).await
            })?;
            ui.answer(&serde_json::json!({ "revoked": name }), |_| {
                format!("what was granted to {name} there is over\n")
            })?;
        }
        (None, _) => list(ui, &database)?,
    }
    Ok(Verdict::Yes)
}

fn list(ui: &mut Ui, database: &DatabaseArgs) -> Outcome<()> {
    let grants = with_database(database, async |database| database.list_grants().await)?;
    ui.answer(&serde_json::json!({ "grants": grants }), |_| {
        if grants.is_empty() {
            return "nothing is granted: hewto hub grant SUBJECT@ISSUER-HOST --role agent --repo REPO\n"
                .to_owned();
        }
        let mut table = Table::with_header(["NAME", "ROLE", "REPOSITORY"]);
        for grant in &grants {
            table.row([
                Cell::styled(&grant.name, NAME),
                Cell::plain(&grant.role),
                Cell::plain(grant.repo.as_deref().unwrap_or("all")),
            ]);
        }
        table.render()
    })?;
    Ok(())
}
