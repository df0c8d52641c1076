//! Opens what a path names, when it is a regular file or a folder.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
#[cfg(target_os = "linux")]
use std::path::PathBuf;

use hewto_core::near::near;
#[cfg(target_os = "linux")]
use rustix::fs::ResolveFlags;
use rustix::fs::{FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use serde_json::json;

use super::argument::Wanted;
use super::entries::entries;
use super::roots::Roots;
use super::walk::{Last, Missing, RACE_RETRIES, WalkPlace};
use crate::error::{Action, Error, Key, Result};

const READ: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOFOLLOW);
const READ_FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// How many names of a folder are looked at to guess what was meant.
const MAX_GUESSES: usize = 10_000;

/// A regular file, open for reading.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) file: File,
    pub(crate) stat: Stat,
}

/// A folder, open for reading, and its real place.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) fd: OwnedFd,
    pub(crate) place: WalkPlace,
    pub(crate) shown: String,
}

/// What the kernel says of a path.
enum Seen {
    File(OpenFile),
    Nothing,
    /// It cannot say by itself.
    Unclear,
}

impl OpenFile {
    pub(crate) fn size(&self) -> u64 {
        u64::try_from(self.stat.st_size).unwrap_or(0)
    }
}

impl Roots {
    /// Opens a regular file for reading; links inside the roots are followed.
    pub(crate) fn open_file(&self, wanted: &Wanted) -> Result<OpenFile> {
        self.open_if_there(wanted)?.ok_or_else(|| self.missing(wanted))
    }

    /// The same where it is no fault when nothing is there.
    pub(crate) fn open_if_there(&self, wanted: &Wanted) -> Result<Option<OpenFile>> {
        let open = match self.open_beneath(wanted)? {
            Seen::File(open) => open,
            Seen::Nothing => return Ok(None),
            Seen::Unclear => match self.open_by_walking(wanted)? {
                Some(open) => open,
                None => return Ok(None),
            },
        };
        refuse_kernel_files(&open.file, &wanted.shown)?;
        self.protected().refuse_secret(&open.stat, &wanted.shown)?;
        Ok(Some(open))
    }

    /// Opens a folder for reading; links inside the roots are followed.
    pub(crate) fn open_folder(&self, wanted: &Wanted) -> Result<Folder> {
        if let Some(fd) = self.open_folder_beneath(wanted) {
            refuse_kernel_files(&fd, &wanted.shown)?;
            let place = WalkPlace { root: wanted.root, parts: wanted.parts.clone() };
            return Ok(Folder { fd, place, shown: wanted.shown.clone() });
        }
        let spot = self.locate(wanted, Last::Follow, Missing::Report)?;
        match spot.kind() {
            None => return Err(self.missing(wanted)),
            Some(FileType::Directory) => {}
            Some(_) => {
                return Err(Error::refused(
                    Key::NotADirectory,
                    format!("`{}` is not a folder", wanted.shown),
                )
                .detail("path", wanted.shown.as_str()));
            }
        }
        let name = spot.name.as_deref().unwrap_or_else(|| OsStr::new("."));
        let fd = rustix::fs::openat(&spot.folder, name, READ_FOLDER, Mode::empty())
            .map_err(|error| Error::io("open the folder", &wanted.shown, error))?;
        refuse_kernel_files(&fd, &wanted.shown)?;
        Ok(Folder { fd, place: spot.place, shown: wanted.shown.clone() })
    }

    /// Lets the kernel open a folder when there is no link and no `..` on the way: the path is then the real one.
    #[cfg(target_os = "linux")]
    fn open_folder_beneath(&self, wanted: &Wanted) -> Option<OwnedFd> {
        if wanted.parts.is_empty() || wanted.parts.iter().any(|part| part == "..") {
            return None;
        }
        let path: PathBuf = wanted.parts.iter().collect();
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        rustix::fs::openat2(self.fd(wanted.root), &path, READ_FOLDER, Mode::empty(), resolve).ok()
    }

    #[cfg(not(target_os = "linux"))]
    fn open_folder_beneath(&self, _: &Wanted) -> Option<OwnedFd> {
        None
    }

    /// Lets the kernel resolve the path; a link that leads to another root needs our own walk.
    #[cfg(target_os = "linux")]
    fn open_beneath(&self, wanted: &Wanted) -> Result<Seen> {
        let path: PathBuf = wanted.parts.iter().collect();
        let open = |flags: OFlags| {
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
            let mut result = Err(Errno::AGAIN);
            for _ in 0..RACE_RETRIES {
                result = rustix::fs::openat2(self.fd(wanted.root), &path, flags, Mode::empty(), resolve);
                if !matches!(result, Err(Errno::AGAIN | Errno::INTR)) {
                    break;
                }
            }
            result
        };
        // A look first: merely opening some devices does something.
        let look = match open(OFlags::PATH | OFlags::CLOEXEC) {
            Ok(fd) => fd,
            Err(Errno::NOENT) if !wanted.parts.is_empty() => return Ok(Seen::Nothing),
            Err(_) => return Ok(Seen::Unclear),
        };
        let stat = rustix::fs::fstat(&look).map_err(|error| Error::io("look at", &wanted.shown, error))?;
        real_files_only(FileType::from_raw_mode(stat.st_mode), &wanted.shown)?;
        match open(READ - OFlags::NOFOLLOW) {
            Ok(fd) => checked(fd, &wanted.shown).map(Seen::File),
            Err(Errno::XDEV | Errno::AGAIN | Errno::NOENT) => Ok(Seen::Unclear),
            Err(error) => Err(Error::io("open", &wanted.shown, error)),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn open_beneath(&self, _: &Wanted) -> Result<Seen> {
        Ok(Seen::Unclear)
    }

    fn open_by_walking(&self, wanted: &Wanted) -> Result<Option<OpenFile>> {
        for _ in 0..RACE_RETRIES {
            let spot = self.locate(wanted, Last::Follow, Missing::Report)?;
            let Some(kind) = spot.kind() else { return Ok(None) };
            real_files_only(kind, &wanted.shown)?;
            match rustix::fs::openat(&spot.folder, spot.name()?, READ, Mode::empty()) {
                Ok(fd) => return checked(fd, &wanted.shown).map(Some),
                // Somebody put a link there, or took the file away, after the look.
                Err(Errno::LOOP | Errno::NOENT) => {}
                Err(error) => return Err(Error::io("open", &wanted.shown, error)),
            }
        }
        Err(Error::machine(Key::IoError, format!("the path keeps changing: `{}`", wanted.shown)))
    }

    /// Nothing is there: says so, and which neighbours have a similar name.
    pub(crate) fn missing(&self, wanted: &Wanted) -> Error {
        let error = Error::io("open", &wanted.shown, Errno::NOENT);
        let Some((name, folder)) = wanted.parts.split_last() else { return error };
        let folder =
            Wanted { root: wanted.root, parts: folder.to_vec(), shown: self.shown(wanted.root, folder) };
        let Ok(open) = self.open_folder(&folder) else {
            return error.hint(format!("the folder is not there either: `{}`", folder.shown));
        };
        let Ok(entries) = entries(&open.fd) else { return error };
        let names: Vec<String> =
            entries.take(MAX_GUESSES).filter_map(|entry| entry.ok()?.0.into_string().ok()).collect();
        let close = near(&name.to_string_lossy(), names.iter().map(String::as_str), 3);
        if close.is_empty() {
            return error;
        }
        let close: Vec<String> = close.into_iter().map(|name| self.below(&folder, name).shown).collect();
        error.hint(format!("did you mean `{}`?", close.join("`, `"))).detail("near", json!(close))
    }
}

/// Opens an entry of a folder when it is a regular file, never through a link.
pub(crate) fn open_child_regular(folder: impl AsFd, name: &OsStr, shown: &str) -> Result<OpenFile> {
    let fd = rustix::fs::openat(folder, name, READ, Mode::empty())
        .map_err(|error| Error::io("open", shown, error))?;
    checked(fd, shown)
}

/// Opens an entry of a folder when it is a folder, never through a link.
pub(crate) fn open_child_folder(folder: impl AsFd, name: &OsStr) -> rustix::io::Result<OwnedFd> {
    rustix::fs::openat(folder, name, READ_FOLDER, Mode::empty())
}

/// Refuses everything that is no regular file.
pub(crate) fn real_files_only(kind: FileType, shown: &str) -> Result<()> {
    match kind {
        FileType::RegularFile => Ok(()),
        FileType::Directory => Err(Error::refused(Key::IsADirectory, format!("`{shown}` is a folder"))
            .hint(Action::ListFolder.then(" or ").action(Action::ShowTree).text(" to look into it"))
            .detail("path", shown)),
        _ => Err(special_file(shown)),
    }
}

pub(crate) fn special_file(shown: &str) -> Error {
    Error::refused(
        Key::SpecialFile,
        format!("`{shown}` is not a regular file (a pipe, socket, device or the like)"),
    )
    .hint("only regular files and folders can be used")
    .detail("path", shown)
}

/// Files of `/proc` and `/sys` are doors into the kernel, wherever they are mounted.
pub(super) fn refuse_kernel_files(fd: impl AsFd, shown: &str) -> Result<()> {
    if is_kernel_file_system(fd) { Err(special_file(shown)) } else { Ok(()) }
}

#[cfg(target_os = "linux")]
pub(crate) fn is_kernel_file_system(fd: impl AsFd) -> bool {
    /// procfs, sysfs, debugfs, tracefs, securityfs, cgroup, cgroup2, bpf
    const KERNEL: [rustix::fs::FsWord; 8] =
        [0x9fa0, 0x6265_6572, 0x6462_6720, 0x7472_6163, 0x7363_6673, 0x0027_e0eb, 0x6367_7270, 0xcafe_4a11];
    rustix::fs::fstatfs(fd).is_ok_and(|stat| KERNEL.contains(&stat.f_type))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn is_kernel_file_system(_: impl AsFd) -> bool {
    false
}

fn checked(fd: OwnedFd, shown: &str) -> Result<OpenFile> {
    let stat = rustix::fs::fstat(&fd).map_err(|error| Error::io("look at", shown, error))?;
    real_files_only(FileType::from_raw_mode(stat.st_mode), shown)?;
    Ok(OpenFile { file: File::from(fd), stat })
}
