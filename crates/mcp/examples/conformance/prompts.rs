//! The suite's prompts.

use rmcp::model::{ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, Prompt};
use serde_json::{Value, json};

use crate::asks::{ask_once, form};
use crate::tools::PNG;
use crate::{from, result};

pub(crate) fn list() -> Vec<Prompt> {
    let prompt = |name: &str, arguments: &[&str]| -> Prompt {
        let arguments: Vec<Value> = arguments
            .iter()
            .map(
                |name| json!({ "name": name, "description": format!("Argument `{name}`"), "required": true }),
            )
            .collect();
        from(json!({ "name": name, "description": format!("Fixture `{name}`"), "arguments": arguments }))
    };
    vec![
        prompt("test_input_required_result_prompt", &[]),
        prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
        prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
        prompt("test_prompt_with_image", &[]),
        prompt("test_simple_prompt", &[]),
    ]
}

pub(crate) fn get(request: GetPromptRequestParams) -> Result<GetPromptResponse, ErrorData> {
    let argument = |name: &str| {
        let value = request.arguments.as_ref().and_then(|arguments| arguments.get(name));
        value.and_then(Value::as_str).unwrap_or_default()
    };
    let messages = match request.name.as_str() {
        "test_simple_prompt" => json!([user_text("This is a simple prompt for testing.")]),
        "test_prompt_with_arguments" => {
            let (first, second) = (argument("arg1"), argument("arg2"));
            json!([user_text(&format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))])
        }
        "test_prompt_with_embedded_resource" => {
            let resource = json!({ "uri": argument("resourceUri"), "mimeType": "text/plain",
                "text": "Embedded resource content for testing." });
            json!([
                user(json!({ "type": "resource", "resource": resource })),
                user_text("Please process the embedded resource above."),
            ])
        }
        "test_prompt_with_image" => json!([
            user(json!({ "type": "image", "data": PNG, "mimeType": "image/png" })),
            user_text("Please analyze the image above."),
        ]),
        "test_input_required_result_prompt" => {
            let reply = request.input_responses.as_ref().and_then(|replies| replies.get("user_context"));
            let Some(reply) = reply else {
                let question = form("What context should the prompt use?", "context", "string");
                return Ok(ask_once(json!({ "user_context": question })).into());
            };
            json!([user_text(&format!("Use this context: {}", reply["content"]["context"]))])
        }
        name => return Err(ErrorData::invalid_params(format!("unknown prompt `{name}`"), None)),
    };
    Ok(result::<GetPromptResult>(json!({ "messages": messages })).into())
}

fn user(content: Value) -> Value {
    json!({ "role": "user", "content": content })
}

fn user_text(text: &str) -> Value {
    user(json!({ "type": "text", "text": text }))
}
