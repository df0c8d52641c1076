//! The plan of an `init`: made without writing anything, shown, and carried out together.

use std::path::{Path, PathBuf};

use hewto_store::{
    ContentHash, Context, DocKey, Expect, Layout, RelPath, Store, Transaction, discover_own, plan_init,
};

use super::agents::{self, Connected};
use super::planner::{OWN_ENTRY, Planner};
use super::{Action, AgentView, InitOptions, InitView, PlannedView};
use crate::error::{Error, Result};
use crate::install::{FileChange, Manifest, settings, unified};
use crate::text;

/// Longest name of a project, in characters.
const MAX_NAME_CHARS: usize = 100;
/// Longest description of a project, in characters.
const MAX_DESCRIPTION_CHARS: usize = 500;
/// What an `init` is going to do.
#[derive(Debug)]
pub struct Plan {
    root: PathBuf,
    layout: Layout,
    is_new: bool,
    connected: Vec<Connected>,
    changes: Vec<FileChange>,
    folders: Vec<RelPath>,
    lines: Vec<PlannedView>,
}

/// Looks at everything and writes nothing.
pub fn plan(folder: &Path, ctx: &Context, options: &InitOptions) -> Result<Plan> {
    let (name, description) = about(options)?;
    let there = discover_own(folder);
    let is_new = there.is_none();
    let (layout, laid_out) = if let Some(layout) = there {
        (layout, None)
    } else {
        let root = fs_err::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let name = name.unwrap_or_else(|| folder_name(&root));
        let plan = plan_init(&root, options.layout, &name, &description);
        (plan.layout.clone(), Some(plan))
    };
    let root = layout.root().to_owned();
    // A folder that is not there yet holds nothing that could be in the way.
    let store = if root.is_dir() { Some(Store::open(layout.clone())?) } else { None };
    let connected = agents::connected(&root, &options.agents);
    let mut planner = Planner {
        store,
        manifest: Manifest::default(),
        renewed: options.renewed.clone(),
        changes: Vec::new(),
        lines: Vec::new(),
    };
    let manifest_path = layout.places().manifest.clone();
    let manifest_text = planner.read(ctx, &manifest_path)?;
    planner.manifest = Manifest::read(&manifest_path, manifest_text.as_deref())?;

    let mut folders = Vec::new();
    if let Some(laid_out) = laid_out {
        for (path, text) in laid_out.files {
            planner.lay_out(ctx, path, text)?;
        }
        folders = laid_out.folders;
        planner.note_what_is_there(ctx, &layout)?;
    }
    let read = |path: &RelPath| planner.read(ctx, path).ok().flatten();
    for (path, part) in agents::parts(&connected, &options.agents, &options.command, read) {
        planner.add_part(ctx, &path, &part)?;
    }
    planner.finish(ctx, &layout, &folders, manifest_text)?;
    Ok(Plan { root, layout, is_new, connected, changes: planner.changes, folders, lines: planner.lines })
}

impl Plan {
    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// What would be done, with the diff.
    pub fn preview(&self) -> InitView {
        InitView { diff: Some(unified(&self.changes)), ..self.view() }
    }

    /// What is done.
    pub fn view(&self) -> InitView {
        let mut files: Vec<String> = self.changes.iter().map(|change| change.path.to_string()).collect();
        files.extend(self.folders.iter().map(|folder| format!("{folder}/")));
        files.sort();
        let kinds: Vec<&str> = self.layout.kinds().iter().map(|kind| kind.as_str()).collect();
        InitView {
            root: self.root.display().to_string(),
            layout: kinds.join(", "),
            created: self.is_new,
            files,
            agents: self.connected.iter().map(|connected| self.agent(connected)).collect(),
            complete: self.lines.iter().all(|line| line.action != Action::LeftAlone),
            plan: self.lines.clone(),
            diff: None,
        }
    }

    /// How to reach an agent; first of all by mending its configuration, where that could not be used.
    fn agent(&self, connected: &Connected) -> AgentView {
        let view = AgentView::from(connected);
        let file = settings(connected.agent);
        let is_unusable = |line: &PlannedView| {
            line.action == Action::LeftAlone && line.file == file.as_str() && line.why != OWN_ENTRY
        };
        if self.lines.iter().any(is_unusable) {
            let open = format!("mend {file} and run `hewto init` again, {}", view.open);
            return AgentView { open, ..view };
        }
        view
    }

    /// Writes everything together, if every file still is what it was.
    pub fn carry_out(self, ctx: &Context) -> Result<InitView> {
        let view = self.view();
        if self.is_empty() {
            return Ok(view);
        }
        ctx.check()?;
        Store::make_root(&self.root)?;
        let store = Store::open(self.layout)?;
        let (gitignore, _) = store.layout().gitignore();
        let mut transaction = Transaction::new();
        for change in self.changes {
            let expect = match &change.before {
                // The lock has written it already, or somebody else's has.
                _ if change.path == gitignore => Expect::Any,
                Some(text) => Expect::Hash(ContentHash::of(text.as_bytes())),
                None => Expect::Absent,
            };
            transaction.put(DocKey::File(change.path), change.after.unwrap_or_default(), expect);
        }
        store.found(ctx, transaction, &self.folders)?;
        Ok(view)
    }
}

fn about(options: &InitOptions) -> Result<(Option<String>, String)> {
    let name = match &options.name {
        Some(name) => Some(limited("name", &text::title("name", name)?, MAX_NAME_CHARS)?),
        None => None,
    };
    let description = text::optional("description", options.description.as_deref())?.unwrap_or_default();
    Ok((name, limited("description", &description, MAX_DESCRIPTION_CHARS)?))
}

fn folder_name(root: &Path) -> String {
    root.file_name().map_or_else(|| "project".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn limited(field: &str, text: &str, most: usize) -> Result<String> {
    if text.chars().count() > most {
        return Err(Error::validation(format!("`{field}` has more than {most} characters"))
            .detail("field", field)
            .hint("shorten it"));
    }
    Ok(text.to_owned())
}
