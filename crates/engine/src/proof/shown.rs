//! Promises and runs as people see them.

use hewto_core::proof::matrix::{Debt, Row};
use hewto_core::proof::{RunEvidence, tag_line};

use crate::view::{MatrixRunView, PlaceView, PromiseView};

/// A row of the table.
pub(super) fn promise_view(file: &str, row: &Row, house: Option<&str>) -> PromiseView {
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
        notes: Vec::new(),
    }
}

/// A run that the table rests on.
pub(super) fn run_view(run: &RunEvidence) -> MatrixRunView {
    MatrixRunView { run: run.run.clone(), check: run.check.clone(), at: run.at.clone(), exact: run.exact }
}
