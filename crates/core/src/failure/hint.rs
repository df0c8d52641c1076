//! What to do next, in words that each face makes its own.
//!
//! A hint is text with actions in it. The MCP server puts the name of a tool in an action's place, if this client was
//! shown one that does it; the command line puts a command there; anybody else reads it in plain words.

use std::fmt;
use std::sync::Arc;

use super::Action;

/// How a face names what can be done. Without one, actions are told in plain words.
#[derive(Clone, Default)]
pub struct Wording(Option<Arc<dyn Names>>);

/// The names of one face.
pub trait Names: Send + Sync {
    /// As a part of a sentence: "call `spec_list`", "run `hewto spec list`". `None` where it has no name for it.
    fn instruction(&self, action: &Action) -> Option<String>;

    /// As it is sent or typed: `spec_list {"state": "active"}`, `hewto spec list`. `arguments` are written as JSON.
    fn call(&self, action: &Action, arguments: &str) -> Option<String>;
}

impl Wording {
    pub fn new(names: Arc<dyn Names>) -> Self {
        Self(Some(names))
    }

    /// A hint in the words of this face.
    pub fn hint(&self, hint: &Hint) -> String {
        hint.render(|action| self.0.as_ref()?.instruction(action))
    }

    /// An action as it is sent or typed.
    pub fn call(&self, action: &Action, arguments: &str) -> String {
        let named = self.0.as_ref().and_then(|names| names.call(action, arguments));
        named.unwrap_or_else(|| action.words())
    }
}

impl fmt::Debug for Wording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wording")
    }
}

/// What to do next.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hint {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Action(Action),
}

impl Hint {
    /// Goes on with text.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.parts.push(Part::Text(text.into()));
        self
    }

    /// Goes on with something to do.
    #[must_use]
    pub fn action(mut self, action: Action) -> Self {
        self.parts.push(Part::Action(action));
        self
    }

    /// Goes on with another hint.
    #[must_use]
    pub fn hint(mut self, other: Self) -> Self {
        self.parts.extend(other.parts);
        self
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The whole hint, with each action in the words that `name` finds for it, else in plain ones.
    pub fn render(&self, mut name: impl FnMut(&Action) -> Option<String>) -> String {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => text.clone(),
                Part::Action(action) => name(action).unwrap_or_else(|| action.words()),
            })
            .collect()
    }
}

impl fmt::Display for Hint {
    /// In plain words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(|_| None))
    }
}

impl From<Action> for Hint {
    fn from(action: Action) -> Self {
        Self::default().action(action)
    }
}

impl From<String> for Hint {
    fn from(text: String) -> Self {
        Self::default().text(text)
    }
}

impl From<&str> for Hint {
    fn from(text: &str) -> Self {
        Self::default().text(text)
    }
}

impl From<&String> for Hint {
    fn from(text: &String) -> Self {
        Self::default().text(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_face_names_an_action_in_its_own_way() {
        let hint = Action::ListSpecs.to("see the ids");
        assert_eq!(hint.to_string(), "list the specs to see the ids");
        let tool = |_: &Action| Some("call `spec_list`".to_owned());
        assert_eq!(hint.render(tool), "call `spec_list` to see the ids");
        assert_eq!(Hint::from("wait").render(tool), "wait");
    }
}
