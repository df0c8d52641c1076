//! What the folders of specs looked like at one moment, written down: another process tells by one look at each folder and file,
//! and without reading any, that no spec and no plan has changed since.
//!
//! A list of names that is the same vouches for what is not in it, and a stamp that is not young for the file. Where looks cannot
//! vouch for everything (links, names that just changed) there is no trace, and whoever wants to know reads.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use hewto_core::interrupt::Interrupted;
use rustix::fs::AtFlags;
use rustix::io::Errno;

use crate::beneath::Root;
use crate::context::Context;
use crate::layout::{Layout, PLAN_FILE, SpecRoot};
use crate::stamp::Stamp;

/// Changes whenever the same folders would be written down otherwise.
const FORMAT: u8 = 1;
/// How many folders are looked at between two looks at the deadline.
const CHUNK: usize = 64;

/// What is noted of one folder of a spec root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Marks {
    /// Of its list of names, where that is known.
    pub(crate) names: Option<Stamp>,
    pub(crate) spec: Option<Stamp>,
    pub(crate) plan: Option<Stamp>,
}

/// One folder as it was written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Line<'t> {
    root: usize,
    below: &'t str,
    /// Which of the marks there are.
    has: [bool; 3],
    print: u64,
}

/// Writes down folders: the number of their root, the path below it, and their marks.
pub(crate) fn write<'f>(
    layout: &Layout,
    folders: impl Iterator<Item = (usize, &'f str, Marks)>,
) -> Option<Vec<u8>> {
    let mut folders: Vec<_> = folders.collect();
    // Folders that lie together are looked at together.
    folders.sort_unstable_by_key(|(root, below, _)| (*root, *below));
    let mut out = head(layout).to_vec();
    out.extend(u32::try_from(folders.len()).ok()?.to_le_bytes());
    for (root, below, marks) in folders {
        out.push(u8::try_from(root).ok()?);
        out.push(marks.has().iter().fold(0, |bits, has| bits << 1 | u8::from(*has)));
        out.extend(u16::try_from(below.len()).ok()?.to_le_bytes());
        out.extend(below.as_bytes());
        out.extend(marks.print().to_le_bytes());
    }
    Some(out)
}

/// Whether every folder is as it was written down. What cannot be read as a trace holds for nothing.
pub(crate) fn holds(
    context: &Context,
    layout: &Layout,
    root: &Root,
    trace: &[u8],
) -> Result<bool, Interrupted> {
    let Some(lines) = trace.strip_prefix(&head(layout)).and_then(read) else { return Ok(false) };
    let open: Vec<Option<OwnedFd>> =
        layout.spec_roots().iter().map(|spec_root| root.open_dir(Some(&spec_root.path)).ok()).collect();
    let differs = AtomicBool::new(false);
    let look = |lines: &[Line<'_>]| -> Result<(), Interrupted> {
        let mut path = String::new();
        for chunk in lines.chunks(CHUNK) {
            context.check()?;
            let is_same = |line: &Line<'_>| {
                let (spec_root, fd) = (layout.spec_roots().get(line.root), open.get(line.root));
                spec_root
                    .zip(fd.and_then(Option::as_ref))
                    .is_some_and(|(spec_root, fd)| line.is_at(spec_root, fd, &mut path))
            };
            if differs.load(Ordering::Relaxed) || !chunk.iter().all(is_same) {
                differs.store(true, Ordering::Relaxed);
                break;
            }
        }
        Ok(())
    };
    hewto_parallel::map_chunks(&lines, look).into_iter().collect::<Result<(), _>>()?;
    Ok(!differs.into_inner() && lines.iter().any(|line| line.below.is_empty()))
}

/// What tells this way of writing, and these roots, from others.
fn head(layout: &Layout) -> [u8; 9] {
    let mut hasher = DefaultHasher::new();
    for SpecRoot { path, owners, skipped, document } in layout.spec_roots() {
        (path.as_str(), format!("{owners:?}"), skipped, document).hash(&mut hasher);
    }
    let mut head = [FORMAT; 9];
    head[1..].copy_from_slice(&hasher.finish().to_le_bytes());
    head
}

fn read(rest: &[u8]) -> Option<Vec<Line<'_>>> {
    let (count, mut rest) = rest.split_first_chunk::<4>()?;
    let mut lines = Vec::with_capacity(rest.len() / 32);
    while let Some((head, after)) = rest.split_first_chunk::<4>() {
        let length = usize::from(u16::from_le_bytes([head[2], head[3]]));
        let (below, after) = after.split_at_checked(length)?;
        let (print, after) = after.split_first_chunk::<8>()?;
        lines.push(Line {
            root: usize::from(head[0]),
            below: std::str::from_utf8(below).ok()?,
            has: [4, 2, 1].map(|bit| head[1] & bit != 0),
            print: u64::from_le_bytes(*print),
        });
        rest = after;
    }
    let is_whole = rest.is_empty() && u32::try_from(lines.len()) == Ok(u32::from_le_bytes(*count));
    is_whole.then_some(lines)
}

impl Marks {
    fn has(&self) -> [bool; 3] {
        [self.names, self.spec, self.plan].map(|stamp| stamp.is_some())
    }

    fn print(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        [self.names, self.spec, self.plan].hash(&mut hasher);
        hasher.finish()
    }
}

impl Line<'_> {
    /// Whether the folder is as it was.
    fn is_at(&self, spec_root: &SpecRoot, root: &OwnedFd, path: &mut String) -> bool {
        let [has_names, ..] = self.has;
        let mut look = |document: &str, is_there: bool| {
            if !is_there && has_names {
                // The list of names vouches for that.
                return Some(None);
            }
            path.clear();
            path.push_str(self.below);
            if !path.is_empty() && !document.is_empty() {
                path.push('/');
            }
            path.push_str(document);
            let path = if path.is_empty() { "." } else { path.as_str() };
            match rustix::fs::statat(root.as_fd(), path, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) if is_there => Some(Some(Stamp::of(&stat))),
                Err(Errno::NOENT) if !is_there => Some(None),
                _ => None,
            }
        };
        let names = if has_names { look("", true) } else { Some(None) };
        let Some(names) = names else { return false };
        if self.below.is_empty() {
            return Marks { names, spec: None, plan: None }.print() == self.print;
        }
        let (spec, plan) = (look(spec_root.document, self.has[1]), look(PLAN_FILE, self.has[2]));
        spec.zip(plan).is_some_and(|(spec, plan)| Marks { names, spec, plan }.print() == self.print)
    }
}
