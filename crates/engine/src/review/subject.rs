//! What a review is about: an item, its meaning now, and where its records are.

use hewto_core::id::{ChangeId, WorkItem};
use hewto_core::lifecycle::Lifecycle;
use hewto_core::proof::settings::digest as proof_digest;
use hewto_core::review::{Digest, Meaning};
use hewto_core::spec::SpecHead;
use hewto_core::state::WorkflowState;
use hewto_store::change_files::DESIGN;
use hewto_store::{Context, DocFolder, DocKey};

use crate::change::{ChangeFolder, archived_id};
use crate::error::{Error, Key, Kind, Result};
use crate::item::{Item, spec_not_found};
use crate::workspace::Workspace;

/// How a decision is named that waits for a person.
const DECISION: &str = "decision:";

/// An item as reviewers see it.
#[derive(Debug)]
pub(crate) struct Subject {
    /// Absent for a decision that waits.
    pub(crate) id: Option<WorkItem>,
    name: String,
    pub(crate) title: String,
    pub(crate) meaning: Meaning,
    pub(crate) digest: Digest,
    /// The folder of the item, relative to the workspace.
    pub(crate) folder: DocFolder,
    /// The category of a spec, by which gates may differ.
    pub(crate) category: Option<String>,
    /// What an archive of it would write: the folders of these specs, with their categories.
    pub(crate) writes: Vec<(String, Option<String>)>,
    /// Whether it waits for nothing but its archive.
    pub(crate) is_built: bool,
}

impl Subject {
    /// Reads the item that somebody named. What cannot be read cannot be reviewed.
    pub(crate) fn load(ws: &Workspace, ctx: &Context, name: &str) -> Result<Self> {
        if let Some(short) = name.strip_prefix(DECISION) {
            return Self::load_decision(ws, ctx, short);
        }
        let item = Item::load(ws, ctx, name)?;
        Self::of(ws, ctx, &item.id, item.title)
    }

    pub(crate) fn of(ws: &Workspace, ctx: &Context, id: &WorkItem, title: String) -> Result<Self> {
        let name = id.to_string();
        let folder = folder_of(ws, ctx, id)?;
        let state = ws.store().read(ctx, &DocKey::State(id.clone()))?;
        let lifecycle =
            state.and_then(|doc| WorkflowState::read(&doc.text).ok()).map(|state| state.lifecycle);
        let mut is_built = lifecycle == Some(Lifecycle::Done);
        let mut writes = Vec::new();
        let (meaning, category) = match id {
            WorkItem::Spec(spec_id) => {
                let spec = ws.store().read(ctx, &DocKey::Spec(spec_id.clone()))?;
                let spec = spec.ok_or_else(|| spec_not_found(ws, ctx, &name))?;
                let plan = ws.store().read(ctx, &DocKey::Plan(id.clone()))?;
                let category = SpecHead::read(&spec.text).category.map(|category| category.to_string());
                let plan = plan.as_ref().map(|plan| plan.text.as_str());
                (Meaning::of_spec(&name, &spec.text, plan), category)
            }
            WorkItem::Change(change_id) => {
                let change = ChangeFolder::load(ws, ctx, change_id.as_str())?;
                let meaning = meaning_of_change(ws, ctx, &name, &change)?;
                let progress = change.task_progress();
                let is_begun = !matches!(lifecycle, None | Some(Lifecycle::Draft));
                is_built |= !is_begun && progress.total > 0 && progress.completed == progress.total;
                writes = specs_of(ws, ctx, &change)?;
                (meaning, None)
            }
        };
        let digest = meaning.digest();
        Ok(Self { id: Some(id.clone()), name, title, meaning, digest, folder, category, writes, is_built })
    }

    /// A change that was put away, under the name that it had before.
    pub(crate) fn of_archived(ws: &Workspace, ctx: &Context, change: &ChangeFolder) -> Result<Self> {
        let id = ChangeId::parse(archived_id(change.entry.id.as_str()));
        let id = WorkItem::Change(id.map_err(|error| Error::validation(error.to_string()))?);
        let name = id.to_string();
        let meaning = meaning_of_change(ws, ctx, &name, change)?;
        let (digest, title, folder) = (meaning.digest(), change.title(), change.entry.folder.clone());
        let writes = specs_of(ws, ctx, change)?;
        Ok(Self {
            id: Some(id),
            name,
            title,
            meaning,
            digest,
            folder,
            category: None,
            writes,
            is_built: true,
        })
    }

    /// A decision that waits for a person, by the beginning of the SHA-256 of its text.
    pub(crate) fn of_decision(ws: &Workspace, short: &str, text: &str) -> Result<Self> {
        let name = format!("{DECISION}{short}");
        let folder = ws.places().waiting_decisions.folder(short);
        let folder = folder.map_err(|error| Error::validation(error.to_string()))?;
        let meaning = Meaning::of_spec(&name, text, None);
        let title = text.lines().next().unwrap_or_default().trim_start_matches("# ").to_owned();
        let digest = meaning.digest();
        let (writes, is_built) = (Vec::new(), false);
        Ok(Self { id: None, name, title, meaning, digest, folder, category: None, writes, is_built })
    }

    fn load_decision(ws: &Workspace, ctx: &Context, short: &str) -> Result<Self> {
        let is_short = short.len() == 12 && short.bytes().all(|byte| byte.is_ascii_hexdigit());
        let unknown = || {
            let shown: String = short.chars().take(80).collect();
            let message = format!("no decision `{}` waits for a person", shown.escape_debug());
            Error::new(Kind::Refused, Key::DecisionNotFound, message)
                .hint("the refusal that the gate gave names it: `decision:` and twelve characters")
        };
        if !is_short {
            return Err(unknown());
        }
        let key = decision_text(&Self::of_decision(ws, short, "")?.folder)?;
        let doc = ws.store().read(ctx, &key)?.ok_or_else(unknown)?;
        // What lies there under another text's name was put there by somebody else.
        if !proof_digest(doc.text.as_bytes()).starts_with(short) {
            return Err(unknown());
        }
        Self::of_decision(ws, short, &doc.text)
    }

    pub(crate) fn name(&self) -> String {
        self.name.clone()
    }

    pub(crate) fn is_decision(&self) -> bool {
        self.id.is_none()
    }

    /// Where its records are.
    pub(crate) fn review_folder(&self) -> DocFolder {
        self.folder.review()
    }
}

fn meaning_of_change(ws: &Workspace, ctx: &Context, name: &str, change: &ChangeFolder) -> Result<Meaning> {
    if let Some(one) = change.unreadable.first() {
        return Err(Error::validation(&one.message)
            .detail("file", one.file.as_str())
            .hint(format!("{}; what cannot be read cannot be approved", one.hint)));
    }
    let design = match change.entry.file(DESIGN) {
        Some(key) => ws.store().read(ctx, &key)?,
        None => None,
    };
    let text = |doc: &Option<hewto_store::Doc>| doc.as_ref().map(|doc| doc.text.clone());
    let deltas = change.deltas.iter().map(|delta| (delta.capability.as_str(), delta.document.text.as_str()));
    Ok(Meaning::of_change(
        name,
        text(&change.proposal).as_deref(),
        text(&design).as_deref(),
        deltas,
        text(&change.tasks).as_deref(),
    ))
}

/// Where the specs lie, or will, that a change writes.
fn specs_of(ws: &Workspace, ctx: &Context, change: &ChangeFolder) -> Result<Vec<(String, Option<String>)>> {
    let mut specs = Vec::new();
    for delta in &change.deltas {
        let Some(path) = ws.store().path(&delta.key(), change.owner()) else { continue };
        // A spec that cannot be read stops the archive; here its folder says enough.
        let category =
            delta.target(ws, ctx)?.ok().flatten().and_then(|doc| SpecHead::read(&doc.text).category);
        let folder = path.to_string();
        let folder = folder.rsplit_once('/').map_or(folder.as_str(), |(folder, _)| folder);
        specs.push((folder.to_owned(), category.map(|category| category.to_string())));
    }
    Ok(specs)
}

/// Where the text of a decision lies that waits.
pub(crate) fn decision_text(folder: &DocFolder) -> Result<DocKey> {
    folder.document("decision.txt").map_err(|error| Error::validation(error.to_string()))
}

/// Where it is noted that a decision was recorded, under which UID, and until when its verdicts are spent.
pub(crate) fn decision_recorded(folder: &DocFolder) -> Result<DocKey> {
    folder.document("recorded.txt").map_err(|error| Error::validation(error.to_string()))
}

/// The folder of an item.
pub(crate) fn folder_of(ws: &Workspace, ctx: &Context, id: &WorkItem) -> Result<DocFolder> {
    let none = || Error::validation(format!("`{id}` has no folder of its own"));
    match id {
        WorkItem::Change(change_id) => {
            let entry = ws.store().change(ctx, change_id)?;
            let entry = entry.ok_or_else(|| crate::item::change_not_found(ws, ctx, change_id))?;
            Ok(entry.folder)
        }
        WorkItem::Spec(spec_id) => {
            let doc = ws.store().read(ctx, &DocKey::Spec(spec_id.clone()))?;
            let doc = doc.ok_or_else(|| spec_not_found(ws, ctx, spec_id.as_str()))?;
            doc.folder().ok_or_else(none)
        }
    }
}
