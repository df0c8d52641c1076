//! One request by somebody who may come in.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::http::request::Parts;
use tokio_util::sync::CancellationToken;

use crate::access::Principal;
use crate::body;
use crate::body::ReadBody;
use crate::identify::slow_down;
use crate::pool::{Full, Share};
use crate::refusal::Refusal;
use crate::state::HttpState;

/// When a client whose places are all taken should come back.
const COME_BACK: Duration = Duration::from_secs(1);

/// Where a request came from and came in.
#[derive(Debug, Clone, Copy)]
pub struct Endpoints {
    pub remote: SocketAddr,
    pub local: SocketAddr,
    /// The connection was let in only to ask how the server is.
    pub(crate) is_spare: bool,
}

/// One request for a service, by somebody who may come in.
#[derive(Debug)]
pub struct AuthorizedRequest<'r> {
    pub(crate) state: &'r HttpState,
    pub principal: &'r Arc<Principal>,
    /// Whose requests are counted together: the principal or, where everybody is anonymous, the address.
    pub client: String,
    pub ends: Endpoints,
    pub parts: Parts,
}

impl AuthorizedRequest<'_> {
    /// A place among the requests under way, kept until it is dropped.
    #[expect(clippy::result_large_err, reason = "a refusal is made once, at the end of a request")]
    pub fn enter(&self) -> Result<Share, Refusal> {
        self.state.places.take(&self.client, 1).map_err(|full| match full {
            Full::ForHolder => {
                let message = "too many requests of this client are under way";
                Refusal::busy(StatusCode::TOO_MANY_REQUESTS, message, COME_BACK)
            }
            Full::ForAll => {
                let message = "too many requests are under way";
                Refusal::busy(StatusCode::SERVICE_UNAVAILABLE, message, COME_BACK)
            }
        })
    }

    /// Counts a token that nobody has and that came by other means than the head, as in a form. Whoever guesses is slowed down
    /// by their address alone; whoever calls this gives their place back first.
    pub async fn rejected(&self) -> Result<(), Refusal> {
        slow_down(self.state, self.ends, self.parts.uri.path()).await
    }

    /// The whole body, when it is of this type (or of none) and not larger than `most` bytes.
    pub async fn read(&self, body: Incoming, content_type: &str, most: usize) -> Result<ReadBody, Refusal> {
        let nothing_yet = self.state.memory.take(&self.client, 0);
        let share = nothing_yet.expect("nothing can always be had");
        body::read(&self.parts.headers, body, content_type, most, share).await
    }

    /// Cancelled when the server ends and time is up for what is still under way.
    pub fn cutting(&self) -> CancellationToken {
        self.state.cutting.child_token()
    }
}
