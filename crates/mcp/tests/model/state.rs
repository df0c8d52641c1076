//! What should be there.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::dice::Dice;

/// The workspace as it should be, by what was asked for and not refused.
#[derive(Debug, Clone, Default)]
pub(crate) struct Model {
    /// The folder of everything, absolute.
    pub(crate) base: String,
    /// Specs with a lifecycle.
    pub(crate) work: BTreeMap<String, Work>,
    /// Specs that promise something: requirements by capability and name.
    pub(crate) living: BTreeMap<String, BTreeMap<String, Requirement>>,
    pub(crate) changes: BTreeMap<String, Change>,
    /// Changes that were archived or withdrawn.
    pub(crate) ended: Vec<String>,
    /// What holds, by category and field.
    pub(crate) architecture: BTreeMap<String, BTreeMap<String, String>>,
    pub(crate) decisions: Vec<String>,
    /// Interviews, with the questions that wait.
    pub(crate) interviews: Vec<(String, Value)>,
    /// What each claim that was not given back is for.
    pub(crate) claims: BTreeMap<u64, String>,
    /// Comments by id: on what, whether each is settled, and what it says.
    pub(crate) comments: BTreeMap<String, (String, bool, String)>,
    /// Files with their bytes and folders without, below `yard` of the workspace and in the repository beside it.
    pub(crate) files: BTreeMap<String, Option<Vec<u8>>>,
    /// Implementations and scratch pads by their handles.
    pub(crate) papers: BTreeMap<String, String>,
    /// Plans of the graph that wait: by id, the handle and whether it is to be deleted.
    pub(crate) plans: BTreeMap<String, (String, bool)>,
    pub(crate) pointers: BTreeMap<String, String>,
    pub(crate) branches: Vec<String>,
    /// Words of requirements that are not there any more.
    pub(crate) forgotten: Vec<String>,
    /// How many artifacts were named, so that names and words are not used twice.
    pub(crate) made: usize,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Work {
    /// Not known of a spec that somebody else wrote.
    pub(crate) title: Option<String>,
    pub(crate) state: String,
    /// Titles and whether they are done.
    pub(crate) plan: Option<Vec<(String, bool)>>,
    /// The descriptions of the steps and their notes, where they are known.
    pub(crate) prose: Vec<(Option<String>, Option<String>)>,
    /// What the document has to say besides.
    pub(crate) content: Option<String>,
    /// How far the build is, and what was noted of it.
    pub(crate) progress: Option<(Value, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Requirement {
    pub(crate) text: String,
    pub(crate) scenarios: Vec<String>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Change {
    /// Drafted by the server in its own words.
    pub(crate) foreign: bool,
    pub(crate) why: String,
    pub(crate) tasks: Vec<(String, bool)>,
    /// What it does, by capability and requirement.
    pub(crate) deeds: BTreeMap<(String, String), Deed>,
}

#[derive(Debug, Clone)]
pub(crate) enum Deed {
    Add(Requirement),
    /// To this, from what it was when that was written.
    Modify(Requirement, Option<Requirement>),
    Remove,
    Rename(String),
}

impl Model {
    /// The id of a spec or change, as the tools of work take it.
    pub(crate) fn item(&self, dice: &mut Dice<'_>) -> String {
        if dice.once_in(3) {
            return format!("change:{}", dice.known(self.changes.keys(), &self.ids()));
        }
        dice.known(self.work.keys(), &self.ids())
    }

    pub(crate) fn change(&self, dice: &mut Dice<'_>) -> String {
        dice.known(self.changes.keys(), &self.ids())
    }

    pub(crate) fn capability(&self, dice: &mut Dice<'_>) -> String {
        dice.known(self.living.keys(), &self.ids())
    }

    pub(crate) fn requirement(&self, capability: &str, dice: &mut Dice<'_>) -> String {
        let none = BTreeMap::new();
        let known = self.living.get(capability).unwrap_or(&none);
        dice.known(known.keys(), &self.ids())
    }

    /// A handle or a path of the graph.
    pub(crate) fn locator(&self, dice: &mut Dice<'_>) -> String {
        let specs = self.work.keys().chain(self.living.keys()).map(|id| format!("spec://{id}"));
        let changes = self.changes.keys().map(|id| format!("change://{id}"));
        let handles: Vec<String> = specs.chain(self.papers.keys().cloned()).chain(changes).collect();
        let paths = self.work.keys().map(|id| format!("specs/{id}/spec.md"));
        let others: Vec<String> = paths.chain(self.ids()).collect();
        dice.known(handles.iter(), &others)
    }

    /// Ids of every kind, some of which are the wrong kind for whoever asks.
    pub(crate) fn ids(&self) -> Vec<String> {
        let mut ids: Vec<String> = self.living.keys().cloned().collect();
        ids.extend(self.work.keys().cloned());
        ids.extend(self.changes.keys().cloned());
        ids.extend(self.ended.iter().cloned());
        ids.extend(self.decisions.iter().cloned());
        ids.extend(self.comments.keys().cloned());
        ids.extend(self.papers.keys().cloned());
        ids
    }

    /// Where a spec or change of this id is kept.
    pub(crate) fn folder(item: &str) -> String {
        match item.strip_prefix("change:") {
            Some(change) => format!("ws/changes/{change}/"),
            None => format!("ws/specs/{item}/"),
        }
    }

    /// A spec that is worked on; one that promises something becomes one with its first plan or state.
    pub(crate) fn works_on(&mut self, id: &str) -> Option<&mut Work> {
        if self.living.contains_key(id) && !self.work.contains_key(id) {
            self.work.insert(id.to_owned(), Work { state: "draft".into(), ..Work::default() });
        }
        self.work.get_mut(id)
    }

    /// The plan of a spec, or the tasks of a change.
    pub(crate) fn steps(&mut self, item: &str) -> Option<&mut Vec<(String, bool)>> {
        match item.strip_prefix("change:") {
            Some(change) => Some(&mut self.changes.get_mut(change)?.tasks),
            None => self.work.get_mut(item)?.plan.as_mut(),
        }
    }
}

/// A text of the arguments.
pub(crate) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}

/// A text without what documents do not keep: the kind of its line ends, and blanks round it.
pub(crate) fn plain(text: &str) -> String {
    text.replace("\r\n", "\n").trim().to_owned()
}

/// The texts of a list.
pub(crate) fn texts(value: &Value) -> Vec<String> {
    let list = value.as_array().into_iter().flatten();
    list.filter_map(|text| text.as_str().map(str::to_owned)).collect()
}
