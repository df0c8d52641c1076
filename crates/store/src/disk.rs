//! Every system call that writes, and nothing else (D-8).
//!
//! All of them work on an open folder and a plain name in it, so that no path is walked twice. Tests put faults
//! in front of each call through [`gate`].

use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, Gid, Mode, OFlags, RenameFlags, Uid};
use rustix::io::Errno;
use rustix::path::Arg;

/// Creates a folder; one that is already there is fine. Says whether it is new.
pub(crate) fn create_dir(parent: BorrowedFd<'_>, name: impl Arg + Copy) -> io::Result<bool> {
    gate("mkdir", &name.to_string_lossy())?;
    #[cfg(feature = "fault-injection")]
    crate::power::will_create(parent, &name.to_string_lossy());
    match rustix::fs::mkdirat(parent, name, Mode::from_raw_mode(0o777)) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Creates the folder that becomes a workspace root, and the ones above it.
pub(crate) fn create_root(path: &Path) -> io::Result<()> {
    gate("mkdir", "root")?;
    fs_err::create_dir_all(path)
}

/// Creates a folder for its owner alone, and the ones above it; what is there stays as it is.
pub(crate) fn create_private_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    gate("mkdir", "private")?;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Creates a file that must not be there yet.
pub(crate) fn create_file(parent: BorrowedFd<'_>, name: impl Arg + Copy) -> io::Result<File> {
    gate("create", &name.to_string_lossy())?;
    #[cfg(feature = "fault-injection")]
    crate::power::will_create(parent, &name.to_string_lossy());
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    open(parent, name, flags)
}

/// Opens a file for appending, creating it if need be.
pub(crate) fn open_append(parent: BorrowedFd<'_>, name: &str) -> io::Result<File> {
    gate("open-append", name)?;
    let flags = OFlags::CREATE | OFlags::APPEND | OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    open(parent, name, flags)
}

/// Opens a log that is there, to read it and to cut it.
pub(crate) fn open_existing_append(parent: BorrowedFd<'_>, name: &str) -> io::Result<File> {
    gate("open-append", name)?;
    open(parent, name, OFlags::APPEND | OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW)
}

/// Takes from a file what it lets others do, where that is anything.
pub(crate) fn make_private(file: &File, name: &str) -> io::Result<()> {
    let mode = Mode::from_raw_mode(rustix::fs::fstat(file)?.st_mode);
    if mode.intersects(Mode::RWXG | Mode::RWXO) {
        set_mode(file, name, Mode::RUSR | Mode::WUSR)?;
    }
    Ok(())
}

/// Opens a lock file, creating it if need be.
pub(crate) fn open_lock(parent: BorrowedFd<'_>, name: &str) -> io::Result<File> {
    gate("open-lock", name)?;
    let flags = OFlags::CREATE | OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    open(parent, name, flags)
}

/// Writes all bytes, in one call if the system takes them so.
pub(crate) fn write(mut file: &File, name: &str, bytes: &[u8]) -> io::Result<()> {
    let written = gate_write(file, name, bytes)?;
    file.write_all(&bytes[written..])
}

/// Replaces the whole content of a lock file.
pub(crate) fn overwrite(file: &File, name: &str, bytes: &[u8]) -> io::Result<()> {
    gate("overwrite", name)?;
    let written = rustix::io::pwrite(file, bytes, 0)?;
    if written != bytes.len() {
        return Err(io::ErrorKind::WriteZero.into());
    }
    // A text that is as long as the one before leaves the file system's own journal alone.
    if rustix::fs::fstat(file)?.st_size.unsigned_abs() > bytes.len() as u64 {
        rustix::fs::ftruncate(file, bytes.len() as u64)?;
    }
    Ok(())
}

/// Takes back what was appended beyond this length.
pub(crate) fn truncate(file: &File, name: &str, length: u64) -> io::Result<()> {
    gate("truncate", name)?;
    Ok(rustix::fs::ftruncate(file, length)?)
}

/// Gives a file the permissions of the one that it replaces.
pub(crate) fn set_mode(file: impl AsFd, name: &str, mode: Mode) -> io::Result<()> {
    gate("chmod", name)?;
    Ok(rustix::fs::fchmod(file, mode)?)
}

/// Gives a file the owner and the group of the one that it replaces, as far as this process may.
pub(crate) fn set_owner(file: &File, name: &str, owner: Uid, group: Gid) -> io::Result<()> {
    gate("chown", name)?;
    for (owner, group) in [(Some(owner), Some(group)), (None, Some(group))] {
        match rustix::fs::fchown(file, owner, group) {
            Ok(()) => return Ok(()),
            // Only root gives files away; a group of one's own may still be kept.
            Err(Errno::PERM | Errno::INVAL) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Makes a link with this target.
pub(crate) fn create_link(target: &CStr, parent: BorrowedFd<'_>, name: impl Arg + Copy) -> io::Result<()> {
    gate("symlink", &name.to_string_lossy())?;
    Ok(rustix::fs::symlinkat(target, parent, name)?)
}

/// Makes the content of a file durable.
pub(crate) fn sync_file(file: &File, name: &str) -> io::Result<()> {
    gate("fsync", name)?;
    rustix::fs::fsync(file)?;
    #[cfg(feature = "fault-injection")]
    crate::power::synced_file(file);
    Ok(())
}

/// How many threads sync at the same time.
const SYNCING: usize = 8;

/// Makes the content of files and the names in folders durable. They are synced at the same time, because a file system
/// that journals can then write them out together.
pub(crate) fn sync_all(files: &[(File, String)], folders: &[(BorrowedFd<'_>, &str)]) -> io::Result<()> {
    for (_, name) in files {
        gate("fsync", name)?;
    }
    for (_, name) in folders {
        gate("fsync-dir", name)?;
    }
    #[cfg(feature = "fault-injection")]
    {
        for (file, _) in files {
            crate::power::synced_file(file);
        }
        for (folder, _) in folders {
            crate::power::synced_folder(folder);
        }
    }
    let all: Vec<(BorrowedFd<'_>, bool)> = (files.iter().map(|(file, _)| (file.as_fd(), false)))
        .chain(folders.iter().map(|(folder, _)| (*folder, true)))
        .collect();
    let shares = all.chunks(all.len().div_ceil(SYNCING).max(1));
    hewto_parallel::map(shares, sync_each).into_iter().collect::<rustix::io::Result<()>>()?;
    Ok(())
}

fn sync_each(share: &[(BorrowedFd<'_>, bool)]) -> rustix::io::Result<()> {
    share.iter().try_for_each(|(fd, is_folder)| match rustix::fs::fsync(fd) {
        // Some file systems cannot sync a folder; they have nothing better to offer.
        Err(Errno::INVAL) if *is_folder => Ok(()),
        result => result,
    })
}

/// Makes the names in a folder durable.
pub(crate) fn sync_dir(folder: BorrowedFd<'_>, name: &str) -> io::Result<()> {
    sync_all(&[], &[(folder, name)])
}

/// What a rename does with a file that is in its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Onto {
    /// Takes its place.
    Anything,
    /// Fails with `AlreadyExists`.
    Nothing,
}

/// Moves a file or folder.
pub(crate) fn rename(from: (BorrowedFd<'_>, &str), to: (BorrowedFd<'_>, &str), onto: Onto) -> io::Result<()> {
    gate("rename", to.1)?;
    #[cfg(feature = "fault-injection")]
    crate::power::will_rename(from, to);
    let renamed = match onto {
        Onto::Anything => rustix::fs::renameat(from.0, from.1, to.0, to.1).map_err(io::Error::from),
        Onto::Nothing => rename_onto_nothing(from, to),
    };
    #[cfg(feature = "fault-injection")]
    if renamed.is_err() {
        crate::power::did_not();
    }
    renamed
}

#[cfg(target_os = "linux")]
fn rename_onto_nothing(from: (BorrowedFd<'_>, &str), to: (BorrowedFd<'_>, &str)) -> io::Result<()> {
    match rustix::fs::renameat_with(from.0, from.1, to.0, to.1, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS) => rename_after_a_look(from, to),
        result => Ok(result?),
    }
}

#[cfg(not(target_os = "linux"))]
fn rename_onto_nothing(from: (BorrowedFd<'_>, &str), to: (BorrowedFd<'_>, &str)) -> io::Result<()> {
    rename_after_a_look(from, to)
}

/// For file systems without the exact call.
fn rename_after_a_look(from: (BorrowedFd<'_>, &str), to: (BorrowedFd<'_>, &str)) -> io::Result<()> {
    match rustix::fs::statat(to.0, to.1, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(Errno::NOENT) => Ok(rustix::fs::renameat(from.0, from.1, to.0, to.1)?),
        Err(error) => Err(error.into()),
    }
}

/// Whether two files changed places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exchange {
    Done,
    /// This system or file system cannot do it.
    Unsupported,
}

/// Lets two files change places in one step, so that what was there can be looked at afterwards.
pub(crate) fn exchange(a: (BorrowedFd<'_>, &str), b: (BorrowedFd<'_>, &str)) -> io::Result<Exchange> {
    gate("exchange", b.1)?;
    #[cfg(target_os = "linux")]
    match rustix::fs::renameat_with(a.0, a.1, b.0, b.1, RenameFlags::EXCHANGE) {
        Ok(()) => {
            #[cfg(feature = "fault-injection")]
            crate::power::did_exchange(a, b);
            Ok(Exchange::Done)
        }
        Err(Errno::INVAL | Errno::NOSYS) => Ok(Exchange::Unsupported),
        Err(error) => Err(error.into()),
    }
    #[cfg(not(target_os = "linux"))]
    Ok(Exchange::Unsupported)
}

/// Removes a file; one that is not there is fine.
pub(crate) fn remove_file(parent: BorrowedFd<'_>, name: impl Arg + Copy) -> io::Result<()> {
    gate("unlink", &name.to_string_lossy())?;
    #[cfg(feature = "fault-injection")]
    crate::power::will_remove(parent, &name.to_string_lossy());
    forgive_missing(rustix::fs::unlinkat(parent, name, AtFlags::empty()))
}

/// Removes an empty folder; one that is not there is fine.
pub(crate) fn remove_dir(parent: BorrowedFd<'_>, name: impl Arg + Copy) -> io::Result<()> {
    gate("rmdir", &name.to_string_lossy())?;
    #[cfg(feature = "fault-injection")]
    crate::power::will_remove(parent, &name.to_string_lossy());
    forgive_missing(rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR))
}

fn forgive_missing(result: rustix::io::Result<()>) -> io::Result<()> {
    match result {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn open(parent: BorrowedFd<'_>, name: impl Arg, flags: OFlags) -> io::Result<File> {
    let fd: OwnedFd = rustix::fs::openat(parent.as_fd(), name, flags, Mode::from_raw_mode(0o666))?;
    Ok(File::from(fd))
}

#[cfg(feature = "fault-injection")]
fn gate(call: &str, name: &str) -> io::Result<()> {
    crate::fault::reach(call, name).map_or(Ok(()), meet)
}

/// Says how much of the bytes is written already.
#[cfg(feature = "fault-injection")]
fn gate_write(mut file: &File, name: &str, bytes: &[u8]) -> io::Result<usize> {
    let fault = crate::fault::reach("write", name);
    crate::power::will_write(file);
    let Some(fault) = fault else { return Ok(0) };
    let half = bytes.len() / 2;
    file.write_all(&bytes[..half])?;
    meet(fault).map(|()| half)
}

#[cfg(feature = "fault-injection")]
fn meet(fault: crate::fault::Fault) -> io::Result<()> {
    use crate::fault::Fault;
    match fault {
        Fault::Fail(number) | Fault::FailFromHere(number) => Err(io::Error::from_raw_os_error(number)),
        Fault::Kill => std::process::abort(),
        Fault::Short => Ok(()),
        Fault::Slow(time) => {
            std::thread::sleep(time);
            Ok(())
        }
    }
}

#[cfg(not(feature = "fault-injection"))]
#[expect(clippy::unnecessary_wraps, reason = "with faults it can fail")]
fn gate(_call: &str, _name: &str) -> io::Result<()> {
    Ok(())
}

#[cfg(not(feature = "fault-injection"))]
#[expect(clippy::unnecessary_wraps, reason = "with faults it can fail")]
fn gate_write(_file: &File, _name: &str, _bytes: &[u8]) -> io::Result<usize> {
    Ok(0)
}
