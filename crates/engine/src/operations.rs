//! `operations.inspect`: what was done in a workspace, newest first, across rotated logs.

use std::hash::{DefaultHasher, Hash, Hasher};

use hewto_store::{Context, LogFilter, OperationLog};

use crate::error::{Error, Result};
use crate::lifecycle::envelope_view;
use crate::log::{parse_status, parse_time};
use crate::page::{DEFAULT_LIMIT, DEFAULT_MAX_CHARS, MAX_LIMIT, PageRequest};
use crate::view::{OperationList, Page};
use crate::workspace::Workspace;

/// Room for the paging fields.
const ENVELOPE_CHARS: usize = 500;
/// How many records are counted before the clock is looked at.
const LOOK_EVERY: usize = 1024;

/// Which operations are wanted; every condition has to hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct OperationQuery {
    pub session_id: Option<String>,
    /// In either spelling.
    pub capability_id: Option<String>,
    pub status: Option<String>,
    pub since: Option<String>,
    pub until: Option<String>,
}

/// A page of operations.
pub fn inspect(
    ws: &Workspace,
    ctx: &Context,
    query: &OperationQuery,
    page: &PageRequest,
) -> Result<OperationList> {
    let filter = LogFilter {
        since: query.since.as_deref().map(|text| parse_time("since", text)).transpose()?,
        until: query.until.as_deref().map(|text| parse_time("until", text)).transpose()?,
        session_id: query.session_id.clone(),
        capability_id: query.capability_id.as_deref().map(capability),
        status: query.status.as_deref().map(parse_status).transpose()?,
    };
    let seal = seal(ws, query);
    let log = OperationLog::open(ws.layout())?;
    let everything = log.len();
    let end = match &page.cursor {
        Some(cursor) => open_cursor(cursor, &seal)?.min(everything),
        None => everything,
    };
    let limit = page.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
    let budget = page.max_chars.unwrap_or(DEFAULT_MAX_CHARS).saturating_sub(ENVELOPE_CHARS);
    let is_open = *query == OperationQuery::default();
    let mut operations = Vec::new();
    let (mut chars, mut last) = (0, end);
    let mut matching = log.below(end, filter.clone());
    let mut left_over = None;
    for (number, envelope) in matching.by_ref() {
        if operations.len() % LOOK_EVERY == 0 {
            ctx.check()?;
        }
        let view = envelope_view(&envelope);
        chars += serde_json::to_string(&view).map_or(0, |text| text.chars().count() + 1);
        if operations.len() == limit || (chars > budget && !operations.is_empty()) {
            left_over = Some(number);
            break;
        }
        operations.push(view);
        last = number;
    }
    // Without a condition every record counts, and none has to be read for it.
    let (total, remaining) = if is_open {
        (everything, left_over.map_or(0, |number| number + 1))
    } else {
        let behind = left_over.map_or(Ok(0), |_| count(ctx, &mut matching).map(|more| more + 1))?;
        let newer = match &page.cursor {
            Some(_) => newer_than(ws, ctx, filter, end)?,
            None => 0,
        };
        (newer + operations.len() as u64 + behind, behind)
    };
    let next_cursor = left_over.map(|_| format!("{seal}{last}"));
    let page = Page { total: whole(total), remaining: whole(remaining), next_cursor };
    Ok(OperationList { operations, page })
}

fn newer_than(ws: &Workspace, ctx: &Context, filter: LogFilter, end: u64) -> Result<u64> {
    let log = OperationLog::open(ws.layout())?;
    let everything = log.len();
    let mut newer = 0;
    for (index, (number, _)) in log.below(everything, filter).enumerate() {
        if index % LOOK_EVERY == 0 {
            ctx.check()?;
        }
        if number < end {
            break;
        }
        newer += 1;
    }
    Ok(newer)
}

fn count(ctx: &Context, records: &mut impl Iterator) -> Result<u64> {
    let mut counted = 0;
    while records.next().is_some() {
        counted += 1;
        if counted % LOOK_EVERY as u64 == 0 {
            ctx.check()?;
        }
    }
    Ok(counted)
}

fn whole(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// `specman_lifecycle_create` and `specman.core.lifecycle.create` are one capability; others have one name.
pub(crate) fn capability(name: &str) -> String {
    match name.strip_prefix("specman_") {
        Some("prompt_catalog") => "specman.core.prompt_catalog".to_owned(),
        Some(rest) => match rest.split_once('_') {
            Some((area, action)) => format!("specman.core.{area}.{action}"),
            None => name.to_owned(),
        },
        None => name.to_owned(),
    }
}

fn seal(ws: &Workspace, query: &OperationQuery) -> String {
    let mut hasher = DefaultHasher::new();
    (ws.root(), query).hash(&mut hasher);
    format!("{:016x}.", hasher.finish())
}

fn open_cursor(cursor: &str, seal: &str) -> Result<u64> {
    cursor.strip_prefix(seal).and_then(|number| number.parse().ok()).ok_or_else(|| {
        Error::invalid_argument(
            "cursor",
            "a `next_cursor` of this list with the same filters",
            "this cursor does not belong to this list",
        )
        .hint("leave `cursor` out to begin with the newest")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_have_one_name_in_the_log() {
        for (given, stored) in [
            ("specman_lifecycle_plan_creation", "specman.core.lifecycle.plan_creation"),
            ("specman.core.lifecycle.create", "specman.core.lifecycle.create"),
            ("specman_prompt_catalog", "specman.core.prompt_catalog"),
            ("spec_create", "spec_create"),
        ] {
            assert_eq!(capability(given), stored);
        }
    }
}
