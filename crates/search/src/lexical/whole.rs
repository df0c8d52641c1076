//! Whether the files of a word index are as they were written.

use tantivy::directory::Directory as _;
use tantivy::directory::error::OpenReadError;
use tantivy::directory::footer::Footer;
use tantivy::{HasLen, Index, TantivyError};

use super::directory::ReadDirectory;

/// So much of a file is read at once.
const PIECE: usize = 1 << 16;

/// Whether each file has the checksum that it ends with, if all of them together have no more bytes than `most`. tantivy's own look
/// holds every file whole: megabytes that are given back at once, and that the allocator keeps for whoever wants as many again. It also
/// passes over files that its list of those it manages lacks, which may well be live.
pub(super) fn is_whole(index: &Index, directory: &ReadDirectory, most: usize) -> Result<bool, TantivyError> {
    let mut files = Vec::new();
    for file in index.load_metas()?.list_segment_files() {
        match directory.open_read(&file) {
            // A segment names more kinds of files than it has; one that it needs is missed when it is opened.
            Err(OpenReadError::FileDoesNotExist(_)) => {}
            opened => files.push(opened?),
        }
    }
    if files.iter().map(HasLen::len).sum::<usize>() > most {
        return Ok(true);
    }
    for file in files {
        let (footer, body) = Footer::extract_footer(file)?;
        let mut sum = crc32fast::Hasher::new();
        for from in (0..body.len()).step_by(PIECE) {
            sum.update(&body.read_bytes_slice(from..body.len().min(from + PIECE))?);
        }
        if sum.finalize() != footer.crc {
            return Ok(false);
        }
    }
    Ok(true)
}
