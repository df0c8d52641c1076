//! The workspace graph (seed 002): every artifact hewto knows, and how they hang together.

mod describe;

pub use describe::describe;
