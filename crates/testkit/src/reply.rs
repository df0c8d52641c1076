//! What came back from the server.

use serde_json::Value;

/// A JSON-RPC error.
#[derive(Debug, Clone, PartialEq)]
pub struct RpcError {
    pub code: i64,
    pub message: String,
    pub data: Value,
}

impl RpcError {
    pub(crate) fn from_json(error: &Value) -> Self {
        Self {
            code: error["code"].as_i64().expect("an error has a code"),
            message: error["message"].as_str().expect("an error has a message").to_owned(),
            data: error["data"].clone(),
        }
    }
}

/// The result of a tool call.
#[derive(Debug, Clone)]
pub struct ToolReply {
    pub is_error: bool,
    pub text: String,
    pub structured: Option<Value>,
    pub operation_id: String,
    /// The whole result
    pub raw: Value,
}

impl ToolReply {
    pub(crate) fn from_json(raw: Value) -> Self {
        let content = raw["content"].as_array().expect("a result has content");
        let texts = content.iter().filter(|block| block["type"] == "text").count();
        assert_eq!(
            (texts, &content[0]["type"]),
            (1, &Value::from("text")),
            "one text, and it comes first: {raw}"
        );
        Self {
            is_error: raw["isError"] == true,
            text: content[0]["text"].as_str().expect("text").to_owned(),
            structured: raw.get("structuredContent").cloned(),
            operation_id: raw["_meta"]["operation_id"]
                .as_str()
                .expect("every reply names its operation")
                .to_owned(),
            raw,
        }
    }

    /// The answer of a call that has to succeed.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert!(!self.is_error, "the call failed: {}", self.text);
        self.structured.expect("a success has structured content")
    }

    /// The error object of a call that has to fail.
    #[track_caller]
    pub fn error(self) -> Value {
        assert!(self.is_error, "the call succeeded: {}", self.text);
        let error: Value = serde_json::from_str(&self.text).expect("the text of an error is one JSON object");
        for field in ["error", "message"] {
            assert!(error[field].is_string(), "an error has `{field}`: {error}");
        }
        error
    }
}
