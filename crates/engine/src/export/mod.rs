//! Leaving with everything: specs, changes, decisions and what proves them, in formats that others read.
//!
//! `collect` reads the workspace once; each format is a function from that to files.

mod collect;
mod csv;
mod html;
mod json;
mod markdown;
mod openspec;

use std::path::Path;

use hewto_store::{Context, OutboxError, write_out};

use self::collect::Collected;
use crate::error::{Error, Result};
use crate::view::ExportView;
use crate::workspace::Workspace;

/// The names of the formats.
pub const FORMATS: [&str; 5] = ["openspec", "markdown", "json", "csv", "html"];

/// Whether one text is wanted, or a folder of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    One,
    Tree,
}

/// An export before it is written: paths and texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exported {
    pub format: String,
    pub files: Vec<(String, String)>,
    /// What the format cannot carry, or its own tool will object to.
    pub left_out: Vec<String>,
}

/// Makes the texts of an export.
pub fn export(ws: &Workspace, ctx: &Context, format: &str, shape: Shape) -> Result<Exported> {
    let render: fn(&Collected, Shape) -> Vec<(String, String)> = match format {
        "openspec" if shape == Shape::One => {
            return Err(Error::invalid_argument("path", "a folder", "OpenSpec is a tree of files")
                .hint("name a folder: `hewto export openspec FOLDER`"));
        }
        "openspec" => openspec::render,
        "markdown" => markdown::render,
        "json" => json::render,
        "csv" => csv::render,
        "html" => html::render,
        other => {
            return Err(Error::invalid_argument("format", "a format", format!("`{other}` is not a format"))
                .hint(format!("use one of {}", FORMATS.join(", "))));
        }
    };
    let mut collected = collect::collect(ws, ctx)?;
    let files = render(&collected, shape);
    let mut left_out = std::mem::take(&mut collected.unreadable);
    if format == "openspec" {
        left_out.extend(openspec::objections(&collected));
    }
    left_out.extend(left_behind(&collected, format, shape));
    Ok(Exported { format: format.to_owned(), files, left_out })
}

/// What stays behind, whatever the format: a few lines, by kind.
fn left_behind(all: &Collected, format: &str, shape: Shape) -> Vec<String> {
    let mut told = Vec::new();
    if !all.records.is_empty() {
        let names: Vec<&str> = all.records.iter().map(String::as_str).take(3).collect();
        let more = if all.records.len() > 3 { " …" } else { "" };
        told.push(format!(
            "records of proof and reviews stay behind, they mean something to hewto only: {}{more}",
            names.join(", ")
        ));
    }
    if format == "csv" && !all.documents.is_empty() {
        let names: Vec<&str> = all.documents.iter().map(|(path, _)| path.as_str()).take(3).collect();
        let more = if all.documents.len() > 3 { " …" } else { "" };
        told.push(format!("documents are not in it: {}{more}", names.join(", ")));
    }
    let has_more = !all.changes.is_empty() || !all.decisions.is_empty();
    if format == "csv" && shape == Shape::One && has_more {
        told.push("changes and decisions are not in it; name a folder to get a table of each".to_owned());
    }
    told
}

/// Writes an export below a folder, or its only text to a file.
pub fn write(exported: &Exported, path: &Path, shape: Shape, replace: bool) -> Result<ExportView> {
    let (folder, files): (&Path, Vec<(String, &str)>) =
        match (shape, exported.files.as_slice(), path.file_name()) {
            (Shape::One, [(_, text)], Some(name)) => {
                let folder =
                    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
                (folder, vec![(name.to_string_lossy().into_owned(), text.as_str())])
            }
            _ => (path, exported.files.iter().map(|(name, text)| (name.clone(), text.as_str())).collect()),
        };
    write_out(folder, &files, replace).map_err(|error| match error {
        OutboxError::Exists(file) => {
            Error::validation(format!("there is another file already: `{}`", folder.join(&file).display()))
                .detail("file", file.as_str())
                .hint("choose a new folder, or say `--force` to write over it")
        }
        OutboxError::Outside(error) => Error::validation(error.to_string()),
        OutboxError::File(error) => error.into(),
    })?;
    Ok(ExportView {
        format: exported.format.clone(),
        path: Some(path.display().to_string()),
        files: files.into_iter().map(|(name, _)| name).collect(),
        left_out: exported.left_out.clone(),
    })
}
