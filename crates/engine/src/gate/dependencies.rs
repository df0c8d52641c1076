//! Whether the work that an item waits for is really done: built, and approved and proven where the gates say so. That it was moved,
//! cancelled or archived is not enough.

use hewto_core::id::WorkItem;
use hewto_core::lifecycle::Lifecycle;
use hewto_core::spec::DependencyKind;
use hewto_store::{Context, SpecEntry, StateRead};

use super::approval::approval_of;
use super::point::Point;
use super::policy::Policy;
use crate::error::Result;
use crate::item::Item;
use crate::proof;
use crate::review::Subject;
use crate::spec::target_id;
use crate::workspace::Workspace;

/// The hard dependencies of an item that are not met.
pub(crate) fn unmet(ws: &Workspace, ctx: &Context, item: &Item, policy: &Policy) -> Result<Option<Point>> {
    let mut unmet: Vec<(String, String)> = Vec::new();
    let dependencies = item.spec().map_or(&[][..], |spec| &spec.head.dependencies);
    for dependency in dependencies.iter().filter(|one| one.kind == DependencyKind::Hard) {
        let entry = match target_id(dependency) {
            Some(id) => ws.store().entry(ctx, &id)?,
            None => None,
        };
        let why = match entry {
            None => Some("it is not there".to_owned()),
            Some(entry) => why_not(ws, ctx, &entry, policy)?,
        };
        unmet.extend(why.map(|why| (dependency.target.clone(), why)));
    }
    Ok((!unmet.is_empty()).then(|| Point::blocked(&item.id.to_string(), &unmet)))
}

fn why_not(ws: &Workspace, ctx: &Context, entry: &SpecEntry, policy: &Policy) -> Result<Option<String>> {
    let state = match &entry.state {
        StateRead::Absent => return Ok(Some("it is 'draft'".to_owned())),
        StateRead::Broken(_) => return Ok(Some("its state cannot be read".to_owned())),
        StateRead::Valid(state) => state,
    };
    if !state.lifecycle.satisfies_dependency() {
        return Ok(Some(format!("it is '{}'", state.lifecycle)));
    }
    if state.completed_at.is_none() {
        return Ok(Some(match state.lifecycle {
            Lifecycle::Archived => "it was archived without a build".to_owned(),
            _ => "it was moved to done without a build".to_owned(),
        }));
    }
    let id = WorkItem::Spec(entry.id.clone());
    let subject = Subject::of(ws, ctx, &id, entry.title().to_owned())?;
    let gates = policy.gates_of(&subject);
    if gates.plan().needs_a_person() && approval_of(ws, ctx, &subject, &gates, gates.plan())?.is_err() {
        return Ok(Some("no person has approved it".to_owned()));
    }
    if policy.enforces_proof() && !proof::is_proven(ws, ctx, &id)? {
        return Ok(Some("what it promises is not proven".to_owned()));
    }
    Ok(None)
}
