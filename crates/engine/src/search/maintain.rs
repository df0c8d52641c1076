//! Making, describing and deleting the index.

use hewto_search::{Index, IndexPlace, Progress, SearchError};
use hewto_store::{Context, shared_vectors};

use crate::error::Result;
use crate::view::{ClearedView, IndexView};
use crate::workspace::Workspace;

/// `index build`: makes the index, or brings it up to date, vectors included.
///
/// What is already right is kept, so that a build which was interrupted goes on where it stopped.
pub fn build(ws: &Workspace, ctx: &Context) -> Result<IndexView> {
    ctx.check()?;
    let (index, changed) = ws.finder().bring_up_to_date(ws, ctx)?;
    let mut interrupted = Ok(());
    let embedded = index.embed_all(|Progress { done, total }| {
        ctx.report(hewto_store::Progress {
            done: done as u64,
            total: Some(total as u64),
            message: "embedding passages".to_owned(),
        });
        interrupted = ctx.check();
        interrupted.is_ok()
    });
    match embedded {
        // Words serve alone; the view says why.
        Ok(_) | Err(SearchError::Model(_)) => {}
        Err(error) => return Err(error.into()),
    }
    interrupted?;
    // What had only just been written when the build began proves something by now, and is noted for the next process.
    ws.finder().bring_up_to_date(ws, ctx)?;
    view(ws, &index, Some(changed))
}

/// `index status`: what there is of an index. Nothing is changed, nor brought up to date.
pub fn status(ws: &Workspace, ctx: &Context) -> Result<IndexView> {
    ctx.check()?;
    if !ws.finder().exists(ws) {
        return Ok(IndexView {
            exists: false,
            folder: ws.places().search_index.to_string(),
            model: ws.finder().model().to_string(),
            ..IndexView::default()
        });
    }
    view(ws, ws.finder().open(ws)?.as_ref(), None)
}

/// `index clear`: deletes the index, with the vectors that all work trees of the repository share.
pub fn clear(ws: &Workspace, ctx: &Context) -> Result<ClearedView> {
    ctx.check()?;
    let cleared = Index::exists(&ws.store().machine().search_index());
    ws.finder().close();
    // Made where it is missing, so that it is known to be a folder of ours, and no link to somebody's.
    let folder = ws.store().machine().make_search_index()?;
    let vectors = shared_vectors(ws.root());
    let shared_vectors = vectors.as_ref().is_some_and(|folder| folder.is_dir());
    Index::clear_at(&IndexPlace { vectors: vectors.as_deref(), ..IndexPlace::new(&folder) })?;
    Ok(ClearedView { cleared, shared_vectors })
}

fn view(ws: &Workspace, index: &Index, changed: Option<usize>) -> Result<IndexView> {
    let status = index.status()?;
    Ok(IndexView {
        exists: true,
        folder: ws.places().search_index.to_string(),
        documents: status.documents,
        entries: status.entries,
        passages: status.embedded.total,
        embedded: status.embedded.done,
        bytes: status.bytes,
        model: ws.finder().model().to_string(),
        model_failure: status.model_failure,
        changed,
    })
}
