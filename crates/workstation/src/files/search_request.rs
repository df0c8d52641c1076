//! What `fs_search` is asked.

use hewto_core::page::PageRequest;
use hewto_core::schema::unstated;
use schemars::JsonSchema;
use serde::Deserialize;

use super::walk::Ignored;
use crate::confine::first_root;

/// What to search for.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct Search {
    /// A folder or a file; default the first root
    #[serde(default = "first_root")]
    #[schemars(skip_serializing_if = "unstated")]
    pub path: String,
    pub query: String,
    /// Default false: the text as it is
    #[serde(default, rename = "regex")]
    #[schemars(with = "bool", skip_serializing_if = "unstated")]
    pub syntax: SearchSyntax,
    /// Only files with such a name, as for fs_find
    pub pattern: Option<String>,
    /// Patterns to leave out, as in a .gitignore
    #[serde(default)]
    pub exclude: Vec<String>,
    /// Also what .gitignore leaves out
    #[serde(default, rename = "include_ignored")]
    #[schemars(with = "bool", skip_serializing_if = "unstated")]
    pub ignored: Ignored,
    #[serde(flatten)]
    pub page: PageRequest,
}

/// How the query is meant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(from = "bool")]
pub enum SearchSyntax {
    #[default]
    Literal,
    Regex,
}

impl From<bool> for SearchSyntax {
    fn from(is_regex: bool) -> Self {
        if is_regex { Self::Regex } else { Self::Literal }
    }
}
