//! Reads files that are open, or stand in an open folder. What is no regular file is refused, and what is too large is not read.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::BorrowedFd;

use rustix::buffer::spare_capacity;
use rustix::fs::{FileType, Mode, OFlags, Stat};

use crate::doc::too_large;
use crate::hash::ContentHash;

/// Reads a whole regular file in an open folder; a link is not followed.
pub(crate) fn read_in(folder: BorrowedFd<'_>, name: impl rustix::path::Arg) -> io::Result<(Vec<u8>, Stat)> {
    read_in_within(folder, name, i64::MAX)
}

/// The same, unless it has more bytes than this.
pub(crate) fn read_in_within(
    folder: BorrowedFd<'_>,
    name: impl rustix::path::Arg,
    most: i64,
) -> io::Result<(Vec<u8>, Stat)> {
    open_in(folder, name).and_then(|(file, stat)| read_all(file, stat, most))
}

/// The SHA-256 of a regular file in an open folder, however large it is.
pub(crate) fn hash_in(folder: BorrowedFd<'_>, name: impl rustix::path::Arg) -> io::Result<ContentHash> {
    ContentHash::of_all(open_in(folder, name)?.0)
}

pub(super) fn open_in(folder: BorrowedFd<'_>, name: impl rustix::path::Arg) -> io::Result<(File, Stat)> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    regular(File::from(rustix::fs::openat(folder, name, flags, Mode::empty())?))
}

pub(super) fn regular(file: File) -> io::Result<(File, Stat)> {
    let stat = rustix::fs::fstat(&file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok((file, stat))
}

pub(super) fn read_all(file: File, stat: Stat, most: i64) -> io::Result<(Vec<u8>, Stat)> {
    if stat.st_size > most {
        return Err(too_large());
    }
    let known = usize::try_from(stat.st_size).unwrap_or(0);
    let mut bytes = Vec::with_capacity(known + 1);
    // Nearly every file is read by one call. What comes back shorter or longer than it was said to be is read to its end.
    let is_whole = rustix::io::read(&file, spare_capacity(&mut bytes)).is_ok_and(|count| count == known);
    let longest = most.unsigned_abs();
    if !is_whole {
        let rest = longest.saturating_add(1).saturating_sub(bytes.len() as u64);
        file.take(rest).read_to_end(&mut bytes)?;
    }
    if bytes.len() as u64 > longest { Err(too_large()) } else { Ok((bytes, stat)) }
}
