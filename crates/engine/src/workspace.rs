//! An open workspace: the store behind it and the few facts about it that use cases ask for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hewto_core::diagnostic::Finding;
use hewto_core::proof::settings::Settings;
use hewto_core::spec::Category;
use hewto_store::{
    Committed, ContentHash, Context, DocKey, Layout, LayoutKind, OperationLog, Places, SharedFolder, Start,
    Store, WriteGuard, discover,
};

use crate::claim::Memory;
use crate::config::ConfigMemory;
use crate::error::Result;
use crate::graph::GraphMemory;
use crate::history::GitHistory;
use crate::hub::HubSettings;
use crate::proof::Walks;
use crate::proof::run::Jobs;
use crate::requirement::Purposes;
use crate::search::{Finder, IndexCare, ModelChoice};
use crate::trust::{Subject, Trust};

/// A workspace; clones share one store.
#[derive(Debug, Clone)]
pub struct Workspace {
    store: Store,
    purposes: Arc<Purposes>,
    git: Arc<GitHistory>,
    finder: Arc<Finder>,
    graphs: Arc<GraphMemory>,
    config: Arc<ConfigMemory>,
    trust: Trust,
    children: Arc<Children>,
    jobs: Arc<Jobs>,
    walks: Arc<Walks>,
    seed_flow: bool,
    claims: Arc<Memory>,
    hub: Option<Arc<HubSettings>>,
}

/// What programs that are started for this workspace see of the machine.
#[derive(Debug, Default)]
pub(crate) struct Children {
    pub(crate) search_path: Vec<PathBuf>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// The digest of the settings of proof that the command line was told to trust.
    pub(crate) given_trust: Option<ContentHash>,
}

impl Workspace {
    /// Opens the workspace that the start belongs to.
    pub fn discover(start: Start<'_>) -> Result<Self> {
        Self::discover_with(start, None)
    }

    /// The same with the operation log in a file of somebody's choice; a relative one is seen from the root.
    pub(crate) fn discover_with(start: Start<'_>, operation_log: Option<&Path>) -> Result<Self> {
        let layout = discover(start)?;
        let layout = match operation_log {
            Some(path) => layout.with_operation_log(path),
            None => layout,
        };
        Ok(Self {
            store: Store::open(layout)?,
            purposes: Arc::default(),
            git: Arc::default(),
            config: Arc::default(),
            finder: Arc::default(),
            graphs: Arc::default(),
            trust: Trust::nothing(),
            children: Arc::default(),
            jobs: Arc::default(),
            walks: Arc::default(),
            seed_flow: false,
            claims: Arc::default(),
            hub: None,
        })
    }

    /// Lets the workspace ask git, which is looked for in these folders (the entries of `PATH`).
    #[must_use]
    pub fn with_search_path(mut self, folders: Vec<PathBuf>) -> Self {
        self.git = Arc::new(GitHistory::new(folders));
        self
    }

    /// Lets checks be run, with these folders of programs (the entries of `PATH`) and this environment. A digest that is given
    /// stands for the owner's trust; only a command line may give one.
    #[must_use]
    pub fn with_children(
        mut self,
        search_path: Vec<PathBuf>,
        environment: Vec<(OsString, OsString)>,
        given_trust: Option<ContentHash>,
    ) -> Self {
        self.children = Arc::new(Children { search_path, environment, given_trust });
        self
    }

    /// Searches with this model from now on.
    #[must_use]
    pub fn with_model(mut self, model: ModelChoice) -> Self {
        self.finder = Arc::new(Finder::new(model));
        self
    }

    /// Searches with this model, and looks after the index in this way, from now on.
    #[must_use]
    pub fn with_search(mut self, model: ModelChoice, care: IndexCare) -> Self {
        self.finder = Arc::new(Finder::new(model).with_care(care));
        self
    }

    /// Speaks to this hub, which the owner of the machine named.
    #[must_use]
    pub(crate) fn with_hub(mut self, hub: Option<Arc<HubSettings>>) -> Self {
        self.hub = hub;
        self
    }

    /// The hub that the owner of the machine named.
    pub fn hub(&self) -> Option<&HubSettings> {
        self.hub.as_deref()
    }

    /// Goes by what the owner of this machine has trusted; without this nothing is.
    #[must_use]
    pub fn with_trust(mut self, trust: Trust) -> Self {
        self.trust = trust;
        self
    }

    pub fn trust(&self) -> &Trust {
        &self.trust
    }

    /// Lets work through as the server of seed 000 does, which asks for an approval and for nothing else.
    #[must_use]
    pub(crate) fn with_seed_flow(mut self) -> Self {
        self.seed_flow = true;
        self
    }

    pub(crate) fn walks(&self) -> &Walks {
        &self.walks
    }

    pub(crate) fn keeps_seed_flow(&self) -> bool {
        self.seed_flow
    }

    /// What the owner of this machine last trusted of `proof.toml`, where that is not what it says now.
    pub(crate) fn trusted_settings(&self, present: Option<&str>) -> Result<Option<Settings>> {
        let trusted = self.trust.last_trusted(self.root(), Subject::Proof)?;
        Ok(trusted.filter(|text| Some(text.as_str()) != present).map(|text| Settings::read(&text).0))
    }

    pub fn root(&self) -> &Path {
        self.store.root()
    }

    pub fn layout(&self) -> &Layout {
        self.store.layout()
    }

    /// Where hewto's own documents are.
    pub(crate) fn places(&self) -> &Places {
        self.store.places()
    }

    /// What all work trees of the repository share.
    pub(crate) fn shared_folder(&self) -> SharedFolder {
        self.layout().shared_folder()
    }

    /// What the project is called: as its configuration says, else like its folder.
    pub fn project_name(&self, ctx: &Context) -> String {
        let configured = self.configuration(ctx).config.name.clone().filter(|name| !name.trim().is_empty());
        let folder = || self.root().file_name().map(|name| name.to_string_lossy().into_owned());
        configured.or_else(folder).unwrap_or_default()
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Takes the write lock. The workspace that comes with it reads as its holder does: use cases go on with that one.
    pub(crate) fn lock(&self, ctx: &Context) -> Result<(WriteGuard, Self)> {
        Ok(self.held(self.store.lock(ctx)?))
    }

    /// The same for a use case that ends with [`WriteGuard::finish`].
    pub(crate) fn lock_together(&self, ctx: &Context) -> Result<(WriteGuard, Self)> {
        Ok(self.held(self.store.lock_together(ctx)?))
    }

    /// Git may take seconds, and nobody is to wait for it who waits for the lock: this asks it beforehand whatever `rehearsal` asks.
    /// The workspace that comes back knows the answers; what is decided is decided under the lock.
    pub(crate) fn foreseeing<T>(&self, rehearsal: impl FnOnce(&Self) -> Result<T>) -> Self {
        if !self.git.is_there(self.root()) {
            return self.clone();
        }
        let knowing = Self { git: Arc::new(self.git.asked_once()), ..self.clone() };
        // Whatever is wrong is found again, and told then.
        let _ = rehearsal(&knowing);
        knowing
    }

    fn held(&self, guard: WriteGuard) -> (WriteGuard, Self) {
        let held = Self { store: Store::clone(&guard), ..self.clone() };
        (guard, held)
    }

    /// The same with the parts that a project shares.
    pub(crate) fn sharing(self, git: Arc<GitHistory>, finder: Arc<Finder>) -> Self {
        Self { git, finder, ..self }
    }

    pub(crate) fn config_memory(&self) -> &ConfigMemory {
        &self.config
    }

    pub(crate) fn git(&self) -> &GitHistory {
        &self.git
    }

    pub(crate) fn children(&self) -> &Children {
        &self.children
    }

    pub(crate) fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    pub(crate) fn finder(&self) -> &Finder {
        &self.finder
    }

    pub(crate) fn purposes(&self) -> &Purposes {
        &self.purposes
    }

    pub(crate) fn claims(&self) -> &Memory {
        &self.claims
    }

    pub(crate) fn graphs(&self) -> &GraphMemory {
        &self.graphs
    }

    /// The `airsspec:///config` resource: the configuration as it stands.
    pub fn config_text(&self, ctx: &Context) -> Result<String> {
        Ok(self.store.read(ctx, &DocKey::Config)?.map(|doc| doc.text).unwrap_or_default())
    }

    /// The category of a spec that names none.
    pub(crate) fn default_category(&self, ctx: &Context) -> Category {
        // A configuration that cannot be read is `validate`'s business, no reason to refuse a new spec.
        self.configuration(ctx).config.default_category.unwrap_or_default()
    }

    /// Whether hewto alone keeps specs there, by its own rules.
    pub(crate) fn is_native(&self, spec: &str) -> bool {
        let owners = self.owners_of(spec);
        !owners.is_empty() && !owners.contains(&LayoutKind::Airsspec)
    }

    /// Whether a spec without a state in this folder is a living capability of another tool rather than a draft (design §1).
    pub(crate) fn is_living_folder(&self, folder: &str) -> bool {
        let ours = |owner: &LayoutKind| matches!(owner, LayoutKind::Native | LayoutKind::Airsspec);
        let owners = self.owners_of(folder);
        !owners.is_empty() && !owners.iter().any(ours)
    }

    /// Whose folder of specs a path stands in; nobody's outside of them.
    pub(crate) fn owners_of(&self, path: &str) -> &[LayoutKind] {
        self.layout().spec_root_of(path).map_or(&[], |root| &root.owners)
    }

    /// The folders of specs, as people see them.
    pub(crate) fn spec_roots(&self) -> impl Iterator<Item = &str> {
        self.layout().spec_roots().iter().map(|root| root.path.as_str())
    }

    /// The names of the layouts that are here, the leading one first.
    pub(crate) fn layout_names(&self) -> Vec<String> {
        self.layout().kinds().iter().map(|kind| kind.as_str().to_owned()).collect()
    }

    /// What is wrong with the markers of the workspace and their configuration.
    pub(crate) fn layout_findings(&self) -> &[Finding] {
        self.layout().findings()
    }

    /// What was done here.
    pub(crate) fn operation_log(&self) -> Result<OperationLog> {
        Ok(OperationLog::open(self.layout())?)
    }
}

/// The path that a commit wrote first, relative to the root.
pub(crate) fn first_path(committed: &Committed) -> String {
    committed.changes.first().map(|change| change.path.to_string()).unwrap_or_default()
}
