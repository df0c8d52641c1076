//! What the commands beside the server share: the database, and which repositories something is for.

use hewto_core::hub::Reason;
use hewto_engine::{Error, Key};
use hewto_hub::{Database, RepoChoice, Role};
use tokio::runtime;

use crate::env;
use crate::failure::{Failure, Outcome, machine, usage};

/// Where the database is.
#[derive(Debug, clap::Args)]
pub(super) struct DatabaseArgs {
    /// The PostgreSQL database: postgres://USER@HOST/NAME, or postgres:///NAME?host=/var/run/postgresql
    #[arg(long, value_name = "URL", env = env::HUB_DATABASE, hide_env_values = true)]
    database: Option<String>,
    /// Connect as a superuser all the same, for whom the database keeps no repositories apart
    #[arg(long)]
    allow_superuser: bool,
}

impl DatabaseArgs {
    pub(super) fn open(&self) -> Outcome<Database> {
        let Some(url) = &self.database else {
            return Err(usage("the hub needs a database")
                .hint(format!("name it with `--database URL`, or in the variable {}", env::HUB_DATABASE))
                .into());
        };
        let database = Database::new(url).map_err(told)?;
        if self.allow_superuser {
            database.allow_superuser();
        }
        Ok(database)
    }
}

/// For which repositories something is.
#[derive(Debug, clap::Args)]
pub(super) struct RepoArgs {
    /// For this repository; may be repeated
    #[arg(long, value_name = "NAME")]
    repo: Vec<String>,
    /// For all repositories, also those that come later
    #[arg(long, conflicts_with = "repo")]
    all_repos: bool,
}

impl RepoArgs {
    pub(super) fn choice(self) -> RepoChoice {
        if self.all_repos { RepoChoice::All } else { RepoChoice::These(self.repo) }
    }
}

pub(super) fn parse_role(name: &str) -> Result<Role, String> {
    Role::named(name).ok_or_else(|| {
        let known: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
        format!("roles are {}", known.join(", "))
    })
}

/// Does something with the database whose schema is up to date.
pub(super) fn with_database<T>(
    args: &DatabaseArgs,
    work: impl AsyncFnOnce(&Database) -> hewto_hub::Result<T>,
) -> Outcome<T> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| machine("cannot start", error))?;
    runtime.block_on(async {
        let database = args.open()?;
        let done = async {
            database.migrate().await?;
            work(&database).await
        };
        let done = done.await.map_err(told);
        database.close().await;
        done
    })
}

/// An error of the hub as a command tells it.
pub(super) fn told(error: hewto_hub::Error) -> Failure {
    let cause = error.source.as_ref().map(ToString::to_string);
    let message = match (error.failure_key(), cause) {
        (Key::DatabaseUnavailable, Some(cause)) => format!("{}: {cause}", error.message),
        _ => error.message.clone(),
    };
    let mut told = Error::new(error.kind(), error.failure_key(), message);
    if error.reason == Reason::DatabaseUnavailable {
        told =
            told.hint("look at whether PostgreSQL runs there, and at the user and the name of the database");
    } else if let Some(hint) = error.hint {
        told = told.hint(hint);
    }
    told.into()
}
