//! Whether specs or changes differ, asked for again and again: as long as nothing has happened in their folders, nothing is
//! listed, and where the file system cannot tell that, a look at known stamps is enough.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use hewto_store::{Context, Stamp, TreeWatcher};

use super::mark::people_mark;
use crate::error::Result;
use crate::workspace::Workspace;

/// The folders and files of all open changes, as they were at the last full look.
#[derive(Debug, Default)]
pub struct WorkWatch(Mutex<Option<Known>>);

#[derive(Debug)]
struct Known {
    root: PathBuf,
    seen: Vec<Seen>,
    mark: u64,
    /// Nothing where the file system does not tell what happens.
    quiet: Option<TreeWatcher>,
}

#[derive(Debug, Hash)]
struct Seen {
    path: PathBuf,
    kind: Kind,
    stamp: Option<Stamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    /// Where changes stand. It may not be there, and another one may take its place.
    Root,
    Folder,
    File,
}

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
            && known.holds(ws)
        {
            return Ok(known.mark);
        }
        let (mark, known) = look(ws, ctx)?;
        *last = known;
        Ok(mark)
    }
}

impl Known {
    fn holds(&self, ws: &Workspace) -> bool {
        let is_silent = match &self.quiet {
            Some(quiet) if quiet.holds() => true,
            Some(_) => return false,
            None => false,
        };
        let is_same =
            |seen: &Seen| (is_silent && seen.kind != Kind::Root) || stamp_of(&seen.path) == seen.stamp;
        self.root == ws.root() && self.seen.iter().all(is_same)
    }
}

/// The mark of all changes, and what is known of them from now on; nothing where something came while they were listed.
fn look(ws: &Workspace, ctx: &Context) -> Result<(u64, Option<Known>)> {
    let began = ws.store().ticks().moment();
    let places = places(ws, ctx)?;
    let quiet = TreeWatcher::start(ws.root());
    if let Some(quiet) = &quiet {
        let folders = places.iter().filter(|(path, kind)| match kind {
            Kind::Root => path.is_dir(),
            Kind::Folder => true,
            Kind::File => false,
        });
        folders.for_each(|(folder, _)| quiet.add(folder));
    }
    // Watched first, so that what happens from here on is told, or shows in a stamp.
    let seen = |(path, kind): (PathBuf, Kind)| Seen { stamp: stamp_of(&path), path, kind };
    let seen: Vec<Seen> = places.into_iter().map(seen).collect();
    let mut hasher = DefaultHasher::new();
    seen.hash(&mut hasher);
    let mark = hasher.finish();
    // What came after its folder was listed is not among them.
    let is_young =
        |seen: &Seen| seen.kind != Kind::File && seen.stamp.is_some_and(|stamp| stamp.is_young(began));
    if seen.iter().any(is_young) {
        return Ok((mark, None));
    }
    let quiet = quiet.filter(TreeWatcher::holds);
    Ok((mark, Some(Known { root: ws.root().to_owned(), seen, mark, quiet })))
}

/// The roots of changes, and every folder and file below them. A folder's stamp changes when something comes or goes.
fn places(ws: &Workspace, ctx: &Context) -> Result<Vec<(PathBuf, Kind)>> {
    let roots = ws.store().watched().changes;
    let mut places: Vec<_> = roots.into_iter().map(|root| (root, Kind::Root)).collect();
    for entry in ws.store().changes(ctx)?.changes {
        let folder = ws.root().join(entry.folder.as_str());
        places.extend(entry.folders.iter().map(|inner| (folder.join(inner), Kind::Folder)));
        places.extend(entry.files.iter().map(|file| (folder.join(file), Kind::File)));
        places.push((folder, Kind::Folder));
    }
    Ok(places)
}

fn stamp_of(path: &Path) -> Option<Stamp> {
    let found = std::fs::symlink_metadata(path).ok()?;
    let nanos = |seconds: i64, nanos: i64| seconds.wrapping_mul(1_000_000_000).wrapping_add(nanos);
    Some(Stamp {
        size: found.size(),
        mtime_ns: nanos(found.mtime(), found.mtime_nsec()),
        ctime_ns: nanos(found.ctime(), found.ctime_nsec()),
        inode: found.ino(),
    })
}
