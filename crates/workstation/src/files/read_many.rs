//! `fs_read_many`: several files in one answer. One that cannot be read does not spoil the others.

use hewto_core::schema::unstated;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::lines::Lines;
use super::read::{Form, Read, ReadOutcome, ReadView, read};
use crate::call::Call;
use crate::error::{Error, Key, Result};
use crate::page::budget;
use crate::show::json_chars;
use crate::station::Workstation;

/// The most files in one call.
const MAX_FILES: usize = 100;
/// What each file costs beside its text.
const FILE_CHARS: usize = 300;

/// Which files to read.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadMany {
    #[schemars(length(min = 1))]
    pub paths: Vec<String>,
    /// Begin each line with its number
    #[serde(default)]
    #[schemars(skip_serializing_if = "unstated")]
    pub line_numbers: bool,
    #[schemars(range(min = 1000, max = 2_000_000))]
    pub max_chars: Option<usize>,
}

/// One of several files: what was read, or why not.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ReadOneView {
    Read(Box<ReadView>),
    Failed {
        path: String,
        /// Stable name of the failure
        error: String,
        message: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(default)]
        hint: Option<String>,
    },
}

/// Several files.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ReadManyView {
    pub files: Vec<ReadOneView>,
    /// How many could not be read
    pub failed: usize,
    /// Paths that were left out because the answer is full; read them in another call
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub left_out: Vec<String>,
}

/// The view, and the images and sounds in base64 with the index of their file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ReadManyOutcome {
    #[serde(flatten)]
    pub view: ReadManyView,
    #[serde(skip)]
    pub data: Vec<(usize, String)>,
}

/// Reads several files.
pub fn read_many(station: &Workstation, call: &Call<'_>, request: &ReadMany) -> Result<ReadManyOutcome> {
    if request.paths.is_empty() || request.paths.len() > MAX_FILES {
        let expected = format!("1 to {MAX_FILES} paths");
        let message = format!("{} paths are given", request.paths.len());
        return Err(Error::invalid_argument("paths", &expected, message));
    }
    let mut left = budget(request.max_chars);
    let mut files = Vec::new();
    let mut data = Vec::new();
    let mut failed = 0;
    let mut left_out = Vec::new();
    for (index, path) in request.paths.iter().enumerate() {
        call.check()?;
        if left < 2 * FILE_CHARS && index > 0 {
            left_out.push(path.clone());
            continue;
        }
        let one = Read {
            path: path.clone(),
            lines: Lines::All,
            form: Form::Auto,
            line_numbers: request.line_numbers,
            max_chars: Some(left.saturating_sub(FILE_CHARS)),
        };
        match read(station, call, &one) {
            Ok(ReadOutcome { view, data: bytes }) => {
                left = left.saturating_sub(view.content.as_deref().map_or(0, json_chars) + FILE_CHARS);
                data.extend(bytes.map(|bytes| (files.len(), bytes)));
                files.push(ReadOneView::Read(Box::new(view)));
            }
            Err(error) if matches!(error.key, Key::Timeout | Key::Cancelled) => return Err(error),
            Err(error) => {
                failed += 1;
                left = left.saturating_sub(FILE_CHARS);
                files.push(ReadOneView::failed(path, &error));
            }
        }
    }
    Ok(ReadManyOutcome { view: ReadManyView { files, failed, left_out }, data })
}

impl ReadOneView {
    fn failed(path: &str, error: &Error) -> Self {
        let near = error.details.get("near").and_then(Value::as_array).map(Vec::len);
        // A hint that names neighbours helps; the others would repeat for each file.
        let hint = error.hint.as_ref().filter(|_| near.is_some()).map(ToString::to_string);
        Self::Failed {
            path: path.to_owned(),
            error: error.key.as_str().to_owned(),
            message: error.full_message(),
            hint,
        }
    }
}
