//! Readers against texts in the shape of their tools. The versions that the shapes were read from stand in each file.

mod formats;
mod hostile;
mod lossless;
mod sentences;
mod shapes;

use super::render::{SpecMeta, plan, spec};
use super::{Bundle, Format, Item, SourceFile};

fn file(path: &str, text: &str) -> SourceFile {
    SourceFile { path: path.to_owned(), text: text.to_owned() }
}

fn read(format: Format, files: &[(&str, &str)]) -> Bundle {
    let files: Vec<SourceFile> = files.iter().map(|(path, text)| file(path, text)).collect();
    format.read(&files)
}

fn meta(id: &str) -> SpecMeta<'_> {
    SpecMeta { id, from: "a tool", dependencies: Vec::new(), now: "2026-01-24T10:00:00Z" }
}

fn spec_of(item: &Item) -> String {
    spec(item, &meta(&item.id)).expect("it reads back")
}

fn plan_of(item: &Item) -> String {
    plan(item, &meta(&item.id)).unwrap_or_default()
}

/// Everything that an import writes or reports, as one text.
fn told(bundle: &Bundle) -> String {
    let mut out = String::new();
    for item in &bundle.items {
        let text =
            spec(item, &meta(&item.id)).or_else(|| spec(&super::render::as_prose(item), &meta(&item.id)));
        out.push_str(&text.expect("prose reads back"));
        out.push_str(&plan_of(item));
        out.push_str(item.alias.as_deref().unwrap_or_default());
        out.push_str(&item.depends_on.join(" "));
        out.extend(item.state.iter().map(|(_, said)| format!(" {said} ")));
        out.extend(item.files.iter().map(|file| format!("\n{}\n{}\n", file.to, file.text)));
    }
    for decision in &bundle.decisions {
        let uid = "20250108T143512.237Z-A001".parse().unwrap();
        let files = std::collections::BTreeMap::new();
        let date = decision.date.clone().unwrap_or_default();
        let links =
            super::Links { uid: &uid, previous: None, supersedes: Vec::new(), date: &date, files: &files };
        out.push_str(&super::render_decision(decision, &links));
    }
    for change in &bundle.changes {
        out.extend(change.files.iter().map(|file| format!("\n{}\n{}\n", file.to, file.text)));
    }
    out.extend(bundle.documents.iter().map(|file| format!("\n{}\n{}\n", file.to, file.text)));
    out.extend(bundle.left_out.iter().map(|one| format!("\n{} {} {}\n", one.file, one.text, one.why)));
    out
}
