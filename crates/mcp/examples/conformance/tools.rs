//! Tools that answer with every kind of content, report, log, fail, and ask in the way of the old era.

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, CreateMessageRequestParams,
    ElicitRequestParams, ErrorData, LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam,
    Tool,
};
use serde_json::{Value, json};

use crate::{Cx, asks, from, result, text};

/// A red point.
pub(crate) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// Nothing to hear.
const WAV: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==";

pub(crate) fn list() -> Vec<Tool> {
    let plain = [
        "test_simple_text",
        "test_image_content",
        "test_audio_content",
        "test_embedded_resource",
        "test_multiple_content_types",
        "test_tool_with_logging",
        "test_logging_tool",
        "test_error_handling",
        "test_tool_with_progress",
        "test_elicitation_sep1034_defaults",
        "test_elicitation_sep1330_enums",
        "test_missing_capability",
        "test_trigger_tool_change",
        "test_trigger_prompt_change",
    ];
    let mut tools: Vec<Tool> = plain
        .into_iter()
        .chain(asks::NAMES)
        .map(|name| tool(name, json!({ "type": "object", "properties": {} })))
        .collect();
    tools.push(tool("test_sampling", one_string("prompt")));
    tools.push(tool("test_elicitation", one_string("message")));
    tools.push(tool("json_schema_2020_12_tool", every_keyword()));
    let region = json!({ "type": "string", "x-mcp-header": "Region" });
    tools.push(tool("test_headers", json!({ "type": "object", "properties": { "region": region } })));
    tools.sort_by(|one, other| one.name.cmp(&other.name));
    tools
}

pub(crate) async fn call(request: CallToolRequestParams, cx: &Cx) -> Result<CallToolResult, ErrorData> {
    let argument = |name: &str| {
        let value = request.arguments.as_ref().and_then(|arguments| arguments.get(name));
        value.and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    Ok(match request.name.as_ref() {
        "test_simple_text" => text("This is a simple text response for testing."),
        "test_image_content" => content(json!([image()])),
        "test_audio_content" => content(json!([{ "type": "audio", "data": WAV, "mimeType": "audio/wav" }])),
        "test_embedded_resource" => content(json!([embedded(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content."
        )])),
        "test_multiple_content_types" => content(json!([
            { "type": "text", "text": "Multiple content types test:" },
            image(),
            embedded("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#),
        ])),
        "test_tool_with_logging" | "test_logging_tool" => {
            for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                log(cx, line).await;
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            text("Three messages were logged")
        }
        "test_error_handling" => {
            let text = "This tool intentionally returns an error for testing";
            result(json!({ "content": [{ "type": "text", "text": text }], "isError": true }))
        }
        "test_tool_with_progress" => {
            for done in [0.0, 50.0, 100.0] {
                if let Some(token) = cx.meta.get_progress_token() {
                    let note = ProgressNotificationParam::new(token, done).with_total(100.0);
                    let _ = cx.peer.notify_progress(note).await;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            text("Done in three steps")
        }
        "test_missing_capability" => {
            if cx.client_capabilities().is_none_or(|has| has.sampling.is_none()) {
                let needed: ClientCapabilities = from(json!({ "sampling": {} }));
                return Err(ErrorData::missing_required_client_capability(needed));
            }
            text("The client can sample")
        }
        "test_sampling" => sample(cx, &argument("prompt")).await?,
        "test_elicitation" => {
            let properties = json!({
                "username": { "type": "string", "description": "User's response" },
                "email": { "type": "string", "description": "User's email address" },
            });
            let schema =
                json!({ "type": "object", "properties": properties, "required": ["username", "email"] });
            elicit(cx, &argument("message"), schema, "User response").await?
        }
        "test_elicitation_sep1034_defaults" => {
            elicit(cx, "Please review", asks::defaults(), "Elicitation completed").await?
        }
        "test_elicitation_sep1330_enums" => {
            elicit(cx, "Please choose", asks::choices(), "Elicitation completed").await?
        }
        "json_schema_2020_12_tool" | "test_headers" => text("Fine"),
        name => return Err(ErrorData::invalid_params(format!("unknown tool `{name}`"), None)),
    })
}

async fn sample(cx: &Cx, prompt: &str) -> Result<CallToolResult, ErrorData> {
    let message = json!({ "role": "user", "content": { "type": "text", "text": prompt } });
    let request: CreateMessageRequestParams = from(json!({ "messages": [message], "maxTokens": 100 }));
    let reply = cx.peer.create_message(request).await.map_err(failed)?;
    let reply = serde_json::to_value(reply).map_err(failed)?;
    let said = reply.pointer("/content/text").or_else(|| reply.pointer("/content/0/text"));
    Ok(text(format!("LLM response: {}", said.and_then(Value::as_str).unwrap_or_default())))
}

async fn elicit(cx: &Cx, message: &str, schema: Value, label: &str) -> Result<CallToolResult, ErrorData> {
    let form: ElicitRequestParams =
        from(json!({ "mode": "form", "message": message, "requestedSchema": schema }));
    let reply = cx.peer.create_elicitation(form).await.map_err(failed)?;
    let reply = serde_json::to_value(reply).map_err(failed)?;
    let action = reply["action"].as_str().unwrap_or_default();
    Ok(text(format!("{label}: action={action}, content={}", reply["content"])))
}

fn failed(error: impl ToString) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

/// In the new era only a request that asks for messages gets them.
async fn log(cx: &Cx, line: &str) {
    let is_modern = cx.meta.protocol_version().is_some();
    if !is_modern || cx.meta.log_level().is_some() {
        let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(line));
        let _ = cx.peer.notify_logging_message(message).await;
    }
}

fn tool(name: &'static str, schema: Value) -> Tool {
    Tool::new(name, format!("Fixture `{name}`"), from::<rmcp::model::JsonObject>(schema))
}

fn one_string(name: &str) -> Value {
    json!({ "type": "object", "properties": { name: { "type": "string" } }, "required": [name] })
}

fn content(blocks: Value) -> CallToolResult {
    result(json!({ "content": blocks }))
}

fn image() -> Value {
    json!({ "type": "image", "data": PNG, "mimeType": "image/png" })
}

fn embedded(uri: &str, mime_type: &str, text: &str) -> Value {
    json!({ "type": "resource", "resource": { "uri": uri, "mimeType": mime_type, "text": text } })
}

/// A schema with the keywords that must survive the listing.
fn every_keyword() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": { "$anchor": "addressDef", "type": "object",
            "properties": { "street": { "type": "string" }, "city": { "type": "string" } } } },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}
