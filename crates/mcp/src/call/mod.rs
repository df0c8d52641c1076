//! One call of a tool: the way through the pipeline, what a caller is asked and told meanwhile, and the reply.

pub(crate) mod approval_form;
pub(crate) mod cursor;
pub(crate) mod elicit;
pub(crate) mod errors;
pub(crate) mod heartbeat;
mod pipeline;
pub(crate) mod place;
pub(crate) mod reply;
pub(crate) mod seal;
pub(crate) mod tasks;
pub(crate) mod together;
