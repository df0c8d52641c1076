//! What a source says, whichever tool wrote it: the same parts for all formats.
//!
//! A reader places every sentence of its files: in a part that means something here, in prose that stands beside it
//! ([`Bundle::prose`] tells which), or in the list of what was left out, with the reason.

use crate::lifecycle::Lifecycle;
use crate::plan::StepStatus;

/// A file of the source as text, by its path below the root of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    pub path: String,
    pub text: String,
}

/// Everything that a source says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bundle {
    pub items: Vec<Item>,
    pub decisions: Vec<Decision>,
    pub changes: Vec<ChangeCopy>,
    /// Files that mean nothing here and stay as they are: steering, constitutions, documents.
    pub documents: Vec<Document>,
    pub prose: Vec<Prose>,
    pub left_out: Vec<LeftOut>,
}

/// Something that is to be built: it becomes a spec, with its plan and its state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Item {
    /// What it is called in the source; stays the same when the source moves on.
    pub key: String,
    /// The id that it should have here.
    pub id: String,
    /// What else it is called: `BACK-12`.
    pub alias: Option<String>,
    pub title: String,
    pub text: SpecText,
    /// Keys of other items that have to be done before.
    pub depends_on: Vec<String>,
    pub plan: Option<ItemPlan>,
    /// How far it has come, and in which words the source says so.
    pub state: Option<(Lifecycle, String)>,
    /// Files beside the spec: name in its folder, and text.
    pub files: Vec<Document>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpecText {
    /// It is in hewto's own grammar already, and stays to the byte.
    Whole(String),
    Parts(Parts),
}

impl Default for SpecText {
    fn default() -> Self {
        Self::Parts(Parts::default())
    }
}

/// A spec in its parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts {
    /// What it is for.
    pub purpose: String,
    pub requirements: Vec<Requirement>,
    /// Further sections: heading and text.
    pub sections: Vec<(String, String)>,
    /// What names and ids are given away, each with how often it was asked for.
    pub(super) names: Taken,
    pub(super) ids: Taken,
}

/// Names that are taken, whatever their letters' case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Taken(std::collections::HashMap<String, usize>);

impl Taken {
    /// The name, or the first of those that `numbered` makes of it that nobody has; it is taken from now on.
    pub(super) fn take(&mut self, name: &str, numbered: impl Fn(usize) -> String) -> String {
        let mut free = name.to_owned();
        while self.0.contains_key(&free.to_ascii_lowercase()) {
            let asked = self.0.entry(name.to_ascii_lowercase()).or_insert(1);
            *asked += 1;
            free = numbered(*asked);
        }
        self.0.insert(free.to_ascii_lowercase(), 1);
        free
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requirement {
    /// The number or name that tags and steps use: `FR-001`.
    pub id: Option<String>,
    pub name: String,
    pub text: String,
    pub scenarios: Vec<Scenario>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scenario {
    pub id: Option<String>,
    pub name: String,
    /// Keyword and text, in their order.
    pub steps: Vec<(String, String)>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemPlan {
    pub approach: String,
    pub steps: Vec<Step>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Step {
    /// `T001`, `2.1`; may be empty.
    pub number: String,
    pub title: String,
    pub description: String,
    pub status: StepStatus,
    /// Numbers of steps that have to be done before.
    pub depends_on: Vec<String>,
    /// Ids of requirements or scenarios of the same item.
    pub proves: Vec<String>,
    pub notes: String,
}

/// A decision of another tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decision {
    pub key: String,
    /// The number it was known by: `0005`.
    pub alias: String,
    pub title: String,
    /// `YYYY-MM-DD`, where the source has one.
    pub date: Option<String>,
    pub status: String,
    /// Keys of the decisions that it takes the place of.
    pub supersedes: Vec<String>,
    /// Heading and text, in their order.
    pub sections: Vec<(String, String)>,
}

/// A change of a format that has changes, to the byte.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeCopy {
    pub key: String,
    pub id: String,
    pub archived: bool,
    pub files: Vec<Document>,
}

/// A file that is kept whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// In the source.
    pub from: String,
    /// Below the folder that it goes to.
    pub to: String,
    pub text: String,
}

/// Text that was kept, without a meaning that hewto acts on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prose {
    pub file: String,
    /// From 1.
    pub line: usize,
    /// Its heading, or what it is.
    pub what: String,
    pub text: String,
    /// The item that keeps it; empty for documents.
    pub item: String,
}

/// Text that is not in the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// What the source calls the part that it is of, where that has a name.
    pub id: Option<String>,
    pub file: String,
    pub line: Option<usize>,
    pub text: String,
    pub why: String,
    /// Whether somebody has to do something about it.
    pub is_fault: bool,
}

impl Bundle {
    pub(super) fn leave_out(&mut self, file: &str, line: usize, text: &str, why: &str) {
        self.left_out.push(LeftOut {
            id: None,
            file: file.to_owned(),
            line: Some(line),
            text: text.to_owned(),
            why: why.to_owned(),
            is_fault: false,
        });
    }

    pub(super) fn fault(&mut self, file: &str, line: Option<usize>, why: impl Into<String>) {
        self.left_out.push(LeftOut {
            id: None,
            file: file.to_owned(),
            line,
            text: String::new(),
            why: why.into(),
            is_fault: true,
        });
    }

    /// What the last thing left out says.
    pub(super) fn saying(&mut self, text: &str) {
        if let Some(last) = self.left_out.last_mut() {
            text.clone_into(&mut last.text);
        }
    }

    /// Names the part that the last thing left out belongs to.
    pub(super) fn of(&mut self, id: &str) {
        if let Some(last) = self.left_out.last_mut().filter(|_| !id.is_empty()) {
            last.id = Some(id.to_owned());
        }
    }

    pub(super) fn keep_prose(&mut self, item: &str, file: &str, line: usize, what: &str, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        self.prose.push(Prose {
            file: file.to_owned(),
            line,
            what: what.to_owned(),
            text: text.to_owned(),
            item: item.to_owned(),
        });
    }

    /// Notes that a whole file is kept as it is.
    pub(super) fn keep_file(&mut self, item: &str, from: &str) {
        self.prose.push(Prose {
            file: from.to_owned(),
            line: 1,
            what: "the whole file".to_owned(),
            text: String::new(),
            item: item.to_owned(),
        });
    }
}

impl SourceFile {
    /// The name of the file without its folders.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}
