//! The lines of a file from its end to its beginning, without reading it whole.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

/// How much is read at a time.
const BLOCK: u64 = 64 * 1024;

#[derive(Debug)]
pub(super) struct LinesBackwards {
    file: File,
    /// Where the part that was read begins.
    start: u64,
    /// What was read and not yet given out.
    rest: Vec<u8>,
}

impl LinesBackwards {
    pub(super) fn new(file: File) -> io::Result<Self> {
        let start = file.metadata()?.len();
        Ok(Self { file, start, rest: Vec::new() })
    }

    /// The line before the last one that was given out, without its newline; empty lines are passed over.
    fn step(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut searched = 0;
        loop {
            let known = self.rest.len() - searched;
            if let Some(newline) = memchr::memrchr(b'\n', &self.rest[..known]) {
                let line = self.rest.split_off(newline + 1);
                self.rest.truncate(newline);
                searched = 0;
                if !line.is_empty() {
                    return Ok(Some(line));
                }
                continue;
            }
            if self.start == 0 {
                let line = std::mem::take(&mut self.rest);
                return Ok(if line.is_empty() { None } else { Some(line) });
            }
            searched = self.rest.len();
            self.read_block()?;
        }
    }

    fn read_block(&mut self) -> io::Result<()> {
        // As much again as is there already: a long line is not copied once for each of its blocks.
        let length = self.start.min(BLOCK.max(self.rest.len() as u64));
        let mut block = vec![0; usize::try_from(length).expect("a block fits into memory")];
        self.start -= length;
        self.file.read_exact_at(&mut block, self.start)?;
        block.append(&mut self.rest);
        self.rest = block;
        Ok(())
    }
}

impl Iterator for LinesBackwards {
    type Item = io::Result<Vec<u8>>;
    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn backwards(bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut file = tempfile::tempfile().unwrap();
        io::Write::write_all(&mut file, bytes).unwrap();
        LinesBackwards::new(file).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn lines_longer_than_a_block_are_whole() {
        let long = "x".repeat(200_000);
        let text = format!("a\n{long}\nb\n");
        assert_eq!(backwards(text.as_bytes()), [b"b".to_vec(), long.into_bytes(), b"a".to_vec()]);
        assert!(backwards(b"").is_empty());
        assert!(backwards(b"\n\n").is_empty());
    }

    proptest! {
        #[test]
        fn they_are_the_lines_in_reverse(lines in proptest::collection::vec("[a-z]{0,300}", 0..400), ends in any::<bool>()) {
            let mut text = lines.join("\n");
            if ends {
                text.push('\n');
            }
            let expected: Vec<Vec<u8>> =
                text.lines().rev().filter(|line| !line.is_empty()).map(|line| line.as_bytes().to_vec()).collect();
            prop_assert_eq!(backwards(text.as_bytes()), expected);
        }
    }
}
