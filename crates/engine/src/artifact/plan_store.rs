//! Plans that wait to be carried out.

use std::collections::BTreeMap;

use hewto_store::{Context, LocalFolder, LocalKey};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::request::CreationRequest;
use crate::concept;
use crate::error::{Error, Key, Kind, Result};
use crate::workspace::Workspace;

/// How long a plan is good for.
const LIFETIME: SignedDuration = SignedDuration::from_mins(30);
/// How many plans wait at most; the oldest make room.
const MOST_PLANS: usize = 500;

/// What a plan looked at, and what it found: a hash, `absent`, or the edges in words.
pub(super) type Seen = BTreeMap<String, String>;

/// A plan, as it is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Plan {
    pub(super) id: String,
    workspace: String,
    principal: Option<String>,
    created_at: Timestamp,
    pub(super) expires_at: Timestamp,
    pub(super) seen: Seen,
    pub(super) intent: Intent,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Intent {
    Creation(Box<CreationRequest>),
    Deletion { handle: String },
}

impl Plan {
    /// Makes a plan and keeps it.
    pub(super) fn keep(ws: &Workspace, ctx: &Context, seen: Seen, intent: Intent) -> Result<Self> {
        let plan = Self {
            id: ctx.uuid().to_string(),
            workspace: ws.root().to_string_lossy().into_owned(),
            principal: ctx.caller().principal.clone(),
            created_at: ctx.now(),
            expires_at: ctx.now() + LIFETIME,
            seen,
            intent,
        };
        make_room(ws, ctx)?;
        let key = key_of(&plan.id).expect("a fresh id is a plain word");
        ws.store().machine().write_local(&key, &serde_json::to_vec(&plan).expect("a plan is plain data"))?;
        Ok(plan)
    }

    /// The plan of this id, if whoever asks may carry it out.
    pub(super) fn load(ws: &Workspace, ctx: &Context, plan_id: &str) -> Result<Self> {
        let unknown = || {
            refused(Key::PlanNotFound, format!("no plan waits under `{}`", plan_id.escape_debug()))
                .hint("plan again: a plan is used up once it was carried out")
        };
        let key = key_of(plan_id).ok_or_else(unknown)?;
        let bytes = ws.store().machine().read_local(&key)?.ok_or_else(unknown)?;
        let plan: Self = serde_json::from_slice(&bytes).map_err(|_| unknown())?;
        let is_own = plan.id == plan_id
            && plan.workspace == ws.root().to_string_lossy()
            && plan.principal == ctx.caller().principal;
        if !is_own {
            return Err(unknown());
        }
        if ctx.now() >= plan.expires_at {
            ws.store().machine().remove_local(&key)?;
            return Err(refused(Key::PlanExpired, format!("the plan expired at {}", plan.expires_at))
                .hint("plan again and carry it out within half an hour"));
        }
        Ok(plan)
    }

    /// Refuses a plan that saw something else than what is there now.
    pub(super) fn require_fresh(&self, now: &Seen) -> Result<()> {
        let changed: Vec<&String> = self
            .seen
            .keys()
            .chain(now.keys().filter(|key| !self.seen.contains_key(*key)))
            .filter(|key| self.seen.get(*key) != now.get(*key))
            .collect();
        if changed.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = changed.iter().map(|name| format!("`{name}`")).collect();
        Err(refused(Key::PlanStale, format!("the plan is out of date: {} changed", names.join(", ")))
            .detail("changed", json!(changed))
            .hint("plan again and look at what is different"))
    }

    /// The plan was carried out.
    pub(super) fn use_up(&self, ws: &Workspace) -> Result<()> {
        if let Some(key) = key_of(&self.id) {
            ws.store().machine().remove_local(&key)?;
        }
        Ok(())
    }
}

fn refused(key: Key, message: String) -> Error {
    Error::new(Kind::Refused, key, message).detail("concept_ref", concept::LIFECYCLE_AUTOMATION)
}

/// Ids are our own; anything else names no file.
fn key_of(plan_id: &str) -> Option<LocalKey> {
    let is_id = plan_id.len() == 36 && plan_id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    is_id.then(|| LocalFolder::Plans.file(plan_id))
}

/// Removes plans that expired, and the oldest when there are too many.
fn make_room(ws: &Workspace, ctx: &Context) -> Result<()> {
    let mut waiting: Vec<(Timestamp, LocalKey)> = Vec::new();
    for key in ws.store().machine().local_keys(LocalFolder::Plans)? {
        let plan = ws
            .store()
            .machine()
            .read_local(&key)?
            .and_then(|bytes| serde_json::from_slice::<Plan>(&bytes).ok());
        match plan {
            Some(plan) if plan.expires_at > ctx.now() => waiting.push((plan.created_at, key)),
            _ => ws.store().machine().remove_local(&key)?,
        }
    }
    waiting.sort();
    let surplus = waiting.len().saturating_sub(MOST_PLANS - 1);
    for (_, key) in &waiting[..surplus] {
        ws.store().machine().remove_local(key)?;
    }
    Ok(())
}
