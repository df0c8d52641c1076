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

use super::state::Place;
use super::{Link, astray, escaped};
use crate::error::Result;
use crate::review::folder_of;
use crate::workspace::Workspace;

const FILE: &str = "hub/receipts.json";
const PURPOSE: &str = "hub-receipt";
/// What one pull takes at most, whatever a hub has; the next one goes on behind it. A page of a hub has 500 records.
const MOST_PAGES: usize = 25;
const MOST_RECORDS: usize = 10_000;
const MOST_BYTES: usize = 32 * 1024 * 1024;

/// What came back from the hub.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Brought {
    /// The files that are new here.
    pub records: Vec<String>,
    /// Records about items that are not here.
    pub elsewhere: usize,
    /// There is more at the hub than one pull takes; the next goes on there.
    pub more: bool,
    /// What all of it is known by, so that the same is not fetched again.
    #[serde(skip)]
    pub(super) mark: String,
}

/// Fetches verdicts and comments from the hub and writes them into the workspace. `seen` is the mark of what was fetched the
/// last time: the same again is not sent.
pub(super) fn pull(ws: &Workspace, ctx: &Context, link: &Link, seen: Option<&str>) -> Result<Brought> {
    let base = format!("outbox?repo={}", escaped(&link.repo));
    let place = Place::of(ws, &link.repo);
    let mut after = place.left_at(ws);
    let mut path = match (&after, seen) {
        (Some(after), _) => format!("{base}&after={}", escaped(after)),
        (None, Some(seen)) => format!("{base}&seen={}", escaped(seen)),
        (None, None) => base.clone(),
    };
    let mut brought = Brought::default();
    let mut taken = Taken::default();
    loop {
        ctx.check()?;
        let page: Outbox = link.get(&path)?;
        check(after.as_deref(), &page)?;
        if brought.mark.is_empty() {
            brought.mark.clone_from(&page.mark);
        }
        let records = taken.part_of(&page.records);
        vouch(ws, ctx, records)?;
        for one in records {
            ctx.check()?;
            let Some((uid, _)) = believable(one, ctx) else { continue };
            match keep(ws, ctx, &uid, one)? {
                Kept::New(path) => brought.records.push(path),
                Kept::Here => {}
                Kept::Elsewhere => brought.elsewhere += 1,
            }
        }
        let is_whole = records.len() == page.records.len();
        if is_whole && page.next.is_none() {
            place.forget(ws);
            return Ok(brought);
        }
        after = records.last().map(|one| one.uid.clone()).or(after);
        if !is_whole || taken.is_enough() {
            place.leave(ws, after)?;
            return Ok(Brought { more: true, ..brought });
        }
        path = format!("{base}&after={}", escaped(after.as_deref().unwrap_or_default()));
    }
}

/// A page goes on behind the last one, and its end is its last record: else somebody could be led in a circle.
fn check(after: Option<&str>, page: &Outbox) -> Result<()> {
    let mut last = after;
    for one in &page.records {
        if last.is_some_and(|last| one.uid.as_str() <= last) {
            let message = format!("its records are not in order at `{}`", shown(&one.uid));
            return Err(astray(&message));
        }
        last = Some(&one.uid);
    }
    match &page.next {
        Some(next) if page.records.last().is_none_or(|last| last.uid != *next) => {
            let message = format!("it says that more comes behind `{}`, which it did not send", shown(next));
            Err(astray(&message))
        }
        _ => Ok(()),
    }
}

fn shown(text: &str) -> String {
    text.chars().take(80).collect::<String>().escape_debug().to_string()
}

/// How much one pull has taken.
#[derive(Debug, Default)]
struct Taken {
    pages: usize,
    records: usize,
    bytes: usize,
}

impl Taken {
    /// So many of a page as there is room for.
    fn part_of<'p>(&mut self, page: &'p [OutboxRecord]) -> &'p [OutboxRecord] {
        self.pages += 1;
        let fits = page.iter().take_while(|one| {
            if self.is_full() {
                return false;
            }
            self.records += 1;
            self.bytes += one.text.len();
            true
        });
        &page[..fits.count()]
    }

    fn is_full(&self) -> bool {
        self.records >= MOST_RECORDS || self.bytes >= MOST_BYTES
    }

    fn is_enough(&self) -> bool {
        self.is_full() || self.pages >= MOST_PAGES
    }
}

/// Remembers that the hub has told this machine of these records.
pub fn vouch(ws: &Workspace, ctx: &Context, records: &[OutboxRecord]) -> Result<()> {
    if records.is_empty() {
        return Ok(());
    }
    let mut receipts = read(ws);
    let known = receipts.len();
    for (_, record) in records.iter().filter_map(|one| believable(one, ctx)) {
        let seal = ctx.secret().key().seal(PURPOSE, &[record.statement().as_bytes()]).to_string();
        receipts.entry(receipt_of(&record)).or_insert(seal);
    }
    if receipts.len() != known {
        let bytes = serde_json::to_vec_pretty(&receipts).unwrap_or_default();
        ws.shared_folder().write(FILE, &bytes)?;
    }
    Ok(())
}

/// A record that says what the hub may say: that somebody there decided, and nothing stronger; and not in days to come.
fn believable(one: &OutboxRecord, ctx: &Context) -> Option<(Uid, Record)> {
    if one.text.len() > MAX_RECORD_BYTES {
        return None;
    }
    let record = Record::read(&one.text).ok()?;
    let is_plain = record.mac.is_none() && record.signature.is_none();
    let is_ours = record.head.channel == Channel::Hub && record.head.item == one.item && is_plain;
    let uid = Uid::parse(&one.uid).ok().filter(|uid| !uid.is_ahead(ctx.now()))?;
    is_ours.then_some((uid, record))
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
