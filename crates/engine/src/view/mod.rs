//! What use cases answer: plain serialisable data, shared by the tools and `--json`.
//!
//! Field names here are a public contract; the seeds' names win wherever a seed has one.

mod board;
mod change;
mod check;
mod claim;
mod clarify;
mod compact;
mod dashboard;
mod decision;
mod graph;
mod import;
mod lifecycle;
mod metadata;
mod overview;
mod proof;
mod proof_run;
mod requirement;
mod review;
mod review_page;
mod search;
mod spec;
mod template;
mod trust;
mod work;

pub use hewto_core::page::Page;

pub use board::*;
pub use change::*;
pub use check::*;
pub use claim::*;
pub use clarify::*;
pub use dashboard::*;
pub use decision::*;
pub use graph::*;
pub use import::*;
pub use lifecycle::*;
pub use metadata::*;
pub use overview::*;
pub use proof::*;
pub use proof_run::*;
pub use requirement::*;
pub use review::*;
pub use review_page::*;
pub use search::*;
pub use spec::*;
pub use template::*;
pub use trust::*;
pub use work::*;
