//! The pages: plain functions from the engine's views to HTML. Whoever has the views can render them.

mod about;
mod board;
mod comment_box;
mod decisions;
mod doors;
mod drawing;
mod graph;
mod health;
mod operations;
mod parts;
mod proof;
mod requirement;
mod review;
mod specs;
mod trouble;
mod verdict;

pub use crate::frame::page;
pub use board::board;
pub use comment_box::ReviewQuery;
pub use decisions::{decision, decisions};
pub use doors::{home, login};
pub use graph::graph;
pub use health::health;
pub use operations::{operation, operations};
pub use proof::proof;
pub use requirement::{requirement, spec};
pub use review::review;
pub use specs::{found, specs};
pub use trouble::{Trouble, bare, not_done, outside, trouble};
pub use verdict::stale;
