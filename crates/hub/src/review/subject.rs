//! What is reviewed: an item as one or several views hold it, with its meaning hashed as on a laptop.

use std::collections::{BTreeMap, HashSet};

use hewto_core::hub::Reason;
use hewto_core::review::{Digest, Head, Meaning, Record};
use serde::Serialize;
use sqlx::{Postgres, Transaction};

use crate::access::{Access, Granted, Right};
use crate::database::{Database, Sees};
use crate::error::{Error, Result};

type Tx = Transaction<'static, Postgres>;

/// An item in one view.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Subject {
    pub(crate) repo: String,
    pub(crate) item: String,
    pub(crate) title: String,
    pub(crate) digest: String,
    /// Where it reads so: `main`, or `ana: laptop`.
    pub(crate) views: Vec<String>,
    pub(crate) documents: Vec<Text>,
    pub(crate) said: Vec<Said>,
}

/// A document of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(clippy::struct_field_names, reason = "a text with its place")]
pub(crate) struct Text {
    pub(crate) path: String,
    pub(crate) kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) capability: Option<String>,
    pub(crate) text: String,
}

/// A verdict or comment, from here or from git.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Said {
    pub(crate) by: String,
    pub(crate) channel: String,
    pub(crate) at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) verdict: Option<String>,
    pub(crate) text: String,
    /// Whether it is about what is shown.
    pub(crate) current: bool,
    /// Whether it was said here; what only stands in a pushed file may have been written by anybody who pushes.
    pub(crate) from_here: bool,
}

/// All readings of an item, the one that most views have first.
pub(crate) async fn load(
    database: &Database,
    access: &Access,
    repo: &str,
    item: &str,
) -> Result<Vec<Subject>> {
    let repo = access.repo(database, repo, Right::Read).await?;
    let mut tx = database.begin(Sees::These(&[repo.id])).await?;
    of_item(&mut tx, &repo, item).await
}

/// The documents of an item in one view.
struct InView {
    label: String,
    title: Option<String>,
    documents: Vec<Text>,
}

/// An item in every view that has it, the latest first. `with_records` brings what was said in files too.
async fn views_of_item(tx: &mut Tx, repo: &Granted, item: &str, with_records: bool) -> Result<Vec<InView>> {
    type Row = (i64, String, String, Option<String>, String, String, Option<String>, Option<String>, String);
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT v.id, v.kind, v.name, p.name, e.path, e.kind, e.capability, e.title, b.body
         FROM entry e JOIN view v ON v.id = e.view JOIN blob b ON b.repo = e.repo AND b.hash = e.hash
         LEFT JOIN principal p ON p.id = v.owner
         WHERE e.repo = $1 AND e.item = $2 AND e.kind <> 'decision' AND ($3 OR e.kind NOT IN ('review', 'state'))
         ORDER BY v.pushed_at DESC, v.id, e.path",
    )
    .bind(repo.id)
    .bind(item)
    .bind(with_records)
    .fetch_all(&mut **tx)
    .await?;
    let mut views: Vec<(i64, InView)> = Vec::new();
    for (view, kind, name, owner, path, doc_kind, capability, title, text) in rows {
        let label = match owner {
            Some(owner) if kind == "worktree" => format!("{owner}: {name}"),
            _ => name,
        };
        if views.last().is_none_or(|last| last.0 != view) {
            views.push((view, InView { label, title: None, documents: Vec::new() }));
        }
        if let Some((_, last)) = views.last_mut() {
            last.title = last.title.take().or(title);
            last.documents.push(Text { path, kind: doc_kind, capability, text });
        }
    }
    if views.is_empty() {
        return Err(Error::new(
            hewto_http::hyper::StatusCode::NOT_FOUND,
            Reason::ItemNotFound,
            "no view of this repository has this item",
        )
        .hint("push it first, with `hewto hub push`"));
    }
    Ok(views.into_iter().map(|(_, view)| view).collect())
}

/// What an item means in each view, the latest first: enough to know whether somebody decides about what is there.
pub(super) async fn digests_of_item(tx: &mut Tx, repo: &Granted, item: &str) -> Result<Vec<String>> {
    let views = views_of_item(tx, repo, item, false).await?;
    Ok(views.iter().map(|view| meaning(item, &view.documents).digest().to_string()).collect())
}

async fn of_item(tx: &mut Tx, repo: &Granted, item: &str) -> Result<Vec<Subject>> {
    let views = views_of_item(tx, repo, item, true).await?;
    let here: Vec<String> =
        sqlx::query_scalar("SELECT record FROM review WHERE repo = $1 AND item = $2 ORDER BY uid")
            .bind(repo.id)
            .bind(item)
            .fetch_all(&mut **tx)
            .await?;
    let mut by_digest: BTreeMap<String, Subject> = BTreeMap::new();
    let mut order = Vec::new();
    for InView { label, title, documents } in views {
        let title = title.unwrap_or_else(|| item.to_owned());
        let digest = meaning(item, &documents).digest().to_string();
        if let Some(known) = by_digest.get_mut(&digest) {
            known.views.push(label);
            continue;
        }
        let said = said(&documents, &here, &digest);
        let documents =
            documents.into_iter().filter(|one| !matches!(one.kind.as_str(), "review" | "state")).collect();
        order.push(digest.clone());
        let (repo, item) = (repo.name.clone(), item.to_owned());
        by_digest.insert(
            digest.clone(),
            Subject { repo, item, title, digest, views: vec![label], documents, said },
        );
    }
    Ok(order.into_iter().filter_map(|digest| by_digest.remove(&digest)).collect())
}

fn meaning(item: &str, documents: &[Text]) -> Meaning {
    let of_kind = |kind: &str| documents.iter().find(|one| one.kind == kind).map(|one| one.text.as_str());
    if item.starts_with("change:") {
        let deltas = documents
            .iter()
            .filter(|one| one.kind == "delta")
            .map(|one| (one.capability.as_deref().unwrap_or_default(), one.text.as_str()));
        Meaning::of_change(item, of_kind("proposal"), of_kind("design"), deltas, of_kind("tasks"))
    } else {
        Meaning::of_spec(item, of_kind("spec").unwrap_or_default(), of_kind("plan"))
    }
}

fn said(documents: &[Text], here: &[String], digest: &str) -> Vec<Said> {
    let pushed = documents.iter().filter(|one| one.kind == "review").map(|one| one.text.as_str());
    let read = |text: &str| Record::read(text).ok();
    let here: Vec<Record> = here.iter().filter_map(|text| read(text)).collect();
    let known: HashSet<String> = here.iter().map(Record::statement).collect();
    let mut told = known.clone();
    let elsewhere = pushed.filter_map(read).filter(|record| told.insert(record.statement()));
    let mut records: Vec<Record> = elsewhere.collect();
    records.extend(here);
    records.sort_by_key(|record| record.head.at);
    let line = |record: Record| Said {
        from_here: known.contains(&record.statement()),
        verdict: record.verdict().map(|verdict| verdict.to_string()),
        by: record.head.by,
        channel: record.head.channel.to_string(),
        at: record.head.at.to_string(),
        text: record.text,
        current: record.head.content.to_string() == digest,
    };
    records.into_iter().map(line).collect()
}

/// Which version of the item this text is, among the records of it that were made here: what is pushed may say any number.
pub(super) async fn version_of(tx: &mut Tx, repo: &Granted, item: &str, digest: &Digest) -> Result<u32> {
    let texts: Vec<String> = sqlx::query_scalar(
        "SELECT DISTINCT ON (content) record FROM review WHERE repo = $1 AND item = $2 ORDER BY content, uid",
    )
    .bind(repo.id)
    .bind(item)
    .fetch_all(&mut **tx)
    .await?;
    let heads: Vec<Head> =
        texts.iter().filter_map(|text| Record::read(text).ok()).map(|record| record.head).collect();
    Ok(Head::version_among(heads.iter(), digest))
}
