//! The cap of the wire logs: how much they may take up together, all days and all sessions.
//!
//! The oldest go first. The operation log, which says what was done, is never touched.

use std::io;
use std::os::fd::AsFd;

use super::append::LOCK;
use crate::beneath::Root;
use crate::disk;
use crate::path::RelPath;

/// How much wire logs may take up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cap {
    pub(super) bytes: u64,
    pub(super) files: usize,
}

impl Cap {
    pub(super) const STANDARD: Self = Self { bytes: 256 * 1024 * 1024, files: 2_000 };
}

/// Removes the oldest wire logs until the rest fits.
pub(super) fn prune(root: &Root, folder: &RelPath, cap: Cap) -> io::Result<()> {
    let open = root.open_dir(Some(folder))?;
    let lock = disk::open_lock(open.as_fd(), LOCK)?;
    lock.lock()?;
    let mut files = Vec::new();
    for entry in rustix::fs::Dir::read_from(&open)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().to_str() else { continue };
        if !is_wire_log(name) {
            continue;
        }
        let stat = rustix::fs::statat(&open, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)?;
        files.push((
            (stat.st_mtime, stat.st_mtime_nsec),
            u64::try_from(stat.st_size).unwrap_or(0),
            name.to_owned(),
        ));
    }
    // The newest is the one that was written just now.
    files.sort_unstable();
    let (mut bytes, mut count) = (files.iter().map(|(_, size, _)| size).sum::<u64>(), files.len());
    for (_, size, name) in files.iter().take(count.saturating_sub(1)) {
        if bytes <= cap.bytes && count <= cap.files {
            break;
        }
        disk::remove_file(open.as_fd(), name)?;
        bytes -= size;
        count -= 1;
    }
    Ok(())
}

/// `2026-01-24.jsonl`, `session-….jsonl`, what was rotated of them, and the manifests beside.
fn is_wire_log(name: &str) -> bool {
    let Some((stem, _)) = name.split_once(".jsonl") else { return false };
    let is_day = stem.len() == 10
        && stem.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    is_day || stem.starts_with("session-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_wire_logs_go_and_the_operations_stay() {
        let dir = tempfile::tempdir().unwrap();
        let path = fs_err::canonicalize(dir.path()).unwrap();
        let logs = path.join("logs");
        fs_err::create_dir(&logs).unwrap();
        let names =
            ["2026-01-01.jsonl", "session-a.jsonl.20260101T000000Z", "session-b.jsonl", "2026-01-02.jsonl"];
        for (age, name) in (0..).zip(names.into_iter().rev()) {
            let file = fs_err::File::create(logs.join(name)).unwrap();
            file.set_len(100).unwrap();
            let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000 - age);
            file.file().set_modified(time).unwrap();
        }
        for name in ["operations.jsonl", "operations.jsonl.20250101T000000Z", "notes.txt"] {
            fs_err::write(logs.join(name), "x".repeat(1_000)).unwrap();
        }
        let left = |cap: Cap| {
            prune(&Root::open(&path).unwrap(), &RelPath::known("logs"), cap).unwrap();
            let mut names: Vec<String> = fs_err::read_dir(&logs)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .filter(|name| name != LOCK)
                .collect();
            names.sort();
            names
        };
        let others = ["notes.txt", "operations.jsonl", "operations.jsonl.20250101T000000Z"];
        let with = |wire: &[&str]| {
            let mut names: Vec<String> = wire.iter().chain(&others).map(|name| (*name).to_owned()).collect();
            names.sort();
            names
        };
        assert_eq!(left(Cap { bytes: 400, files: 4 }), with(&names));
        assert_eq!(left(Cap { bytes: 250, files: 4 }), with(&names[2..]));
        assert_eq!(left(Cap { bytes: 250, files: 0 }), with(&names[3..]), "the newest stays");
    }
}
