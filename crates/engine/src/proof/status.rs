//! `proof_status`: the table of promises a page at a time, worst first where everything is asked for.

use hewto_core::proof::State;
use hewto_store::Context;

use super::standing::{Query, matrix};
use crate::error::{Error, Result};
use crate::page::{PageRequest, paginate};
use crate::view::{MatrixView, PromiseView};
use crate::workspace::Workspace;

/// Which promises are wanted.
#[derive(Debug, Clone, Default)]
pub struct StatusQuery {
    /// A spec, or `change:ID`.
    pub item: Option<String>,
    pub reference: Option<String>,
    pub state: Option<String>,
    pub since: Option<String>,
    pub page: PageRequest,
}

/// One page of the table.
pub fn status(ws: &Workspace, ctx: &Context, query: &StatusQuery) -> Result<MatrixView> {
    let state = query.state.as_deref().map(parse_state).transpose()?;
    let target = query.reference.clone().or_else(|| query.item.clone());
    let recalls = true;
    let mut view =
        matrix(ws, ctx, &Query { target, since: query.since.clone(), state, recalls, ..Query::default() })?;
    let list = (&query.item, &query.reference, &query.state, &query.since);
    // What is red comes first: that is what there is to do.
    let mut rows: Vec<(String, &PromiseView)> =
        view.rows.iter().map(|row| (format!("{}{}", u8::from(!row.red), row.reference), row)).collect();
    rows.sort_by(|(a, _), (b, _)| a.cmp(b));
    let (rows, page) = paginate(&rows, &query.page, &list, |(key, _)| key, |(_, row)| (*row).clone())?;
    (view.rows, view.page) = (rows, Some(page));
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
