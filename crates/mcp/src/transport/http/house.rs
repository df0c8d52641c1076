//! What all connections share: the workspaces, who may come in, what is counted, and when it is time to go.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use super::HttpOptions;
use super::gate::Gate;
use super::metrics::{Metrics, Now};
use super::mount::Mount;
use super::origin::Doors;
use super::token::{Principal, Tokens};

#[derive(Debug)]
pub(super) struct House {
    pub(super) mounts: BTreeMap<String, Mount>,
    pub(super) doors: Doors,
    pub(super) tokens: Option<Tokens>,
    pub(super) anonymous: Arc<Principal>,
    pub(super) gate: Arc<Gate>,
    pub(super) metrics: Metrics,
    /// How many connections are open.
    pub(super) connections: AtomicUsize,
    /// Nobody new comes in.
    pub(super) closing: CancellationToken,
    /// Time is up: calls that are still under way are cancelled.
    pub(super) cutting: CancellationToken,
}

impl House {
    pub(super) fn new(options: HttpOptions, mounts: BTreeMap<String, Mount>) -> Self {
        Self {
            doors: Doors::new(&options.allow_hosts, &options.allow_origins),
            mounts,
            tokens: options.tokens,
            anonymous: Arc::new(Principal::anonymous()),
            gate: Arc::new(Gate::default()),
            metrics: Metrics::default(),
            connections: 0.into(),
            closing: CancellationToken::new(),
            cutting: CancellationToken::new(),
        }
    }

    pub(super) fn now(&self) -> Now {
        Now {
            in_flight: self.gate.count(),
            connections: self.connections.load(Ordering::Relaxed),
            sessions: self.mounts.values().map(|mount| mount.sessions.count()).sum(),
            workspaces: self.mounts.len(),
        }
    }

    /// Takes nobody in any more, and ends what would go on for ever.
    pub(super) fn close(&self) {
        self.closing.cancel();
        for mount in self.mounts.values() {
            mount.close();
        }
    }

    /// Ends sessions that were forgotten.
    pub(super) fn tidy(&self) {
        let now = Instant::now();
        for mount in self.mounts.values() {
            mount.sessions.expire(now);
        }
    }
}
