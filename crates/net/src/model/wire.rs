//! The two formats: what a request looks like, and where in an answer the tool's input stands.

use hewto_core::decision::model::{ToolRequest, Unusable};
use serde_json::{Value, json};

use super::settings::{Provider, Secret, Settings};

const MAX_TOKENS: u32 = 1024;
const ANTHROPIC_VERSION: &str = "2023-06-01";

pub(super) fn url(settings: &Settings) -> String {
    match settings.provider {
        Provider::Anthropic => {
            format!("{}/v1/messages", settings.base_url.strip_suffix("/v1").unwrap_or(&settings.base_url))
        }
        Provider::OpenAi | Provider::OpenRouter | Provider::Compatible => {
            format!("{}/chat/completions", settings.base_url)
        }
    }
}

pub(super) fn headers(settings: &Settings) -> Vec<(&'static str, String)> {
    let mut headers = vec![("content-type", "application/json".to_owned())];
    let key = settings.key.as_ref().map(Secret::expose);
    match settings.provider {
        Provider::Anthropic => {
            headers.push(("anthropic-version", ANTHROPIC_VERSION.to_owned()));
            headers.extend(key.map(|key| ("x-api-key", key.to_owned())));
        }
        Provider::OpenAi | Provider::OpenRouter | Provider::Compatible => {
            headers.extend(key.map(|key| ("authorization", format!("Bearer {key}"))));
        }
    }
    headers
}

pub(super) fn body(settings: &Settings, request: &ToolRequest) -> Value {
    match settings.provider {
        Provider::Anthropic => json!({
            "model": settings.model,
            "max_tokens": MAX_TOKENS,
            "system": request.system,
            "messages": [{"role": "user", "content": request.user}],
            "tools": [{"name": request.tool, "description": request.description, "input_schema": request.schema}],
            "tool_choice": {"type": "tool", "name": request.tool},
        }),
        Provider::OpenAi | Provider::OpenRouter | Provider::Compatible => {
            let mut body = json!({
                "model": settings.model,
                "messages": [
                    {"role": "system", "content": request.system},
                    {"role": "user", "content": request.user},
                ],
                "tools": [{
                    "type": "function",
                    "function": {
                        "name": request.tool,
                        "description": request.description,
                        "parameters": request.schema,
                    },
                }],
                "tool_choice": {"type": "function", "function": {"name": request.tool}},
            });
            // OpenAI's newer models refuse the older name; other servers know only that one.
            let limit =
                if settings.provider == Provider::OpenAi { "max_completion_tokens" } else { "max_tokens" };
            body[limit] = MAX_TOKENS.into();
            body
        }
    }
}

/// The input of the forced tool call.
pub(super) fn tool_input(provider: Provider, answer: &Value, tool: &str) -> Result<Value, Unusable> {
    let found = match provider {
        Provider::Anthropic => anthropic_input(answer, tool),
        Provider::OpenAi | Provider::OpenRouter | Provider::Compatible => openai_input(answer, tool),
    };
    found.ok_or_else(|| Unusable(format!("it does not call `{tool}`")))
}

fn anthropic_input(answer: &Value, tool: &str) -> Option<Value> {
    let blocks = answer.get("content")?.as_array()?;
    let call = blocks.iter().find(|block| block["type"] == "tool_use" && block["name"] == tool);
    let text = || blocks.iter().find_map(|block| block.get("text")?.as_str());
    call.and_then(|call| call.get("input").cloned()).or_else(|| json_in(text()?))
}

fn openai_input(answer: &Value, tool: &str) -> Option<Value> {
    let message = answer.pointer("/choices/0/message")?;
    let calls = message.get("tool_calls").and_then(Value::as_array);
    let call = calls.and_then(|calls| calls.iter().find(|call| call["function"]["name"] == tool));
    match call.map(|call| &call["function"]["arguments"]) {
        Some(Value::String(arguments)) => serde_json::from_str(arguments).ok(),
        Some(arguments @ Value::Object(_)) => Some(arguments.clone()),
        // Small local models answer with the object itself.
        _ => json_in(message.get("content")?.as_str()?),
    }
}

/// The object in a text, which may stand in a fence.
fn json_in(text: &str) -> Option<Value> {
    let start = text.find('{')?;
    let end = text.rfind('}')?;
    serde_json::from_str(text.get(start..=end)?).ok()
}
