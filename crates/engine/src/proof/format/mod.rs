//! The table of promises in the forms that others read.

mod badge;
mod escape;
pub(crate) use escape::xml;
mod github;
mod html;
mod junit;
mod markdown;
mod sarif;

pub use badge::badge;
pub use github::{annotations, step_summary};
pub use html::html;
pub use junit::junit;
pub use markdown::markdown;
pub use sarif::sarif;

use crate::view::{PlaceView, PromiseView};

/// The key of what is wrong with a promise.
fn rule(row: &PromiseView) -> String {
    format!("promise_{}", row.state)
}

/// What is wrong with a promise, in a sentence.
fn sentence(row: &PromiseView) -> String {
    let state = row.state.as_str().replace('_', " ");
    match row.reason.as_str() {
        "" => format!("{} is {state}", row.reference),
        reason => format!("{} is {state}: {reason}", row.reference),
    }
}

/// The state with why, as tables show it.
fn state_cell(row: &PromiseView) -> String {
    let state = row.state.as_str().replace('_', " ");
    let why = match row.state {
        hewto_core::proof::State::Stale | hewto_core::proof::State::Suspect => format!(": {}", row.reason),
        _ => String::new(),
    };
    match &row.debt {
        Some(debt) => format!("{state} ({debt})"),
        None => format!("{state}{why}"),
    }
}

/// The first of several places, and how many more there are.
fn place_cell(places: &[PlaceView]) -> String {
    match places {
        [] => "–".to_owned(),
        [one] => format!("{}:{}", one.path, one.line),
        [first, rest @ ..] => format!("{}:{} +{}", first.path, first.line, rest.len()),
    }
}

fn result_cell(row: &PromiseView) -> &'static str {
    match row.result {
        Some(hewto_core::proof::CaseOutcome::Passed) => "passed",
        Some(hewto_core::proof::CaseOutcome::Failed) => "failed",
        Some(hewto_core::proof::CaseOutcome::Skipped) => "skipped",
        None => "–",
    }
}

#[cfg(test)]
mod junit_schema;
#[cfg(test)]
mod tests;
