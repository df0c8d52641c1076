//! `subscriptions/listen`, the new era's one way to be told of changes: a request that stays open.

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{ErrorData, SubscriptionFilter};
use rmcp::service::SubscriptionContext;
use tokio_util::sync::CancellationToken;

use crate::feed::{self, Feed, Listener, News};
use crate::options::{ServerOptions, Toolset};
use crate::resources::ResourceUri;

/// How many resources one subscription may name; the confirmation says which were taken.
const MOST_URIS: usize = 1000;

/// What of a filter can be served: lists of tools and prompts never change, and not every address is ours.
pub(crate) fn accepted(requested: &SubscriptionFilter, options: &ServerOptions) -> SubscriptionFilter {
    let mut accepted = SubscriptionFilter::new();
    if options.offers_resources() {
        accepted.resources_list_changed = requested.resources_list_changed.filter(|wanted| *wanted);
        let uris = requested.resource_subscriptions.iter().flatten();
        let is_ours = |uri: &&String| ResourceUri::parse(uri).is_some_and(|uri| options.offers(&uri));
        let known = uris.filter(is_ours).take(MOST_URIS).cloned();
        accepted.resource_subscriptions = Some(known.collect::<Vec<_>>()).filter(|known| !known.is_empty());
    }
    accepted
}

/// A subscription on its way to [`serve`], begun before rmcp confirms it. Extensions of a request must be cloneable,
/// which a listener is not.
#[derive(Debug, Clone)]
pub(crate) struct Prepared(Arc<Mutex<Option<Listener>>>);

impl Prepared {
    pub(crate) async fn of(filter: &SubscriptionFilter, served: &[Toolset], feed: &Arc<Feed>) -> Self {
        let uris = filter.resource_subscriptions.iter().flatten();
        let uris = uris.filter_map(|uri| ResourceUri::parse(uri));
        let list = (filter.resources_list_changed == Some(true)).then(|| feed::of_list(served));
        let listener = feed.listen(uris.map(feed::of_resource).chain(list).collect()).await;
        Self(Arc::new(Mutex::new(Some(listener))))
    }

    fn take(&self) -> Option<Listener> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Passes the news on until the client has enough, or the server closes: that is the one end with an answer.
pub(crate) async fn serve(
    subscription: &SubscriptionContext,
    closing: &CancellationToken,
) -> Result<(), ErrorData> {
    let prepared = subscription.request_context().extensions.get::<Prepared>().and_then(Prepared::take);
    let Some(mut listener) = prepared else {
        return Err(ErrorData::internal_error("the subscription was not prepared", None));
    };
    loop {
        let news = tokio::select! {
            news = listener.next() => news,
            () = subscription.cancelled() => return Ok(()),
            () = closing.cancelled() => return Ok(()),
        };
        let sent = match News::from(news) {
            News::Updated(uri) => subscription.sink().notify_resource_updated(uri.as_ref()).await,
            News::ListChanged => subscription.sink().notify_resource_list_changed().await,
        };
        if sent.is_err() {
            return Ok(());
        }
    }
}
