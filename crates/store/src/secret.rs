//! The secret of this machine: a key that no repository can bring along.
//!
//! It lies in a folder of the person who runs hewto (`$XDG_STATE_HOME/hewto`), readable for nobody else, and outside any
//! repository. With it the journal knows its own records from planted ones, and others can seal what they keep where a
//! repository could change it. Reading never makes the key; the first write does.

mod seal;

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use thiserror::Error;
use uuid::Uuid;

pub use self::seal::{MachineKey, Seal};
use crate::layout::repository_root;

/// The file of the key, inside the folder that the machine keeps.
const KEY_FILE: &str = "machine.key";

/// Why the key of this machine cannot be used.
#[derive(Debug, Error)]
pub enum KeyError {
    #[error("the machine's key lies inside a git repository: {}", .0.display())]
    InRepository(PathBuf),
    #[error("the machine's key can be read by others, or is not yours: {}", .0.display())]
    Exposed(PathBuf),
    #[error("the machine's key is damaged: {}", .0.display())]
    Damaged(PathBuf),
    #[error("the machine's key cannot be read or made: {}", path.display())]
    File { path: PathBuf, source: io::Error },
}

impl KeyError {
    pub fn hint(&self) -> &'static str {
        match self {
            Self::InRepository(_) => "set XDG_STATE_HOME to a folder outside any repository",
            Self::Exposed(_) => {
                "delete the file if you did not expose it yourself; a new key is made by the next write"
            }
            Self::Damaged(_) => "delete the file; a new key is made by the next write",
            Self::File { .. } => {
                "make the folder readable and writable for yourself, or set XDG_STATE_HOME to another"
            }
        }
    }
}

/// Where this machine keeps its key, and the key once it is known. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct MachineSecret {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// The folders to try, in order.
    folders: Vec<PathBuf>,
    key: Mutex<Option<MachineKey>>,
}

impl MachineSecret {
    /// A machine that keeps its key in the first of these folders that can hold it.
    pub fn keeping_in(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { inner: Arc::new(Inner { folders: folders.into_iter().collect(), key: Mutex::default() }) }
    }

    /// Where the key is, or may come to be.
    pub fn folders(&self) -> &[PathBuf] {
        &self.inner.folders
    }

    /// The key, if there is one already. Writes nothing.
    pub fn known_key(&self) -> Result<Option<MachineKey>, KeyError> {
        if self.inner.folders.is_empty() {
            return Ok(Some(MachineKey::of_process()));
        }
        let mut key = self.inner.key.lock().unwrap_or_else(PoisonError::into_inner);
        let mut refusal = None;
        for folder in &self.inner.folders {
            if key.is_some() {
                break;
            }
            match load(folder) {
                Ok(found) => *key = found,
                Err(error) => {
                    refusal.get_or_insert(error);
                }
            }
        }
        match (&*key, refusal) {
            (None, Some(error)) => Err(error),
            (key, _) => Ok(key.clone()),
        }
    }

    /// The key, made now if there is none. Where no folder can hold one, a key that ends with this process has to do.
    pub fn key(&self) -> MachineKey {
        let mut refusals = Vec::new();
        match self.known_key() {
            Ok(Some(key)) => return key,
            Ok(None) => {}
            Err(error) => refusals.push(error),
        }
        for folder in &self.inner.folders {
            match make(folder) {
                Ok(made) => {
                    *self.inner.key.lock().unwrap_or_else(PoisonError::into_inner) = Some(made.clone());
                    return made;
                }
                Err(error) => refusals.push(error),
            }
        }
        for error in refusals {
            tracing::warn!(%error, hint = error.hint(), "a write that is interrupted now cannot be finished later");
        }
        MachineKey::of_process()
    }

    /// Why there would be no lasting key, if so. Writes nothing.
    pub fn trouble(&self) -> Option<KeyError> {
        match self.known_key() {
            Ok(Some(_)) => None,
            Err(error) => Some(error),
            Ok(None) => {
                let mut refusals = Vec::new();
                for folder in &self.inner.folders {
                    match usable(folder) {
                        Ok(()) => return None,
                        Err(error) => refusals.push(error),
                    }
                }
                refusals.into_iter().next()
            }
        }
    }
}

fn load(folder: &Path) -> Result<Option<MachineKey>, KeyError> {
    let path = folder.join(KEY_FILE);
    let failed = |source| KeyError::File { path: path.clone(), source };
    let mut options = OpenOptions::new();
    // A pipe in its place is refused, not waited for.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    options.read(true).custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    let file = match options.open(&path) {
        Ok(file) => file,
        Err(error) if crate::beneath::is_missing(&error) => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let meta = file.metadata().map_err(failed)?;
    let is_mine = meta.uid() == rustix::process::geteuid().as_raw();
    if !meta.is_file() || !is_mine || meta.mode() & 0o077 != 0 {
        return Err(KeyError::Exposed(path));
    }
    if let Some(repository) = enclosing(folder) {
        return Err(KeyError::InRepository(repository));
    }
    let mut text = String::new();
    file.take(256).read_to_string(&mut text).map_err(failed)?;
    MachineKey::parse(text.trim_end()).map(Some).ok_or(KeyError::Damaged(path))
}

/// Whether a key could be made here, as far as can be told without making one.
fn usable(folder: &Path) -> Result<(), KeyError> {
    if let Some(repository) = enclosing(folder) {
        return Err(KeyError::InRepository(repository));
    }
    let there = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("/"));
    let access = rustix::fs::access(there, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK);
    access.map_err(|error| KeyError::File { path: folder.join(KEY_FILE), source: error.into() })
}

fn make(folder: &Path) -> Result<MachineKey, KeyError> {
    if let Some(repository) = enclosing(folder) {
        return Err(KeyError::InRepository(repository));
    }
    let path = folder.join(KEY_FILE);
    let key = MachineKey::random();
    try_make(folder, &key).map_err(|source| KeyError::File { path: path.clone(), source })?;
    // Whoever was first has made the one that counts.
    load(folder)?.ok_or_else(|| KeyError::File { path, source: io::ErrorKind::NotFound.into() })
}

#[expect(clippy::disallowed_methods, reason = "the key of a machine is not an artifact")]
fn try_make(folder: &Path, key: &MachineKey) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let owner = std::fs::metadata(folder)?.uid();
    if owner != rustix::process::geteuid().as_raw() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let draft = folder.join(format!(".{KEY_FILE}.{}", Uuid::new_v4()));
    let written = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        writeln!(file, "{}", key.to_hex())?;
        file.sync_all()?;
        match std::fs::hard_link(&draft, folder.join(KEY_FILE)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                // No links here: a rename does, if nobody was faster.
                std::fs::rename(&draft, folder.join(KEY_FILE))
            }
            _ => Ok(()),
        }
    })();
    let _ = std::fs::remove_file(&draft);
    written?;
    File::open(folder)?.sync_all()
}

/// The repository that a folder, which need not be there yet, lies in.
fn enclosing(folder: &Path) -> Option<PathBuf> {
    let there = folder.ancestors().find_map(|folder| std::fs::canonicalize(folder).ok())?;
    repository_root(&there)
}

#[cfg(test)]
mod tests;
