//! What one connection of the old era has asked for: a log level, and resources to be told about.
//!
//! The new era keeps nothing between requests; there a subscription is a request of its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use rmcp::RoleServer;
use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam};
use rmcp::service::Peer;
use serde_json::json;
use tokio::sync::broadcast;
use tokio::task::AbortHandle;

use crate::client_log::SessionLevel;
use crate::feed::{self, Feed, Interest, News};
use crate::options::Toolset;
use crate::resources::ResourceUri;

/// How many resources one connection may follow.
const MOST_SUBSCRIPTIONS: usize = 1000;

/// The state of a connection. Ends everything it began when it is dropped.
#[derive(Debug, Default)]
pub(crate) struct Session {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    level: Option<SessionLevel>,
    texts: HashMap<String, Interest>,
    list: Option<Interest>,
    teller: Option<AbortHandle>,
}

impl Session {
    pub(crate) fn set_level(&self, level: SessionLevel) {
        self.inner().level = Some(level);
    }

    pub(crate) fn level(&self) -> Option<SessionLevel> {
        self.inner().level
    }

    /// Tells the client from now on when this resource changes.
    pub(crate) async fn follow(
        self: &Arc<Self>,
        uri: ResourceUri,
        feed: &Arc<Feed>,
        peer: &Peer<RoleServer>,
    ) -> Result<(), ErrorData> {
        if self.inner().texts.len() >= MOST_SUBSCRIPTIONS {
            let message = format!("a client may follow {MOST_SUBSCRIPTIONS} resources at most");
            return Err(ErrorData::invalid_params(
                message,
                Some(json!({ "error": "too_many_subscriptions" })),
            ));
        }
        self.start_telling(feed, peer);
        let name = uri.to_string();
        let interest = feed.interest(vec![feed::of_resource(uri)]).await;
        self.inner().texts.insert(name, interest);
        Ok(())
    }

    /// Stops telling; whether it was followed does not matter.
    pub(crate) fn leave(&self, uri: &ResourceUri) {
        self.inner().texts.remove(&uri.to_string());
    }

    /// Tells the client from now on when the list of resources changes; a client that never asked for it has nothing
    /// to bring up to date.
    pub(crate) async fn follow_list(
        self: &Arc<Self>,
        served: &[Toolset],
        feed: &Arc<Feed>,
        peer: &Peer<RoleServer>,
    ) {
        if self.inner().list.is_some() {
            return;
        }
        self.start_telling(feed, peer);
        let interest = feed.interest(vec![feed::of_list(served)]).await;
        self.inner().list.get_or_insert(interest);
    }

    fn start_telling(self: &Arc<Self>, feed: &Feed, peer: &Peer<RoleServer>) {
        let mut inner = self.inner();
        if inner.teller.is_none() {
            let telling = tell(Arc::downgrade(self), feed.news(), peer.clone());
            inner.teller = Some(tokio::spawn(telling).abort_handle());
        }
    }

    /// What to tell of some news: itself, or everything after some were missed.
    fn concerned(&self, news: Option<hewto_call::News>) -> Vec<News> {
        let inner = self.inner();
        let interests = inner.texts.values().chain(&inner.list);
        match news {
            Some(news) => {
                let mut concerned = interests.filter(|one| one.covers(&news));
                concerned.next().map(|_| news.clone().into()).into_iter().collect()
            }
            None => interests.flat_map(Interest::everything).map(News::from).collect(),
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(teller) = &self.inner().teller {
            teller.abort();
        }
    }
}

/// Passes the news on to the client until it is gone.
async fn tell(
    session: Weak<Session>,
    mut news: broadcast::Receiver<hewto_call::News>,
    peer: Peer<RoleServer>,
) {
    loop {
        let heard = match news.recv().await {
            Ok(news) => Some(news),
            Err(broadcast::error::RecvError::Lagged(_)) => None,
            Err(broadcast::error::RecvError::Closed) => return,
        };
        let Some(concerned) = session.upgrade().map(|session| session.concerned(heard)) else { return };
        for news in concerned {
            let sent = match news {
                News::Updated(uri) => {
                    peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri.as_ref())).await
                }
                News::ListChanged => peer.notify_resource_list_changed().await,
            };
            if sent.is_err() {
                return;
            }
        }
    }
}
