//! `hewto why`: what governs a file. The most specific reason comes first.
//!
//! An artifact governs what stands in its folder, an implementation the files below its `location`, a task those on its
//! allow-list, and a document those that it refers to. What these hang on (specs with their requirements, decisions, open changes) governs with them.

use std::collections::BTreeMap;

use globset::GlobBuilder;
use hewto_core::artifact::{ArtifactKind, Handle, ReferenceTarget, Scheme, resolve};
use hewto_core::decision::record::Task;
use hewto_core::document::Document;
use hewto_core::requirement::SpecDoc;
use hewto_core::workspace_graph::{NodeId, Relation, WorkspaceGraph};
use hewto_store::{Context, DocKey, Located, Own, Shelf};

use super::locate::outside_workspace;
use super::{load, summary};
use crate::error::Result;
use crate::proof::{LinkQuery, links, promises_at};
use crate::view::{ArchivedChangeView, GovernorView, WhyView};
use crate::workspace::Workspace;

/// The workspace itself, which no one artifact governs.
const WHOLE: &str = ".";
/// A file that is named itself outranks every folder.
const NAMED_ITSELF: usize = 100_000;

/// What governs a file, which does not have to exist yet.
pub fn why(ws: &Workspace, ctx: &Context, text: &str) -> Result<WhyView> {
    let path = inside(ws, text)?;
    if path == WHOLE {
        let promises = links(ws, ctx, &LinkQuery::default())?.links;
        return Ok(WhyView {
            path,
            exists: true,
            governed_by: Vec::new(),
            archived_changes: Vec::new(),
            promises,
        });
    }
    let graph = load(ws, ctx)?;
    let mut found = Found { graph: &graph, reasons: BTreeMap::new() };
    found.by_reference(&path);
    found.by_folder(&path);
    found.by_location(ws, ctx, &path)?;
    found.by_task(ws, ctx, &path)?;
    let mut ranked: Vec<(NodeId, usize, String)> =
        found.reasons.into_iter().map(|(node, (rank, reason))| (node, rank, reason)).collect();
    ranked.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let governed_by: Vec<GovernorView> = ranked
        .into_iter()
        .map(|(node, _, reason)| {
            let artifact = summary(ws, graph.node(node));
            Ok(GovernorView { requirements: requirements(ws, ctx, &graph, node)?, artifact, reason })
        })
        .collect::<Result<_>>()?;
    let archived_changes = archived_changes(ws, ctx, &governed_by)?;
    let promises = promises_at(ws, ctx, &path)?;
    Ok(WhyView { exists: is_there(ws, &path), path, governed_by, archived_changes, promises })
}

fn is_there(ws: &Workspace, path: &str) -> bool {
    !matches!(ws.store().locate(path), Located::Nowhere)
}

/// The archived changes that touched one of the specs, latest first.
fn archived_changes(
    ws: &Workspace,
    ctx: &Context,
    governors: &[GovernorView],
) -> Result<Vec<ArchivedChangeView>> {
    let specs: Vec<&str> =
        governors.iter().filter_map(|one| one.artifact.handle.strip_prefix("spec://")).collect();
    if specs.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in ws.store().archived_changes(ctx)?.into_iter().rev() {
        let touches = |file: &String| {
            crate::change::delta_capability(file).is_some_and(|id| specs.contains(&id.to_segment().as_str()))
        };
        if entry.files.iter().any(touches) {
            let folder = crate::change::ChangeFolder::read(ws, ctx, entry)?;
            found.push(ArchivedChangeView {
                id: folder.id().to_owned(),
                title: folder.title(),
                path: format!("{}/", folder.entry.folder),
            });
        }
    }
    Ok(found)
}

fn inside(ws: &Workspace, text: &str) -> Result<String> {
    let root = ws.root().to_string_lossy();
    let relative = text.strip_prefix(&*root).map_or(text, |rest| rest.trim_start_matches('/'));
    let Ok(ReferenceTarget::Inside(path)) = resolve("", if relative.is_empty() { WHOLE } else { relative })
    else {
        return Err(outside_workspace(text));
    };
    if path.is_empty() {
        return Ok(WHOLE.to_owned());
    }
    let path = DocKey::named(&path).ok_or_else(|| outside_workspace(text))?.to_string();
    match ws.store().locate(&path) {
        Located::Outside => Err(outside_workspace(text)),
        Located::Inside(_) | Located::Folder(_) | Located::Nowhere => Ok(path),
    }
}

struct Found<'g> {
    graph: &'g WorkspaceGraph,
    /// The best rank of each artifact, and why.
    reasons: BTreeMap<NodeId, (usize, String)>,
}

impl Found<'_> {
    fn add(&mut self, node: NodeId, rank: usize, reason: String) {
        let known = self.reasons.get(&node).map_or(0, |(rank, _)| *rank);
        if rank > known {
            self.reasons.insert(node, (rank, reason));
        }
    }

    /// Adds an artifact and, a little less specific each, what it hangs on and what is about to change that.
    fn add_with_ground(&mut self, node: NodeId, rank: usize, reason: String) {
        self.add(node, rank, reason);
        let name = self.graph.node(node).handle.clone();
        let ground: Vec<(NodeId, &str)> = self
            .graph
            .outgoing(node)
            .iter()
            .filter(|edge| edge.relation != Relation::Depends)
            .map(|edge| (edge.to, done_by(edge.relation)))
            .collect();
        for (to, relation) in ground {
            self.add(to, rank.saturating_sub(1).max(1), format!("{relation} {name}"));
            let changes: Vec<NodeId> = self
                .graph
                .incoming(to)
                .filter(|edge| edge.relation == Relation::Modifies)
                .map(|edge| edge.from)
                .collect();
            let spec = self.graph.node(to).handle.clone();
            for change in changes {
                self.add(change, rank.saturating_sub(2).max(1), format!("about to modify {spec}"));
            }
        }
    }

    /// The file is an artifact, or somebody refers to it.
    fn by_reference(&mut self, path: &str) {
        let Some(node) = self.graph.at_path(path).or_else(|| self.graph.stranger(path)) else { return };
        if self.graph.at_path(path).is_some() {
            self.add_with_ground(node, NAMED_ITSELF + 1, "it is this artifact's document".to_owned());
        }
        let mentions: Vec<(NodeId, &str)> =
            self.graph.incoming(node).map(|edge| (edge.from, does(edge.relation))).collect();
        for (from, relation) in mentions {
            self.add(from, NAMED_ITSELF, format!("{relation} the file itself"));
        }
    }

    /// The file stands in the folder of an artifact.
    fn by_folder<'p>(&mut self, path: &'p str) {
        let above = |path: &'p str| path.rsplit_once('/').map(|(folder, _)| folder);
        let mut folders = std::iter::successors(above(path), |folder| above(folder));
        let owner = folders.find_map(|folder| Some((self.graph.at_path(folder)?, folder)));
        if let Some((node, folder)) = owner {
            self.add_with_ground(node, 10 + folder.len(), "it is in its folder".to_owned());
        }
    }

    /// The file stands where an implementation has its code.
    fn by_location(&mut self, ws: &Workspace, ctx: &Context, path: &str) -> Result<()> {
        for entry in &ws.store().shelf(ctx, Shelf::Implementations)?.specs {
            let location = entry.head.artifact.as_ref().and_then(|head| head.location.as_deref());
            let Some(location) = location else { continue };
            let node = self.graph.find(&Handle::new(Scheme::Impl, entry.id.clone()));
            // As its document sees it first, then as the workspace does.
            let places = [entry.folder.as_str(), ""].map(|base| resolve(base, location));
            let covering = places.into_iter().find_map(|place| match place {
                Ok(ReferenceTarget::Inside(folder)) if covers(&folder, path) => Some(folder),
                _ => None,
            });
            if let (Some(node), Some(folder)) = (node, covering) {
                self.add_with_ground(node, 10 + folder.len(), format!("its code is in {folder}"));
            }
        }
        Ok(())
    }

    /// The file is on the allow-list of a task.
    fn by_task(&mut self, ws: &Workspace, ctx: &Context, path: &str) -> Result<()> {
        let archive = &ws.places().task_archive;
        let mut tasks = vec![DocKey::Own(Own::CurrentTask)];
        let archived = ws.store().file_names(ctx, archive)?;
        tasks.extend(archived.iter().filter_map(|name| archive.document(name).ok()));
        for key in tasks {
            ctx.check()?;
            let Some(doc) = ws.store().read(ctx, &key)? else { continue };
            let Ok(task) = Task::read(&doc.text) else { continue };
            let Some(pattern) = task
                .allowlist
                .iter()
                .filter(|pattern| allows(pattern, path))
                .max_by_key(|pattern| pattern.len())
            else {
                continue;
            };
            let rank = if pattern == path { NAMED_ITSELF } else { 10 + pattern.len() };
            let reason = format!("the task `{}` allows {pattern}", task.title);
            if let Some(node) = self.graph.at_path(&doc.path) {
                self.add(node, rank, reason.clone());
            }
            let decision = task
                .related_adr
                .and_then(|uid| self.graph.named(ArtifactKind::Decision, uid.as_str()).first().copied());
            if let Some(decision) = decision {
                self.add(decision, rank.saturating_sub(1), reason);
            }
        }
        Ok(())
    }
}

/// What an artifact does to what it names, in words.
fn does(relation: Relation) -> &'static str {
    match relation {
        Relation::Depends => "depends on",
        Relation::References => "refers to",
        Relation::Relates => "relates to",
        other => other.as_str(),
    }
}

/// What is done to an artifact by the one that names it.
fn done_by(relation: Relation) -> &'static str {
    match relation {
        Relation::Depends => "needed by",
        Relation::Implements => "implemented by",
        Relation::References => "referred to by",
        Relation::Targets => "the target of",
        Relation::Modifies => "modified by",
        Relation::Previous => "followed by",
        Relation::Supersedes => "superseded by",
        Relation::Relates => "related to",
    }
}

fn covers(folder: &str, path: &str) -> bool {
    folder.is_empty() || path == folder || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// A file, a folder, or a glob.
fn allows(pattern: &str, path: &str) -> bool {
    let plain = pattern.trim().trim_start_matches("./").trim_end_matches('/');
    if !plain.is_empty() && covers(plain, path) {
        return true;
    }
    GlobBuilder::new(plain)
        .literal_separator(true)
        .build()
        .is_ok_and(|glob| glob.compile_matcher().is_match(path))
}

/// What a spec promises.
fn requirements(ws: &Workspace, ctx: &Context, graph: &WorkspaceGraph, node: NodeId) -> Result<Vec<String>> {
    let node = graph.node(node);
    let path = node.path.as_deref().filter(|_| node.kind == ArtifactKind::Specification);
    let Some(key) = path.and_then(DocKey::named) else { return Ok(Vec::new()) };
    let Some(doc) = ws.store().read(ctx, &key)? else { return Ok(Vec::new()) };
    let document = Document::parse(&doc.text);
    Ok(SpecDoc::read(&document).requirements.iter().map(|requirement| requirement.name.to_owned()).collect())
}
