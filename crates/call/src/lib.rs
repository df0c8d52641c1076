//! The way into the engine that the MCP server, the command line and the pages share (D-17).
//!
//! A call has a caller and an [`Operation`]. On its way in it is counted ([`Rates`]), waits for its turn in a [`Lane`],
//! gets a deadline and a way to be cancelled, and is guarded against panics ([`Pool`]); on its way out it leaves an
//! envelope in the operation log ([`AuditLog`]). A server goes through a [`Pipeline`]; a process that makes a single
//! call uses [`once`].
//!
//! Nothing here knows a protocol, a terminal or a page.

mod audit;
mod feed;
mod guard;
mod lane;
mod once;
mod operation;
mod pipeline;
mod pool;
mod rate;
mod replay;
mod time_limit;

pub use audit::AuditLog;
pub use feed::{Feed, Interest, Listener, MarkOf, News, Topic};
pub use guard::{internal_error, panic_text};
pub use lane::Lane;
pub use once::once;
pub use operation::Operation;
pub use pipeline::{LogFolders, Pipeline};
pub use pool::{Pool, Reporter, Silent};
pub use rate::{RateLimit, Rates};
pub use replay::{Fingerprint, First, Replays, Verdict, fingerprint};
pub use time_limit::TimeLimit;
