//! JUnit XML: a suite for each capability, a case for each scenario; known debt is skipped.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::escape::xml;
use super::{rule, sentence};
use crate::view::{MatrixView, PromiseView};

/// The table as a report of tests.
pub fn junit(view: &MatrixView) -> String {
    let mut suites: BTreeMap<&str, Vec<&PromiseView>> = BTreeMap::new();
    for row in &view.rows {
        suites.entry(row.reference.capability()).or_default().push(row);
    }
    let count = |rows: &[&PromiseView]| {
        let red = rows.iter().filter(|row| row.red).count();
        (rows.len(), red, rows.iter().filter(|row| row.debt.is_some()).count())
    };
    let all: Vec<&PromiseView> = view.rows.iter().collect();
    let (tests, failures, _) = count(&all);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<testsuites name=\"hewto proof\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" time=\"0\">"
    );
    for (capability, rows) in suites {
        let (tests, failures, skipped) = count(&rows);
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"0\">",
            xml(capability)
        );
        for row in rows {
            case(&mut out, row);
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn case(out: &mut String, row: &PromiseView) {
    let name = xml(&row.reference.within_capability());
    let class = xml(row.reference.capability());
    let _ = write!(out, "    <testcase name=\"{name}\" classname=\"{class}\" time=\"0\">");
    if let Some(debt) = &row.debt {
        let _ = write!(out, "<skipped message=\"{}\"/>", xml(&format!("{} ({debt})", sentence(row))));
    } else if row.red {
        let _ = write!(
            out,
            "<failure type=\"{}\" message=\"{}\">{}:{}: {}</failure>",
            xml(&rule(row)),
            xml(&sentence(row)),
            xml(&row.file),
            row.line,
            xml(&sentence(row))
        );
    }
    let _ = writeln!(out, "<system-out>{}:{}</system-out></testcase>", xml(&row.file), row.line);
}
