//! Where the code or the test for a promise stands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Ref;
use super::source::hash_words;

/// One tag, or one entry of `.hewto/links.toml`, with what it stands at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Link {
    #[serde(rename = "ref")]
    pub reference: Ref,
    pub kind: LinkKind,
    /// Relative to the workspace, with `/`.
    pub path: String,
    /// The line of the tag, from 1.
    pub line: u32,
    /// The declaration behind the tag, or the file as a whole; absent where a sidecar names what is not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Anchor>,
    /// What a report calls the test: the string of `it("…")`, the name of the function, the Gherkin scenario.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What encloses the test, outermost first: `describe` titles, classes, modules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suites: Vec<String>,
}

/// What a link points at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    Code,
    Test,
    /// A file as a whole.
    File,
}

impl LinkKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Test => "test",
            Self::File => "file",
        }
    }
}

/// The hash of what several links stand at together, in whatever order and file they are; empty without any.
pub(crate) fn combined_hash(links: &[&Link]) -> String {
    if links.is_empty() {
        return String::new();
    }
    let mut hashes: Vec<&str> = links
        .iter()
        .map(|link| link.anchor.as_ref().map_or(link.path.as_str(), |anchor| anchor.token_hash.as_str()))
        .collect();
    hashes.sort_unstable();
    hash_words(hashes)
}

/// A declaration: its lines, its name and what its tokens say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Anchor {
    /// First line, attributes included, from 1.
    pub start: u32,
    /// Last line.
    pub end: u32,
    /// The line on which its body opens, where it is known to have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opens: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Hash of the tokens; stays the same under reformatting.
    pub token_hash: String,
}
