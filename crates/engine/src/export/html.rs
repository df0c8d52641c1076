//! One page that stands alone: no script, no request, everything escaped, readable on paper.

use std::fmt::Write as _;

use hewto_core::plan::StepStatus;
use hewto_store::SPEC_FILE;

use super::Shape;
use super::collect::{ChangeOut, Collected, DecisionOut, SpecOut, StepOut};
use crate::proof::format::xml;

const STYLE: &str = "body{font:16px/1.55 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:1.5rem;color:#1f2328;background:#fff}\
h1,h2,h3,h4{line-height:1.25}h2{border-bottom:1px solid #d0d7de;padding-bottom:.2rem;margin-top:2.5rem}\
nav ul{columns:2;padding-left:1.2rem}a{color:#0969da}code,.id{font-family:ui-monospace,monospace;font-size:.88em}\
article{border:1px solid #d0d7de;border-radius:6px;padding:.2rem 1rem 1rem;margin:1rem 0}\
.badge{border:1px solid currentColor;border-radius:1rem;padding:0 .5rem;font-size:.8rem;white-space:nowrap}.ok{color:#1a7f37}.no{color:#cf222e}.dim{color:#57606a}\
.text{white-space:pre-wrap;overflow-wrap:anywhere}ul.steps{list-style:none;padding-left:.2rem}table{border-collapse:collapse;width:100%}\
th,td{text-align:left;padding:.25rem .5rem;border-bottom:1px solid #d0d7de;vertical-align:top;overflow-wrap:anywhere}\
@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}h2,article,th,td{border-color:#30363d}a{color:#58a6ff}.ok{color:#3fb950}.no{color:#ff7b72}.dim{color:#8b949e}}\
@media print{article{break-inside:avoid}nav{display:none}}";

pub(super) fn render(all: &Collected, _: Shape) -> Vec<(String, String)> {
    vec![("index.html".to_owned(), page(all))]
}

fn page(all: &Collected) -> String {
    let mut out = String::new();
    let name = xml(&all.name);
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>{name}</title>\n<style>{STYLE}</style></head><body>\n\
<header><h1>{name}</h1>\n<p class=\"dim\">{}, {}, {}; exported {}</p></header>\n",
        count(all.specs.len(), "spec"),
        count(all.changes.len(), "change"),
        count(all.decisions.len(), "decision"),
        xml(&all.at)
    );
    out.push_str("<nav aria-label=\"Contents\"><ul>\n");
    for (id, title) in
        [("coverage", "Coverage"), ("specs", "Specs"), ("changes", "Changes"), ("decisions", "Decisions")]
    {
        let _ = writeln!(out, "<li><a href=\"#{id}\">{title}</a></li>");
    }
    for (at, spec) in all.specs.iter().enumerate() {
        let _ = writeln!(out, "<li><a href=\"#spec-{at}\">{}</a></li>", xml(&spec.title));
    }
    out.push_str("</ul></nav>\n<main>\n");
    coverage(&mut out, all);
    out.push_str("<h2 id=\"specs\">Specs</h2>\n");
    for (at, one) in all.specs.iter().enumerate() {
        spec(&mut out, all, at, one);
    }
    out.push_str("<h2 id=\"changes\">Changes</h2>\n");
    for one in &all.changes {
        change(&mut out, one);
    }
    out.push_str("<h2 id=\"decisions\">Decisions</h2>\n");
    for one in &all.decisions {
        decision(&mut out, one);
    }
    if !all.documents.is_empty() {
        out.push_str("<h2 id=\"documents\">Documents</h2>\n");
    }
    for (path, text) in &all.documents {
        let _ = writeln!(
            out,
            "<details><summary class=\"id\">{}</summary><div class=\"text\">{}</div></details>",
            xml(path),
            xml(text)
        );
    }
    out.push_str("</main></body></html>\n");
    out
}

fn coverage(out: &mut String, all: &Collected) {
    out.push_str("<h2 id=\"coverage\">Coverage</h2>\n");
    let Some(view) = &all.coverage else {
        out.push_str("<p class=\"dim\">Nothing is known of what proves the promises.</p>\n");
        return;
    };
    let _ = writeln!(out, "<p>{}</p>", xml(&view.summary.line));
    let mut specs: Vec<(&str, usize, usize)> = Vec::new();
    for row in &view.rows {
        let kept = usize::from(row.state == hewto_core::proof::State::Verified);
        match specs.last_mut() {
            Some((name, all, verified)) if *name == row.reference.capability() => {
                *all += 1;
                *verified += kept;
            }
            _ => specs.push((row.reference.capability(), 1, kept)),
        }
    }
    if specs.is_empty() {
        return;
    }
    out.push_str("<table><thead><tr><th scope=\"col\">spec</th><th scope=\"col\">promises</th><th scope=\"col\">verified</th></tr></thead><tbody>\n");
    for (name, all, verified) in specs {
        let class = if all == verified { "ok" } else { "no" };
        let _ = writeln!(
            out,
            "<tr><td class=\"id\">{}</td><td>{all}</td><td class=\"{class}\">{verified}</td></tr>",
            xml(name)
        );
    }
    out.push_str("</tbody></table>\n");
}

fn spec(out: &mut String, all: &Collected, at: usize, spec: &SpecOut) {
    let _ = write!(
        out,
        "<article id=\"spec-{at}\"><h3>{} <span class=\"badge dim\">{}</span></h3>\n<p class=\"id dim\">{}</p>\n",
        xml(&spec.title),
        xml(&spec.state),
        xml(&spec.id)
    );
    if !spec.purpose.is_empty() {
        let _ = writeln!(out, "<p>{}</p>", xml(&spec.purpose));
    }
    for one in &spec.requirements {
        let _ = writeln!(
            out,
            "<section><h4>{} <span class=\"id dim\">{}</span></h4>\n<p>{}</p>",
            xml(&one.name),
            xml(&one.id),
            xml(&one.text)
        );
        for scenario in &one.scenarios {
            let wanted = hewto_core::proof::Ref::new(&spec.id, &one.id, Some(&scenario.id));
            let badge = all.proof.get(&wanted).map_or_else(String::new, |(state, red)| {
                let class = if *red { "no" } else { "ok" };
                format!(" <span class=\"badge {class}\">{}</span>", xml(state.as_str()))
            });
            let _ = writeln!(
                out,
                "<p><strong>{}</strong>{badge}</p>\n<div class=\"text\">{}</div>",
                xml(&scenario.name),
                xml(&unmarked(&scenario.text))
            );
        }
        out.push_str("</section>\n");
    }
    if spec.requirements.is_empty()
        && let Some(text) = spec.files.get(SPEC_FILE)
    {
        let _ = writeln!(out, "<div class=\"text\">{}</div>", xml(text));
    }
    if !spec.steps.is_empty() {
        out.push_str("<h4>Plan</h4>\n");
        steps(out, &spec.steps);
    }
    out.push_str("</article>\n");
}

fn steps(out: &mut String, all: &[StepOut]) {
    out.push_str("<ul class=\"steps\">\n");
    for step in all {
        let (mark, class) = if step.status == StepStatus::Completed { ("☑", "ok") } else { ("☐", "dim") };
        let _ = writeln!(
            out,
            "<li><span class=\"{class}\" title=\"{}\">{mark}</span> {}</li>",
            xml(step.status.as_str()),
            xml(&step.title)
        );
    }
    out.push_str("</ul>\n");
}

fn change(out: &mut String, change: &ChangeOut) {
    let state = if change.archived { "archived" } else { "open" };
    let _ = write!(
        out,
        "<article><h3>{} <span class=\"badge dim\">{state}</span></h3>\n<p class=\"id dim\">{}</p>\n",
        xml(&change.title),
        xml(&change.id)
    );
    for (title, text) in [("Why", &change.why), ("What changes", &change.what_changes)] {
        if !text.is_empty() {
            let _ = writeln!(out, "<h4>{title}</h4>\n<div class=\"text\">{}</div>", xml(text));
        }
    }
    if !change.tasks.is_empty() {
        out.push_str("<h4>Tasks</h4>\n");
        steps(out, &change.tasks);
    }
    for (name, text) in
        change.files.iter().filter(|(name, _)| name.starts_with("specs/") && name.ends_with(".md"))
    {
        let _ = writeln!(
            out,
            "<details><summary class=\"id\">{}</summary><div class=\"text\">{}</div></details>",
            xml(name),
            xml(text)
        );
    }
    out.push_str("</article>\n");
}

fn decision(out: &mut String, one: &DecisionOut) {
    let alias = one.alias.as_ref().map(|alias| format!(" ({alias})")).unwrap_or_default();
    let _ = write!(
        out,
        "<article><h3>{}</h3>\n<p class=\"id dim\">{}{} {}</p>\n",
        xml(&one.title),
        xml(&one.id),
        xml(&alias),
        xml(&one.date)
    );
    if !one.supersedes.is_empty() {
        let _ =
            writeln!(out, "<p>Supersedes <span class=\"id\">{}</span></p>", xml(&one.supersedes.join(", ")));
    }
    let _ = writeln!(
        out,
        "<details><summary>Text</summary><div class=\"text\">{}</div></details></article>",
        xml(&one.text)
    );
}

/// Steps without emphasis and pins, for people.
fn unmarked(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("<!--"));
    lines.map(|line| line.replace("**", "")).collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
