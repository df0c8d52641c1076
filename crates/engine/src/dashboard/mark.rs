//! Numbers that differ when a page may: what a page that stays open asks for again and again.

use std::hash::{DefaultHasher, Hash, Hasher};

use hewto_core::lifecycle::Lifecycle;
use hewto_store::{Context, DocFolder, DocKey, Own, StateRead};

use super::live::running;
use crate::claim;
use crate::decision::Repository;
use crate::error::Result;
use crate::overview;
use crate::workspace::Workspace;

/// What a page shows something of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Region {
    /// Specs, changes, plans, reviews, claims.
    Work,
    Decisions,
    Proof,
    Operations,
}

impl Region {
    pub const ALL: [Self; 4] = [Self::Work, Self::Decisions, Self::Proof, Self::Operations];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Work => "work",
            Self::Decisions => "decisions",
            Self::Proof => "proof",
            Self::Operations => "operations",
        }
    }
}

/// A number that differs when the region may, from what can be told without reading documents.
pub fn mark(ws: &Workspace, repository: Option<&Repository>, ctx: &Context, region: Region) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    match region {
        Region::Work => {
            overview::mark(ws, ctx)?.hash(&mut hasher);
            people_mark(ws, ctx)?.hash(&mut hasher);
        }
        Region::Decisions => {
            if let Some(repository) = repository {
                repository.mark(ctx, &mut hasher);
            }
        }
        // What is promised is part of the work; whoever shows proof hears of both.
        Region::Proof => {
            let places = ws.places();
            for folder in [&places.proof, &places.accepted, &places.runs] {
                names(ws, ctx, folder, &mut hasher);
            }
            for own in [Own::Proof, Own::Links] {
                let stamp = ws.store().stamp(ctx, &DocKey::Own(own)).ok().flatten();
                stamp.map(|stamp| (stamp.size, stamp.mtime_ns)).hash(&mut hasher);
            }
        }
        Region::Operations => {
            let log = DocKey::File(ws.places().operation_log.clone());
            if let Some(stamp) = ws.store().stamp(ctx, &log)? {
                (stamp.size, stamp.mtime_ns, stamp.inode).hash(&mut hasher);
            }
            for call in running(ws) {
                call.operation_id.hash(&mut hasher);
            }
            claims(ws, ctx, &mut hasher);
        }
    }
    Ok(hasher.finish())
}

/// The same for what people said and hold, which no document tells.
pub fn people_mark(ws: &Workspace, ctx: &Context) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    reviews(ws, ctx, &mut hasher)?;
    claims(ws, ctx, &mut hasher);
    Ok(hasher.finish())
}

/// The records about specs, which stand beside what the snapshot knows.
fn reviews(ws: &Workspace, ctx: &Context, hasher: &mut DefaultHasher) -> Result<()> {
    for entry in &ws.store().snapshot(ctx)?.specs {
        let open = |state: &StateRead| match state {
            StateRead::Valid(state) => matches!(state.lifecycle, Lifecycle::Draft | Lifecycle::Active),
            StateRead::Absent => true,
            StateRead::Broken(_) => false,
        };
        if entry.has_plan() && open(&entry.state) {
            ws.store().file_names(ctx, &entry.folder.review()).unwrap_or_default().hash(hasher);
        }
    }
    Ok(())
}

fn claims(ws: &Workspace, ctx: &Context, hasher: &mut DefaultHasher) {
    for claim in claim::who(ws, ctx).map(|who| who.claims).unwrap_or_default() {
        (claim.claim, claim.until, claim.released).hash(hasher);
    }
}

fn names(ws: &Workspace, ctx: &Context, folder: &DocFolder, hasher: &mut DefaultHasher) {
    for name in ws.store().file_names(ctx, folder).unwrap_or_default() {
        name.hash(hasher);
        let key = folder.document(&name).ok();
        let stamp = key.and_then(|key| ws.store().stamp(ctx, &key).ok().flatten());
        if let Some(stamp) = stamp {
            (stamp.size, stamp.mtime_ns).hash(hasher);
        }
    }
}
