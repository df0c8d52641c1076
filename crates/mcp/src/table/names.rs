//! Both forms of ids, for every tool: `change_id: "x"` and `spec_id: "change:x"` mean the same change, `id: "x"` whatever the
//! tool is about, and `accounts#sign-in/known-customer` a spec with its requirement and scenario.

use hewto_core::proof::Ref;
use rmcp::model::JsonObject;
use serde_json::Value;

use super::{sent_back, spelling};

/// Puts an id where the tool looks for it.
pub(super) fn translate(schema: &Value, arguments: &mut JsonObject) {
    spelling::respell(schema, arguments);
    sent_back::take_apart(schema, arguments);
    let takes = |name: &str| schema["properties"].get(name).is_some();
    let ids = ["spec_id", "change_id", "locator"];
    if let Some(whom) = ids.into_iter().find(|name| takes(name))
        && !takes("id")
        && !ids.into_iter().any(|name| arguments.contains_key(name))
        && let Some(id) = arguments.shift_remove("id")
    {
        arguments.insert(whom.into(), id);
    }
    if takes("spec_id") && takes("requirement") {
        reference(schema, arguments);
    }
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

/// A reference, as tags and proofs have it, in its parts; what is named besides wins.
fn reference(schema: &Value, arguments: &mut JsonObject) {
    let places =
        if arguments.contains_key("spec_id") { &["ref", "spec_id"][..] } else { &["ref", "requirement"] };
    let at = places.iter().find(|name| arguments.contains_key(**name));
    let Some(Value::String(text)) = at.and_then(|name| arguments.get(*name)) else { return };
    let Ok(reference) = Ref::named(text) else { return };
    let scenario = reference.scenario().map(str::to_owned);
    if scenario.is_some() && schema["properties"].get("scenario").is_none() {
        return;
    }
    let is_requirement = at.is_some_and(|name| *name == "requirement");
    for taken in ["ref"].into_iter().chain(is_requirement.then_some("requirement")) {
        arguments.shift_remove(taken);
    }
    arguments.insert("spec_id".into(), reference.capability().into());
    arguments.entry("requirement").or_insert_with(|| reference.requirement().into());
    if let Some(scenario) = scenario {
        arguments.entry("scenario").or_insert_with(|| scenario.into());
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

    #[test]
    fn a_bare_id_is_that_of_what_the_tool_is_about() {
        assert_eq!(translated(json!({ "spec_id": {} }), json!({"id": "x"})), json!({"spec_id": "x"}));
        assert_eq!(translated(json!({ "change_id": {} }), json!({"id": "x"})), json!({"change_id": "x"}));
        let named = json!({ "spec_id": "y", "id": "x" });
        assert_eq!(translated(json!({ "spec_id": {} }), named.clone()), named);
        let own = json!({ "id": "x" });
        assert_eq!(translated(json!({ "spec_id": {}, "id": {} }), own.clone()), own);
    }

    #[test]
    fn a_reference_is_read_in_its_parts() {
        let requirement = json!({ "spec_id": {}, "requirement": {} });
        let parts = json!({ "spec_id": "accounts", "requirement": "sign-in" });
        for given in [json!({ "ref": "accounts#sign-in" }), json!({ "spec_id": "accounts#sign-in" })] {
            assert_eq!(translated(requirement.clone(), given), parts);
        }
        let scenario = json!({ "spec_id": {}, "requirement": {}, "scenario": {} });
        let whole = json!({ "spec_id": "accounts", "requirement": "sign-in", "scenario": "known" });
        assert_eq!(translated(scenario, json!({ "ref": "accounts#sign-in/known" })), whole);
        for other in [json!({ "ref": "accounts#sign-in/known" }), json!({ "spec_id": "accounts" })] {
            assert_eq!(translated(requirement.clone(), other.clone()), other);
        }
    }
}
