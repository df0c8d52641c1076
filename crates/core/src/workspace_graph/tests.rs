use proptest::prelude::*;

use super::*;

const SPECS: &[ArtifactKind] = &[ArtifactKind::Specification];

fn spec(slug: &str, needs: &[&str]) -> Source {
    let links = needs.iter().map(|reference| link(Relation::Depends, reference)).collect();
    Source {
        kind: ArtifactKind::Specification,
        slug: slug.to_owned(),
        name: slug.to_owned(),
        path: format!("spec/{slug}/spec.md"),
        handle: format!("spec://{slug}"),
        version: None,
        metadata: BTreeMap::new(),
        links,
    }
}

fn link(relation: Relation, reference: &str) -> Link {
    let (reference, optional) = match reference.strip_suffix('?') {
        Some(reference) => (reference, true),
        None => (reference, false),
    };
    Link {
        relation,
        reference: reference.to_owned(),
        base: LinkBase::Document,
        kinds: SPECS,
        optional,
        strength: None,
    }
}

fn shown(graph: &WorkspaceGraph, edges: &[Edge]) -> Vec<String> {
    edges.iter().map(|edge| format!("{} {}", graph.node(edge.from).name, graph.node(edge.to).name)).collect()
}

fn at(graph: &WorkspaceGraph, slug: &str) -> NodeId {
    graph.named(ArtifactKind::Specification, slug)[0]
}

#[test]
fn trees_are_transitive_both_ways_and_in_order() {
    let graph = WorkspaceGraph::build(&[
        spec("d", &["../c/spec.md"]),
        spec("c", &["b", "spec://a"]),
        spec("b", &["../a"]),
        spec("a", &[]),
    ]);
    assert_eq!(shown(&graph, &graph.upstream(at(&graph, "c")).edges), ["b a", "c a", "c b"]);
    assert_eq!(shown(&graph, &graph.downstream(at(&graph, "b")).edges), ["c b", "d c"]);
    assert!(graph.circle(&graph.upstream(at(&graph, "d"))).is_none());
}

#[test]
fn what_leads_nowhere_is_a_node_that_says_so() {
    let graph = WorkspaceGraph::build(&[spec(
        "a",
        &["ghost", "../../../etc/passwd", "https://x.org/y", "ftp://z", "../a.txt", "spec://gone?"],
    )]);
    let edges = graph.upstream(at(&graph, "a")).edges;
    let of = |name: &str| {
        let edge = edges.iter().find(|edge| graph.node(edge.to).name == name).unwrap();
        graph.node(edge.to)
    };
    assert_eq!(edges.len(), 6);
    assert_eq!(of("ghost").metadata["resolution"], "unresolved");
    assert_eq!(of("../../../etc/passwd").metadata["error"], "it leads out of the workspace");
    assert_eq!(of("https://x.org/y").standing, Standing::Remote);
    assert_eq!(of("ftp://z").metadata["error"], "unknown scheme `ftp://`");
    assert_eq!(of("../a.txt").path.as_deref(), Some("spec/a.txt"));
    assert_eq!(of("spec://gone").metadata["resolution"], "unresolved");
}

#[test]
fn a_circle_is_shown_from_a_node_back_to_itself() {
    let graph = WorkspaceGraph::build(&[
        spec("a", &["b"]),
        spec("b", &["c"]),
        spec("c", &["b"]),
        spec("self", &["self"]),
        spec("free", &[]),
    ]);
    let chain = |slug: &str| {
        let chain = graph.circle(&graph.upstream(at(&graph, slug)))?;
        Some(chain.iter().map(|&node| graph.node(node).name.clone()).collect::<Vec<_>>())
    };
    assert_eq!(chain("a").unwrap(), ["b", "c", "b"]);
    assert_eq!(chain("self").unwrap(), ["self", "self"]);
    assert_eq!(chain("free"), None);
}

#[test]
fn several_mentions_are_optional_only_when_all_are() {
    let graph = WorkspaceGraph::build(&[
        spec("a", &["c?", "../c/spec.md"]),
        spec("b", &["c?", "../c?"]),
        spec("c", &[]),
    ]);
    let blockers: Vec<Edge> = graph.blockers(at(&graph, "c")).copied().collect();
    assert_eq!(shown(&graph, &blockers), ["a c"]);
    assert_eq!(graph.edge_count(), 2);
}

#[test]
fn relations_that_do_not_bind_neither_block_nor_close_a_circle() {
    let mut a = spec("a", &[]);
    a.links.push(link(Relation::Relates, "b"));
    let mut b = spec("b", &[]);
    b.links.push(link(Relation::Supersedes, "a"));
    let graph = WorkspaceGraph::build(&[a, b]);
    assert_eq!(graph.blockers(at(&graph, "a")).count() + graph.blockers(at(&graph, "b")).count(), 0);
    assert!(graph.circle(&graph.upstream(at(&graph, "a"))).is_none());
}

proptest! {
    #[test]
    fn upstream_and_downstream_mirror_each_other(edges in prop::collection::vec((0_u8..12, 0_u8..12), 0..40)) {
        let sources: Vec<Source> = (0..12_u8)
            .map(|from| {
                let needs: Vec<String> =
                    edges.iter().filter(|edge| edge.0 == from).map(|edge| format!("n{}", edge.1)).collect();
                spec(&format!("n{from}"), &needs.iter().map(String::as_str).collect::<Vec<_>>())
            })
            .collect();
        let graph = WorkspaceGraph::build(&sources);
        for (id, _) in graph.nodes() {
            let up = graph.upstream(id);
            for edge in &up.edges {
                let back = graph.downstream(edge.to);
                prop_assert!(edge.to == id || back.edges.iter().any(|other| other.from == id));
            }
            // A circle is reported exactly when the walk can come back to where it was.
            let comes_back = up.edges.iter().any(|edge| graph.path(edge.to, edge.from).is_some());
            prop_assert_eq!(graph.circle(&up).is_some(), comes_back);
        }
    }
}
