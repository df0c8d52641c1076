//! What an import found, wrote and could not place.

use schemars::JsonSchema;
use serde::Serialize;

/// The report of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportView {
    pub format: String,
    /// The root of the source, seen from the workspace
    pub source: String,
    /// True when nothing was written because nobody asked for it
    pub dry_run: bool,
    /// Every file that is written, or would be
    pub files: Vec<ImportFileView>,
    pub imported: Vec<ImportedView>,
    pub kept_as_prose: Vec<KeptView>,
    pub left_out: Vec<LeftOutView>,
    /// The change that brings what is new in a source that was imported before
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// Parts of the source that were imported before and are the same now
    pub unchanged: usize,
    /// What else there is to know
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// False when something could not be read and somebody has to look at it
    pub complete: bool,
}

impl ImportView {
    /// With the files of the workspace that is made for it.
    #[must_use]
    pub fn with_workspace(mut self, files: &[String]) -> Self {
        let made =
            |file: &String| ImportFileView { file: file.clone(), action: "create".to_owned(), from: None };
        // Folders are there for the files in them.
        self.files.splice(..0, files.iter().filter(|file| !file.ends_with('/')).map(made));
        self
    }
}

/// A file that an import writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportFileView {
    pub file: String,
    /// create or update
    pub action: String,
    /// The file of the source; absent for hewto's own records
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// A part of the source that means something here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportedView {
    /// spec, decision, change or document
    pub kind: String,
    pub id: String,
    pub title: String,
    pub from: String,
    /// What it was called in the source
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    pub requirements: usize,
    pub scenarios: usize,
    pub steps: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// Text that was kept and that hewto does not act on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KeptView {
    pub file: String,
    pub line: usize,
    /// Its heading, or what it is
    pub what: String,
    /// Empty for a whole file
    pub text: String,
    /// Where it is kept
    pub to: String,
}

/// Text that is not in the result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftOutView {
    /// What it belongs to: an id here, else as the source calls it
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub id: Option<String>,
    pub file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    pub why: String,
    /// Whether somebody has to do something about it
    pub fault: bool,
}

/// What could be imported here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportProposals {
    pub root: String,
    pub found: Vec<ImportProposal>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportProposal {
    pub format: String,
    pub tool: String,
    /// The folders and files that told of it
    pub found_by: Vec<String>,
    pub files: usize,
    /// What to run; empty where there is nothing to do
    pub command: String,
    pub why: String,
}

/// What an export consists of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExportView {
    pub format: String,
    /// Where it was written; absent for one text on standard output
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    pub files: Vec<String>,
    /// What the format cannot carry
    pub left_out: Vec<String>,
}
