//! Whether specs or changes differ, asked for again and again: as long as nothing has moved, a look at known stamps is
//! enough, and no folder is listed.

use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use hewto_store::Context;

use super::mark::people_mark;
use crate::error::Result;
use crate::workspace::Workspace;

/// The folders and files of all open changes, as they were at the last full look.
#[derive(Debug, Default)]
pub struct WorkWatch(Mutex<Option<Known>>);

#[derive(Debug)]
struct Known {
    root: PathBuf,
    stamps: Vec<(PathBuf, Option<Stamp>)>,
    mark: u64,
}

/// Size, inode, and when it changed.
type Stamp = (u64, u64, i64, i64);

impl WorkWatch {
    /// A number that differs when specs, changes, reviews or claims may.
    pub fn mark(&self, ws: &Workspace, ctx: &Context) -> Result<u64> {
        let mut hasher = DefaultHasher::new();
        self.documents(ws, ctx)?.hash(&mut hasher);
        people_mark(ws, ctx)?.hash(&mut hasher);
        Ok(hasher.finish())
    }

    /// A number that differs when specs or changes may. An edit of a spec makes nobody list the changes again.
    pub fn documents(&self, ws: &Workspace, ctx: &Context) -> Result<u64> {
        let generation = ws.store().snapshot(ctx)?.generation;
        let mut hasher = DefaultHasher::new();
        (generation, self.changes(ws, ctx)?).hash(&mut hasher);
        Ok(hasher.finish())
    }

    fn changes(&self, ws: &Workspace, ctx: &Context) -> Result<u64> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*last
            && known.root == ws.root()
            && known.stamps.iter().all(|(path, stamp)| stamp_of(path) == *stamp)
        {
            return Ok(known.mark);
        }
        let stamps = stamps(ws, ctx)?;
        let mut hasher = DefaultHasher::new();
        stamps.hash(&mut hasher);
        let mark = hasher.finish();
        *last = Some(Known { root: ws.root().to_owned(), stamps, mark });
        Ok(mark)
    }
}

/// The roots of changes, and every folder and file below them. A folder's stamp changes when something comes or goes.
fn stamps(ws: &Workspace, ctx: &Context) -> Result<Vec<(PathBuf, Option<Stamp>)>> {
    let mut paths = ws.store().watched().changes;
    for entry in ws.store().changes(ctx)?.changes {
        let folder = ws.root().join(entry.folder.as_str());
        let begin = paths.len();
        for file in &entry.files {
            let path = folder.join(file);
            let above = path.ancestors().skip(1).take_while(|above| above.starts_with(&folder));
            for above in above {
                if !paths[begin..].iter().any(|known| known == above) {
                    paths.push(above.to_owned());
                }
            }
            paths.push(path);
        }
        if entry.files.is_empty() {
            paths.push(folder);
        }
    }
    Ok(paths.into_iter().map(|path| (stamp_of(&path), path)).map(|(stamp, path)| (path, stamp)).collect())
}

fn stamp_of(path: &std::path::Path) -> Option<Stamp> {
    let of = |metadata: Metadata| (metadata.size(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec());
    std::fs::symlink_metadata(path).ok().map(of)
}
