//! The files that belong to one machine, by what they are; none of them is anybody's text, and most can be made again.

use super::Layout;
use crate::path::RelPath;

/// A file of the machine's part of a workspace; the layout knows where it stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum LocalKey {
    /// What a person approved, by its digest.
    Approved(String),
    /// What a person has looked at, under a name that says nothing.
    Looked(String),
    /// The copy of a document that was fetched, by the hash of its address.
    Fetched(String),
    /// What is noted beside that copy.
    FetchedNote(String),
    /// What the deltas of a change were written against, by the id of the change.
    Base(String),
    /// Which tags stand in which file; whoever reads it notices when it is torn.
    Tags,
    /// The interview of the command line.
    Interview,
    /// Keeps other commands from that interview.
    InterviewLock,
    LastIntention,
    /// What a model was sent last.
    LastPrompt,
    /// A file of a folder that is listed, under its name there.
    In(LocalFolder, String),
}

/// A folder of the machine's part that is asked for everything in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LocalFolder {
    /// Plans that wait to be carried out.
    Plans,
    /// Calls under way.
    Running,
}

impl LocalFolder {
    /// The file of this id.
    pub fn file(self, id: &str) -> LocalKey {
        LocalKey::In(self, format!("{id}.json"))
    }
}

impl LocalKey {
    /// Whether it has the name of a file that [`LocalFolder::file`] names.
    pub fn is_record(&self) -> bool {
        matches!(self, Self::In(_, name) if name.ends_with(".json"))
    }

    /// Whether nobody waits until it is on the disk: it is made again whenever it is missing or torn, or of no use after a crash.
    pub(crate) fn is_derived(&self) -> bool {
        matches!(self, Self::Tags | Self::In(LocalFolder::Running, _))
    }
}

impl Layout {
    /// Where a file of the machine stands below the state root, as people see it; `None` when it cannot have such a name.
    pub(crate) fn local(&self, key: &LocalKey) -> Option<RelPath> {
        let (cache, clarify) = (&self.places.cache, self.places.clarify.path());
        let path = match key {
            LocalKey::Approved(digest) => cache.join(&format!("review/{digest}.json")),
            LocalKey::Looked(name) => cache.join(&format!("review/looks/{name}.json")),
            LocalKey::Fetched(hash) => cache.join(&format!("templates/url-{hash}.md")),
            LocalKey::FetchedNote(hash) => cache.join(&format!("templates/url-{hash}.json")),
            LocalKey::Base(change) => cache.join(&format!("bases/{change}.json")),
            LocalKey::Tags => cache.join("links"),
            LocalKey::Interview => clarify.join("current_session.json"),
            LocalKey::InterviewLock => clarify.join("lock"),
            LocalKey::LastIntention => clarify.join("last_intention.txt"),
            LocalKey::LastPrompt => clarify.join("debug/last_llm_prompt.md"),
            LocalKey::In(folder, name) => self.local_folder(*folder).join(name),
        };
        path.ok()
    }

    pub(crate) fn local_folder(&self, folder: LocalFolder) -> RelPath {
        let inside = |folder: &RelPath, name| folder.join(name).expect("a plain word");
        match folder {
            LocalFolder::Plans => inside(&self.places.cache, "plans"),
            LocalFolder::Running => inside(&self.places.state, "live"),
        }
    }
}
