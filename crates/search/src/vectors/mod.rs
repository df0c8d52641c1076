//! Vectors of passages: kept by the hash of their text, scanned one by one.
//!
//! A vector is 8-bit integers with one factor. Scanning a hundred thousand of them takes a few milliseconds, so there
//! is no approximate index to build, tune or go stale. [`Vectors`] holds them in memory, `file` on disk.

mod file;
mod quantized;
mod table;

pub(crate) use file::{News, VectorFile};
pub(crate) use quantized::Quantized;
pub(crate) use table::Vectors;
