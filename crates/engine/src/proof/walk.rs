//! One walk over the project's files: which of them carry tags, what the tags say and, where somebody asks, the digest of
//! each, which make the tree that a run is about.
//!
//! What git ignores is left out. Markdown, binary files and files over 2 MiB carry no tags. A file that has the stamp under
//! which it was last read is not read again (`cache.rs`).

use std::fs::{File, Metadata};
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use globset::GlobSet;
use hewto_core::interrupt::Interrupted;
use hewto_core::proof::{FileRole, FileTags, TAG_MARK, read_file_tags};
use hewto_store::{Context, OWN_FOLDER, TreeWatcher};
use hewto_workstation::Call;
use hewto_workstation::tree::{
    FileDigest, Tree, digest_of, digest_of_content, unfit_rules, unfit_rules_at, walk_all, walker,
};
use ignore::WalkState;
use memchr::memmem::Finder;

use super::cache::{Cache, Entry, Stamp};
use crate::error::{Error, Key, Kind, Result};
use crate::workspace::Workspace;

/// Larger files carry no tags.
const MAX_BYTES: u64 = 2 << 20;
/// A NUL within so many bytes makes a file binary.
const TEXT_HEAD: usize = 8 << 10;
/// How many threads read at most.
const MAX_THREADS: usize = 8;

/// What a walk has found.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// Files with tags, sorted by path.
    pub(crate) tagged: Vec<(String, FileTags)>,
    /// How many files were looked at.
    pub(crate) files: usize,
    /// All files that are part of what a run is about, where that was asked.
    pub(crate) tree: Tree,
}

/// Which files are part of what a run is about.
pub(crate) type IsPart<'p> = &'p (dyn Fn(&str) -> bool + Sync);

/// Which files are looked at, and which of them are tests.
#[derive(Debug)]
pub(crate) struct Scope {
    pub(crate) tests: GlobSet,
    /// Stands for the globs in the cache: with others the same file says something else.
    pub(crate) key: String,
}

/// Walks the files of a workspace; `tree` says which of them a tree is made of, where one is asked for. Every folder is watched
/// before it is listed, where somebody wants to know later whether anything happened.
pub(crate) fn walk(
    ws: &Workspace,
    ctx: &Context,
    scope: &Scope,
    tree: Option<IsPart<'_>>,
    quiet: Option<&Arc<TreeWatcher>>,
) -> Result<Walked> {
    ctx.check()?;
    let old = Cache::load(ws, ctx, &scope.key);
    let began = Stamp::now();
    let state = Shared {
        root: ws.root(),
        scope,
        tree,
        old: &old,
        found: Mutex::default(),
        read: AtomicUsize::new(0),
        fault: Mutex::default(),
        finder: Finder::new(TAG_MARK),
    };
    if let Some(file) = unfit_rules_at(ws.root()) {
        return Err(unfit(ws, &file));
    }
    let unfit_below: Arc<Mutex<Option<PathBuf>>> = Arc::default();
    let met_unfit = Arc::clone(&unfit_below);
    let threads = hewto_parallel::cores().min(MAX_THREADS);
    let mut builder = walker(ws.root());
    let quiet = quiet.cloned();
    if let Some(quiet) = &quiet {
        quiet.add(ws.root());
    }
    builder.threads(threads).filter_entry(move |entry| {
        let is_taken = match entry.file_name().to_str() {
            Some(".git") => false,
            // Of this name only at the top: elsewhere code could hide in such a folder.
            Some(".jj" | ".hg" | OWN_FOLDER) => entry.depth() != 1,
            _ => true,
        };
        if !is_taken || !entry.file_type().is_some_and(|kind| kind.is_dir()) {
            return is_taken;
        }
        if let Some(file) = unfit_rules(entry.path()) {
            met_unfit.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(file);
            return false;
        }
        if let Some(quiet) = &quiet {
            quiet.add(entry.path());
        }
        true
    });
    let interrupted: Mutex<Option<Interrupted>> = Mutex::default();
    walk_all(&builder, || {
        let mut worker = Worker { shared: &state, found: Vec::new(), buffer: Vec::new(), count: 0 };
        let interrupted = &interrupted;
        Box::new(move |entry| {
            worker.count += 1;
            if worker.count.is_multiple_of(256)
                && let Err(why) = ctx.check()
            {
                *interrupted.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
                return WalkState::Quit;
            }
            // A file that vanished or cannot be listed is not part of the tree; its absence shows.
            match entry.map(|entry| worker.take(&entry)) {
                Ok(Err(error)) => {
                    worker.shared.fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    WalkState::Quit
                }
                Ok(Ok(())) | Err(_) => WalkState::Continue,
            }
        })
    });
    if let Some(why) = interrupted.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(why.into());
    }
    if let Some(file) = unfit_below.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(unfit(ws, &file));
    }
    let read = state.read.load(Ordering::Relaxed);
    let mut found = state.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    if let Some(error) = state.fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let files = found.len();
    if read > 0 || files != old.len() {
        Cache::save(ws, ctx, &scope.key, began, &found);
    }
    let tree = match tree {
        Some(is_part) => whole_tree(ws, ctx, is_part, &found)?,
        None => Tree::default(),
    };
    let tagged = found.into_iter().filter_map(|(path, entry)| Some((path, *entry.tags?))).collect();
    Ok(Walked { tagged, files, tree })
}

/// Without its rules nobody knows which files of a folder count.
fn unfit(ws: &Workspace, file: &Path) -> Error {
    let shown = file.strip_prefix(ws.root()).unwrap_or(file).display().to_string();
    let message =
        format!("`{shown}` is not a file, or is too large to read, so it is not known which files count");
    Error::new(Kind::Refused, Key::PathUnreadable, message)
        .detail("path", shown)
        .hint("put a file there that somebody can read, or remove it")
}

/// The files of the walk, and those that git keeps although somebody had them ignored.
fn whole_tree(ws: &Workspace, ctx: &Context, is_part: IsPart<'_>, found: &[(String, Entry)]) -> Result<Tree> {
    let digests = found.iter().filter(|(path, _)| is_part(path));
    let mut tree =
        Tree { files: digests.filter_map(|(path, entry)| Some((path.clone(), entry.digest?))).collect() };
    let kept = ws.git().kept_though_ignored(ctx, ws.root());
    let kept: Vec<String> =
        kept.into_iter().filter(|path| is_part(path) && !tree.files.contains_key(path)).collect();
    let is_cancelled = || ctx.cancellation().is_cancelled();
    let call = Call::unbounded().with_deadline(ctx.deadline()).with_cancellation(&is_cancelled);
    tree.files.extend(Tree::of(ws.root(), &kept, &call)?.files);
    Ok(tree)
}

struct Shared<'w> {
    root: &'w Path,
    scope: &'w Scope,
    tree: Option<IsPart<'w>>,
    old: &'w Cache,
    found: Mutex<Vec<(String, Entry)>>,
    read: AtomicUsize,
    fault: Mutex<Option<Error>>,
    finder: Finder<'static>,
}

struct Worker<'w> {
    shared: &'w Shared<'w>,
    found: Vec<(String, Entry)>,
    buffer: Vec<u8>,
    count: usize,
}

impl Worker<'_> {
    fn take(&mut self, entry: &ignore::DirEntry) -> Result<()> {
        let Some(kind) = entry.file_type().filter(|kind| !kind.is_dir()) else { return Ok(()) };
        let Ok(path) = entry.path().strip_prefix(self.shared.root) else { return Ok(()) };
        let (name, is_text) = match path.to_str() {
            Some(name) => (name.to_owned(), true),
            // A path that is no UTF-8 cannot be named in a link; in the tree it goes by a name that no other path has.
            None => (format!("\0{}", path.as_os_str().as_encoded_bytes().escape_ascii()), false),
        };
        let is_part = self.shared.tree.is_some_and(|is_part| is_part(&name));
        let carries_tags = is_text && kind.is_file() && !is_markdown(&name);
        if !is_part && !carries_tags {
            return Ok(());
        }
        let Ok(metadata) = entry.metadata() else { return Ok(()) };
        let stamp = Stamp::of(&metadata);
        let known = self.shared.old.get(&name, stamp).filter(|known| !is_part || known.digest.is_some());
        let entry = if let Some(known) = known {
            known.clone()
        } else {
            self.shared.read.fetch_add(1, Ordering::Relaxed);
            let wanted = Wanted { tags: carries_tags, digest: is_part };
            let (digest, tags) = self
                .read(entry.path(), &name, &metadata, wanted)
                .map_err(|error| unreadable(&name, error))?;
            Entry { stamp, digest, tags: tags.map(Box::new) }
        };
        self.found.push((name, entry));
        Ok(())
    }

    /// Digest and tags of a file, from one reading.
    fn read(
        &mut self,
        file: &Path,
        name: &str,
        metadata: &Metadata,
        wanted: Wanted,
    ) -> std::io::Result<(Option<FileDigest>, Option<FileTags>)> {
        let is_small = metadata.is_file() && metadata.len() <= MAX_BYTES;
        if !is_small {
            return Ok((if wanted.digest { digest_of(file)? } else { None }, None));
        }
        if !wanted.digest && metadata.len() < TAG_MARK.len() as u64 {
            return Ok((None, None));
        }
        match self.fill(file, metadata.len()) {
            Ok(()) => {}
            // Without a digest nobody misses it.
            Err(_) if !wanted.digest => return Ok((None, None)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok((None, None)),
            Err(error) => return Err(error),
        }
        if self.buffer.len() as u64 > MAX_BYTES {
            // It has grown since it was listed.
            return Ok((if wanted.digest { digest_of(file)? } else { None }, None));
        }
        let digest = wanted.digest.then(|| digest_of_content(metadata.mode(), &self.buffer));
        Ok((digest, if wanted.tags { self.tags(name) } else { None }))
    }

    /// Reads a file into the buffer, up to a byte more than one with tags may have.
    fn fill(&mut self, file: &Path, size: u64) -> std::io::Result<()> {
        self.buffer.clear();
        // Room for one byte more, so that one read tells that there is no more.
        self.buffer.reserve(usize::try_from(size).unwrap_or(0) + 1);
        File::open(file)?.take(MAX_BYTES + 1).read_to_end(&mut self.buffer)?;
        Ok(())
    }

    /// What the tags in the buffer say.
    fn tags(&self, path: &str) -> Option<FileTags> {
        self.shared.finder.find(&self.buffer)?;
        let head = &self.buffer[..self.buffer.len().min(TEXT_HEAD)];
        if memchr::memchr(0, head).is_some() {
            return None;
        }
        let role = if self.shared.scope.tests.is_match(path) { FileRole::Tests } else { FileRole::Other };
        let tags = read_file_tags(path, &String::from_utf8_lossy(&self.buffer), role);
        (tags != FileTags::default()).then_some(tags)
    }
}

/// What is asked of a file.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    tags: bool,
    digest: bool,
}

fn unreadable(path: &str, error: std::io::Error) -> Error {
    Error::new(Kind::Machine, Key::IoError, format!("cannot read `{path}`"))
        .detail("file", path)
        .hint("look at the permissions of the file, or let git ignore it")
        .caused_by(error)
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        let mut found = self.shared.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.append(&mut self.found);
    }
}

pub(super) fn is_markdown(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    ["md", "markdown", "mdx"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}
