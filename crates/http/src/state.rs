//! What all connections share: the services, who may come in, what is counted, and when it is time to go.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use crate::access::{Authenticator, Principal};
use crate::gate::Gate;
use crate::metrics::{Metrics, Now};
use crate::origin::OriginPolicy;
use crate::server::HttpOptions;
use crate::service::Service;

#[derive(Debug)]
pub(crate) struct HttpState {
    pub(crate) services: Vec<Arc<dyn Service>>,
    pub(crate) origins: OriginPolicy,
    pub(crate) authenticators: Vec<Arc<dyn Authenticator>>,
    pub(crate) anonymous: Arc<Principal>,
    pub(crate) gate: Arc<Gate>,
    pub(crate) metrics: Metrics,
    /// How many connections are open.
    pub(crate) connections: AtomicUsize,
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
            authenticators: options.authenticators,
            anonymous: Arc::new(Principal::anonymous()),
            gate: Arc::new(Gate::default()),
            metrics: Metrics::default(),
            connections: 0.into(),
            closing: CancellationToken::new(),
            cutting: CancellationToken::new(),
        }
    }

    pub(crate) fn now(&self) -> Now {
        Now {
            in_flight: self.gate.count(),
            connections: self.connections.load(Ordering::Relaxed),
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
