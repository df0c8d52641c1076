//! `hewto log`.
