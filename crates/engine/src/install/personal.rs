//! Agents that keep their servers with the person: one file in the home for all projects.
//!
//! Such a file is written only when somebody asks for it, beside the commit of the workspace, and what was done to it is
//! remembered on this machine, not in the repository.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hewto_store::{OwnerFile, PersonalFile, remove_empty_folders};
use serde::{Deserialize, Serialize};

use super::{Before, Decision, Part, Record, ServerEntry, Unreadable, before, decide};
use crate::client::Agent;
use crate::error::{Error, Key, Kind, Result};

/// The record of what was written, in the owner's state folder.
const FILE: &str = "agents.json";

/// Where a person's own files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Personal {
    home: PathBuf,
    records: OwnerFile,
}

/// What was done to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PersonalRecord {
    /// The workspace that the entry names.
    pub(crate) workspace: String,
    pub(crate) agent: String,
    #[serde(flatten)]
    pub(crate) record: Record,
    /// Folders that were not there before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) folders: Vec<PathBuf>,
}

/// A file that is to be written, or taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PersonalChange {
    /// As people read it, beginning with `~`.
    pub(crate) name: String,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
    /// What to remember; `None` to forget it.
    pub(crate) record: Option<PersonalRecord>,
    /// Folders to remove when they are empty.
    pub(crate) folders: Vec<PathBuf>,
}

/// What is to become of an agent's file.
pub(crate) enum PersonalPlan {
    Unchanged,
    Left(String),
    Change(Box<PersonalChange>, bool),
}

impl Personal {
    /// The files in this home; records go to the folder of state.
    pub fn new(home: impl Into<PathBuf>, state: impl Into<PathBuf>) -> Self {
        Self { home: home.into(), records: OwnerFile::new(state, FILE) }
    }

    /// The file of an agent, as people read it, and its text.
    pub(crate) fn read(&self, agent: Agent) -> Option<(&'static str, std::io::Result<Option<String>>)> {
        let name = agent.home_file(&self.home)?;
        Some((name, self.file(name).read()))
    }

    fn file(&self, name: &str) -> PersonalFile {
        PersonalFile::new(self.home.join(name.trim_start_matches("~/")))
    }

    /// What to do to the file of an agent, so that it knows the workspace at `root`.
    pub(crate) fn plan(&self, entry: &ServerEntry, renews: bool) -> Result<Option<(String, PersonalPlan)>> {
        let Some((name, text)) = self.read(entry.agent) else { return Ok(None) };
        let text = match text {
            Ok(text) => text,
            Err(error) => return Ok(Some((name.to_owned(), PersonalPlan::Left(error.to_string())))),
        };
        let known = self.records()?.remove(name).filter(|known| known.workspace == entry.root);
        let part = Part::Entry(entry.clone());
        let decided = decide(&part, known.as_ref().map(|known| &known.record), text.as_deref(), renews);
        let plan = match decided {
            Err(Unreadable(why)) => PersonalPlan::Left(why),
            Ok(Decision::Unchanged) => PersonalPlan::Unchanged,
            Ok(Decision::Theirs(why)) => PersonalPlan::Left(why.to_owned()),
            Ok(Decision::Write { renews, after, record }) => {
                let record = PersonalRecord {
                    workspace: entry.root.clone(),
                    agent: entry.agent.name().to_owned(),
                    record,
                    folders: known.map(|known| known.folders).unwrap_or_default(),
                };
                let change = PersonalChange {
                    name: name.to_owned(),
                    before: text,
                    after: Some(after),
                    record: Some(record),
                    folders: Vec::new(),
                };
                PersonalPlan::Change(Box::new(change), renews)
            }
        };
        Ok(Some((name.to_owned(), plan)))
    }

    /// The agents that were told of the workspace at `root`.
    pub(crate) fn connected(&self, root: &str) -> Result<Vec<Agent>> {
        let records = self.records()?.into_values().filter(|known| known.workspace == root);
        Ok(records.filter_map(|known| known.agent.parse().ok()).collect())
    }

    /// What to take back of what was written for the workspace at `root`, and what has to stay, with the reason.
    #[expect(clippy::type_complexity, reason = "two lists, read at once by the one caller")]
    pub(crate) fn take_back(&self, root: &str) -> Result<(Vec<PersonalChange>, Vec<(String, String)>)> {
        let (mut changes, mut kept) = (Vec::new(), Vec::new());
        for (name, known) in self.records()?.into_iter().filter(|(_, known)| known.workspace == root) {
            let part = known.agent.parse::<Agent>().ok().map(|agent| Part::Entry(ServerEntry::of(agent)));
            let text = match self.file(&name).read() {
                Ok(text) => text,
                Err(error) => {
                    kept.push((name, error.to_string()));
                    continue;
                }
            };
            let after = match text.as_deref().map(|text| before(part.as_ref(), &known.record, text)) {
                None => None,
                Some(Before::Text(after)) => after,
                Some(Before::Edited(why)) => {
                    kept.push((name, why));
                    continue;
                }
            };
            changes.push(PersonalChange { name, before: text, after, record: None, folders: known.folders });
        }
        Ok((changes, kept))
    }

    /// Removes the folders that were made for these files, once all of them are gone.
    pub(crate) fn clear(&self, changes: &[PersonalChange]) -> Result<()> {
        let is_empty = |text: &str| self.parsed(text).is_ok_and(|records| records.is_empty());
        self.records.remove_if(is_empty).map_err(|error| self.unusable(error))?;
        let folders: Vec<PathBuf> = changes.iter().flat_map(|change| change.folders.clone()).collect();
        remove_empty_folders(&folders).map_err(|error| self.unusable(error))
    }

    /// Writes one file. What is to be remembered is remembered first, so that a crash leaves nothing unknown.
    pub(crate) fn carry_out(&self, change: &PersonalChange) -> Result<()> {
        let unwritable = |error: std::io::Error| {
            Error::new(Kind::Machine, Key::IoError, format!("cannot write: `{}`", change.name))
                .hint("look at the owner and the permissions of the file and its folder")
                .detail("file", change.name.as_str())
                .caused_by(error)
        };
        // The record may be the first thing that is kept for this person.
        let mut own = self.records.absent_folders();
        if let Some(record) = &change.record {
            let mut record = record.clone();
            record.folders.append(&mut own);
            self.remember(|records| drop(records.insert(change.name.clone(), record)))?;
        }
        let made = if change.before == change.after {
            Vec::new()
        } else {
            let file = self.file(&change.name);
            file.replace(change.before.as_deref(), change.after.as_deref()).map_err(unwritable)?
        };
        match &change.record {
            Some(_) if made.is_empty() => Ok(()),
            Some(_) => self.remember(|records| {
                if let Some(record) = records.get_mut(&change.name) {
                    record.folders.extend(made);
                }
            }),
            None => {
                remove_empty_folders(&change.folders).map_err(unwritable)?;
                self.remember(|records| drop(records.remove(&change.name)))
            }
        }
    }

    fn records(&self) -> Result<BTreeMap<String, PersonalRecord>> {
        let text = self.records.read().map_err(|error| self.unusable(error))?;
        text.map_or_else(|| Ok(BTreeMap::new()), |text| self.parsed(&text))
    }

    fn parsed(&self, text: &str) -> Result<BTreeMap<String, PersonalRecord>> {
        serde_json::from_str(text).map_err(|error| self.unusable(error))
    }

    fn remember(&self, change: impl FnOnce(&mut BTreeMap<String, PersonalRecord>)) -> Result<()> {
        let updated = self.records.update(|text| {
            let mut records = match text {
                Some(text) => self.parsed(&text)?,
                None => BTreeMap::new(),
            };
            change(&mut records);
            Ok::<_, Error>(serde_json::to_string_pretty(&records).expect("records are plain data") + "\n")
        });
        updated.map_err(|error| self.unusable(error))?
    }

    fn unusable(&self, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        let file = self.records.path().display().to_string();
        Error::new(Kind::Refused, Key::ManifestInvalid, format!("cannot use the record of agents: `{file}`"))
            .detail("file", file)
            .hint("correct the file, or remove it and hewto's entries in your agents' own files by hand")
            .caused_by(error)
    }
}
