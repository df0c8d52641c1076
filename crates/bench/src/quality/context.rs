//! Whether what `context_for` gives an agent to read holds the requirement that its task is about.

use std::fmt::Write as _;
use std::path::Path;

use hewto_engine::search::{ContextRequest, context_for};
use hewto_engine::{Context, Start, Workspace};

use super::measures::{Estimate, estimate};
use super::set::{Half, Set, Style};

/// The set as a workspace, each answerable query as a task.
pub(super) fn measure(folder: &Path, set: &Set) -> Result<String, Box<dyn std::error::Error>> {
    let place = tempfile::tempdir()?;
    fs_err::create_dir_all(place.path().join(".hewto"))?;
    fs_err::write(place.path().join(".hewto/config.toml"), "")?;
    for document in &set.documents {
        let own = place.path().join("specs").join(&document.key.id);
        fs_err::create_dir_all(&own)?;
        fs_err::copy(folder.join("specs").join(&document.key.id).join("spec.md"), own.join("spec.md"))?;
    }
    let ws = Workspace::discover(Start::Here(place.path()))?;
    let ctx = Context::background();
    hewto_engine::search::build(&ws, &ctx)?;
    let mut found = Vec::new();
    for query in set.queries.iter().filter(|query| !query.grades.is_empty()) {
        let request = ContextRequest { text: Some(query.text.clone()), ..ContextRequest::default() };
        let view = context_for(&ws, &ctx, &request)?;
        let is_answer = |title: &str, file: &str| {
            query.grades.iter().filter(|(_, grade)| **grade == 2).any(|(name, _)| {
                let (spec, requirement) = name.split_once('#').unwrap_or((name, ""));
                file.contains(&format!("/{spec}/")) && title.ends_with(&format!(": {requirement}"))
            })
        };
        let holds = view.items.iter().any(|item| is_answer(&item.title, &item.file));
        let chars = serde_json::to_string(&view)?.chars().count();
        found.push((query, if holds { 1.0 } else { 0.0 }, view.items.len() as f64, chars as f64));
    }
    let mut out =
        "\n| half | tasks | n | answer among what is to be read (6,000 characters) | items | characters |\n\
                   |---|---|---|---|---|---|\n"
            .to_owned();
    for half in [Half::Tuned, Half::Held] {
        for style in [None, Some(Style::Lexical), Some(Style::Paraphrase), Some(Style::Vague)] {
            let chosen = || {
                found.iter().filter(|(query, ..)| {
                    query.half() == half && style.is_none_or(|style| style == query.style)
                })
            };
            let of = |value: fn(&(f64, f64, f64)) -> f64| -> Estimate {
                let values: Vec<f64> =
                    chosen().map(|(_, holds, items, chars)| value(&(*holds, *items, *chars))).collect();
                estimate(&values)
            };
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {:.1} | {:.0} |",
                half.as_str(),
                style.map_or("all", Style::as_str),
                chosen().count(),
                of(|values| values.0),
                of(|values| values.1).mean,
                of(|values| values.2).mean
            );
        }
    }
    Ok(out)
}
