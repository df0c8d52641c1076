//! `hewto plan new`.

use std::str::FromStr;

use hewto_core::plan::Complexity;
use hewto_engine::plan::{self, NewPlan, StepInput};
use hewto_engine::{Error, Result};
use serde::Deserialize;
use serde_json::json;

use crate::act;
use crate::actions::typed;
use crate::failure::{Outcome, Verdict, usage};
use crate::place::Place;
use crate::ui::{Cell, NAME, Ui, facts};
use crate::values::Source;

/// Write the plan of a spec
#[derive(Debug, clap::Args)]
#[command(after_help = "\
--from reads {\"approach\": \"…\", \"steps\": [{\"title\": \"…\", \"description\": \"…\", \"complexity\": \"simple\"}]}; \
a complexity (trivial, simple, moderate or complex) may be left out.")]
pub(crate) struct Args {
    /// The spec's id, or change:ID
    id: String,
    /// How the spec is going to be built
    #[arg(long, value_name = "TEXT", required_unless_present = "from")]
    approach: Option<String>,
    /// A step, as "title: description"; repeat it for each step
    #[arg(long = "step", value_name = "STEP", required_unless_present = "from")]
    steps: Vec<Step>,
    /// Read the whole plan from this JSON file, or from standard input for `-`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["approach", "steps"])]
    from: Option<Source>,
}

/// A step as it is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    title: String,
    description: String,
}

impl FromStr for Step {
    type Err = &'static str;
    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        match text.split_once(": ") {
            Some((title, description)) if !title.trim().is_empty() && !description.trim().is_empty() => {
                Ok(Self { title: title.trim().to_owned(), description: description.trim().to_owned() })
            }
            _ => Err("a step is written \"title: description\""),
        }
    }
}

/// A plan as JSON, in the shape that the tool `plan_create` takes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    approach: String,
    steps: Vec<StepFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepFile {
    title: String,
    description: String,
    complexity: Option<String>,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    let workspace = place.workspace()?;
    let plan = match &args.from {
        Some(source) => read(source)?,
        None => NewPlan {
            approach: args.approach.unwrap_or_default(),
            steps: args.steps.into_iter().map(Into::into).collect(),
        },
    };
    let inputs = json!({ "id": args.id, "approach": plan.approach, "steps": plan.steps.len() });
    let created = act::in_workspace(&workspace, "plan new", inputs, |ctx| {
        plan::create(&workspace, ctx, &args.id, &plan)
    })?;
    ui.answer(&created, |created| {
        facts([
            ("planned", Cell::styled(&created.spec_id, NAME)),
            ("steps", Cell::plain(created.total_steps.to_string())),
            ("file", Cell::plain(&created.path)),
            ("next", Cell::plain(typed(&format!("build start {} --approve", created.spec_id)))),
        ])
    })?;
    Ok(Verdict::Yes)
}

fn read(source: &Source) -> Result<NewPlan> {
    let text = source.read()?;
    let file: PlanFile =
        serde_json::from_str(&text).map_err(|error| not_a_plan(source, &error.to_string()))?;
    let steps = file.steps.into_iter().enumerate().map(|(index, step)| {
        let complexity =
            step.complexity.as_deref().map(str::parse::<Complexity>).transpose().map_err(|_| {
                let expected = Complexity::ALL.map(Complexity::as_str).join(", ");
                not_a_plan(source, &format!("the complexity of step {} is not one of {expected}", index + 1))
            })?;
        Ok(StepInput { title: step.title, description: step.description, complexity })
    });
    Ok(NewPlan { approach: file.approach, steps: steps.collect::<Result<_>>()? })
}

fn not_a_plan(source: &Source, why: &str) -> Error {
    usage(format!("{} holds no plan: {why}", source.name()))
        .hint("run `hewto plan new --help` to see its shape")
}

impl From<Step> for StepInput {
    fn from(step: Step) -> Self {
        Self { title: step.title, description: step.description, complexity: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_cut_at_its_first_colon_and_blank() {
        let step: Step = "Wire fmt::Display: for ids: all of them".parse().unwrap();
        assert_eq!(
            (step.title.as_str(), step.description.as_str()),
            ("Wire fmt::Display", "for ids: all of them")
        );
    }

    #[test]
    fn half_a_step_is_refused() {
        for text in ["", "title", "title:", "title: ", ": description", "a:b"] {
            assert!(text.parse::<Step>().is_err(), "{text:?}");
        }
    }
}
