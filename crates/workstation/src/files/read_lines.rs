//! Reads some lines of a file without holding more of it than is shown.
//!
//! A file may have one line of four gigabytes: what does not fit is counted or skipped, never kept.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt as _;

use memchr::{memchr, memchr_iter, memrchr};

use crate::call::Call;
use crate::error::{Error, Result};

const BLOCK: usize = 64 * 1024;

/// Whether the whole file is walked to learn how many lines it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Count {
    All,
    Stop,
}

/// Some bytes of a file and where they stand in it.
#[derive(Debug)]
pub(crate) struct Window {
    pub(crate) bytes: Vec<u8>,
    /// The number of the first line in it, where it is known.
    pub(crate) first_line: Option<u64>,
    /// How many lines the file has, where the whole of it was walked.
    pub(crate) total_lines: Option<u64>,
    /// Whether lines that were asked for did not fit.
    pub(crate) cut: bool,
}

/// The lines `first..=last`, at most `cap` bytes of them.
pub(crate) fn forward(
    file: &mut impl Read,
    first: u64,
    last: Option<u64>,
    cap: usize,
    count: Count,
    shown: &str,
    call: &Call<'_>,
) -> Result<Window> {
    let mut block = vec![0; BLOCK];
    let mut bytes = Vec::new();
    let mut line: u64 = 1;
    let mut cut = false;
    let mut ends_with_newline = true;
    let mut reached_the_end = false;
    let mut wants_more = true;
    loop {
        call.check()?;
        let read = file.read(&mut block).map_err(|error| Error::io("read", shown, error))?;
        if read == 0 {
            reached_the_end = true;
            break;
        }
        ends_with_newline = block[read - 1] == b'\n';
        let mut rest = &block[..read];
        while wants_more && !rest.is_empty() {
            let end = memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            if line >= first {
                if bytes.len() + end > cap {
                    let fits = cap - bytes.len();
                    bytes.extend_from_slice(&rest[..fits]);
                    cut = true;
                    wants_more = false;
                    break;
                }
                bytes.extend_from_slice(&rest[..end]);
            }
            if rest[end - 1] == b'\n' {
                line += 1;
                wants_more = last.is_none_or(|last| line <= last);
            }
            rest = &rest[end..];
        }
        if !wants_more {
            if count == Count::Stop {
                break;
            }
            line += memchr_iter(b'\n', rest).count() as u64;
        }
    }
    // `line` is the number of the line after the last newline; that line exists when something stands on it.
    let total_lines = reached_the_end.then(|| line - u64::from(ends_with_newline));
    Ok(Window { bytes, first_line: Some(first), total_lines, cut })
}

/// The last `lines` lines, at most `cap` bytes of them.
pub(crate) fn backward(
    file: &File,
    size: u64,
    lines: u64,
    cap: usize,
    shown: &str,
    call: &Call<'_>,
) -> Result<Window> {
    let mut start = size;
    let mut found: u64 = 0;
    let mut tail: Vec<u8> = Vec::new();
    let mut cut = false;
    'blocks: while start > 0 {
        call.check()?;
        let step = start.min(BLOCK as u64);
        start -= step;
        let mut block = vec![0; usize::try_from(step).unwrap_or(BLOCK)];
        file.read_exact_at(&mut block, start).map_err(|error| Error::io("read", shown, error))?;
        let at_the_end = tail.is_empty();
        // The newline at the very end closes the last line; it does not begin another.
        let mut end = block.len() - usize::from(at_the_end && block.last() == Some(&b'\n'));
        while let Some(at) = memrchr(b'\n', &block[..end]) {
            found += 1;
            if found == lines {
                block.drain(..=at);
                block.append(&mut tail);
                tail = block;
                break 'blocks;
            }
            end = at;
        }
        block.append(&mut tail);
        tail = block;
        if tail.len() > cap && start > 0 {
            cut = true;
            break;
        }
    }
    if tail.len() > cap {
        cut = true;
        tail.drain(..tail.len() - cap);
    }
    Ok(Window { bytes: tail, first_line: None, total_lines: None, cut })
}

/// How many lines a file has.
pub(crate) fn count_lines(file: &mut impl Read, shown: &str, call: &Call<'_>) -> Result<u64> {
    let window = forward(file, u64::MAX, None, 0, Count::All, shown, call)?;
    Ok(window.total_lines.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use std::io::{Seek as _, Write as _};

    use proptest::prelude::*;

    use super::*;

    fn file_of(text: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text).unwrap();
        file.rewind().unwrap();
        file
    }

    fn lines_of(text: &[u8]) -> Vec<&[u8]> {
        text.split_inclusive(|byte| *byte == b'\n').collect()
    }

    proptest! {
        #[test]
        fn a_range_is_the_lines_with_these_numbers(text in "[ab\n]{0,60}", first in 1_u64..8, span in 0_u64..5) {
            let lines = lines_of(text.as_bytes());
            let call = Call::unbounded();
            let last = first + span;
            let window =
                forward(&mut file_of(text.as_bytes()), first, Some(last), 1000, Count::All, "f", &call).unwrap();
            let expected: Vec<u8> = lines
                .iter()
                .zip(1_u64..)
                .filter(|(_, number)| (first..=last).contains(number))
                .flat_map(|(line, _)| line.iter().copied())
                .collect();
            prop_assert_eq!(window.bytes, expected);
            prop_assert_eq!(window.total_lines, Some(lines.len() as u64));
        }

        #[test]
        fn the_tail_is_the_last_lines(text in "[ab\n]{0,60}", wanted in 1_u64..8) {
            let lines = lines_of(text.as_bytes());
            let from = lines.len().saturating_sub(usize::try_from(wanted).unwrap());
            let file = file_of(text.as_bytes());
            let window = backward(&file, text.len() as u64, wanted, 1000, "f", &Call::unbounded()).unwrap();
            prop_assert_eq!(window.bytes, lines[from..].concat());
        }
    }

    #[test]
    fn the_tail_crosses_blocks() {
        let text = (0..40_000).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n") + "\n";
        let file = file_of(text.as_bytes());
        let window = backward(&file, text.len() as u64, 20_000, 1 << 20, "f", &Call::unbounded()).unwrap();
        assert!(window.bytes.starts_with(b"line 20000\n"));
        assert_eq!(memchr_iter(b'\n', &window.bytes).count(), 20_000);
    }

    #[test]
    fn what_does_not_fit_is_cut_from_the_far_side() {
        let call = Call::unbounded();
        let head = forward(&mut file_of(b"abcdef\ng\n"), 1, None, 3, Count::All, "f", &call).unwrap();
        assert_eq!((head.bytes.as_slice(), head.cut, head.total_lines), (b"abc".as_slice(), true, Some(2)));
        let tail = backward(&file_of(b"a\nbcdef\n"), 8, 2, 3, "f", &call).unwrap();
        assert_eq!((tail.bytes.as_slice(), tail.cut), (b"ef\n".as_slice(), true));
    }
}
