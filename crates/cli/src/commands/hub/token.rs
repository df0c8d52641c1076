//! `hewto hub token`: who may speak to the hub.

use hewto_hub::{NewToken, Role};

use super::admin::{DatabaseArgs, RepoArgs, parse_role, with_database};
use crate::env;
use crate::failure::{Outcome, Verdict};
use crate::ui::{Cell, DIM, NAME, Table, Ui, facts};

/// Make, list and end tokens
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Create(Create),
    List(List),
    Revoke(Revoke),
}

/// Create a token; it is shown once and never stored
#[derive(Debug, clap::Args)]
pub(crate) struct Create {
    /// Whose it is: a person, an agent, a pipeline
    name: String,
    /// What it may: reader, agent, reviewer, ci or admin
    #[arg(long, value_name = "ROLE", value_parser = parse_role)]
    role: Role,
    #[command(flatten)]
    repos: RepoArgs,
    /// For so many days; for ever unless given
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=3650))]
    days: Option<u32>,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// List all tokens, without their text
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Revoke a token; replicas forget it within two seconds
#[derive(Debug, clap::Args)]
pub(crate) struct Revoke {
    /// Its number, as `list` shows it
    id: i64,
    #[command(flatten)]
    database: DatabaseArgs,
}

pub(super) fn run(ui: &mut Ui, command: Command) -> Outcome {
    match command {
        Command::Create(args) => create(ui, args),
        Command::List(args) => list(ui, &args),
        Command::Revoke(args) => {
            with_database(&args.database, async |database| {
                database.revoke_token(args.id, &env::user()).await
            })?;
            ui.answer(&serde_json::json!({ "revoked": args.id }), |_| {
                format!("token {} is over\n", args.id)
            })?;
            Ok(Verdict::Yes)
        }
    }
}

fn create(ui: &mut Ui, args: Create) -> Outcome {
    let Create { name, role, repos, days, database } = args;
    let new = NewToken { name, role, repos: repos.choice(), days, by: env::user() };
    let made = with_database(&database, async |database| database.create_token(&new).await)?;
    ui.answer(&made, |made| {
        let repos = if made.repos.is_empty() { "all repositories".to_owned() } else { made.repos.join(", ") };
        facts([
            ("token", Cell::styled(&made.token, NAME)),
            ("number", Cell::plain(made.id.to_string())),
            ("for", Cell::plain(format!("{} as {} in {repos}", made.name, made.role))),
            ("until", Cell::plain(made.expires_at.as_deref().unwrap_or("it is revoked"))),
            ("next", Cell::plain("keep it in a file that only its owner can read: it is shown this once")),
        ])
    })?;
    Ok(Verdict::Yes)
}

fn list(ui: &mut Ui, args: &List) -> Outcome {
    let tokens = with_database(&args.database, async |database| database.list_tokens().await)?;
    ui.answer(&serde_json::json!({ "tokens": tokens }), |_| {
        if tokens.is_empty() {
            return "no tokens: hewto hub token create NAME --role agent --repo REPO\n".to_owned();
        }
        let mut table = Table::with_header(["NUMBER", "NAME", "ROLE", "REPOSITORIES", "UNTIL"]);
        for token in &tokens {
            let repos = if token.all_repos { "all".to_owned() } else { token.repos.join(", ") };
            let until = match (&token.revoked_at, &token.expires_at) {
                (Some(at), _) => format!("revoked {at}"),
                (None, Some(at)) => at.clone(),
                (None, None) => "no end".to_owned(),
            };
            table.row([
                Cell::plain(token.id.to_string()),
                Cell::styled(&token.name, NAME),
                Cell::plain(&token.role),
                Cell::plain(repos),
                Cell::styled(until, DIM),
            ]);
        }
        table.render()
    })?;
    Ok(Verdict::Yes)
}
