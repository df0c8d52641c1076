//! What is open where no gate holds: told to people as it is to agents.

use std::fmt::Write as _;

use hewto_engine::view::{LackView, OpenPoint};

use crate::ui::{DIM, WARN, one_line, paint};

/// So many promises are named; `hewto proof` has all of them.
const SHOWN: usize = 5;

/// Lines for what a stricter policy would refuse.
pub(crate) fn open(points: &[OpenPoint]) -> String {
    let mut out = String::new();
    for point in points {
        let _ = writeln!(out, "{} {}", paint(WARN, "note:"), one_line(&point.message));
        let _ = writeln!(out, "  hint: {}", one_line(&point.hint));
    }
    out
}

/// Lines for what was promised and no run has shown, with the line that links a test.
pub(crate) fn lacking(lacks: &[LackView]) -> String {
    let mut out = String::new();
    for lack in lacks.iter().take(SHOWN) {
        let _ = writeln!(out, "{} {}", paint(WARN, "not proven:"), one_line(&lack.told()));
        if let Some(tag) = &lack.tag {
            let _ = writeln!(out, "  {}", paint(DIM, &one_line(tag)));
        }
    }
    if lacks.len() > SHOWN {
        let _ = writeln!(out, "and {} more: hewto proof", lacks.len() - SHOWN);
    }
    out
}
