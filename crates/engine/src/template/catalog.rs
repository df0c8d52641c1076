//! `templates.catalog`: the template of each scenario, with the tokens it asks for.

use hewto_core::template::{Scenario, directives, tokens};
use hewto_store::Context;

use super::REMINDER;
use super::resolve::{Resolved, resolve, resolve_locator};
use crate::error::{Error, Result};
use crate::page::{PageRequest, paginate};
use crate::view::{DirectiveView, TemplateList, TemplateText, TemplateView};
use crate::workspace::Workspace;

/// The templates of all scenarios, or of one; `pointer_override` stands in for the pointer.
pub fn catalog(
    ws: &Workspace,
    ctx: &Context,
    scenario: Option<&str>,
    pointer_override: Option<&str>,
    page: &PageRequest,
) -> Result<TemplateList> {
    let wanted = match scenario {
        Some(name) => vec![parse_scenario("scenario", name)?],
        None => Scenario::ALL.to_vec(),
    };
    let mut found: Vec<(String, Scenario, Resolved)> = Vec::new();
    for (index, scenario) in wanted.into_iter().enumerate() {
        ctx.check()?;
        let resolved = match pointer_override {
            Some(locator) => resolve_locator(ws, ctx, scenario, locator)?,
            None => resolve(ws, ctx, scenario)?,
        };
        found.push((format!("{index:02}"), scenario, resolved));
    }
    let list = ("templates", ws.root(), scenario, pointer_override);
    let (templates, page) =
        paginate(&found, page, &list, |(key, ..)| key, |(_, scenario, resolved)| view(*scenario, resolved))?;
    Ok(TemplateList { templates, page })
}

/// One template with its text.
pub fn show(ws: &Workspace, ctx: &Context, scenario: &str) -> Result<TemplateText> {
    let scenario = parse_scenario("scenario", scenario)?;
    let resolved = resolve(ws, ctx, scenario)?;
    Ok(TemplateText { template: view(scenario, &resolved), text: resolved.text })
}

fn view(scenario: Scenario, resolved: &Resolved) -> TemplateView {
    TemplateView {
        scenario: scenario.name(),
        locator: resolved.provenance.locator.clone(),
        tier: resolved.provenance.tier.clone(),
        required_tokens: tokens(&resolved.text),
        html_directives: directive_views(&resolved.text),
        reminder: REMINDER.to_owned(),
        provenance: resolved.provenance.clone(),
    }
}

pub(crate) fn directive_views(text: &str) -> Vec<DirectiveView> {
    directives(text)
        .into_iter()
        .map(|directive| DirectiveView { line: directive.line, text: directive.text })
        .collect()
}

pub(super) fn parse_scenario(field: &str, name: &str) -> Result<Scenario> {
    Scenario::parse(name.trim()).ok_or_else(|| {
        let known: Vec<String> = Scenario::ALL.iter().map(|scenario| scenario.name()).collect();
        let known = known.join(", ");
        Error::invalid_argument(field, &format!("one of {known}"), format!("`{name}` is not a scenario"))
            .hint(format!("use one of {known}; `spec`, `impl`, `scratch` and `feat` are understood too"))
    })
}
