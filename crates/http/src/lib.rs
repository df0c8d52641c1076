//! The part of hewto that listens: connections, hosts and origins, tokens and scopes, limits, metrics.
//!
//! What is behind a path is a [`Service`], mounted by whoever has one; this crate knows neither MCP nor specs nor HTML.
//! Nothing here prints, reads the environment or ends the process.

mod access;
mod body;
mod error;
mod gate;
mod listen;
mod metrics;
mod origin;
mod patient;
mod refusal;
mod reply;
mod request;
mod route;
mod server;
mod service;
mod state;
mod token;

pub use access::{ANONYMOUS, Authenticator, Principal, Scope, TokenFault};
pub use body::MAX_BODY_BYTES;
pub use error::{Error, Result};
pub use gate::Place;
pub use metrics::Gauge;
pub use origin::{Forbidden, OriginPolicy, Pages};
pub use refusal::Refusal;
pub use reply::{Body, Reply, json, no_content, text, typed};
pub use request::{AuthorizedRequest, Ends};
pub use server::{HttpOptions, HttpServer};
pub use service::{Access, Cors, Service};
pub use token::Tokens;

/// What the services of this server are written with.
pub use futures::future::BoxFuture;
pub use {bytes, http_body_util, hyper};
