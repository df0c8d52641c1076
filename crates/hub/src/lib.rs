//! The team hub: what was pushed from many repositories, who works on what, what people decided, and what happened.
//!
//! Git stays the truth. The hub is an index of pushed states that can be deleted and pushed again, and the few things that are
//! born between machines: leases, verdicts, comments, audit. All of it is in PostgreSQL; a replica ([`Hub`]) keeps nothing but
//! an index for searches, derived from there. This is the only crate that names sqlx. Nothing here prints, reads the
//! environment or ends the process.

mod access;
mod admin;
mod audit;
mod call;
mod dashboard;
mod database;
mod directory;
mod discard;
mod edges;
mod error;
mod follow;
mod hub;
mod lease;
mod mcp;
mod overlap;
mod pages;
mod push;
mod query;
mod review;
mod schema;
mod search;
mod service;
mod status;
mod sweep;
mod turns;
mod warm;

pub use access::Role;
pub use admin::{GrantRow, NewGrant, NewToken, RepoChoice, TokenMade, TokenRow};
pub use audit::Verified;
pub use database::Database;
pub use error::{Error, Result};
pub use hub::{Hub, HubOptions};
