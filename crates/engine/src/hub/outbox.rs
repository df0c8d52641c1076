//! What was decided at the hub becomes files here, and this machine remembers that the hub vouched for them.
//!
//! The files are the same on every machine, so they never conflict; what says that a record is authentic stays outside git, sealed
//! with this machine's key.

use std::collections::BTreeMap;

use hewto_core::decision::uid::Uid;
use hewto_core::hub::{Outbox, OutboxRecord};
use hewto_core::id::WorkItem;
use hewto_core::review::{Channel, Digest, MAX_RECORD_BYTES, Record};
use hewto_store::secret::Seal;
use hewto_store::{Context, Expect, Transaction};
use serde::Serialize;

use super::{Link, escaped};
use crate::error::Result;
use crate::review::folder_of;
use crate::workspace::Workspace;

const FILE: &str = "hub/receipts.json";
const PURPOSE: &str = "hub-receipt";

/// What came back from the hub.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Brought {
    /// The files that are new here.
    pub records: Vec<String>,
    /// Records about items that are not here.
    pub elsewhere: usize,
    /// What all of it is known by, so that the same is not fetched again.
    #[serde(skip)]
    pub(super) mark: String,
}

/// Fetches verdicts and comments from the hub and writes them into the workspace. `seen` is the mark of what was fetched the
/// last time: the same again is not sent.
pub(super) fn pull(ws: &Workspace, ctx: &Context, link: &Link, seen: Option<&str>) -> Result<Brought> {
    let base = format!("outbox?repo={}", escaped(&link.repo));
    let mut path = match seen {
        Some(seen) => format!("{base}&seen={}", escaped(seen)),
        None => base.clone(),
    };
    let mut brought = Brought::default();
    loop {
        ctx.check()?;
        let page: Outbox = link.get(&path)?;
        if brought.mark.is_empty() {
            brought.mark = page.mark;
        }
        vouch(ws, ctx, &page.records)?;
        for one in &page.records {
            ctx.check()?;
            let Some((uid, _)) = believable(one) else { continue };
            match keep(ws, ctx, &uid, one)? {
                Kept::New(path) => brought.records.push(path),
                Kept::Here => {}
                Kept::Elsewhere => brought.elsewhere += 1,
            }
        }
        match page.next {
            Some(last) => path = format!("{base}&after={}", escaped(&last)),
            None => return Ok(brought),
        }
    }
}

/// Remembers that the hub has told this machine of these records.
pub fn vouch(ws: &Workspace, ctx: &Context, records: &[OutboxRecord]) -> Result<()> {
    if records.is_empty() {
        return Ok(());
    }
    let mut receipts = read(ws);
    let known = receipts.len();
    for (_, record) in records.iter().filter_map(believable) {
        let seal = ctx.secret().key().seal(PURPOSE, &[record.statement().as_bytes()]).to_string();
        receipts.entry(receipt_of(&record)).or_insert(seal);
    }
    if receipts.len() != known {
        let bytes = serde_json::to_vec_pretty(&receipts).unwrap_or_default();
        ws.shared_folder().write(FILE, &bytes)?;
    }
    Ok(())
}

/// A record that says what the hub may say: that somebody there decided, and nothing stronger.
fn believable(one: &OutboxRecord) -> Option<(Uid, Record)> {
    if one.text.len() > MAX_RECORD_BYTES {
        return None;
    }
    let record = Record::read(&one.text).ok()?;
    let is_plain = record.mac.is_none() && record.signature.is_none();
    let is_ours = record.head.channel == Channel::Hub && record.head.item == one.item && is_plain;
    Some((Uid::parse(&one.uid).ok()?, record)).filter(|_| is_ours)
}

enum Kept {
    New(String),
    Here,
    Elsewhere,
}

fn keep(ws: &Workspace, ctx: &Context, uid: &Uid, one: &OutboxRecord) -> Result<Kept> {
    let Ok(item) = WorkItem::parse(&one.item) else { return Ok(Kept::Elsewhere) };
    let Ok(folder) = folder_of(ws, ctx, &item) else { return Ok(Kept::Elsewhere) };
    let Ok(key) = folder.review().document(&format!("{uid}.md")) else { return Ok(Kept::Elsewhere) };
    if ws.store().read(ctx, &key)?.is_some() {
        return Ok(Kept::Here);
    }
    let (lock, _) = ws.lock(ctx)?;
    let mut transaction = Transaction::new();
    transaction.put(key.clone(), one.text.clone(), Expect::Absent);
    lock.commit(ctx, transaction)?;
    Ok(Kept::New(key.to_string()))
}

/// Whether the hub told this machine of exactly this record.
pub(crate) fn is_vouched(ws: &Workspace, ctx: &Context, record: &Record) -> bool {
    let receipts = read(ws);
    let Some(seal) = receipts.get(&receipt_of(record)).and_then(|seal| Seal::parse(seal)) else {
        return false;
    };
    let key = ctx.secret().known_key().ok().flatten();
    key.is_some_and(|key| key.is_sealed(PURPOSE, &[record.statement().as_bytes()], &seal))
}

fn receipt_of(record: &Record) -> String {
    Digest::of(record.statement().as_bytes()).to_string()
}

fn read(ws: &Workspace) -> BTreeMap<String, String> {
    let bytes = ws.shared_folder().read(FILE).ok().flatten();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}
