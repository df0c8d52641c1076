//! `context_for`: what an agent should read before it starts on a task or touches files.
//!
//! The task's words and the files' names are questions to the index. A file of a spec, a change or a decision stands
//! for that document itself, and an open change that alters a requirement on the list joins it.

use std::collections::HashMap;

use hewto_core::delta::DeltaDoc;
use hewto_core::document::Document;
use hewto_core::id::SpecId;
use hewto_core::near::fold;
use hewto_core::requirement::SpecDoc;
use hewto_search::{Hit, Kind as EntryKind, Query};
use hewto_store::{Context, RelPath};

use super::pack::pack;
use super::query::Current;
use super::show::{decision_id, show};
use crate::change::ChangeFolder;
use crate::error::{Error, Result};
use crate::item::SpecText;
use crate::text;
use crate::view::{ContextItem, ContextView};
use crate::workspace::Workspace;

const DEFAULT_BUDGET: usize = 6_000;
/// So many files may be named at once.
const MOST_FILES: usize = 50;
/// So many things are shown or named at most.
const MOST_ITEMS: usize = 20;
/// What scores less than this share of the best is not among the few that matter.
const NEAR_THE_BEST: f64 = 0.6;
/// What an open change takes over from a requirement that it alters.
const THROUGH_A_CHANGE: f64 = 0.9;
/// Parts of paths that say nothing about what a file is for.
const USUAL_PARTS: [&str; 16] = [
    "src", "lib", "app", "apps", "crates", "packages", "pkg", "cmd", "internal", "test", "tests", "main",
    "mod", "index", "init", "spec",
];
/// So many parts of a path, from its end, make the question.
const LAST_PARTS: usize = 4;

/// What is to be worked on. At least one of text and files has to be there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContextRequest {
    pub text: Option<String>,
    /// Paths in the workspace, which need not exist yet.
    pub files: Vec<String>,
    /// Characters of the reply.
    pub budget: Option<usize>,
}

/// Something that can be read.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Subject {
    Requirement { spec: String, name: String },
    Decision(String),
    Change(String),
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
    let questions = task.into_iter().chain(files.iter().filter_map(question));
    for question in questions {
        found.ask(ctx, &current, &question)?;
    }
    if found.mode.is_empty() {
        // The names of the files ask for nothing; how an answer would be ranked is told all the same.
        found.ask(ctx, &current, "")?;
    }
    for file in &files {
        for subject in or_nothing(named_by(ws, ctx, file))? {
            found.add(subject, 1.0);
        }
    }
    found.join_changes(ws, ctx)?;
    let mut items = Vec::new();
    for (subject, score) in found.best() {
        ctx.check()?;
        items.extend(or_nothing(show(ws, ctx, &subject))?.map(|shown| ContextItem { score, ..shown }));
    }
    Ok(pack(items, found.mode, request.budget.unwrap_or(DEFAULT_BUDGET)))
}

/// Nothing of a file that cannot be read: it hides no other, and `validate` tells about it.
fn or_nothing<T: Default>(read: Result<T>) -> Result<T> {
    match read {
        Err(error) if error.details.contains_key("file") => Ok(T::default()),
        read => read,
    }
}

/// Subjects with the best score that any question gave them.
#[derive(Debug, Default)]
struct Found {
    scores: HashMap<Subject, f64>,
    mode: String,
}

impl Found {
    fn ask(&mut self, ctx: &Context, current: &Current<'_>, question: &str) -> Result<()> {
        let query = Query {
            limit: MOST_ITEMS,
            kinds: vec![EntryKind::Requirement, EntryKind::Decision, EntryKind::Change],
            ..Query::new(question)
        };
        let answer = current.ask(ctx, &query)?;
        self.mode = answer.mode;
        for hit in answer.hits {
            let score = f64::from(hit.score);
            if let Some(subject) = Subject::of(hit) {
                self.add(subject, score);
            }
        }
        Ok(())
    }

    fn add(&mut self, subject: Subject, score: f64) {
        let known = self.scores.entry(subject).or_default();
        *known = known.max(score);
    }

    /// Open changes that alter what was found bear on the task as well.
    fn join_changes(&mut self, ws: &Workspace, ctx: &Context) -> Result<()> {
        for entry in ws.store().changes(ctx)?.changes {
            // A change that cannot be read is for `validate` to tell about.
            let Ok(change) = ChangeFolder::read(ws, ctx, entry) else { continue };
            let mut best: f64 = 0.0;
            for delta in &change.deltas {
                let document = Document::parse(&delta.document.text);
                let delta_doc = DeltaDoc::read(&document);
                for (name, _) in delta_doc.requirements() {
                    let before = delta_doc.name_before(name);
                    best = best.max(self.score_of(delta.capability.as_str(), before));
                }
            }
            if best > 0.0 {
                self.add(Subject::Change(change.id().to_owned()), THROUGH_A_CHANGE * best);
            }
        }
        Ok(())
    }

    fn score_of(&self, spec: &str, requirement: &str) -> f64 {
        let wanted = fold(requirement);
        let same = |subject: &Subject| matches!(subject, Subject::Requirement { spec: id, name } if id == spec && fold(name) == wanted);
        self.scores.iter().filter(|(subject, _)| same(subject)).map(|(_, score)| *score).fold(0.0, f64::max)
    }

    /// Those near the best, best first, the others in a fixed order.
    fn best(&self) -> Vec<(Subject, f64)> {
        let mut all: Vec<(Subject, f64)> =
            self.scores.iter().map(|(subject, score)| (subject.clone(), *score)).collect();
        all.sort_by(|(a, a_score), (b, b_score)| b_score.total_cmp(a_score).then_with(|| a.cmp(b)));
        let least = all.first().map_or(0.0, |(_, best)| best * NEAR_THE_BEST);
        all.retain(|(_, score)| *score >= least);
        all.truncate(MOST_ITEMS);
        all
    }
}

impl Subject {
    fn of(hit: Hit) -> Option<Self> {
        let id = hit.document.id;
        match (hit.document.kind, hit.requirement) {
            (EntryKind::Spec, Some(name)) => Some(Self::Requirement { spec: id, name }),
            (EntryKind::Decision, _) => Some(Self::Decision(id)),
            (EntryKind::Change, _) => Some(Self::Change(id)),
            _ => None,
        }
    }
}

/// A path as a client wrote it, inside the workspace.
fn path(ws: &Workspace, file: &str) -> Result<RelPath> {
    let below = std::path::Path::new(file).strip_prefix(ws.root()).ok().and_then(|path| path.to_str());
    let plain = below.unwrap_or(file).trim_start_matches("./").trim_end_matches('/');
    RelPath::parse(plain).map_err(|_| {
        let shown: String = file.chars().take(200).collect();
        Error::invalid_argument(
            "files",
            "paths inside the workspace",
            format!("`{}` is no path inside the workspace", shown.escape_debug()),
        )
    })
}

/// What the name of a file asks for: its own name and the words of its path.
fn question(file: &RelPath) -> Option<String> {
    let stem = |part: &str| part.rsplit_once('.').map_or(part, |(stem, _)| stem).to_owned();
    let parts: Vec<String> = file
        .as_str()
        .split('/')
        .map(stem)
        .filter(|part| !part.is_empty() && !USUAL_PARTS.contains(&part.to_lowercase().as_str()))
        .collect();
    if parts.is_empty() {
        return None;
    }
    let words: Vec<String> = parts.iter().rev().take(LAST_PARTS).rev().map(|part| in_words(part)).collect();
    Some(format!("{} {}", words.join(" "), file.file_name()))
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
fn named_by(ws: &Workspace, ctx: &Context, file: &RelPath) -> Result<Vec<Subject>> {
    if let Some(id) = decision_id(ws, file) {
        return Ok(vec![Subject::Decision(id)]);
    }
    let changes = ws.store().changes(ctx)?.changes;
    if let Some(change) = changes.iter().find(|change| file.below(&change.folder).is_some()) {
        return Ok(vec![Subject::Change(change.id.to_string())]);
    }
    let snapshot = ws.store().snapshot(ctx)?;
    let holds = |folder: &RelPath| file == folder || file.below(folder).is_some();
    let inmost = snapshot
        .specs
        .iter()
        .filter(|entry| holds(&entry.folder))
        .max_by_key(|entry| entry.folder.as_str().len());
    match inmost {
        Some(entry) => requirements_of(ws, ctx, &entry.id),
        None => Ok(Vec::new()),
    }
}

fn requirements_of(ws: &Workspace, ctx: &Context, id: &SpecId) -> Result<Vec<Subject>> {
    let Some(spec) = SpecText::find(ws, ctx, id)? else { return Ok(Vec::new()) };
    let document = Document::parse(&spec.document.text);
    let requirements = SpecDoc::read(&document).requirements;
    let subject = |name: &str| Subject::Requirement { spec: id.to_string(), name: name.to_owned() };
    Ok(requirements.iter().map(|requirement| subject(requirement.name)).collect())
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
            assert_eq!(question(&RelPath::parse(path).unwrap()).as_deref(), expected, "{path}");
        }
    }
}
