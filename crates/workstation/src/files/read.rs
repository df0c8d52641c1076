//! `fs_read`: a file, or some lines of it, as text; an image or a sound as what it is.

use std::fmt::Write as _;
use std::io::{Read as _, Seek as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::media::{MediaKind, MediaView, media_of};
use super::read_lines::{Count, Window, backward, count_lines, forward};
use super::text::{LineEnds, SNIFF_BYTES, is_binary, without_bom};
use crate::call::Call;
use crate::confine::OpenFile;
use crate::error::{Error, Result};
use crate::page::budget;
use crate::show::{beginning, ending, json_chars, show_bytes};
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

/// Which lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    All,
    Head(u64),
    Tail(u64),
    /// From 1, both ends included.
    Range {
        start: u64,
        end: Option<u64>,
    },
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

impl Lines {
    /// The lines that a call names in one of three ways.
    pub fn named(
        head: Option<u64>,
        tail: Option<u64>,
        start_line: Option<u64>,
        end_line: Option<u64>,
    ) -> Result<Self> {
        let range = start_line.is_some() || end_line.is_some();
        match (head, tail, range) {
            (None, None, false) => Ok(Self::All),
            (Some(count), None, false) => Ok(Self::Head(count)),
            (None, Some(count), false) => Ok(Self::Tail(count)),
            (None, None, true) => Ok(Self::Range { start: start_line.unwrap_or(1), end: end_line }),
            _ => Err(Error::invalid_argument(
                if tail.is_some() { "tail" } else { "head" },
                "one of `head`, `tail`, or `start_line` with `end_line`",
                "`head`, `tail` and a line range exclude each other",
            )),
        }
    }

    fn checked(self) -> Result<Self> {
        let at_least_one = |field: &str, value: u64| {
            if value == 0 {
                let expected = "a number from 1";
                Err(Error::invalid_argument(field, expected, format!("`{field}` counts from 1")))
            } else {
                Ok(())
            }
        };
        match self {
            Self::All => {}
            Self::Head(n) => at_least_one("head", n)?,
            Self::Tail(n) => at_least_one("tail", n)?,
            Self::Range { start, end } => {
                at_least_one("start_line", start)?;
                if end.is_some_and(|end| end < start) {
                    let expected = "a line not before `start_line`";
                    return Err(Error::invalid_argument(
                        "end_line",
                        expected,
                        "`end_line` is before `start_line`",
                    ));
                }
            }
        }
        Ok(self)
    }
}

/// The lines of a window that fit into the budget.
struct Fitted {
    text: String,
    exact: bool,
    first_line: Option<u64>,
    last_line: Option<u64>,
    total_lines: Option<u64>,
    cut: bool,
    /// Whether the only line shown is itself cut.
    within_a_line: bool,
}

fn fit(window: Window, from_the_end: bool, line_numbers: bool, budget: usize) -> Fitted {
    let Window { bytes, first_line, total_lines, mut cut } = window;
    let at_the_start = first_line.is_none_or(|first| first == 1);
    let bytes = if at_the_start { without_bom(&bytes).0 } else { &bytes };
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let count = lines.len() as u64;
    // The tail knows where it ends, the others where they begin.
    let first = first_line.or_else(|| total_lines.map(|total| total + 1 - count.min(total)));
    let mut exact = true;
    let mut show = |index: u64, line: &[u8]| {
        let shown = show_bytes(line);
        exact &= shown.exact;
        match first {
            Some(first) if line_numbers => format!("{:>6}\t{}", first + index, shown.text),
            _ => shown.text,
        }
    };
    let mut taken: Vec<String> = Vec::new();
    let mut used = 0;
    let mut within_a_line = false;
    let numbered: Vec<(u64, &[u8])> = (0..).zip(lines.iter().copied()).collect();
    let order: Box<dyn Iterator<Item = &(u64, &[u8])>> =
        if from_the_end { Box::new(numbered.iter().rev()) } else { Box::new(numbered.iter()) };
    for (index, line) in order {
        let text = show(*index, line);
        let cost = json_chars(&text);
        if used + cost > budget {
            cut = true;
            if taken.is_empty() {
                within_a_line = true;
                let part = if from_the_end { ending(&text, budget) } else { beginning(&text, budget) };
                taken.push(part.to_owned());
            }
            break;
        }
        used += cost;
        taken.push(text);
    }
    let shown = taken.len() as u64;
    if from_the_end {
        taken.reverse();
    }
    let first = if from_the_end { first.map(|first| first + count - shown) } else { first };
    Fitted {
        text: taken.concat(),
        exact,
        first_line: first.filter(|_| shown > 0),
        last_line: first.filter(|_| shown > 0).map(|first| first + shown - 1),
        total_lines,
        cut,
        within_a_line,
    }
}

impl Fitted {
    fn note(&self, lines: Lines) -> Option<String> {
        if !self.cut {
            return None;
        }
        let mut note = String::new();
        if self.within_a_line {
            note.push_str("a line is too long to be shown whole; ask for more with `max_chars`");
        } else if matches!(lines, Lines::Tail(_)) {
            note.push_str("earlier lines are left out; ask for more with `max_chars`");
        } else if let Some(last) = self.last_line {
            let _ = write!(note, "go on with `start_line`: {}, or ask for more with `max_chars`", last + 1);
        }
        Some(note)
    }
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
        "binary_file",
        format!("`{shown}` is no text ({} bytes, {})", open.size(), media.mime_type),
    )
    .hint("call `fs_info` for its facts; images and sounds are read without `head`, `tail` or line numbers")
    .detail("path", shown)
    .detail("size", open.size())
    .detail("mime_type", media.mime_type.as_str())
}

pub(super) fn too_large(open: &OpenFile, most: u64, shown: &str) -> Error {
    let size = open.size();
    Error::refused("file_too_large", format!("`{shown}` has {size} bytes, more than the {most} allowed here"))
        .detail("path", shown)
        .detail("size", size)
        .detail("limit", most)
}
