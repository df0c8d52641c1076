//! Talks to other machines: the only crate with an HTTP client.
//!
//! [`model`] puts one question to a language model, as one forced tool call; [`fetch`] gets one text over https.
//! Nothing here decides what is asked or what an answer is worth, reads the environment, or keeps a key anywhere but
//! in memory.

mod fetch;
mod hub;
pub mod model;
mod trusted;
mod wire;

pub use fetch::{FetchError, Fetched, Reach, fetch};
pub use hub::{HubClient, HubReply};
pub use trusted::fetch_trusted;
