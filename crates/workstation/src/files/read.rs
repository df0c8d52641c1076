//! `fs_read`: a file, or some lines of it, as text; an image or a sound as what it is.

use std::io::{Read as _, Seek as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fit::fit;
use super::lines::Lines;
use super::media::{MediaKind, MediaView, media_of};
use super::read_lines::{Count, Window, backward, count_lines, forward};
use super::text::{LineEnds, SNIFF_BYTES, is_binary, without_bom};
use crate::call::Call;
use crate::confine::OpenFile;
use crate::error::{Action, Error, Key, Result};
use crate::page::budget;
use crate::station::Workstation;

/// What to read.
#[derive(Debug, Clone)]
pub struct Read {
    pub path: String,
    pub lines: Lines,
    pub form: Form,
    /// Whether each line begins with its number.
    pub line_numbers: bool,
    pub max_chars: Option<usize>,
}

/// As what to read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Text as text, images and sounds as such; other binaries are refused.
    Auto,
    Text,
    /// Whatever it is, as encoded bytes.
    Media,
}

/// Whether the text is exactly the bytes of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Encoding {
    #[serde(rename = "utf-8")]
    Utf8,
    /// Not UTF-8: bytes that are no text are written as `\xNN`
    #[serde(rename = "bytes")]
    Bytes,
}

/// A file, or a part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadView {
    pub path: String,
    /// The text, without the byte order mark; absent for images, sounds and other binaries
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub content: Option<String>,
    /// Bytes in the file
    pub size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub encoding: Option<Encoding>,
    /// Whether the file begins with a byte order mark
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub bom: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub line_ends: Option<LineEnds>,
    /// The first line in `content`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub start_line: Option<u64>,
    /// The last line in `content`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub end_line: Option<u64>,
    /// Lines in the file; absent for very large files
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub total_lines: Option<u64>,
    /// Whether some of what was asked for is left out
    pub truncated: bool,
    /// How to get what was left out
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub media: Option<MediaView>,
}

/// The view, and the bytes of an image or sound in base64, which travel in a block of their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadOutcome {
    #[serde(flatten)]
    pub view: ReadView,
    #[serde(skip)]
    pub data: Option<String>,
}

/// Reads a file.
pub fn read(station: &Workstation, call: &Call<'_>, request: &Read) -> Result<ReadOutcome> {
    let lines = request.lines.checked()?;
    let wanted = station.roots().wanted("path", &request.path)?;
    let mut open = station.roots().open_file(&wanted)?;
    let shown = wanted.shown.as_str();
    let mut head = vec![0; SNIFF_BYTES];
    let mut filled = 0;
    loop {
        let read = open.file.read(&mut head[filled..]).map_err(|error| Error::io("read", shown, error))?;
        filled += read;
        if read == 0 || filled == head.len() {
            break;
        }
    }
    head.truncate(filled);
    let binary = is_binary(&head);
    let media = media_of(&head);
    let as_media = match request.form {
        Form::Media => true,
        Form::Auto => media.kind != MediaKind::Binary && (binary || std::str::from_utf8(&head).is_err()),
        Form::Text => false,
    };
    if as_media {
        return read_media(station, call, open, media, shown);
    }
    if binary {
        return Err(binary_file(&open, &media, shown));
    }
    let limits = station.limits();
    let small = open.size() <= limits.whole_file_bytes;
    if lines == Lines::All && !small {
        return Err(too_large(&open, limits.whole_file_bytes, shown)
            .hint("read a part of it: `head`, `tail`, or `start_line` and `end_line`"));
    }
    let count = if small { Count::All } else { Count::Stop };
    let budget = budget(request.max_chars);
    // No character takes more than four bytes, so this many bytes fill the budget.
    let cap = budget * 4 + 4;
    // What was read to judge the file is not read again.
    let mut text = head.as_slice().chain(&open.file);
    let window = match lines {
        Lines::All => forward(&mut text, 1, None, cap, count, shown, call)?,
        Lines::Head(n) => forward(&mut text, 1, Some(n), cap, count, shown, call)?,
        Lines::Range { start, end } => {
            let window = forward(&mut text, start, end, cap, count, shown, call)?;
            refuse_beyond_the_end(start, &window)?;
            window
        }
        Lines::Tail(n) => {
            let mut window = backward(&open.file, open.size(), n, cap, shown, call)?;
            if small {
                window.total_lines = Some(count_lines(&mut text, shown, call)?);
            }
            window
        }
    };
    let ends = LineEnds::of(&window.bytes);
    let (_, bom) = without_bom(&head);
    let fitted = fit(window, matches!(lines, Lines::Tail(_)), request.line_numbers, budget);
    let view = ReadView {
        path: shown.to_owned(),
        note: fitted.note(lines),
        content: Some(fitted.text),
        size: open.size(),
        encoding: Some(if fitted.exact { Encoding::Utf8 } else { Encoding::Bytes }),
        bom,
        line_ends: Some(ends),
        start_line: fitted.first_line,
        end_line: fitted.last_line,
        total_lines: fitted.total_lines,
        truncated: fitted.cut,
        media: None,
    };
    Ok(ReadOutcome { view, data: None })
}

fn refuse_beyond_the_end(start: u64, window: &Window) -> Result<()> {
    match window.total_lines {
        Some(total) if start > total && start > 1 => {
            let expected = format!("a line from 1 to {total}");
            Err(Error::invalid_argument("start_line", &expected, format!("the file has {total} lines"))
                .detail("total_lines", total))
        }
        _ => Ok(()),
    }
}

fn read_media(
    station: &Workstation,
    call: &Call<'_>,
    mut open: OpenFile,
    media: MediaView,
    shown: &str,
) -> Result<ReadOutcome> {
    let most = station.limits().media_bytes;
    if open.size() > most {
        return Err(too_large(&open, most, shown));
    }
    call.check()?;
    open.file.rewind().map_err(|error| Error::io("read", shown, error))?;
    let mut bytes = Vec::with_capacity(usize::try_from(open.size()).unwrap_or(0));
    // The file may grow while it is read.
    (&mut open.file).take(most).read_to_end(&mut bytes).map_err(|error| Error::io("read", shown, error))?;
    let view = ReadView {
        path: shown.to_owned(),
        content: None,
        size: open.size(),
        encoding: None,
        bom: false,
        line_ends: None,
        start_line: None,
        end_line: None,
        total_lines: None,
        truncated: false,
        note: None,
        media: Some(media),
    };
    Ok(ReadOutcome { view, data: Some(STANDARD.encode(bytes)) })
}

fn binary_file(open: &OpenFile, media: &MediaView, shown: &str) -> Error {
    Error::refused(
        Key::BinaryFile,
        format!("`{shown}` is not text ({} bytes, {})", open.size(), media.mime_type),
    )
    .hint(
        Action::ShowFile
            .to("see its facts; images and sounds are read without `head`, `tail` or line numbers"),
    )
    .detail("path", shown)
    .detail("size", open.size())
    .detail("mime_type", media.mime_type.as_str())
}

pub(super) fn too_large(open: &OpenFile, most: u64, shown: &str) -> Error {
    let size = open.size();
    Error::refused(
        Key::FileTooLarge,
        format!("`{shown}` has {size} bytes, more than the {most} allowed here"),
    )
    .detail("path", shown)
    .detail("size", size)
    .detail("limit", most)
}
