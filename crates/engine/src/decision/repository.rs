//! The repository a call is about: the nearest one with a `.git`, workspace or not (D-2).

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use hewto_core::decision::catalogue::Catalogue;
use hewto_core::decision::record::Malformed;
use hewto_core::decision::uid::Uid;
use hewto_store::{
    Context, DocKey, Layout, Own, Places, Start, Store, Survey, WriteGuard, discover_repository,
};

use super::failure;
use crate::error::Result;
use crate::trust::Trust;
use crate::workspace::Workspace;

/// How far into a repository files are looked for, and how many.
const SURVEY: Survey<'static> = Survey {
    depth: 5,
    files: 10_000,
    skipped: &["node_modules", "__pycache__", "venv", "dist", "build", "target"],
};

/// Which repository is meant.
#[derive(Debug, Clone)]
pub struct Where {
    /// What the caller named, if anything; relative to `start`.
    pub named: Option<String>,
    /// Where the server or the command stands.
    pub start: PathBuf,
    pub climb: Climb,
    pub reach: RepositoryScope,
    /// What the owner of this machine trusts; gates never fall below it.
    pub trust: Trust,
    /// Where git is looked for, which knows the gates and signers of the default branch; nowhere when it is empty.
    pub search_path: Vec<PathBuf>,
}

/// Whether the repository may lie above the folder that was named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Climb {
    Up,
    /// The named folder itself has to be the repository.
    Never,
}

/// Which repositories may be named at all (D-15).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RepositoryScope {
    Anywhere,
    /// Only those inside this folder, a real path.
    Inside(PathBuf),
}

/// An open repository; clones share one store.
#[derive(Debug, Clone)]
pub struct Repository {
    store: Store,
    trust: Trust,
    search_path: Vec<PathBuf>,
}

impl Repository {
    pub fn find(place: &Where) -> Result<Self> {
        let named = place.named.as_deref().filter(|path| !path.is_empty());
        let from = named.map_or_else(|| place.start.clone(), |path| place.start.join(path));
        let unfound = || {
            let error = match named {
                Some(path) => {
                    failure::repo_not_found(format!("No git repository found at `{}`", shown(path)))
                }
                None => failure::repo_not_found("No git repository found"),
            };
            match place.reach {
                RepositoryScope::Anywhere => error,
                // In the same words whether or not something stands there: what is outside is nobody's business.
                RepositoryScope::Inside(_) => error.hint("name a repository inside the server's workspace"),
            }
        };
        let layout = discover_repository(&from).map_err(|_| unfound())?;
        let is_root = || std::fs::canonicalize(&from).is_ok_and(|real| real == layout.root());
        if named.is_some() && place.climb == Climb::Never && !is_root() {
            return Err(unfound());
        }
        if let RepositoryScope::Inside(folder) = &place.reach
            && !layout.root().starts_with(folder)
        {
            return Err(unfound());
        }
        let store = Store::open_scanning(layout).map_err(failure::filesystem)?;
        Ok(Self { store, trust: place.trust.clone(), search_path: place.search_path.clone() })
    }

    pub fn root(&self) -> &Path {
        self.store.root()
    }

    pub fn layout(&self) -> &Layout {
        self.store.layout()
    }

    /// Where hewto's own documents are.
    pub(super) fn places(&self) -> &Places {
        self.store.places()
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    /// Takes the write lock; the repository that comes with it reads as its holder does.
    pub(super) fn lock(&self, ctx: &Context) -> Result<(WriteGuard, Self)> {
        let guard = self.store.lock(ctx).map_err(failure::unlocked)?;
        let held = Self { store: Store::clone(&guard), ..self.clone() };
        Ok((guard, held))
    }

    /// The workspace here, whose gates decisions pass; `None` where there is none, and so no gate.
    pub(super) fn workspace(&self) -> Option<Workspace> {
        let found = Workspace::discover(Start::Here(self.root())).ok()?;
        let found = found.with_trust(self.trust.clone()).with_search_path(self.search_path.clone());
        (found.root() == self.root()).then_some(found)
    }

    /// One of hewto's own documents.
    pub(super) fn read_own(&self, ctx: &Context, own: Own) -> Result<Option<hewto_store::Doc>> {
        self.store.read(ctx, &DocKey::Own(own)).map_err(failure::unreadable)
    }

    /// One document of the repository.
    pub(super) fn read(&self, ctx: &Context, key: &DocKey) -> Result<Option<hewto_store::Doc>> {
        self.store.read(ctx, key).map_err(failure::unreadable)
    }

    /// The questions that are asked here: the built-in ones, with the repository's own laid over them.
    pub(super) fn catalogue(&self, ctx: &Context) -> Result<Cow<'static, Catalogue>> {
        let builtin = Catalogue::builtin();
        let Some(doc) = self.read_own(ctx, Own::Questions)? else { return Ok(Cow::Borrowed(builtin)) };
        let extended = builtin.extended(&doc.text).map_err(|error| {
            failure::parse_error(&doc.path, &Malformed { line: error.line, message: error.message })
        })?;
        Ok(Cow::Owned(extended))
    }

    /// The UIDs of all decisions, in no order, by the names of their files.
    pub(super) fn decision_uids(&self, ctx: &Context) -> Result<Vec<Uid>> {
        let folder = &self.places().decisions;
        let names = self.store.file_names(ctx, folder).map_err(failure::unreadable)?;
        Ok(names.iter().filter_map(|name| Uid::of_file_name(name)).collect())
    }

    /// Where decisions and open questions stand.
    pub(crate) fn folders(&self) -> [PathBuf; 2] {
        let places = self.places();
        [places.decisions.under(self.root()), self.store.machine().folder(&places.clarify)]
    }

    /// What tells whether a decision came, or was edited, or a question waits.
    pub(crate) fn mark(&self, ctx: &Context, hasher: &mut impl Hasher) {
        let places = self.places();
        for folder in [&places.decisions, &places.clarify] {
            for name in self.store.file_names(ctx, folder).unwrap_or_default() {
                name.hash(hasher);
                let key = folder.document(&name).ok();
                if let Some(stamp) = key.and_then(|key| self.store.stamp(ctx, &key).ok().flatten()) {
                    (stamp.size, stamp.mtime_ns).hash(hasher);
                }
            }
        }
    }

    /// The files that a change may be about, without the ones that hewto itself writes.
    pub(super) fn files(&self, ctx: &Context) -> Result<Vec<String>> {
        let places = self.places();
        let mut files = self.store.survey(ctx, SURVEY).map_err(failure::unreadable)?;
        let own = [Own::CurrentTask, Own::ArchitectureState, Own::AgentPrompt].map(Own::path);
        let folders = [&places.decisions, &places.task_archive];
        files.retain(|file| {
            !own.contains(&file.as_str()) && !folders.iter().any(|folder| folder.below(file).is_some())
        });
        Ok(files)
    }
}

fn shown(path: &str) -> String {
    path.chars().take(200).collect::<String>().escape_debug().to_string()
}
