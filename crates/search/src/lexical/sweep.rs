//! Files that no list names any more.
//!
//! tantivy removes what its list of files names and nothing lives of. What a process that died was writing, or another one took off
//! the list, is named nowhere and would stay for ever.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use tantivy::directory::{Directory as _, META_LOCK};
use tantivy::{Index, TantivyError};

/// Removes them. The caller is the only one who writes.
pub(super) fn remove_what_is_left(folder: &Path, index: &Index) -> Result<(), TantivyError> {
    // Whoever opens segments meanwhile holds it: theirs may be those of the commit before.
    let Ok(_held) = index.directory().acquire_lock(&META_LOCK) else { return Ok(()) };
    let living: HashSet<PathBuf> = index.load_metas()?.list_segment_files();
    for entry in fs_err::read_dir(folder)? {
        let name = entry?.file_name();
        if is_passing(&name) && !living.contains(Path::new(&name)) {
            // What cannot be removed now may be removed next time.
            let _ = fs_err::remove_file(folder.join(&name));
        }
    }
    Ok(())
}

/// Whether a file of a segment is called so, or one that is being written to take the place of another.
fn is_passing(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    let is_of_segment = name
        .split_first_chunk::<32>()
        .is_some_and(|(id, rest)| id.iter().all(u8::is_ascii_hexdigit) && rest.first() == Some(&b'.'));
    is_of_segment || name.starts_with(b".tmp")
}
