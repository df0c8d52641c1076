//! What specs promise: the index of specs, their requirements and their scenarios.

use std::collections::HashMap;
use std::sync::Mutex;

use hewto_core::document::{Document, EolStyle};
use hewto_core::id::SpecId;
use hewto_core::proof::settings::Policy;
use hewto_core::proof::{Ref, tag_line};
use hewto_core::requirement::{
    Match, Requirement, Scenario, SpecDoc, find_requirement, find_scenario, scenario_ids,
};
use hewto_store::{Context, DocKey, SpecEntry, Stamp};
use serde_json::json;

use crate::error::{Action, Error, Key, Kind, Result};
use crate::item::SpecText;
use crate::page::{PageRequest, paginate};
use crate::proof;
use crate::spec::ItemKind;
use crate::view::{
    AllRequirements, RequirementCard, RequirementCards, RequirementInContext, RequirementOfSpec,
    RequirementView, ScenarioInContext, ScenarioView, SpecCard, SpecCards, StepView,
};
use crate::workspace::Workspace;

/// `list_specs`: every spec with its title and purpose, sorted by id.
pub fn list_specs(ws: &Workspace, ctx: &Context, page: &PageRequest) -> Result<SpecCards> {
    let snapshot = ws.store().snapshot(ctx)?;
    let list = ("list_specs", ws.root());
    let show = |entry: &std::sync::Arc<SpecEntry>| SpecCard {
        id: entry.id.to_string(),
        kind: ItemKind::of(ws, ctx, entry),
        title: entry.title().to_owned(),
        purpose: ws.purposes().of(ws, ctx, entry),
    };
    let (specs, page) = paginate(&snapshot.specs, page, &list, |entry| entry.id.as_str(), show)?;
    Ok(SpecCards { specs, page })
}

/// `get_spec_requirements`: the requirements of a spec without the bodies of their scenarios.
pub fn of_spec(ws: &Workspace, ctx: &Context, id: &str, page: &PageRequest) -> Result<RequirementCards> {
    let spec = SpecText::load(ws, ctx, id)?;
    let document = Document::parse(&spec.document.text);
    let requirements = SpecDoc::read(&document).requirements;
    // Pages go by position: requirements keep the order of the document.
    let places: Vec<(String, &Requirement<'_>)> =
        requirements.iter().enumerate().map(|(n, requirement)| (format!("{n:06}"), requirement)).collect();
    let list = ("get_spec_requirements", ws.root(), id);
    let show = |(_, requirement): &(String, &Requirement<'_>)| card(requirement);
    let (requirements, page) = paginate(&places, page, &list, |(place, _)| place, show)?;
    Ok(RequirementCards { spec_id: spec.id.to_string(), title: spec.title(), requirements, page })
}

/// The requirements of all specs, in the order of the specs' ids and of their documents.
pub fn of_all(ws: &Workspace, ctx: &Context) -> Result<AllRequirements> {
    let snapshot = ws.store().snapshot(ctx)?;
    let mut all = AllRequirements { specs: 0, requirements: Vec::new() };
    for entry in &snapshot.specs {
        ctx.check()?;
        // A document that cannot be read hides no other.
        let Ok(Some(doc)) = ws.store().read(ctx, &DocKey::Spec(entry.id.clone())) else { continue };
        let document = Document::parse(&doc.text);
        let requirements = SpecDoc::read(&document).requirements;
        all.specs += usize::from(!requirements.is_empty());
        all.requirements.extend(
            requirements.iter().map(|requirement| RequirementOfSpec {
                spec_id: entry.id.to_string(),
                card: card(requirement),
            }),
        );
    }
    Ok(all)
}

fn card(requirement: &Requirement<'_>) -> RequirementCard {
    RequirementCard {
        id: requirement.id.clone(),
        name: requirement.name.to_owned(),
        scenario_count: requirement.scenarios.len(),
        scenarios: requirement.scenarios.iter().map(|scenario| scenario.name.to_owned()).collect(),
    }
}

/// `get_scenario`: one scenario, the first one of the requirement when none is named.
pub fn scenario(
    ws: &Workspace,
    ctx: &Context,
    id: &str,
    requirement: &str,
    scenario: Option<&str>,
) -> Result<ScenarioInContext> {
    let spec = SpecText::load(ws, ctx, id)?;
    let document = Document::parse(&spec.document.text);
    let doc = SpecDoc::read(&document);
    let found = named_requirement(&doc, id, requirement)?;
    let scenario = match scenario {
        Some(name) => match find_scenario(found, name) {
            Match::Found(scenario) => scenario,
            Match::Missing { near } => {
                return Err(missing(Key::ScenarioNotFound, id, "scenario", name, &near)
                    .detail("requirement", found.name));
            }
        },
        None => found.scenarios.first().ok_or_else(|| {
            Error::new(
                Kind::Refused,
                Key::ScenarioNotFound,
                format!("the requirement `{}` has no scenarios", found.name),
            )
            .detail("spec_id", id)
            .hint("add a `#### Scenario:` below the requirement")
        })?,
    };
    let tag = tags(ws, ctx, &spec.id, found, |name| std::ptr::eq(name, scenario)).pop();
    let ids = scenario_ids(found);
    let own = found.scenarios.iter().zip(ids).find(|(one, _)| std::ptr::eq(*one, scenario));
    let reference = own.map(|(_, own)| Ref::new(spec.id.as_str(), &found.id, Some(&own)));
    let asked = reference.filter(|_| tag.is_some());
    Ok(ScenarioInContext {
        spec_id: spec.id.to_string(),
        requirement: found.name.to_owned(),
        requirement_description: found.text.to_string(),
        similar: asked.map(|reference| proof::similar_tests(ws, ctx, &reference)).unwrap_or_default(),
        tag,
        scenario: scenario_view(&document, scenario),
    })
}

/// One requirement of a spec in full.
pub fn show(ws: &Workspace, ctx: &Context, id: &str, requirement: &str) -> Result<RequirementInContext> {
    let spec = SpecText::load(ws, ctx, id)?;
    let document = Document::parse(&spec.document.text);
    let doc = SpecDoc::read(&document);
    let found = named_requirement(&doc, id, requirement)?;
    let mut view = requirement_view(&document, found);
    let body = EolStyle::Lf.applied_to(document.slice(found.body.clone()));
    // Lists and code are part of what is promised: whoever edits the text and sends it back must not lose them.
    if !body.contains("<!--") {
        body.trim().clone_into(&mut view.text);
    }
    Ok(RequirementInContext {
        spec_id: spec.id.to_string(),
        id: found.id.clone(),
        requirement: view,
        raw: found.raw.trim_end().to_owned(),
        file: spec.document.path.to_string(),
        line: document.line_of(found.heading.start),
        tags: tags(ws, ctx, &spec.id, found, |_| true),
    })
}

/// The lines to paste above tests of some scenarios, where the project asks for proof.
fn tags(
    ws: &Workspace,
    ctx: &Context,
    id: &SpecId,
    requirement: &Requirement<'_>,
    wanted: impl Fn(&Scenario<'_>) -> bool,
) -> Vec<String> {
    if matches!(proof::policy(ws, ctx), Ok(Policy::Off)) {
        return Vec::new();
    }
    let ids = scenario_ids(requirement);
    let scenarios = requirement.scenarios.iter().zip(ids).filter(|(scenario, _)| wanted(scenario));
    let house = proof::house_file(ws, ctx);
    let line = |scenario: Option<&str>| {
        tag_line(house.as_deref(), &Ref::new(id.as_str(), &requirement.id, scenario))
    };
    let tags: Vec<String> = scenarios.map(|(_, scenario)| line(Some(&scenario))).collect();
    if tags.is_empty() && requirement.scenarios.is_empty() { vec![line(None)] } else { tags }
}

pub(crate) fn requirement_view(document: &Document<'_>, requirement: &Requirement<'_>) -> RequirementView {
    RequirementView {
        name: requirement.name.to_owned(),
        text: requirement.text.to_string(),
        scenarios: requirement.scenarios.iter().map(|scenario| scenario_view(document, scenario)).collect(),
    }
}

fn scenario_view(document: &Document<'_>, scenario: &Scenario<'_>) -> ScenarioView {
    let clauses = scenario.clauses(document);
    ScenarioView {
        name: scenario.name.to_owned(),
        given: clauses.given,
        when: clauses.when,
        then: clauses.then,
        steps: scenario
            .steps(document)
            .into_iter()
            .map(|step| StepView { keyword: step.keyword.to_string(), text: step.text })
            .collect(),
    }
}

fn named_requirement<'r, 't>(doc: &'r SpecDoc<'t>, id: &str, name: &str) -> Result<&'r Requirement<'t>> {
    match find_requirement(&doc.requirements, name) {
        Match::Found(requirement) => Ok(requirement),
        Match::Missing { near } => Err(missing(Key::RequirementNotFound, id, "requirement", name, &near)),
    }
}

fn missing(key: Key, spec: &str, what: &str, name: &str, near: &[String]) -> Error {
    let error = Error::new(Kind::Refused, key, format!("no {what} named `{name}`"))
        .detail(what, name)
        .detail("spec_id", spec);
    if near.is_empty() {
        return error.hint(Action::ListRequirements { spec: spec.to_owned() }.to("see the names"));
    }
    error.hint(format!("did you mean `{}`?", near.join("`, `"))).detail("near", json!(near))
}

/// Purposes that were read before, as long as their file stays the same.
#[derive(Debug, Default)]
pub(crate) struct Purposes {
    known: Mutex<HashMap<SpecId, (Stamp, Glimpse)>>,
}

/// What lists tell of a spec beyond its summary.
#[derive(Debug, Clone, Default)]
struct Glimpse {
    purpose: Option<String>,
    has_requirements: bool,
}

impl Purposes {
    fn of(&self, ws: &Workspace, ctx: &Context, entry: &SpecEntry) -> Option<String> {
        self.glimpse(ws, ctx, entry).purpose
    }

    /// Whether a spec has requirements.
    pub(crate) fn promises(&self, ws: &Workspace, ctx: &Context, entry: &SpecEntry) -> bool {
        self.glimpse(ws, ctx, entry).has_requirements
    }

    fn glimpse(&self, ws: &Workspace, ctx: &Context, entry: &SpecEntry) -> Glimpse {
        let stamp = entry.stamps.spec;
        let lock = || self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((_, glimpse)) = lock().get(&entry.id).filter(|(seen, _)| *seen == stamp) {
            return glimpse.clone();
        }
        // A document that cannot be read is listed with what its summary has.
        let Some(doc) = ws.store().read(ctx, &DocKey::Spec(entry.id.clone())).ok().flatten() else {
            return Glimpse::default();
        };
        let document = Document::parse(&doc.text);
        let spec = SpecDoc::read(&document);
        let purpose = spec.purpose.map(|purpose| purpose.text.into_owned());
        let glimpse = Glimpse {
            purpose: purpose.filter(|text| !text.is_empty()),
            has_requirements: !spec.requirements.is_empty(),
        };
        lock().insert(entry.id.clone(), (stamp, glimpse.clone()));
        glimpse
    }
}
