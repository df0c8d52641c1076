//! Verdicts and comments by people who have no checkout: bound to what was shown, kept as the files that git will get.

mod answered;
mod items;
mod outbox;
mod subject;

use std::sync::LazyLock;

use hewto_core::decision::uid::Uid;
use hewto_core::hub::Reason;
use hewto_core::review::{
    Anchor, Channel, Digest, FORM, Head, MAX_TEXT_BYTES, Permission, Record, Verdict, What,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::{Postgres, Transaction};
use tokio::sync::Semaphore;

pub(crate) use items::{ItemLine, Items, items};
pub(crate) use outbox::outbox;
pub(crate) use subject::{Said, Subject, load};

use crate::access::{Access, Granted, Right};
use crate::audit;
use crate::database::{Database, Sees};
use crate::error::{Error, Result};
use crate::turns::Turns;

/// So many records are written at a time by a replica, each of another item.
const RECORDING_AT_ONCE: usize = 4;
/// Of repository and item.
static TURNS: LazyLock<Turns<(i64, String)>> = LazyLock::new(Turns::default);
static RECORDING: Semaphore = Semaphore::const_new(RECORDING_AT_ONCE);
/// No id is longer.
const MAX_ITEM_BYTES: usize = 300;

/// What a person decided.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ballot {
    pub(crate) repo: String,
    pub(crate) item: String,
    pub(crate) verdict: String,
    /// The digest of what they were shown.
    pub(crate) digest: String,
    #[serde(default)]
    pub(crate) note: Option<String>,
    /// Whether it may be archived although tasks are open.
    #[serde(default)]
    pub(crate) allow_open_tasks: bool,
}

/// What somebody remarked.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Remark {
    pub(crate) repo: String,
    pub(crate) item: String,
    pub(crate) text: String,
    pub(crate) digest: String,
    #[serde(default)]
    pub(crate) capability: Option<String>,
    #[serde(default)]
    pub(crate) requirement: Option<String>,
    #[serde(default)]
    pub(crate) scenario: Option<String>,
    #[serde(default)]
    pub(crate) step: Option<String>,
    #[serde(default)]
    pub(crate) quote: Option<String>,
}

/// A comment that somebody settles.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settlement {
    pub(crate) repo: String,
    pub(crate) item: String,
    pub(crate) comment: String,
    pub(crate) digest: String,
    #[serde(default)]
    pub(crate) text: Option<String>,
}

/// What was recorded.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Recorded {
    pub(crate) repo: String,
    pub(crate) item: String,
    pub(crate) record: String,
    pub(crate) digest: String,
    pub(crate) at: String,
    pub(crate) by: String,
    /// The same words were there already, so nothing was written.
    #[serde(skip)]
    pub(crate) was_said: bool,
}

/// Records a verdict on exactly what is there now.
pub(crate) async fn decide(database: &Database, access: &Access, ballot: &Ballot) -> Result<Recorded> {
    let verdict: Verdict = ballot.verdict.parse().map_err(|_| {
        Error::bad(Reason::InvalidArgument, "`verdict` must be `approved`, `changes_requested` or `rejected`")
    })?;
    let repo = access.repo(database, &ballot.repo, Right::Approve).await?;
    let note = ballot.note.clone().unwrap_or_default();
    let allows = ballot.allow_open_tasks.then_some(Permission::OpenTasks).into_iter().collect();
    let what = What::Verdict { verdict, allows };
    record(database, access, &repo, &ballot.item, &ballot.digest, what, &note).await
}

/// Records a comment on what is there now.
pub(crate) async fn remark(database: &Database, access: &Access, remark: &Remark) -> Result<Recorded> {
    let repo = access.repo(database, &remark.repo, Right::Comment).await?;
    if remark.text.trim().is_empty() {
        return Err(Error::bad(Reason::InvalidArgument, "a comment cannot be empty"));
    }
    let anchor = Anchor {
        capability: remark.capability.clone(),
        requirement: remark.requirement.clone(),
        scenario: remark.scenario.clone(),
        step: remark.step.clone(),
        quote: remark.quote.clone(),
    };
    let what = What::Comment(anchor);
    record(database, access, &repo, &remark.item, &remark.digest, what, &remark.text).await
}

/// Records an answer to a comment.
pub(crate) async fn reply(database: &Database, access: &Access, said: &Settlement) -> Result<Recorded> {
    let repo = access.repo(database, &said.repo, Right::Comment).await?;
    let comment = Uid::parse(&said.comment)
        .map_err(|_| Error::bad(Reason::InvalidArgument, "`comment` is not the id of a comment"))?;
    let text = said.text.as_deref().unwrap_or_default();
    if text.trim().is_empty() {
        return Err(Error::bad(Reason::InvalidArgument, "a reply cannot be empty"));
    }
    record(database, access, &repo, &said.item, &said.digest, What::Reply(comment), text).await
}

/// Records that a comment is settled.
pub(crate) async fn settle(database: &Database, access: &Access, settled: &Settlement) -> Result<Recorded> {
    let repo = access.repo(database, &settled.repo, Right::Comment).await?;
    let comment = Uid::parse(&settled.comment)
        .map_err(|_| Error::bad(Reason::InvalidArgument, "`comment` is not an id of a comment"))?;
    let text = settled.text.as_deref().unwrap_or_default();
    record(database, access, &repo, &settled.item, &settled.digest, What::Resolution(comment), text).await
}

async fn record(
    database: &Database,
    access: &Access,
    repo: &Granted,
    item: &str,
    shown: &str,
    what: What,
    text: &str,
) -> Result<Recorded> {
    if text.len() > MAX_TEXT_BYTES || text.contains('\0') {
        return Err(Error::bad(
            Reason::InvalidArgument,
            format!("text may have at most {MAX_TEXT_BYTES} bytes, and no NUL"),
        ));
    }
    if item.is_empty() || item.len() > MAX_ITEM_BYTES || item.contains('\0') {
        return Err(Error::bad(Reason::InvalidArgument, "`item` is not an id of a spec or change"));
    }
    let shown: Digest = shown.parse().map_err(|_| {
        Error::bad(Reason::InvalidArgument, "`digest` must be the 64 hex digits of what was shown")
    })?;
    // Whoever waits for others at an item waits without a connection and without a place: one busy item leaves the rest of
    // the hub alone.
    let _turn = TURNS.of((repo.id, item.to_owned())).await;
    let _place = RECORDING.acquire().await.map_err(|_| Error::unavailable())?;
    let mut tx = database.begin(Sees::These(&[repo.id])).await?;
    // One record of an item after the other: their order has to show.
    sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended($1, $2))")
        .bind(item)
        .bind(repo.id)
        .execute(&mut *tx)
        .await?;
    let digests = subject::digests_of_item(&mut tx, repo, item).await?;
    if !digests.contains(&shown.to_string()) {
        let current = digests.first().cloned();
        return Err(Error::conflict(
            Reason::ApprovalStale,
            format!("`{item}` has changed since it was shown"),
        )
        .detail("digest", current)
        .hint("look at what is there now, then decide"));
    }
    if let What::Reply(comment) | What::Resolution(comment) = &what {
        answered::check(&mut tx, repo, item, comment).await?;
    }
    if let Some(same) = said_already(&mut tx, access, repo, item, &what, &shown, text).await? {
        return Ok(same);
    }
    let last: Option<String> =
        sqlx::query_scalar("SELECT max(uid) FROM review WHERE repo = $1 AND item = $2")
            .bind(repo.id)
            .bind(item)
            .fetch_one(&mut *tx)
            .await?;
    let micros: i64 = sqlx::query_scalar("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint")
        .fetch_one(&mut *tx)
        .await?;
    let now = Timestamp::from_microsecond(micros).map_err(|_| Error::unavailable())?;
    let last = last.and_then(|uid| Uid::parse(&uid).ok());
    let chance = u16::from_be_bytes([uuid::Uuid::new_v4().as_bytes()[0], uuid::Uuid::new_v4().as_bytes()[1]]);
    let uid = Uid::mint(now, chance, last.as_ref()).ok_or_else(Error::unavailable)?;
    let version = subject::version_of(&mut tx, repo, item, &shown).await?;
    let by = access.name.clone();
    let head = Head {
        item: item.to_owned(),
        by: by.clone(),
        channel: Channel::Hub,
        at: now,
        content: shown,
        version,
        form: FORM,
    };
    let record = Record { head, what, text: text.trim().to_owned(), mac: None, signature: None };
    let file = record.render();
    let written = Record::read(&file).map_err(|_| {
        Error::bad(Reason::InvalidArgument, "this cannot be recorded").hint("use plain text on few lines")
    })?;
    let (kind, verdict) = match &record.what {
        What::Verdict { verdict, .. } => ("verdict", Some(verdict.as_str())),
        What::Comment(_) | What::Reply(_) => ("comment", None),
        What::Resolution(_) => ("resolution", None),
    };
    sqlx::query(
        "INSERT INTO review (repo, uid, item, kind, verdict, by_whom, content, said, record)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(repo.id)
    .bind(uid.as_str())
    .bind(item)
    .bind(kind)
    .bind(verdict)
    .bind(&by)
    .bind(crate::push::bytes_of(&shown.to_string()))
    .bind(text.trim())
    .bind(&file)
    .execute(&mut *tx)
    .await?;
    sqlx::query("INSERT INTO event (repo, kind, key) VALUES ($1, 'review', $2)")
        .bind(repo.id)
        .bind(uid.as_str())
        .execute(&mut *tx)
        .await?;
    let detail = format!("{item}: {} {} of {}", kind, verdict.unwrap_or_default(), shown.short());
    audit::note(&mut tx, &audit::Row::new(&access.name, &repo.name, kind, detail)).await?;
    tx.commit().await?;
    Ok(Recorded {
        repo: repo.name.clone(),
        item: item.to_owned(),
        record: uid.to_string(),
        digest: shown.to_string(),
        at: written.head.at.to_string(),
        by,
        was_said: false,
    })
}

/// The record of these very words, where they are the last thing that this person said of the item: a form that is posted
/// twice counts once.
async fn said_already(
    tx: &mut Transaction<'static, Postgres>,
    access: &Access,
    repo: &Granted,
    item: &str,
    what: &What,
    shown: &Digest,
    text: &str,
) -> Result<Option<Recorded>> {
    let last: Option<(String, String)> = sqlx::query_as(
        "SELECT uid, record FROM review WHERE repo = $1 AND item = $2 AND by_whom = $3 ORDER BY uid DESC LIMIT 1",
    )
    .bind(repo.id)
    .bind(item)
    .bind(&access.name)
    .fetch_optional(&mut **tx)
    .await?;
    let Some((uid, file)) = last else { return Ok(None) };
    let Ok(record) = Record::read(&file) else { return Ok(None) };
    let is_same = record.what == *what && record.head.content == *shown && record.text.trim() == text.trim();
    Ok(is_same.then(|| Recorded {
        repo: repo.name.clone(),
        item: item.to_owned(),
        record: uid,
        digest: shown.to_string(),
        at: record.head.at.to_string(),
        by: access.name.clone(),
        was_said: true,
    }))
}
