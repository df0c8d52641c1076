//! Messages as they go over the wire.
//!
//! The answer of a tool says everything twice (D-6), as structure and as text, and the two are the same JSON. It is
//! written once, by the tool; here it becomes both.

use rmcp::RoleServer;
use rmcp::model::{
    CallToolResult, ContentBlock, JsonRpcMessage, JsonRpcVersion2_0, MetaObject, RequestId, ResultType,
    ServerResult,
};
use rmcp::service::TxJsonRpcMessage;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A result whose structured content is the text of its first block.
pub(crate) fn structured_with_text(view: Box<RawValue>) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(Box::<str>::from(view))]);
    // No tool answers with nothing, so this can stand for something else.
    result.structured_content = Some(Value::Null);
    result
}

/// The bytes of a message, on one line.
pub(super) fn encode(message: &TxJsonRpcMessage<RoleServer>) -> serde_json::Result<Vec<u8>> {
    if let JsonRpcMessage::Response(response) = message
        && let ServerResult::CallToolResult(result) = &response.result
        && result.structured_content == Some(Value::Null)
        && let Some(text) = result.content.first().and_then(ContentBlock::as_text)
    {
        let result = Twice {
            result_type: result.result_type.as_ref(),
            content: &result.content,
            structured_content: serde_json::from_str(&text.text)?,
            is_error: result.is_error,
            meta: result.meta.as_ref(),
        };
        // Quotes in the text take two bytes.
        let mut bytes = Vec::with_capacity(text.text.len() * 5 / 2 + 512);
        let reply = Reply { jsonrpc: JsonRpcVersion2_0, id: &response.id, result };
        return serde_json::to_writer(&mut bytes, &reply).map(|()| bytes);
    }
    serde_json::to_vec(message)
}

#[derive(Serialize)]
struct Reply<'m> {
    jsonrpc: JsonRpcVersion2_0,
    id: &'m RequestId,
    result: Twice<'m>,
}

/// [`CallToolResult`] with a structure that is JSON already.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Twice<'m> {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'m ResultType>,
    content: &'m [ContentBlock],
    structured_content: &'m RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_error: Option<bool>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'m MetaObject>,
}

#[cfg(test)]
mod tests {
    use rmcp::model::JsonRpcResponse;
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::*;

    fn response(result: CallToolResult) -> TxJsonRpcMessage<RoleServer> {
        let result = ServerResult::CallToolResult(result);
        JsonRpcMessage::Response(JsonRpcResponse {
            jsonrpc: JsonRpcVersion2_0,
            id: RequestId::String("a\"b".into()),
            result,
        })
    }

    #[test]
    fn a_view_goes_out_as_rmcp_would_write_its_structure_and_its_text() {
        let view = json!({ "name": "a \"quoted\" ü \u{1}", "list": [1, 2.5, null], "inner": {} });
        let mut twice = structured_with_text(to_raw_value(&view).unwrap());
        let mut plain = CallToolResult::success(vec![ContentBlock::text(view.to_string())]);
        plain.structured_content = Some(view);
        for result in [&mut twice, &mut plain] {
            result.content.push(ContentBlock::image("AAAA", "image/png"));
            let meta = json!({ "operation_id": "op-1" }).as_object().cloned().unwrap();
            result.meta = Some(MetaObject(meta));
        }
        for era in [None, Some(ResultType::COMPLETE)] {
            for result in [&mut twice, &mut plain] {
                result.result_type.clone_from(&era);
            }
            let text = |result: &CallToolResult| {
                String::from_utf8(encode(&response(result.clone())).unwrap()).unwrap()
            };
            assert_eq!(text(&twice), text(&plain));
        }
    }

    #[test]
    fn other_messages_go_out_as_rmcp_writes_them() {
        let failure = CallToolResult::error(vec![ContentBlock::text("{}")]);
        let message = response(failure);
        assert_eq!(encode(&message).unwrap(), serde_json::to_vec(&message).unwrap());
    }
}
