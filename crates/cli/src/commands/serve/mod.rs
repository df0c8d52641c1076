//! `hewto serve`: the MCP server on the standard streams, or over HTTP.
//!
//! This file turns flags into the server's options and ends the process well; the server itself is `hewto-mcp`.

mod http;
mod input;
mod output;

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::FalseyValueParser;
use hewto_core::proof::settings::Policy;
use hewto_engine::decision::{Climb, ModelWish};
use hewto_engine::{LayoutKind, Result, hub, proof};
use hewto_mcp::{Machine, McpServer, McpServerBuilder, Profile, ServerOptions, Toolset};
use tokio::runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};

pub(super) use self::http::{DEFAULT_ADDRESS, allow_many_connections, dashboard};
use self::input::Input;
use crate::args::Globals;
use crate::env;
use crate::failure::{Failure, Outcome, Verdict, machine};
use crate::place::{Place, absolute, context};
use crate::search_model::SearchModel;
use crate::ui::Ui;

/// How long calls under way may take to answer after a signal.
const GRACE: Duration = Duration::from_secs(5);

/// Serve the workspace to agents over MCP, on the standard streams or over HTTP
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What is offered follows the layout: `workflow`, `specs` and `decisions`, with `proof` and `review` where the workspace uses them, in a SpecMan workspace `graph`, in a repository that \
is not a workspace `decisions`; --toolsets chooses otherwise. Standard output carries protocol frames only. Without a workspace the server starts all the same, and its tools say \
how to make one. A host's configuration: {\"command\": \"hewto\", \"args\": [\"serve\"]}

With --http the server is at /mcp. It serves several workspaces with --workspace NAME=PATH, repeated: each is at \
/mcp/w/NAME, and the one called `default`, or given without a name, at /mcp too. Beyond loopback it needs --token-file.")]
pub(crate) struct Args {
    /// Log what happens on standard error
    #[arg(long)]
    pub(super) debug: bool,
    /// Offer these toolsets, separated by commas, or `all`
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', env = env::TOOLSETS, hide_env_values = true)]
    toolsets: Vec<String>,
    /// Offer exactly these tools, separated by commas
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', env = env::TOOLS, hide_env_values = true)]
    tools: Vec<String>,
    /// Offer only tools that change nothing
    #[arg(long, env = env::READ_ONLY, hide_env_values = true, value_parser = FalseyValueParser::new())]
    read_only: bool,
    /// Stand in for another tool's server: its name, its tools, its instructions
    #[arg(long, value_name = "NAME", env = env::PROFILE, hide_env_values = true)]
    profile: Option<String>,
    /// Allow the workstation toolset this folder instead of the workspace; may be repeated
    #[arg(long, value_name = "PATH")]
    root: Vec<PathBuf>,
    /// Keep the logs in this folder
    #[arg(long, value_name = "PATH")]
    log_dir: Option<PathBuf>,
    #[command(flatten)]
    model: SearchModel,
    /// Keep the search index in memory and write no file for it
    #[arg(long)]
    no_index: bool,
    #[command(flatten)]
    http: http::HttpArgs,
    // Some hosts are configured to pass it; it is what happens anyway.
    #[arg(long, hide = true, conflicts_with = "http")]
    stdio: bool,
}

impl Args {
    pub(super) fn is_http(&self) -> bool {
        self.http.address().is_some()
    }
}

/// Serves over HTTP, perhaps several workspaces.
pub(super) fn run_http(ui: &mut Ui, globals: &Globals, args: &Args) -> Outcome {
    http::run(ui, globals, args)
}

pub(crate) fn run(place: &Place, args: &Args) -> Outcome {
    let server = builder(place, args)?.build()?;
    let _pusher = pusher(place, args);
    let mut builder = runtime::Builder::new_multi_thread();
    // One for the client's requests and what is over at once, and one for the rest while that takes longer after all.
    builder.worker_threads(2);
    run_to_the_end(builder, async { serve(server).await.map_err(Failure::from) })
}

/// Pushes what changes to the owner's hub; nothing where there is none, or where nothing is to be written.
fn pusher(place: &Place, args: &Args) -> Option<hub::Pusher> {
    if args.read_only {
        return None;
    }
    crate::pusher::start(place)
}

/// Everything that a server of this place needs.
fn builder(place: &Place, args: &Args) -> Result<McpServerBuilder> {
    let options = following(place, args, options(args)?);
    let mut builder = McpServerBuilder::new()
        .with_machine(machine_of(args, &options)?)
        .with_options(options)
        .with_debug(args.debug)
        .with_clock(env::clock())
        .with_secret(env::secret())
        .with_interviewer(env::interviewer(&ModelWish::default()))
        .with_search_model(args.model.choice()?)
        .with_index_in_memory(args.no_index);
    if let Some(folder) = &args.log_dir {
        builder = builder.with_log_dir(absolute(folder)?);
    }
    if let Some(file) = env::operation_log() {
        builder = builder.with_operation_log(file);
    }
    if let Some(folder) = env::state_dir() {
        builder = builder.with_state_dir(folder);
    }
    if let Err(error) = place.workspace() {
        // Not a reason to stay away (D-2): the tools say so too, and the workspace may be made later.
        tracing::warn!("{error}");
    }
    Ok(match place.named_by() {
        Some(by) => builder.with_named_workspace(place.start(), by),
        None => builder.with_workspace(place.start()),
    })
}

pub(super) fn run_to_the_end(
    mut runtime: runtime::Builder,
    serving: impl Future<Output = Outcome<()>>,
) -> Outcome {
    let runtime = runtime.enable_all().build().map_err(|error| machine("cannot start the server", error))?;
    let ended = runtime.block_on(serving);
    // A call that is still at work is cut off here; what it had not committed is not there, what it started ends.
    hewto_engine::workstation::shut_down();
    runtime.shutdown_timeout(Duration::ZERO);
    ended?;
    Ok(Verdict::Yes)
}

/// The signals that end a server well.
#[derive(Debug)]
pub(super) struct Signals {
    interrupted: Signal,
    terminated: Signal,
}

impl Signals {
    pub(super) fn listen() -> Result<Self> {
        let cannot = |error| machine("cannot listen for signals", error);
        Ok(Self {
            interrupted: signal(SignalKind::interrupt()).map_err(cannot)?,
            terminated: signal(SignalKind::terminate()).map_err(cannot)?,
        })
    }

    pub(super) async fn received(mut self) {
        tokio::select! {
            _ = self.interrupted.recv() => {}
            _ = self.terminated.recv() => {}
        }
        tracing::debug!("a signal ends the server");
    }
}

/// Runs until the input ends, until a signal ends it, or until nobody reads what it says.
async fn serve(server: McpServer) -> Result<()> {
    let signals = Signals::listen()?;
    let unread = output::closed().map_err(|error| machine("cannot watch standard output", error))?;
    let (input, stop) = Input::standard().map_err(|error| machine("cannot open standard input", error))?;
    let running = server.run_promptly(input, std::io::stdout(), output::write_now());
    tokio::pin!(running);
    tokio::select! {
        ended = &mut running => return ended,
        () = signals.received() => {}
        () = unread => tracing::debug!("the client has gone"),
    }
    drop(stop);
    // From here on it is as if the client had closed the input: what came in is still answered.
    tokio::time::timeout(GRACE, running).await.unwrap_or(Ok(()))
}

fn options(args: &Args) -> Result<ServerOptions> {
    let protocols = env::protocols();
    let mut options = ServerOptions { read_only: args.read_only, protocols, ..ServerOptions::default() };
    let toolsets = names(&args.toolsets);
    if !toolsets.is_empty() {
        options.toolsets = Toolset::from_names(toolsets)?;
    }
    let tools = names(&args.tools);
    if !tools.is_empty() {
        options.tools = Some(tools.into_iter().map(str::to_owned).collect());
    }
    options.profile = args.profile.as_deref().filter(|name| !name.is_empty()).map(str::parse).transpose()?;
    Ok(options)
}

/// What is offered when nobody chooses follows what is there: a graph to SpecMan's users, decisions where there is only
/// a repository.
fn following(place: &Place, args: &Args, mut options: ServerOptions) -> ServerOptions {
    let chose = !names(&args.toolsets).is_empty() || options.tools.is_some() || options.profile.is_some();
    if chose || place.named_by().is_some_and(|_| place.workspace().is_err()) {
        return options;
    }
    let kinds = place.workspace().map(|workspace| workspace.layout().kinds().to_vec());
    let is_repository = || place.repository(None, Climb::Up).is_ok();
    match kinds {
        Ok(kinds) if kinds == [LayoutKind::Specman] => options.toolsets = vec![Toolset::Graph],
        Err(_) if is_repository() => options.toolsets = vec![Toolset::Decisions],
        _ => {}
    }
    if wants_proof(place) {
        options.toolsets.push(Toolset::Proof);
    }
    options
}

/// Whether the workspace asks for proof, so that its tools are offered without being named (D-5: fixed at start).
fn wants_proof(place: &Place) -> bool {
    let policy = place.workspace().and_then(|workspace| proof::policy(&workspace, &context()));
    // Settings that cannot be read want to be looked at, too.
    !matches!(policy, Ok(Policy::Off)) && place.workspace().is_ok()
}

/// The allowed folders, and what the programs that builds start find on this machine.
fn machine_of(args: &Args, options: &ServerOptions) -> Result<Machine> {
    let original = || env::base_path().filter(|_| options.profile == Some(Profile::Ancplua));
    let roots = if args.root.is_empty() { original().into_iter().collect() } else { args.root.clone() };
    Ok(Machine {
        roots: roots.iter().map(|root| absolute(root)).collect::<Result<_>>()?,
        search_path: env::search_path(),
        environment: env::whole(),
        trust: env::trust(),
        hub: crate::hub_settings::of_owner(),
        hides_logs: args.is_http(),
    })
}

/// The names of a list; a variable that is set to nothing names nothing.
fn names(list: &[String]) -> Vec<&str> {
    list.iter().map(|name| name.trim()).filter(|name| !name.is_empty()).collect()
}
