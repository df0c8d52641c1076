//! Folders that nobody needs any more: a thread of their own deletes them, one after the other, and nobody waits for it. What it
//! has not done when the process ends is found by the next one.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::mpsc::{Sender, channel};

static GONE: LazyLock<Sender<PathBuf>> = LazyLock::new(|| {
    let (sender, gone) = channel::<PathBuf>();
    let deleting = move || {
        for folder in gone {
            if let Err(error) = fs_err::remove_dir_all(&folder) {
                tracing::debug!(%error, "a folder that nobody needs is left");
            }
        }
    };
    if let Err(error) = std::thread::Builder::new().name("discard".to_owned()).spawn(deleting) {
        tracing::warn!(%error, "folders that nobody needs stay until the next start");
    }
    sender
});

/// Deletes a folder at some time; nobody may need it any more, or make another at its place.
pub(crate) fn discard(folder: PathBuf) {
    // Where there is no such thread the next process finds it.
    let _ = GONE.send(folder);
}
