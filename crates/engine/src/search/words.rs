//! Finding by words alone, in the files themselves: what a question gets where there is no index yet.

use hewto_search::{Answer, Query, Scan};
use hewto_store::Context;

use super::documents::Sources;
use crate::error::Result;
use crate::workspace::Workspace;

/// Looks through every document there is.
pub(super) fn scan(ws: &Workspace, ctx: &Context, query: &Query<'_>, mode: &str) -> Result<Answer> {
    let mut scan = Scan::new(query);
    for source in Sources::look(ws, ctx)?.all() {
        ctx.check()?;
        if let Some(texts) = source.texts(ws, ctx) {
            scan.take(&source.document(&texts));
        }
    }
    Ok(scan.answer(mode))
}
