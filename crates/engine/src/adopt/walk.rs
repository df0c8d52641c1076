//! Every source file below a folder, read once, by several threads.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hewto_core::adopt::{FileSightings, is_read, read_file};
use hewto_store::{Context, OWN_FOLDER, Progress};
use hewto_workstation::tree::{unfit_rules, unfit_rules_at, walk_all};
use ignore::{WalkBuilder, WalkState};

use super::SeenProblem;
use crate::error::Result;

/// Larger files are generated, or data.
const MAX_BYTES: u64 = 1 << 20;
/// Folders that hold what others have written, whether git knows of it or not.
const FOREIGN: [&str; 9] = [
    "node_modules",
    "vendor",
    "third_party",
    "target",
    "dist",
    ".venv",
    "venv",
    "site-packages",
    "bower_components",
];
/// How many threads read at most.
const MAX_THREADS: usize = 8;
/// After so many files it is said how far it is.
const STRIDE: usize = 64;
const CONFLICT: &str = "<<<<<<< ";

/// What a walk has found.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// Sorted by path.
    pub(super) files: Vec<(String, FileSightings)>,
    pub(super) problems: Vec<SeenProblem>,
}

pub(super) fn walk(root: &Path, ctx: &Context) -> Result<Walked> {
    ctx.check()?;
    let files = list(root);
    let total = files.len();
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let gathered: Mutex<Walked> = Mutex::default();
    hewto_parallel::map(0..threads(), |_| {
        let mut own = Walked::default();
        let mut bytes = Vec::new();
        while ctx.check().is_ok() {
            let from = next.fetch_add(STRIDE, Ordering::Relaxed);
            if from >= total {
                break;
            }
            for (file, path) in &files[from..(from + STRIDE).min(total)] {
                read(file, path, &mut bytes, &mut own);
            }
            let done = done.fetch_add(STRIDE, Ordering::Relaxed) + STRIDE;
            ctx.report(Progress {
                done: done.min(total) as u64,
                total: Some(total as u64),
                message: "files read".to_owned(),
            });
        }
        let mut all = gathered.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        all.files.append(&mut own.files);
        all.problems.append(&mut own.problems);
    });
    ctx.check()?;
    let mut walked = gathered.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    walked.files.sort_by(|(a, _), (b, _)| a.cmp(b));
    walked.problems.sort();
    Ok(walked)
}

fn threads() -> usize {
    hewto_parallel::cores().min(MAX_THREADS)
}

/// The files to read, each with its path from the root. What git ignores, hidden files and links are left out.
fn list(root: &Path) -> Vec<(PathBuf, String)> {
    let mut builder = WalkBuilder::new(root);
    builder.hidden(true).git_global(false).require_git(false).threads(threads());
    builder.filter_entry(|entry| {
        let name = entry.file_name().to_str().unwrap_or_default();
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        entry.depth() == 0
            || !(name == OWN_FOLDER
                || (FOREIGN.contains(&name) && entry.path().is_dir())
                || (is_folder && unfit_rules(entry.path()).is_some()))
    });
    if unfit_rules_at(root).is_some() {
        builder.standard_filters(false).hidden(true);
    }
    let found: Mutex<Vec<(PathBuf, String)>> = Mutex::default();
    walk_all(&builder, || {
        Box::new(|entry| {
            if let Ok(entry) = entry
                && entry.file_type().is_some_and(|kind| kind.is_file())
                && let Some(path) = entry.path().strip_prefix(root).ok().and_then(Path::to_str)
                && is_read(path)
            {
                let mut found = found.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                found.push((entry.path().to_owned(), path.to_owned()));
            }
            WalkState::Continue
        })
    });
    let mut found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    // The largest folders do not all come last.
    found.sort_by(|(_, a), (_, b)| a.cmp(b));
    found
}

/// Reads a file into a buffer that serves for all of them.
fn read(file: &Path, path: &str, bytes: &mut Vec<u8>, own: &mut Walked) {
    let mut problem = |line: u32, message: &str| {
        own.problems.push(SeenProblem { file: path.to_owned(), line, message: message.to_owned() });
    };
    let Ok(mut open) = fs_err::File::open(file) else { return problem(1, "it cannot be read") };
    let Ok(meta) = open.metadata() else { return problem(1, "it cannot be read") };
    if meta.len() > MAX_BYTES {
        return problem(1, "it is too large to have been written by hand, and was not read");
    }
    bytes.clear();
    if open.read_to_end(bytes).is_err() {
        return problem(1, "it cannot be read");
    }
    if memchr::memchr(0, &bytes[..bytes.len().min(8 << 10)]).is_some() {
        return;
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => std::borrow::Cow::Borrowed(text),
        Err(error) => {
            let line = memchr::memchr_iter(b'\n', &bytes[..error.valid_up_to()]).count() + 1;
            problem(
                u32::try_from(line).unwrap_or(u32::MAX),
                "it is not UTF-8; what can be read of it was read",
            );
            String::from_utf8_lossy(bytes)
        }
    };
    if memchr::memmem::find(text.as_bytes(), CONFLICT.as_bytes()).is_some() {
        let marked = text.lines().position(|line| line.starts_with(CONFLICT));
        if let Some(line) = marked {
            problem(
                u32::try_from(line + 1).unwrap_or(u32::MAX),
                "it is in the middle of a merge: both sides were read",
            );
        }
    }
    own.files.push((path.to_owned(), read_file(path, &text)));
}
