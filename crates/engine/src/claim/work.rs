//! What can be claimed: an item, or one step of it.

use std::ops::Bound;

use hewto_core::claim::Claims;
use hewto_core::review::Digest;
use hewto_store::{Context, repository_root};

use crate::error::Result;
use crate::item::Item;
use crate::plan::{ItemPlan, find_step};
use crate::workspace::Workspace;

/// How many characters of a hash stand for a step.
const STEP_CHARS: usize = 6;
/// What parts the folder of a workspace below the top of its repository from its items.
const BELOW: &str = "//";
/// What parts a step from its item; no id has it.
const STEP: char = '\\';

/// A piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Work {
    pub(crate) item: String,
    /// The step, by the hash of its title.
    pub(crate) step: Option<String>,
}

impl Work {
    pub(super) fn item(item: String) -> Self {
        Self { item, step: None }
    }

    /// What somebody named, if it is there.
    pub(super) fn load(ws: &Workspace, ctx: &Context, item: &str, step: Option<&str>) -> Result<Self> {
        let found = Item::load(ws, ctx, item)?;
        let Some(step) = step else { return Ok(Self::item(found.id.to_string())) };
        let plan = ItemPlan::load(ws, ctx, &found.id)?;
        let is_meant = |title: &str| title == step || step_id(title) == step;
        let exact = plan.plan.steps.iter().position(|one| is_meant(&one.title));
        let at = exact.map_or_else(|| find_step(&plan, &step.into()), Ok)?;
        let title = &plan.plan.steps[at].title;
        Ok(Self { item: found.id.to_string(), step: Some(step_id(title)) })
    }

    /// The name under which it is kept, which is the same in all work trees.
    pub(super) fn key(&self, prefix: &Prefix) -> String {
        let item = match &self.step {
            Some(step) => format!("{}{STEP}{step}", self.item),
            None => self.item.clone(),
        };
        format!("{}{item}", prefix.0)
    }

    pub(super) fn of_key(prefix: &Prefix, key: &str) -> Self {
        let key = key.strip_prefix(&prefix.0).unwrap_or(key);
        match key.split_once(STEP) {
            Some((item, step)) => Self { item: item.to_owned(), step: Some(step.to_owned()) },
            None => Self::item(key.to_owned()),
        }
    }

    /// Its own name first, then what it is part of or consists of.
    pub(super) fn related(&self, prefix: &Prefix, claims: &Claims) -> Vec<String> {
        let own = self.key(prefix);
        let mut keys = vec![own.clone()];
        if self.step.is_some() {
            keys.push(Self::item(self.item.clone()).key(prefix));
        } else {
            let steps = format!("{own}{STEP}");
            let from = claims.claims.range::<str, _>((Bound::Included(steps.as_str()), Bound::Unbounded));
            keys.extend(from.map(|(key, _)| key).take_while(|key| key.starts_with(&steps)).cloned());
            keys.extend(claims.unread.keys().filter(|key| key.starts_with(&steps)).cloned());
        }
        keys
    }
}

pub(super) fn step_id(title: &str) -> String {
    Digest::of(title.as_bytes()).to_string()[..STEP_CHARS].to_owned()
}

/// What the names of this workspace's work begin with: where it is below the top of its repository; nothing when it is there.
#[derive(Debug)]
pub(super) struct Prefix(String);

impl Prefix {
    pub(super) fn of(ws: &Workspace) -> Self {
        let below = repository_root(ws.root()).and_then(|top| {
            let below = ws.root().strip_prefix(top).ok()?.to_str()?.to_owned();
            (!below.is_empty()).then_some(below)
        });
        Self(below.map_or_else(String::new, |below| format!("{below}{BELOW}")))
    }
}
