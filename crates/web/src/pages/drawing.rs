//! The drawing of a neighbourhood, as SVG: what is needed stands to the left, what needs it to the right.

use std::collections::BTreeMap;

use hewto_engine::view::{GraphNode, NeighbourhoodView};
use maud::{Markup, html};

use super::graph::{name, page_of};
use crate::frame::Frame;
use crate::text::plain;

const WIDTH: usize = 190;
const HEIGHT: usize = 40;
const GAP_X: usize = 70;
const GAP_Y: usize = 14;
const EDGE: usize = 12;
/// Longer names are cut; the list has them whole.
const LONGEST_NAME: usize = 22;

/// Where a node stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Spot {
    x: usize,
    y: usize,
}

pub(super) fn drawing(frame: &Frame<'_>, view: &NeighbourhoodView) -> Markup {
    let (spots, width, height) = spots(&view.nodes);
    html! {
        div class="scroll" tabindex="0" role="region" aria-label="Drawing; the same is in the list below" {
            svg class="drawing" viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height)
                role="group" aria-label={ (view.nodes.len()) " artifacts and " (view.edges.len()) " links" } {
                defs {
                    marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto" {
                        path class="tip" d="M0 0 8 4 0 8z" {}
                    }
                }
                @for edge in &view.edges {
                    @if let (Some(from), Some(to)) = (spots.get(edge.from), spots.get(edge.to)) {
                        path class={ "edge " (edge.r#type) } d=(line(*from, *to)) marker-end="url(#arrow)" {
                            title { (edge.r#type) }
                        }
                    }
                }
                @for (node, spot) in view.nodes.iter().zip(&spots) {
                    (box_of(frame, node, *spot, view.depth))
                }
            }
        }
    }
}

fn box_of(frame: &Frame<'_>, node: &GraphNode, spot: Spot, depth: usize) -> Markup {
    let name = plain(&name(node));
    let short: String = name.chars().take(LONGEST_NAME).collect();
    let short = if short.len() < name.len() { format!("{short}…") } else { short };
    let class = if node.distance == 0 { "node middle" } else { "node" };
    let address = page_of(frame, node).unwrap_or_else(|| frame.graph(&node.artifact.handle, depth));
    html! {
        a href=(address) {
            g class=(class) {
                title { (node.artifact.id.kind) ": " (name) }
                rect x=(spot.x) y=(spot.y) width=(WIDTH) height=(HEIGHT) rx="6" {}
                text x=(spot.x + 10) y=(spot.y + 17) { (short) }
                text class="kind" x=(spot.x + 10) y=(spot.y + 32) { (node.artifact.id.kind) }
            }
        }
    }
}

/// Columns by distance, each in the middle of the height; and how large all of it is.
fn spots(nodes: &[GraphNode]) -> (Vec<Spot>, usize, usize) {
    let mut columns: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
    for (at, node) in nodes.iter().enumerate() {
        columns.entry(node.distance).or_default().push(at);
    }
    let tallest = columns.values().map(Vec::len).max().unwrap_or(1);
    let height = tallest * (HEIGHT + GAP_Y) - GAP_Y + 2 * EDGE;
    let mut spots = vec![Spot::default(); nodes.len()];
    for (column, members) in columns.values().enumerate() {
        let taken = members.len() * (HEIGHT + GAP_Y) - GAP_Y;
        let top = (height - taken) / 2;
        for (row, node) in members.iter().enumerate() {
            spots[*node] = Spot { x: EDGE + column * (WIDTH + GAP_X), y: top + row * (HEIGHT + GAP_Y) };
        }
    }
    let width = columns.len() * (WIDTH + GAP_X) - GAP_X.min(columns.len() * (WIDTH + GAP_X)) + 2 * EDGE;
    (spots, width, height)
}

/// A curve from one box to another; one that stays in its column bows out of it.
fn line(from: Spot, to: Spot) -> String {
    let (fy, ty) = (from.y + HEIGHT / 2, to.y + HEIGHT / 2);
    if from.x == to.x {
        let (x, bow) = (from.x + WIDTH, from.x + WIDTH + GAP_X / 2);
        return format!("M{x} {fy} C{bow} {fy} {bow} {ty} {x} {ty}");
    }
    let (fx, tx) = if from.x < to.x { (from.x + WIDTH, to.x) } else { (from.x, to.x + WIDTH) };
    let middle = usize::midpoint(fx, tx);
    format!("M{fx} {fy} C{middle} {fy} {middle} {ty} {tx} {ty}")
}
