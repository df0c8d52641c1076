//! How long a call may take (D-12): what the server was started with, else what `[limits]` in the workspace's
//! `config.toml` says, else 30 seconds.

use std::sync::OnceLock;
use std::time::Duration;

use toml_edit::{DocumentMut, Item};

/// How long a call may take unless somebody says otherwise.
const USUAL: Duration = Duration::from_secs(30);
/// A server whose calls may take longer would look dead.
const LONGEST_SECONDS: u64 = 3600;

#[derive(Debug, Default)]
pub struct TimeLimit {
    chosen: OnceLock<Duration>,
}

impl TimeLimit {
    pub fn new(chosen: Option<Duration>) -> Self {
        Self { chosen: chosen.map_or_else(OnceLock::new, OnceLock::from) }
    }

    pub fn get(&self) -> Duration {
        self.chosen.get().copied().unwrap_or(USUAL)
    }

    /// Goes by a `config.toml` from now on, unless the time is settled.
    pub fn adopt(&self, config: &str) {
        if let Some(time) = read(config) {
            self.chosen.get_or_init(|| time);
        }
    }
}

/// What a `config.toml` says; nothing when it says nothing or nothing that makes sense.
fn read(config: &str) -> Option<Duration> {
    let document: DocumentMut = config.parse().ok()?;
    let item = document.get("limits")?.get("call_timeout_s")?;
    let seconds = Item::as_integer(item).and_then(|seconds| u64::try_from(seconds).ok());
    let seconds = seconds.filter(|seconds| (1..=LONGEST_SECONDS).contains(seconds));
    if seconds.is_none() {
        tracing::warn!(
            "`limits.call_timeout_s` needs whole seconds from 1 to {LONGEST_SECONDS}; it is ignored"
        );
    }
    seconds.map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_chooses_and_a_server_that_was_started_with_a_time_keeps_it() {
        let time = TimeLimit::default();
        assert_eq!(time.get(), USUAL);
        time.adopt("[limits]\ncall_timeout_s = 90\n");
        time.adopt("[limits]\ncall_timeout_s = 5\n");
        assert_eq!(time.get(), Duration::from_secs(90));
        let settled = TimeLimit::new(Some(Duration::from_secs(7)));
        settled.adopt("[limits]\ncall_timeout_s = 90\n");
        assert_eq!(settled.get(), Duration::from_secs(7));
    }

    #[test]
    fn what_makes_no_sense_is_ignored() {
        for value in ["0", "-1", "3601", "1.5", "\"30\"", "true"] {
            assert_eq!(read(&format!("[limits]\ncall_timeout_s = {value}\n")), None, "{value}");
        }
        for config in ["", "[limits]\n", "limits = 5\n", "no toml"] {
            assert_eq!(read(config), None, "{config}");
        }
    }
}
