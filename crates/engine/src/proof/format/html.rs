//! One page that stands alone: no script, no request, readable without colour.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::escape::xml;
use super::{place_cell, result_cell, state_cell};
use crate::view::{MatrixView, PromiseView};

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#1f2328;background:#fff}\
table{border-collapse:collapse;width:100%;margin:0 0 2rem}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #d0d7de;vertical-align:top}\
td{font-family:ui-monospace,monospace;font-size:13px;overflow-wrap:anywhere}caption{text-align:left;font-weight:600;font-size:1.1rem;padding:.5rem 0}\
.red{color:#cf222e;font-weight:600}.kept{color:#1a7f37}.debt{color:#9a6700}\
@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}th,td{border-color:#30363d}.red{color:#ff7b72}.kept{color:#3fb950}.debt{color:#d29922}}";

/// The table as a page.
pub fn html(view: &MatrixView) -> String {
    let mut out = String::with_capacity(view.rows.len() * 256 + 4096);
    let verdict = if view.green { "green" } else { "red" };
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>Proof: {verdict}</title>\n<style>{STYLE}</style></head><body>\n\
<h1>Proof: {verdict}</h1>\n<p>{}</p>\n",
        xml(&view.summary.line)
    );
    if !view.problems.is_empty() {
        out.push_str("<h2>Problems</h2>\n<ul>\n");
        for problem in &view.problems {
            let _ = writeln!(
                out,
                "<li><code>{}:{}</code> {} <em>{}</em></li>",
                xml(&problem.path),
                problem.line,
                xml(&problem.message),
                xml(&problem.hint)
            );
        }
        out.push_str("</ul>\n");
    }
    let mut capabilities: BTreeMap<&str, Vec<&PromiseView>> = BTreeMap::new();
    for row in &view.rows {
        capabilities.entry(row.reference.capability()).or_default().push(row);
    }
    for (capability, rows) in capabilities {
        let _ = write!(
            out,
            "<table><caption>{}</caption>\n<thead><tr><th scope=\"col\">promise</th><th scope=\"col\">code</th><th scope=\"col\">test</th><th scope=\"col\">result</th><th scope=\"col\">state</th></tr></thead><tbody>\n",
            xml(capability)
        );
        for row in rows {
            let class = match () {
                () if row.red => "red",
                () if row.debt.is_some() => "debt",
                () => "kept",
            };
            let _ = writeln!(
                out,
                "<tr><td title=\"{}\">{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"{class}\">{}</td></tr>",
                xml(row.scenario.as_deref().unwrap_or(&row.requirement)),
                xml(&row.reference.within_capability()),
                xml(&place_cell(&row.code)),
                xml(&place_cell(&row.tests)),
                result_cell(row),
                xml(&state_cell(row)),
            );
        }
        out.push_str("</tbody></table>\n");
    }
    out.push_str("</body></html>\n");
    out
}
