//! Writing a new `spec.md`, and editing one without disturbing what was not named.

use super::{Category, Dependency, EditError, KEYS, body, body_start, stored};
use crate::decision::link::DECISION_KEY;
use crate::decision::uid::Uid;
use crate::document::front_matter::{self, FrontMatter, FrontMatterEdit, MissingBlock, Value};
use crate::document::{EolStyle, opening};
use crate::lifecycle::Lifecycle;

/// Everything a new spec is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSpec {
    pub title: String,
    pub description: String,
    pub category: Category,
    pub state: Lifecycle,
    pub dependencies: Vec<Dependency>,
    /// The decision that it follows from.
    pub decision: Option<Uid>,
    pub created_at: String,
    pub updated_at: String,
    /// The Markdown body.
    pub content: String,
}

/// What is to change in a spec; everything absent stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpecEdit {
    pub title: Option<String>,
    pub description: Option<String>,
    pub category: Option<Category>,
    /// Replaces the body.
    pub content: Option<String>,
    /// Replaces all dependencies.
    pub dependencies: Option<Vec<Dependency>>,
    /// Written only where the front matter shows a state already.
    pub state: Option<Lifecycle>,
    /// Written where the front matter shows one already, or when another key but the state is edited.
    pub updated_at: Option<String>,
}

/// The text of a new `spec.md`.
pub fn render_new_spec(spec: &NewSpec) -> String {
    let values = [
        Value::Text(spec.title.clone()),
        Value::Text(spec.description.clone()),
        Value::from(spec.category.as_str()),
        Value::from(spec.state.as_str()),
        dependencies_value(&spec.dependencies),
        Value::Timestamp(spec.created_at.clone()),
        Value::Timestamp(spec.updated_at.clone()),
    ];
    let decision = spec.decision.as_ref().map(|uid| Value::Text(uid.to_string()));
    let keys = KEYS.into_iter().zip(&values).chain(decision.iter().map(|uid| (DECISION_KEY, uid)));
    let mut text = front_matter::render(keys, EolStyle::Lf);
    let content = EolStyle::Lf.applied_to(&stored(&spec.content));
    if !content.is_empty() {
        text.push('\n');
        text.push_str(&content);
    }
    text
}

/// The text with the edit made.
///
/// A text without front matter gets one only when a title, description, category or dependency is edited.
pub fn edit_spec(text: &str, edit: &SpecEdit) -> Result<String, EditError> {
    let text = match &edit.content {
        Some(content) => replace_body(text, content)?,
        None => text.to_owned(),
    };
    metadata_edit(&text, edit).apply(&text)
}

fn metadata_edit(text: &str, edit: &SpecEdit) -> FrontMatterEdit<'static> {
    let mut changes = FrontMatterEdit::new(MissingBlock::Create).in_order(&KEYS);
    if let Some(title) = &edit.title {
        changes = changes.set("title", Value::Text(title.clone()));
    }
    if let Some(description) = &edit.description {
        changes = changes.set("description", Value::Text(description.clone()));
    }
    if let Some(category) = edit.category {
        changes = changes.set("category", category.as_str().into());
    }
    if let Some(dependencies) = &edit.dependencies {
        changes = changes.set("dependencies", dependencies_value(dependencies));
    }
    let is_named = !changes.is_empty();
    let front = opening(text).block.map(|block| FrontMatter::read(text, &block)).unwrap_or_default();
    if let Some(state) = edit.state.filter(|_| front.get("state").is_some()) {
        changes = changes.set("state", state.as_str().into());
    }
    if let Some(moment) = edit.updated_at.as_ref().filter(|_| is_named || front.get("updated_at").is_some()) {
        changes = changes.set("updated_at", Value::Timestamp(moment.clone()));
    }
    changes
}

fn replace_body(text: &str, content: &str) -> Result<String, EditError> {
    let start = body_start(text);
    let eol = EolStyle::of(text);
    let content = eol.applied_to(&stored(content));
    let has_gap = text[..start].ends_with("\n\n") || text[..start].ends_with("\n\r\n");
    // Without a blank line behind the front matter, one at the start of the content would be taken for it.
    let needs_gap = opening(text).block.is_some() && !has_gap && content.starts_with(eol.as_str());
    let new = format!("{}{}{content}", &text[..start], if needs_gap { eol.as_str() } else { "" });
    if body(&new) == content { Ok(new) } else { Err(EditError::Content) }
}

fn dependencies_value(dependencies: &[Dependency]) -> Value {
    let entry = |dependency: &Dependency| {
        let mut keys = vec![
            ("spec_id".to_owned(), Value::Text(dependency.target.clone())),
            ("kind".to_owned(), Value::from(dependency.kind.as_str())),
        ];
        if dependency.optional {
            keys.push(("optional".to_owned(), Value::Bool(true)));
        }
        Value::Map(keys)
    };
    Value::List(dependencies.iter().map(entry).collect())
}
