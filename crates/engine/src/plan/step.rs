//! The step that somebody means: by its place, by its number, by its title.

use hewto_core::near::{fold, near};
use serde_json::json;

use super::ItemPlan;
use crate::error::{Action, Error, Result};

/// How many near titles an error offers.
const NEAR: usize = 3;

/// A step of a plan as somebody names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepName {
    /// Its place, counted from 0, as `step_index` of seed 000 has it.
    Index(usize),
    /// `1.2` as a task list numbers it, `2` as people count (from 1), or its title.
    Text(String),
}

impl From<usize> for StepName {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

impl From<&str> for StepName {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// Where the step stands among all, counted from 0.
pub(crate) fn find(plan: &ItemPlan, name: &StepName) -> Result<usize> {
    let total = plan.plan.steps.len();
    match name {
        StepName::Index(index) if *index < total => Ok(*index),
        StepName::Index(index) => Err(no_index(*index, total)),
        StepName::Text(text) => named(plan, text.trim()),
    }
}

fn no_index(index: usize, total: usize) -> Error {
    let expected = match total {
        0 => "a plan with steps".to_owned(),
        _ => format!("a number from 0 to {}", total - 1),
    };
    let message = format!("there is no step {index}: the plan has {total} steps, counted from 0");
    Error::invalid_argument("step_index", &expected, message)
        .detail("total_steps", total)
        .hint("read the plan to see its steps")
}

fn no_place(number: usize, total: usize) -> Error {
    let expected = match total {
        0 => "a plan with steps".to_owned(),
        _ => format!("a number from 1 to {total}"),
    };
    let message = format!("there is no step {number}: the plan has {total}");
    Error::invalid_argument("step", &expected, message)
        .detail("total_steps", total)
        .hint("read the plan to see its steps; `step` counts from 1")
}

fn named(plan: &ItemPlan, text: &str) -> Result<usize> {
    let numbers = plan.numbers();
    let titles: Vec<&str> = plan.plan.steps.iter().map(|step| step.title.as_str()).collect();
    if let Some(at) = numbers.iter().position(|number| number == text) {
        return Ok(at);
    }
    let bare = fold(text);
    let counted = bare.strip_prefix("step ").unwrap_or(&bare).trim_end_matches([':', '.']);
    if let Ok(number) = counted.parse::<usize>() {
        return match number.checked_sub(1) {
            Some(at) if at < titles.len() => Ok(at),
            _ => Err(no_place(number, titles.len())),
        };
    }
    let alike: Vec<usize> = (0..titles.len()).filter(|&at| fold(titles[at]) == bare).collect();
    match alike.as_slice() {
        [only] => Ok(*only),
        [] => Err(unknown(plan, text, &numbers, &titles)),
        _ => {
            let places: Vec<String> = alike.iter().map(|&at| (at + 1).to_string()).collect();
            let message = format!("{} steps are called `{text}`", alike.len());
            Err(Error::invalid_argument("step", &format!("one of {}", places.join(", ")), message)
                .detail("total_steps", titles.len())
                .hint(format!("name it by its place: `{}`", places.join("`, `"))))
        }
    }
}

fn unknown(plan: &ItemPlan, text: &str, numbers: &[String], titles: &[&str]) -> Error {
    let shown = |at: usize| format!("{} {}", numbers[at], titles[at]);
    let close = near(text, titles.iter().copied(), NEAR);
    let meant: Vec<String> = if close.is_empty() {
        (0..titles.len().min(NEAR)).map(shown).collect()
    } else {
        (0..titles.len()).filter(|&at| close.iter().any(|near| near == titles[at])).map(shown).collect()
    };
    let message = format!("no step is called `{text}`: the plan has {} steps", titles.len());
    Error::invalid_argument("step", "its number (`1.2`), its place from 1 (`2`) or its title", message)
        .detail("total_steps", titles.len())
        .detail("near", json!(meant))
        .hint(if meant.is_empty() {
            Action::UpdatePlan { item: plan.item().to_string() }.to("add some: the plan has no steps yet")
        } else {
            format!("did you mean `{}`?", meant.join("`, `")).into()
        })
}
