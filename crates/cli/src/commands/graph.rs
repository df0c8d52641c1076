//! `hewto graph`: what hangs on what.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use hewto_engine::graph::{self, TreeRequest};
use hewto_engine::view::{ArtifactSummary, DependencyEdge, DependencyTree, GraphView};

use crate::failure::{Outcome, Verdict};
use crate::place::{Place, context, locator};
use crate::ui::{BAD, DIM, HEADING, NAME, Ui, one_line, paint};

/// Show what an artifact needs and what needs it, or the whole workspace graph
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A handle such as spec://name or impl://name, or a path; everything when left out
    handle: Option<String>,
    /// Only what it needs
    #[arg(long, conflicts_with = "down")]
    up: bool,
    /// Only what needs it
    #[arg(long)]
    down: bool,
    /// How to draw it
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Drawing::Tree)]
    format: Drawing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Drawing {
    Tree,
    Dot,
    Mermaid,
    Json,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: &Args) -> Outcome {
    let workspace = place.workspace()?;
    let ctx = context();
    let Some(handle) = &args.handle else {
        let view = graph::whole(&workspace, &ctx)?;
        draw_whole(ui, &view, args.format)?;
        return Ok(Verdict::Yes);
    };
    let request = TreeRequest { locator: locator(&workspace, handle)?, max_chars: Some(usize::MAX) };
    let mut tree = graph::tree(&workspace, &ctx, &request)?;
    if args.up {
        tree.downstream.clear();
        tree.aggregate.clone_from(&tree.upstream);
    } else if args.down {
        tree.upstream.clear();
        tree.aggregate.clone_from(&tree.downstream);
    }
    match args.format {
        Drawing::Json => ui.json(&tree)?,
        Drawing::Dot => ui.verbatim(&dot(&tree.aggregate, std::slice::from_ref(&tree.root)))?,
        Drawing::Mermaid => ui.verbatim(&mermaid(&tree.aggregate, std::slice::from_ref(&tree.root)))?,
        Drawing::Tree => ui.answer(&tree, |tree| draw(tree, args))?,
    }
    Ok(Verdict::Yes)
}

fn draw_whole(ui: &mut Ui, view: &GraphView, drawing: Drawing) -> crate::ui::Written {
    match drawing {
        Drawing::Json => ui.json(view),
        Drawing::Dot => ui.verbatim(&dot(&view.edges, &view.artifacts)),
        Drawing::Mermaid => ui.verbatim(&mermaid(&view.edges, &view.artifacts)),
        Drawing::Tree => ui.answer(view, |view| {
            if view.artifacts.is_empty() {
                return "no artifacts".to_owned();
            }
            let mut out = String::new();
            for artifact in &view.artifacts {
                let _ = writeln!(out, "{}", label(artifact));
                for edge in view.edges.iter().filter(|edge| edge.from.handle == artifact.handle) {
                    let _ = writeln!(out, "  {} {}", paint(DIM, &kind(edge)), label(&edge.to));
                }
            }
            out
        }),
    }
}

fn draw(tree: &DependencyTree, args: &Args) -> String {
    let mut out = format!("{}\n", label(&tree.root));
    if !args.down {
        let _ = writeln!(out, "{}", paint(HEADING, "needs"));
        let mut branches = Branches::new(&tree.upstream, |edge| (&edge.from, &edge.to));
        branches.draw(&mut out, &tree.root.handle, 1);
    }
    if !args.up {
        let _ = writeln!(out, "{}", paint(HEADING, "is needed by"));
        let mut branches = Branches::new(&tree.downstream, |edge| (&edge.to, &edge.from));
        branches.draw(&mut out, &tree.root.handle, 1);
    }
    out
}

/// The edges by where they begin, seen from the root. What was drawn once is only named again.
struct Branches<'e> {
    edges: BTreeMap<&'e str, Vec<(&'e DependencyEdge, &'e ArtifactSummary)>>,
    drawn: BTreeSet<&'e str>,
}

impl<'e> Branches<'e> {
    fn new(
        edges: &'e [DependencyEdge],
        ends: impl Fn(&'e DependencyEdge) -> (&'e ArtifactSummary, &'e ArtifactSummary),
    ) -> Self {
        let mut by_start: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        for edge in edges {
            let (near, far) = ends(edge);
            by_start.entry(near.handle.as_str()).or_default().push((edge, far));
        }
        Self { edges: by_start, drawn: BTreeSet::new() }
    }

    fn draw(&mut self, out: &mut String, root: &str, depth: usize) {
        if !self.edges.contains_key(root) && depth == 1 {
            let _ = writeln!(out, "  {}", paint(DIM, "nothing"));
            return;
        }
        // A chain may be longer than the stack is deep.
        let mut waiting: Vec<(&'e DependencyEdge, &'e ArtifactSummary, usize)> = Vec::new();
        if let Some(first) = self.edges.get(root) {
            waiting.extend(first.iter().rev().map(|(edge, far)| (*edge, *far, depth)));
        }
        while let Some((edge, far, depth)) = waiting.pop() {
            let again = !self.drawn.insert(far.handle.as_str());
            let inner = self.edges.get(far.handle.as_str());
            let note = if again && inner.is_some() { paint(DIM, " (see above)") } else { String::new() };
            let indent = "  ".repeat(depth);
            let _ = writeln!(out, "{indent}{} {}{note}", paint(DIM, &kind(edge)), label(far));
            if let Some(inner) = inner.filter(|_| !again) {
                waiting.extend(inner.iter().rev().map(|(edge, far)| (*edge, *far, depth + 1)));
            }
        }
    }
}

fn label(artifact: &ArtifactSummary) -> String {
    let name = paint(NAME, &one_line(&artifact.handle));
    let title = artifact.metadata.get("title").map(|title| format!("  {}", paint(DIM, &one_line(title))));
    let lost = artifact.metadata.get("resolution").map(|_| format!("  {}", paint(BAD, "unresolved")));
    format!("{name}{}{}", title.unwrap_or_default(), lost.unwrap_or_default())
}

fn kind(edge: &DependencyEdge) -> String {
    if edge.optional { format!("{} (optional)", edge.r#type) } else { edge.r#type.clone() }
}

fn dot(edges: &[DependencyEdge], artifacts: &[ArtifactSummary]) -> String {
    let quoted = |text: &str| format!("\"{}\"", one_line(text).replace('\\', "\\\\").replace('"', "\\\""));
    let mut out = "digraph workspace {\n  rankdir=LR;\n  node [shape=box];\n".to_owned();
    for artifact in artifacts {
        let _ = writeln!(out, "  {};", quoted(&artifact.handle));
    }
    for edge in edges {
        let style = if edge.optional { ", style=dashed" } else { "" };
        let (from, to) = (quoted(&edge.from.handle), quoted(&edge.to.handle));
        let _ = writeln!(out, "  {from} -> {to} [label={}{style}];", quoted(&edge.r#type));
    }
    out.push_str("}\n");
    out
}

fn mermaid(edges: &[DependencyEdge], artifacts: &[ArtifactSummary]) -> String {
    let ends = edges.iter().flat_map(|edge| [&edge.from, &edge.to]);
    let handles: BTreeSet<&str> =
        artifacts.iter().chain(ends).map(|artifact| artifact.handle.as_str()).collect();
    let numbers: BTreeMap<&str, usize> =
        handles.iter().enumerate().map(|(number, handle)| (*handle, number)).collect();
    let mut out = "flowchart LR\n".to_owned();
    for (handle, number) in &numbers {
        let shown = one_line(handle).replace('"', "#quot;");
        let _ = writeln!(out, "  n{number}[\"{shown}\"]");
    }
    for edge in edges {
        let (from, to) = (numbers[edge.from.handle.as_str()], numbers[edge.to.handle.as_str()]);
        let arrow = if edge.optional { "-.->" } else { "-->" };
        let _ = writeln!(out, "  n{from} {arrow}|{}| n{to}", edge.r#type);
    }
    out
}
