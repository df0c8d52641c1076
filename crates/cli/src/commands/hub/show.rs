//! How answers of the hub are shown by commands that have `--hub`.

use std::fmt::Write as _;

use serde_json::Value;

use crate::ui::{DIM, HEADING, NAME, one_line, paint};

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}

fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value[name].as_array().into_iter().flatten()
}

/// `1 spec`, `2 specs`.
fn count(number: &Value, one: &str) -> String {
    if number.as_u64() == Some(1) { format!("1 {one}") } else { format!("{number} {one}s") }
}

/// `hewto status --hub`.
pub(crate) fn status(view: &Value) -> String {
    let mut out = String::new();
    for repo in list(view, "repos") {
        let role = paint(DIM, &format!("({})", one_line(text(repo, "role"))));
        let _ = writeln!(out, "{} {role}", paint(HEADING, &one_line(text(repo, "repo"))));
        for one in list(repo, "views") {
            let owner = one["owner"].as_str().map(|owner| format!("{owner}, ")).unwrap_or_default();
            let facts = format!(
                "{owner}{}, {}, {}, version {} of {}",
                count(&one["specs"], "spec"),
                count(&one["requirements"], "requirement"),
                count(&one["changes"], "change"),
                one["version"],
                text(one, "pushed_at")
            );
            let name = format!("{} {}", text(one, "kind"), text(one, "name"));
            let _ = writeln!(out, "  {}  {}", paint(NAME, &one_line(&name)), paint(DIM, &one_line(&facts)));
        }
    }
    out += &overlaps(view);
    for lease in list(view, "leases") {
        let holder = format!(
            "{} in {}, for {} more seconds",
            text(lease, "principal"),
            text(lease, "worktree"),
            lease["left_ms"].as_u64().unwrap_or(0) / 1_000
        );
        let what = format!("{}: {}", text(lease, "repo"), text(lease, "item"));
        let _ =
            writeln!(out, "claimed  {}  {}", paint(NAME, &one_line(&what)), paint(DIM, &one_line(&holder)));
    }
    if out.is_empty() {
        out += "nothing at the hub is open to this token, or nothing was pushed: hewto hub push\n";
    }
    out
}

/// What several changes touch.
pub(crate) fn overlaps(view: &Value) -> String {
    let mut out = String::new();
    for overlap in list(view, "overlaps") {
        let what = format!("{} › {}", text(overlap, "capability"), text(overlap, "requirement"));
        let _ = writeln!(out, "overlap  {}", paint(NAME, &one_line(&what)));
        for one in list(overlap, "touched_by") {
            let owner = one["owner"].as_str().map(|owner| format!("{owner}: ")).unwrap_or_default();
            let line = format!(
                "{} {} by {} in {} {owner}{}",
                text(one, "repo"),
                text(one, "op").to_lowercase(),
                text(one, "change"),
                text(one, "kind"),
                text(one, "view")
            );
            let _ = writeln!(out, "  {}", one_line(&line));
        }
    }
    out
}

/// What hangs on what across repositories.
pub(crate) fn edges(view: &Value) -> String {
    let mut out = String::new();
    for edge in list(view, "edges") {
        let known = if edge["known"] == true { "" } else { ", not at the hub" };
        let line = format!(
            "{}: {} → {}: {} ({}{known})",
            text(edge, "from_repo"),
            text(edge, "from"),
            text(edge, "to_repo"),
            text(edge, "to"),
            text(edge, "kind")
        );
        let _ = writeln!(out, "depends  {}", one_line(&line));
    }
    out
}

/// `hewto search --hub`.
pub(crate) fn found(view: &Value) -> String {
    let mut out = String::new();
    for hit in list(view, "hits") {
        let name = match hit["requirement"].as_str() {
            Some(requirement) => format!("{}: {} › {requirement}", text(hit, "repo"), text(hit, "id")),
            None => format!("{}: {} ({})", text(hit, "repo"), text(hit, "id"), text(hit, "title")),
        };
        let _ = writeln!(
            out,
            "{} {} {}\n    {}",
            paint(DIM, &format!("{:.2}", hit["score"].as_f64().unwrap_or(0.0))),
            paint(NAME, &one_line(&name)),
            paint(DIM, &format!("[{}]", one_line(text(hit, "kind")))),
            one_line(text(hit, "snippet"))
        );
    }
    let count = match view["total"].as_u64().unwrap_or(0) {
        0 => "nothing matches".to_owned(),
        1 => "1 result".to_owned(),
        total => format!("{total} results"),
    };
    let _ = writeln!(out, "{}", paint(DIM, &format!("{count}, ranking: {}", one_line(text(view, "mode")))));
    out
}
