//! How a server is put together.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hewto_call::{AuditLog, LogFolders, Pipeline, Pool, TimeLimit};
use hewto_engine::decision::{Flow, Interviewer};
use hewto_engine::search::ModelChoice;
use hewto_engine::workstation::Machine;
use hewto_engine::{
    Clock, Context, IdGenerator, MachineSecret, Names, Project, ProjectOptions, Result, Start, Wording,
    Workspace, review,
};
use rmcp::model::{
    Implementation, JsonObject, PromptsCapability, ResourcesCapability, ServerCapabilities, ServerConfig,
    TASKS_EXTENSION_ID,
};
use tokio_util::sync::CancellationToken;

use crate::feed::Feed;
use crate::heartbeat::HEARTBEAT;
use crate::instructions::instructions;
use crate::naming::fit;
use crate::options::{Profile, ServerOptions, Toolset};
use crate::place::Places;
use crate::prompts::prompts;
use crate::seal::Seals;
use crate::server::McpServer;
use crate::state::ServerState;
use crate::table::Table;

/// The server's name unless a profile gives it another.
const SERVER_NAME: &str = "hewto";

/// Collects what a server needs; everything has a default.
#[derive(Debug)]
pub struct McpServerBuilder {
    project: ProjectOptions,
    logs: LogFolders,
    debug: bool,
    context: Context,
    options: ServerOptions,
    heartbeat: Duration,
}

impl Default for McpServerBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl McpServerBuilder {
    pub fn new() -> Self {
        Self {
            project: ProjectOptions { start: PathBuf::from("."), ..ProjectOptions::default() },
            logs: LogFolders::default(),
            debug: false,
            context: Context::background(),
            options: ServerOptions::default(),
            heartbeat: HEARTBEAT,
        }
    }

    /// Looks for the workspace at or above this folder (default: the current one).
    #[must_use]
    pub fn with_workspace(mut self, start: impl Into<PathBuf>) -> Self {
        self.project.start = start.into();
        self
    }

    /// The same, for a folder that somebody named with this option or variable; errors then say so.
    #[must_use]
    pub fn with_named_workspace(mut self, start: impl Into<PathBuf>, by: impl Into<String>) -> Self {
        self.project.named_by = Some(by.into());
        self.with_workspace(start)
    }

    /// Logs each call with its time (through `tracing`; the binary decides where that goes).
    #[must_use]
    pub fn with_debug(mut self, debug: bool) -> Self {
        self.debug = debug;
        self
    }

    #[must_use]
    pub fn with_id_generator(mut self, ids: Arc<dyn IdGenerator>) -> Self {
        self.context = self.context.with_ids(ids);
        self
    }

    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.context = self.context.with_clock(clock);
        self
    }

    /// Lets a later process finish what this one began.
    #[must_use]
    pub fn with_secret(mut self, secret: MachineSecret) -> Self {
        self.context = self.context.with_secret(secret);
        self
    }

    #[must_use]
    pub fn with_options(mut self, options: ServerOptions) -> Self {
        self.options = options;
        self
    }

    /// Lets a model ask the questions of a clarification (default: the catalogue alone).
    #[must_use]
    pub fn with_interviewer(mut self, interviewer: Interviewer) -> Self {
        self.project.interviewer = interviewer;
        self
    }

    /// The allowed folders of the workstation, and the machine around them (default: the workspace, and nothing).
    #[must_use]
    pub fn with_machine(mut self, machine: Machine) -> Self {
        self.project.machine = machine;
        self
    }

    /// Searches with this model (default: the one that was compiled in).
    #[must_use]
    pub fn with_search_model(mut self, model: ModelChoice) -> Self {
        self.project.search_model = model;
        self
    }

    /// Keeps the search index in memory and writes no file for it.
    #[must_use]
    pub fn with_index_in_memory(mut self, in_memory: bool) -> Self {
        self.project.index_care.in_memory = in_memory;
        self
    }

    /// Keeps the logs in this folder, workspace or not.
    #[must_use]
    pub fn with_log_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.logs.chosen = Some(folder.into());
        self
    }

    /// Keeps the operation log in this file.
    #[must_use]
    pub fn with_operation_log(mut self, file: impl Into<PathBuf>) -> Self {
        self.project.operation_log = Some(file.into());
        self
    }

    /// Keeps the logs in this folder when there is no workspace, but folders are allowed by name.
    #[must_use]
    pub fn with_state_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.logs.state = Some(folder.into());
        self
    }

    /// Tells clients more often of calls that take long.
    #[cfg(test)]
    pub(crate) fn with_heartbeat(mut self, heartbeat: Duration) -> Self {
        self.heartbeat = heartbeat;
        self
    }

    /// Builds the server. That there is no workspace yet is no error; an unknown tool or a root that cannot be opened
    /// is.
    pub fn build(mut self) -> Result<McpServer> {
        if self.options.profile == Some(Profile::Airsspec) {
            self.project.seed_flow = true;
        }
        self.project.index_care.in_background = true;
        self.project.index_care.refuses_without = self.options.profile == Some(Profile::Spox);
        self.project.questions =
            if self.options.profile == Some(Profile::Preflights) { Flow::Seed } else { Flow::Agent };
        // A workspace that cannot be opened is told of by the first call.
        let start = match &self.project.named_by {
            Some(by) => Start::Override { path: &self.project.start, by },
            None => Start::Here(&self.project.start),
        };
        if let Ok(workspace) = Workspace::discover(start)
            && review::is_in_use(&workspace, &self.context)
        {
            self.options = self.options.with_asked_for(Toolset::Review);
        }
        let table = Table::choose(&self.options)?;
        let pool = Pool::new(TimeLimit::new(self.options.call_timeout));
        let (offers_workstation, has_roots) =
            (table.offers_workstation(), !self.project.machine.roots.is_empty());
        let server = self.assemble(table, pool);
        if offers_workstation && let Err(error) = server.open_workstation() {
            if has_roots {
                return Err(error);
            }
            // What keeps it shut now may be gone at the first call, which says so else.
            tracing::debug!(%error, "the workstation is not open yet");
        }
        Ok(server)
    }

    /// Puts the parts together; tests bring their own.
    pub(crate) fn assemble(mut self, table: Table, pool: Pool) -> McpServer {
        let table = Arc::new(table);
        let names: Arc<dyn Names> = table.clone();
        self.context = self.context.with_wording(Wording::new(names));
        let name = self.options.profile.map_or(SERVER_NAME, Profile::as_str);
        let offers = |tool: &str| table.find(tool).is_some();
        let instructions = instructions(self.options.served_toolsets(), self.options.spelling(), offers);
        let info = ServerConfig::new(capabilities(&self.options, &table))
            .with_server_info(Implementation::new(name, env!("CARGO_PKG_VERSION")))
            .with_instructions(fit(&instructions, &table));
        let audit = AuditLog::new(self.context.uuid().to_string());
        let project = Arc::new(Project::new(self.project));
        let state = ServerState {
            info,
            table,
            feed: Arc::new(Feed::new(Arc::clone(&project), self.context.clone())),
            pipeline: Arc::new(Pipeline::new(project, self.logs, pool, audit)),
            replays: Arc::default(),
            heartbeat: self.heartbeat,
            seals: Seals::new(&self.context),
            places: Places::default(),
            base_context: self.context,
            options: self.options,
            debug: self.debug,
            closing: CancellationToken::new(),
        };
        McpServer::new(Arc::new(state))
    }
}

/// Declares what is there and nothing that is never sent.
fn capabilities(options: &ServerOptions, table: &Table) -> ServerCapabilities {
    let mut capabilities = ServerCapabilities::builder().enable_tools().build();
    capabilities.logging = Some(JsonObject::new());
    if options.served_toolsets().contains(&Toolset::Proof) && !options.read_only {
        // Runs of checks are what may take long.
        capabilities
            .extensions
            .get_or_insert_default()
            .insert(TASKS_EXTENSION_ID.to_owned(), JsonObject::new());
    }
    if options.offers_resources() {
        let mut resources = ResourcesCapability::default();
        resources.subscribe = Some(true);
        resources.list_changed = Some(true);
        capabilities.resources = Some(resources);
    }
    if prompts(options.prompts(table)).next().is_some() {
        capabilities.prompts = Some(PromptsCapability::default());
    }
    if capabilities.resources.is_some() || capabilities.prompts.is_some() {
        capabilities.completions = Some(JsonObject::new());
    }
    capabilities
}
