//! Files beside the documents: those of git, and those that name a place. They are read by path, and may be anything.

use std::fs::OpenOptions;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

use crate::doc::too_large;

/// No file of git that is read here is larger, unless somebody else wrote it.
const MAX_GIT_BYTES: u64 = 128 << 20;

/// The bytes of a regular file that is not larger than this. What is no file, such as a pipe, is refused without waiting for it.
pub(crate) fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).unwrap_or(0);
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    if found.len() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(found.len()).unwrap_or(0) + 1);
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

/// A text of git's own, such as the `.git` of a linked work tree, a `HEAD` or its configuration.
pub fn read_git_text(path: &Path) -> io::Result<String> {
    let bytes = read_regular(path, MAX_GIT_BYTES)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_is_refused_without_waiting_and_what_is_too_large_without_reading() {
        let dir = tempfile::tempdir().unwrap();
        let [pipe, sparse, plain] = ["pipe", "sparse", "plain"].map(|name| dir.path().join(name));
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
        std::fs::File::create(&sparse).unwrap().set_len(1 << 40).unwrap();
        fs_err::write(&plain, "gitdir: x\n").unwrap();
        assert_eq!(read_git_text(&pipe).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        assert_eq!(read_git_text(dir.path()).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        assert_eq!(read_git_text(&sparse).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read_git_text(&plain).unwrap(), "gitdir: x\n");
    }
}
