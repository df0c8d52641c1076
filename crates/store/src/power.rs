//! What a loss of power takes back: every name and every byte that was not synced (tests only).
//!
//! A name is durable once its folder is synced, a byte once its file is. A move is
//! durable with either of its folders, as on a file system with a journal; that POSIX promises less is not covered.

#![allow(clippy::disallowed_methods, reason = "only tests lose power")]

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// What makes a step durable when it is synced.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Held {
    Folder(PathBuf),
    /// By number, because a file may be moved before it is synced.
    Content(u64, u64),
}

struct Step {
    held: Held,
    /// A move is one step of a file system: it is durable as soon as either of its folders is.
    or: Option<Held>,
    undo: Box<dyn FnOnce()>,
}

thread_local! {
    static LOSSES: Cell<usize> = const { Cell::new(0) };
    static STEPS: RefCell<Option<Vec<Step>>> = const { RefCell::new(None) };
}

pub(crate) fn remember() {
    STEPS.set(Some(Vec::new()));
}

/// Takes back what was not synced, the last step first.
pub(crate) fn lose(everything: bool) {
    LOSSES.set(LOSSES.get() + 1);
    let Some(steps) = STEPS.take() else { return };
    let mut counts: BTreeMap<Held, usize> = BTreeMap::new();
    for step in &steps {
        *counts.entry(step.held.clone()).or_default() += 1;
    }
    let mut left = counts.clone();
    for step in steps.into_iter().rev() {
        let (all, left) = (counts[&step.held], left.entry(step.held.clone()).or_default());
        *left -= 1;
        // What came first may have reached the disk by itself.
        if everything || *left >= all / 2 {
            (step.undo)();
        }
    }
}

/// How often this thread has lost power: the machine starts again each time.
pub(crate) fn losses() -> usize {
    LOSSES.get()
}

fn is_remembering() -> bool {
    STEPS.with_borrow(Option::is_some)
}

fn push(held: Held, undo: impl FnOnce() + 'static) {
    STEPS.with_borrow_mut(|steps| {
        if let Some(steps) = steps {
            steps.push(Step { held, or: None, undo: Box::new(undo) });
        }
    });
}

fn folder_of(fd: BorrowedFd<'_>) -> PathBuf {
    std::fs::read_link(format!("/proc/self/fd/{}", fd.as_raw_fd())).unwrap_or_default()
}

/// A file or folder is about to be made.
pub(crate) fn will_create(parent: BorrowedFd<'_>, name: &str) {
    if !is_remembering() {
        return;
    }
    let folder = folder_of(parent);
    let path = folder.join(name);
    if std::fs::symlink_metadata(&path).is_err() {
        push(Held::Folder(folder), move || remove(&path));
    }
}

/// Bytes are about to be appended.
pub(crate) fn will_write(file: &File) {
    if !is_remembering() {
        return;
    }
    let (Ok(meta), Ok(own)) = (file.metadata(), file.try_clone()) else { return };
    let length = meta.len();
    push(Held::Content(meta.dev(), meta.ino()), move || {
        let _ = own.set_len(length);
    });
}

/// A file or folder is about to be moved, onto another or not.
pub(crate) fn will_rename(from: (BorrowedFd<'_>, &str), to: (BorrowedFd<'_>, &str)) {
    if !is_remembering() {
        return;
    }
    let (source, folder) = (folder_of(from.0).join(from.1), folder_of(to.0));
    let target = folder.join(to.1);
    let replaced = std::fs::read(&target).ok();
    let left = Held::Folder(folder_of(from.0));
    push(Held::Folder(folder), move || {
        if std::fs::rename(&target, &source).is_ok()
            && let Some(bytes) = replaced
        {
            let _ = std::fs::write(&target, bytes);
        }
    });
    also(left);
}

/// What else makes the last step durable.
fn also(held: Held) {
    STEPS.with_borrow_mut(|steps| {
        if let Some(last) = steps.as_mut().and_then(|steps| steps.last_mut()) {
            last.or = Some(held);
        }
    });
}

/// What was about to happen last did not.
pub(crate) fn did_not() {
    STEPS.with_borrow_mut(|steps| {
        if let Some(steps) = steps {
            steps.pop();
        }
    });
}

/// Two files have changed places.
pub(crate) fn did_exchange(a: (BorrowedFd<'_>, &str), b: (BorrowedFd<'_>, &str)) {
    if !is_remembering() {
        return;
    }
    let (one, folder) = (folder_of(a.0).join(a.1), folder_of(b.0));
    let other = folder.join(b.1);
    let left = Held::Folder(folder_of(a.0));
    push(Held::Folder(folder), move || {
        let aside = one.with_extension("aside");
        let _ = std::fs::rename(&one, &aside)
            .and_then(|()| std::fs::rename(&other, &one))
            .and_then(|()| std::fs::rename(&aside, &other));
    });
    also(left);
}

/// A file or an empty folder is about to be removed.
pub(crate) fn will_remove(parent: BorrowedFd<'_>, name: &str) {
    if !is_remembering() {
        return;
    }
    let folder = folder_of(parent);
    let path = folder.join(name);
    let Ok(meta) = std::fs::symlink_metadata(&path) else { return };
    let bytes = std::fs::read(&path).ok();
    push(Held::Folder(folder), move || match bytes {
        _ if meta.is_dir() => drop(std::fs::create_dir(&path)),
        Some(bytes) => drop(std::fs::write(&path, bytes)),
        None => {}
    });
}

/// A file is durable.
pub(crate) fn synced_file(file: &File) {
    if let Ok(meta) = file.metadata() {
        forget(&Held::Content(meta.dev(), meta.ino()));
    }
}

/// The names in a folder are.
pub(crate) fn synced_folder(folder: impl AsFd) {
    if is_remembering() {
        forget(&Held::Folder(folder_of(folder.as_fd())));
    }
}

fn forget(held: &Held) {
    STEPS.with_borrow_mut(|steps| {
        if let Some(steps) = steps {
            steps.retain(|step| step.held != *held && step.or.as_ref() != Some(held));
        }
    });
}

fn remove(path: &Path) {
    let _ = std::fs::remove_file(path).or_else(|_| std::fs::remove_dir_all(path));
}
