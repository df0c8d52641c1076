//! What the checks find in specs and in changes, under each dialect.

mod changes;
mod specs;

use super::*;
use crate::diagnostic::Severity;
use crate::document::Document;

const PURPOSE: &str = "## Purpose\n\nTo keep strangers out and to let friends in, by day and by night.\n\n";

/// The issues of a text as `code@line`, errors with `!`, warnings with `?`, remarks bare.
fn told<'i>(issues: impl IntoIterator<Item = &'i Issue>) -> Vec<String> {
    let one = |issue: &Issue| {
        let mark = match issue.diagnostic.severity {
            Severity::Error => "!",
            Severity::Warning => "?",
            Severity::Info => "",
        };
        format!("{mark}{}@{}", issue.diagnostic.code, issue.diagnostic.line)
    };
    issues.into_iter().map(one).collect()
}
