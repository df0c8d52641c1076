//! `change_withdraw`: ends an open change that is not wanted after all, and keeps it with the reason.

use hewto_core::document::{Block, Document, EolStyle};
use hewto_core::lifecycle::Lifecycle;
use hewto_core::state::WorkflowState;
use hewto_store::change_files::PROPOSAL;
use hewto_store::{Context, Expect, Transaction};

use super::ChangeFolder;
use super::bases;
use super::item_name;
use super::obstacles::destination;
use super::update::named;
use crate::claim;
use crate::error::{Error, Result};
use crate::faults::Faults;
use crate::item::{Item, refuse_archived};
use crate::text;
use crate::view::ChangeWithdrawn;
use crate::workspace::Workspace;

/// The heading below which a proposal says why it was withdrawn.
const WITHDRAWN: &str = "Withdrawn";

/// Whether a change that was put away was withdrawn: nothing of it was applied.
pub(crate) fn is_withdrawn(change: &ChangeFolder) -> bool {
    change.proposal.as_ref().is_some_and(|doc| {
        let document = Document::parse(&doc.text);
        document
            .blocks()
            .iter()
            .filter_map(Block::structural_heading)
            .any(|heading| heading.level == 2 && heading.raw == WITHDRAWN)
    })
}

/// Moves a change to the archive without applying it.
pub fn withdraw(ws: &Workspace, ctx: &Context, id: &str, reason: &str) -> Result<ChangeWithdrawn> {
    let mut faults = Faults::begin(ctx);
    let reason = faults.take(text::required("reason", reason)).unwrap_or_default();
    let (mut lock, ref ws) = claim::lock(ws, ctx, &item_name(id), None, Workspace::lock)?;
    let folder = faults.take(named(ws, ctx, id));
    faults.finish()?;
    let Some(folder) = folder else { return Err(Error::validation("there is no such change")) };
    let item = Item::load(ws, ctx, &format!("change:{}", folder.id()))?;
    let state = item.state()?;
    refuse_archived(id, &state)?;
    let destination = destination(ctx, &folder)?;
    if ws.store().has_folder(&destination) {
        return Err(Error::validation(format!("there is an archived change already: `{destination}`"))
            .detail("change_id", folder.id())
            .hint("rename the change's folder, then withdraw it again"));
    }
    let now = ctx.now_rfc3339();
    let mut transaction = Transaction::at_home(folder.owner());
    let state = WorkflowState {
        lifecycle: Lifecycle::Cancelled,
        reason: Some(reason.clone()),
        updated_at: now.clone(),
        ..state
    };
    item.put_state(&mut transaction, &state)?;
    let proposal =
        folder.entry.folder.document(PROPOSAL).map_err(|error| Error::validation(error.to_string()))?;
    let before = folder.proposal.as_ref();
    let text = before.map(|doc| doc.text.as_str()).unwrap_or_default();
    let eol = EolStyle::of(text).as_str();
    let told = EolStyle::of(text).applied_to(&reason);
    let text = format!("{}{eol}{eol}## {WITHDRAWN}{eol}{eol}{}: {told}{eol}", text.trim_end(), &now[..10]);
    let expect = before.map_or(Expect::Absent, |doc| Expect::Hash(doc.hash));
    transaction.put(proposal, text, expect);
    transaction.move_dir(&folder.entry.folder, &destination);
    lock.commit(ctx, transaction)?;
    lock.end_claims(ws);
    bases::forget(ws, folder.id());
    Ok(ChangeWithdrawn {
        change_id: folder.id().to_owned(),
        withdrawn: true,
        path: format!("{destination}/"),
        reason,
    })
}
