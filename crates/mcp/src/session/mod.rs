//! What lasts longer than a call: what a client agreed on, and what it hears without asking.

pub(crate) mod client_log;
pub(crate) mod feed;
mod legacy;
pub(crate) mod subscription;

pub(crate) use legacy::Session;
