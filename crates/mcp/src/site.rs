//! Where the server works: the workspace, looked for at each call until there is one (D-2), and what begins with it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use hewto_call::{AuditLog, RateLimit, Rates, TimeLimit};
use hewto_engine::decision::Interviewer;
use hewto_engine::search::ModelChoice;
use hewto_engine::workstation::{Machine, Station};
use hewto_engine::{Context, Result, Start, Workspace};

use crate::office::Office;

/// What the command line says about where to work.
#[derive(Debug, Default)]
pub(crate) struct Whereabouts {
    /// The folder from which the workspace is looked for.
    pub(crate) start: PathBuf,
    /// The option or variable that named the folder.
    pub(crate) named_by: Option<String>,
    /// The allowed folders and the machine around them.
    pub(crate) machine: Machine,
    /// Who turns texts into vectors for its searches.
    pub(crate) search_model: ModelChoice,
    /// Where logs go, whatever else holds.
    pub(crate) log_dir: Option<PathBuf>,
    /// The file of the operation log, when it has one of its own.
    pub(crate) operation_log: Option<PathBuf>,
    /// Where they go when folders are allowed and there is no workspace.
    pub(crate) state_dir: Option<PathBuf>,
}

/// The workspace, once it is found, and what needs none.
#[derive(Debug)]
pub(crate) struct Site {
    place: Whereabouts,
    found: OnceLock<Workspace>,
    office: Office,
    station: OnceLock<Station>,
    audit: AuditLog,
    limits: Limits,
}

/// What the workspace's configuration may set.
#[derive(Debug)]
pub(crate) struct Limits {
    pub(crate) rates: Arc<Rates>,
    pub(crate) time_limit: Arc<TimeLimit>,
}

impl Limits {
    /// Goes by what a `config.toml` says.
    fn adopt(&self, config: &str) {
        if let Some(limit) = RateLimit::read(config) {
            self.rates.set_limit(limit);
        }
        self.time_limit.adopt(config);
    }
}

impl Site {
    pub(crate) fn new(place: Whereabouts, audit: AuditLog, limits: Limits, interviewer: Interviewer) -> Self {
        let office = Office::new(place.start.clone(), interviewer);
        let (found, station) = (OnceLock::new(), OnceLock::new());
        Self { place, found, office, station, audit, limits }
    }

    /// Where decisions are made, with or without a workspace.
    pub(crate) fn office(&self) -> &Office {
        &self.office
    }

    /// The allowed folders, opened at the first call that finds them.
    pub(crate) fn station(&self, context: &Context) -> Result<&Station> {
        if let Some(station) = self.station.get() {
            return Ok(station);
        }
        let station = Station::open(&self.place.machine, self.workspace(context), context)?;
        Ok(self.station.get_or_init(|| station))
    }

    /// The same, if they are open.
    pub(crate) fn open_station(&self) -> Option<&Station> {
        self.station.get()
    }

    /// Keeps calls inside the workspace or, where there is none, inside the repository (D-15).
    pub(crate) fn confine(&self, context: &Context) {
        let root = match self.workspace(context) {
            Ok(workspace) => Some(workspace.layout().root().to_owned()),
            Err(_) => self.office.repository(None).ok().map(|repository| repository.root().to_owned()),
        };
        self.office.confine(root.unwrap_or_else(|| self.place.start.clone()));
    }

    /// Begins the logs: where the user says, in the workspace, or (D-3), where there is none, in the user's state
    /// folder when folders are allowed by name, else in the git folder of the repository.
    pub(crate) fn open_logs(&self, context: &Context) {
        if let Some(folder) = &self.place.log_dir {
            self.audit.open_in(folder, context);
        }
        if self.workspace(context).is_ok() {
            return;
        }
        if !self.place.machine.roots.is_empty() {
            if let Some(folder) = &self.place.state_dir {
                self.audit.open_in(folder, context);
            }
        } else if let Ok(repository) = self.office.repository(None) {
            self.audit.open(repository.layout(), context);
        }
    }

    /// The root of the workspace, else the folder from which it is looked for.
    pub(crate) fn whereabouts(&self) -> &Path {
        self.found.get().map_or(&self.place.start, Workspace::root)
    }

    /// The workspace; one that was found stays.
    pub(crate) fn workspace(&self, context: &Context) -> Result<&Workspace> {
        if let Some(workspace) = self.found.get() {
            return Ok(workspace);
        }
        let start = match &self.place.named_by {
            Some(by) => Start::Override { path: &self.place.start, by },
            None => Start::Here(&self.place.start),
        };
        let workspace = Workspace::discover_with(start, self.place.operation_log.as_deref())?
            .with_search_path(self.place.machine.search_path.clone())
            .with_model(self.place.search_model.clone());
        Ok(self.found.get_or_init(|| {
            match &self.place.log_dir {
                Some(folder) => self.audit.open_in(folder, context),
                None => self.audit.open(workspace.layout(), context),
            }
            if let Ok(config) = workspace.config_text(context) {
                self.limits.adopt(&config);
            }
            workspace
        }))
    }
}
