//! A server: how it is put together, what its calls share, and how rmcp's requests reach them.

pub(crate) mod builder;
pub(crate) mod handler;
mod run;
pub(crate) mod service;
pub(crate) mod state;

pub use run::McpServer;
