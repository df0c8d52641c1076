//! `hewto serve --http`: the same server on a port, for many clients and several workspaces.

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::Arc;

use hewto_call::{AuditLog, Feed, LogFolders, Pipeline, Pool, TimeLimit};
use hewto_http::{Authenticator, HttpOptions, HttpServer, OAuth, OAuthOptions, Tls, Tokens};
use hewto_mcp::{DEFAULT_MOUNT, McpRoutes};
use hewto_web::{Site, WebOptions, WebRoutes};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::runtime;

use super::super::ui::{offer_links, show_link};
use super::{Signals, builder, pusher, run_to_the_end};
use crate::args::Globals;
use crate::env;
use crate::failure::{Failure, Outcome, usage};
use crate::place::{Place, absolute, unhurried};
use crate::ui::Ui;

/// Where the server listens unless told otherwise.
pub(crate) const DEFAULT_ADDRESS: &str = "127.0.0.1:7420";

/// The most connections at once.
const MOST_CONNECTIONS: usize = 4_096;

#[derive(Debug, clap::Args)]
pub(in crate::commands) struct HttpArgs {
    /// Serve over HTTP at ADDR (127.0.0.1:7420 unless given); standard input is not read then
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = DEFAULT_ADDRESS)]
    http: Option<String>,
    /// Ask for a bearer token of this file: a line `NAME SCOPE[,SCOPE] TOKEN [workspace=NAME,…]` each
    #[arg(long, value_name = "PATH", requires = "http")]
    token_file: Option<PathBuf>,
    /// Take tokens that this OAuth issuer signed for this server
    #[arg(long, value_name = "URL", requires_all = ["http", "oauth_resource"])]
    oauth_issuer: Option<String>,
    /// The address of this server, as its tokens name it (their audience)
    #[arg(long, value_name = "URL", requires = "oauth_issuer")]
    oauth_resource: Option<String>,
    /// Where the issuer's keys are, unless its metadata says so
    #[arg(long, value_name = "URL", requires = "oauth_issuer")]
    oauth_keys: Option<String>,
    /// Serve over TLS with this certificate and its chain (PEM)
    #[arg(long, value_name = "PATH", requires_all = ["http", "tls_key"])]
    tls_cert: Option<PathBuf>,
    /// The key of the certificate (PEM), which nobody else can read
    #[arg(long, value_name = "PATH", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Show the dashboard too; a link that signs you in is shown on a terminal
    #[arg(long, requires = "http")]
    ui: bool,
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

    fn tls(&self) -> Outcome<Option<Tls>> {
        let (Some(certificate), Some(key)) = (&self.tls_cert, &self.tls_key) else { return Ok(None) };
        Ok(Some(Tls::open(&absolute(certificate)?, &absolute(key)?)?))
    }

    /// Who knows the people that come.
    fn authenticators(&self, workspaces: &[&str]) -> Outcome<Vec<Arc<dyn Authenticator>>> {
        let mut known: Vec<Arc<dyn Authenticator>> = Vec::new();
        let mut oauth = None;
        if let (Some(issuer), Some(resource)) = (&self.oauth_issuer, &self.oauth_resource) {
            let issuer = Arc::new(OAuth::new(OAuthOptions {
                issuer: issuer.clone(),
                resource: resource.clone(),
                key_set: self.oauth_keys.clone(),
                fetch: Arc::new(hewto_net::fetch_trusted),
            })?);
            known.push(Arc::clone(&issuer) as Arc<dyn Authenticator>);
            oauth = Some(issuer);
        }
        let Some(path) = &self.token_file else { return Ok(known) };
        let tokens = Tokens::open(&absolute(path)?)?;
        if let Some(name) = tokens.workspaces().into_iter().find(|name| !workspaces.contains(name)) {
            return Err(usage(format!("the token file names the workspace `{name}`, which is not served"))
                .hint("serve it with `--workspace NAME=PATH`, or take it out of the file")
                .into());
        }
        if let Some(name) = oauth.and_then(|oauth| tokens.names().find(|name| oauth.may_name(name))) {
            let message = format!("`{name}` of the token file could be a user of the issuer");
            return Err(usage(message).hint("give the token another name, without the issuer's host").into());
        }
        known.push(Arc::new(tokens));
        Ok(known)
    }
}

pub(super) fn run(ui: &mut Ui, globals: &Globals, args: &super::Args) -> Outcome {
    let places = Place::several(globals, DEFAULT_MOUNT)?;
    let names: Vec<&str> = places.iter().map(|(name, _)| name.as_str()).collect();
    let options = HttpOptions {
        allow_hosts: args.http.allow_host.clone(),
        allow_origins: args.http.allow_origin.clone(),
        authenticators: args.http.authenticators(&names)?,
        max_connections: Some(allow_many_connections()),
        tls: args.http.tls()?,
    };
    let mut server = HttpServer::bind(args.http.address().unwrap_or(DEFAULT_ADDRESS), options)?;
    let mut routes = McpRoutes::default();
    let mut shared = Vec::new();
    for (name, place) in &places {
        let mcp = builder(place, args)?.build()?;
        shared.push((Arc::clone(mcp.pipeline()), Arc::clone(mcp.feed())));
        routes.add(name, mcp);
    }
    let mut sign_in_links = None;
    if args.http.ui {
        let tokens = args.http.authenticators(&names)?;
        let pages = dashboard(&places, &server, &env::user(), Some((&args.http, shared)), tokens);
        sign_in_links = Some(pages.sign_in_links());
        server.mount(pages);
    }
    server.mount(routes);
    let _pushers: Vec<_> = places.iter().filter_map(|(_, place)| pusher(place, args)).collect();
    let address = server.address();
    let scheme = if args.http.tls_cert.is_some() { "https" } else { "http" };
    let mut builder = runtime::Builder::new_multi_thread();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // Calls that are over at once run on these threads too; half of them are always left for the rest.
    builder.worker_threads(cores + 2);
    run_to_the_end(builder, async {
        let signals = Signals::listen()?;
        for (name, _) in &places {
            let path = if name == DEFAULT_MOUNT { "/mcp".to_owned() } else { format!("/mcp/w/{name}") };
            // A server whose standard error is closed serves all the same.
            let _ = ui.note(format_args!("serving {scheme}://{address}{path}"));
        }
        if let Some(sign_in_links) = &sign_in_links {
            let _ = ui.note(format_args!("serving {}", sign_in_links.origin()));
            // An agent that starts the server learns no way in.
            let has_terminal = std::io::stderr().is_terminal() && env::agent().is_none();
            show_link(ui, sign_in_links, has_terminal);
            offer_links(sign_in_links, has_terminal);
        }
        server.run(signals.received()).await.map_err(Failure::from)
    })
}

/// What a face of a running server shares with the dashboard.
type Shared = (Arc<Pipeline>, Arc<Feed>);

/// The dashboard of these places. Beside a server it stands on the same projects, so that there is one of each.
pub(in crate::commands) fn dashboard(
    places: &[(String, Place)],
    server: &HttpServer,
    owner: &str,
    beside: Option<(&HttpArgs, Vec<Shared>)>,
    authenticators: Vec<Arc<dyn Authenticator>>,
) -> WebRoutes {
    // Pages have no bar on the terminal to show how far they are.
    let base = unhurried().without_deadline();
    let (args, shared) = beside.map_or((None, Vec::new()), |(args, shared)| (Some(args), shared));
    let mut routes = WebRoutes::new(WebOptions {
        owner: owner.to_owned(),
        scheme: if args.is_some_and(|args| args.tls_cert.is_some()) { "https" } else { "http" },
        is_local: server.address().ip().is_loopback() && args.is_none_or(|args| args.allow_host.is_empty()),
        port: server.address().port(),
        authenticators,
        find_interviewer: Arc::new(env::interviewer),
        context: base.clone(),
    });
    let mut shared = shared.into_iter();
    for (name, place) in places {
        let (pipeline, feed) = shared.next().unwrap_or_else(|| {
            let project = Arc::new(place.project());
            let feed = Feed::new(Arc::clone(&project), base.clone());
            let pool = Pool::new(TimeLimit::new(None));
            let audit = AuditLog::new(base.uuid().to_string());
            let pipeline = Pipeline::new(project, LogFolders::default(), pool, audit);
            pipeline.open_logs(&base);
            (Arc::new(pipeline), Arc::new(feed))
        });
        routes.add(Site::new(name, pipeline, feed, base.clone()));
    }
    routes
}

/// Each connection is a descriptor; the usual soft limit would run out at a thousand. How many there may be.
pub(crate) fn allow_many_connections() -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current < maximum
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })
    {
        tracing::debug!(%error, "cannot raise the limit of open files");
    }
    // The rest is for files, git and builds.
    let most = getrlimit(Resource::Nofile)
        .current
        .map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    (most / 2).clamp(16, MOST_CONNECTIONS)
}
