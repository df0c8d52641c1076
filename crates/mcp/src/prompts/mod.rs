//! The prompts: guides that a person picks in their client, with their text filled in.
//!
//! Texts are in `text/`; those of the workflow are the seed's own. A placeholder is replaced once; what the user supplied is never searched
//! for further placeholders.

use hewto_core::near::near;
use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::{Value, json};

use crate::naming::{fit, names_only_offered};
use crate::options::Toolset;
use crate::table::Table;

/// A prompt with one argument, which stands in its text as `{{name}}`.
#[derive(Debug)]
pub(crate) struct PromptDef {
    pub(crate) name: &'static str,
    leads: Leads,
    title: &'static str,
    pub(crate) description: &'static str,
    toolset: Toolset,
    pub(crate) argument: &'static str,
    argument_description: &'static str,
    text: &'static str,
    /// What it says of a change, where that has no documents of a spec.
    of_change: Option<&'static str>,
}

/// What an agent that follows a prompt does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leads {
    ToReading,
    ToWriting,
}

/// Whose prompts are offered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Offer<'o> {
    pub(crate) toolsets: &'o [Toolset],
    /// Whether prompts that lead to writing are left out.
    pub(crate) read_only: bool,
    /// The tools that they may name.
    pub(crate) table: &'o Table,
}

/// The argument whose values are ids of specs and can be completed.
pub(crate) const SPEC_ID: &str = "spec_id";
/// The argument whose values are ids of open changes and can be completed.
pub(crate) const CHANGE_ID: &str = "change_id";

/// What stands before the id of a change where a spec could be meant.
const OF_CHANGE: &str = "change:";

const PROMPTS: &[PromptDef] = &[
    PromptDef {
        name: "apply",
        leads: Leads::ToWriting,
        title: "Build a change",
        description: "Plan, build and tick off a change that was approved",
        toolset: Toolset::Specs,
        argument: CHANGE_ID,
        argument_description: "Change to build",
        text: include_str!("text/apply.md"),
        of_change: None,
    },
    PromptDef {
        name: "archive",
        leads: Leads::ToWriting,
        title: "Archive a change",
        description: "Put a finished change into the living specs",
        toolset: Toolset::Specs,
        argument: CHANGE_ID,
        argument_description: "Change to archive",
        text: include_str!("text/archive.md"),
        of_change: None,
    },
    PromptDef {
        name: "check_progress",
        leads: Leads::ToReading,
        title: "Check progress",
        description: "Assess current progress on a spec",
        toolset: Toolset::Workflow,
        argument: SPEC_ID,
        argument_description: "Spec to check progress on",
        text: include_str!("text/check_progress.md"),
        of_change: None,
    },
    PromptDef {
        name: "create_plan",
        leads: Leads::ToWriting,
        title: "Create a plan",
        description: "Guide for breaking down a spec into actionable steps",
        toolset: Toolset::Workflow,
        argument: SPEC_ID,
        argument_description: "Spec to plan for",
        text: include_str!("text/create_plan.md"),
        of_change: Some(include_str!("text/plan_change.md")),
    },
    PromptDef {
        name: "propose",
        leads: Leads::ToWriting,
        title: "Propose a change",
        description: "Turn a wish into a validated change proposal",
        toolset: Toolset::Specs,
        argument: "wish",
        argument_description: "What is wanted, in your own words",
        text: include_str!("text/propose.md"),
        of_change: None,
    },
    PromptDef {
        name: "prove",
        leads: Leads::ToWriting,
        title: "Prove a spec",
        description: "Write the missing tests and run them until every scenario is verified",
        toolset: Toolset::Proof,
        argument: SPEC_ID,
        argument_description: "Spec, or change:ID, to prove",
        text: include_str!("text/prove.md"),
        of_change: None,
    },
    PromptDef {
        name: "review_spec",
        leads: Leads::ToReading,
        title: "Review a spec",
        description: "Check if a spec is complete and well-formed",
        toolset: Toolset::Workflow,
        argument: SPEC_ID,
        argument_description: "Spec to review",
        text: include_str!("text/review_spec.md"),
        of_change: Some(include_str!("text/review_change.md")),
    },
    PromptDef {
        name: "validate_plan",
        leads: Leads::ToReading,
        title: "Validate a plan",
        description: "Ensure plan adequately addresses spec requirements",
        toolset: Toolset::Workflow,
        argument: SPEC_ID,
        argument_description: "Spec to validate plan against",
        text: include_str!("text/validate_plan.md"),
        of_change: Some(include_str!("text/validate_tasks.md")),
    },
    PromptDef {
        name: "write_spec",
        leads: Leads::ToWriting,
        title: "Write a spec",
        description: "Guide for writing a comprehensive specification",
        toolset: Toolset::Workflow,
        argument: "feature_description",
        argument_description: "Brief description of what to build",
        text: include_str!("text/write_spec.md"),
        of_change: None,
    },
];

/// The prompts that are offered, sorted by name: none that needs a tool which is not.
pub(crate) fn prompts(offer: Offer<'_>) -> impl Iterator<Item = &'static PromptDef> {
    PROMPTS.iter().filter(move |prompt| {
        offer.toolsets.contains(&prompt.toolset)
            && !(offer.read_only && prompt.leads == Leads::ToWriting)
            && names_only_offered(prompt.text, offer.table)
    })
}

/// The bare name in a call of a prompt that says something else of a change; whether it is one is for others to say.
pub(crate) fn bare_name(offer: Offer<'_>, name: &str, arguments: &JsonObject) -> Option<String> {
    let prompt = prompts(offer).find(|prompt| prompt.name == name && prompt.of_change.is_some())?;
    let value = arguments.get(prompt.argument)?.as_str()?.trim();
    let is_bare = offer.toolsets.contains(&Toolset::Specs) && !value.starts_with(OF_CHANGE);
    is_bare.then(|| value.to_owned())
}

/// What `prompts/get` answers. `is_change` says that a bare name in it means a change.
pub(crate) fn get(
    offer: Offer<'_>,
    name: &str,
    arguments: JsonObject,
    is_change: bool,
) -> Result<GetPromptResult, ErrorData> {
    let prompt =
        prompts(offer).find(|prompt| prompt.name == name).ok_or_else(|| unknown_prompt(offer, name))?;
    let mut value = prompt.argument_of(arguments)?;
    if is_change {
        value = format!("{OF_CHANGE}{}", value.trim());
    } else if prompt.argument == CHANGE_ID
        && let Some(bare) = value.trim().strip_prefix(OF_CHANGE)
    {
        value = bare.to_owned();
    }
    let message = PromptMessage::new_text(Role::User, prompt.fill(&value, offer.table));
    Ok(GetPromptResult::new(vec![message]).with_description(prompt.description))
}

impl PromptDef {
    pub(crate) fn listing(&self) -> Prompt {
        let argument = PromptArgument::new(self.argument)
            .with_description(self.argument_description)
            .with_required(true);
        Prompt::new(self.name, Some(self.description), Some(vec![argument])).with_title(self.title)
    }

    /// The one argument, when it is there, is text that says something, and has no strangers beside it.
    fn argument_of(&self, mut arguments: JsonObject) -> Result<String, ErrorData> {
        let name = self.argument;
        let value = match arguments.remove(name) {
            None | Some(Value::Null) => return Err(self.bad_argument(name, "is missing")),
            Some(Value::String(text)) if text.trim().is_empty() => {
                return Err(self.bad_argument(name, "is blank"));
            }
            Some(Value::String(text)) => text,
            Some(_) => return Err(self.bad_argument(name, "is not a string")),
        };
        match arguments.keys().next() {
            Some(stranger) => Err(self.bad_argument(stranger, "is not an argument of this prompt")),
            None => Ok(value),
        }
    }

    fn fill(&self, value: &str, table: &Table) -> String {
        let placeholder = format!("{{{{{}}}}}", self.argument);
        let of_change = self.of_change.filter(|_| value.trim_start().starts_with(OF_CHANGE));
        let text = of_change.map_or_else(|| self.text.to_owned(), |text| fit(text, table));
        // Splitting the fixed text first keeps placeholders inside `value` as they are.
        text.trim_end().split(&placeholder).collect::<Vec<_>>().join(value)
    }

    fn bad_argument(&self, argument: &str, fault: &str) -> ErrorData {
        let message = format!("invalid arguments of `{}`: `{argument}` {fault}", self.name);
        let data = json!({
            "error": "invalid_params",
            "code": -32602,
            "field": argument,
            "expected": format!("`{}`, a string", self.argument),
        });
        ErrorData::invalid_params(message, Some(data))
    }
}

fn unknown_prompt(offer: Offer<'_>, name: &str) -> ErrorData {
    let known: Vec<&str> = prompts(offer).map(|prompt| prompt.name).collect();
    let near = near(name, known.iter().copied(), 3);
    let data =
        json!({ "error": "unknown_prompt", "code": -32602, "prompt": name, "near": near, "known": known });
    ErrorData::invalid_params(format!("no prompt is called `{name}`"), Some(data))
}

#[cfg(test)]
mod tests;
