//! The front matter of a document: where it is, what it says, and how one key of it is changed.
//!
//! Reading never fails: broken YAML gives the keys before the fault and a diagnostic. Editing refuses rather than
//! guesses, and touches no byte beside the edited keys. Scalars are text here; what they mean is the caller's.

mod block;
mod edit;
mod list;
mod read;
mod write;

pub(crate) use block::BOM;
pub use block::FrontMatterBlock;
pub(crate) use block::find;
pub use edit::{EditError, FrontMatterEdit, MissingBlock};
pub use list::{add_item, remove_item};
pub use write::Value;
pub(crate) use write::render;

use super::Span;
use crate::diagnostic::Diagnostic;
use crate::rules::reading::FRONT_MATTER_DUPLICATE_KEY;

/// The keys of a front matter, with what is wrong with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrontMatter {
    /// In the order of the text; a key that stands twice is here twice.
    pub entries: Vec<Entry>,
    pub diagnostics: Vec<Diagnostic>,
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub key: String,
    pub key_span: Span,
    pub node: Node,
}

/// A YAML value with its place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub data: Data,
    pub span: Span,
    /// 1-based line on which the value begins.
    pub line: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Data {
    /// A scalar after its escapes; dates and numbers stay as they were written.
    Scalar {
        text: String,
        style: ScalarStyle,
    },
    List(Vec<Node>),
    Map(Vec<Entry>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScalarStyle {
    Plain,
    Quoted,
    /// A literal (`|`) or folded (`>`) block.
    Block,
}

impl FrontMatter {
    /// Reads the front matter that stands at `block` in `text`.
    pub fn read(text: &str, block: &FrontMatterBlock) -> Self {
        read::read(text, block)
    }

    /// What keeps it from being edited safely. Keys that appear twice do not: the last one counts.
    pub fn fault(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|fault| fault.code != FRONT_MATTER_DUPLICATE_KEY.code)
    }

    /// The value of a key. Where a key stands twice the last one counts, as in most YAML readers.
    pub fn get(&self, key: &str) -> Option<&Node> {
        get(&self.entries, key)
    }

    /// The value of a key as text; `None` when it is absent, null, a list or a map.
    pub fn string(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Node::as_str)
    }

    /// The value of a key as a list; `None` when it is absent or something else.
    pub fn list(&self, key: &str) -> Option<&[Node]> {
        self.get(key).and_then(Node::as_list)
    }
}

impl Node {
    /// The text of a scalar that is not null.
    pub fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::Scalar { text, .. } if !self.is_null() => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_list(&self) -> Option<&[Self]> {
        match &self.data {
            Data::List(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn as_map(&self) -> Option<&[Entry]> {
        match &self.data {
            Data::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// A plain `true` or `false`.
    pub fn as_bool(&self) -> Option<bool> {
        match &self.data {
            Data::Scalar { text, style: ScalarStyle::Plain } => match text.as_str() {
                "true" | "True" | "TRUE" => Some(true),
                "false" | "False" | "FALSE" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    pub fn is_null(&self) -> bool {
        match &self.data {
            Data::Scalar { text, style: ScalarStyle::Plain } => {
                matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL")
            }
            _ => false,
        }
    }

    /// The value of a key, when this is a map.
    pub fn get(&self, key: &str) -> Option<&Self> {
        get(self.as_map()?, key)
    }

    /// What the value is, in words for a message.
    pub fn kind(&self) -> &'static str {
        match &self.data {
            Data::Scalar { .. } if self.is_null() => "nothing",
            Data::Scalar { .. } => "text",
            Data::List(_) => "a list",
            Data::Map(_) => "a map",
        }
    }

    /// Whether both say the same, wherever they stand and however they are quoted.
    pub(crate) fn says_the_same_as(&self, other: &Self) -> bool {
        match (&self.data, &other.data) {
            (Data::Scalar { text, .. }, Data::Scalar { text: other_text, .. }) => {
                text == other_text && self.is_null() == other.is_null() && self.as_bool() == other.as_bool()
            }
            (Data::List(items), Data::List(others)) => {
                items.len() == others.len()
                    && items.iter().zip(others).all(|(item, other)| item.says_the_same_as(other))
            }
            (Data::Map(entries), Data::Map(others)) => {
                entries.len() == others.len()
                    && entries.iter().zip(others).all(|(entry, other)| {
                        entry.key == other.key && entry.node.says_the_same_as(&other.node)
                    })
            }
            _ => false,
        }
    }
}

fn get<'e>(entries: &'e [Entry], key: &str) -> Option<&'e Node> {
    entries.iter().rev().find(|entry| entry.key == key).map(|entry| &entry.node)
}

#[cfg(test)]
mod tests;
