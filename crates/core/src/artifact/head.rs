//! What the front matter of an artifact says beyond a spec's own head: name, version, and what it refers to.

use super::WorkType;
use crate::decision::link::decision_in;
use crate::decision::uid::Uid;
use crate::document::front_matter::{FrontMatter, Node};

/// The front matter of an artifact; everything it does not say, or says in no known way, is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArtifactHead {
    pub name: Option<String>,
    pub version: Option<String>,
    /// The spec that an implementation implements.
    pub spec: Option<String>,
    /// What a scratch pad is about.
    pub target: Option<String>,
    pub work_type: Option<WorkType>,
    pub references: Vec<Reference>,
    pub supersedes: Vec<Reference>,
    pub relates: Vec<Reference>,
    /// The decision that it follows from.
    pub decision: Option<Uid>,
    /// The folder with the code of an implementation.
    pub location: Option<String>,
    /// What is wrong with it, one line each.
    pub faults: Vec<String>,
}

/// Something that an artifact names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// As it was written.
    pub target: String,
    /// Whether it may be missing.
    pub optional: bool,
}

impl ArtifactHead {
    /// Reads what there is; `None` when the front matter has none of these keys.
    pub fn read(front: &FrontMatter) -> Option<Box<Self>> {
        let text =
            |key: &str| front.string(key).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        let mut head = Self {
            name: text("name"),
            version: text("version"),
            spec: text("spec"),
            target: text("target"),
            decision: decision_in(front),
            location: text("location"),
            references: references(front.get("references")),
            supersedes: references(front.get("supersedes")),
            relates: references(front.get("relates")),
            ..Self::default()
        };
        if let Some(node) = front.get("work_type").filter(|node| !node.is_null()) {
            match WorkType::read(node) {
                Ok(work_type) => head.work_type = Some(work_type),
                Err(fault) => head.faults.push(fault.to_string()),
            }
        }
        (head != Self::default()).then(|| Box::new(head))
    }
}

/// A list of texts or `{ref, optional}` maps, or one of them alone.
fn references(node: Option<&Node>) -> Vec<Reference> {
    let Some(node) = node else { return Vec::new() };
    let items = node.as_list().unwrap_or(std::slice::from_ref(node));
    items.iter().filter_map(reference).collect()
}

fn reference(node: &Node) -> Option<Reference> {
    let target = node.as_str().or_else(|| node.get("ref").and_then(Node::as_str))?.trim();
    let optional = node.get("optional").and_then(Node::as_bool).unwrap_or(false);
    (!target.is_empty()).then(|| Reference { target: target.to_owned(), optional })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::front_matter::find;

    fn read(yaml: &str) -> Option<Box<ArtifactHead>> {
        let text = format!("---\n{yaml}---\n");
        ArtifactHead::read(&FrontMatter::read(&text, &find(&text).block.unwrap()))
    }

    #[test]
    fn the_keys_of_an_implementation_are_read() {
        let head = read(
            "spec: ../../spec/core/spec.md\nname: core-rust\nversion: \"0.1.0\"\nlocation: ../../src\nreferences:\n  - ref: ../../spec/a/spec.md\n    optional: true\n  - b\n  - {}\n",
        )
        .unwrap();
        assert_eq!(head.spec.as_deref(), Some("../../spec/core/spec.md"));
        assert_eq!(head.version.as_deref(), Some("0.1.0"));
        let shown: Vec<(&str, bool)> =
            head.references.iter().map(|reference| (reference.target.as_str(), reference.optional)).collect();
        assert_eq!(shown, [("../../spec/a/spec.md", true), ("b", false)]);
    }

    #[test]
    fn a_front_matter_that_says_none_of_it_costs_nothing() {
        assert_eq!(read("title: T\ndependencies: [a]\n"), None);
        assert_eq!(read("work_type: chore\n").unwrap().faults.len(), 1);
    }
}
