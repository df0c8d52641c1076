//! What tests share: workspaces made from strings, and a client that talks to the real binary as a host would.
//!
//! Everything here fails loudly: a call that gets no answer panics with what the server said on stderr. Nothing here
//! ships.

mod model_server;
mod postgres;
mod reply;
mod session;
mod workspace;

pub use model_server::{ModelReply, ModelRequest, ModelServer};
pub use postgres::{Cluster, HeldSession};
pub use reply::{RpcError, ToolReply};
pub use session::{Ended, Era, McpSession};
pub use workspace::TestWorkspace;

/// An RSA key of 2,048 bits (PKCS #8, in base64) that signs nothing but tokens of tests: `ring` signs with RSA, and makes no keys.
pub const RSA_KEY: &str = include_str!("../keys/rsa.b64");

/// Patterns and what stands for them in snapshots: what differs from run to run.
pub const SNAPSHOT_FILTERS: &[(&str, &str)] = &[
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "[uuid]"),
    (r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z", "[time]"),
    (r"\b\d{10}-", "[second]-"),
];
