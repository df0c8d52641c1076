//! What all connections share: the services, who may come in, what is counted, and when it is time to go.

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::access::{Authenticator, Principal};
use crate::connections::Connections;
use crate::metrics::{Metrics, Now};
use crate::origin::OriginPolicy;
use crate::pool::Pool;
use crate::server::HttpOptions;
use crate::service::Service;
use crate::tls::Tls;
use crate::wrong_tokens::WrongTokens;

/// The most connections at once, unless told otherwise.
const MOST_CONNECTIONS: usize = 4_096;
/// Requests under way: far above what the services work on at once, so that a burst waits inside; a flood does not.
const PLACES: u64 = 1_024;
/// Bytes of the bodies under way, and of what is made of them.
const MEMORY: u64 = 128 * 1024 * 1024;

#[derive(Debug)]
pub(crate) struct HttpState {
    pub(crate) services: Vec<Arc<dyn Service>>,
    pub(crate) origins: OriginPolicy,
    pub(crate) authenticators: Vec<Arc<dyn Authenticator>>,
    /// Where a client learns how to get a token, and what it learns there.
    pub(crate) metadata: Option<(String, Value)>,
    pub(crate) anonymous: Arc<Principal>,
    /// For requests under way.
    pub(crate) places: Arc<Pool>,
    /// For the bodies of requests under way.
    pub(crate) memory: Arc<Pool>,
    pub(crate) wrong_tokens: WrongTokens,
    pub(crate) metrics: Metrics,
    pub(crate) connections: Arc<Connections>,
    pub(crate) tls: Option<Tls>,
    /// Nobody new comes in.
    pub(crate) closing: CancellationToken,
    /// Time is up: calls that are still under way are cancelled.
    pub(crate) cutting: CancellationToken,
}

impl HttpState {
    pub(crate) fn new(options: HttpOptions, services: Vec<Arc<dyn Service>>) -> Self {
        Self {
            origins: OriginPolicy::new(&options.allow_hosts, &options.allow_origins),
            services,
            metadata: options.authenticators.iter().find_map(|known| known.metadata()),
            authenticators: options.authenticators,
            anonymous: Arc::new(Principal::anonymous()),
            places: Pool::new(PLACES),
            memory: Pool::new(MEMORY),
            wrong_tokens: WrongTokens::default(),
            metrics: Metrics::default(),
            connections: Connections::new(options.max_connections.unwrap_or(MOST_CONNECTIONS)),
            tls: options.tls,
            closing: CancellationToken::new(),
            cutting: CancellationToken::new(),
        }
    }

    pub(crate) fn now(&self) -> Now {
        Now {
            in_flight: self.places.in_use(),
            body_bytes: self.memory.in_use(),
            wrong_tokens: self.wrong_tokens.count(),
            connections: self.connections.count(),
            gauges: self.services.iter().flat_map(|service| service.gauges()).collect(),
        }
    }

    /// Takes nobody in any more, and ends what would go on for ever.
    pub(crate) fn close(&self) {
        self.closing.cancel();
        for service in &self.services {
            service.close();
        }
    }

    /// Ends what was forgotten.
    pub(crate) fn tidy(&self) {
        let now = Instant::now();
        for service in &self.services {
            service.tidy(now);
        }
    }
}
