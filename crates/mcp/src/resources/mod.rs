//! Resources: what a client can read without a tool.
//!
//! The concrete list has the configuration, the index and, per spec, what there is of it; the templates say the same
//! in general. Every reading is one engine call.

mod artifact;
mod uri;

pub(crate) use artifact::completes as completes_artifact;
pub(crate) use uri::{Part, ResourceUri};

use std::hash::{DefaultHasher, Hash, Hasher};

use hewto_core::page::seal;
use hewto_engine::{Context, Error, Key, Kind, Result, Workspace, build, concept, graph, plan, proof, spec};
use rmcp::ErrorData;
use rmcp::model::{ErrorCode, Resource, ResourceTemplate};
use serde_json::{Value, json};

use crate::cursor;
use crate::options::Toolset;
use crate::table::Table;

/// How many specs are listed at once.
const SPECS_PER_PAGE: usize = 100;

/// One page of the concrete list.
#[derive(Debug)]
pub(crate) struct ResourcePage {
    pub(crate) resources: Vec<Resource>,
    pub(crate) next_cursor: Option<String>,
}

impl ResourcePage {
    /// What there is without a workspace.
    pub(crate) fn empty() -> Self {
        Self { resources: Vec::new(), next_cursor: None }
    }
}

/// The text behind an address.
pub(crate) fn read(workspace: &Workspace, context: &Context, uri: &ResourceUri) -> Result<String> {
    match uri {
        ResourceUri::Config => workspace.config_text(context),
        ResourceUri::Specs => Ok(json_text(&spec::index(workspace, context)?)),
        ResourceUri::Of(id, Part::Bundle) => Ok(json_text(&spec::bundle(workspace, context, id.as_str())?)),
        ResourceUri::Of(id, Part::Spec) => spec::markdown(workspace, context, id.as_str()),
        ResourceUri::Of(id, Part::Plan) => plan::markdown(workspace, context, id.as_str()),
        ResourceUri::Of(id, Part::State) => build::state_text(workspace, context, id.as_str()),
        ResourceUri::Artifact(handle) => artifact::read(workspace, context, handle),
        ResourceUri::Proof(id) => {
            let query =
                proof::Query { target: id.as_ref().map(ToString::to_string), ..proof::Query::default() };
            Ok(json_text(&proof::matrix(workspace, context, &query)?))
        }
        ResourceUri::ProofRun(run) => Ok(json_text(&proof::run::show(workspace, context, run)?.record)),
    }
}

/// The resources that there are, a page at a time.
pub(crate) fn list(
    workspace: &Workspace,
    context: &Context,
    served: &[Toolset],
    cursor: Option<&str>,
) -> Result<ResourcePage> {
    // Good for as long as the process lives, in this workspace and for this caller.
    let seal = seal(&(workspace.root(), cursor::mark(context)));
    let place = cursor.map(|cursor| cursor.strip_prefix(&seal).ok_or_else(foreign_cursor)).transpose()?;
    // No id begins with `/`: behind it is the place in the list of artifacts, which comes second.
    let in_artifacts = place.and_then(|place| place.strip_prefix('/'));
    let mut page = match in_artifacts {
        None if served.contains(&Toolset::Workflow) => list_specs(workspace, context, &seal, place)?,
        _ => ResourcePage::empty(),
    };
    if place.is_none() && served.contains(&Toolset::Proof) {
        page.resources.push(listing(&ResourceUri::Proof(None), "proof", "How all promises stand"));
    }
    if page.next_cursor.is_none() && served.contains(&Toolset::Graph) {
        let limit = SPECS_PER_PAGE.saturating_sub(page.resources.len() / Part::ALL.len()).max(1);
        let (artifacts, next) = artifact::list(workspace, context, in_artifacts, limit)?;
        page.resources.extend(artifacts);
        page.next_cursor = next.map(|next| format!("{seal}/{next}"));
    }
    Ok(page)
}

fn list_specs(
    workspace: &Workspace,
    context: &Context,
    seal: &str,
    place: Option<&str>,
) -> Result<ResourcePage> {
    let snapshot = workspace.store().snapshot(context)?;
    let (mut resources, start) = match place {
        None => (
            vec![
                listing(&ResourceUri::Config, "config", "Project configuration"),
                listing(&ResourceUri::Specs, "specs", "Index of all specs"),
            ],
            0,
        ),
        Some(last) => (Vec::new(), snapshot.specs.partition_point(|entry| entry.id.as_str() <= last)),
    };
    let rest = &snapshot.specs[start..];
    let page = &rest[..rest.len().min(SPECS_PER_PAGE)];
    for entry in page {
        for part in Part::ALL.into_iter().filter(|part| *part != Part::Plan || entry.has_plan()) {
            let uri = ResourceUri::Of(entry.id.clone(), part);
            resources.push(listing(&uri, &part.name(entry.id.as_str()), &part.describe(entry.title())));
        }
    }
    let last = page.last().filter(|_| rest.len() > page.len());
    Ok(ResourcePage { resources, next_cursor: last.map(|entry| format!("{seal}{}", entry.id)) })
}

/// A number that differs when the list does.
pub(crate) fn list_mark(workspace: &Workspace, context: &Context, served: &[Toolset]) -> Result<u64> {
    let snapshot = workspace.store().snapshot(context)?;
    let mut hasher = DefaultHasher::new();
    for entry in &snapshot.specs {
        (entry.id.as_str(), entry.title(), entry.has_plan()).hash(&mut hasher);
    }
    if served.contains(&Toolset::Graph) {
        graph::list_mark(workspace, context)?.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

/// The resources of any spec, and of any artifact.
pub(crate) fn templates(served: &[Toolset]) -> Vec<ResourceTemplate> {
    let mut templates = Vec::new();
    if served.contains(&Toolset::Workflow) {
        templates.extend(spec_templates());
    }
    if served.contains(&Toolset::Graph) {
        templates.extend(artifact::templates());
    }
    if served.contains(&Toolset::Proof) {
        let template = |uri: &str, name: &str, about: &str| {
            ResourceTemplate::new(uri, name).with_description(about).with_mime_type("application/json")
        };
        templates.push(template(
            "proof://matrix/{spec_id}",
            "proof of {spec_id}",
            "How the promises of a spec stand",
        ));
        templates.push(template("proof://run/{run}", "run {run}", "The record of a run of the checks"));
    }
    templates
}

pub(crate) fn spec_templates() -> Vec<ResourceTemplate> {
    let template = |part: Part| {
        ResourceTemplate::new(part.template(), part.name("{spec_id}"))
            .with_description(part.describe("a spec"))
            .with_mime_type(part.mime_type())
    };
    Part::ALL.map(template).to_vec()
}

/// How a failed reading is answered: the outer code is the protocol's, the seed's number is in `data`.
pub(crate) fn read_error(uri: &str, error: &Error, table: &Table) -> ErrorData {
    // rmcp turns this into -32602 for clients of the new era.
    let code = match error.key {
        Key::WorkspaceNotFound
        | Key::SpecNotFound
        | Key::PlanNotFound
        | Key::InvalidParams
        | Key::ArtifactNotFound => ErrorCode::RESOURCE_NOT_FOUND,
        _ => ErrorCode::INTERNAL_ERROR,
    };
    let mut data = table.plain_error_object(error);
    if let Value::Object(data) = &mut data {
        data.insert("uri".into(), uri.into());
    }
    ErrorData::new(code, error.full_message(), Some(data))
}

/// How a failed listing is answered.
pub(crate) fn list_error(error: &Error, table: &Table) -> ErrorData {
    let code = match error.kind {
        Kind::Usage => ErrorCode::INVALID_PARAMS,
        Kind::Refused | Kind::Machine => ErrorCode::INTERNAL_ERROR,
    };
    ErrorData::new(code, error.full_message(), Some(table.plain_error_object(error)))
}

/// The answer to an address that is none of ours.
pub(crate) fn unknown_uri(uri: &str, served: &[Toolset]) -> ErrorData {
    let fixed = [ResourceUri::Config, ResourceUri::Specs, ResourceUri::Proof(None)];
    let fixed = fixed.iter().filter(|uri| served.contains(&uri.toolset())).map(ResourceUri::to_string);
    let known: Vec<String> =
        fixed.chain(templates(served).into_iter().map(|template| template.uri_template)).collect();
    let mut data = json!({
        "error": "resource_not_found",
        "code": -32602,
        "uri": uri,
        "known": known,
        "hint": "list the resources; an id is one segment, with `/` written `%2F`",
    });
    if served.contains(&Toolset::Graph) {
        data["concept_ref"] = concept::WORKSPACE_GOVERNANCE.into();
    }
    ErrorData::resource_not_found(format!("no resource has the address `{uri}`"), Some(data))
}

impl Part {
    fn name(self, id: &str) -> String {
        match self {
            Self::Bundle => id.to_owned(),
            Self::Spec => format!("{id}/spec"),
            Self::Plan => format!("{id}/plan"),
            Self::State => format!("{id}/state"),
        }
    }

    fn describe(self, what: &str) -> String {
        match self {
            Self::Bundle => format!("Everything about {what}: spec, plan and state"),
            Self::Spec => format!("The spec document of {what}"),
            Self::Plan => format!("The plan of {what}"),
            Self::State => format!("The workflow state of {what}"),
        }
    }
}

fn listing(uri: &ResourceUri, name: &str, description: &str) -> Resource {
    Resource::new(uri.to_string(), name).with_description(description).with_mime_type(uri.mime_type())
}

fn json_text(view: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(view).expect("views are plain data with string keys")
}

fn foreign_cursor() -> Error {
    Error::foreign_cursor("a `nextCursor` of this list")
}
