//! The small files beside the specs: links that no file can carry, renamed promises, known debt, what people let pass.
//!
//! Reading never fails: what cannot be understood is a [`Fault`] with its line and counts for nothing. Each file is
//! written whole, sorted, one entry a line, so that two branches rarely meet in it.

mod accepted;
mod aliases;
mod baseline;
mod sidecar;
mod waivers;

use std::ops::Range;

pub use accepted::AcceptedFile;
pub use aliases::{Alias, Aliases};
pub use baseline::Baseline;
pub use sidecar::{Sidecar, SidecarEntry, SidecarTarget};
pub use waivers::{WaiverEntry, Waivers};

use crate::document::line_of;

/// Something in one of these files that counts for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub line: u32,
    pub message: String,
}

impl Fault {
    fn at(text: &str, span: Option<Range<usize>>, message: impl Into<String>) -> Self {
        let offset = span.map_or(0, |span| span.start).min(text.len());
        Self { line: u32::try_from(line_of(text, offset)).unwrap_or(u32::MAX), message: message.into() }
    }
}

/// The tables of `[[name]]`, or why there are none.
fn tables(text: &str, name: &str) -> Result<Vec<toml_edit::Table>, Fault> {
    let document = parse(text)?;
    match document.get(name) {
        None => Ok(Vec::new()),
        Some(item) => match item.as_array_of_tables() {
            Some(tables) => Ok(tables.iter().cloned().collect()),
            None => {
                Err(Fault::at(text, item.span(), format!("`{name}` is not a list of tables (`[[{name}]]`)")))
            }
        },
    }
}

fn parse(text: &str) -> Result<toml_edit::Document<&str>, Fault> {
    toml_edit::Document::parse(text).map_err(|error| {
        let message = error.message().lines().next().unwrap_or("it is not TOML").to_owned();
        Fault::at(text, error.span(), message)
    })
}

/// A value of a table as text.
fn word<'t>(table: &'t toml_edit::Table, key: &str) -> Option<&'t str> {
    table.get(key)?.as_str()
}

/// A text as a TOML string.
fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}
