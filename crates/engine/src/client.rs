//! The programs that connect to hewto, and how each of them writes down a server.
//!
//! One table: `hewto client-config` prints what it says, and `hewto init` merges the same entries into files. Reading
//! and writing those files is not done here.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The name under which hewto stands in a client's configuration.
pub const SERVER_NAME: &str = "hewto";
/// The variable that holds the token of a server beyond this machine.
pub const TOKEN_VARIABLE: &str = "HEWTO_TOKEN";

/// A program that speaks MCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Client {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    VsCode,
    Codex,
    Gemini,
    Zed,
    Windsurf,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// The client starts `command args…` and talks over its pipes.
    Stdio { command: String, args: Vec<String> },
    /// The server runs already and listens at this address.
    Http { url: String },
}

/// The language of a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConfigFormat {
    Json,
    Toml,
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

/// The configuration that makes `client` know the server.
pub fn client_config(client: Client, reach: &Reach) -> ClientConfigView {
    let transport = match reach {
        Reach::Stdio { .. } => "stdio",
        Reach::Http { .. } => "http",
    };
    ClientConfigView {
        client: client.name().to_owned(),
        transport: transport.to_owned(),
        file: client.file().to_owned(),
        format: client.format(),
        config: client.document(reach),
        note: client.note(reach),
    }
}

impl Client {
    pub const ALL: [Self; 8] = [
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Cursor,
        Self::VsCode,
        Self::Codex,
        Self::Gemini,
        Self::Zed,
        Self::Windsurf,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Zed => "zed",
            Self::Windsurf => "windsurf",
        }
    }

    /// The name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Zed => "Zed",
            Self::Windsurf => "Windsurf",
        }
    }

    /// The file that names its servers.
    pub fn file(self) -> &'static str {
        match self {
            Self::ClaudeCode => ".mcp.json",
            Self::ClaudeDesktop => "~/.config/Claude/claude_desktop_config.json",
            Self::Cursor => ".cursor/mcp.json",
            Self::VsCode => ".vscode/mcp.json",
            Self::Codex => ".codex/config.toml",
            Self::Gemini => ".gemini/settings.json",
            Self::Zed => ".zed/settings.json",
            Self::Windsurf => "~/.codeium/windsurf/mcp_config.json",
        }
    }

    pub fn scope(self) -> Scope {
        if self.file().starts_with('~') { Scope::Person } else { Scope::Project }
    }

    pub fn format(self) -> ConfigFormat {
        match self {
            Self::Codex => ConfigFormat::Toml,
            _ => ConfigFormat::Json,
        }
    }

    /// The member of the file under which servers stand by name.
    pub fn section(self) -> &'static str {
        match self {
            Self::VsCode => "servers",
            Self::Codex => "mcp_servers",
            Self::Zed => "context_servers",
            _ => "mcpServers",
        }
    }

    /// The arguments of a server that this client starts for the workspace at `root`.
    pub fn serve_args(self, root: &str) -> Vec<String> {
        let root = match (self, self.scope()) {
            // Cursor does not say where it starts a server, but it fills this in.
            (Self::Cursor, _) => Some("${workspaceFolder}"),
            (_, Scope::Project) => None,
            (_, Scope::Person) => Some(root),
        };
        let mut args = vec!["serve".to_owned()];
        args.extend(root.into_iter().flat_map(|root| ["--workspace".to_owned(), root.to_owned()]));
        args
    }

    /// What stands under the server's name.
    pub fn entry(self, reach: &Reach) -> Map<String, Value> {
        let entry = match reach {
            Reach::Stdio { command, args } => {
                let typed = matches!(self, Self::ClaudeCode | Self::VsCode);
                let mut entry = if typed { json!({ "type": "stdio" }) } else { json!({}) };
                entry["command"] = json!(command);
                entry["args"] = json!(args);
                entry
            }
            Reach::Http { url } => self.http_entry(url),
        };
        match entry {
            Value::Object(entry) => entry,
            _ => Map::new(),
        }
    }

    fn http_entry(self, url: &str) -> Value {
        let needs_token = !is_loopback(url);
        let mut entry = match self {
            Self::ClaudeCode | Self::VsCode => json!({ "type": "http", "url": url }),
            Self::Codex if needs_token => json!({ "url": url, "bearer_token_env_var": TOKEN_VARIABLE }),
            Self::Cursor | Self::Codex | Self::Zed => json!({ "url": url }),
            Self::Gemini => json!({ "httpUrl": url }),
            Self::Windsurf => json!({ "serverUrl": url }),
            // It starts programs only; this one passes on what it is told.
            Self::ClaudeDesktop if needs_token => json!({
                "command": "npx",
                "args": ["-y", "mcp-remote", url, "--header", format!("Authorization:${{{TOKEN_VARIABLE}}}")],
                "env": { TOKEN_VARIABLE: "Bearer YOUR_TOKEN" },
            }),
            Self::ClaudeDesktop => json!({ "command": "npx", "args": ["-y", "mcp-remote", url] }),
        };
        if needs_token && let Some(value) = self.token_value() {
            entry["headers"] = json!({ "Authorization": format!("Bearer {value}") });
        }
        entry
    }

    /// How a header takes its value from [`TOKEN_VARIABLE`].
    fn token_value(self) -> Option<String> {
        match self {
            Self::ClaudeCode | Self::Gemini => Some(format!("${{{TOKEN_VARIABLE}}}")),
            Self::Cursor | Self::VsCode | Self::Windsurf => Some(format!("${{env:{TOKEN_VARIABLE}}}")),
            Self::Zed => Some("YOUR_TOKEN".to_owned()),
            Self::Codex | Self::ClaudeDesktop => None,
        }
    }

    /// A file with nothing but the server.
    fn document(self, reach: &Reach) -> String {
        let entry = self.entry(reach);
        match self.format() {
            ConfigFormat::Json => {
                format!("{:#}\n", json!({ self.section(): { SERVER_NAME: entry } }))
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
                document.insert(self.section(), toml_edit::Item::Table(servers));
                document.to_string()
            }
        }
    }

    fn note(self, reach: &Reach) -> Option<String> {
        if let Reach::Http { url } = reach
            && !is_loopback(url)
        {
            return Some(match self {
                Self::Zed | Self::ClaudeDesktop => "put the server's token in place of YOUR_TOKEN".to_owned(),
                _ => format!("put the server's token into the variable {TOKEN_VARIABLE}"),
            });
        }
        let note = match self {
            Self::ClaudeDesktop => {
                "on macOS the file is ~/Library/Application Support/Claude/claude_desktop_config.json, \
                 on Windows %APPDATA%\\Claude\\claude_desktop_config.json"
            }
            Self::Codex => "Codex reads it in trusted projects; ~/.codex/config.toml serves all of them",
            _ => return None,
        };
        Some(note.to_owned())
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
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

    fn stdio() -> Reach {
        Reach::Stdio { command: "hewto".into(), args: vec!["serve".into()] }
    }

    fn http(url: &str) -> Reach {
        Reach::Http { url: url.into() }
    }

    #[test]
    fn each_client_gets_its_own_words_for_the_same_server() {
        let cases = [
            (Client::ClaudeCode, json!({ "type": "stdio", "command": "hewto", "args": ["serve"] })),
            (Client::VsCode, json!({ "type": "stdio", "command": "hewto", "args": ["serve"] })),
            (Client::Zed, json!({ "command": "hewto", "args": ["serve"] })),
            (Client::Windsurf, json!({ "command": "hewto", "args": ["serve"] })),
        ];
        for (client, expected) in cases {
            assert_eq!(Value::Object(client.entry(&stdio())), expected, "{client}");
        }
        let url = "http://127.0.0.1:7420/mcp";
        let cases = [
            (Client::ClaudeCode, json!({ "type": "http", "url": url })),
            (Client::Cursor, json!({ "url": url })),
            (Client::Gemini, json!({ "httpUrl": url })),
            (Client::Windsurf, json!({ "serverUrl": url })),
            (Client::ClaudeDesktop, json!({ "command": "npx", "args": ["-y", "mcp-remote", url] })),
        ];
        for (client, expected) in cases {
            assert_eq!(Value::Object(client.entry(&http(url))), expected, "{client}");
        }
    }

    #[test]
    fn a_server_beyond_this_machine_is_given_a_token() {
        for client in Client::ALL {
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
        for client in Client::ALL {
            for reach in [stdio(), http("http://localhost:1/mcp"), http("http://10.0.0.1/mcp")] {
                let view = client_config(client, &reach);
                let read: Value = match view.format {
                    ConfigFormat::Json => serde_json::from_str(&view.config).unwrap(),
                    ConfigFormat::Toml => toml_edit::de::from_str(&view.config).unwrap(),
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
        let args = |client: Client| client.serve_args("/home/me/my project").join(" ");
        assert_eq!(args(Client::ClaudeCode), "serve");
        assert_eq!(args(Client::ClaudeDesktop), "serve --workspace /home/me/my project");
        assert_eq!(args(Client::Cursor), "serve --workspace ${workspaceFolder}");
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
