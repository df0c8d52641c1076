//! The part of hewto that listens: connections, hosts and origins, tokens and scopes, limits, metrics.
//!
//! What is behind a path is a [`Service`], mounted by whoever has one; this crate knows neither MCP nor specs nor HTML.
//! Nothing here prints, reads the environment or ends the process.

mod access;
mod address;
mod body;
mod connections;
mod cors;
mod door;
mod error;
mod identify;
mod listen;
mod metrics;
mod oauth;
mod origin;
mod patient;
mod pool;
mod refusal;
mod reply;
mod request;
mod route;
mod server;
mod service;
mod state;
mod steady;
mod tls;
mod token;
mod until;
mod wrong_tokens;

pub use access::{ANONYMOUS, Authenticator, Principal, Scope, TokenFault};
pub use body::{MAX_BODY_BYTES, ReadBody};
pub use error::{Error, Result};
pub use metrics::Gauge;
pub use oauth::{Fetch, OAuth, OAuthOptions};
pub use origin::{Forbidden, OriginPolicy, Pages};
pub use pool::Share;
pub use refusal::Refusal;
pub use reply::{Body, Reply, json, no_content, text, typed};
pub use request::{AuthorizedRequest, Endpoints};
pub use server::{HttpOptions, HttpServer};
pub use service::{Access, AnsweredFor, Cors, Rejected, Service};
pub use tls::Tls;
pub use token::Tokens;

/// What the services of this server are written with.
pub use futures::future::BoxFuture;
pub use {bytes, http_body_util, hyper};
