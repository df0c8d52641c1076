//! Talks to other machines: the only crate with an HTTP client.
//!
//! Today that is [`model`]: one question to a language model, as one forced tool call. Nothing here decides what is
//! asked or what an answer is worth, reads the environment, or keeps a key anywhere but in memory.

pub mod model;
