//! What changed, for whoever wants to be told: one look at the workspace for all of them, as long as anybody listens.
//!
//! A [`Topic`] is a name and a way to tell whether what it stands for is different; MCP's subscriptions and the pages of
//! the dashboard have topics of their own. Nothing is sent from here; whoever listens sends.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use hewto_engine::{Context, Project};
use tokio::sync::broadcast;

/// How long after a change a listener hears of it, at most, in a workspace of usual size.
const BETWEEN_LOOKS: Duration = Duration::from_millis(250);
/// A look takes no more than this part of the time, however large the workspace is.
const SHARE_OF_TIME: u32 = 50;
/// After this a look is given up.
const LOOK_LIMIT: Duration = Duration::from_secs(10);
/// How many changes a slow listener may be behind before it is told that everything changed.
const NEWS_KEPT: usize = 1024;

/// A number that differs when what a topic stands for does; nothing when that could not be told.
pub type MarkOf = dyn Fn(&Project, &Context) -> Option<u64> + Send + Sync;

/// Something that a listener may care about.
#[derive(Clone)]
pub struct Topic {
    pub name: Arc<str>,
    pub mark: Arc<MarkOf>,
    /// Whether it can be different only when the snapshot of the specs is.
    pub of_specs: bool,
}

impl fmt::Debug for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Topic").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The name of a topic that changed.
pub type News = Arc<str>;

/// The changes of one project.
#[derive(Debug)]
pub struct Feed {
    project: Arc<Project>,
    base_context: Context,
    book: Mutex<Book>,
    news: broadcast::Sender<News>,
}

/// What somebody listens to, and how it looked last.
#[derive(Debug, Default)]
struct Book {
    watched: HashMap<Arc<str>, Watched>,
    /// Of the snapshot at the last look.
    generation: u64,
    is_looking: bool,
}

#[derive(Debug)]
struct Watched {
    topic: Topic,
    listeners: usize,
    seen: u64,
}

/// What a listener wants to hear of. Dropping it ends that.
#[derive(Debug)]
pub struct Interest {
    feed: Arc<Feed>,
    names: Vec<Arc<str>>,
}

/// The changes that one listener wants to hear of, as they come.
#[derive(Debug)]
pub struct Listener {
    interest: Interest,
    news: broadcast::Receiver<News>,
    /// Told before anything new, after changes were missed.
    backlog: Vec<News>,
}

impl Feed {
    pub fn new(project: Arc<Project>, base_context: Context) -> Self {
        let news = broadcast::Sender::new(NEWS_KEPT);
        Self { project, base_context, book: Mutex::default(), news }
    }

    /// Begins to listen. Whatever changes after this returns is news.
    pub async fn listen(self: &Arc<Self>, topics: Vec<Topic>) -> Listener {
        let news = self.news.subscribe();
        let interest = self.interest(topics).await;
        Listener { interest, news, backlog: Vec::new() }
    }

    /// The same for somebody who hears the news already.
    pub async fn interest(self: &Arc<Self>, topics: Vec<Topic>) -> Interest {
        let feed = Arc::clone(self);
        let looked = tokio::task::spawn_blocking(move || feed.first_look(topics)).await;
        // A look that panicked told nothing; the next one will.
        let (marks, generation) = looked.unwrap_or_default();
        let names: Vec<Arc<str>> = marks.iter().map(|(topic, _)| Arc::clone(&topic.name)).collect();
        let mut book = self.book();
        for (topic, seen) in marks {
            let name = Arc::clone(&topic.name);
            book.watched.entry(name).or_insert(Watched { topic, listeners: 0, seen }).listeners += 1;
        }
        if !book.is_looking {
            book.is_looking = true;
            book.generation = generation;
            tokio::spawn(keep_looking(Arc::downgrade(self)));
        }
        Interest { feed: Arc::clone(self), names }
    }

    pub fn news(&self) -> broadcast::Receiver<News> {
        self.news.subscribe()
    }

    fn first_look(&self, topics: Vec<Topic>) -> (Vec<(Topic, u64)>, u64) {
        let context = self.context();
        let generation = generation(&self.project, &context);
        let mark = |topic: Topic| {
            let mark = (topic.mark)(&self.project, &context).unwrap_or_default();
            (topic, mark)
        };
        (topics.into_iter().map(mark).collect(), generation)
    }

    /// Looks at everything that somebody listens to, and tells what changed. False when nobody listens any more.
    fn look(&self) -> bool {
        let (topics, before) = {
            let mut book = self.book();
            if book.watched.is_empty() {
                book.is_looking = false;
                return false;
            }
            let topics: Vec<Topic> = book.watched.values().map(|watched| watched.topic.clone()).collect();
            (topics, book.generation)
        };
        let context = self.context();
        let generation = generation(&self.project, &context);
        let moved = generation != before;
        let marks: Vec<(Arc<str>, u64)> = topics
            .into_iter()
            .filter(|topic| moved || !topic.of_specs)
            .filter_map(|topic| Some(((topic.mark)(&self.project, &context)?, topic.name)))
            .map(|(mark, name)| (name, mark))
            .collect();
        let mut book = self.book();
        book.generation = generation;
        for (name, mark) in marks {
            if let Some(watched) = book.watched.get_mut(&name)
                && watched.seen != mark
            {
                watched.seen = mark;
                // Nobody may be listening by now.
                let _ = self.news.send(name);
            }
        }
        true
    }

    fn context(&self) -> Context {
        self.base_context.clone().with_timeout(LOOK_LIMIT)
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener {
    /// The next change; after missed ones, everything this listener cares about.
    pub async fn next(&mut self) -> News {
        loop {
            if let Some(news) = self.backlog.pop() {
                return news;
            }
            match self.news.recv().await {
                Ok(news) if self.interest.covers(&news) => return news,
                Ok(_) => {}
                Err(broadcast::error::RecvError::Lagged(_)) => self.backlog = self.interest.everything(),
                // The feed lives as long as an interest in it.
                Err(broadcast::error::RecvError::Closed) => return std::future::pending().await,
            }
        }
    }
}

impl Interest {
    pub fn covers(&self, news: &News) -> bool {
        self.names.contains(news)
    }

    pub fn everything(&self) -> Vec<News> {
        self.names.clone()
    }
}

impl Drop for Interest {
    fn drop(&mut self) {
        let mut book = self.feed.book();
        for name in &self.names {
            if let Some(watched) = book.watched.get_mut(name) {
                watched.listeners -= 1;
                if watched.listeners == 0 {
                    book.watched.remove(name);
                }
            }
        }
    }
}

/// Looks again and again until nobody listens, or the server is gone.
async fn keep_looking(feed: Weak<Feed>) {
    let mut pause = BETWEEN_LOOKS;
    loop {
        tokio::time::sleep(pause).await;
        let Some(feed) = feed.upgrade() else { return };
        let looked = tokio::task::spawn_blocking(move || {
            let began = Instant::now();
            feed.look().then(|| began.elapsed())
        });
        match looked.await {
            Ok(Some(took)) => pause = BETWEEN_LOOKS.max(took * SHARE_OF_TIME),
            Ok(None) => return,
            Err(error) => tracing::warn!(%error, "cannot look for changes"),
        }
    }
}

fn generation(project: &Project, context: &Context) -> u64 {
    let workspace = project.workspace().ok();
    let snapshot = workspace.and_then(|workspace| workspace.store().snapshot(context).ok());
    snapshot.map_or(0, |snapshot| snapshot.generation)
}
