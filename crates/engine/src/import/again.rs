//! A source that moved on since it was imported: what is new comes as one change, against what was imported then.

use std::fmt::Write as _;

use hewto_core::change::{BaseRecord, Origin, render_proposal};
use hewto_core::delta::DeltaDoc;
use hewto_core::document::Document;
use hewto_core::import::renew::Renewal;
use hewto_core::tasks::{self, NewGroup, NewStep, NewTasks};
use hewto_store::change_files::{BASE, METADATA, PROPOSAL, TASKS, delta_to};
use hewto_store::{Expect, LayoutKind, RelPath};

use super::naming::free_change;
use super::planner::Planner;
use crate::change::NO_DELTAS;
use crate::error::Result;

/// The date before the name of an archived change, with its dash.
const DATE: usize = "2026-01-24-".len();

/// What the source says now and did not say before.
#[derive(Debug, Default)]
pub(super) struct News {
    /// Spec, text that was imported, what is new.
    specs: Vec<(String, String, Renewal)>,
    /// Spec, title and description of steps.
    steps: Vec<(String, String, String)>,
    notes: Vec<String>,
    /// Where a file stands here, where it is from, its text.
    files: Vec<(RelPath, String, String)>,
}

impl News {
    pub(super) fn spec(&mut self, id: &str, base: String, renewal: Renewal) {
        let notes = renewal.notes.iter().map(|note| format!("`{id}`: {note}"));
        self.notes.extend(notes);
        self.specs.push((id.to_owned(), base, renewal));
    }

    pub(super) fn plan(&mut self, id: &str, steps: Vec<(String, String)>, notes: Vec<String>) {
        self.steps.extend(steps.into_iter().map(|(title, text)| (id.to_owned(), title, text)));
        self.notes.extend(notes.into_iter().map(|note| format!("`{id}`: {note}")));
    }

    pub(super) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    pub(super) fn file(&mut self, path: &RelPath, from: &str, text: &str) {
        self.files.push((path.clone(), from.to_owned(), text.to_owned()));
    }

    fn is_empty(&self) -> bool {
        let quiet = |renewal: &Renewal| renewal.delta.is_empty() && renewal.sections.is_empty();
        self.specs.iter().all(|(_, _, renewal)| quiet(renewal))
            && self.steps.is_empty()
            && self.notes.is_empty()
            && self.files.is_empty()
    }
}

impl Planner<'_> {
    /// Makes a change of the news, if there are any.
    pub(super) fn change_for_news(&mut self) -> Result<()> {
        let news = std::mem::take(&mut self.news);
        if news.is_empty() {
            return Ok(());
        }
        let wanted = format!("import-{}", self.format);
        // What was archived keeps its name: `2026-01-24-import-kiro`.
        let archived = self.store.archived(self.ctx)?;
        let is_archived = |id: &str| archived.iter().any(|name| name.get(DATE..) == Some(id));
        let Some(id) = free_change(self.store, &wanted, &is_archived) else { return Ok(()) };
        let Some(new) = self.store.new_change(&id, LayoutKind::Native) else { return Ok(()) };
        let mut base = BaseRecord::default();
        let mut files: Vec<(String, String)> = Vec::new();
        for (spec, before, renewal) in news.specs.iter().filter(|(_, _, renewal)| !renewal.delta.is_empty()) {
            let text = renewal.delta.render();
            let document = Document::parse(&text);
            base.record(spec, &DeltaDoc::read(&document), Some(before), Origin::Written);
            files.push((delta_to(spec), text.clone()));
        }
        if files.is_empty() {
            files.push((METADATA.to_owned(), NO_DELTAS.to_owned()));
        }
        if !base.capabilities.is_empty() {
            files.push((BASE.to_owned(), base.to_json()));
        }
        for (path, _, text) in &news.files {
            files.push((format!("source/{path}"), text.clone()));
        }
        let why = format!(
            "{} at `{}` has moved on since it was imported; this is what it says now and did not say then.",
            self.format.tool(),
            self.source
        );
        files.push((
            PROPOSAL.to_owned(),
            render_proposal(&format!("News from {}", self.format.tool()), &why, &told(&news), None),
        ));
        files.push((TASKS.to_owned(), tasks::render(&to_do(&news))));
        for (name, text) in files {
            if let Ok(path) = RelPath::parse(&format!("{}/{name}", new.folder)) {
                self.write(path, text, Expect::Absent, None);
            }
        }
        self.view.change = Some(id.to_string());
        Ok(())
    }
}

/// What is new, in words.
fn told(news: &News) -> String {
    let mut out = String::new();
    for (spec, _, renewal) in &news.specs {
        let delta = &renewal.delta;
        for (word, names) in [
            ("new", delta.added.iter().map(|one| &one.name).collect::<Vec<_>>()),
            ("changed", delta.modified.iter().map(|one| &one.name).collect()),
            ("gone", delta.removed.iter().map(|one| &one.name).collect()),
        ] {
            for name in names {
                let _ = writeln!(out, "- `{spec}`: {word}: {name}");
            }
        }
    }
    for (spec, title, _) in &news.steps {
        let _ = writeln!(out, "- `{spec}`: a new step: {title}");
    }
    for note in &news.notes {
        let _ = writeln!(out, "- {}", note.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    for (path, from, _) in &news.files {
        let _ = writeln!(out, "- `{from}` changed on both sides; its text is in `source/{path}`");
    }
    for (spec, _, renewal) in &news.specs {
        for (title, text) in &renewal.sections {
            let quoted = text.lines().fold(String::new(), |quoted, line| quoted + "> " + line + "\n");
            let _ = write!(out, "\nThe section `{title}` of `{spec}` says now:\n\n{quoted}");
        }
    }
    if out.is_empty() { "- nothing that hewto acts on".to_owned() } else { out }
}

fn to_do(news: &News) -> NewTasks {
    let step = |title: String, description: &str| NewStep {
        title,
        description: description.to_owned(),
        complexity: None,
    };
    let mut steps = vec![step("Look through what the source says now".to_owned(), "")];
    steps.extend(news.steps.iter().map(|(spec, title, text)| step(format!("{title} ({spec})"), text)));
    NewTasks { approach: None, groups: vec![NewGroup { name: "Implementation".to_owned(), steps }] }
}
