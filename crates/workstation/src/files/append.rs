//! `fs_append`: text at the end of a file, so that a long file can be written in parts.

use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::os::unix::fs::FileExt as _;

use rustix::fs::{Mode, OFlags};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::copy::copy_bytes;
use super::stage::Staged;
use super::write::{Style, changed, refuse_change, replace, spot_to_write};
use crate::call::Call;
use crate::confine::{OpenFile, Spot, open_child_regular};
use crate::error::{Error, Result};
use crate::station::Workstation;

/// What to append.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Append {
    pub path: String,
    pub content: String,
}

/// A file that has grown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AppendView {
    pub path: String,
    /// Bytes in the file now
    pub size: u64,
    /// Bytes that were added
    pub added: u64,
    /// Whether the file is new
    pub created: bool,
}

/// Appends to a file, or makes it.
pub fn append(station: &Workstation, call: &Call<'_>, request: &Append) -> Result<AppendView> {
    let spot = spot_to_write(station, &request.path)?;
    let _turn = station.turns().take(&[&spot], call)?;
    let spot = spot.seen_again()?;
    let content = request.content.as_bytes();
    if spot.stat.is_none() {
        replace(&spot, content, None, call)?;
        let added = content.len() as u64;
        return Ok(AppendView { path: spot.shown, size: added, added, created: true });
    }
    let old = open_child_regular(&spot.folder, spot.name()?, &spot.shown)?;
    let addition = Style::of(&old, &spot.shown)?.apply_to_addition(content);
    // A hard link elsewhere must not grow with it.
    if old.stat.st_nlink > 1 {
        append_to_a_copy(&spot, &old, &addition, call)?;
    } else {
        call.commit()?;
        append_in_place(&spot, &addition)?;
    }
    let added = addition.len() as u64;
    Ok(AppendView { size: old.size() + added, path: spot.shown, added, created: false })
}

fn append_in_place(spot: &Spot, addition: &[u8]) -> Result<()> {
    let fail = |error: std::io::Error| Error::io("append to", &spot.shown, error);
    let flags = OFlags::RDWR | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let fd = rustix::fs::openat(&spot.folder, spot.name()?, flags, Mode::empty())
        .map_err(|error| fail(error.into()))?;
    let stat = rustix::fs::fstat(&fd).map_err(|error| fail(error.into()))?;
    // The name may mean another file by now.
    let same = spot.stat.is_some_and(|old| (old.st_dev, old.st_ino) == (stat.st_dev, stat.st_ino));
    if !same || stat.st_nlink != 1 {
        return Err(changed(&spot.shown));
    }
    let mut file = std::fs::File::from(fd);
    let size = file.metadata().map_err(fail)?.len();
    let written = file.write_all(addition).and_then(|()| file.sync_data());
    if written.is_err() {
        take_back(&file, size, addition);
    }
    written.map_err(fail)?;
    // Whoever put another file in its place meanwhile did not see what was added to this one.
    let is_there = rustix::fs::fstat(&file).is_ok_and(|stat| stat.st_nlink > 0);
    if is_there { Ok(()) } else { Err(changed(&spot.shown)) }
}

/// All or nothing: what was added before a failure is taken back, but only if nothing that somebody else added is behind it.
fn take_back(file: &std::fs::File, size: u64, addition: &[u8]) {
    let mut tail = Vec::new();
    let read = file.metadata().and_then(|meta| {
        let added = meta.len().saturating_sub(size).min(addition.len() as u64 + 1);
        tail.resize(usize::try_from(added).unwrap_or(0), 0);
        file.read_exact_at(&mut tail, size)
    });
    if read.is_ok() && addition.starts_with(&tail) {
        let _ = file.set_len(size);
    }
}

fn append_to_a_copy(spot: &Spot, old: &OpenFile, addition: &[u8], call: &Call<'_>) -> Result<()> {
    let fail = |error: std::io::Error| Error::io("append to", &spot.shown, error);
    let name = spot.name()?;
    let mut staged = Staged::new(spot.folder.as_fd()).map_err(|error| fail(error.into()))?;
    let original = open_child_regular(&spot.folder, name, &spot.shown)?;
    copy_bytes(&original.file, &staged.file, &spot.shown, call)?;
    staged.file.write_all(addition).map_err(fail)?;
    staged.keep_mode(&old.stat).and_then(|()| staged.sync()).map_err(|error| fail(error.into()))?;
    call.commit()?;
    refuse_change(spot, &original.stat, None)?;
    staged.publish_over(name).map_err(|error| fail(error.into()))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::take_back;

    #[test]
    fn what_is_taken_back_is_ones_own_and_never_what_another_appended() {
        let cases: [(&[u8], &[u8]); 5] = [
            (b"mine", b"before "),
            (b"mine, whole\n", b"before "),
            (b"", b"before "),
            // Somebody else's line came behind, in between, or instead.
            (b"mine, whole\ntheirs\n", b"before mine, whole\ntheirs\n"),
            (b"theirs\n", b"before theirs\n"),
        ];
        for (behind, left) in cases {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(b"before ").unwrap();
            file.write_all(behind).unwrap();
            take_back(&file, 7, b"mine, whole\n");
            let mut text = vec![0; usize::try_from(file.metadata().unwrap().len()).unwrap()];
            std::os::unix::fs::FileExt::read_exact_at(&file, &mut text, 0).unwrap();
            assert_eq!(text, left, "{}", String::from_utf8_lossy(behind));
        }
    }
}
