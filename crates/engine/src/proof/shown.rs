//! Promises and runs as people see them.

use std::sync::Arc;

use hewto_core::proof::matrix::{Debt, Row, UntaggedTests};
use hewto_core::proof::{RunEvidence, tag_line};
use hewto_store::Context;

use super::standing::Standing;
use super::then_words;
use crate::view::{MatrixRunView, PlaceView, PromiseView};
use crate::workspace::Workspace;

/// Rows that somebody asked for.
pub(super) struct Chosen<'s> {
    pub(super) rows: Vec<&'s (Arc<str>, Row)>,
    pub(super) filtered: bool,
    /// Tests that may be meant for promises without one, where few are asked for.
    untagged: UntaggedTests,
}

impl<'s> Chosen<'s> {
    pub(super) fn new(standing: &'s Standing, rows: Vec<&'s (Arc<str>, Row)>, filtered: bool) -> Self {
        let is_asked =
            rows.len() <= then_words::MOST_ROWS && rows.iter().any(|(_, row)| row.tests.is_empty());
        let cases = standing.runs.iter().filter(|_| is_asked).flat_map(|run| &run.cases);
        let untagged = UntaggedTests::of(cases, &standing.survey.links);
        Self { rows, filtered, untagged }
    }

    pub(super) fn shown(
        &self,
        ws: &Workspace,
        ctx: &Context,
        house: Option<&str>,
        (file, row): &(Arc<str>, Row),
    ) -> PromiseView {
        let mut view = promise_view(file, row, house);
        if self.rows.len() <= then_words::MOST_ROWS {
            view.notes.extend(then_words::note(ws, ctx, row));
        }
        if row.tests.is_empty() {
            let heading = row.promise.scenario.as_deref().unwrap_or(&row.promise.requirement);
            view.similar = self.untagged.like(heading);
        }
        view
    }
}

/// A row of the table.
fn promise_view(file: &str, row: &Row, house: Option<&str>) -> PromiseView {
    let beside = row.tests.first().or_else(|| row.code.first()).map(|link| link.path.as_str()).or(house);
    PromiseView {
        reference: row.promise.reference.clone(),
        requirement: row.promise.requirement.to_string(),
        scenario: row.promise.scenario.as_deref().map(str::to_owned),
        file: file.to_owned(),
        line: row.promise.line,
        state: row.state,
        reason: row.reason.to_string(),
        red: row.is_red(),
        debt: row.debt.as_ref().map(|debt| match debt {
            Debt::Baseline => "baseline".to_owned(),
            Debt::Waived { until, .. } => format!("waived until {until}"),
        }),
        code: row.code.iter().map(PlaceView::from).collect(),
        tests: row.tests.iter().map(PlaceView::from).collect(),
        result: row.result,
        run: row.run.clone(),
        fresh: row.fresh,
        exact: row.exact,
        tag: tag_line(beside, &row.promise.reference),
        similar: Vec::new(),
        notes: Vec::new(),
    }
}

/// A run that the table rests on.
pub(super) fn run_view(run: &RunEvidence) -> MatrixRunView {
    MatrixRunView { run: run.run.clone(), check: run.check.clone(), at: run.at.clone(), exact: run.exact }
}
