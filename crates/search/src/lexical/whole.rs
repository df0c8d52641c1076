//! Whether the files of a word index are as they were written.

use tantivy::directory::Directory as _;
use tantivy::directory::footer::Footer;
use tantivy::{HasLen as _, Index, TantivyError};

use super::directory::ReadDirectory;

/// So much of a file is read at once.
const PIECE: usize = 1 << 16;

/// Whether each file has the checksum that it ends with. tantivy's own look holds every file whole: megabytes that are given back at
/// once, and that the allocator keeps for whoever wants as many again.
pub(super) fn is_whole(index: &Index, directory: &ReadDirectory) -> Result<bool, TantivyError> {
    let known = index.directory().list_managed_files();
    for file in index.load_metas()?.list_segment_files().intersection(&known) {
        let (footer, body) = Footer::extract_footer(directory.open_read(file)?)?;
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
