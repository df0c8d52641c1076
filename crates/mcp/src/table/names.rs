//! Both forms of ids, for every tool: `change_id: "x"` and `spec_id: "change:x"` mean the same change.

use rmcp::model::JsonObject;
use serde_json::Value;

use super::sent_back;

/// Puts an id where the tool looks for it.
pub(super) fn translate(schema: &Value, arguments: &mut JsonObject) {
    sent_back::take_apart(schema, arguments);
    let takes = |name: &str| schema["properties"].get(name).is_some();
    if takes("spec_id") && !takes("change_id") && !arguments.contains_key("spec_id") {
        if let Some(Value::String(id)) = arguments.get("change_id") {
            let id = if id.starts_with("change:") { id.clone() } else { format!("change:{id}") };
            arguments.shift_remove("change_id");
            arguments.insert("spec_id".into(), id.into());
        }
    } else if takes("change_id")
        && !takes("spec_id")
        && !arguments.contains_key("change_id")
        && let Some(id) = arguments.shift_remove("spec_id")
    {
        arguments.insert("change_id".into(), id);
    }
    // Whoever counts steps may send the number as one.
    if takes("step")
        && let Some(Value::Number(number)) = arguments.get("step")
    {
        let text = number.to_string();
        arguments.insert("step".into(), text.into());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "values are written where it is called")]
    fn translated(properties: Value, arguments: Value) -> Value {
        let schema = json!({ "properties": properties });
        let Value::Object(mut arguments) = arguments else { panic!("an object") };
        translate(&schema, &mut arguments);
        Value::Object(arguments)
    }

    #[test]
    fn an_id_is_found_whatever_it_is_called() {
        let spec = json!({ "spec_id": {} });
        assert_eq!(translated(spec.clone(), json!({"change_id": "x"})), json!({"spec_id": "change:x"}));
        assert_eq!(
            translated(spec.clone(), json!({"change_id": "change:x"})),
            json!({"spec_id": "change:x"})
        );
        let both = json!({"change_id": "x", "spec_id": "y"});
        assert_eq!(translated(spec, both.clone()), both);
        let change = json!({ "change_id": {} });
        assert_eq!(translated(change, json!({"spec_id": "change:x"})), json!({"change_id": "change:x"}));
        assert_eq!(translated(json!({ "step": {} }), json!({"step": 2})), json!({"step": "2"}));
    }
}
