//! The plan of an `init`: made without writing anything, shown, and carried out together.

use std::path::{Path, PathBuf};

use hewto_store::{
    ContentHash, Context, DocKey, Expect, Layout, Own, RelPath, Store, Transaction, discover_own, plan_init,
};

use super::agents::{self, Connected};
use super::planner::Planner;
use super::{Action, AgentChoice, AgentView, InitOptions, InitView, PlannedView};
use crate::client::{Scope, skills};
use crate::error::{Error, Result};
use crate::install::{
    FileChange, Manifest, OWN_ENTRY, Personal, PersonalChange, ServerEntry, unified, unified_personal,
};
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
    personal: Vec<PersonalChange>,
    owner: Option<Personal>,
}

/// Looks at everything and writes nothing.
pub fn plan(folder: &Path, ctx: &Context, options: &InitOptions) -> Result<Plan> {
    let (name, description) = about(options)?;
    let there = discover_own(folder).filter(|there| !options.nested || is_at(folder, there));
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
    let mut planner = Planner::new(store, options.purpose);
    planner.renewed.clone_from(&options.renewed);
    let manifest_text = planner.read(ctx, &Own::Manifest.place())?;
    planner.manifest = Manifest::read(manifest_text.as_deref())?;

    let mut folders = Vec::new();
    if let Some(laid_out) = laid_out {
        for (path, text) in laid_out.files {
            planner.lay_out(ctx, path, text)?;
        }
        folders = laid_out.folders;
        planner.note_what_is_there(ctx, &layout)?;
    }
    let read = |path: &RelPath| planner.read(ctx, path).ok().flatten();
    for (path, part) in agents::parts(&connected, &options.agents, &root, &options.command, read) {
        planner.add_part(ctx, &path, &part)?;
    }
    if !connected.is_empty() {
        planner.manifest.no_skills = !options.skills;
    }
    if options.skills {
        let reached = connected.iter().filter(|one| one.agent.scope() == Scope::Project || is_asked(options));
        for (path, text) in reached.flat_map(|connected| skills(connected.agent)) {
            planner.add_own(ctx, &path, &text)?;
        }
    }
    add_personal(&mut planner, &connected, &root, options)?;
    planner.finish(ctx, &folders, manifest_text)?;
    let Planner { changes, lines, personal, .. } = planner;
    let owner = options.personal.clone();
    Ok(Plan { root, layout, is_new, connected, changes, folders, lines, personal, owner })
}

/// Whether a workspace has its root in this very folder.
fn is_at(folder: &Path, layout: &Layout) -> bool {
    fs_err::canonicalize(folder).is_ok_and(|real| real == layout.root())
}

/// Whether files of the person may be written.
fn is_asked(options: &InitOptions) -> bool {
    options.user || matches!(options.agents, AgentChoice::Named(_))
}

/// Agents that keep their servers with the person: written for those that were named, or on wish for all.
fn add_personal(
    planner: &mut Planner,
    connected: &[Connected],
    root: &Path,
    options: &InitOptions,
) -> Result<()> {
    for Connected { agent, .. } in connected.iter().filter(|one| one.agent.scope() == Scope::Person) {
        match &options.personal {
            Some(personal) if is_asked(options) => {
                let root = root.to_string_lossy().into_owned();
                let entry = ServerEntry { agent: *agent, command: options.command.clone(), root };
                planner.add_personal(personal, &entry)?;
            }
            _ => planner.mention_personal(*agent),
        }
    }
    Ok(())
}

impl Plan {
    /// What an upgrade is going to do.
    pub(super) fn of_upgrade(
        root: PathBuf,
        layout: Layout,
        planner: Planner,
        owner: Option<Personal>,
    ) -> Self {
        let Planner { changes, lines, personal, .. } = planner;
        let (connected, folders) = (Vec::new(), Vec::new());
        Self { root, layout, is_new: false, connected, changes, folders, lines, personal, owner }
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.personal.is_empty()
    }

    /// What would be done, with the diff.
    pub fn preview(&self) -> InitView {
        InitView { diff: Some(unified(&self.changes) + &unified_personal(&self.personal)), ..self.view() }
    }

    /// What is done.
    pub fn view(&self) -> InitView {
        let mut files: Vec<String> = self.changes.iter().map(|change| change.path.to_string()).collect();
        files.extend(self.folders.iter().map(|folder| format!("{folder}/")));
        files.extend(self.personal.iter().map(|change| change.name.clone()));
        files.sort();
        let kinds: Vec<&str> = self.layout.kinds().iter().map(|kind| kind.as_str()).collect();
        InitView {
            root: self.root.display().to_string(),
            layout: kinds.join(", "),
            created: self.is_new,
            files,
            agents: self.connected.iter().map(|connected| self.agent(connected)).collect(),
            complete: self
                .lines
                .iter()
                .all(|line| !matches!(line.action, Action::LeftAlone | Action::Beside)),
            plan: self.lines.clone(),
            diff: None,
        }
    }

    /// How to reach an agent; first of all by mending its configuration, where that could not be used.
    fn agent(&self, connected: &Connected) -> AgentView {
        let view = AgentView::from(connected);
        let files = connected.agent.files();
        let is_unusable = |line: &&PlannedView| {
            line.action == Action::LeftAlone && files.contains(&line.file.as_str()) && line.why != OWN_ENTRY
        };
        if let Some(PlannedView { file, .. }) = self.lines.iter().find(is_unusable) {
            let open = format!("correct {file} and run `hewto init` again, {}", view.open);
            return AgentView { open, ..view };
        }
        view
    }

    /// Writes everything together, if every file still is what it was.
    pub fn carry_out(self, ctx: &Context) -> Result<InitView> {
        let view = self.view();
        if self.changes.is_empty() {
            return self.write_personal(view);
        }
        ctx.check()?;
        Store::make_root(&self.root)?;
        let store = Store::open(self.layout.clone())?;
        let gitignore = Own::Gitignore.place();
        let mut transaction = Transaction::new();
        for change in &self.changes {
            let expect = match &change.before {
                // The lock has written it already, or somebody else's has.
                _ if change.path == gitignore => Expect::Any,
                Some(text) => Expect::Hash(ContentHash::of(text.as_bytes())),
                None => Expect::Absent,
            };
            transaction.put(
                DocKey::File(change.path.clone()),
                change.after.clone().unwrap_or_default(),
                expect,
            );
        }
        store.found(ctx, transaction, &self.folders)?;
        self.write_personal(view)
    }

    /// The person's own files come last: each of them is written whole or not at all.
    fn write_personal(&self, view: InitView) -> Result<InitView> {
        for change in &self.personal {
            if let Some(owner) = &self.owner {
                owner.carry_out(change)?;
            }
        }
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
