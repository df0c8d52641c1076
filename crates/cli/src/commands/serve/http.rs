//! `hewto serve --http`: the same server on a port, for many clients and several workspaces.

use std::path::PathBuf;
use std::sync::Arc;

use hewto_http::{Authenticator, HttpOptions, HttpServer, Tokens};
use hewto_mcp::{DEFAULT_MOUNT, McpRoutes};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::runtime;

use super::{Signals, builder, run_to_the_end};
use crate::args::Globals;
use crate::failure::{Failure, Outcome, usage};
use crate::place::{Place, absolute};
use crate::ui::Ui;

/// Where the server listens unless told otherwise.
pub(crate) const DEFAULT_ADDRESS: &str = "127.0.0.1:7420";

#[derive(Debug, clap::Args)]
pub(super) struct HttpArgs {
    /// Serve over HTTP at ADDR (127.0.0.1:7420 unless given); standard input is not read then
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = DEFAULT_ADDRESS)]
    http: Option<String>,
    /// Ask for a bearer token of this file: a line `NAME SCOPE[,SCOPE] TOKEN` each
    #[arg(long, value_name = "PATH", requires = "http")]
    token_file: Option<PathBuf>,
    /// Answer to this host name too, besides loopback
    #[arg(long, value_name = "HOST[:PORT]", requires = "http")]
    allow_host: Vec<String>,
    /// Let pages of this origin speak to the server, besides loopback
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
}

impl HttpArgs {
    pub(super) fn address(&self) -> Option<&str> {
        self.http.as_deref()
    }

    /// Who knows the people that come.
    fn authenticators(&self) -> Outcome<Vec<Arc<dyn Authenticator>>> {
        let Some(path) = &self.token_file else { return Ok(Vec::new()) };
        let text = fs_err::read_to_string(absolute(path)?).map_err(|error| {
            usage(format!("cannot read the token file: `{}`", path.display())).caused_by(error)
        })?;
        let tokens: Tokens = text.parse().map_err(Failure::from)?;
        Ok(vec![Arc::new(tokens)])
    }
}

pub(super) fn run(ui: &mut Ui, globals: &Globals, args: &super::Args) -> Outcome {
    let options = HttpOptions {
        allow_hosts: args.http.allow_host.clone(),
        allow_origins: args.http.allow_origin.clone(),
        authenticators: args.http.authenticators()?,
    };
    let places = Place::several(globals, DEFAULT_MOUNT)?;
    let mut server = HttpServer::bind(args.http.address().unwrap_or(DEFAULT_ADDRESS), options)?;
    let mut routes = McpRoutes::default();
    for (name, place) in &places {
        routes.add(name, builder(place, args)?.build()?);
    }
    server.mount(routes);
    allow_many_connections();
    let address = server.address();
    let mut builder = runtime::Builder::new_multi_thread();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // Calls that are over at once run on these threads too; half of them are always left for the rest.
    builder.worker_threads(cores + 2);
    run_to_the_end(builder, async {
        let signals = Signals::listen()?;
        for (name, _) in &places {
            let path = if name == DEFAULT_MOUNT { "/mcp".to_owned() } else { format!("/mcp/w/{name}") };
            // A server whose standard error is closed serves all the same.
            let _ = ui.note(format_args!("serving http://{address}{path}"));
        }
        server.run(signals.received()).await.map_err(Failure::from)
    })
}

/// Each connection is a descriptor; the usual soft limit would run out at a thousand.
fn allow_many_connections() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current < maximum
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })
    {
        tracing::debug!(%error, "cannot raise the limit of open files");
    }
}
