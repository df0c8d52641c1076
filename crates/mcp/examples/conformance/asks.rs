//! Tools that ask in the way of the new era: the answer is a question, and the call comes again with the reply.

use rmcp::model::{CallToolRequestParams, CallToolResponse, ErrorData, InputRequiredResult};
use serde_json::{Map, Value, json};

use crate::{Cx, Fixture, from, text};

pub(crate) const NAMES: [&str; 9] = [
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
    "test_streaming_elicitation",
];

pub(crate) fn is_one(name: &str) -> bool {
    NAMES.contains(&name)
}

pub(crate) fn call(
    fixture: &Fixture,
    request: CallToolRequestParams,
    cx: &Cx,
) -> Result<CallToolResponse, ErrorData> {
    let replies: Map<String, Value> = request.input_responses.unwrap_or_default().into_iter().collect();
    let state = match &request.request_state {
        None => None,
        Some(sealed) => Some(
            fixture
                .seal
                .open_json::<String>(sealed)
                .map_err(|_| ErrorData::invalid_params("this request state is not ours", None))?,
        ),
    };
    let sealed = |state: &str| fixture.seal.seal_json(&state).ok();
    let field = |reply: &str, name: &str| {
        let reply = replies.get(reply)?;
        reply["content"].get(name).or_else(|| reply.get(name)).map(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    };
    let name_form = || form("What is your name?", "name", "string");
    Ok(match request.name.as_ref() {
        "test_input_required_result_elicitation" | "test_streaming_elicitation" => {
            match field("user_name", "name") {
                Some(name) => text(format!("Hello, {name}!")).into(),
                None => ask(json!({ "user_name": name_form() }), None),
            }
        }
        "test_input_required_result_sampling" => match replies.get("capital_question") {
            Some(reply) => text(format!("The model says: {reply}")).into(),
            None => ask(json!({ "capital_question": sampling("What is the capital of France?", 100) }), None),
        },
        "test_input_required_result_list_roots" => match replies.get("client_roots") {
            Some(reply) => text(format!("The roots are: {reply}")).into(),
            None => ask(json!({ "client_roots": roots() }), None),
        },
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            match (replies.get("confirm"), state.as_deref()) {
                (Some(_), Some("asked")) => text("state-ok").into(),
                _ => ask(json!({ "confirm": form("Please confirm", "ok", "boolean") }), sealed("asked")),
            }
        }
        "test_input_required_result_multiple_inputs" => {
            let all = ["user_name", "greeting", "client_roots"];
            if state.is_some() && all.iter().all(|name| replies.contains_key(*name)) {
                text("All three arrived").into()
            } else {
                let questions = json!({
                    "user_name": name_form(),
                    "greeting": sampling("Generate a greeting", 50),
                    "client_roots": roots(),
                });
                ask(questions, sealed("asked"))
            }
        }
        "test_input_required_result_multi_round" => match state.as_deref() {
            Some("first") if replies.contains_key("step1") => {
                let second = form("Step 2: What is your favorite color?", "color", "string");
                ask(json!({ "step2": second }), sealed("second"))
            }
            Some("second") if replies.contains_key("step2") => text("Both steps are done").into(),
            _ => {
                let first = form("Step 1: What is your name?", "name", "string");
                ask(json!({ "step1": first }), sealed("first"))
            }
        },
        _ => {
            let mut questions = Map::new();
            let has = cx.client_capabilities().unwrap_or_default();
            if has.sampling.is_some() {
                questions.insert("greeting".into(), sampling("Generate a greeting", 50));
            }
            if has.elicitation.is_some() {
                questions.insert("user_name".into(), name_form());
            }
            ask(Value::Object(questions), None)
        }
    })
}

pub(crate) fn ask_once(questions: Value) -> InputRequiredResult {
    InputRequiredResult::new(Some(from(questions)), None)
}

/// Default values of every simple type.
pub(crate) fn defaults() -> Value {
    json!({ "type": "object", "properties": {
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "default": true },
    } })
}

/// Every way to offer a choice.
pub(crate) fn choices() -> Value {
    let plain = ["option1", "option2", "option3"];
    let titled = |word: &str| {
        let numbers = [("value1", "First"), ("value2", "Second"), ("value3", "Third")];
        numbers.map(|(value, number)| json!({ "const": value, "title": format!("{number} {word}") }))
    };
    json!({ "type": "object", "properties": {
        "untitledSingle": { "type": "string", "enum": plain },
        "titledSingle": { "type": "string", "oneOf": titled("Option") },
        "legacyEnum": { "type": "string", "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"] },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
    } })
}

pub(crate) fn form(message: &str, field: &str, kind: &str) -> Value {
    let schema = json!({ "type": "object", "properties": { field: { "type": kind } }, "required": [field] });
    let params = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    json!({ "method": "elicitation/create", "params": params })
}

fn ask(questions: Value, state: Option<String>) -> CallToolResponse {
    InputRequiredResult::new(Some(from(questions)), state).into()
}

fn sampling(prompt: &str, most: u32) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": prompt } });
    json!({ "method": "sampling/createMessage", "params": { "messages": [message], "maxTokens": most } })
}

fn roots() -> Value {
    json!({ "method": "roots/list", "params": {} })
}
