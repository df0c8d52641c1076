//! Which line a byte is on. Lines end with `\n`, as editors and compilers count them.

/// Where the lines of a text begin.
#[derive(Debug)]
pub(super) struct LineIndex {
    starts: Vec<usize>,
}

impl LineIndex {
    pub(super) fn new(text: &str) -> Self {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self { starts: std::iter::once(0).chain(newlines.map(|(at, _)| at + 1)).collect() }
    }

    /// The 1-based line of a byte.
    pub(super) fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }
}

/// The 1-based line of a byte of a text. For one question; a [`super::Document`] answers many.
pub fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}
