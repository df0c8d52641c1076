//! What somebody replies to, or settles, has to be a comment on the same item.

use hewto_core::decision::uid::Uid;
use hewto_core::hub::Reason;
use hewto_core::review::{Record, What};
use hewto_http::hyper::StatusCode;
use sqlx::{Postgres, Transaction};

use crate::access::Granted;
use crate::error::{Error, Result};

/// Refuses what is no comment on the item, whether it was said here or pushed.
pub(super) async fn check(
    tx: &mut Transaction<'static, Postgres>,
    repo: &Granted,
    item: &str,
    comment: &Uid,
) -> Result<()> {
    // An id is made of digits, letters, `.` and `-`, so nothing in it stands for anything else here.
    let texts: Vec<String> = sqlx::query_scalar(
        "SELECT record FROM review WHERE repo = $1 AND item = $2 AND uid = $3
         UNION ALL SELECT b.body FROM entry e JOIN blob b ON b.repo = e.repo AND b.hash = e.hash
                   WHERE e.repo = $1 AND e.item = $2 AND e.kind = 'review' AND e.path LIKE '%/' || $3 || '.md'",
    )
    .bind(repo.id)
    .bind(item)
    .bind(comment.as_str())
    .fetch_all(&mut **tx)
    .await?;
    let records: Vec<Record> = texts.iter().filter_map(|text| Record::read(text).ok()).collect();
    if records.iter().any(|record| matches!(record.what, What::Comment(_))) {
        return Ok(());
    }
    if records.is_empty() {
        return Err(Error::new(
            StatusCode::NOT_FOUND,
            Reason::CommentNotFound,
            format!("`{item}` has no comment `{comment}`"),
        )
        .hint(
            "take the id from the page of the item, or from its comments in a checkout (`hewto review list`)",
        ));
    }
    Err(Error::conflict(Reason::InvalidArgument, format!("`{comment}` is no comment on `{item}`"))
        .hint("only comments are answered and settled; a verdict is replaced by another verdict"))
}
