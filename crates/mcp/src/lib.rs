//! The part of hewto that talks to agents: an MCP server over the engine.
//!
//! One table of tools, one wrapper round every call, resources, prompts, and our own framing on stdio. A handler
//! decodes, makes one engine call and encodes; it decides nothing. No other crate names rmcp. Nothing here prints,
//! reads the environment or ends the process.

mod approval_form;
mod builder;
mod call;
mod client_log;
mod completion;
mod cursor;
mod elicit;
mod errors;
mod feed;
#[doc(hidden)]
pub mod fuzz;
mod handler;
mod heartbeat;
mod instructions;
mod options;
mod prompts;
#[cfg(test)]
mod reference;
mod reply;
mod resources;
mod schema;
mod seal;
mod server;
mod service;
mod session;
mod state;
mod subscription;
mod table;
mod tools;
mod transport;

pub use builder::McpServerBuilder;
pub use errors::seed_code;
pub use hewto_engine::workstation::Machine;
pub use options::{Profile, ServerOptions, Toolset};
pub use server::McpServer;
pub use transport::WriteNow;
pub use transport::http::{DEFAULT_MOUNT, McpRoutes};
