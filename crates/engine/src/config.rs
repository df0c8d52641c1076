//! The configuration of a workspace, read once for each state of its file.

use std::sync::{Arc, Mutex, PoisonError};

pub use hewto_core::config::{
    CallRate, Config, ConfigKey, ConfigOwner, HubConfig, LeaseConfig, OWNER_KEYS, OwnerConfig,
    WORKSPACE_KEYS, WorkstationConfig, key_table,
};
use hewto_core::diagnostic::Finding;
use hewto_core::rules::workspace as rules;
use hewto_store::{ContentHash, Context, DocKey};

use crate::workspace::Workspace;

/// What a configuration says, and what is wrong with it. For what is wrong the defaults hold.
#[derive(Debug, Clone, Default)]
pub struct Configuration {
    pub config: Config,
    pub findings: Vec<Finding>,
}

/// The configuration as it was read last.
#[derive(Debug, Default)]
pub(crate) struct ConfigMemory(Mutex<Option<(ContentHash, Arc<Configuration>)>>);

impl Workspace {
    /// The configuration as it stands now.
    pub fn configuration(&self, ctx: &Context) -> Arc<Configuration> {
        let path = &self.places().config;
        match self.store().read(ctx, &DocKey::Config) {
            Ok(Some(doc)) => {
                let mut known = self.config_memory().0.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some((hash, configuration)) = &*known
                    && *hash == doc.hash
                {
                    return Arc::clone(configuration);
                }
                let owner =
                    if self.places().has_own_config() { ConfigOwner::Hewto } else { ConfigOwner::Foreign };
                let (config, faults) = Config::read(&doc.text, owner);
                let findings = faults.iter().map(|fault| fault.in_file(path.as_str())).collect();
                let configuration = Arc::new(Configuration { config, findings });
                *known = Some((doc.hash, Arc::clone(&configuration)));
                configuration
            }
            // A workspace of another tool may have none.
            Ok(None) => Arc::default(),
            Err(error) => {
                let unreadable = rules::UNREADABLE.on(path.as_str(), None, error.to_string(), error.hint());
                Arc::new(Configuration { config: Config::default(), findings: vec![unreadable] })
            }
        }
    }
}
