//! `workspace.list_artifacts`: what there is, sorted by handle.

use globset::GlobBuilder;
use hewto_core::artifact::Scheme;
use hewto_core::workspace_graph::{Node, Standing};
use hewto_store::Context;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{load, summary};
use crate::concept;
use crate::error::{Error, Result};
use crate::page::{PageRequest, paginate};
use crate::view::ArtifactList;
use crate::workspace::Workspace;

/// Which artifacts are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
pub struct ArtifactFilter {
    // With or without `://`.
    /// Only this kind of handle: spec, impl, scratch, change or adr
    pub scheme: Option<String>,
    /// Only paths that match, such as spec/*/spec.md
    pub glob: Option<String>,
}

/// The artifacts that have a handle and match.
pub fn list_artifacts(
    ws: &Workspace,
    ctx: &Context,
    filter: &ArtifactFilter,
    page: &PageRequest,
) -> Result<ArtifactList> {
    let scheme = filter.scheme.as_deref().map(scheme).transpose()?;
    let glob = filter.glob.as_deref().map(glob).transpose()?;
    let graph = load(ws, ctx)?;
    let matches = |node: &&Node| {
        node.standing == Standing::Artifact
            && node.kind.scheme().is_some_and(|own| scheme.is_none_or(|wanted| wanted == own))
            && glob.as_ref().is_none_or(|glob| node.path.as_deref().is_some_and(|path| glob.is_match(path)))
    };
    let found: Vec<&Node> = graph.nodes().map(|(_, node)| node).filter(matches).collect();
    let list = ("list_artifacts", ws.root(), filter);
    let (artifacts, page) = paginate(&found, page, &list, |node| &node.handle, |node| summary(ws, node))?;
    Ok(ArtifactList { artifacts, page })
}

/// The names of a scheme that contain what was typed, those that begin with it first: for completion.
pub fn names(ws: &Workspace, ctx: &Context, scheme: Scheme, typed: &str) -> Result<Vec<String>> {
    let graph = load(ws, ctx)?;
    let prefix = format!("{scheme}://");
    let typed = typed.to_lowercase();
    let own = |node: &Node| {
        let is_own = node.kind == scheme.kind() && node.standing == Standing::Artifact;
        node.handle.strip_prefix(&prefix).filter(|_| is_own).map(str::to_owned)
    };
    let all: Vec<String> = graph.nodes().filter_map(|(_, node)| own(node)).collect();
    let (first, second): (Vec<String>, Vec<String>) = all
        .into_iter()
        .filter(|name| name.to_lowercase().contains(&typed))
        .partition(|name| name.to_lowercase().starts_with(&typed));
    Ok(first.into_iter().chain(second).collect())
}

fn scheme(name: &str) -> Result<Scheme> {
    let bare = name.trim().trim_end_matches("://");
    Scheme::parse(bare).ok_or_else(|| {
        let known = Scheme::ALL.map(Scheme::as_str).join(", ");
        Error::invalid_argument("scheme", &format!("one of {known}"), format!("`{name}` is not a scheme"))
            .detail("concept_ref", concept::WORKSPACE_GOVERNANCE)
            .hint(format!("use one of {known}"))
    })
}

fn glob(pattern: &str) -> Result<globset::GlobMatcher> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| {
        Error::invalid_argument(
            "glob",
            "a glob such as spec/*/spec.md",
            format!("`{pattern}` is not a glob: {}", error.kind()),
        )
        .hint("write a glob against paths such as `spec/core/spec.md`")
    })
}
