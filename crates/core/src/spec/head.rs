//! What a `spec.md` says about itself, read from its top alone.

use jiff::Timestamp;
use jiff::civil::DateTime;

use super::{Category, Dependency, DependencyKind};
use crate::artifact::ArtifactHead;
use crate::diagnostic::Diagnostic;
use crate::document;
use crate::document::front_matter::{FrontMatter, Node};
use crate::lifecycle::Lifecycle;
use crate::rules::reading::{CATEGORY_UNKNOWN, FRONT_MATTER_TYPE, STATE_UNKNOWN, TIME_INVALID};
use crate::rules::workspace::DEPENDENCY_INVALID;

/// The head of a spec; everything it does not say, or says in no known way, is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpecHead {
    /// From the front matter, else the first heading.
    pub title: Option<String>,
    pub description: Option<String>,
    pub category: Option<Category>,
    /// The front matter's visible copy of the lifecycle.
    pub state: Option<Lifecycle>,
    pub dependencies: Vec<Dependency>,
    pub created_at: Option<String>,
    pub updated_at: Option<String>,
    /// What it says as a node of the workspace graph; most specs say nothing of it.
    pub artifact: Option<Box<ArtifactHead>>,
    pub front: Front,
    pub diagnostics: Vec<Diagnostic>,
}

/// Whether a document opens with a front matter, sound or not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Front {
    #[default]
    Missing,
    Present,
}

impl SpecHead {
    /// Reads the head of a spec.
    pub fn read(text: &str) -> Self {
        let opening = document::opening(text);
        let mut head = Self { diagnostics: opening.diagnostics, ..Self::default() };
        if let Some(block) = &opening.block {
            let mut front = FrontMatter::read(text, block);
            head.diagnostics.append(&mut front.diagnostics);
            head.front = Front::Present;
            head.take(&front);
        }
        if head.title.is_none() {
            let heading = document::first_heading(text, opening.body_start).map(|(heading, _)| heading);
            head.title = heading.map(|heading| heading.title.into_owned()).filter(|title| !title.is_empty());
        }
        head
    }

    fn take(&mut self, front: &FrontMatter) {
        self.title = self.text(front, "title");
        self.description = self.text(front, "description");
        self.created_at = self.time(front, "created_at");
        self.updated_at = self.time(front, "updated_at");
        if let Some(name) = self.text(front, "category") {
            self.category = name.parse().ok();
            if self.category.is_none() {
                let known = Category::ALL.map(Category::as_str).join("`, `");
                let node = front.get("category").expect("it was read above");
                self.diagnostics.push(CATEGORY_UNKNOWN.at(
                    node.line,
                    node.span.clone(),
                    format!("`{name}` is not a category"),
                    format!("use one of `{known}`"),
                ));
            }
        }
        if let Some(name) = self.text(front, "state") {
            self.state = name.parse().ok();
            if self.state.is_none() {
                let known = Lifecycle::ALL.map(Lifecycle::as_str).join("`, `");
                let node = front.get("state").expect("it was read above");
                self.diagnostics.push(STATE_UNKNOWN.at(
                    node.line,
                    node.span.clone(),
                    format!("`{name}` is not a state"),
                    format!("use one of `{known}`, or leave the key out"),
                ));
            }
        }
        self.artifact = ArtifactHead::read(front);
        self.take_dependencies(front);
    }

    /// The text of a key. A list or a map in its place is worth a remark.
    fn text(&mut self, front: &FrontMatter, key: &str) -> Option<String> {
        let node = front.get(key)?;
        if node.as_str().is_none() && !node.is_null() {
            self.diagnostics.push(FRONT_MATTER_TYPE.at(
                node.line,
                node.span.clone(),
                format!("`{key}` is {}, not text", node.kind()),
                format!("write `{key}: some text`"),
            ));
        }
        node.as_str().map(str::to_owned)
    }

    /// The text of a key that should be a time. What is none is kept and remarked on.
    fn time(&mut self, front: &FrontMatter, key: &str) -> Option<String> {
        let text = self.text(front, key)?;
        if !is_time(&text) {
            let node = front.get(key).expect("it was read above");
            self.diagnostics.push(TIME_INVALID.at(
                node.line,
                node.span.clone(),
                format!("`{key}` is not a time: `{text}`"),
                "write it as 2026-01-31T09:30:00Z, or leave the key out",
            ));
        }
        Some(text)
    }

    fn take_dependencies(&mut self, front: &FrontMatter) {
        let Some(node) = front.get("dependencies").filter(|node| !node.is_null()) else { return };
        let Some(items) = node.as_list() else {
            self.reject(node, format!("`dependencies` is {}, not a list", node.kind()));
            return;
        };
        for item in items {
            self.take_dependency(item);
        }
    }

    fn take_dependency(&mut self, item: &Node) {
        if let Some(target) = item.as_str() {
            let dependency = Dependency::new(target, DependencyKind::default());
            self.dependencies.push(Dependency { line: item.line, ..dependency });
            return;
        }
        let target = item.get("spec_id").or_else(|| item.get("ref")).and_then(Node::as_str);
        let Some(target) = target.filter(|target| !target.trim().is_empty()) else {
            self.reject(item, "a dependency names no spec".to_owned());
            return;
        };
        let kind = match item.get("kind").map(Node::as_str) {
            None => DependencyKind::default(),
            Some(name) => name.and_then(|name| name.parse().ok()).unwrap_or_else(|| {
                self.reject(
                    item,
                    format!("the kind of the dependency on `{target}` is not `hard` or `soft`"),
                );
                DependencyKind::default()
            }),
        };
        let optional = item.get("optional").and_then(Node::as_bool).unwrap_or(false);
        self.dependencies.push(Dependency { target: target.to_owned(), kind, optional, line: item.line });
    }

    fn reject(&mut self, node: &Node, message: String) {
        let hint = "write a list of `- spec_id: <id>` with `kind: hard` or `kind: soft`";
        self.diagnostics.push(DEPENDENCY_INVALID.at(node.line, node.span.clone(), message, hint));
    }
}

/// A moment, or a day.
fn is_time(text: &str) -> bool {
    let text = text.trim();
    text.parse::<Timestamp>().is_ok() || text.parse::<DateTime>().is_ok()
}
