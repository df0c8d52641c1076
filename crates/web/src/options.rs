//! Who may look at the pages, and how they are reached.

use std::fmt;
use std::sync::Arc;

use hewto_engine::Context;
use hewto_engine::decision::{Interviewer, ModelWish};
use hewto_http::Authenticator;

/// How the interviewer of a clarification is found; the environment is the caller's to read.
pub type FindInterviewer = dyn Fn(&ModelWish) -> Interviewer + Send + Sync;

/// Who may look at the pages, and how they are reached.
pub struct WebOptions {
    /// Whose links sign in: the user who started the server.
    pub owner: String,
    /// `http` or `https`.
    pub scheme: &'static str,
    /// Whether the server can be reached from this machine only.
    pub is_local: bool,
    /// Where the pages are, as links name it: a host and a port.
    pub port: u16,
    /// Who knows people by their tokens; on a network they sign in with one.
    pub authenticators: Vec<Arc<dyn Authenticator>>,
    pub find_interviewer: Arc<FindInterviewer>,
    /// Clock and chance.
    pub context: Context,
}

impl fmt::Debug for WebOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebOptions")
            .field("owner", &self.owner)
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}
