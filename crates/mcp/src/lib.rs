//! The part of hewto that talks to agents: an MCP server over the engine.
//!
//! One table of tools, one wrapper round every call, resources, prompts, and our own framing on stdio. A handler
//! decodes, makes one engine call and encodes; it decides nothing. No other crate names rmcp. Nothing here prints,
//! reads the environment or ends the process.

mod call;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
mod listing;
mod prompts;
mod resources;
mod schema;
mod server;
mod session;
mod table;
mod tools;
mod transport;

// Each has its room; the rest of the crate calls it by its own name.
use call::{approval_form, cursor, elicit, errors, heartbeat, place, reply, seal, tasks, together};
use listing::{completion, instructions, naming, options};
use server::{builder, handler, service, state};
use session::{client_log, feed, subscription};

pub use builder::McpServerBuilder;
pub use errors::seed_code;
pub use hewto_engine::workstation::Machine;
pub use options::{Profile, ServerOptions, Toolset};
pub use server::McpServer;
pub use transport::WriteNow;
pub use transport::http::{DEFAULT_MOUNT, McpRoutes};
