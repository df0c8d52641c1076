//! The prompts: guides that a person picks in their client, with their text filled in.
//!
//! Texts are in `text/`; those of the workflow are the seed's own. A placeholder is replaced once; what the user supplied is never searched
//! for further placeholders.

use hewto_core::near::near;
use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::{Value, json};

use crate::options::Toolset;

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
}

/// The argument whose values are ids of specs and can be completed.
pub(crate) const SPEC_ID: &str = "spec_id";
/// The argument whose values are ids of open changes and can be completed.
pub(crate) const CHANGE_ID: &str = "change_id";

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

/// The prompts that are offered, sorted by name.
pub(crate) fn prompts(offer: Offer<'_>) -> impl Iterator<Item = &'static PromptDef> {
    PROMPTS.iter().filter(move |prompt| {
        offer.toolsets.contains(&prompt.toolset) && !(offer.read_only && prompt.leads == Leads::ToWriting)
    })
}

/// What `prompts/get` answers.
pub(crate) fn get(offer: Offer<'_>, name: &str, arguments: JsonObject) -> Result<GetPromptResult, ErrorData> {
    let prompt =
        prompts(offer).find(|prompt| prompt.name == name).ok_or_else(|| unknown_prompt(offer, name))?;
    let value = prompt.argument_of(arguments)?;
    let message = PromptMessage::new_text(Role::User, prompt.fill(&value));
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

    fn fill(&self, value: &str) -> String {
        let placeholder = format!("{{{{{}}}}}", self.argument);
        let text = self.of_change.filter(|_| value.trim_start().starts_with("change:")).unwrap_or(self.text);
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SERVED: Offer<'static> = Offer { toolsets: &[Toolset::Workflow], read_only: false };

    fn text(name: &str, arguments: Value) -> Result<String, ErrorData> {
        let result = get(SERVED, name, rmcp::model::object(arguments))?;
        assert_eq!(result.messages.len(), 1);
        assert_eq!(result.messages[0].role, Role::User);
        Ok(result.messages[0].content.as_text().unwrap().text.clone())
    }

    #[test]
    fn a_server_that_only_reads_offers_no_prompt_that_leads_to_writing() {
        let offer = Offer { toolsets: Toolset::ALL, read_only: true };
        let names: Vec<&str> = prompts(offer).map(|prompt| prompt.name).collect();
        for writing in ["apply", "archive", "create_plan", "propose", "write_spec"] {
            assert!(!names.contains(&writing), "{writing}");
        }
        assert!(names.contains(&"check_progress"));
        assert!(get(offer, "propose", rmcp::model::object(json!({ "wish": "x" }))).is_err());
    }

    #[test]
    fn every_prompt_has_its_placeholder_and_the_list_is_sorted() {
        let names: Vec<&str> = prompts(SERVED).map(|prompt| prompt.name).collect();
        assert!(names.is_sorted());
        for prompt in prompts(SERVED) {
            assert!(prompt.text.contains(&format!("{{{{{}}}}}", prompt.argument)), "{}", prompt.name);
            assert!(!prompt.fill("x").contains("{{"), "{}", prompt.name);
        }
        assert_eq!(prompts(Offer { toolsets: &[], read_only: false }).count(), 0);
    }

    #[test]
    fn every_placeholder_is_replaced_but_never_inside_what_the_user_wrote() {
        let filled = text("validate_plan", json!({ "spec_id": "{{spec_id}} {{x}}" })).unwrap();
        assert!(filled.starts_with(
            "Compare the plan at airsspec:///{{spec_id}} {{x}}/plan against the spec at airsspec:///{{spec_id}} {{x}}/spec\n"
        ));
    }

    #[test]
    fn of_a_change_a_prompt_speaks_of_tasks_and_deltas_and_not_of_documents_it_does_not_have() {
        for prompt in prompts(SERVED).filter(|prompt| prompt.argument == SPEC_ID) {
            let filled = prompt.fill("change:add-limit");
            assert!(!filled.contains("airsspec:///"), "{}: {filled}", prompt.name);
            assert!(filled.contains("change:add-limit") && !filled.contains("{{"), "{}", prompt.name);
        }
        let plan = text("create_plan", json!({ "spec_id": "change:add-limit" })).unwrap();
        assert!(
            plan.contains("tasks") && plan.contains("plan_update") && plan.contains("build_start"),
            "{plan}"
        );
    }

    #[test]
    fn bad_arguments_and_unknown_prompts_are_refused_with_what_to_do() {
        let cases = [
            ("write_spec", json!({}), "feature_description"),
            ("write_spec", json!({ "feature_description": null }), "feature_description"),
            ("write_spec", json!({ "feature_description": "  \n" }), "feature_description"),
            ("write_spec", json!({ "feature_description": 5 }), "feature_description"),
            ("write_spec", json!({ "feature_description": "x", "else": "y" }), "else"),
        ];
        for (name, arguments, field) in cases {
            let error = text(name, arguments.clone()).unwrap_err();
            assert_eq!(error.code.0, -32602);
            assert_eq!(error.data.unwrap()["field"], field, "{arguments}");
        }
        let error = text("write_spex", json!({})).unwrap_err();
        assert_eq!((error.code.0, &error.data.unwrap()["near"]), (-32602, &json!(["write_spec"])));
    }

    proptest! {
        #[test]
        fn the_text_around_the_placeholder_never_changes(value in "[ -~\n{}]{1,40}") {
            prop_assume!(!value.trim().is_empty());
            let prompt = PROMPTS.iter().find(|prompt| prompt.name == "check_progress").unwrap();
            let (before, after) = prompt.text.trim_end().split_once("{{spec_id}}").unwrap();
            prop_assert_eq!(text(prompt.name, json!({ "spec_id": value.clone() })).unwrap(), format!("{before}{value}{after}"));
        }
    }
}
