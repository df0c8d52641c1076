//! Whether a scratch pad is about headings that exist.

use hewto_core::artifact::{ArtifactKind, WorkType};
use hewto_core::document::Document;
use hewto_core::workspace_graph::{NodeId, Relation, WorkspaceGraph};
use hewto_store::{Context, DocKey};
use serde_json::{Map, Value, json};

use crate::error::{Error, Key, Kind, Result};
use crate::workspace::Workspace;

/// Checks the headings in the payload of a work type against the documents they belong to.
pub(super) fn require_headings(
    ws: &Workspace,
    ctx: &Context,
    graph: &WorkspaceGraph,
    target: NodeId,
    work_type: WorkType,
    payload: &Map<String, Value>,
) -> Result<()> {
    let Some(key) = work_type.headings_key() else { return Ok(()) };
    let Some(given) = payload.get(key) else { return Ok(()) };
    let bad = || {
        Error::invalid_argument("headings", "a list of fragments", format!("`{key}` is not a list of texts"))
    };
    let wanted = given.as_array().ok_or_else(bad)?;
    let wanted: Vec<&str> = wanted.iter().map(|item| item.as_str().ok_or_else(bad)).collect::<Result<_>>()?;
    // A defect is measured by the specs; a revision and a refactoring change the document itself.
    let documents = if work_type == WorkType::Fix { specs_of(graph, target) } else { vec![target] };
    let mut known = Vec::new();
    for node in documents {
        ctx.check()?;
        let doc = match graph.node(node).path.as_deref().and_then(DocKey::named) {
            Some(key) => ws.store().read(ctx, &key)?,
            None => None,
        };
        known.extend(doc.iter().flat_map(|doc| headings(&doc.text)));
    }
    let missing: Vec<&str> =
        wanted.into_iter().filter(|name| !known.iter().any(|heading| heading.is(name))).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let fragments: Vec<&str> = known.iter().map(|heading| heading.fragment.as_str()).take(50).collect();
    Err(Error::new(
        Kind::Refused,
        Key::HeadingNotFound,
        format!("there is no heading `{}`", missing.join("`, `")),
    )
    .detail("missing", json!(missing))
    .detail("known", json!(fragments))
    .hint("name headings by their fragments, such as `concept-workspace-discovery`"))
}

fn specs_of(graph: &WorkspaceGraph, implementation: NodeId) -> Vec<NodeId> {
    let edges = graph.outgoing(implementation).iter();
    edges
        .filter(|edge| matches!(edge.relation, Relation::Implements | Relation::References))
        .map(|edge| edge.to)
        .filter(|&node| graph.node(node).kind == ArtifactKind::Specification)
        .collect()
}

struct Heading {
    title: String,
    /// As GitHub makes it: every blank a hyphen.
    fragment: String,
    /// With runs of hyphens made one.
    collapsed: String,
}

impl Heading {
    fn is(&self, wanted: &str) -> bool {
        let wanted = wanted.trim().trim_start_matches('#');
        wanted == self.fragment || wanted == self.collapsed || wanted.eq_ignore_ascii_case(&self.title)
    }
}

fn headings(text: &str) -> Vec<Heading> {
    Document::parse(text)
        .headings()
        .map(|(_, heading)| {
            let title = heading.title.trim().to_owned();
            let fragment: String = title
                .to_lowercase()
                .chars()
                .filter(|ch| ch.is_alphanumeric() || matches!(ch, ' ' | '-' | '_'))
                .map(|ch| if ch == ' ' { '-' } else { ch })
                .collect();
            let words: Vec<&str> = fragment.split('-').filter(|word| !word.is_empty()).collect();
            Heading { collapsed: words.join("-"), title, fragment }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_make_a_fragment_are_taken() {
        let found = headings("# T\n\n## Concept: Workspace & Data Governance\n");
        for name in [
            "concept-workspace--data-governance",
            "#concept-workspace-data-governance",
            "Concept: workspace & data governance",
        ] {
            assert!(found[1].is(name), "{name}");
        }
        assert!(!found[1].is("concept-workspace"));
    }
}
