//! `operations.inspect`: what was done in a workspace or repository, newest first, across rotated logs.

use hewto_core::page::seal;
use hewto_core::schema::one_of;
use hewto_store::{Context, Descending, Layout, LogFilter, OperationLog, OperationStatus, Sees};
use jiff::{SignedDuration, Timestamp};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use crate::artifact::envelope_view;
use crate::error::{Error, Result};
use crate::page::{PageRequest, foreign_cursor, room};
use crate::view::{OperationList, Page};

/// How many records are counted before the clock is looked at.
const LOOK_EVERY: usize = 1024;

/// Which operations are wanted; every condition has to hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
pub struct OperationQuery {
    pub session_id: Option<String>,
    /// A tool, in either spelling
    pub capability_id: Option<String>,
    #[serde(default)]
    #[schemars(schema_with = "statuses")]
    pub status: Option<String>,
    /// RFC 3339, a day, or an age such as 2h
    pub since: Option<String>,
    pub until: Option<String>,
}

fn statuses(_: &mut SchemaGenerator) -> Schema {
    one_of(OperationStatus::ALL.map(OperationStatus::as_str))
}

/// A page of operations.
pub fn inspect(
    layout: &Layout,
    ctx: &Context,
    query: &OperationQuery,
    page: &PageRequest,
) -> Result<OperationList> {
    let filter = query.filter(ctx)?;
    let seal = seal(&(layout.root(), query));
    let log = OperationLog::open(layout)?;
    let everything = log.len();
    let end = match &page.cursor {
        Some(cursor) => open_cursor(cursor, &seal)?.min(everything),
        None => everything,
    };
    let (limit, mut room) = (page.limit(), room(page));
    let is_open = *query == OperationQuery::default() && filter.principal.is_none();
    let mut operations = Vec::new();
    let mut last = end;
    let mut matching = log.below(end, filter.clone());
    let mut left_over = None;
    for (number, envelope) in matching.by_ref() {
        if operations.len() % LOOK_EVERY == 0 {
            ctx.check()?;
        }
        let view = envelope_view(&envelope);
        if operations.len() == limit || !room.takes(&view) {
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
        let behind = left_over.map_or(Ok(0), |_| count(ctx, &mut matching, 0).map(|more| more + 1))?;
        let newer = match &page.cursor {
            Some(_) => newer_than(layout, ctx, filter, end)?,
            None => 0,
        };
        (newer + operations.len() as u64 + behind, behind)
    };
    let next_cursor = left_over.map(|_| format!("{seal}{last}"));
    let page = Page { total: whole(total), remaining: whole(remaining), next_cursor };
    Ok(OperationList { operations, page })
}

fn newer_than(layout: &Layout, ctx: &Context, filter: LogFilter, end: u64) -> Result<u64> {
    let log = OperationLog::open(layout)?;
    let everything = log.len();
    count(ctx, &mut log.below(everything, filter), end)
}

/// How many records follow, down to a number.
fn count(ctx: &Context, records: &mut Descending, end: u64) -> Result<u64> {
    let mut counted = 0;
    while records.next_number().is_some_and(|number| number >= end) {
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
fn capability(name: &str) -> String {
    match name.strip_prefix("specman_") {
        Some("prompt_catalog") => "specman.core.prompt_catalog".to_owned(),
        Some(rest) => match rest.split_once('_') {
            Some((area, action)) => format!("specman.core.{area}.{action}"),
            None => name.to_owned(),
        },
        None => name.to_owned(),
    }
}

impl OperationQuery {
    /// What the log is asked for.
    pub(crate) fn filter(&self, ctx: &Context) -> Result<LogFilter> {
        Ok(LogFilter {
            since: self.since.as_deref().map(|text| time(ctx, "since", text)).transpose()?,
            until: self.until.as_deref().map(|text| time(ctx, "until", text)).transpose()?,
            session_id: self.session_id.clone(),
            capability_id: self.capability_id.as_deref().map(capability),
            status: self.status.as_deref().map(status).transpose()?,
            principal: only_own(ctx),
        })
    }
}

/// Who may not see everything sees what they did themselves; nobody in particular has done nothing.
fn only_own(ctx: &Context) -> Option<String> {
    let caller = ctx.caller();
    (caller.sees == Sees::Own).then(|| caller.principal.clone().unwrap_or_default())
}

/// A moment, the beginning of a day, or how long ago: `90m`, `2h`, `7d`.
fn time(ctx: &Context, field: &str, text: &str) -> Result<Timestamp> {
    let text = text.trim();
    let day = || format!("{text}T00:00:00Z").parse();
    text.parse().ok().or_else(|| day().ok()).or_else(|| ctx.now().checked_sub(age(text)?).ok()).ok_or_else(
        || {
            Error::invalid_argument(
                field,
                "a time such as 2026-01-24T10:00:00Z, a day, or an age such as 2h or 7d",
                format!("`{}` is not a time", text.escape_debug()),
            )
            .hint("write a time such as 2026-01-24T10:00:00Z, a day, or an age such as 2h or 7d")
        },
    )
}

fn age(text: &str) -> Option<SignedDuration> {
    let unit = text.chars().last()?;
    let hours = match unit {
        'm' => return Some(SignedDuration::from_mins(count_of(text, unit)?.into())),
        'h' => 1,
        'd' => 24,
        _ => return None,
    };
    Some(SignedDuration::from_hours(i64::from(count_of(text, unit)?) * hours))
}

fn count_of(text: &str, unit: char) -> Option<u32> {
    text.strip_suffix(unit)?.parse().ok()
}

fn status(text: &str) -> Result<OperationStatus> {
    text.parse().map_err(|_| {
        let known = OperationStatus::ALL.map(OperationStatus::as_str).join(", ");
        Error::invalid_argument("status", &format!("one of {known}"), format!("`{text}` is not a status"))
            .hint(format!("use one of {known}"))
    })
}

fn open_cursor(cursor: &str, seal: &str) -> Result<u64> {
    let number = cursor.strip_prefix(seal).and_then(|number| number.parse().ok());
    number.ok_or_else(|| foreign_cursor().hint("leave `cursor` out to begin with the newest"))
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

    #[test]
    fn a_time_is_a_moment_a_day_or_an_age() {
        let now: Timestamp = "2026-01-24T14:30:00Z".parse().unwrap();
        let ctx = Context::background().with_clock(hewto_store::Clock::fixed(now));
        for (text, expected) in [
            ("2026-01-24T10:00:00+02:00", "2026-01-24T08:00:00Z"),
            ("2026-01-23", "2026-01-23T00:00:00Z"),
            ("90m", "2026-01-24T13:00:00Z"),
            ("7d", "2026-01-17T14:30:00Z"),
        ] {
            assert_eq!(time(&ctx, "since", text).unwrap(), expected.parse().unwrap(), "{text}");
        }
        for text in ["", "d", "-1h", "4294967295d", "99999999999999h", "yesterday", "1é"] {
            assert!(time(&ctx, "since", text).is_err(), "{text}");
        }
    }
}
