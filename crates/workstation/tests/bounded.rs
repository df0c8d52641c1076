//! Memory bounds.
