//! Clarification and decision records (seed 003, Preflights): what to ask, what was decided, what to write down.
//!
//! An [`interview`] turns an intention and answers into questions or an [`interview::Outcome`]; [`compose`] turns
//! an outcome into the documents of [`record`]. All of it is values in and values out: sessions, files, clocks
//! and models belong to the engine.

pub mod answer;
pub mod architecture;
pub mod brought;
pub mod catalogue;
pub mod compose;
pub mod derive;
pub mod intent;
pub mod interview;
pub mod link;
pub mod model;
pub mod question;
pub mod record;
mod relevance;
pub mod scenario;
pub mod sign;
pub mod signal;
pub mod text;
pub mod trigger;
pub mod uid;
mod words;
