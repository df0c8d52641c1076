//! The headers that repeat what a message of the new era says, for those who route without reading bodies.
//!
//! They must be there and agree with the body, or the request is refused (-32020): nobody between client and server may
//! be told something else than the server. Which version a request is of is decided here too.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::HeaderMap;
use rmcp::model::JsonObject;
use serde_json::Value;

use crate::transport::decode::{PROTOCOL_VERSION_KEY, is_modern};

pub(super) const PROTOCOL_VERSION: &str = "mcp-protocol-version";
pub(super) const SESSION_ID: &str = "mcp-session-id";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";
const PARAM_PREFIX: &str = "mcp-param-";

/// Which of the two protocols a request speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// Needs a session, which `initialize` begins.
    Legacy,
    /// Brings everything along.
    Modern,
}

/// The era of a message that came with these headers.
pub(super) fn era(headers: &HeaderMap, message: &Value) -> Era {
    let method = message.get("method").and_then(Value::as_str);
    let is_named = headers.get(PROTOCOL_VERSION).and_then(|version| version.to_str().ok());
    let modern = match method {
        _ if meta_version(message).is_some() => true,
        Some("server/discover") => true,
        Some("initialize") => false,
        _ => is_named.is_some_and(is_modern),
    };
    if modern { Era::Modern } else { Era::Legacy }
}

/// Checks the headers of a request of the new era; says what is wrong.
pub(super) fn check(
    headers: &HeaderMap,
    message: &Value,
    tool_schema: impl Fn(&str) -> Option<JsonObject>,
) -> Result<(), String> {
    // A request that lacks its version is refused for that, not for its headers.
    let Some(version) = meta_version(message) else { return Ok(()) };
    match sole(headers, PROTOCOL_VERSION)? {
        Some(named) if Some(named) == version.as_str() => {}
        Some(named) => {
            return Err(format!("the header `MCP-Protocol-Version` says `{named}`, the body says {version}"));
        }
        None => return Err("the header `MCP-Protocol-Version` is missing".to_owned()),
    }
    let Some(method) = message.get("method").and_then(Value::as_str) else { return Ok(()) };
    if !version.as_str().is_some_and(is_modern) {
        return Ok(());
    }
    match sole(headers, METHOD)? {
        Some(named) if named == method => {}
        Some(named) => {
            return Err(format!("the header `Mcp-Method` says `{named}`, the body says `{method}`"));
        }
        None => return Err("the header `Mcp-Method` is missing".to_owned()),
    }
    let params = message.get("params").unwrap_or(&Value::Null);
    let named = match method {
        "tools/call" | "prompts/get" => params.get("name"),
        "resources/read" => params.get("uri"),
        _ => None,
    };
    if let Some(name) = named.and_then(Value::as_str) {
        let header = sole(headers, NAME)?.ok_or("the header `Mcp-Name` is missing")?;
        if decoded(header).as_deref() != Some(name) {
            return Err(format!("the header `Mcp-Name` says `{header}`, the body says `{name}`"));
        }
        if method == "tools/call"
            && let Some(schema) = tool_schema(name)
        {
            let arguments = params.get("arguments").unwrap_or(&Value::Null);
            check_arguments(headers, schema.get("properties"), arguments)?;
        }
    }
    Ok(())
}

/// Arguments whose schema says `x-mcp-header` stand in a header too.
fn check_arguments(headers: &HeaderMap, properties: Option<&Value>, arguments: &Value) -> Result<(), String> {
    for (property, schema) in properties.and_then(Value::as_object).into_iter().flatten() {
        let argument = arguments.get(property).unwrap_or(&Value::Null);
        check_arguments(headers, schema.get("properties"), argument)?;
        let Some(name) = schema.get("x-mcp-header").and_then(Value::as_str) else { continue };
        let header = sole(headers, &format!("{PARAM_PREFIX}{}", name.to_ascii_lowercase()))?;
        let agrees = match header {
            Some(header) => decoded(header).is_some_and(|said| says(&said, argument)),
            None => argument.is_null(),
        };
        if !agrees {
            return Err(format!("the header `Mcp-Param-{name}` and the argument `{property}` differ"));
        }
    }
    Ok(())
}

fn says(header: &str, argument: &Value) -> bool {
    match argument {
        Value::String(text) => header == text,
        Value::Bool(flag) => header == if *flag { "true" } else { "false" },
        Value::Number(number) => header.parse::<f64>().ok() == number.as_f64(),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

/// A value that no header can carry as it is comes in a wrapper of its own.
fn decoded(value: &str) -> Option<String> {
    match value.strip_prefix("=?base64?").and_then(|value| value.strip_suffix("?=")) {
        Some(wrapped) => String::from_utf8(STANDARD.decode(wrapped).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}

/// The one value of a header; two would let a reader choose.
fn sole<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, String> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => match value.to_str() {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(format!("the header `{name}` has characters that no header may have")),
        },
        (Some(_), Some(_)) => Err(format!("the header `{name}` appears twice")),
    }
}

fn meta_version(message: &Value) -> Option<&Value> {
    message.get("params")?.get("_meta")?.get(PROTOCOL_VERSION_KEY)
}

#[cfg(test)]
mod tests {
    use hyper::header::{HeaderName, HeaderValue};
    use serde_json::json;

    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| {
                (HeaderName::try_from(*name).unwrap(), HeaderValue::from_bytes(value.as_bytes()).unwrap())
            })
            .collect()
    }

    #[expect(clippy::needless_pass_by_value, reason = "JSON is written where it is passed")]
    fn call(arguments: Value) -> Value {
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "spec_list", "arguments": arguments, "_meta": { PROTOCOL_VERSION_KEY: "2026-07-28" },
        } })
    }

    const VERSION: (&str, &str) = (PROTOCOL_VERSION, "2026-07-28");
    const TOOLS_CALL: (&str, &str) = (METHOD, "tools/call");

    fn verdict(pairs: &[(&str, &str)], message: &Value) -> Result<(), String> {
        let schema = json!({ "type": "object", "properties": {
            "region": { "type": "string", "x-mcp-header": "Region" },
            "deep": { "type": "object", "properties": { "n": { "type": "integer", "x-mcp-header": "N" } } },
        } });
        check(&headers(pairs), message, |_| schema.as_object().cloned())
    }

    #[test]
    fn headers_that_agree_with_the_body_pass() {
        let name = (NAME, "spec_list");
        let wrapped = (NAME, "=?base64?c3BlY19saXN0?=");
        assert_eq!(verdict(&[VERSION, TOOLS_CALL, name], &call(json!({}))), Ok(()));
        assert_eq!(verdict(&[VERSION, TOOLS_CALL, wrapped], &call(json!({}))), Ok(()));
        let region = ("mcp-param-region", "=?base64?w6Q=?=");
        assert_eq!(verdict(&[VERSION, TOOLS_CALL, name, region], &call(json!({ "region": "ä" }))), Ok(()));
        let n = ("mcp-param-n", "42.0");
        assert_eq!(verdict(&[VERSION, TOOLS_CALL, name, n], &call(json!({ "deep": { "n": 42 } }))), Ok(()));
    }

    #[test]
    fn headers_that_are_missing_twice_or_different_do_not() {
        let name = (NAME, "spec_list");
        let cases: [(&[(&str, &str)], Value); 11] = [
            (&[TOOLS_CALL, name], json!({})),
            (&[(PROTOCOL_VERSION, "2025-11-25"), TOOLS_CALL, name], json!({})),
            (&[VERSION, VERSION, TOOLS_CALL, name], json!({})),
            (&[VERSION, name], json!({})),
            (&[VERSION, (METHOD, "TOOLS/CALL"), name], json!({})),
            (&[VERSION, TOOLS_CALL], json!({})),
            (&[VERSION, TOOLS_CALL, (NAME, "spec_get")], json!({})),
            (&[VERSION, TOOLS_CALL, (NAME, "=?base64?c3BlY19saXN0=?=")], json!({})),
            (&[VERSION, TOOLS_CALL, name], json!({ "region": "eu" })),
            (&[VERSION, TOOLS_CALL, name, ("mcp-param-region", "eu")], json!({ "region": null })),
            (&[VERSION, TOOLS_CALL, name, ("mcp-param-region", "\u{e4}")], json!({ "region": "\u{e4}" })),
        ];
        for (pairs, arguments) in cases {
            assert!(verdict(pairs, &call(arguments)).is_err(), "{pairs:?}");
        }
    }

    #[test]
    fn the_era_follows_from_body_method_and_header() {
        let plain = json!({ "method": "tools/list" });
        assert_eq!(era(&headers(&[]), &plain), Era::Legacy);
        assert_eq!(era(&headers(&[(PROTOCOL_VERSION, "2025-11-25")]), &plain), Era::Legacy);
        assert_eq!(era(&headers(&[VERSION]), &plain), Era::Modern);
        assert_eq!(era(&headers(&[]), &call(json!({}))), Era::Modern);
        assert_eq!(era(&headers(&[]), &json!({ "method": "server/discover" })), Era::Modern);
        assert_eq!(era(&headers(&[VERSION]), &json!({ "method": "initialize" })), Era::Legacy);
    }
}
