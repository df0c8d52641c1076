//! The decision records of a repository, read from its files. They are the truth; the state file is a projection.

use hewto_core::decision::architecture::{Architecture, Link};
use hewto_core::decision::record::{Adr, ArchitectureState, Malformed, Task};
use hewto_core::decision::uid::Uid;
use hewto_store::{Context, Doc, Own};

use super::failure;
use super::repository::Repository;
use crate::error::{Error, Result};

/// A record and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Record {
    /// Relative to the repository.
    pub(super) path: String,
    /// Its name there.
    pub(super) file: String,
    pub(super) adr: Adr,
    pub(super) text: String,
}

/// All records, in the order of their UIDs, and what they come to.
#[derive(Debug, Clone, Default)]
pub(super) struct Records {
    pub(super) all: Vec<Record>,
    pub(super) architecture: Architecture,
}

/// The current task, when there is one.
#[derive(Debug, Clone)]
pub(super) struct Current {
    pub(super) task: Task,
    pub(super) doc: Doc,
}

impl Records {
    /// Reads every record. One that cannot be read fails the whole: a decision must not be lost in silence.
    pub(super) fn read(repository: &Repository, ctx: &Context) -> Result<Self> {
        Self::gather(repository, ctx, &mut Err)
    }

    /// Those that can be read, and what is wrong with the others: for people who look, and decide nothing by it.
    pub(super) fn readable(repository: &Repository, ctx: &Context) -> Result<(Self, Vec<Error>)> {
        let mut broken = Vec::new();
        let mut keep = |error| {
            broken.push(error);
            Ok(())
        };
        let records = Self::gather(repository, ctx, &mut keep)?;
        Ok((records, broken))
    }

    fn gather(
        repository: &Repository,
        ctx: &Context,
        broken: &mut dyn FnMut(Error) -> Result<()>,
    ) -> Result<Self> {
        let folder = &repository.places().decisions;
        let names = repository.store().file_names(ctx, folder).map_err(failure::unreadable)?;
        let mut all = Vec::new();
        for name in names {
            // Other files, and records of other tools, may stand in the same folder.
            let Some(uid) = Uid::of_file_name(&name) else { continue };
            ctx.check()?;
            let Ok(key) = folder.document(&name) else { continue };
            let doc = match repository.read(ctx, &key) {
                Ok(Some(doc)) => doc,
                Ok(None) => continue,
                Err(error) => {
                    ctx.check()?;
                    broken(error)?;
                    continue;
                }
            };
            match read_one(&uid, &doc.text) {
                Ok(adr) => all.push(Record { path: doc.path.to_string(), file: name, adr, text: doc.text }),
                Err(error) => broken(failure::parse_error(&doc.path, &error))?,
            }
        }
        all.sort_by(|a, b| a.adr.uid.cmp(&b.adr.uid));
        if all.is_empty() {
            require_sound_state(repository, ctx)?;
        }
        let links: Vec<Link> = all.iter().map(|record| record.adr.link()).collect();
        Ok(Self { all, architecture: Architecture::of(&links) })
    }

    /// The file name of the latest record.
    pub(super) fn latest_file(&self) -> Option<String> {
        self.all.last().map(|record| record.file.clone())
    }
}

fn read_one(uid: &Uid, text: &str) -> std::result::Result<Adr, Malformed> {
    let adr = Adr::read(text)?;
    if adr.uid == *uid {
        return Ok(adr);
    }
    let message = format!("the file is named `{uid}` and says `{}`", adr.uid);
    Err(Malformed { line: 1, message })
}

/// A state file without any record cannot be generated anew, so a broken one is somebody's business.
fn require_sound_state(repository: &Repository, ctx: &Context) -> Result<()> {
    let own = Own::ArchitectureState;
    let Some(doc) = repository.read_own(ctx, own)? else { return Ok(()) };
    match ArchitectureState::read(&doc.text) {
        Ok(_) => Ok(()),
        Err(error) => Err(failure::parse_error(own.path(), &error)),
    }
}

pub(super) fn current_task(repository: &Repository, ctx: &Context) -> Result<Option<Current>> {
    let own = Own::CurrentTask;
    let Some(doc) = repository.read_own(ctx, own)? else { return Ok(None) };
    match Task::read(&doc.text) {
        Ok(task) => Ok(Some(Current { task, doc })),
        Err(error) => Err(failure::parse_error(own.path(), &error)),
    }
}

/// The greatest UID that the repository knows. Tasks of days to come are passed over; a record never is: the order of records is the
/// history, and what is decided now has to come behind it.
pub(super) fn greatest_uid(
    repository: &Repository,
    ctx: &Context,
    records: &Records,
    current: Option<&Current>,
) -> Result<Option<Uid>> {
    let archive = &repository.places().task_archive;
    let archived = repository.store().file_names(ctx, archive).map_err(failure::unreadable)?;
    let archived = archived.iter().filter_map(|name| Uid::of_file_name(name));
    let tasks = current.map(|current| current.task.uid.clone());
    let tasks = archived.chain(tasks).filter(|uid| !uid.is_ahead(ctx.now()));
    Ok(tasks.chain(records.architecture.latest.clone()).max())
}
