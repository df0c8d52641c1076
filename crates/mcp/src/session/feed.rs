//! What changed, for clients that want to be told: one look at the workspace for all of them, as long as anybody
//! listens.
//!
//! A look asks the store, whose watcher knows cheaply that nothing happened (D-9). A resource has changed when its text
//! has. Nothing is sent from here; whoever listens sends.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use hewto_engine::{Context, Error, Kind, Project, Workspace, graph};
use tokio::sync::broadcast;

use crate::options::Toolset;
use crate::resources::{self, ResourceUri};

/// How long after a change a client hears of it, at most, in a workspace of usual size.
const BETWEEN_LOOKS: Duration = Duration::from_millis(250);
/// A look takes no more than this part of the time, however large the workspace is.
const SHARE_OF_TIME: u32 = 20;
/// After this a look is given up.
const LOOK_LIMIT: Duration = Duration::from_secs(10);
/// How many changes a slow listener may be behind before it is told that everything changed.
const NEWS_KEPT: usize = 1024;

/// Something that a listener may care about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum News {
    Updated(Arc<str>),
    ListChanged,
}

/// The changes of one workspace.
#[derive(Debug)]
pub(crate) struct Feed {
    project: Arc<Project>,
    base_context: Context,
    served: Vec<Toolset>,
    book: Mutex<Book>,
    news: broadcast::Sender<News>,
}

/// What somebody listens to, and how it looked last.
#[derive(Debug, Default)]
struct Book {
    texts: HashMap<Arc<str>, Watched>,
    list: Option<Watched>,
    /// Of the snapshot at the last look.
    generation: u64,
    is_looking: bool,
}

#[derive(Debug)]
struct Watched {
    listeners: usize,
    seen: u64,
}

/// What a listener wants to hear of. Dropping it ends that.
#[derive(Debug)]
pub(crate) struct Interest {
    feed: Arc<Feed>,
    uris: Vec<Arc<str>>,
    list: bool,
}

/// The changes that one listener wants to hear of, as they come.
#[derive(Debug)]
pub(crate) struct Listener {
    interest: Interest,
    news: broadcast::Receiver<News>,
    /// Told before anything new, after changes were missed.
    backlog: Vec<News>,
}

impl Feed {
    pub(crate) fn new(project: Arc<Project>, base_context: Context, served: &[Toolset]) -> Self {
        let served = served.to_vec();
        Self {
            project,
            base_context,
            served,
            book: Mutex::default(),
            news: broadcast::Sender::new(NEWS_KEPT),
        }
    }

    /// Begins to listen. Whatever changes after this returns is news.
    pub(crate) async fn listen(self: &Arc<Self>, uris: Vec<ResourceUri>, list: bool) -> Listener {
        let news = self.news.subscribe();
        let interest = self.interest(uris, list).await;
        Listener { interest, news, backlog: Vec::new() }
    }

    /// The same for somebody who hears the news already.
    pub(crate) async fn interest(self: &Arc<Self>, uris: Vec<ResourceUri>, list: bool) -> Interest {
        let feed = Arc::clone(self);
        let looked = tokio::task::spawn_blocking(move || feed.first_look(&uris, list)).await;
        // A look that panicked told nothing; the next one will.
        let (texts, generation, listed) = looked.unwrap_or_default();
        let names: Vec<Arc<str>> = texts.iter().map(|(uri, _)| Arc::clone(uri)).collect();
        let mut book = self.book();
        for (uri, seen) in texts {
            book.texts.entry(uri).or_insert(Watched { listeners: 0, seen }).listeners += 1;
        }
        if list {
            book.list.get_or_insert(Watched { listeners: 0, seen: listed }).listeners += 1;
        }
        if !book.is_looking {
            book.is_looking = true;
            book.generation = generation;
            tokio::spawn(keep_looking(Arc::downgrade(self)));
        }
        Interest { feed: Arc::clone(self), uris: names, list }
    }

    pub(crate) fn news(&self) -> broadcast::Receiver<News> {
        self.news.subscribe()
    }

    fn first_look(&self, uris: &[ResourceUri], list: bool) -> (Vec<(Arc<str>, u64)>, u64, u64) {
        let context = self.context();
        let workspace = self.project.workspace().ok();
        let generation = workspace.map_or(0, |workspace| generation(workspace, &context, &self.served));
        let text = |uri: &ResourceUri| {
            (uri.to_string().into(), text_mark(workspace, &context, uri).unwrap_or_default())
        };
        let listed = if list { list_mark(workspace, &context, &self.served).unwrap_or_default() } else { 0 };
        (uris.iter().map(text).collect(), generation, listed)
    }

    /// Looks at everything that somebody listens to, and tells what changed. False when nobody listens any more.
    fn look(&self) -> bool {
        let (uris, before, listens_to_list) = {
            let mut book = self.book();
            if book.texts.is_empty() && book.list.is_none() {
                book.is_looking = false;
                return false;
            }
            let uris: Vec<Arc<str>> = book.texts.keys().cloned().collect();
            (uris, book.generation, book.list.is_some())
        };
        let context = self.context();
        let workspace = self.project.workspace().ok();
        let generation = workspace.map_or(0, |workspace| generation(workspace, &context, &self.served));
        let moved = generation != before;
        let texts: Vec<(Arc<str>, u64)> = uris
            .into_iter()
            .filter_map(|uri| Some((ResourceUri::parse(&uri)?, uri)))
            .filter(|(parsed, _)| moved || !parsed.is_of_specs())
            .filter_map(|(parsed, uri)| Some((uri, text_mark(workspace, &context, &parsed)?)))
            .collect();
        // The snapshot knows of specs only.
        let may_differ = moved || self.served.contains(&Toolset::Graph);
        let listed =
            if listens_to_list && may_differ { list_mark(workspace, &context, &self.served) } else { None };

        let mut book = self.book();
        book.generation = generation;
        for (uri, mark) in texts {
            if let Some(watched) = book.texts.get_mut(&uri)
                && watched.seen != mark
            {
                watched.seen = mark;
                // Nobody may be listening by now.
                let _ = self.news.send(News::Updated(uri));
            }
        }
        if let (Some(watched), Some(mark)) = (&mut book.list, listed)
            && watched.seen != mark
        {
            watched.seen = mark;
            let _ = self.news.send(News::ListChanged);
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
    pub(crate) async fn next(&mut self) -> News {
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
    pub(crate) fn covers(&self, news: &News) -> bool {
        match news {
            News::Updated(uri) => self.uris.contains(uri),
            News::ListChanged => self.list,
        }
    }

    pub(crate) fn everything(&self) -> Vec<News> {
        let list = self.list.then_some(News::ListChanged);
        self.uris.iter().cloned().map(News::Updated).chain(list).collect()
    }
}

impl Drop for Interest {
    fn drop(&mut self) {
        let mut book = self.feed.book();
        for uri in &self.uris {
            if let Some(watched) = book.texts.get_mut(uri) {
                watched.listeners -= 1;
                if watched.listeners == 0 {
                    book.texts.remove(uri);
                }
            }
        }
        if self.list
            && let Some(watched) = &mut book.list
        {
            watched.listeners -= 1;
            if watched.listeners == 0 {
                book.list = None;
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

fn generation(workspace: &Workspace, context: &Context, served: &[Toolset]) -> u64 {
    let specs = workspace.store().snapshot(context).map_or(0, |snapshot| snapshot.generation);
    if !served.contains(&Toolset::Graph) {
        return specs;
    }
    // Both only grow.
    specs + graph::generation(workspace, context).unwrap_or(0)
}

/// A number that differs when the text does; nothing when it could not be told.
fn text_mark(workspace: Option<&Workspace>, context: &Context, uri: &ResourceUri) -> Option<u64> {
    let Some(workspace) = workspace else { return Some(0) };
    mark(resources::read(workspace, context, uri))
}

/// The same for the list of resources.
fn list_mark(workspace: Option<&Workspace>, context: &Context, served: &[Toolset]) -> Option<u64> {
    let Some(workspace) = workspace else { return Some(0) };
    mark(resources::list_mark(workspace, context, served))
}

fn mark(read: Result<impl Hash, Error>) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    match read {
        Ok(content) => content.hash(&mut hasher),
        // The machine's troubles are no change of the text.
        Err(error) if error.kind == Kind::Machine => return None,
        Err(error) => error.key.hash(&mut hasher),
    }
    Some(hasher.finish())
}
