//! The fuzz body of what HTTP adds to a message: who comes in, which era it is, and the headers against the body.
//!
//! A plain function, like those in `crate::fuzz`. The input is lines `name: value`, an empty line and a body.

use std::net::Ipv4Addr;

use hewto_http::{OriginPolicy, Pages, Tokens};
use hyper::HeaderMap;
use hyper::header::{HOST, HeaderName, HeaderValue};
use serde_json::{Value, json};

use super::answer::Accepts;
use super::headers::{self, Era};
use super::route::mount_name;
use crate::transport::decode::{Decoded, Handshake, PROTOCOL_VERSION_KEY, decode, is_modern};

/// Whoever comes in named this machine, and a message that passes says in its headers what it says in its body.
pub fn headers(input: &[u8]) {
    let (headers, body) = request(input);
    let policy = OriginPolicy::new(&[], &[]);
    if policy.check(&headers, None, Ipv4Addr::LOCALHOST.into(), Pages::Allowed).is_ok() {
        let host = headers[HOST].to_str().expect("a host that passed is text").to_ascii_lowercase();
        assert!(["localhost", "127.", ":"].iter().any(|part| host.contains(part)), "`{host}` came in");
    }
    let _ = Accepts::of(&headers).carries();
    if let Ok(text) = std::str::from_utf8(body) {
        // Whatever a token file says, nobody has the empty token.
        assert!(text.parse::<Tokens>().map_or(true, |tokens| tokens.find(b"").is_none()), "`{text}`");
        assert!(mount_name(text).is_none_or(|name| !name.contains('/')));
    }
    let Ok(message) = serde_json::from_slice::<Value>(body) else { return };
    let era = headers::era(&headers, &message);
    let schema = json!({ "properties": { "region": { "x-mcp-header": "Region" } } });
    if headers::check(&headers, &message, |_| schema.as_object().cloned()).is_ok() {
        agrees(&headers, &message);
    }
    let handshake = if era == Era::Modern { Handshake::Awaited } else { Handshake::Done };
    if let Decoded::Refused { error, .. } = decode(message, handshake) {
        assert!(matches!(error.code.0, -32603..=-32600), "a refusal has a code of JSON-RPC");
    }
}

/// What the check promises to whoever reads headers only.
fn agrees(headers: &HeaderMap, message: &Value) {
    let version = message.pointer("/params/_meta").and_then(|meta| meta.get(PROTOCOL_VERSION_KEY));
    let Some(version) = version.and_then(Value::as_str).filter(|version| is_modern(version)) else { return };
    let says =
        |name: &str| -> Vec<&[u8]> { headers.get_all(name).iter().map(HeaderValue::as_bytes).collect() };
    assert_eq!(says("mcp-protocol-version"), [version.as_bytes()]);
    if let Some(method) = message["method"].as_str() {
        assert_eq!(says("mcp-method"), [method.as_bytes()]);
        let region = message.pointer("/params/arguments/region").and_then(Value::as_str);
        if method == "tools/call" && message["params"]["name"].is_string() && region.is_some() {
            assert_eq!(says("mcp-param-region").len(), 1);
        }
    }
}

fn request(input: &[u8]) -> (HeaderMap, &[u8]) {
    let mut headers = HeaderMap::new();
    let mut rest = input;
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let line = rest[..end].trim_ascii();
        rest = &rest[end + 1..];
        if line.is_empty() {
            break;
        }
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        let name = HeaderName::from_bytes(line[..colon].trim_ascii());
        let value = HeaderValue::from_bytes(line[colon + 1..].trim_ascii());
        // hyper takes as many.
        if let (Ok(name), Ok(value)) = (name, value)
            && headers.len() < 100
        {
            headers.append(name, value);
        }
    }
    (headers, rest)
}
