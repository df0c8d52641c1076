//! The records of runs: sealed by this machine's key, each naming the one before.
//!
//! A record that does not authenticate, is not where its name says, or was lost from the end of the chain is reported as
//! `evidence_tampered` and counts for nothing. Old records are dropped; the chain then begins later.

use std::path::Path;

use hewto_core::proof::settings::{Check, digest};
use hewto_core::proof::statement::RunRecord;
use hewto_store::secret::Seal;
use hewto_store::{Context, MachineKey, SharedFolder};
use serde::{Deserialize, Serialize};

use super::id;
use crate::error::{Error, Key, Kind, Result};
use crate::workspace::Workspace;

const RUNS: &str = "proof/runs";
const HEAD: &str = "proof/runs/head.json";
const LOCK: &str = "proof/locks/chain";
const PURPOSE: &str = "proof-run";
const HEAD_PURPOSE: &str = "proof-head";
/// How many records are kept; more where those that checks rest on lie further back, up to the second number.
const KEPT: usize = 8;
const MOST_KEPT: usize = 64;
/// How much of the past of one promise is carried on.
const PAST: usize = 16;

/// What is known of earlier runs.
#[derive(Debug, Default)]
pub struct Chain {
    /// Those that authenticate, oldest first.
    pub records: Vec<RunRecord>,
    /// What is wrong with others, for people.
    pub problems: Vec<Tampered>,
}

/// A record that counts for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tampered {
    pub file: String,
    pub why: String,
}

/// The newest record, so that its loss shows.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Head {
    run: String,
    digest: String,
    mac: String,
}

impl Chain {
    /// Reads all records.
    pub fn read(ws: &Workspace, ctx: &Context) -> Result<Self> {
        let folder = ws.shared_folder();
        let mut chain = Self::default();
        let names: Vec<String> = folder.names(RUNS)?.into_iter().filter(|name| name != "head.json").collect();
        if names.is_empty() {
            return Ok(chain);
        }
        let Some(key) = ctx.secret().known_key().ok().flatten() else {
            let why = "this machine has no key, so it wrote none of these".to_owned();
            chain.problems = names.into_iter().map(|file| Tampered { file, why: why.clone() }).collect();
            return Ok(chain);
        };
        let mut found: Vec<(String, String, RunRecord)> = Vec::new();
        for name in names {
            ctx.check()?;
            match read_one(&folder, &name, &key)? {
                Ok((digest, record)) => found.push((name, digest, record)),
                Err(why) => chain.problems.push(Tampered { file: name, why }),
            }
        }
        // Names begin with the time, so they come in the order of the chain.
        for index in 1..found.len() {
            let (before, after) = (&found[index - 1].1, &found[index].2);
            if after.prev.as_ref() != Some(before) {
                let why = "the record before it was changed or removed".to_owned();
                chain.problems.push(Tampered { file: found[index].0.clone(), why });
            }
        }
        let head = read_head(&folder, &key)?;
        let last = found.last().map(|(_, digest, _)| digest);
        if head.as_ref().map(|head| &head.digest) != last {
            let file = head.map_or_else(|| "head.json".to_owned(), |head| format!("{}.json", head.run));
            let why = "the newest record was changed or removed".to_owned();
            chain.problems.push(Tampered { file, why });
            // Whoever removes a failure must not bring an older success back.
            return Ok(chain);
        }
        chain.records = found.into_iter().map(|(_, _, record)| record).collect();
        Ok(chain)
    }

    /// The newest record of a run with this id.
    pub fn find(&self, run: &str) -> Option<&RunRecord> {
        self.records.iter().rev().find(|record| record.run == run)
    }
}

/// Whether any run was ever recorded here.
pub(crate) fn has_records(ws: &Workspace) -> Result<bool> {
    Ok(!ws.shared_folder().names(RUNS)?.is_empty())
}

/// Makes an equal run the newest of its check in this work tree, where it is an older one or one of another work tree: what was
/// asked for last is what is shown once the tree is only nearly the same.
pub(crate) fn bring_up(ws: &Workspace, ctx: &Context, checks: &[Check], record: &RunRecord) -> Result<()> {
    let here = ws.root().display().to_string();
    let chain = Chain::read(ws, ctx)?;
    let mut of_check = chain.records.iter().rev().filter(|one| {
        one.verdict.counts()
            && one.worktree == here
            && one.check == record.check
            && one.check_digest == record.check_digest
    });
    if of_check.next().is_none_or(|newest| newest.run != record.run) {
        append(ws, ctx, checks, RunRecord { worktree: here, ..record.clone() })?;
    }
    Ok(())
}

/// Appends a record; gives it its place in the chain. `checks` are those that are declared now.
pub(crate) fn append(
    ws: &Workspace,
    ctx: &Context,
    checks: &[Check],
    mut record: RunRecord,
) -> Result<RunRecord> {
    let folder = ws.shared_folder();
    let key = ctx.secret().key();
    let _lock = wait_for_lock(&folder, LOCK, ctx)?;
    let names: Vec<String> = folder.names(RUNS)?.into_iter().filter(|name| name != "head.json").collect();
    record.run = id::later_than(ctx, names.last().and_then(|name| name.strip_suffix(".json")));
    // A record that cannot be believed is no predecessor.
    record.prev = None;
    let mut known: Vec<Option<(String, RunRecord)>> =
        names.iter().map(|name| Ok(read_one(&folder, name, &key)?.ok())).collect::<Result<_>>()?;
    if let Some((digest, last)) = known.iter().rev().flatten().next() {
        record.prev = Some(digest.clone());
        record.past.clone_from(&last.past);
    }
    let old = droppable(&known, checks, &record);
    for (_, old) in known.drain(..old).flatten() {
        carry_on(&mut record, old);
    }
    let text = record
        .render(|text| key.seal(PURPOSE, &[text.as_bytes()]).to_string())
        .map_err(|error| Error::new(Kind::Machine, Key::InternalError, error.to_string()))?;
    let name = format!("{}.json", record.run);
    folder.write(&format!("{RUNS}/{name}"), text.as_bytes())?;
    let digest = digest(text.as_bytes());
    let mac = key.seal(HEAD_PURPOSE, &[record.run.as_bytes(), digest.as_bytes()]).to_string();
    let head = Head { run: record.run.clone(), digest, mac };
    folder.write(HEAD, &serde_json::to_vec(&head).unwrap_or_default())?;
    for name in &names[..old] {
        folder.remove(&format!("{RUNS}/{name}"))?;
    }
    Ok(record)
}

/// How many of the oldest records nobody needs any more. A check rests on the newest that counts in each work tree.
fn droppable(known: &[Option<(String, RunRecord)>], checks: &[Check], new: &RunRecord) -> usize {
    let same = |a: &RunRecord, b: &RunRecord| a.check == b.check && a.worktree == b.worktree;
    let is_needed = |at: usize| {
        let Some((_, old)) = &known[at] else { return false };
        let later = known[at + 1..].iter().flatten().map(|(_, record)| record).chain([new]);
        old.verdict.counts()
            && checks.iter().any(|check| check.name == old.check)
            && Path::new(&old.worktree).exists()
            && !later.into_iter().any(|later| later.verdict.counts() && same(later, old))
    };
    let surplus = known.len().saturating_sub(KEPT - 1);
    let must_go = known.len().saturating_sub(MOST_KEPT - 1);
    (0..surplus).find(|&at| at >= must_go && is_needed(at)).unwrap_or(surplus)
}

/// Keeps what stood behind promises when an old record goes.
fn carry_on(record: &mut RunRecord, old: RunRecord) {
    if !old.verdict.counts() {
        return;
    }
    for (reference, hashes) in old.links {
        let past = record.past.entry(reference).or_default();
        if past.last() != Some(&hashes) {
            past.push(hashes);
        }
        // The first is what drift is measured by; what lies between may go.
        if past.len() > PAST {
            past.remove(1);
        }
    }
}

/// Waits for a lock as long as the call may.
pub(crate) fn wait_for_lock(
    folder: &SharedFolder,
    name: &str,
    ctx: &Context,
) -> Result<hewto_store::SharedLock> {
    loop {
        if let Some(lock) = folder.try_lock(name)? {
            return Ok(lock);
        }
        ctx.check()?;
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
}

type Read = std::result::Result<(String, RunRecord), String>;

fn read_one(folder: &SharedFolder, name: &str, key: &MachineKey) -> Result<Read> {
    let Some(bytes) = folder.read(&format!("{RUNS}/{name}"))? else {
        return Ok(Err("it vanished".to_owned()));
    };
    Ok(authenticate(name, &bytes, key))
}

fn authenticate(name: &str, bytes: &[u8], key: &MachineKey) -> Read {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not text".to_owned())?;
    let sealed = RunRecord::read(text).map_err(|error| error.to_string())?;
    let is_ours = Seal::parse(&sealed.seal)
        .is_some_and(|seal| key.is_sealed(PURPOSE, &[sealed.text.as_bytes()], &seal));
    if !is_ours {
        return Err("its seal is not this machine's".to_owned());
    }
    if name != format!("{}.json", sealed.record.run) {
        return Err("its name belongs to another run".to_owned());
    }
    Ok((digest(bytes), sealed.record))
}

fn read_head(folder: &SharedFolder, key: &MachineKey) -> Result<Option<Head>> {
    let head = folder.read(HEAD)?.and_then(|bytes| serde_json::from_slice::<Head>(&bytes).ok());
    Ok(head.filter(|head| {
        let parts: [&[u8]; 2] = [head.run.as_bytes(), head.digest.as_bytes()];
        Seal::parse(&head.mac).is_some_and(|seal| key.is_sealed(HEAD_PURPOSE, &parts, &seal))
    }))
}
