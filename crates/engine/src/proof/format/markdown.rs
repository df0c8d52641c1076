//! A table for pull requests and READMEs.

use std::fmt::Write;

use super::escape::{markdown as escaped, markdown_code};
use super::{place_cell, result_cell, state_cell};
use crate::view::{MatrixView, PlaceView, ProblemSeverity};

/// The table with its summary and what is wrong beside it.
pub fn markdown(view: &MatrixView) -> String {
    let mut out = String::new();
    let verdict = if view.green { "green" } else { "red" };
    let _ = writeln!(out, "**Proof: {verdict}.** {}\n", escaped(&view.summary.line));
    out.push_str("| promise | code | test | result | state |\n|---|---|---|---|---|\n");
    for row in &view.rows {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            markdown_code(&row.reference.to_string()),
            place(&row.code),
            place(&row.tests),
            result_cell(row),
            escaped(&state_cell(row)),
        );
    }
    let told: Vec<_> =
        view.problems.iter().filter(|problem| problem.severity != ProblemSeverity::Info).collect();
    if !told.is_empty() {
        out.push('\n');
        for problem in told {
            let _ = writeln!(
                out,
                "- {}:{}: {} ({})",
                markdown_code(&problem.path),
                problem.line,
                escaped(&problem.message),
                escaped(&problem.hint)
            );
        }
    }
    out
}

fn place(places: &[PlaceView]) -> String {
    if places.is_empty() { "–".to_owned() } else { markdown_code(&place_cell(places)) }
}
