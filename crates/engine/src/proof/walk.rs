//! One walk over the project's files: which of them carry tags, and what the tags say.
//!
//! What git ignores is left out, and so are Markdown, binary files and files over 2 MiB. A file that has the stamp under
//! which it was last read is not read again (`cache.rs`).

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use globset::GlobSet;
use hewto_core::interrupt::Interrupted;
use hewto_core::proof::{FileRole, FileTags, TAG_MARK, read_file_tags};
use hewto_store::{Context, OWN_FOLDER};
use ignore::{WalkBuilder, WalkState};
use memchr::memmem::Finder;

use super::cache::{Cache, Entry, Stamp};
use crate::error::Result;
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
}

/// Which files are looked at, and which of them are tests.
#[derive(Debug)]
pub(crate) struct Scope {
    pub(crate) tests: GlobSet,
    /// Stands for the globs in the cache: with others the same file says something else.
    pub(crate) key: String,
}

/// Walks the tree of a workspace.
pub(crate) fn walk(ws: &Workspace, ctx: &Context, scope: &Scope) -> Result<Walked> {
    ctx.check()?;
    let old = Cache::load(ws, &scope.key);
    let began = Stamp::now();
    let state = Shared {
        root: ws.root(),
        scope,
        old: &old,
        found: Mutex::default(),
        read: AtomicUsize::new(0),
        finder: Finder::new(TAG_MARK),
    };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(MAX_THREADS);
    let mut builder = WalkBuilder::new(ws.root());
    builder.hidden(false).git_global(false).require_git(false).threads(threads);
    builder.filter_entry(|entry| {
        !matches!(entry.file_name().to_str(), Some(".git" | ".jj" | ".hg" | OWN_FOLDER))
    });
    let interrupted: Mutex<Option<Interrupted>> = Mutex::default();
    builder.build_parallel().run(|| {
        let mut worker = Worker { shared: &state, found: Vec::new(), buffer: Vec::new(), count: 0 };
        let interrupted = &interrupted;
        Box::new(move |entry| {
            worker.count += 1;
            if worker.count.is_multiple_of(256)
                && let Err(why) = ctx.check()
            {
                *interrupted.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(why);
                return WalkState::Quit;
            }
            if let Ok(entry) = entry {
                worker.take(&entry);
            }
            WalkState::Continue
        })
    });
    if let Some(why) = interrupted.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        return Err(why.into());
    }
    let read = state.read.load(Ordering::Relaxed);
    let mut found = state.found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    found.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    let files = found.len();
    if read > 0 || files != old.len() {
        Cache::save(ws, &scope.key, began, &found);
    }
    let tagged = found.into_iter().filter_map(|(path, entry)| Some((path, *entry.tags?))).collect();
    Ok(Walked { tagged, files })
}

struct Shared<'w> {
    root: &'w Path,
    scope: &'w Scope,
    old: &'w Cache,
    found: Mutex<Vec<(String, Entry)>>,
    read: AtomicUsize,
    finder: Finder<'static>,
}

struct Worker<'w> {
    shared: &'w Shared<'w>,
    found: Vec<(String, Entry)>,
    buffer: Vec<u8>,
    count: usize,
}

impl Worker<'_> {
    fn take(&mut self, entry: &ignore::DirEntry) {
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            return;
        }
        // A path that is no UTF-8 cannot be named in a link; the file is passed over.
        let Some(path) = entry.path().strip_prefix(self.shared.root).ok().and_then(Path::to_str) else {
            return;
        };
        if is_markdown(path) {
            return;
        }
        let Ok(metadata) = entry.metadata() else { return };
        let stamp = Stamp::of(&metadata);
        let entry = match self.shared.old.get(path, stamp) {
            Some(known) => known.clone(),
            None => Entry { stamp, tags: self.read(entry.path(), path, metadata.size()).map(Box::new) },
        };
        self.found.push((path.to_owned(), entry));
    }

    fn read(&mut self, file: &Path, path: &str, size: u64) -> Option<FileTags> {
        self.shared.read.fetch_add(1, Ordering::Relaxed);
        if size > MAX_BYTES || size < TAG_MARK.len() as u64 {
            return None;
        }
        self.buffer.clear();
        let mut file = fs_err::File::open(file).ok()?;
        std::io::Read::read_to_end(&mut std::io::Read::take(&mut file, MAX_BYTES + 1), &mut self.buffer)
            .ok()?;
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

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        let mut found = self.shared.found.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        found.append(&mut self.found);
    }
}

fn is_markdown(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    ["md", "markdown", "mdx"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}
