//! Telling open pages what changed: server-sent events from the feed that also serves subscriptions of MCP.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt as _;
use hewto_call::Listener;
use hewto_http::Reply;
use hewto_http::bytes::Bytes;
use hewto_http::http_body_util::{BodyExt as _, StreamBody};
use hewto_http::hyper::body::Frame;
use hewto_http::hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hewto_http::hyper::{Response, StatusCode};
use tokio_util::sync::CancellationToken;

use crate::session::Sessions;
use crate::site::{Site, region_of};

/// A line in between, so that a connection that is gone is noticed.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The stream of one page. `last` is the mark of the last event that it heard.
pub(crate) async fn events(site: &Site, last: Option<&str>, audience: Audience) -> Reply {
    let listener = site.feed.listen(site.topics(audience.with_code)).await;
    let now = mark(&listener);
    let opening = match last {
        // It missed something, and cannot know what.
        Some(last) if last != now => {
            format!("retry: 1000\nid: {now}\nevent: changed\ndata: {{\"regions\":[\"all\"]}}\n\n")
        }
        _ => format!("retry: 1000\nid: {now}\n: hello\n\n"),
    };
    let end = tokio::time::Instant::now() + audience.left;
    let state = Stream { listener, audience };
    let changes = futures::stream::unfold(state, move |mut state| async move {
        let text = tokio::select! {
            () = tokio::time::sleep_until(end) => return None,
            topic = state.listener.next() => {
                let region = region_of(&topic).to_owned();
                let id = mark(&state.listener);
                format!("id: {id}\nevent: changed\ndata: {{\"regions\":[\"{region}\"]}}\n\n")
            }
            () = tokio::time::sleep(HEARTBEAT) => ": still here\n\n".to_owned(),
            () = state.audience.closing.cancelled() => return None,
        };
        // Whoever has signed out hears nothing any more.
        state.audience.is_there().then_some((text, state))
    });
    let all = futures::stream::once(async move { opening }).chain(changes);
    let frames = all.map(|text| Ok::<_, Infallible>(Frame::data(Bytes::from(text))));
    let mut reply = Response::new(StreamBody::new(frames).boxed_unsync());
    *reply.status_mut() = StatusCode::OK;
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    reply
}

struct Stream {
    listener: Listener,
    audience: Audience,
}

/// Whoever listens, for as long as they are signed in.
#[derive(Debug)]
pub(crate) struct Audience {
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) secret: String,
    /// They look at how promises are kept, so code and tests concern them.
    pub(crate) with_code: bool,
    pub(crate) left: Duration,
    /// The server ends.
    pub(crate) closing: CancellationToken,
}

impl Audience {
    fn is_there(&self) -> bool {
        self.sessions.find(&self.secret, Instant::now()).is_some()
    }
}

/// One number for everything that a page may show, as the last look had it: however many pages are open, nobody looks again.
fn mark(listener: &Listener) -> String {
    // What only tells how sound things are is computed anew after a restart, and is no change.
    format!("{:016x}", listener.mark(|topic| region_of(topic) != "health"))
}
