//! What `get_change` answers can be sent back whole: its parts go where the tools that write a change look for them.

use rmcp::model::JsonObject;
use serde_json::Value;

use super::delta_list;

/// Takes a view of a change apart, for a tool that takes its parts; whatever else was sent stays as it is.
pub(super) fn take_apart(schema: &Value, arguments: &mut JsonObject) {
    let takes = |name: &str| schema["properties"].get(name).is_some();
    if !(takes("change_id") && takes("deltas")) {
        return;
    }
    if let Some(Value::Object(proposal)) = arguments.get("proposal").cloned() {
        arguments.shift_remove("proposal");
        for part in ["why", "what_changes"] {
            if let Some(text @ Value::String(_)) = proposal.get(part) {
                arguments.entry(part).or_insert_with(|| text.clone());
            }
        }
        // What it says about the change beside what the change says.
        for aside in ["title", "archived", "left_out"] {
            arguments.shift_remove(aside);
        }
    }
    if !arguments.contains_key("change_id")
        && let Some(id) = arguments.shift_remove("id")
    {
        arguments.insert("change_id".to_owned(), id);
    } else if arguments.get("id") == arguments.get("change_id") {
        arguments.shift_remove("id");
    }
    if let Some(titles) = arguments.get("tasks").and_then(titles) {
        arguments.insert("tasks".to_owned(), titles);
    }
    if let Some(deltas) = arguments.get("deltas").and_then(delta_list::by_capability) {
        arguments.insert("deltas".to_owned(), deltas);
    }
}

/// The titles of tasks that are shown in groups, or one by one with their numbers and ticks.
fn titles(tasks: &Value) -> Option<Value> {
    let shown: Vec<&Value> = match tasks {
        Value::Object(tasks) => {
            let groups = tasks.get("groups")?.as_array()?.iter();
            let listed: Vec<&Vec<Value>> =
                groups.map(|group| group["tasks"].as_array()).collect::<Option<_>>()?;
            listed.into_iter().flatten().collect()
        }
        Value::Array(tasks) => tasks.iter().collect(),
        _ => return None,
    };
    let title = |task: &Value| match task {
        Value::Object(task) => match (task.get("title")?, task.get("description")) {
            (Value::String(title), Some(Value::String(more))) if !more.trim().is_empty() => {
                Some(format!("{title}: {}", more.split_whitespace().collect::<Vec<_>>().join(" ")).into())
            }
            (title @ Value::String(_), _) => Some(title.clone()),
            _ => None,
        },
        Value::String(_) => Some(task.clone()),
        _ => None,
    };
    shown.into_iter().map(title).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn taken(arguments: Value) -> Value {
        let schema = json!({ "properties": { "change_id": {}, "deltas": {}, "tasks": {} } });
        let Value::Object(mut arguments) = arguments else { panic!("an object") };
        take_apart(&schema, &mut arguments);
        Value::Object(arguments)
    }

    #[test]
    fn a_change_as_it_is_shown_becomes_the_parts_that_are_written() {
        let shown = json!({
            "id": "add-limit", "title": "Add a limit", "deltas": {},
            "proposal": { "why": "w", "what_changes": "x", "text": "# y" },
            "tasks": { "groups": [
                { "title": "1. a", "tasks": [{ "index": 0, "number": "1.1", "title": "one", "done": true }] },
                { "title": null, "tasks": [{ "index": 1, "number": null, "title": "two", "done": false }] },
            ], "completed": 1, "total": 2 },
        });
        assert_eq!(
            taken(shown),
            json!({
                "change_id": "add-limit", "deltas": {}, "why": "w", "what_changes": "x", "tasks": ["one", "two"],
            })
        );
    }

    #[test]
    fn what_is_given_beside_it_wins_and_what_is_not_a_change_stays() {
        let edited = json!({ "change_id": "a", "id": "a", "why": "new", "proposal": { "why": "old" } });
        assert_eq!(taken(edited), json!({ "change_id": "a", "why": "new" }));
        for odd in [
            json!({ "change_id": "a", "id": "b" }),
            json!({ "change_id": "a", "title": "x" }),
            json!({ "change_id": "a", "proposal": "text" }),
            json!({ "change_id": "a", "tasks": [{ "name": "x" }] }),
            json!({ "change_id": "a", "tasks": { "one": 1 } }),
        ] {
            assert_eq!(taken(odd.clone()), odd);
        }
        let objects = json!({ "change_id": "a", "tasks": [
            "one", { "title": "two", "done": false }, { "title": "three", "description": "with\ncare" },
        ] });
        assert_eq!(taken(objects), json!({ "change_id": "a", "tasks": ["one", "two", "three: with care"] }));
    }
}
