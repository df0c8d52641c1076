//! `hewto hub serve`: one replica of the hub.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hewto_core::hub::Reason;
use hewto_http::{Authenticator, HttpOptions, HttpServer, OAuth, OAuthOptions, Tls};
use hewto_hub::{Hub, HubOptions};
use tokio::runtime;

use super::admin::{DatabaseArgs, told};
use super::folder::IndexFolder;
use crate::commands::serve::{Signals, allow_many_connections, run_to_the_end};
use crate::failure::{Failure, Outcome, machine, usage};
use crate::hub_settings::secret_of;
use crate::place::absolute;
use crate::ui::Ui;

/// Where the hub listens unless told otherwise.
const DEFAULT_ADDRESS: &str = "127.0.0.1:7430";

/// Shorter ones can be guessed.
const SHORTEST_TOKEN: usize = 16;

/// Serve the hub: pushes, search, claims, reviews and audit for many repositories
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The schema is brought up to date at the start; replicas share nothing but the database. Beyond loopback serve TLS here \
(--tls-cert, --tls-key), or behind a proxy that does, and name the host with --allow-host. /health, /ready (503 without the \
database) and /metrics are where they are expected. The database may be named in HEWTO_HUB_DATABASE, which keeps its password \
out of the list of processes.")]
pub(crate) struct Args {
    #[command(flatten)]
    database: DatabaseArgs,
    /// Listen at this address
    #[arg(long, value_name = "ADDR", default_value = DEFAULT_ADDRESS)]
    listen: String,
    /// Keep the search index in this folder; in a temporary one unless given
    #[arg(long, value_name = "PATH")]
    index: Option<PathBuf>,
    /// Search by words alone
    #[arg(long)]
    words_only: bool,
    /// Serve over TLS with this certificate and its chain (PEM)
    #[arg(long, value_name = "PATH", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The key of the certificate (PEM), which nobody else can read
    #[arg(long, value_name = "PATH", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// The token in this file, which nobody else can read, opens /metrics and nothing else
    #[arg(long, value_name = "PATH")]
    metrics_token_file: Option<PathBuf>,
    /// Take tokens that this OAuth issuer signed for this hub, besides its own
    #[arg(long, value_name = "URL", requires = "oauth_resource")]
    oauth_issuer: Option<String>,
    /// The address of this hub, as its tokens name it (their audience)
    #[arg(long, value_name = "URL", requires = "oauth_issuer")]
    oauth_resource: Option<String>,
    /// Where the issuer's keys are, unless its metadata says so
    #[arg(long, value_name = "URL", requires = "oauth_issuer")]
    oauth_keys: Option<String>,
    /// Answer to this host name too, besides loopback
    #[arg(long, value_name = "HOST[:PORT]")]
    allow_host: Vec<String>,
}

pub(super) fn run(ui: &mut Ui, args: &Args) -> Outcome {
    let mut builder = runtime::Builder::new_multi_thread();
    builder.worker_threads(workers());
    // It goes when this returns, after everything that reads or writes there.
    let (_temporary, index) = if let Some(folder) = &args.index {
        (None, absolute(folder)?)
    } else {
        let made = IndexFolder::temporary();
        let made = made.map_err(|error| machine("cannot make a folder for the index", error))?;
        let path = made.path().to_owned();
        (Some(made), path)
    };
    let tls = match (&args.tls_cert, &args.tls_key) {
        (Some(certificate), Some(key)) => Some(Tls::open(&absolute(certificate)?, &absolute(key)?)?),
        _ => None,
    };
    let metrics_token = args.metrics_token_file.as_deref().map(metrics_token).transpose()?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    run_to_the_end(builder, async {
        let database = args.database.open()?;
        // A schema of another version is a reason not to begin; a database that is away is waited for.
        if let Err(error) = database.migrate().await
            && error.reason != Reason::DatabaseUnavailable
        {
            return Err(told(error));
        }
        let hub = Hub::new(database.clone(), HubOptions { index, by_meaning: !args.words_only });
        let mut authenticators: Vec<Arc<dyn Authenticator>> = Vec::new();
        if let (Some(issuer), Some(resource)) = (&args.oauth_issuer, &args.oauth_resource) {
            authenticators.push(Arc::new(OAuth::new(OAuthOptions {
                issuer: issuer.clone(),
                resource: resource.clone(),
                key_set: args.oauth_keys.clone(),
                fetch: Arc::new(hewto_net::fetch_trusted),
            })?));
        }
        authenticators.push(hub.authenticator());
        authenticators.extend(metrics_token.as_deref().map(Hub::figures_token));
        let options = HttpOptions {
            allow_hosts: args.allow_host.clone(),
            allow_origins: Vec::new(),
            authenticators,
            max_connections: Some(allow_many_connections()),
            tls,
        };
        let mut server = HttpServer::bind(&args.listen, options)?;
        hub.mount(&mut server);
        let signals = Signals::listen()?;
        let working = tokio::spawn(Arc::clone(&hub).work());
        // A hub whose standard error is closed serves all the same.
        let _ = ui.note(format_args!("serving {scheme}://{}", server.address()));
        let served = server.run(signals.received()).await.map_err(Failure::from);
        hub.stop();
        let _ = working.await;
        database.close().await;
        served
    })
}

fn metrics_token(file: &Path) -> Outcome<String> {
    let token =
        secret_of(&absolute(file)?).map_err(|why| usage(why).hint("write one long random word into it"))?;
    if token.len() < SHORTEST_TOKEN {
        return Err(usage("the token for the metrics is too short to be secret")
            .hint(format!("write at least {SHORTEST_TOKEN} random characters into its file"))
            .into());
    }
    Ok(token)
}

fn workers() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from) + 2
}
