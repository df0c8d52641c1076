//! The programs that connect to hewto, and how each of them writes down a server.
//!
//! One table: `hewto client-config` prints what it says, and `hewto init` merges the same entries into files. Reading
//! and writing those files is not done here.

mod agent;
mod row;
mod skill;
mod table;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

pub use self::agent::Agent;
pub(crate) use self::skill::{SkillFiles, is_skill, skills};
use crate::install::yaml_document;

/// The name under which hewto stands in a client's configuration.
pub const SERVER_NAME: &str = "hewto";
/// The variable that holds the token of a server beyond this machine.
pub const TOKEN_VARIABLE: &str = "HEWTO_TOKEN";

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Connection {
    /// The client starts `command args…` and talks over its pipes.
    Stdio { command: String, args: Vec<String> },
    /// The server runs already and listens at this address.
    Http { url: String },
}

/// The language of a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConfigFormat {
    /// With comments or without.
    Json,
    Toml,
    Yaml,
}

/// Whether a client keeps its servers with the project or with the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The file stands in the project, and the client starts the server there.
    Project,
    /// One file for all projects: the entry has to name the workspace.
    Person,
}

/// The configuration of one client, ready to be put into its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClientConfigView {
    pub client: String,
    /// `stdio` or `http`.
    pub transport: String,
    /// Where it belongs: relative to the project, or beginning with `~`.
    pub file: String,
    pub format: ConfigFormat,
    /// The whole text of a file that holds nothing else.
    pub config: String,
    /// What else has to be done, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub note: Option<String>,
}

/// The configuration that makes `agent` know the server.
pub fn client_config(agent: Agent, reach: &Connection) -> ClientConfigView {
    let transport = match reach {
        Connection::Stdio { .. } => "stdio",
        Connection::Http { .. } => "http",
    };
    ClientConfigView {
        client: agent.name().to_owned(),
        transport: transport.to_owned(),
        file: agent.file().to_owned(),
        format: agent.format(),
        config: document(agent, reach),
        note: agent.note(reach),
    }
}

/// A file with nothing but the server.
fn document(agent: Agent, reach: &Connection) -> String {
    let entry = agent.entry(reach);
    match agent.format() {
        ConfigFormat::Json => {
            format!("{:#}\n", json!({ agent.section(): { SERVER_NAME: entry } }))
        }
        ConfigFormat::Toml => {
            let mut table = toml_edit::Table::new();
            for (name, value) in &entry {
                table.insert(name, toml_edit::value(toml_value(value)));
            }
            let mut servers = toml_edit::Table::new();
            servers.set_implicit(true);
            servers.insert(SERVER_NAME, toml_edit::Item::Table(table));
            let mut document = toml_edit::DocumentMut::new();
            document.insert(agent.section(), toml_edit::Item::Table(servers));
            document.to_string()
        }
        ConfigFormat::Yaml => yaml_document(agent, &Value::Object(entry)),
    }
}

/// Arrays and strings are all that an entry holds.
fn toml_value(value: &Value) -> toml_edit::Value {
    match value {
        Value::String(text) => text.into(),
        Value::Array(items) => items.iter().map(toml_value).collect::<toml_edit::Array>().into(),
        other => other.to_string().into(),
    }
}

/// Whether an address stays on this machine, where no token is asked for.
fn is_loopback(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => authority.rsplit_once(':').map_or(authority, |(host, _)| host),
    };
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stdio() -> Connection {
        Connection::Stdio { command: "hewto".into(), args: vec!["serve".into()] }
    }

    fn http(url: &str) -> Connection {
        Connection::Http { url: url.into() }
    }

    #[test]
    fn each_client_gets_its_own_words_for_the_same_server() {
        let cases = [
            (Agent::known("claude-code"), json!({ "type": "stdio", "command": "hewto", "args": ["serve"] })),
            (Agent::known("vscode"), json!({ "type": "stdio", "command": "hewto", "args": ["serve"] })),
            (Agent::known("zed"), json!({ "command": "hewto", "args": ["serve"] })),
            (Agent::known("windsurf"), json!({ "command": "hewto", "args": ["serve"] })),
        ];
        for (client, expected) in cases {
            assert_eq!(Value::Object(client.entry(&stdio())), expected, "{client}");
        }
        let url = "http://127.0.0.1:7420/mcp";
        let cases = [
            (Agent::known("claude-code"), json!({ "type": "http", "url": url })),
            (Agent::known("cursor"), json!({ "url": url })),
            (Agent::known("gemini"), json!({ "httpUrl": url })),
            (Agent::known("windsurf"), json!({ "serverUrl": url })),
            (Agent::known("claude-desktop"), json!({ "command": "npx", "args": ["-y", "mcp-remote", url] })),
        ];
        for (client, expected) in cases {
            assert_eq!(Value::Object(client.entry(&http(url))), expected, "{client}");
        }
    }

    #[test]
    fn a_server_beyond_this_machine_is_given_a_token() {
        for client in Agent::all() {
            let view = client_config(client, &http("https://specs.example.com/mcp/w/web"));
            assert!(view.config.contains("TOKEN"), "{view:?}");
            assert!(view.note.is_some_and(|note| note.contains("token")), "{client}");
            assert!(
                !client_config(client, &http("http://[::1]:7420/mcp")).config.contains("TOKEN"),
                "{client}"
            );
        }
    }

    #[test]
    fn every_document_is_read_back_as_what_it_says() {
        for client in Agent::all() {
            for reach in [stdio(), http("http://localhost:1/mcp"), http("http://10.0.0.1/mcp")] {
                let view = client_config(client, &reach);
                let read: Value = match view.format {
                    ConfigFormat::Json => serde_json::from_str(&view.config).unwrap(),
                    ConfigFormat::Toml => toml_edit::de::from_str(&view.config).unwrap(),
                    // Read back by its own reader, where it is edited.
                    ConfigFormat::Yaml => continue,
                };
                assert_eq!(
                    read[client.section()][SERVER_NAME],
                    Value::Object(client.entry(&reach)),
                    "{client}"
                );
            }
        }
    }

    #[test]
    fn only_clients_without_a_project_name_the_workspace() {
        let args = |client: Agent| client.serve_args("/home/me/my project").join(" ");
        assert_eq!(args(Agent::known("claude-code")), "serve");
        assert_eq!(args(Agent::known("claude-desktop")), "serve --workspace /home/me/my project");
        assert_eq!(args(Agent::known("cursor")), "serve --workspace ${workspaceFolder}");
    }

    #[test]
    fn loopback_is_told_from_the_rest() {
        for (url, expected) in [
            ("http://127.0.0.1:7420/mcp", true),
            ("http://127.9.9.9/mcp", true),
            ("http://localhost/mcp", true),
            ("http://[::1]:1/mcp", true),
            ("http://localhost.example.com/mcp", false),
            ("http://[2001:db8::1]:1/mcp", false),
            ("https://example.com?127.0.0.1", false),
        ] {
            assert_eq!(is_loopback(url), expected, "{url}");
        }
    }
}
