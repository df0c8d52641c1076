//! How long a call may take (D-12): what the server was started with, else what the workspace's configuration says,
//! else 30 seconds.

use std::sync::OnceLock;
use std::time::Duration;

/// How long a call may take unless somebody says otherwise.
const USUAL: Duration = Duration::from_secs(30);

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

    /// Goes by a configuration from now on, unless the time is settled.
    pub(crate) fn adopt(&self, configured: Option<Duration>) {
        if let Some(time) = configured {
            self.chosen.get_or_init(|| time);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_chooses_and_a_server_that_was_started_with_a_time_keeps_it() {
        let time = TimeLimit::default();
        assert_eq!(time.get(), USUAL);
        time.adopt(None);
        time.adopt(Some(Duration::from_secs(90)));
        time.adopt(Some(Duration::from_secs(5)));
        assert_eq!(time.get(), Duration::from_secs(90));
        let settled = TimeLimit::new(Some(Duration::from_secs(7)));
        settled.adopt(Some(Duration::from_secs(90)));
        assert_eq!(settled.get(), Duration::from_secs(7));
    }
}
