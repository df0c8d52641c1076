//! What a push writes: one call of a function of the schema, which is one round trip and one commit.

use std::collections::HashSet;

use hewto_core::hub::{
    DocKind, Edge, Listed, MAX_DOCUMENTS, PushRequest, READER_VERSION, Reading, Reason, Touch,
};
use sqlx::PgConnection;
use sqlx::error::DatabaseError;

use super::{bytes_of, signed};
use crate::access::{Access, Granted};
use crate::audit::Row;
use crate::error::{Error, Result};

/// What the schema fails with when a claim is lost.
const CLAIM_LOST: &str = "HW001";
/// What the schema fails with when one document is more than it writes at once.
const NOT_AT_ONCE: &str = "HW002";
/// What the schema fails with when a view would hold more documents than one can.
const TOO_MANY: &str = "HW003";
/// What the schema knows keys by.
const KEYS: &str = "push_key_pkey";

/// A document of a push, and what was read in it.
pub(super) type Read<'r> = (&'r String, &'r Listed, Reading);

/// Writes what a push brings.
pub(super) struct Writer<'w> {
    pub(super) access: &'w Access,
    pub(super) repo: &'w Granted,
    /// Whose work tree it is; a branch is nobody's.
    pub(super) owner: Option<i64>,
    pub(super) request: &'w PushRequest,
    /// What the push asked for, to know it again by its key.
    pub(super) asked: &'w [u8],
}

impl Writer<'_> {
    /// Writes documents and takes others away; how many documents there are now. Nothing is written, and nothing
    /// answered, where the view is not at the version that the push began from, the key was used, or a claim is lost.
    pub(super) async fn write(
        &self,
        connection: &mut PgConnection,
        readings: &[Read<'_>],
        removed: &[String],
    ) -> Result<Option<i64>> {
        let (request, note) = (self.request, self.note(readings.len(), removed.len()));
        let each = readings.iter();
        let paths: Vec<&str> = each.clone().map(|(path, _, _)| path.as_str()).collect();
        let here: HashSet<&str> = paths.iter().copied().collect();
        let gone: Vec<&str> =
            removed.iter().map(String::as_str).filter(|path| !here.contains(path)).collect();
        let hashes: Vec<Vec<u8>> = each.clone().map(|(_, listed, _)| bytes_of(&listed.sha256)).collect();
        let kinds: Vec<&str> = each.clone().map(|(_, listed, _)| listed.kind.as_str()).collect();
        let items: Vec<&str> = each.clone().map(|(_, listed, _)| listed.item.as_str()).collect();
        let capabilities: Vec<Option<&str>> =
            each.clone().map(|(_, listed, _)| listed.capability.as_deref()).collect();
        let titles: Vec<Option<&str>> =
            each.clone().map(|(_, _, reading)| reading.title.as_deref()).collect();
        let counts: Vec<i32> = each.clone().map(|(_, _, reading)| count(reading)).collect();
        let records: Vec<String> =
            each.filter_map(|(path, listed, _)| record_uid(path, listed.kind)).collect();
        let blobs: Vec<Vec<u8>> = request.blobs.keys().map(|hash| bytes_of(hash)).collect();
        let bodies: Vec<&str> = request.blobs.values().map(String::as_str).collect();
        let claims: Vec<&str> = request.claims.iter().map(|claim| claim.item.as_str()).collect();
        let fences: Vec<i64> = request.claims.iter().map(|claim| signed(claim.fence)).collect();
        let query = sqlx::query_scalar(
            "SELECT store_push($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
             $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38)",
        )
        .bind(self.repo.id)
        .bind(request.view.kind.as_str())
        .bind(self.owner)
        .bind(&request.view.name)
        .bind(signed(request.base))
        .bind(&request.head)
        .bind(self.access.principal)
        .bind(&request.key)
        .bind(self.asked)
        .bind(claims)
        .bind(fences)
        .bind(blobs)
        .bind(bodies)
        .bind(gone)
        .bind(paths)
        .bind(hashes)
        .bind(kinds)
        .bind(items)
        .bind(capabilities)
        .bind(titles)
        .bind(counts)
        .bind(READER_VERSION);
        let touches = touches(readings);
        let column =
            |part: fn(&(&str, &Listed, &Touch)) -> String| touches.iter().map(part).collect::<Vec<_>>();
        let contents: Vec<Vec<u8>> =
            touches.iter().map(|(_, _, touch)| bytes_of(&touch.content.to_string())).collect();
        let query = query
            .bind(column(|(path, _, _)| (*path).to_owned()))
            .bind(column(|(_, listed, _)| listed.item.trim_start_matches("change:").to_owned()))
            .bind(column(|(_, listed, _)| listed.capability.clone().unwrap_or_default()))
            .bind(column(|(_, _, touch)| touch.slug.clone()))
            .bind(column(|(_, _, touch)| touch.name.clone()))
            .bind(column(|(_, _, touch)| touch.operation.as_str().to_owned()))
            .bind(contents);
        let edges = edges(readings);
        let repos: Vec<Option<&str>> = edges.iter().map(|(_, _, edge)| edge.repo.as_deref()).collect();
        let query = query
            .bind(edges.iter().map(|(path, _, _)| *path).collect::<Vec<_>>())
            .bind(edges.iter().map(|(_, listed, _)| listed.item.as_str()).collect::<Vec<_>>())
            .bind(repos)
            .bind(edges.iter().map(|(_, _, edge)| edge.target.as_str()).collect::<Vec<_>>())
            .bind(edges.iter().map(|(_, _, edge)| edge.kind.as_str()).collect::<Vec<_>>())
            .bind(records)
            .bind(&note.principal)
            .bind(&note.repo)
            .bind(&note.detail);
        unless_taken_back(query.fetch_one(connection).await)
    }

    /// The same by the shortest way that this push can go.
    pub(super) async fn write_at_once(
        &self,
        connection: &mut PgConnection,
        readings: &[Read<'_>],
    ) -> Result<Option<i64>> {
        let request = self.request;
        if let [read] = readings
            && let Some(text) = self.only_text(read)
        {
            match self.write_one(connection, read, text).await {
                Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(NOT_AT_ONCE) => {}
                written => return unless_taken_back(written),
            }
        }
        self.write(connection, readings, &request.removed).await
    }

    /// The text of a document that is all there is to a push, and needs no rows but its own.
    fn only_text(&self, (_, listed, reading): &Read<'_>) -> Option<&str> {
        let PushRequest { removed, claims, blobs, .. } = self.request;
        let is_alone = removed.is_empty() && claims.is_empty() && blobs.len() == 1;
        let is_plain = listed.kind != DocKind::Delta && reading.edges.is_empty();
        blobs.get(&listed.sha256).filter(|_| is_alone && is_plain).map(String::as_str)
    }

    /// Writes a document that is known as what it is, or new.
    async fn write_one(
        &self,
        connection: &mut PgConnection,
        (path, listed, reading): &Read<'_>,
        text: &str,
    ) -> sqlx::Result<Option<i64>> {
        let request = self.request;
        let note = self.note(1, 0);
        sqlx::query_scalar(
            "SELECT push_document($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)",
        )
        .bind(self.repo.id)
        .bind(request.view.kind.as_str())
        .bind(self.owner)
        .bind(&request.view.name)
        .bind(signed(request.base))
        .bind(&request.head)
        .bind(self.access.principal)
        .bind(&request.key)
        .bind(self.asked)
        .bind(path.as_str())
        .bind(bytes_of(&listed.sha256))
        .bind(text)
        .bind(listed.kind.as_str())
        .bind(&listed.item)
        .bind(&reading.title)
        .bind(count(reading))
        .bind(READER_VERSION)
        .bind(&note.principal)
        .bind(&note.repo)
        .bind(&note.detail)
        .fetch_one(connection)
        .await
    }

    /// What the audit says of it. It is written in the same transaction: as a row of the audit, or for one document with its key, from
    /// where it is told to the audit within a second.
    fn note(&self, written: usize, removed: usize) -> Row {
        let PushRequest { view, base, .. } = self.request;
        let (kind, version) = (view.kind.as_str(), base.saturating_add(1));
        let detail =
            format!("{kind} {} at version {version}: {written} written, {removed} removed", view.name);
        Row::new(&self.access.name, &self.repo.name, "push", detail).storable()
    }
}

/// What the schema answered, or nothing where it has taken everything back.
fn unless_taken_back(written: sqlx::Result<Option<i64>>) -> Result<Option<i64>> {
    match written {
        Err(sqlx::Error::Database(error)) if is_taken_back(error.as_ref()) => Ok(None),
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(TOO_MANY) => {
            Err(Error::bad(Reason::TooManyDocuments, format!("a view holds {MAX_DOCUMENTS} documents at most"))
                .hint("take documents out of it, or push parts of the repository under names of their own (`[hub] repo`)"))
        }
        other => Ok(other?),
    }
}

/// Whether the schema has taken a push back: its key was used, or a claim is lost.
fn is_taken_back(error: &dyn DatabaseError) -> bool {
    error.code().as_deref() == Some(CLAIM_LOST) || error.constraint() == Some(KEYS)
}

fn count(reading: &Reading) -> i32 {
    i32::try_from(reading.requirements).unwrap_or(i32::MAX)
}

fn touches<'r>(readings: &'r [Read<'_>]) -> Vec<(&'r str, &'r Listed, &'r Touch)> {
    let of = |(path, listed, reading): &'r Read<'_>| {
        let (path, listed): (&'r str, &'r Listed) = (path, listed);
        reading.touches.iter().map(move |touch| (path, listed, touch))
    };
    readings.iter().flat_map(of).collect()
}

fn edges<'r>(readings: &'r [Read<'_>]) -> Vec<(&'r str, &'r Listed, &'r Edge)> {
    let of = |(path, listed, reading): &'r Read<'_>| {
        let (path, listed): (&'r str, &'r Listed) = (path, listed);
        reading.edges.iter().map(move |edge| (path, listed, edge))
    };
    readings.iter().flat_map(of).collect()
}

/// The UID of a record that a review file is named by.
fn record_uid(path: &str, kind: DocKind) -> Option<String> {
    if kind != DocKind::Review {
        return None;
    }
    Some(path.rsplit('/').next()?.strip_suffix(".md")?.to_owned())
}
