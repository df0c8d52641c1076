//! The tools of the hub. Each is a question or an act of the hub's own interface, with the repository of the address filled in.

use hewto_core::hub::Reason;
use serde_json::{Map, Value, json};

use super::Endpoint;
use crate::access::Access;
use crate::call::Call;
use crate::error::{Error, Result};
use crate::query::Params;
use crate::service::{Done, HubService};

/// How long work is given for unless somebody says so.
const LEASE_S: u32 = 60;

/// Something that an agent can call.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    description: &'static str,
    /// The path of the interface behind it.
    path: &'static str,
    changes: bool,
    /// Whether it is about one repository.
    needs_repo: bool,
    fields: &'static [Field],
}

/// An argument: its name, its name in the interface, its type, whether it has to be there, and what it is.
type Field = (&'static str, &'static str, &'static str, bool, &'static str);

const TOOLS: [Tool; 9] = [
    Tool {
        name: "search",
        description: "Who already promises this, in any repository that is open to you: specs, requirements, changes, decisions, by words and meaning.",
        path: "search",
        changes: false,
        needs_repo: false,
        fields: &[
            ("query", "q", "string", true, "What is looked for"),
            ("kind", "kind", "string", false, "spec, requirement, change, decision or plan"),
            ("limit", "limit", "integer", false, "At most so many, 10 unless given"),
        ],
    },
    Tool {
        name: "status",
        description: "Where everything stands: repositories, their branches and work trees, overlaps, and who is at work on what.",
        path: "status",
        changes: false,
        needs_repo: false,
        fields: &[],
    },
    Tool {
        name: "overlaps",
        description: "Requirements that several open changes touch, across branches, work trees and repositories.",
        path: "overlaps",
        changes: false,
        needs_repo: false,
        fields: &[("change", "change", "string", false, "Only what concerns this change")],
    },
    Tool {
        name: "dependencies",
        description: "What a spec depends on in other repositories, and what there depends on it.",
        path: "edges",
        changes: false,
        needs_repo: true,
        fields: &[("spec_id", "item", "string", false, "Only this spec")],
    },
    Tool {
        name: "review",
        description: "A change or a spec as it was pushed, every reading of it, with its digest and what was said about it.",
        path: "review",
        changes: false,
        needs_repo: true,
        fields: &[("spec_id", "item", "string", true, "A spec id, or change:ID")],
    },
    Tool {
        name: "who",
        description: "Who has claimed what.",
        path: "claims",
        changes: false,
        needs_repo: false,
        fields: &[],
    },
    Tool {
        name: "claim_next",
        description: "Take the first of these items that is free. Send its number with everything that you do; renew it with claim_keep.",
        path: "claims",
        changes: true,
        needs_repo: true,
        fields: &[
            ("items", "items", "array", true, "Best first: spec ids, or change:ID"),
            ("lease_s", "lease_s", "integer", false, "For so many seconds, 60 unless given"),
            ("session", "session", "string", false, "What tells you from others with your token"),
            ("branch", "branch", "string", false, "Where you work"),
        ],
    },
    Tool {
        name: "claim_keep",
        description: "Renew a claim before it runs out, or give it back.",
        path: "claims/keep",
        changes: true,
        needs_repo: true,
        fields: &[
            ("item", "item", "string", true, "What was claimed"),
            ("claim", "fence", "integer", true, "Its number"),
            ("release", "release", "boolean", false, "Give it back"),
            ("lease_s", "lease_s", "integer", false, "For so many seconds, 60 unless given"),
            ("note", "note", "string", false, "Left for whoever is next"),
        ],
    },
    Tool {
        name: "comment",
        description: "Say something about a change or a spec, bound to the digest that review showed. It returns to git as a file.",
        path: "review/comment",
        changes: true,
        needs_repo: true,
        fields: &[
            ("spec_id", "item", "string", true, "A spec id, or change:ID"),
            ("text", "text", "string", true, "What you have to say"),
            ("digest", "digest", "string", true, "Of the text that it is about"),
            ("capability", "capability", "string", false, "Where the requirement stands"),
            ("requirement", "requirement", "string", false, "The requirement that it is about"),
        ],
    },
];

/// The tools of an endpoint, as `tools/list` has them.
pub(super) fn listing(endpoint: &Endpoint) -> Vec<Value> {
    TOOLS.iter().filter(|tool| tool.is_at(endpoint)).map(|tool| tool.listed(endpoint)).collect()
}

/// The tool of this name, where the endpoint has it.
pub(super) fn find(endpoint: &Endpoint, name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name && tool.is_at(endpoint))
}

impl Tool {
    fn is_at(&self, endpoint: &Endpoint) -> bool {
        !(self.changes && endpoint.is_read_only)
    }

    fn listed(&self, endpoint: &Endpoint) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        if endpoint.repo.is_none() {
            properties
                .insert("repo".to_owned(), json!({ "type": "string", "description": "The repository" }));
            required.extend(self.needs_repo.then_some("repo"));
        }
        for (name, _, kind, is_required, words) in self.fields {
            let mut field = json!({ "type": kind, "description": words });
            if *kind == "array" {
                field["items"] = json!({ "type": "string" });
            }
            properties.insert((*name).to_owned(), field);
            required.extend(is_required.then_some(*name));
        }
        json!({ "name": self.name, "description": self.description,
            "inputSchema": { "type": "object", "additionalProperties": false, "properties": properties, "required": required },
            "annotations": { "readOnlyHint": !self.changes, "destructiveHint": false, "openWorldHint": false } })
    }

    pub(super) async fn call(
        &self,
        service: &HubService,
        endpoint: &Endpoint,
        access: &Access,
        arguments: &Value,
        call: &mut Call<'_>,
    ) -> Result<Done> {
        // What was asked about, also where it is refused.
        call.is(self.path);
        call.about(endpoint.repo.as_deref().or(arguments["repo"].as_str()).unwrap_or_default());
        let mut sent = self.arguments(endpoint, arguments)?;
        if self.changes {
            if self.path == "claims" {
                sent.entry("lease_s").or_insert(json!(LEASE_S));
                // Two that share a token and say no more are two.
                sent.entry("session").or_insert_with(|| json!(uuid::Uuid::new_v4().to_string()));
                sent.insert("worktree".to_owned(), json!("mcp"));
            }
            return service.act(self.path, Value::Object(sent).to_string().as_bytes(), access).await;
        }
        let text = |value: Value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        let params = Params::of(sent.into_iter().map(|(name, value)| (name, text(value))))?;
        service.look(self.path, &params, access).await.map(Done::untold)
    }

    /// The arguments by the names of the interface; what is not asked for is refused.
    fn arguments(&self, endpoint: &Endpoint, arguments: &Value) -> Result<Map<String, Value>> {
        let given = match arguments {
            Value::Null => Map::new(),
            Value::Object(given) => given.clone(),
            _ => return Err(Error::bad(Reason::InvalidArgument, "`arguments` must be an object")),
        };
        let mut sent = Map::new();
        match (&endpoint.repo, given.get("repo")) {
            (Some(repo), None) | (None, Some(Value::String(repo))) => {
                sent.insert("repo".to_owned(), json!(repo));
            }
            (None, None) if self.needs_repo => {
                return Err(Error::bad(Reason::InvalidArgument, "`repo` is missing")
                    .hint("status names those that are open to you"));
            }
            (None, None) => {}
            (Some(_), Some(_)) => {
                return Err(Error::bad(
                    Reason::InvalidArgument,
                    "the address names the repository; leave `repo` out",
                ));
            }
            (None, Some(_)) => return Err(Error::bad(Reason::InvalidArgument, "`repo` must be a string")),
        }
        for (name, inner, kind, is_required, _) in self.fields {
            let Some(value) = given.get(*name) else {
                if *is_required {
                    return Err(Error::bad(Reason::InvalidArgument, format!("`{name}` is missing")));
                }
                continue;
            };
            let fits = match *kind {
                "string" => value.is_string(),
                "integer" => value.is_u64(),
                "boolean" => value.is_boolean(),
                _ => value.is_array(),
            };
            if !fits {
                return Err(Error::bad(Reason::InvalidArgument, format!("`{name}` must be of type {kind}")));
            }
            sent.insert((*inner).to_owned(), value.clone());
        }
        let is_known = |name: &String| name == "repo" || self.fields.iter().any(|field| field.0 == name);
        match given.keys().find(|name| !is_known(name)) {
            Some(name) => {
                let shown: String = name.chars().take(40).collect();
                Err(Error::bad(
                    Reason::InvalidArgument,
                    format!("`{}` is not an argument of {}", shown.escape_debug(), self.name),
                ))
            }
            None => Ok(sent),
        }
    }
}
