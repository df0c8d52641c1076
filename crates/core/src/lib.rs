//! The thinking part of hewto: ids, nouns, the document reader, the lifecycle, dependencies and rules.
//!
//! Nothing here touches a file, a clock, a thread or the environment: text and values come in, values and text
//! go out. Reading a document never fails; it gives what could be read together with [`diagnostic::Diagnostic`]s.

pub mod adopt;
pub mod archive;
pub mod artifact;
pub mod change;
pub mod check;
pub mod claim;
pub mod config;
pub mod decision;
pub mod delta;
pub mod diagnostic;
pub mod document;
pub mod failure;
pub mod graph;
pub mod hub;
pub mod id;
pub mod import;
pub mod interrupt;
pub mod lifecycle;
pub mod merge;
pub mod near;
mod order;
mod outline;
pub mod overlap;
pub mod page;
pub mod plan;
pub mod proof;
pub mod rate;
pub mod requirement;
pub mod review;
pub mod rules;
pub mod schema;
pub mod semantic_diff;
pub mod spec;
pub mod state;
pub mod tasks;
pub mod template;
pub mod visible;
pub mod workspace_graph;
