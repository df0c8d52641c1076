//! What a server offers, and how it says so: options and profiles, instructions, completion, the reference.

pub(crate) mod completion;
pub(crate) mod instructions;
pub(crate) mod naming;
pub(crate) mod options;
#[cfg(test)]
mod reference;
