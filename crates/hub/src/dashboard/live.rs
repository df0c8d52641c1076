//! Telling open pages that something was pushed or said: one look at the events of the database for all pages of a replica.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use hewto_http::Reply;
use hewto_http::bytes::Bytes;
use hewto_http::http_body_util::{BodyExt as _, StreamBody};
use hewto_http::hyper::body::Frame;
use hewto_http::hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hewto_http::hyper::{Response, StatusCode};
use tokio::sync::broadcast;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::access::{Granted, Right};
use crate::database::Database;
use crate::directory::Directory;
use crate::error::Result;
use crate::follow::{self, Mark, Of};
use crate::hub::Hub;
use crate::pages::Presence;

/// A stream ends after this and is opened again.
const LASTS: Duration = Duration::from_mins(1);
/// How often it is looked at whether somebody may still listen, besides before each event.
const LOOK: Duration = Duration::from_secs(1);
const CHANGED: &str = "event: changed\ndata: {\"regions\":[\"all\"]}\n\n";
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

/// Whoever listens at a page that stays open.
struct Listener {
    news: broadcast::Receiver<i64>,
    closing: CancellationToken,
    repo: Granted,
    presence: Presence,
    directory: Arc<Directory>,
    database: Database,
    end: Instant,
    heartbeat: Instant,
}

impl Listener {
    /// Whether the repository is still open to them. Where that cannot be found out the stream ends, and its page asks again.
    async fn may_hear(&self) -> bool {
        let access = self.presence.access(&self.directory).await;
        let Ok(Some(access)) = access else { return false };
        access.repo(&self.database, &self.repo.name, Right::Read).await.is_ok()
    }

    /// The next thing to tell; nothing when the stream is over.
    async fn next(&mut self) -> Option<&'static str> {
        loop {
            let news = tokio::select! {
                () = sleep_until(self.end) => return None,
                () = self.closing.cancelled() => return None,
                () = sleep_until(Instant::now() + LOOK) => None,
                heard = self.news.recv() => Some(heard),
            };
            let text = match news {
                Some(Ok(there)) if there != self.repo.id => continue,
                Some(Ok(_) | Err(broadcast::error::RecvError::Lagged(_))) => Some(CHANGED),
                Some(Err(broadcast::error::RecvError::Closed)) => return None,
                None if Instant::now() >= self.heartbeat => Some(": still here\n\n"),
                None => None,
            };
            // Whoever may no longer come in hears nothing more, also of what happened just now.
            if !self.may_hear().await {
                return None;
            }
            if text.is_some() {
                self.heartbeat = Instant::now() + HEARTBEAT;
                return text;
            }
        }
    }
}

/// The stream of one page about one repository.
pub(super) fn events(hub: &Hub, repo: Granted, presence: Presence) -> Reply {
    let listener = Listener {
        news: hub.news.sender.subscribe(),
        closing: hub.news.closing.clone(),
        repo,
        presence,
        directory: Arc::clone(&hub.directory),
        database: hub.database.clone(),
        end: Instant::now() + LASTS,
        heartbeat: Instant::now() + HEARTBEAT,
    };
    let changes = futures::stream::unfold(listener, |mut listener| async move {
        let text = listener.next().await?;
        Some((text, listener))
    });
    let all = futures::stream::once(async { "retry: 1000\n: hello\n\n" }).chain(changes);
    let frames = all.map(|text| Ok::<_, Infallible>(Frame::data(Bytes::from_static(text.as_bytes()))));
    let mut reply = Response::new(StreamBody::new(frames).boxed_unsync());
    *reply.status_mut() = StatusCode::OK;
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    reply.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    reply
}
