//! The proof half of the gate: whether what lacks evidence is refused or told.

use hewto_core::id::WorkItem;
use hewto_core::plan::PlanStep;
use hewto_core::proof::settings::Policy;
use hewto_store::Context;
use serde_json::json;

use super::point::Point;
use crate::error::{Error, Key, Kind, Result};
use crate::proof::{self, Lacks};
use crate::view::OpenPoint;
use crate::workspace::Workspace;

/// What an item lacks, with its name.
pub(super) type ItemLacks = (String, Lacks);

/// What the end of an item's work lacks.
pub(super) fn of_item(ws: &Workspace, ctx: &Context, item: &WorkItem) -> Result<ItemLacks> {
    Ok((item.to_string(), proof::lacks_of_item(ws, ctx, item)?))
}

/// What stands in the way, where proof is enforced.
pub(super) fn refused(of: &ItemLacks) -> Option<Point> {
    (of.1.policy == Policy::Enforce).then(|| point(of)).flatten()
}

/// The same where it is only asked for.
pub(super) fn told(ctx: &Context, of: &ItemLacks) -> Option<OpenPoint> {
    if of.1.policy == Policy::Enforce { None } else { point(of).map(|point| point.told(ctx)) }
}

fn point((item, lacks): &ItemLacks) -> Option<Point> {
    if lacks.lacks.is_empty() {
        return None;
    }
    let point = Point::new(key(lacks), lacks.message(&format!("`{item}`")), lacks.hint());
    Some(point.detail("lacking", json!(lacks.lacks)))
}

/// Lets a step be ticked, with what it lacks, or refuses it; `None` where nobody asks or it names nothing.
pub(crate) fn ask_step(
    ws: &Workspace,
    ctx: &Context,
    item: &WorkItem,
    index: usize,
    step: &PlanStep,
) -> Result<Option<Lacks>> {
    let Some(lacks) = proof::lacks_of_step(ws, ctx, item, (&step.title, &step.description))? else {
        return Ok(None);
    };
    if lacks.policy != Policy::Enforce || lacks.lacks.is_empty() {
        return Ok(Some(lacks));
    }
    // People count steps from one; by its title it is the same for everybody.
    let what = format!("the step `{}` of `{item}`", step.title);
    Err(Error::new(Kind::Refused, key(&lacks), lacks.message(&what))
        .detail("lacking", json!(lacks.lacks))
        .detail("spec_id", item.to_string())
        .detail("step_index", index)
        .hint(lacks.hint()))
}

fn key(lacks: &Lacks) -> Key {
    if lacks.stale { Key::EvidenceStale } else { Key::EvidenceMissing }
}
