//! What replies have gained since the seeds: a server that stands in for another one leaves it out.

use rmcp::model::JsonObject;
use serde_json::Value;

/// What the replies of a tool have beyond its seed, at any depth.
pub(super) fn added_to(tool: &str) -> &'static [&'static str] {
    match tool {
        "build_start" => &["notice"],
        "get_change" => &["raw", "steps"],
        "get_scenario" => &["steps"],
        "get_spec_requirements" => &["scenarios"],
        "list_specs" | "spec_list" | "spec_status" => &["kind"],
        "plan_step_complete" => &["step"],
        "spec_update" => &["dropped"],
        "require_clarification" => &["known", "might_ask", "scenarios", "why"],
        _ => &[],
    }
}

/// Leaves a member out of a view, or out of the schema of one.
pub(super) fn leave_out(member: &str, object: &mut JsonObject) {
    if object.contains_key(member) {
        // Not `remove`: the others keep their order.
        *object = std::mem::take(object).into_iter().filter(|(key, _)| key != member).collect();
    }
    if let Some(Value::Array(required)) = object.get_mut("required") {
        required.retain(|name| name != member);
    }
    for value in object.values_mut() {
        within(member, value);
    }
}

fn within(member: &str, value: &mut Value) {
    match value {
        Value::Object(object) => leave_out(member, object),
        Value::Array(items) => items.iter_mut().for_each(|item| within(member, item)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_came_later_is_left_out_at_any_depth_and_of_the_schema_too() {
        let mut view = json!({ "specs": [{ "id": "a", "kind": "living", "title": "A" }], "total": 1 });
        within("kind", &mut view);
        assert_eq!(
            view.to_string(),
            json!({ "specs": [{ "id": "a", "title": "A" }], "total": 1 }).to_string()
        );
        let mut schema = json!({ "properties": { "id": {}, "kind": {} }, "required": ["id", "kind"] });
        within("kind", &mut schema);
        assert_eq!(schema, json!({ "properties": { "id": {} }, "required": ["id"] }));
    }
}
