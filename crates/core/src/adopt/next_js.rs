//! Next.js: routes are where files are.

use super::paths::route;
use super::source::Source;
use super::{Kind, Sighting};

const METHODS: [&str; 7] = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];

pub(super) fn read(source: &Source<'_>, found: &mut Vec<Sighting>) {
    if !source.is("javascript") {
        return;
    }
    let (folder, file) = source.path.rsplit_once('/').unwrap_or(("", source.path));
    let stem = file.split('.').next().unwrap_or_default();
    let below = |name: &str| -> Option<&str> {
        let at = format!("/{folder}/");
        let start = at.rfind(&format!("/{name}/"))? + name.len() + 1;
        // Indexes are of the text with a slash before it.
        folder.get(start.min(folder.len())..)
    };
    let mut push = |method: &str, path: &str, line: u32| {
        let name = format!("{method} {path}");
        found.push(Sighting { kind: Kind::Route, name, line, by: "next.js", handler: None });
    };
    if let Some(path) = below("app").filter(|_| stem == "route" || stem == "page") {
        let path = route("", &without_groups(path));
        if stem == "page" {
            let line =
                (0..source.len()).find(|&at| source.is_word(at, "default")).map_or(1, |at| source.line(at));
            push("GET", &path, line);
            return;
        }
        for at in 0..source.len() {
            let Some(method) = source.word(at).filter(|word| METHODS.contains(word)) else { continue };
            let back = at.saturating_sub(4)..at;
            if back.rev().any(|at| source.is_word(at, "export")) {
                push(method, &path, source.line(at));
            }
        }
    } else if let Some(path) =
        below("pages").filter(|path| path.starts_with("/api") || path.starts_with("api") || path.is_empty())
    {
        let is_api = format!("/{}", path.trim_start_matches('/')).starts_with("/api");
        if is_api && source.text.contains("export default") {
            let own = if stem == "index" { String::new() } else { format!("/{stem}") };
            let line =
                (0..source.len()).find(|&at| source.is_word(at, "default")).map_or(1, |at| source.line(at));
            push("ANY", &route("", &format!("{path}{own}")), line);
        }
    }
}

/// Folders in brackets group files and are no part of the path; those with an `@` are slots.
fn without_groups(path: &str) -> String {
    let parts =
        path.split('/').filter(|part| !part.starts_with('(') && !part.starts_with('@') && !part.is_empty());
    parts.fold(String::new(), |route, part| route + "/" + part)
}
