//! Which template serves a scenario.

use hewto_core::artifact::{ReferenceTarget, resolve as resolve_path};
use hewto_core::template::{Pointer, Scenario, embedded_template};
use hewto_store::{Context, DocKey, Located};

use crate::concept;
use crate::error::{Error, Key, Kind, Result};
use crate::graph::outside_workspace;
use crate::remote::{self, NamedBy, RemoteDocument, Wanted};
use crate::view::TemplateProvenance;
use crate::workspace::Workspace;

/// What stands before the key of an embedded template.
const EMBEDDED: &str = "embedded://";

/// A template and where it came from.
#[derive(Debug, Clone)]
pub(crate) struct Resolved {
    pub(crate) text: String,
    pub(crate) provenance: TemplateProvenance,
}

/// The template of a scenario: override, pointer, embedded.
pub(crate) fn resolve(ws: &Workspace, ctx: &Context, scenario: Scenario) -> Result<Resolved> {
    if let Some(resolved) = overriding(ws, ctx, scenario)? {
        return Ok(resolved);
    }
    match read_pointer(ws, ctx, scenario.pointer())? {
        Some(locator) => {
            let mut resolved = pointed(ws, ctx, scenario, &locator, NamedBy::Repository)?;
            resolved.provenance.pointer = Some(scenario.pointer().as_str().to_owned());
            Ok(resolved)
        }
        None => Ok(embedded(scenario)),
    }
}

/// The template that somebody names: a path, an https address, or an embedded one.
pub(crate) fn resolve_locator(
    ws: &Workspace,
    ctx: &Context,
    scenario: Scenario,
    locator: &str,
) -> Result<Resolved> {
    match locator.strip_prefix(EMBEDDED) {
        Some(key) => Scenario::ALL
            .into_iter()
            .find(|scenario| embedded_key(*scenario) == key)
            .map(embedded)
            .ok_or_else(|| bad_pointer(locator, "no template is embedded under this name")),
        None => pointed(ws, ctx, scenario, locator, NamedBy::Caller),
    }
}

pub(super) fn overriding(ws: &Workspace, ctx: &Context, scenario: Scenario) -> Result<Option<Resolved>> {
    for name in scenario.override_names() {
        let Ok(key) = ws.places().templates.document(&name) else { continue };
        if let Some(doc) = ws.store().read(ctx, &key)? {
            let provenance = TemplateProvenance::new("WorkspaceOverride", doc.path.as_str());
            return Ok(Some(Resolved { text: doc.text, provenance }));
        }
    }
    Ok(None)
}

/// What a pointer says; `None` when there is no pointer.
pub(super) fn read_pointer(ws: &Workspace, ctx: &Context, pointer: Pointer) -> Result<Option<String>> {
    let key = DocKey::TemplatePointer(pointer);
    let Some(doc) = ws.store().read(ctx, &key)? else { return Ok(None) };
    let mut lines = doc.text.lines().map(str::trim).filter(|line| !line.is_empty());
    match (lines.next(), lines.next()) {
        (Some(locator), None) => Ok(Some(locator.trim_start_matches('\u{feff}').to_owned())),
        (None, _) => Err(bad_pointer(doc.path.as_str(), "it is empty")),
        (Some(_), Some(_)) => Err(bad_pointer(doc.path.as_str(), "it names more than one template")),
    }
}

fn pointed(
    ws: &Workspace,
    ctx: &Context,
    scenario: Scenario,
    locator: &str,
    named_by: NamedBy,
) -> Result<Resolved> {
    match resolve_path("", locator) {
        Ok(ReferenceTarget::Url(url)) => {
            match remote::fetch_or_kept(ws, ctx, &url, Wanted::Template, named_by) {
                Ok(document) => Ok(fetched(&url, document)),
                // Neither the address nor a copy of it: what is always there has to do, and says why.
                Err(error)
                    if error.key == Wanted::Template.unreachable() || error.key == Key::HostNotTrusted =>
                {
                    let mut resolved = embedded(scenario);
                    resolved.provenance.problem = Some(error.full_message());
                    Ok(resolved)
                }
                Err(error) => Err(error),
            }
        }
        Ok(ReferenceTarget::Inside(_)) => {
            let doc = ws.store().read(ctx, &require_file(ws, locator)?)?;
            let doc = doc.ok_or_else(|| bad_pointer(locator, "the file is not there"))?;
            let provenance = TemplateProvenance::new("PointerFile", doc.path.as_str());
            Ok(Resolved { text: doc.text, provenance })
        }
        Ok(ReferenceTarget::Outside) => Err(outside_workspace(locator)),
        Ok(ReferenceTarget::Handle(_)) => Err(bad_pointer(locator, "a handle is not a template")),
        Err(error) => Err(bad_pointer(locator, &error.to_string()).hint(error.hint())),
    }
}

fn fetched(url: &str, document: RemoteDocument) -> Resolved {
    let provenance = TemplateProvenance {
        cache_path: Some(document.cache_path.clone()),
        last_modified: document.last_modified,
        retrieved_at: document.retrieved_at,
        problem: document.problem,
        ..TemplateProvenance::new("PointerUrl", url)
    };
    Resolved { text: document.text, provenance }
}

/// A file inside the workspace, where it really stands.
pub(super) fn require_file(ws: &Workspace, locator: &str) -> Result<DocKey> {
    let absolute =
        locator.strip_prefix(&*ws.root().to_string_lossy()).map(|rest| rest.trim_start_matches('/'));
    let Ok(ReferenceTarget::Inside(path)) = resolve_path("", absolute.unwrap_or(locator)) else {
        return Err(outside_workspace(locator));
    };
    if DocKey::named(&path).is_none() {
        return Err(bad_pointer(locator, "it is not a path of a file"));
    }
    match ws.store().locate(&path) {
        Located::Inside(real) => Ok(real),
        Located::Outside => Err(outside_workspace(locator)),
        Located::Folder(_) => Err(bad_pointer(locator, "it is a folder")),
        Located::Nowhere => Err(bad_pointer(locator, "the file is not there")),
    }
}

pub(super) fn embedded(scenario: Scenario) -> Resolved {
    let locator = format!("{EMBEDDED}{}", embedded_key(scenario));
    Resolved {
        text: embedded_template(scenario).to_owned(),
        provenance: TemplateProvenance::new("EmbeddedDefault", &locator),
    }
}

fn embedded_key(scenario: Scenario) -> String {
    match scenario {
        Scenario::Specification => "spec".to_owned(),
        Scenario::Implementation => "impl".to_owned(),
        Scenario::ScratchPad => "scratch".to_owned(),
        Scenario::WorkType(work_type) => format!("scratch-{}", work_type.as_str()),
    }
}

pub(super) fn bad_pointer(locator: &str, why: &str) -> Error {
    Error::new(Kind::Refused, Key::TemplateInvalid, format!("`{locator}` leads to no template: {why}"))
        .detail("locator", locator)
        .detail("concept_ref", concept::TEMPLATE_ORCHESTRATION)
        .hint("point at a file inside the workspace or at an `https://` address (`hewto template set`)")
}
