//! The names of what a project depends on, as its manifest lists them.

use std::collections::BTreeSet;

use serde_json::Value;
use toml_edit::{Item, TableLike};

/// The dependencies that a manifest names, in lower case; none where it cannot be read.
pub(super) fn dependencies(file: &str, text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
    match (file, extension) {
        (_, "json") => of_json(text, &mut names),
        ("Pipfile", _) | (_, "toml") => of_toml(text, &mut names),
        (_, "txt") => names.extend(text.lines().filter_map(requirement)),
        ("go.mod", _) => names.extend(text.split_whitespace().filter(|word| word.contains('/')).map(module)),
        (_, "yml" | "yaml") => names.extend(text.lines().filter_map(image)),
        _ => of_code(text, &mut names),
    }
    names
}

fn of_json(text: &str, names: &mut BTreeSet<String>) {
    let Ok(Value::Object(manifest)) = serde_json::from_str(text) else { return };
    for key in [
        "dependencies",
        "devDependencies",
        "peerDependencies",
        "optionalDependencies",
        "require",
        "require-dev",
    ] {
        if let Some(Value::Object(listed)) = manifest.get(key) {
            names.extend(listed.keys().map(|name| name.to_lowercase()));
        }
    }
}

fn of_toml(text: &str, names: &mut BTreeSet<String>) {
    if let Ok(document) = text.parse::<toml_edit::DocumentMut>() {
        // A tool that is configured is used.
        let tools = document.get("tool").and_then(Item::as_table_like);
        names
            .extend(tools.into_iter().flat_map(|tools| tools.iter()).map(|(name, _)| format!("tool.{name}")));
        of_table(document.as_table(), false, names);
    }
}

/// Tables called dependencies have them as keys; lists have them as requirements.
fn of_table(table: &dyn TableLike, lists: bool, names: &mut BTreeSet<String>) {
    for (key, item) in table.iter() {
        let is_list =
            key.ends_with("dependencies") || matches!(key, "packages" | "dev-packages" | "dependency-groups");
        if let Some(inner) = item.as_table_like() {
            if is_list {
                names.extend(inner.iter().map(|(name, _)| name.to_lowercase()));
            }
            of_table(inner, lists || is_list, names);
        } else if let Some(array) = item.as_array().filter(|_| lists || is_list) {
            names.extend(array.iter().filter_map(|value| requirement(value.as_str()?)));
        } else if let Item::ArrayOfTables(tables) = item {
            tables.iter().for_each(|inner| of_table(inner, lists, names));
        }
    }
}

/// The name at the head of a requirement: `FastAPI[all]>=0.1` is `fastapi`.
fn requirement(line: &str) -> Option<String> {
    let line = line.trim();
    let end = line
        .find(|ch: char| !(ch.is_ascii_alphanumeric() || matches!(ch, '-' | '_' | '.')))
        .unwrap_or(line.len());
    (end > 0).then(|| line[..end].to_lowercase())
}

/// A module's path without the version at its end.
fn module(path: &str) -> String {
    let path = path.to_lowercase();
    match path.rsplit_once("/v") {
        Some((head, version)) if version.bytes().all(|byte| byte.is_ascii_digit()) => head.to_owned(),
        _ => path,
    }
}

/// The image of a service without registry, tag and digest.
fn image(line: &str) -> Option<String> {
    let name = line.trim().strip_prefix("image:")?.trim().trim_matches(['"', '\'']);
    let name = name.split(['@', ' ']).next()?;
    let name = match name.rsplit_once(':') {
        Some((head, tag)) if !tag.contains('/') => head,
        _ => name,
    };
    let name = name.strip_prefix("docker.io/").unwrap_or(name);
    Some(name.strip_prefix("library/").unwrap_or(name).to_lowercase())
}

/// Names in a manifest that is a program or XML: whatever stands between quotes or brackets, comments aside.
fn of_code(text: &str, names: &mut BTreeSet<String>) {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#') && !line.starts_with("//"));
    for line in lines {
        let words = line.split(|ch: char| {
            ch.is_whitespace() || matches!(ch, '"' | '\'' | '<' | '>' | '(' | ')' | ',' | '{' | '}')
        });
        for word in words {
            names.extend(word.split(':').filter(|part| !part.is_empty()).map(str::to_lowercase));
        }
    }
}
