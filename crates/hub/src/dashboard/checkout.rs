//! A view as a workspace on this replica's disk, so that the pages of the dashboard read it as they read any other.
//!
//! It is derived from the database and disposable. Whoever looks at a view waits for whoever writes down the same one, and
//! for nobody else; one person has one view at a time written down, and a replica only a few.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hewto_core::hub::{OutboxRecord, Reason};
use hewto_engine::{Cancellation, Context, MachineSecret};
use sqlx::{Postgres, Transaction};
use tokio::sync::Semaphore;

use super::View;
use super::shelf::{Checkout, Folder, Mark, Open, Shelf};
use super::written::{self, Row};
use crate::access::Granted;
use crate::database::{Database, Sees};
use crate::discard::discard;
use crate::error::{Error, Result};
use crate::turns::Turns;

/// Views with more documents and records, or with more bytes in them, are not written down. A text counts for each of its paths.
const MOST_FILES: i64 = 20_000;
const MOST_BYTES: i64 = 64 * 1024 * 1024;
/// So many views are written down at a time.
const WRITING_AT_ONCE: usize = 4;
/// A page that takes longer is given up.
const PATIENCE: Duration = Duration::from_secs(30);

/// The views that are open on this replica.
#[derive(Debug)]
pub(crate) struct Checkouts(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    folder: PathBuf,
    /// No folder is used twice: somebody may still read, or delete, what was there before.
    next: AtomicU64,
    secret: MachineSecret,
    /// The replica ends.
    ending: Cancellation,
    shelf: Mutex<Shelf>,
    people: Turns<i64>,
    views: Turns<i64>,
    writing: Arc<Semaphore>,
}

/// What a view holds.
struct Contents {
    made_of: Mark,
    texts: BTreeMap<String, String>,
    records: Vec<OutboxRecord>,
}

impl Checkouts {
    /// Whatever earlier processes left in the folder goes, while this one is at work.
    pub(crate) fn new(folder: &Path) -> Self {
        for left in fs_err::read_dir(folder).into_iter().flatten().flatten() {
            discard(left.path());
        }
        Self(Arc::new(Inner {
            folder: folder.join(uuid::Uuid::new_v4().simple().to_string()),
            next: AtomicU64::default(),
            secret: MachineSecret::default(),
            ending: Cancellation::default(),
            shelf: Mutex::default(),
            people: Turns::default(),
            views: Turns::default(),
            writing: Arc::new(Semaphore::new(WRITING_AT_ONCE)),
        }))
    }

    /// The context of one request.
    pub(crate) fn context(&self) -> Context {
        Context::background().with_secret(self.0.secret.clone()).with_timeout(PATIENCE)
    }

    /// Closes what nobody looks at any more.
    pub(crate) fn tidy(&self, now: Instant) {
        self.0.shelf().tidy(now);
    }

    /// The replica ends: nothing more is written down.
    pub(crate) fn close(&self) {
        self.0.ending.cancel();
    }

    /// The view as it is now, for whoever looks.
    pub(crate) async fn open(
        &self,
        database: &Database,
        repo: &Granted,
        view: &View,
        person: i64,
    ) -> Result<Arc<Checkout>> {
        let mut tx = database.begin(Sees::These(&[repo.id])).await?;
        let made_of = mark(&mut tx, repo.id, view.id).await?;
        drop(tx);
        if let Some(checkout) = self.0.shelf().current(view.id, &made_of, Instant::now()) {
            return Ok(checkout);
        }
        let (inner, database, place) = (Arc::clone(&self.0), database.clone(), (repo.id, view.id));
        // What was begun is finished, whether or not somebody waits for it: its turns last as long as it writes.
        let opened = tokio::spawn(async move { inner.write_down(&database, place, person).await });
        opened.await.map_err(|_| Error::unavailable())?
    }
}

impl Inner {
    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn write_down(
        self: Arc<Self>,
        database: &Database,
        (repo, view): (i64, i64),
        person: i64,
    ) -> Result<Arc<Checkout>> {
        // In this order everywhere, so that nobody waits for somebody who waits for them: first for oneself, which is in
        // nobody else's way.
        let _own = self.people.of(person).await;
        let _turn = self.views.of(view).await;
        let _place = self.writing.acquire().await.map_err(|_| Error::unavailable())?;
        let mut tx = database.begin(Sees::These(&[repo])).await?;
        let made_of = mark(&mut tx, repo, view).await?;
        if let Some(checkout) = self.shelf().current(view, &made_of, Instant::now()) {
            return Ok(checkout);
        }
        check_size(&mut tx, repo, view).await?;
        let contents = contents(&mut tx, repo, view, made_of).await?;
        drop(tx);
        let before = self.shelf().take(view);
        let inner = Arc::clone(&self);
        let written = tokio::task::spawn_blocking(move || inner.written(before, contents, view, person));
        let open = written.await.map_err(|_| Error::unavailable())?.map_err(unwritable)?;
        let checkout = Arc::clone(&open.checkout);
        self.shelf().put(view, open);
        Ok(checkout)
    }

    /// Brings what is on disk to these contents; what is left of an attempt that fails goes.
    fn written(
        &self,
        before: Option<Open>,
        contents: Contents,
        view: i64,
        person: i64,
    ) -> std::io::Result<Open> {
        let Contents { made_of, texts, records } = contents;
        let context = Context::background().with_secret(self.secret.clone()).with_timeout(PATIENCE);
        let context = context.with_cancellation(self.ending.clone());
        let (mut files, checkout) = if let Some(open) = before {
            (open.files, open.checkout)
        } else {
            let nth = self.next.fetch_add(1, Ordering::Relaxed);
            let folder = Folder(self.folder.join(format!("{view}-{nth}")));
            let project = written::begin(&folder)?;
            (BTreeMap::new(), Arc::new(Checkout::new(project, folder)))
        };
        let bytes = written::size_of(&texts);
        written::write(checkout.folder(), &mut files, texts, &context)?;
        written::vouch(&checkout, &context, &records)?;
        Ok(Open { by: person, made_of, files, bytes, seen: Instant::now(), checkout })
    }
}

type Tx = Transaction<'static, Postgres>;

async fn mark(tx: &mut Tx, repo: i64, view: i64) -> Result<Mark> {
    let sql = "SELECT v.version, (SELECT count(*) FROM review r WHERE r.repo = v.repo),
                      (SELECT max(uid) FROM review r WHERE r.repo = v.repo)
               FROM view v WHERE v.id = $1 AND v.repo = $2";
    Ok(sqlx::query_as(sql).bind(view).bind(repo).fetch_one(&mut **tx).await?)
}

/// Refuses what would fill the disk, or keep others waiting.
async fn check_size(tx: &mut Tx, repo: i64, view: i64) -> Result<()> {
    let (files, bytes): (i64, i64) = sqlx::query_as(
        "SELECT count(*), coalesce(sum(one.bytes), 0)::bigint FROM (
             SELECT octet_length(b.body) AS bytes FROM entry e
             JOIN blob b ON b.repo = e.repo AND b.hash = e.hash WHERE e.view = $1 AND e.repo = $2
             UNION ALL SELECT octet_length(record) FROM review WHERE repo = $2) one",
    )
    .bind(view)
    .bind(repo)
    .fetch_one(&mut **tx)
    .await?;
    if files <= MOST_FILES && bytes <= MOST_BYTES {
        return Ok(());
    }
    let has = format!("{files} documents and records with {} MiB", bytes / 1024 / 1024);
    let most = format!("{MOST_FILES} with {} MiB", MOST_BYTES / 1024 / 1024);
    let message = format!("this view holds {has}, and pages show at most {most}");
    Err(Error::bad(Reason::ViewTooLarge, message).hint("look at it in a checkout, with `hewto ui`"))
}

async fn contents(tx: &mut Tx, repo: i64, view: i64, made_of: Mark) -> Result<Contents> {
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT e.path, e.kind, e.item, e.capability, b.body FROM entry e
         JOIN blob b ON b.repo = e.repo AND b.hash = e.hash WHERE e.view = $1 AND e.repo = $2",
    )
    .bind(view)
    .bind(repo)
    .fetch_all(&mut **tx)
    .await?;
    let records: Vec<(String, String, String)> =
        sqlx::query_as("SELECT uid, item, record FROM review WHERE repo = $1 ORDER BY uid")
            .bind(repo)
            .fetch_all(&mut **tx)
            .await?;
    let record = |(uid, item, text)| OutboxRecord { uid, item, text };
    let records: Vec<OutboxRecord> = records.into_iter().map(record).collect();
    Ok(Contents { made_of, texts: written::texts_of(rows, &records), records })
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that `map_err` takes")]
fn unwritable(error: std::io::Error) -> Error {
    tracing::warn!(%error, "a view cannot be written down for its pages");
    Error::new(
        hewto_http::hyper::StatusCode::SERVICE_UNAVAILABLE,
        Reason::PageUnavailable,
        "this page cannot be made at the moment",
    )
    .hint("look at the folder of the index (`--index`): is there room on its disk?")
}
