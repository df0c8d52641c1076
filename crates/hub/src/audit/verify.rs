//! A look at the whole chain.

use serde::Serialize;
use sqlx::AssertSqlSafe;

use super::{COLUMNS, LINKS_AT_ONCE, Reach, SETTLED_S, chained, hex, link};
use crate::database::{Database, Sees};
use crate::error::Result;

/// What a look at the whole chain found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verified {
    pub valid: bool,
    pub rows: u64,
    pub links: u64,
    /// Rows of the last moments, or since a transaction began that still runs somewhere in the cluster, which the chain will cover next.
    pub not_yet_linked: u64,
    /// The hash of the last link; keep it elsewhere, and a cut end shows too.
    pub head: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

impl Database {
    /// Looks at every link and every row; `expected` is a head that was seen before and has to be in the chain still.
    pub async fn verify_audit(&self, expected: Option<&str>) -> Result<Verified> {
        self.told.forget();
        while link(self, Reach::Settled).await? > 0 {}
        let (mut seq, mut prev, mut fault) = (0_i64, vec![0_u8; 32], None);
        // A head from before the first call is in every chain.
        let mut seen = expected.is_none_or(|head| head == hex(&prev));
        while fault.is_none() {
            type Link = (
                i64,
                Vec<u8>,
                Vec<u8>,
                Option<i64>,
                Option<i64>,
                Option<String>,
                Option<String>,
                Option<String>,
                Option<String>,
                Option<String>,
            );
            let links: Vec<Link> = sqlx::query_as(AssertSqlSafe(format!(
                "SELECT l.seq, l.prev, l.hash, {COLUMNS} FROM audit_link l LEFT JOIN audit a ON a.id = l.audit AND a.at = l.at
                 WHERE l.seq > $1 ORDER BY l.seq LIMIT {LINKS_AT_ONCE}"
            )))
            .bind(seq)
            .fetch_all(&self.pool)
            .await?;
            if links.is_empty() {
                break;
            }
            for (number, before, hash, id, at, principal, repo, op, outcome, detail) in links {
                let row = || Some((id?, at?, principal?, repo?, op?, outcome?, detail?));
                fault = match row() {
                    _ if number != seq + 1 => Some(format!("link {} is missing", seq + 1)),
                    _ if before != prev => Some(format!("link {number} does not follow the one before it")),
                    None => Some(format!("the row of link {number} is gone")),
                    Some(row) if chained(&prev, &row) != hash => {
                        Some(format!("the row of link {number} (audit {}) was changed", row.0))
                    }
                    Some(_) => None,
                };
                if fault.is_some() {
                    break;
                }
                seen = seen || expected.is_some_and(|head| head == hex(&hash));
                (seq, prev) = (number, hash);
            }
        }
        // A row that came after the oldest transaction that still runs has to wait for that, however old it is. What a push left
        // for the audit is not linked yet either: whoever makes the chain at this moment takes it.
        let mut tx = self.begin(Sees::All).await?;
        let (rows, open, late, twice, untold): (i64, i64, i64, i64, i64) = sqlx::query_as(
            "SELECT count(*), count(*) FILTER (WHERE l.seq IS NULL),
                    count(*) FILTER (WHERE l.seq IS NULL AND a.at < now() - make_interval(secs => $1)
                        AND NOT (a.xid >= pg_snapshot_xmin(pg_current_snapshot()) AND a.xid < pg_snapshot_xmax(pg_current_snapshot()))),
                    count(*) FILTER (WHERE l.at <> a.at),
                    (SELECT count(*) FROM push_key WHERE audit_detail IS NOT NULL)
             FROM audit a LEFT JOIN audit_link l ON l.audit = a.id",
        )
        .bind(SETTLED_S)
        .fetch_one(&mut *tx)
        .await?;
        drop(tx);
        if fault.is_none() && twice > 0 {
            let rows = if twice == 1 { "1 row has".to_owned() } else { format!("{twice} rows have") };
            fault = Some(format!("{rows} the number of another one, which is in the chain"));
        }
        if fault.is_none() && late > 0 {
            let rows = if late == 1 { "1 row is".to_owned() } else { format!("{late} rows are") };
            fault = Some(format!("{rows} older than the end of the chain and not in it"));
        }
        if fault.is_none() && !seen {
            fault = Some("the head that was expected is not in the chain: its end was cut off".to_owned());
        }
        let count = |number: i64| u64::try_from(number).unwrap_or(0);
        Ok(Verified {
            valid: fault.is_none(),
            rows: count(rows + untold),
            links: count(seq),
            not_yet_linked: count(open + untold),
            head: hex(&prev),
            fault,
        })
    }
}
