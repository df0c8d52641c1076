//! The best that is ready and free: what is furthest along comes first, what waits for somebody comes never.

use hewto_core::id::WorkItem;
use hewto_core::lifecycle::Lifecycle;
use hewto_store::Context;

use super::book::Book;
use super::work::Work;
use crate::change::{ChangeFolder, standing};
use crate::error::Result;
use crate::gate::{Policy, approval_of};
use crate::review::Subject;
use crate::spec::work_state;
use crate::workspace::Workspace;

/// The work that somebody should do next; `None` when nothing is ready and free.
pub(super) fn best(ws: &Workspace, ctx: &Context, book: &Book) -> Result<Option<Work>> {
    Ok(ranked(ws, ctx, book, 1)?.pop())
}

/// So many that somebody could do next, best first.
pub(super) fn ranked(ws: &Workspace, ctx: &Context, book: &Book, most: usize) -> Result<Vec<Work>> {
    let mut found = Vec::new();
    let snapshot = ws.store().snapshot(ctx)?;
    let policy = Policy::at_the_door(ws, ctx)?;
    let ranks = ws.claims().ranks.of(&snapshot);
    for entry in ranks.building.iter().map(|place| &snapshot.specs[*place]) {
        let work = Work::item(entry.id.to_string());
        if is_free(book, &work) {
            found.push(work);
            if found.len() >= most {
                return Ok(found);
            }
        }
    }
    found.extend(best_changes(ws, ctx, book, &policy, most - found.len())?);
    for place in ranks.planned.iter().chain(&ranks.unplanned) {
        if found.len() >= most {
            break;
        }
        // What costs more is asked later.
        if ranks.is_waiting(&snapshot, *place) {
            continue;
        }
        ctx.check()?;
        let entry = &snapshot.specs[*place];
        let work = Work::item(entry.id.to_string());
        if !is_free(book, &work) || work_state(ws, ctx, entry).is_none() {
            continue;
        }
        let id = WorkItem::Spec(entry.id.clone());
        if !entry.has_plan() || is_approved(ws, ctx, &policy, &id, entry.title())? {
            found.push(work);
        }
    }
    Ok(found)
}

fn best_changes(
    ws: &Workspace,
    ctx: &Context,
    book: &Book,
    policy: &Policy,
    most: usize,
) -> Result<Vec<Work>> {
    let (mut planned, mut unplanned) = (Vec::new(), Vec::new());
    for entry in ws.store().changes(ctx)?.changes {
        ctx.check()?;
        let work = Work::item(format!("change:{}", entry.id));
        if !is_free(book, &work) {
            continue;
        }
        let folder = ChangeFolder::read(ws, ctx, entry)?;
        let progress = folder.task_progress();
        if progress.total == 0 {
            unplanned.push(work);
            continue;
        }
        let building = standing(ws, ctx, &folder)?
            .is_ok_and(|state| state.is_some_and(|state| state.lifecycle == Lifecycle::Active));
        let open = progress.completed < progress.total;
        let id = WorkItem::Change(folder.entry.id.clone());
        if building || (open && is_approved(ws, ctx, policy, &id, &folder.title())?) {
            planned.push(work);
            if planned.len() >= most {
                break;
            }
        }
    }
    planned.append(&mut unplanned);
    planned.truncate(most);
    Ok(planned)
}

fn is_free(book: &Book, work: &Work) -> bool {
    let keys = work.related(&book.prefix, &book.claims);
    if keys.iter().any(|key| book.claims.unread.contains_key(key)) {
        return false;
    }
    !keys.iter().any(|key| book.claims.claims.get(key).is_some_and(|claim| claim.is_held(&book.now)))
}

/// Whether people have approved it, where they are asked.
fn is_approved(ws: &Workspace, ctx: &Context, policy: &Policy, id: &WorkItem, title: &str) -> Result<bool> {
    if !policy.needs_a_person() {
        return Ok(true);
    }
    // What cannot be read is not ready.
    let Ok(subject) = Subject::of(ws, ctx, id, title.to_owned()) else { return Ok(false) };
    let gates = policy.gates_of(&subject);
    Ok(!gates.plan().needs_a_person() || approval_of(ws, ctx, &subject, &gates, gates.plan())?.is_ok())
}
