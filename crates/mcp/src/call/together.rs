//! All that is wrong with a call in one answer: how it was written, and what it says.
//!
//! Arguments that do not match their schema are judged as far as they can be read, with a context that commits nothing, and
//! what the engine finds is told beside what the schema found.

use hewto_engine::{Context, Error, Key};
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use crate::options::Toolset;
use crate::reply;
use crate::schema::{Fault, Misread, Surface, field_of};
use crate::state::ServerState;
use crate::table::{Table, ToolDef};

impl ServerState {
    /// What is wrong with a call whose arguments do not match the schema.
    pub(crate) async fn judge(
        &self,
        tool: ToolDef,
        misread: Misread,
        context: &Context,
        cx: &RequestContext<RoleServer>,
    ) -> Error {
        let Misread { faults, rest } = misread;
        let Some(rest) = rest.filter(|_| can_judge(&tool)) else {
            return reply::invalid_arguments(tool.about.name, &faults);
        };
        let written = faults.iter().map(|fault| json!(fault)).collect();
        let context = context.clone().with_misread(written);
        let outcome = self.perform(tool, rest.clone(), &context, cx).await;
        let found = outcome.err().map(|error| placed(error, &rest, &self.table));
        all_faults(tool.about.name, faults, found.as_ref())
    }
}

/// Whether a call can be judged without what does not fit its schema: these tools change nothing but through the store, and
/// none of their parameters stands for another that was left out.
fn can_judge(tool: &ToolDef) -> bool {
    tool.surface() == Surface::Ours && matches!(tool.about.toolset, Toolset::Specs | Toolset::Decisions)
}

/// One error with the faults of the schema and those that the engine found elsewhere, by their places.
fn all_faults(tool: &str, faults: Vec<Fault>, found: Option<&Error>) -> Error {
    let known: Vec<String> = faults.iter().map(|fault| fault.pointer.clone()).collect();
    let is_told = |pointer: &str| {
        known.iter().any(|known| {
            pointer.strip_prefix(known.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    let details = found.map(|error| &error.details);
    let listed = details.and_then(|details| details.get("faults")).and_then(Value::as_array);
    let others = listed.into_iter().flatten().filter_map(|fault| {
        let text = |name: &str| fault[name].as_str().unwrap_or_default().to_owned();
        let pointer = text("pointer");
        let field = field_of(&pointer);
        (pointer.len() > 1 && !is_told(&pointer)).then(|| Fault {
            pointer,
            field,
            expected: text("expected"),
            message: text("message"),
        })
    });
    let mut all = faults;
    all.extend(others);
    all.sort_by(|a, b| a.pointer.cmp(&b.pointer));
    // What may be written instead is worth telling, whoever found the fault.
    let known = details.into_iter().flatten().filter(|(name, _)| name.starts_with("valid_"));
    known.fold(reply::invalid_arguments(tool, &all), |error, (name, value)| error.detail(name, value.clone()))
}

/// The error with a pointer to the argument that names what is not there.
pub(crate) fn placed(error: Error, arguments: &Value, table: &Table) -> Error {
    let about: &[&str] = match error.key {
        Key::SpecNotFound | Key::ChangeNotFound => &["spec_id", "change_id"],
        Key::RequirementNotFound => &["requirement"],
        Key::ScenarioNotFound => &["scenario"],
        Key::DecisionNotFound => &["decision", "supersedes"],
        Key::RepoNotFound => &["repo_path"],
        Key::SessionNotFound | Key::SessionExpired => &["session_id"],
        _ => return error,
    };
    let Some(name) = about.iter().find(|name| arguments.get(**name).is_some()) else { return error };
    let fault = Fault {
        pointer: format!("/{name}"),
        field: (*name).to_owned(),
        expected: table.hint(&error).unwrap_or_default(),
        message: error.full_message(),
    };
    error.detail_unless_set("faults", json!([fault]))
}

/// The same for the answer to a call that could be read; a seed's errors are as the seed has them.
pub(crate) fn located(outcome: Error, tool: &ToolDef, arguments: &Value, table: &Table) -> Error {
    if can_judge(tool) && tool.about.name != "require_clarification" {
        placed(outcome, arguments, table)
    } else {
        outcome
    }
}

#[cfg(test)]
mod tests {
    use hewto_engine::Kind;

    use super::*;

    fn fault(pointer: &str) -> Fault {
        Fault {
            pointer: pointer.to_owned(),
            field: field_of(pointer),
            expected: "text".to_owned(),
            message: format!("{pointer} is odd"),
        }
    }

    fn pointers(error: &Error) -> Vec<&str> {
        let faults = error.details["faults"].as_array().unwrap();
        faults.iter().map(|fault| fault["pointer"].as_str().unwrap()).collect()
    }

    #[test]
    fn what_the_engine_finds_stands_beside_what_the_schema_finds_by_place() {
        let found = Error::validation("x").detail(
            "faults",
            json!([fault("/why"), fault("/tasks/1"), fault("/tasks/2"), fault("/change_id"), fault("/")]),
        );
        let all = all_faults("change_create", vec![fault("/why"), fault("/tasks/1")], Some(&found));
        assert_eq!(pointers(&all), ["/change_id", "/tasks/1", "/tasks/2", "/why"]);
        assert_eq!(all.message, "/change_id is odd; /tasks/1 is odd; /tasks/2 is odd; /why is odd");
        assert_eq!((all.kind, all.key), (Kind::Usage, Key::InvalidParams));
    }

    #[test]
    fn what_a_stand_in_brings_about_is_not_told() {
        let found =
            Error::validation("x").detail("faults", json!([fault("/deltas/a/added/0"), fault("/deltaz")]));
        let all = all_faults("change_create", vec![fault("/deltas")], Some(&found));
        assert_eq!(pointers(&all), ["/deltas", "/deltaz"]);
        assert_eq!(pointers(&all_faults("x", vec![fault("/b"), fault("/a")], None)), ["/a", "/b"]);
    }
}
