//! `context_for`: what an agent should read before it starts on a task or touches files.
//!
//! The task's words and the files' names are questions to the index. A file stands for what its tags link it to, for what
//! governs it in the graph, and for the spec, change or decision that it is a part of. An open change that alters a
//! requirement on the list joins it, and so does what depends on the specs that matter most (`gather`).

use hewto_core::document::Document;
use hewto_core::id::SpecId;
use hewto_core::requirement::{Match, SpecDoc, find_requirement};
use hewto_store::{Context, DocFolder, DocKey};
use schemars::JsonSchema;
use serde::Deserialize;

use super::gather::{Found, MOST_ITEMS};
use super::pack::{missing, pack};
use super::query::Current;
use super::show::{Subject, decision_id, show};
use crate::error::{Error, Result};
use crate::graph;
use crate::item::SpecText;
use crate::proof;
use crate::text;
use crate::view::ContextView;
use crate::workspace::Workspace;

const DEFAULT_BUDGET: usize = 6_000;
/// So many files may be named at once.
const MOST_FILES: usize = 50;
/// What a link from a file, and what governs it, is worth beside a text that says it word for word.
const LINKED: f64 = 0.98;
const GOVERNS: f64 = 0.9;
/// The mode of an answer to no question at all.
const LINKS_ONLY: &str = "linked";
/// Parts of paths that say nothing about what a file is for.
const USUAL_PARTS: [&str; 16] = [
    "src", "lib", "app", "apps", "crates", "packages", "pkg", "cmd", "internal", "test", "tests", "main",
    "mod", "index", "init", "spec",
];
/// So many parts of a path, from its end, make the question.
const LAST_PARTS: usize = 4;

/// What is to be worked on. At least one of text and files has to be there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextRequest {
    /// The task, in words
    pub text: Option<String>,
    // They need not exist yet.
    /// Paths you will touch
    #[serde(default)]
    pub files: Vec<String>,
    /// Most characters; default 6000
    #[schemars(range(min = 200, max = 100_000))]
    pub budget: Option<usize>,
}

/// The few requirements, decisions and open changes that bear on a task, whole, best first. Makes the index where
/// there is none.
pub fn context_for(ws: &Workspace, ctx: &Context, request: &ContextRequest) -> Result<ContextView> {
    ctx.check()?;
    let task = text::optional("text", request.text.as_deref())?;
    let files = request.files.iter().map(|file| path(ws, file)).collect::<Result<Vec<_>>>()?;
    if task.is_none() && files.is_empty() {
        return Err(Error::invalid_argument("text", "a task, or `files`", "there is nothing to look for")
            .hint("say in `text` what is to be done, or name `files`"));
    }
    if files.len() > MOST_FILES {
        return Err(Error::invalid_argument(
            "files",
            &format!("at most {MOST_FILES} paths"),
            format!("{} files are too many at once", files.len()),
        ));
    }
    let current = Current::open(ws, ctx)?;
    let mut found = Found::default();
    if let Some(task) = &task {
        found.ask(ctx, &current, task, "bears on the task")?;
    }
    for file in &files {
        if let Some(question) = question(file) {
            found.ask(ctx, &current, &question, &format!("bears on what `{file}` is called"))?;
        }
    }
    if found.mode.is_empty() {
        // The names of the files ask for nothing.
        LINKS_ONLY.clone_into(&mut found.mode);
    }
    let mut absent = Vec::new();
    for file in &files {
        or_nothing(named_by(ws, ctx, file, &mut found))?;
        if or_nothing(linked(ws, ctx, file, &mut found))? == Standing::Absent {
            absent.push(file.as_str());
        }
    }
    found.join_changes(ws, ctx)?;
    found.join_dependents(ws, ctx)?;
    let mut pieces = Vec::new();
    let mut confidence = found.confidence;
    let all = found.best();
    let beyond = all.len().saturating_sub(MOST_ITEMS);
    for best in all.into_iter().take(MOST_ITEMS) {
        ctx.check()?;
        let Some(mut piece) = or_nothing(show(ws, ctx, &best.subject))? else { continue };
        // A link needs no question to be sure of.
        if best.linked {
            confidence = confidence.max(best.score);
        }
        (piece.item.score, piece.item.why) = (best.score, best.why);
        pieces.push(piece);
    }
    proof::tell_states(ws, ctx, pieces.iter_mut().map(|piece| &mut piece.item));
    let budget = request.budget.unwrap_or(DEFAULT_BUDGET);
    let notes = missing(&absent, budget);
    let head = ContextView {
        confidence,
        mode: found.mode,
        total: pieces.len() + beyond,
        notes,
        ..ContextView::default()
    };
    Ok(pack(head, pieces, budget))
}

/// Whether a file is there. One that cannot be read is.
#[derive(Debug, Default, PartialEq, Eq)]
enum Standing {
    #[default]
    There,
    Absent,
}

/// Nothing of a file that cannot be read: it hides no other, and `validate` tells about it.
fn or_nothing<T: Default>(read: Result<T>) -> Result<T> {
    match read {
        Err(error) if error.details.contains_key("file") => Ok(T::default()),
        read => read,
    }
}

/// A path as a client wrote it, inside the workspace.
fn path(ws: &Workspace, file: &str) -> Result<String> {
    let below = std::path::Path::new(file).strip_prefix(ws.root()).ok().and_then(|path| path.to_str());
    let plain = below.unwrap_or(file).trim_start_matches("./").trim_end_matches('/');
    DocKey::named(plain).map(|key| key.to_string()).ok_or_else(|| {
        let shown: String = file.chars().take(200).collect();
        Error::invalid_argument(
            "files",
            "paths inside the workspace",
            format!("`{}` is not a path inside the workspace", shown.escape_debug()),
        )
    })
}

/// What the name of a file asks for: its own name and the words of its path.
fn question(file: &str) -> Option<String> {
    let stem = |part: &str| part.rsplit_once('.').map_or(part, |(stem, _)| stem).to_owned();
    let parts: Vec<String> = file
        .split('/')
        .map(stem)
        .filter(|part| !part.is_empty() && !USUAL_PARTS.contains(&part.to_lowercase().as_str()))
        .collect();
    if parts.is_empty() {
        return None;
    }
    let words: Vec<String> = parts.iter().rev().take(LAST_PARTS).rev().map(|part| in_words(part)).collect();
    Some(format!("{} {}", words.join(" "), file.rsplit('/').next().unwrap_or(file)))
}

/// `SessionStore` and `session_store` as `session store`.
fn in_words(name: &str) -> String {
    let mut out = String::new();
    let mut after_lower = false;
    for c in name.chars() {
        if c.is_uppercase() && after_lower {
            out.push(' ');
        }
        after_lower = c.is_lowercase();
        if matches!(c, '_' | '-' | '.') {
            out.push(' ');
        } else {
            out.extend(c.to_lowercase());
        }
    }
    out
}

/// What a file is itself a part of: the requirements of its spec, its change, its decision.
fn named_by(ws: &Workspace, ctx: &Context, file: &str, found: &mut Found) -> Result<()> {
    if let Some(id) = decision_id(ws, file) {
        found.add_linked(Subject::Decision(id), 1.0, format!("`{file}` is this decision"));
        return Ok(());
    }
    let changes = ws.store().changes(ctx)?.changes;
    if let Some(change) = changes.iter().find(|change| change.folder.below(file).is_some()) {
        found.add_linked(
            Subject::Change(change.id.to_string()),
            1.0,
            format!("`{file}` is a part of this change"),
        );
        return Ok(());
    }
    let snapshot = ws.store().snapshot(ctx)?;
    let holds = |folder: &DocFolder| file == folder.as_str() || folder.below(file).is_some();
    let inmost = snapshot
        .specs
        .iter()
        .filter(|entry| holds(&entry.folder))
        .max_by_key(|entry| entry.folder.as_str().len());
    if let Some(entry) = inmost {
        for name in requirements_of(ws, ctx, &entry.id)? {
            let subject = Subject::Requirement { spec: entry.id.to_string(), name };
            found.add_linked(subject, 1.0, format!("it is in `{file}`"));
        }
    }
    Ok(())
}

/// What the tags in a file, or links to it, name; and what governs it in the graph.
fn linked(ws: &Workspace, ctx: &Context, file: &str, found: &mut Found) -> Result<Standing> {
    let why = graph::why(ws, ctx, file)?;
    for link in why.promises {
        let Ok(id) = SpecId::parse(link.reference.capability()) else { continue };
        let Some(name) = requirement_of(ws, ctx, &id, link.reference.requirement())? else { continue };
        let scenario =
            link.reference.scenario().map(|name| format!(" (scenario {name})")).unwrap_or_default();
        let line = link.place.line;
        let reason = format!("`{file}` is linked to it at line {line}{scenario}");
        found.add_linked(Subject::Requirement { spec: id.to_string(), name }, LINKED, reason);
    }
    for governor in why.governed_by {
        let handle = governor.artifact.handle.as_str();
        let reason = format!("governs `{file}`: {}", governor.reason);
        let file_of = governor.artifact.path.as_deref();
        if let Some(id) = handle.strip_prefix("spec://").and_then(|id| SpecId::from_segment(id).ok()) {
            for name in requirements_of(ws, ctx, &id)? {
                found.add_linked(
                    Subject::Requirement { spec: id.to_string(), name },
                    GOVERNS,
                    reason.clone(),
                );
            }
        } else if let Some(id) = file_of.and_then(|path| decision_id(ws, path)) {
            found.add_linked(Subject::Decision(id), GOVERNS, reason);
        } else if let Some(id) = handle.strip_prefix("change://") {
            found.add_linked(Subject::Change(id.to_owned()), GOVERNS, reason);
        }
    }
    Ok(if why.exists { Standing::There } else { Standing::Absent })
}

fn requirements_of(ws: &Workspace, ctx: &Context, id: &SpecId) -> Result<Vec<String>> {
    let Some(spec) = SpecText::find(ws, ctx, id)? else { return Ok(Vec::new()) };
    let document = Document::parse(&spec.document.text);
    let requirements = SpecDoc::read(&document).requirements;
    Ok(requirements.iter().map(|requirement| requirement.name.to_owned()).collect())
}

/// The name of the requirement that a reference means, if it is still there.
fn requirement_of(ws: &Workspace, ctx: &Context, id: &SpecId, wanted: &str) -> Result<Option<String>> {
    let Some(spec) = SpecText::find(ws, ctx, id)? else { return Ok(None) };
    let document = Document::parse(&spec.document.text);
    let requirements = SpecDoc::read(&document).requirements;
    let Match::Found(found) = find_requirement(&requirements, wanted) else { return Ok(None) };
    Ok(Some(found.name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_asks_for_what_its_names_say() {
        for (path, expected) in [
            ("crates/auth/src/session_store.rs", Some("auth session store session_store.rs")),
            ("src/UserProfile.tsx", Some("user profile UserProfile.tsx")),
            ("src/main.rs", None),
            ("a/b/c/d/e-f.txt", Some("b c d e f e-f.txt")),
        ] {
            assert_eq!(question(path).as_deref(), expected, "{path}");
        }
    }
}
