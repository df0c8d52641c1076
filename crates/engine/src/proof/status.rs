//! `proof_status`: the table of promises a page at a time, worst first where everything is asked for.

use std::sync::Arc;

use hewto_core::page;
use hewto_core::proof::matrix::Row;
use hewto_core::proof::{Ref, State};
use hewto_store::Context;
use schemars::JsonSchema;
use serde::Deserialize;

use super::run::has_records;
use super::standing::{Query, Standing};
use crate::error::{Error, Result};
use crate::page::{PageRequest, paginate_by};
use crate::view::MatrixView;
use crate::workspace::Workspace;

/// Which promises are wanted.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false), transform = page::without_max_chars)]
pub struct StatusQuery {
    /// A spec, or change:ID
    #[serde(rename = "spec_id")]
    pub item: Option<String>,
    /// capability#requirement/scenario
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    pub state: Option<String>,
    /// A git revision
    pub since: Option<String>,
    #[serde(flatten)]
    pub page: PageRequest,
}

impl StatusQuery {
    /// What has to be known for it; which state is wanted is for what is shown of that.
    pub(super) fn of_all_states(&self) -> Query {
        let target = self.reference.clone().or_else(|| self.item.clone());
        Query { target, since: self.since.clone(), recalls: true, ..Query::default() }
    }
}

/// One page of the table.
pub fn status(ws: &Workspace, ctx: &Context, query: &StatusQuery) -> Result<MatrixView> {
    let state = wanted_state(query)?;
    let standing = Standing::find(ws, ctx, &query.of_all_states())?;
    paged(ws, ctx, &standing, &in_order(&standing), query, state)
}

/// The places of all rows in the order of the table: what is red comes first, since that is what there is to do.
pub(super) fn in_order(standing: &Standing) -> Vec<usize> {
    let mut keys: Vec<(String, usize)> =
        standing.rows.iter().enumerate().map(|(at, (_, row))| (key(row), at)).collect();
    keys.sort();
    keys.into_iter().map(|(_, at)| at).collect()
}

/// What a row is sorted by.
fn key(row: &Row) -> String {
    format!("{}{}", u8::from(!row.is_red()), row.promise.reference)
}

/// Tests without a tag whose names are like that of a promise without a test; nothing where no run is known.
pub(crate) fn similar_tests(ws: &Workspace, ctx: &Context, reference: &Ref) -> Vec<String> {
    if !has_records(ws).unwrap_or_default() {
        return Vec::new();
    }
    let query = StatusQuery { reference: Some(reference.to_string()), ..StatusQuery::default() };
    let known = status(ws, ctx, &query).ok();
    known.and_then(|view| view.rows.into_iter().next()).map(|row| row.similar).unwrap_or_default()
}

pub(super) fn wanted_state(query: &StatusQuery) -> Result<Option<State>> {
    query.state.as_deref().map(parse_state).transpose()
}

/// One page of what is known: only its own rows are made ready to be shown.
pub(super) fn paged(
    ws: &Workspace,
    ctx: &Context,
    standing: &Standing,
    order: &[usize],
    query: &StatusQuery,
    state: Option<State>,
) -> Result<MatrixView> {
    let (house, chosen) = (standing.house(ws, ctx), standing.choose(state));
    let rows = order.iter().map(|at| &standing.rows[*at]);
    let rows: Vec<&(Arc<str>, Row)> =
        rows.filter(|(_, row)| state.is_none_or(|state| row.state == state)).collect();
    let list = (&query.item, &query.reference, &query.state, &query.since);
    let show = |row: &&(Arc<str>, Row)| chosen.shown(ws, ctx, house.as_deref(), row);
    let (rows, page) = paginate_by(&rows, &query.page, &list, |(_, row)| key(row), show)?;
    let mut view = standing.view_with(ws, ctx, &chosen, rows)?;
    view.page = Some(page);
    view.problems.truncate(20);
    Ok(view)
}

fn parse_state(name: &str) -> Result<State> {
    State::parse(name).ok_or_else(|| {
        let known: Vec<&str> = State::ALL.iter().map(|state| state.as_str()).collect();
        let expected = format!("one of {}", known.join(", "));
        Error::invalid_argument("state", &expected, format!("`{name}` is not a state"))
    })
}
