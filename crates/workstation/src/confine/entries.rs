//! The names in a folder with their kinds, in no order.

use std::ffi::{OsStr, OsString};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt as _;
use std::vec;

#[cfg(target_os = "linux")]
use rustix::fs::SeekFrom;
use rustix::fs::{AtFlags, FileType};
use rustix::io::{Errno, Result};

/// One name and what stands behind it.
pub(crate) type Entry = (OsString, FileType);

/// Reads a folder from its beginning. After an error nothing follows.
///
/// How far a descriptor has been read is shared by all who hold it: one at a time.
pub(crate) fn entries<F: AsFd>(folder: &F) -> Result<Entries<'_, F>> {
    Ok(Entries { source: Source::new(folder)?, folder, batch: Vec::new().into_iter() })
}

pub(crate) struct Entries<'f, F> {
    folder: &'f F,
    source: Source,
    /// What was read at once and nobody has taken yet.
    batch: vec::IntoIter<Entry>,
}

impl<F: AsFd> Iterator for Entries<'_, F> {
    type Item = Result<Entry>;

    fn next(&mut self) -> Option<Result<Entry>> {
        loop {
            if let Some((name, kind)) = self.batch.next() {
                let kind = match kind {
                    FileType::Unknown => rustix::fs::statat(self.folder, &name, AtFlags::SYMLINK_NOFOLLOW)
                        .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode)),
                    known => known,
                };
                return Some(Ok((name, kind)));
            }
            match self.source.read_on(self.folder) {
                Ok(Some(batch)) => self.batch = batch.into_iter(),
                Ok(None) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

fn name_of(name: &std::ffi::CStr) -> Option<OsString> {
    let name = OsStr::from_bytes(name.to_bytes());
    (name != "." && name != "..").then(|| name.to_owned())
}

/// The kernel's own buffer, large enough that a usual folder takes one call, and one more for its end.
#[cfg(target_os = "linux")]
struct Source {
    buffer: Vec<u8>,
    is_at_end: bool,
}

#[cfg(target_os = "linux")]
impl Source {
    fn new(folder: &impl AsFd) -> Result<Self> {
        rustix::fs::seek(folder, SeekFrom::Start(0))?;
        Ok(Self { buffer: Vec::with_capacity(32 * 1024), is_at_end: false })
    }

    fn read_on(&mut self, folder: &impl AsFd) -> Result<Option<Vec<Entry>>> {
        if self.is_at_end {
            return Ok(None);
        }
        // Whatever goes wrong, there is nothing to read behind it.
        self.is_at_end = true;
        let mut dir = rustix::fs::RawDir::new(folder, self.buffer.spare_capacity_mut());
        let mut batch = Vec::new();
        while let Some(entry) = dir.next() {
            let entry = match entry {
                // Somebody took the folder away while it was open.
                Err(Errno::NOENT) => break,
                other => other?,
            };
            batch.extend(name_of(entry.file_name()).map(|name| (name, entry.file_type())));
            if dir.is_buffer_empty() {
                self.is_at_end = false;
                break;
            }
        }
        Ok(Some(batch))
    }
}

#[cfg(not(target_os = "linux"))]
struct Source(rustix::fs::Dir);

#[cfg(not(target_os = "linux"))]
impl Source {
    fn new(folder: &impl AsFd) -> Result<Self> {
        rustix::fs::Dir::read_from(folder).map(Self)
    }

    fn read_on(&mut self, _: &impl AsFd) -> Result<Option<Vec<Entry>>> {
        let Some(entry) = self.0.next().transpose()? else { return Ok(None) };
        Ok(Some(name_of(entry.file_name()).map(|name| (name, entry.file_type())).into_iter().collect()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs::File;

    use super::*;

    #[test]
    fn every_name_comes_once_however_many_there_are() {
        let folder = tempfile::tempdir().unwrap();
        let names: BTreeSet<String> =
            (0..2000).map(|number| format!("{number}-{}", "x".repeat(60))).collect();
        for name in &names {
            fs_err::write(folder.path().join(name), "").unwrap();
        }
        fs_err::create_dir(folder.path().join("inner")).unwrap();
        let open = File::open(folder.path()).unwrap();
        // Twice from the same descriptor.
        for _ in 0..2 {
            let mut found: Vec<Entry> = entries(&open).unwrap().collect::<Result<_>>().unwrap();
            let inner = found.iter().position(|(name, _)| name == "inner").unwrap();
            assert_eq!(found.swap_remove(inner).1, FileType::Directory);
            assert_eq!(found.len(), names.len());
            assert!(found.iter().all(|(_, kind)| *kind == FileType::RegularFile));
            let found: BTreeSet<String> =
                found.into_iter().map(|(name, _)| name.into_string().unwrap()).collect();
            assert_eq!(found, names);
        }
    }

    #[test]
    fn an_empty_folder_has_no_names() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(entries(&File::open(folder.path()).unwrap()).unwrap().count(), 0);
    }
}
