//! Who asked, by which way, and what they may see.

use serde::{Deserialize, Serialize};

/// Who asked, for the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub session_id: String,
    pub principal: Option<String>,
    pub channel: Channel,
    pub protocol_version: Option<String>,
    pub operation_id: String,
    /// What was asked for, such as a tool's or a command's name.
    pub operation: String,
    /// Its place in a distributed trace (W3C `traceparent`), where the caller is part of one.
    pub traceparent: Option<String>,
    /// Whose operations they may see.
    pub sees: Sees,
}

/// Whose operations somebody may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sees {
    /// Everybody's: the owner of the machine, and who administers a server.
    Everything,
    /// Their own.
    Own,
}

/// The way by which a call came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    Mcp,
    Cli,
    Web,
}

impl Channel {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::Cli => "cli",
            Self::Web => "web",
        }
    }
}
