//! Streamable HTTP: both eras of the protocol on one endpoint, many clients, many workspaces.
//!
//! `hewto-http` listens, looks who comes and hands over requests; [`route`] finds their workspace, [`post`] hands messages to
//! rmcp through a [`link`], and [`answer`] makes JSON or a stream of events of what comes back. rmcp's own HTTP service
//! is not used: it decodes messages its own way, and bodies are to be equal on stdio and here (docs/adr). Nothing here
//! knows a tool.

mod answer;
mod envelope;
#[cfg(feature = "fuzz")]
pub(crate) mod fuzz;
mod headers;
mod link;
mod mount;
mod post;
mod refusal;
mod route;
mod session;

pub use self::route::{DEFAULT_MOUNT, McpRoutes};
