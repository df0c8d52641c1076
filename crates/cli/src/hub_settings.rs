//! The hub that this person named: in their own configuration, or in the environment of a pipeline. Never in a repository.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hewto_engine::config::{HubConfig, OwnerConfig};
use hewto_engine::hub::HubSettings;

use crate::env;

/// What the owner says; `None` where they say nothing.
pub(crate) fn of_owner() -> Option<Arc<HubSettings>> {
    let folder = env::config_dir();
    let configured = folder.as_deref().and_then(read);
    let from_environment = env::hub_url();
    let config = match (from_environment, configured) {
        (Some(url), Some(config)) => HubConfig { url, ..config },
        (Some(url), None) => HubConfig { url, token_file: None, ca_file: None },
        (None, config) => config?,
    };
    let token = match env::hub_token() {
        Some(token) => Ok(token),
        None => token(&config, folder.as_deref()),
    };
    let (token, roots) = match (token, roots(&config, folder.as_deref())) {
        (token, Ok(roots)) => (token, roots),
        (_, Err(why)) => (Err(why), None),
    };
    Some(Arc::new(HubSettings { url: config.url, token, roots }))
}

fn read(folder: &Path) -> Option<HubConfig> {
    let text = fs_err::read_to_string(folder.join("config.toml")).ok()?;
    let (config, faults) = OwnerConfig::read(&text);
    for fault in faults {
        tracing::warn!("{}: line {}: {}", folder.join("config.toml").display(), fault.line, fault.message);
    }
    config.hub
}

fn token(config: &HubConfig, folder: Option<&Path>) -> Result<String, String> {
    let Some(file) = &config.token_file else {
        return Err("`hub.token_file` names no file with a token".to_owned());
    };
    secret_of(&beside(file, folder))
}

/// A token as a file has it that nobody else can read.
pub(crate) fn secret_of(path: &Path) -> Result<String, String> {
    let unreadable = |error: std::io::Error| format!("the token file cannot be read: {error}");
    let mode = fs_err::metadata(path).map_err(unreadable)?.permissions().mode();
    if mode & 0o077 != 0 {
        let shown = path.display();
        return Err(format!("others can read the token file: run `chmod 600 {shown}`"));
    }
    Ok(fs_err::read_to_string(path).map_err(unreadable)?.trim().to_owned())
}

fn roots(config: &HubConfig, folder: Option<&Path>) -> Result<Option<Vec<u8>>, String> {
    let Some(file) = &config.ca_file else { return Ok(None) };
    fs_err::read(beside(file, folder))
        .map(Some)
        .map_err(|error| format!("`hub.ca_file` cannot be read: {error}"))
}

/// A path as it is written: relative to the configuration, or to the home of this person.
fn beside(file: &str, folder: Option<&Path>) -> PathBuf {
    match (file.strip_prefix("~/"), env::home()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => folder.map_or_else(|| PathBuf::from(file), |folder| folder.join(file)),
    }
}
