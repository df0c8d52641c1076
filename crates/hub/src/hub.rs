//! A replica: the services of one process, and what it does in the background.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hewto_http::{Authenticator, HttpServer};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::audit::{self, Gatherer, Reach, Row};
use crate::dashboard::{Checkouts, News};
use crate::database::Database;
use crate::directory::{Directory, FiguresToken, HubTokens};
use crate::error::Result;
use crate::search::Finder;
use crate::service::HubService;

/// How often pushes of other replicas are looked for.
const LOOK: Duration = Duration::from_millis(250);
/// While this replica is pushed to the index waits for a pause of so long: it takes as much of the machine as many pushes do.
const QUIET: Duration = Duration::from_millis(50);
/// And for no longer than this.
const BUSY_AT_MOST: Duration = Duration::from_secs(1);
const LINK: Duration = Duration::from_millis(500);
/// How often rows of transactions that took long are looked for.
const LINK_LATE: Duration = Duration::from_secs(30);
/// How often it is looked at whether the schema is one that this version works with.
const SCHEMA: Duration = Duration::from_secs(1);
const TIDY: Duration = Duration::from_hours(1);

/// How a replica works.
#[derive(Debug, Clone)]
pub struct HubOptions {
    /// Where it keeps its index; derived, and may be deleted.
    pub index: PathBuf,
    /// Whether searches go by meaning too.
    pub by_meaning: bool,
}

/// A replica.
#[derive(Debug)]
pub struct Hub {
    pub(crate) database: Database,
    pub(crate) directory: Arc<Directory>,
    pub(crate) finder: Arc<Finder>,
    pub(crate) checkouts: Checkouts,
    pub(crate) news: News,
    pub(crate) audit: Gatherer,
    /// What the gatherer has to write, until it begins.
    waiting: Mutex<Option<mpsc::Receiver<Row>>>,
    stop: CancellationToken,
}

impl Hub {
    pub fn new(database: Database, options: HubOptions) -> Arc<Self> {
        let (audit, waiting) = Gatherer::new();
        Arc::new(Self {
            directory: Arc::new(Directory::new(database.clone())),
            checkouts: Checkouts::new(&options.index.join("views")),
            finder: Arc::new(Finder::new(options.index, options.by_meaning)),
            news: News::default(),
            database,
            audit,
            waiting: Mutex::new(Some(waiting)),
            stop: CancellationToken::new(),
        })
    }

    /// Who knows the tokens of the hub.
    pub fn authenticator(&self) -> Arc<dyn Authenticator> {
        Arc::new(HubTokens(Arc::clone(&self.directory)))
    }

    /// Knows a token that opens `/metrics` and nothing else.
    pub fn figures_token(token: &str) -> Arc<dyn Authenticator> {
        Arc::new(FiguresToken::new(token))
    }

    /// Puts the hub behind a server's paths.
    pub fn mount(self: &Arc<Self>, server: &mut HttpServer) {
        server.mount(HubService::new(Arc::clone(self)));
    }

    /// Does what goes on behind the calls, until `stop` is called and everything is written.
    pub async fn work(self: Arc<Self>) {
        let mut tasks = JoinSet::new();
        self.migrate().await;
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        let writing = waiting.map(|rows| tokio::spawn(Arc::clone(&self).write_audit(rows)));
        for (work, pause) in [
            (Work::Link, LINK),
            (Work::LinkLate, LINK_LATE),
            (Work::Follow, LOOK),
            (Work::Tell, LOOK),
            (Work::Schema, SCHEMA),
            (Work::Tidy, TIDY),
        ] {
            tasks.spawn(Arc::clone(&self).every(pause, work));
        }
        while tasks.join_next().await.is_some() {}
        if let Some(writing) = writing {
            // Nobody calls any more, so everything that there is to tell is there.
            let _ = writing.await;
            let last = Duration::from_secs(2);
            let _ = tokio::time::timeout(last, audit::link(&self.database, Reach::Moments)).await;
        }
    }

    async fn write_audit(self: Arc<Self>, rows: mpsc::Receiver<Row>) {
        self.audit.write(self.database.clone(), rows, self.stop.clone()).await;
    }

    pub fn stop(&self) {
        self.checkouts.close();
        self.stop.cancel();
    }

    /// Tries until the schema is there; calls are refused meanwhile.
    async fn migrate(&self) {
        let mut told = false;
        while let Err(error) = self.database.migrate().await {
            if !told {
                tracing::error!(error = %error.source.as_ref().map_or_else(|| error.message.clone(), ToString::to_string),
                    "{}; trying again", error.message);
                told = true;
            }
            tokio::select! {
                () = self.stop.cancelled() => return,
                () = tokio::time::sleep(Duration::from_secs(1)) => {}
            }
        }
    }

    /// Works at once, and again after each pause. All of it may be broken off anywhere: what is not committed is done again.
    async fn every(self: Arc<Self>, pause: Duration, work: Work) {
        let turns = async {
            loop {
                if let Err(error) = self.once(work).await {
                    tracing::debug!(%error, ?work, "work in the background failed; trying again");
                }
                tokio::time::sleep(pause).await;
            }
        };
        tokio::select! {
            () = self.stop.cancelled() => {}
            () = turns => {}
        }
    }

    async fn once(&self, work: Work) -> Result<()> {
        match work {
            Work::Link => {
                self.database.cool();
                audit::link(&self.database, Reach::Moments).await.map(|_| ())
            }
            Work::Follow => {
                self.database.wait_for_quiet(QUIET, BUSY_AT_MOST).await;
                self.finder.follow(&self.database).await.map(|_| ())
            }
            Work::Tell => self.news.look(&self.database).await,
            Work::LinkLate => audit::link(&self.database, Reach::Settled).await.map(|_| ()),
            Work::Schema => self.database.ready().await,
            Work::Tidy => {
                self.database.told.forget();
                audit::ensure_partitions(&self.database).await?;
                self.database.sweep().await?;
                Ok(())
            }
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Work {
    Link,
    LinkLate,
    Schema,
    Follow,
    Tell,
    Tidy,
}
