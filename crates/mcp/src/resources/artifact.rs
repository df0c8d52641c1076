//! The resources of the graph: each artifact as its document, and as the tree of what hangs on it.

use hewto_core::artifact::{Handle, HandleView, Scheme};
use hewto_engine::graph::{self, ArtifactFilter, TreeRequest};
use hewto_engine::{Context, PageRequest, Result, Workspace, concept};
use rmcp::model::{MetaObject, Resource, ResourceTemplate};

use super::json_text;
use crate::table::extensions;
use crate::tools::graph::HANDLES;

/// The text behind a handle. A failure names the concept that it offends, as with the tools.
pub(super) fn read(workspace: &Workspace, context: &Context, handle: &Handle) -> Result<String> {
    let (text, concept) = match handle.view {
        HandleView::Document => {
            (graph::document(workspace, context, &handle.to_string()), concept::WORKSPACE_GOVERNANCE)
        }
        HandleView::Dependencies => {
            // A resource is read whole: nobody can ask for the rest of it.
            let request = TreeRequest { locator: handle.to_string(), max_chars: Some(usize::MAX) };
            let tree = graph::tree(workspace, context, &request).map(|tree| json_text(&tree));
            (tree, concept::DEPENDENCY_MAPPING)
        }
    };
    text.map_err(|error| error.detail_unless_set("concept_ref", concept))
}

pub(super) fn mime_type(handle: &Handle) -> &'static str {
    match handle.view {
        HandleView::Document => "text/markdown",
        HandleView::Dependencies => "application/json",
    }
}

/// A page of artifacts, each with its tree, and where the next page begins.
pub(super) fn list(
    workspace: &Workspace,
    context: &Context,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<Resource>, Option<String>)> {
    let page =
        PageRequest { limit: Some(limit), cursor: cursor.map(str::to_owned), max_chars: Some(usize::MAX) };
    let list = graph::list_artifacts(workspace, context, &ArtifactFilter::default(), &page)?;
    let mut resources = Vec::new();
    for artifact in &list.artifacts {
        let Some(handle) = Handle::parse(&artifact.handle) else { continue };
        for view in [HandleView::Document, HandleView::Dependencies] {
            let handle = Handle { view, ..handle.clone() };
            let mut resource = Resource::new(handle.to_string(), name(&artifact.id.name, view))
                .with_description(describe(handle.scheme, view, &artifact.id.name))
                .with_mime_type(mime_type(&handle));
            resource.meta = meta(handle.scheme);
            resources.push(resource);
        }
    }
    Ok((resources, list.page.next_cursor))
}

/// The resources of any artifact.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let mut templates = Vec::new();
    for scheme in Scheme::ALL {
        for view in [HandleView::Document, HandleView::Dependencies] {
            let variable = variable(scheme);
            let mut template =
                ResourceTemplate::new(uri_template(scheme, view), name(&format!("{{{variable}}}"), view))
                    .with_description(describe(scheme, view, "any name"))
                    .with_mime_type(match view {
                        HandleView::Document => "text/markdown",
                        HandleView::Dependencies => "application/json",
                    });
            template.meta = meta(scheme);
            templates.push(template);
        }
    }
    templates
}

/// The scheme whose names an argument of a template takes.
pub(crate) fn completes(uri: &str, argument: &str) -> Option<Scheme> {
    Scheme::ALL.into_iter().find(|&scheme| {
        argument == variable(scheme)
            && [HandleView::Document, HandleView::Dependencies]
                .into_iter()
                .any(|view| uri_template(scheme, view) == uri)
    })
}

fn uri_template(scheme: Scheme, view: HandleView) -> String {
    let end = match view {
        HandleView::Document => "",
        HandleView::Dependencies => "/dependencies",
    };
    format!("{scheme}://{{{}}}{end}", variable(scheme))
}

/// What the seed calls the name of an artifact.
fn variable(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::Impl | Scheme::Scratch => "name",
        Scheme::Spec | Scheme::Change | Scheme::Adr => "id",
    }
}

fn name(artifact: &str, view: HandleView) -> String {
    match view {
        HandleView::Document => artifact.to_owned(),
        HandleView::Dependencies => format!("{artifact}/dependencies"),
    }
}

fn describe(scheme: Scheme, view: HandleView, artifact: &str) -> String {
    let kind = scheme.kind();
    match view {
        HandleView::Document => format!("{kind} {artifact}"),
        HandleView::Dependencies => format!("What {kind} {artifact} needs, and what needs it"),
    }
}

/// Marks what goes beyond the seed.
fn meta(scheme: Scheme) -> Option<MetaObject> {
    let mark = match scheme {
        Scheme::Spec | Scheme::Impl | Scheme::Scratch => return None,
        Scheme::Change => &HANDLES[..1],
        Scheme::Adr => &HANDLES[1..],
    };
    let mut meta = MetaObject::new();
    meta.insert("extensions".into(), extensions(mark));
    Some(meta)
}
