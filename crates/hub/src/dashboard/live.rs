//! Telling open pages that something was pushed or said: one look at the events of the database for all pages of a replica.

use std::convert::Infallible;
use std::time::Duration;

use futures::StreamExt as _;
use hewto_http::Reply;
use hewto_http::bytes::Bytes;
use hewto_http::http_body_util::{BodyExt as _, StreamBody};
use hewto_http::hyper::body::Frame;
use hewto_http::hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hewto_http::hyper::{Response, StatusCode};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use crate::database::Database;
use crate::error::Result;
use crate::follow::{self, Mark, Of};
use crate::hub::Hub;

/// A stream ends after this and is opened again: whoever may no longer come in hears nothing more.
const LASTS: Duration = Duration::from_mins(1);
const HEARTBEAT: Duration = Duration::from_secs(15);
/// How many events a slow page may be behind before it is told that everything changed.
const NEWS_KEPT: usize = 1024;

/// The repositories in which something happened.
#[derive(Debug)]
pub(crate) struct News {
    sender: broadcast::Sender<i64>,
    closing: CancellationToken,
    /// How far was told; nothing while nobody listens.
    seen: std::sync::Mutex<Option<Mark>>,
}

impl Default for News {
    fn default() -> Self {
        let sender = broadcast::Sender::new(NEWS_KEPT);
        Self { sender, closing: CancellationToken::new(), seen: std::sync::Mutex::default() }
    }
}

impl News {
    /// Looks for events, as long as a page listens.
    pub(crate) async fn look(&self, database: &Database) -> Result<()> {
        let seen = self.lock().clone();
        if self.sender.receiver_count() == 0 {
            *self.lock() = None;
            return Ok(());
        }
        // Whoever has just begun to listen has just loaded the page.
        let Some(seen) = seen else {
            let now = follow::mark(database).await?;
            *self.lock() = Some(now);
            return Ok(());
        };
        let (repos, up_to) = follow::since(database, &seen, Of::Everything).await?;
        for repo in repos {
            // Nobody may be listening by now.
            let _ = self.sender.send(repo);
        }
        *self.lock() = Some(up_to);
        Ok(())
    }

    /// Ends the streams of all pages.
    pub(crate) fn close(&self) {
        self.closing.cancel();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Mark>> {
        self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// The stream of one page about one repository.
pub(super) fn events(hub: &Hub, repo: i64) -> Reply {
    let (news, closing) = (hub.news.sender.subscribe(), hub.news.closing.clone());
    let end = tokio::time::Instant::now() + LASTS;
    let changes = futures::stream::unfold((news, closing), move |(mut news, closing)| async move {
        let text = loop {
            tokio::select! {
                () = tokio::time::sleep_until(end) => return None,
                () = closing.cancelled() => return None,
                () = tokio::time::sleep(HEARTBEAT) => break ": still here\n\n",
                heard = news.recv() => match heard {
                    Ok(there) if there != repo => {}
                    Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {
                        break "event: changed\ndata: {\"regions\":[\"all\"]}\n\n";
                    }
                    Err(broadcast::error::RecvError::Closed) => return None,
                },
            }
        };
        Some((text, (news, closing)))
    });
    let all = futures::stream::once(async { "retry: 1000\n: hello\n\n" }).chain(changes);
    let frames = all.map(|text| Ok::<_, Infallible>(Frame::data(Bytes::from_static(text.as_bytes()))));
    let mut reply = Response::new(StreamBody::new(frames).boxed_unsync());
    *reply.status_mut() = StatusCode::OK;
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    reply.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    reply
}
