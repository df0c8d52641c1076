//! One thing that is in the way, and how it is refused or told.

use hewto_store::Context;
use serde_json::{Map, Value, json};

use crate::error::{Action, Error, Hint, Key, Kind, Result};
use crate::view::OpenPoint;

/// Something that a gate misses.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Point {
    pub(crate) key: Key,
    message: String,
    hint: Hint,
    details: Map<String, Value>,
}

impl Point {
    pub(super) fn new(key: Key, message: String, hint: impl Into<Hint>) -> Self {
        Self { key, message, hint: hint.into(), details: Map::new() }
    }

    pub(super) fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    pub(super) fn no_plan(item: &str) -> Self {
        let hint = Action::CreatePlan { item: item.to_owned() };
        Self::new(Key::PlanNotFound, format!("`{item}` has no plan"), hint)
    }

    pub(super) fn not_asserted(item: &str) -> Self {
        let hint = Hint::from("let a person review the plan, then ")
            .action(Action::StartBuild { item: item.to_owned() });
        Self::new(Key::ApprovalPending, format!("nobody has approved the plan of `{item}`"), hint)
    }

    pub(super) fn not_built(item: &str, why: &str) -> Self {
        let hint = Action::StartBuild { item: item.to_owned() }
            .then(", do the work, and ")
            .action(Action::CompleteBuild { item: item.to_owned() })
            .text(" when it is done");
        Self::new(Key::NotBuilt, format!("`{item}` has not been built: {why}"), hint)
    }

    pub(super) fn tasks_open(item: &str) -> Self {
        Self::new(
            Key::TasksOpen,
            format!("tasks of `{item}` are open, and nobody has allowed that it is archived so"),
            format!("finish them, or let a person run `hewto approve {item} --allow-open-tasks`"),
        )
    }

    pub(super) fn steps_open(item: &str, open: &[String]) -> Self {
        let names = open.iter().take(10).map(|title| format!("`{title}`")).collect::<Vec<_>>().join(", ");
        let more = if open.len() > 10 { format!(" and {} more", open.len() - 10) } else { String::new() };
        Self::new(
            Key::StepsOpen,
            match open.len() {
                1 => format!("1 step of `{item}` is open: {names}"),
                many => format!("{many} steps of `{item}` are open: {names}{more}"),
            },
            Action::CompleteStep { item: item.to_owned() }
                .then(" for each, or drop those that will not be done: ")
                .action(Action::CompleteBuildWithout { item: item.to_owned() }),
        )
        .detail("steps", json!(open))
    }

    pub(super) fn unwritten(item: &str, requirements: &[String]) -> Self {
        let names: Vec<String> = requirements.iter().take(10).map(|name| format!("`{name}`")).collect();
        Self::new(
            Key::ApprovalStale,
            format!(
                "what was approved of `{item}` would not be written, because of what the change is said to be written against (`.base.json`): {}",
                names.join(", ")
            ),
            "archive with `rebase: true` (`hewto change validate --rebase`) to write it as it was approved, or take over what is in the specs and let a person approve that",
        )
        .detail("requirements", json!(requirements))
    }

    pub(super) fn blocked(item: &str, unmet: &[(String, String)]) -> Self {
        let told: Vec<String> = unmet.iter().map(|(name, why)| format!("`{name}` ({why})")).collect();
        let names: Vec<&str> = unmet.iter().map(|(name, _)| name.as_str()).collect();
        let hint = Hint::from("finish these first, or ")
            .action(Action::UpdateSpec { item: item.to_owned() })
            .text(" and make the dependency soft");
        let message = format!("`{item}` waits for {}", told.join(", "));
        Self::new(Key::DependencyNotSatisfied, message, hint).detail("blocking", json!(names))
    }

    pub(crate) fn told(self, ctx: &Context) -> OpenPoint {
        OpenPoint { key: self.key.as_str().to_owned(), message: self.message, hint: ctx.say(self.hint) }
    }

    /// Refuses all points at once where a gate is binding, else tells them.
    pub(super) fn refuse(
        ctx: &Context,
        points: Vec<Self>,
        item: &str,
        binding: bool,
    ) -> Result<Vec<OpenPoint>> {
        if !binding || points.is_empty() {
            return Ok(points.into_iter().map(|point| point.told(ctx)).collect());
        }
        let all: Vec<Value> = points
            .iter()
            .map(|point| json!({ "key": point.key.as_str(), "message": point.message, "hint": ctx.say(point.hint.clone()) }))
            .collect();
        let mut points = points.into_iter();
        let Some(first) = points.next() else { return Ok(Vec::new()) };
        let mut error =
            Error::new(Kind::Refused, first.key, first.message).detail("spec_id", item).hint(first.hint);
        for (name, value) in first.details.into_iter().chain(points.flat_map(|point| point.details)) {
            error = error.detail_unless_set(&name, value);
        }
        Err(if all.len() > 1 { error.detail("open", all) } else { error })
    }
}
