//! The last look of a server at its tree, which counts as long as nothing happens in the folders that it saw.
//!
//! Only whoever just wants to know is answered from it. Gates and runs look themselves: what is written through a map of memory
//! shows in no watch.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hewto_store::TreeWatcher;

use super::survey::Found;
use crate::error::Result;

/// What is remembered, for one question.
#[derive(Debug, Default)]
pub(crate) struct Walks {
    kept: Mutex<Option<Kept>>,
    count: AtomicU64,
}

#[derive(Debug)]
struct Kept {
    key: String,
    number: u64,
    quiet: Arc<TreeWatcher>,
    around: Vec<FileStamp>,
    found: Found,
}

/// Inode, size and times of a file; nothing where there is none.
type FileStamp = Option<(u64, u64, i64, i64, i64, i64)>;

impl Walks {
    /// What was found last for this question, or what a look finds now.
    pub(crate) fn recall(
        &self,
        root: &Path,
        key: &str,
        look: impl FnOnce(Option<&Arc<TreeWatcher>>) -> Result<Found>,
    ) -> Result<Found> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(around) = around(root) else { return look(None) };
        if let Some(known) = kept.as_ref()
            && known.key == key
            && known.around == around
            && known.quiet.holds()
        {
            return Ok(known.found.clone());
        }
        *kept = None;
        let Some(quiet) = TreeWatcher::start(root).map(Arc::new) else { return look(None) };
        let found = look(Some(&quiet))?;
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        *kept = Some(Kept { key: key.to_owned(), number, quiet, around, found: found.clone() });
        Ok(found)
    }

    /// The number of the look that would answer this question now, if there is one.
    pub(crate) fn last(&self, root: &Path, key: &str) -> Option<u64> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let around = around(root)?;
        let known = kept.as_ref().filter(|known| known.key == key && known.around == around)?;
        known.quiet.holds().then_some(known.number)
    }
}

/// What decides beside the tree itself which files are part of it: what git keeps, and what is ignored above. `None` where the
/// folder of git is elsewhere.
fn around(root: &Path) -> Option<Vec<FileStamp>> {
    if root.join(".git").is_file() {
        return None;
    }
    let files = root.ancestors().enumerate().flat_map(|(above, folder)| {
        // The root's own is in a folder that is watched.
        let ignored = (above > 0).then(|| folder.join(".gitignore"));
        [".git/info/exclude", ".git/index"].map(|name| folder.join(name)).into_iter().chain(ignored)
    });
    let stamp = |file: std::path::PathBuf| {
        let of = file.symlink_metadata().ok()?;
        Some((of.ino(), of.size(), of.mtime(), of.mtime_nsec(), of.ctime(), of.ctime_nsec()))
    };
    Some(files.map(stamp).collect())
}
