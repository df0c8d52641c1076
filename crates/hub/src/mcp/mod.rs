//! MCP for agents that have no checkout: `/mcp` for everything that is open to them, `/mcp/r/REPO` for one repository, and either
//! with `/readonly` behind it.
//!
//! Every request brings all that it needs, so any replica answers it, in both eras of the protocol. No tool decides for a
//! person: verdicts are given on pages.

mod tools;

use hewto_http::hyper::body::Incoming;
use hewto_http::hyper::http::HeaderMap;
use hewto_http::hyper::{Method, StatusCode};
use hewto_http::{AuthorizedRequest, Refusal, Reply, json, no_content};
use serde_json::{Value, json};

use crate::access::{Access, Right};
use crate::call::Call;
use crate::query::decode;
use crate::service::HubService;

/// The largest message.
const MAX_BYTES: usize = 256 * 1024;
/// Newest first.
const VERSIONS: [&str; 4] = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"];
/// What is answered besides the tools themselves; the audit tells these by name, and no other, for others were made up by who asks.
const METHODS: [&str; 5] = ["initialize", "server/discover", "ping", "tools/list", "tools/call"];
const PROTOCOL_VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const INSTRUCTIONS: &str = "Specs, changes and promises of many repositories, as they were pushed. Ask before you build: who promises \
this already (search), who touches it (overlaps), who is at work on it (status). claim_next takes work, claim_keep renews it \
or gives it back. People decide on the hub's pages.";

/// What an address of MCP is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Endpoint {
    /// The one repository; all that are open, where there is none.
    pub(crate) repo: Option<String>,
    pub(crate) is_read_only: bool,
}

impl Endpoint {
    /// The endpoint of this path; `None` where it is no address of MCP.
    pub(crate) fn of(path: &str) -> Option<Self> {
        let rest = path.strip_prefix("/mcp")?;
        let (rest, is_read_only) = match rest.strip_suffix("/readonly") {
            Some(rest) => (rest, true),
            None => (rest, false),
        };
        let repo = match rest {
            "" => None,
            _ => Some(decode(rest.strip_prefix("/r/").filter(|name| !name.is_empty())?)?),
        };
        Some(Self { repo, is_read_only })
    }
}

impl HubService {
    /// One message, one answer.
    pub(crate) async fn mcp(
        &self,
        endpoint: Endpoint,
        request: AuthorizedRequest<'_>,
        body: Incoming,
        call: &mut Call<'_>,
    ) -> Result<Reply, Refusal> {
        let _turn = request.enter()?;
        call.about(endpoint.repo.as_deref().unwrap_or_default());
        if request.parts.method != Method::POST {
            return Err(Refusal::method_not_allowed("POST"));
        }
        self.check_schema().await?;
        let access = self.access(&request.parts, request.principal).await;
        let access = access.map_err(|error| call.refuse(error))?;
        call.by(&access.name);
        if let Some(repo) = &endpoint.repo {
            let granted = access.repo(&self.hub.database, repo, Right::Read).await;
            granted.map_err(|error| call.refuse(error))?;
        }
        let bytes = request.read(body, "application/json", MAX_BYTES).await?.bytes;
        let Ok(message) = serde_json::from_slice::<Value>(&bytes) else {
            call.came_to("invalid_json");
            return Ok(failed(StatusCode::BAD_REQUEST, &Value::Null, -32700, "this is not valid JSON"));
        };
        let id = message["id"].clone();
        let Some(method) = message["method"].as_str().filter(|_| message["jsonrpc"] == "2.0") else {
            call.came_to("invalid_request");
            return Ok(failed(StatusCode::BAD_REQUEST, &id, -32600, "this is not a request of JSON-RPC 2.0"));
        };
        if let Err(why) = check_headers(&request.parts.headers, method, &message) {
            call.came_to("header_mismatch");
            return Ok(failed(StatusCode::BAD_REQUEST, &id, -32020, &why));
        }
        if message.get("id").is_none() {
            call.says("a notification");
            call.done(false);
            return Ok(no_content(StatusCode::ACCEPTED));
        }
        if METHODS.contains(&method) {
            call.says(method);
        }
        let is_modern =
            message["params"]["_meta"][PROTOCOL_VERSION_KEY] == VERSIONS[0] || method == "server/discover";
        let mut result = match method {
            "initialize" => {
                let wanted = message["params"]["protocolVersion"].as_str().unwrap_or_default();
                // The newest brings its version with each request, and is not begun like this.
                let known = VERSIONS[1..].iter().find(|version| **version == wanted);
                json!({ "protocolVersion": known.unwrap_or(&VERSIONS[1]), "capabilities": { "tools": {} },
                        "serverInfo": server_info(), "instructions": INSTRUCTIONS })
            }
            "server/discover" => json!({ "supportedVersions": VERSIONS, "capabilities": { "tools": {} },
                "serverInfo": server_info(), "instructions": INSTRUCTIONS, "ttlMs": 3_600_000, "cacheScope": "public" }),
            "ping" => json!({}),
            "tools/list" => json!({ "tools": tools::listing(&endpoint) }),
            "tools/call" => {
                let Some(result) = self.call(&endpoint, &access, &message["params"], call).await else {
                    call.came_to("tool_not_found");
                    return Ok(failed(StatusCode::OK, &id, -32602, "there is no tool of this name here"));
                };
                result
            }
            _ => {
                call.came_to("method_not_found");
                let status = if is_modern { StatusCode::NOT_FOUND } else { StatusCode::OK };
                return Ok(failed(status, &id, -32601, "there is no such method here"));
            }
        };
        if method != "tools/call" {
            call.done(false);
        }
        if is_modern {
            result["resultType"] = json!("complete");
        }
        if is_modern && method == "tools/list" {
            (result["ttlMs"], result["cacheScope"]) = (json!(3_600_000), json!("private"));
        }
        Ok(said(StatusCode::OK, &json!({ "jsonrpc": "2.0", "id": id, "result": result })))
    }

    /// Calls a tool; what it refuses is a result that a model can act on.
    async fn call(
        &self,
        endpoint: &Endpoint,
        access: &Access,
        params: &Value,
        call: &mut Call<'_>,
    ) -> Option<Value> {
        let tool = tools::find(endpoint, params["name"].as_str()?)?;
        let answered = tool.call(self, endpoint, access, &params["arguments"], call).await;
        let (value, is_error) = match answered {
            Ok(done) => {
                call.says("mcp");
                call.done(done.has_told);
                (done.value, false)
            }
            Err(error) => {
                call.says("mcp");
                call.came_to(error.reason.as_str());
                if let Some(source) = &error.source {
                    tracing::warn!(error = %source, key = error.reason.as_str(), "a tool of the hub failed");
                }
                let mut told = json!({ "error": error.reason.as_str(), "message": error.message });
                if let Some(hint) = &error.hint {
                    told["hint"] = json!(hint);
                }
                for (name, value) in error.details() {
                    told[name] = value.clone();
                }
                (told, true)
            }
        };
        let text = value.to_string();
        Some(
            json!({ "content": [{ "type": "text", "text": text }], "structuredContent": value, "isError": is_error }),
        )
    }
}

/// What a request of the new era says outside has to be what it says inside.
fn check_headers(headers: &HeaderMap, method: &str, message: &Value) -> Result<(), String> {
    let named = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let params = &message["params"];
    let inside = [
        ("mcp-method", Some(method)),
        ("mcp-name", params["name"].as_str().or_else(|| params["uri"].as_str())),
        ("mcp-protocol-version", params["_meta"][PROTOCOL_VERSION_KEY].as_str()),
    ];
    for (name, inside) in inside {
        if let (Some(outside), Some(inside)) = (named(name), inside)
            && outside != inside
        {
            return Err(format!("the header `{name}` says something else than the body"));
        }
    }
    let version = named("mcp-protocol-version").or(params["_meta"][PROTOCOL_VERSION_KEY].as_str());
    match version {
        Some(version) if !VERSIONS.contains(&version) && version != "2024-11-05" => {
            Err("this version of MCP is not supported here".to_owned())
        }
        _ => Ok(()),
    }
}

fn server_info() -> Value {
    json!({ "name": "hewto-hub", "version": env!("CARGO_PKG_VERSION") })
}

fn failed(status: StatusCode, id: &Value, code: i32, message: &str) -> Reply {
    said(status, &json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }))
}

fn said(status: StatusCode, message: &Value) -> Reply {
    json(status, message.to_string().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_repository_and_perhaps_says_that_nothing_is_changed() {
        let endpoint =
            |repo: Option<&str>, is_read_only| Some(Endpoint { repo: repo.map(str::to_owned), is_read_only });
        for (path, expected) in [
            ("/mcp", endpoint(None, false)),
            ("/mcp/readonly", endpoint(None, true)),
            ("/mcp/r/shop", endpoint(Some("shop"), false)),
            ("/mcp/r/acme/shop/readonly", endpoint(Some("acme/shop"), true)),
            ("/mcp/r/acme%2Fshop", endpoint(Some("acme/shop"), false)),
            ("/mcp/r/", None),
            ("/mcp/x", None),
            ("/mcpr/shop", None),
            ("/mcp/r/%00", None),
            ("/", None),
        ] {
            assert_eq!(Endpoint::of(path), expected, "{path}");
        }
    }
}
