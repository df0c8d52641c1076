//! Vectors of passages: kept by the hash of their text, scanned one by one.
//!
//! A vector is 8-bit integers with one factor. Scanning a hundred thousand of them takes a few milliseconds, so there
//! is no approximate index to build, tune or go stale. [`Vectors`] holds them in memory, `file` on disk; the tokens of texts lie
//! in a file beside it (`token_file`) and are read when somebody asks for them.

mod checksum;
mod file;
mod quantized;
mod table;
mod token_file;

pub(crate) use checksum::checksum;
pub(crate) use file::{Made, News, VectorFile};
pub(crate) use quantized::{Quantized, dots};
pub(crate) use table::Vectors;
pub(crate) use token_file::{Place, TokenStore};
