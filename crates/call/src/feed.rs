//! What changed, for whoever wants to be told: one look at the workspace for all of them, as long as anybody listens.
//!
//! A [`Topic`] is a name and a way to tell whether what it stands for is different; MCP's subscriptions and the pages of
//! the dashboard have topics of their own. Nothing is sent from here; whoever listens sends.
//!
//! Where the file system tells that something happened, the look follows at once. Looks without that are for what it cannot
//! tell (network file systems, claims that run out, documents in other places), and take a small part of the time.

mod pace;

use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hewto_engine::{Context, Project};
use tokio::sync::broadcast;

use self::pace::{Look, Rest};

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
        let (names, unknown) = self.join(topics);
        // From here on a listener that goes away is counted out again.
        let mut interest = Interest { feed: Arc::clone(self), names };
        let feed = Arc::clone(self);
        let looked = tokio::task::spawn_blocking(move || feed.first_look(unknown)).await;
        // A look that panicked told nothing; the next one will.
        let (marks, generation) = looked.unwrap_or_default();
        let mut book = self.book();
        for (topic, seen) in marks {
            let name = Arc::clone(&topic.name);
            interest.names.push(Arc::clone(&name));
            book.watched.entry(name).or_insert(Watched { topic, listeners: 0, seen }).listeners += 1;
        }
        if !book.is_looking {
            book.is_looking = true;
            book.generation = generation;
            tokio::spawn(pace::keep_looking(Arc::downgrade(self)));
        }
        drop(book);
        interest
    }

    /// Counts a listener in where others listen already: many pages that open at once cost one look. The rest is unknown.
    fn join(&self, topics: Vec<Topic>) -> (Vec<Arc<str>>, Vec<Topic>) {
        let mut book = self.book();
        let (mut names, mut unknown) = (Vec::new(), Vec::new());
        for topic in topics {
            match book.watched.get_mut(&topic.name) {
                Some(watched) => {
                    watched.listeners += 1;
                    names.push(topic.name);
                }
                None => unknown.push(topic),
            }
        }
        (names, unknown)
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

    /// Looks at everything that somebody listens to, and tells what changed.
    fn look(&self, rest: &mut Rest) -> Look {
        let (topics, before) = {
            let mut book = self.book();
            let is_over = rest.is_over(!book.watched.is_empty(), Instant::now());
            if is_over {
                book.is_looking = false;
                return Look::Over;
            }
            if book.watched.is_empty() {
                return Look::NobodyListens;
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
        Look::Done
    }

    fn context(&self) -> Context {
        self.base_context.clone().with_timeout(LOOK_LIMIT)
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener {
    /// As [`Interest::mark`].
    pub fn mark(&self, counts: impl Fn(&str) -> bool) -> u64 {
        self.interest.mark(counts)
    }

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
    /// One number for how the topics that `counts` takes looked last: it differs when any of them does.
    pub fn mark(&self, counts: impl Fn(&str) -> bool) -> u64 {
        let book = self.feed.book();
        let mut hasher = DefaultHasher::new();
        for name in self.names.iter().filter(|name| counts(name)) {
            (name, book.watched.get(name).map(|watched| watched.seen)).hash(&mut hasher);
        }
        hasher.finish()
    }

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

fn generation(project: &Project, context: &Context) -> u64 {
    let workspace = project.workspace().ok();
    let snapshot = workspace.and_then(|workspace| workspace.store().snapshot(context).ok());
    snapshot.map_or(0, |snapshot| snapshot.generation)
}
