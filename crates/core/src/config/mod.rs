//! The configuration of a workspace: one reader, one typed value, one policy about what is wrong (D-17).
//!
//! A value that makes no sense is named with its line and counts as absent, so the default holds. A key that hewto does
//! not know is a warning in its own files; in another tool's configuration it is that tool's business.

mod keys;
mod reader;
mod workstation;

use std::time::Duration;

use toml_edit::Value;

pub use self::keys::{ConfigKey, OWNER_KEYS, WORKSPACE_KEYS, table as key_table};
use self::reader::Reader;
pub use self::workstation::{ClassRates, Pace, WorkstationConfig};
use crate::diagnostic::Diagnostic;
use crate::spec::Category;

/// A server whose calls may take longer would look dead.
const LONGEST_CALL_S: i64 = 3600;

/// Whose configuration a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigOwner {
    Hewto,
    /// Another tool's, of which hewto understands a part.
    Foreign,
}

/// What a `config.toml` says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Config {
    pub name: Option<String>,
    pub description: Option<String>,
    /// The category of specs that name none.
    pub default_category: Option<Category>,
    /// `[paths]` of a `.spox/config.toml`.
    pub paths: ConfigPaths,
    /// How long a tool call may take.
    pub call_timeout: Option<Duration>,
    pub rate: Option<CallRate>,
    pub leases: LeaseConfig,
    /// What the repository is called at a hub; which hub that is, its owner says.
    pub hub_repo: Option<String>,
    /// What the owner of the machine has to have trusted before it counts.
    pub workstation: WorkstationConfig,
}

/// Folders that Spec Oxide lets a project choose, as they are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigPaths {
    pub spec_folder: Option<String>,
    pub changes_folder: Option<String>,
    pub archive_folder: Option<String>,
}

/// `[rate]`: a pace, and how far a caller may run ahead of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CallRate {
    pub per_second: f64,
    pub burst: u32,
}

/// `[leases]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseConfig {
    /// Whether work has to be claimed before it is written.
    pub required: bool,
    /// How long a claim lasts unless it is renewed.
    pub length: Duration,
}

impl Default for LeaseConfig {
    fn default() -> Self {
        Self { required: false, length: Duration::from_mins(10) }
    }
}

/// What a person's own configuration says, which no repository can.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnerConfig {
    pub hub: Option<HubConfig>,
}

/// `[hub]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubConfig {
    pub url: String,
    /// The file that holds the token.
    pub token_file: Option<String>,
    /// The file with the authorities that are believed instead of the public ones.
    pub ca_file: Option<String>,
}

impl Config {
    /// Reads a configuration, with what is wrong with it.
    pub fn read(text: &str, owner: ConfigOwner) -> (Self, Vec<Diagnostic>) {
        let document = match Reader::parse(text) {
            Ok(document) => document,
            Err(fault) => return (Self::default(), vec![fault]),
        };
        let mut reader = Reader::new(text, document.as_table());
        let mut config = Self {
            name: reader.text("project.name"),
            description: reader.text("project.description"),
            default_category: reader.category("defaults.category"),
            ..Self::default()
        };
        match owner {
            ConfigOwner::Foreign => {
                config.paths = ConfigPaths {
                    spec_folder: reader.text("paths.spec_folder"),
                    changes_folder: reader.text("paths.changes_folder"),
                    archive_folder: reader.text("paths.archive_folder"),
                };
            }
            ConfigOwner::Hewto => {
                config.leases = leases(&mut reader);
                config.hub_repo = hub_repo(&mut reader);
                config.workstation = WorkstationConfig::read(&mut reader);
                reader.warn_of_unknown_keys(WORKSPACE_KEYS);
            }
        }
        config.call_timeout = reader.seconds("limits.call_timeout_s", 1..=LONGEST_CALL_S);
        config.rate = rate(&mut reader);
        (config, reader.finish())
    }
}

impl OwnerConfig {
    /// Reads a person's configuration, with what is wrong with it.
    pub fn read(text: &str) -> (Self, Vec<Diagnostic>) {
        let document = match Reader::parse(text) {
            Ok(document) => document,
            Err(fault) => return (Self::default(), vec![fault]),
        };
        let mut reader = Reader::new(text, document.as_table());
        let (token_file, ca_file) = (reader.text("hub.token_file"), reader.text("hub.ca_file"));
        let hub = reader.text("hub.url").map(|url| HubConfig { url, token_file, ca_file });
        reader.warn_of_unknown_keys(OWNER_KEYS);
        (Self { hub }, reader.finish())
    }
}

fn hub_repo(reader: &mut Reader<'_>) -> Option<String> {
    let name = reader.text("hub.repo")?;
    if crate::hub::is_repo_name(&name) {
        return Some(name);
    }
    reader.fault("hub.repo", "`hub.repo` is not a name of a repository");
    None
}

fn leases(reader: &mut Reader<'_>) -> LeaseConfig {
    let default = LeaseConfig::default();
    LeaseConfig {
        required: reader.flag("leases.required").unwrap_or(default.required),
        length: reader.seconds("leases.seconds", 30..=3600).unwrap_or(default.length),
    }
}

fn rate(reader: &mut Reader<'_>) -> Option<CallRate> {
    let per_second = reader.number("rate.per_second");
    let burst = reader.whole("rate.burst", 1..=i64::from(u32::MAX));
    if let Some(pace) = per_second
        && pace <= 0.0
    {
        reader.fault("rate.per_second", "`rate.per_second` is not above 0");
        return None;
    }
    match (per_second, burst) {
        (Some(per_second), Some(burst)) => Some(CallRate { per_second, burst: u32::try_from(burst).ok()? }),
        (Some(_), None) if !reader.has("rate.burst") => {
            reader.fault("rate.per_second", "`rate.per_second` needs `rate.burst` beside it");
            None
        }
        (None, Some(_)) if !reader.has("rate.per_second") => {
            reader.fault("rate.burst", "`rate.burst` needs `rate.per_second` beside it");
            None
        }
        _ => None,
    }
}

/// The text of a new `config.toml`.
pub fn render_config(name: &str, description: &str) -> String {
    let (name, description) = (Value::from(name), Value::from(description));
    let category = Category::default();
    format!(
        "[project]\nname = {name}\ndescription = {description}\n\n[defaults]\ncategory = \"{category}\"\n"
    )
}

#[cfg(test)]
mod tests;
