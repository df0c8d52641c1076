//! What hangs around one thing: a drawing, and the same as a list.

use std::borrow::Cow;

use hewto_engine::view::{GraphNode, NeighbourhoodView};
use maud::{Markup, html};

use super::drawing::drawing;
use super::trouble::{NEW_SPEC, empty};
use crate::address::decoded;
use crate::frame::Frame;
use crate::text::{badge, count, plain, said};

/// The neighbourhood of an artifact, or all to choose from.
pub fn graph(frame: &Frame<'_>, view: &NeighbourhoodView) -> Markup {
    let Some(around) = &view.around else { return choice(frame, view) };
    html! {
        div class="head" {
            h1 id="region-title" data-region { "Around " (said(&view.nodes.first().map_or(Cow::Borrowed(around.as_str()), name))) }
            p class="tabs" {
                @for depth in 1..=3_usize {
                    a href=(frame.graph(around, depth)) aria-current=[(depth == view.depth).then_some("true")] {
                        (count(depth, "step", "steps"))
                    }
                }
                a href=(frame.to("graph")) { "Choose another" }
            }
        }
        div id="region-graph" data-region {
            (drawing(frame, view))
            @if view.left_out > 0 { p class="hint" { (count(view.left_out, "more is", "more are")) " left out." } }
            h2 { "As a list" }
            ul class="plain-list" {
                @for edge in &view.edges {
                    @if let (Some(from), Some(to)) = (view.nodes.get(edge.from), view.nodes.get(edge.to)) {
                        li data-item tabindex="-1" { (link(frame, from, view.depth)) " " em { (edge.r#type) } " " (link(frame, to, view.depth)) }
                    }
                }
            }
            @if view.edges.is_empty() { p class="none" { "It needs nothing, and nothing needs it." } }
        }
    }
}

fn choice(frame: &Frame<'_>, view: &NeighbourhoodView) -> Markup {
    html! {
        div class="head" { h1 { "Graph" } p class="strip" { "Choose what to look around." } }
        @if !view.nodes.is_empty() {
            form class="filters" id="region-filters" data-region method="get" action=(frame.to("graph")) {
                label { "Around " input id="around" name="around" required placeholder="id of a spec or change"; }
                label { "Steps " select name="depth" { @for depth in 1..=3_usize { option value=(depth) { (depth) } } } }
                button { "Show" }
            }
        }
        @if view.nodes.is_empty() {
            div id="region-empty" data-region { (empty("Nothing is connected yet. Write the first spec with", NEW_SPEC)) }
        }
        ul class="plain-list" id="region-graph" data-region {
            @for node in &view.nodes {
                li class="card" data-item tabindex="-1" {
                    a href=(frame.graph(&node.artifact.handle, 1)) { (said(&name(node))) } " "
                    (badge("", &node.artifact.id.kind)) " " code { (plain(&node.artifact.handle)) }
                }
            }
        }
        @if view.left_out > 0 {
            p class="hint" id="region-left-out" data-region { (count(view.left_out, "more is", "more are")) " not shown: search for it, and open its graph." }
        }
    }
}

fn link(frame: &Frame<'_>, node: &GraphNode, depth: usize) -> Markup {
    html! {
        a href=(frame.graph(&node.artifact.handle, depth)) { (said(&name(node))) }
        @if let Some(address) = page_of(frame, node) { " (" a href=(address) { "open" span class="unseen" { " " (plain(&name(node))) } } ")" }
    }
}

/// What a node is called: by its title, else by its name.
pub(super) fn name(node: &GraphNode) -> Cow<'_, str> {
    let name = node.artifact.id.name.as_str();
    match (node.artifact.metadata.get("title"), node.artifact.id.kind.as_str()) {
        (Some(title), _) => title.into(),
        (None, "Plan") => format!("Plan of {}", name.trim_start_matches("change:")).into(),
        (None, _) => name.into(),
    }
}

/// The page of an artifact, where it has one.
pub(super) fn page_of(frame: &Frame<'_>, node: &GraphNode) -> Option<String> {
    let handle = node.artifact.handle.as_str();
    if node.artifact.id.kind == "Decision" && node.artifact.path.is_some() {
        // Its UID or, of another tool's record, the name of its file, which no handle may be able to carry.
        return Some(frame.decision(&node.artifact.id.name));
    }
    // What stands behind `://` is written as in an address.
    let id = handle.split_once("://").and_then(|(_, id)| decoded(id, false));
    let id = id.or_else(|| handle.split_once(':').map(|(_, id)| id.to_owned()))?;
    match node.artifact.id.kind.as_str() {
        "Specification" if node.artifact.path.is_some() => Some(frame.spec(&id)),
        "Change" => Some(frame.item(&format!("change:{id}"))),
        _ => None,
    }
}
