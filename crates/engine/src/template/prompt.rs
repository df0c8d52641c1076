//! `prompt_catalog`: what to tell an agent that fills a template in.

use hewto_core::artifact::WorkType;
use hewto_core::document::Document;
use hewto_core::template::{Scenario, embedded_prompt, tokens};
use hewto_store::Context;
use schemars::JsonSchema;
use serde::Deserialize;

use super::REMINDER;
use super::catalog::directive_views;
use super::resolve::resolve;
use crate::error::{Error, Result};
use crate::page::{PageRequest, paginate};
use crate::view::{PromptList, PromptTemplate, PromptView};
use crate::workspace::Workspace;

/// Which prompts are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
pub struct PromptFilter {
    /// Only spec, impl or scratch
    pub artifact_type: Option<String>,
    /// Only feat, ref, fix or revision
    pub work_type: Option<String>,
}

/// The prompts of the workspace, and the embedded ones where it has none.
pub fn prompt_catalog(
    ws: &Workspace,
    ctx: &Context,
    filter: &PromptFilter,
    page: &PageRequest,
) -> Result<PromptList> {
    let mut prompts = Vec::new();
    for scenario in wanted(filter)? {
        ctx.check()?;
        if let Some(prompt) = prompt(ws, ctx, scenario)? {
            prompts.push(prompt);
        }
    }
    prompts.sort_by(|a, b| a.id.cmp(&b.id));
    let list = ("prompts", ws.root(), filter);
    let (prompts, page) = paginate(&prompts, page, &list, |prompt| &prompt.id, Clone::clone)?;
    Ok(PromptList { prompts, page })
}

fn wanted(filter: &PromptFilter) -> Result<Vec<Scenario>> {
    let kind = filter.artifact_type.as_deref().map(artifact_type).transpose()?;
    let work_type = filter.work_type.as_deref().map(work_type).transpose()?;
    let matches = |scenario: &Scenario| {
        let own_type = type_of(*scenario);
        let own_work = match scenario {
            Scenario::WorkType(own) => Some(*own),
            _ => None,
        };
        kind.is_none_or(|kind| kind == own_type) && work_type.is_none_or(|wanted| own_work == Some(wanted))
    };
    Ok(Scenario::ALL.into_iter().filter(matches).collect())
}

fn prompt(ws: &Workspace, ctx: &Context, scenario: Scenario) -> Result<Option<PromptView>> {
    let Some(embedded) = embedded_prompt(scenario) else { return Ok(None) };
    let (id, work_type) = match scenario {
        Scenario::WorkType(work_type) => {
            (format!("scratch-{}", work_type.as_str()), Some(work_type.as_str().to_owned()))
        }
        other => (type_of(other).to_owned(), None),
    };
    let own = match ws.places().prompts.document(&format!("{id}.md")) {
        Ok(key) => ws.store().read(ctx, &key)?,
        Err(_) => None,
    };
    let (body, path) = match own {
        Some(doc) => (doc.text, Some(doc.path.to_string())),
        None => (embedded.to_owned(), None),
    };
    let template = resolve(ws, ctx, scenario)?.provenance;
    Ok(Some(PromptView {
        title: title(&body).unwrap_or_else(|| id.clone()),
        artifact_type: type_of(scenario).to_owned(),
        work_type,
        tokens: tokens(&body),
        html_directives: directive_views(&body),
        template: PromptTemplate { locator: template.locator, tier: template.tier },
        reminder: REMINDER.to_owned(),
        path,
        body,
        id,
    }))
}

fn title(body: &str) -> Option<String> {
    let document = Document::parse(body);
    let heading = document.headings().next().map(|(_, heading)| heading.title.clone().into_owned());
    heading.filter(|title| !title.is_empty())
}

fn type_of(scenario: Scenario) -> &'static str {
    match scenario {
        Scenario::Specification => "spec",
        Scenario::Implementation => "impl",
        Scenario::ScratchPad | Scenario::WorkType(_) => "scratch",
    }
}

fn artifact_type(name: &str) -> Result<&'static str> {
    match name {
        "spec" | "Specification" => Ok("spec"),
        "impl" | "Implementation" => Ok("impl"),
        "scratch" | "ScratchPad" => Ok("scratch"),
        _ => Err(Error::invalid_argument(
            "artifact_type",
            "one of spec, impl, scratch",
            format!("`{name}` is not a type of artifact"),
        )
        .hint("use `spec`, `impl` or `scratch`")),
    }
}

fn work_type(name: &str) -> Result<WorkType> {
    WorkType::parse(name).ok_or_else(|| {
        let known = WorkType::ALL.map(WorkType::as_str).join(", ");
        Error::invalid_argument(
            "work_type",
            &format!("one of {known}"),
            format!("`{name}` is not a kind of work"),
        )
    })
}
