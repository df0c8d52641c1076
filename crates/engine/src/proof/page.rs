//! The page of proof: the table and what drifted, from one look, which counts as long as nothing has moved.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use hewto_store::{Context, OWN_FOLDER, Own};

use super::drift::drifted;
use super::standing::{Query, Standing};
use super::status::{StatusQuery, in_order, paged, wanted_state};
use super::survey::{Found, read};
use crate::dashboard::{Region, WorkWatch, mark};
use crate::error::Result;
use crate::view::{DriftView, MatrixView};
use crate::workspace::Workspace;

/// The last look for a page, kept by whoever shows it.
#[derive(Debug, Default)]
pub struct KeptProof(Mutex<Option<(MadeOf, Arc<Known>)>>);

#[derive(Debug)]
struct Known {
    standing: Standing,
    /// The places of its rows, as the table shows them.
    order: Vec<usize>,
    drift: DriftView,
}

/// Everything that a look was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MadeOf {
    root: PathBuf,
    target: Option<String>,
    documents: u64,
    records: u64,
    /// Which walk over the files it was.
    walk: u64,
    /// Waivers run out.
    today: String,
}

/// One page of the table, and everything that has moved.
pub fn page(
    ws: &Workspace,
    ctx: &Context,
    kept: &KeptProof,
    work: &WorkWatch,
    query: &StatusQuery,
) -> Result<(MatrixView, DriftView)> {
    let state = wanted_state(query)?;
    let wanted = query.of_all_states();
    let known = kept.get_or_look(ws, ctx, work, &wanted)?;
    Ok((paged(ws, ctx, &known.standing, &known.order, query, state)?, known.drift.clone()))
}

impl KeptProof {
    fn get_or_look(
        &self,
        ws: &Workspace,
        ctx: &Context,
        work: &WorkWatch,
        wanted: &Query,
    ) -> Result<Arc<Known>> {
        if let Some(now) = made_of(ws, ctx, work, wanted)? {
            let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((made_of, known)) = &*kept
                && *made_of == now
            {
                return Ok(Arc::clone(known));
            }
        }
        // The documents before the look: what changes meanwhile makes the next look a new one.
        let before = work.documents(ws, ctx)?;
        let standing = Standing::find(ws, ctx, wanted)?;
        let drift = drifted(ws, ctx, &standing);
        let known = Arc::new(Known { order: in_order(&standing), standing, drift });
        if let Some(now) = made_of(ws, ctx, work, wanted)?.filter(|now| now.documents == before) {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((now, Arc::clone(&known)));
        }
        Ok(known)
    }
}

/// What a look now would be made of; nothing where that cannot be told without one.
fn made_of(ws: &Workspace, ctx: &Context, work: &WorkWatch, wanted: &Query) -> Result<Option<MadeOf>> {
    // What a revision says is for git to tell, and what links in a sidecar lead to stands anywhere.
    if wanted.since.is_some() || read(ws, ctx, Own::Links)?.is_some() {
        return Ok(None);
    }
    let Some(walk) = Found::last_walk(ws, ctx)? else { return Ok(None) };
    Ok(Some(MadeOf {
        root: ws.root().to_owned(),
        target: wanted.target.clone(),
        documents: work.documents(ws, ctx)?,
        records: records(ws, ctx)?,
        walk,
        today: ctx.now().strftime("%Y-%m-%d").to_string(),
    }))
}

/// A number that differs when any record does: those of people stand in a folder for each capability.
fn records(ws: &Workspace, ctx: &Context) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    mark(ws, None, ctx, Region::Proof)?.hash(&mut hasher);
    let mut folders = vec![ws.root().join(OWN_FOLDER).join("proof")];
    while let Some(folder) = folders.pop() {
        ctx.check()?;
        for entry in fs_err::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(of) = entry.metadata() else { continue };
            if of.is_dir() {
                folders.push(entry.path());
            }
            entry.path().hash(&mut hasher);
            (of.size(), of.ino(), of.ctime(), of.ctime_nsec()).hash(&mut hasher);
        }
    }
    Ok(hasher.finish())
}
