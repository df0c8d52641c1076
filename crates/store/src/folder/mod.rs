//! Looks at one folder of a spec root: which specs and folders are in it, and what changed since last time.
//!
//! [`names`] finds the folders inside, [`files`] the documents of a spec, [`summary`] reads what they say. Nothing
//! that is wrong with a file keeps its folder from being listed (D-9).

mod files;
mod names;
mod summary;
mod whole;

use std::collections::BTreeSet;
use std::os::fd::BorrowedFd;
use std::sync::Arc;

use hewto_core::diagnostic::Finding;
use hewto_core::rules::workspace as rules;

use self::files::Seen;
pub(crate) use self::whole::read_entry;
use crate::beneath::{Root, is_missing};
use crate::layout::{Nesting, PLAN_FILE, STATE_FILE, SpecRoot};
use crate::snapshot::{SpecEntry, Stamps};
use crate::stamp::{Moment, Stamp};
use crate::trace::Marks;

/// What is remembered of a folder.
#[derive(Debug, Clone, Default)]
pub(crate) struct Folder {
    /// The stamp of the list of names; `None` when it cannot be trusted, or was not needed.
    names: Option<Stamp>,
    /// Which folder this is: another one may have taken its name.
    pub(crate) inode: Option<u64>,
    pub(crate) children: Arc<[Child]>,
    /// Links that lead nowhere: where they lead to may come without a trace here.
    pub(crate) dangling: Vec<String>,
    /// `spec.md`, `plan.md` and `state.toon`.
    files: [Option<Seen>; 3],
    pub(crate) entry: Option<Arc<SpecEntry>>,
    pub(crate) findings: Vec<Finding>,
    /// The folder or a file in it can change without a trace in the folder: it is looked at every time.
    pub(crate) restless: bool,
}

/// What a second look at a folder found, of what the first could not vouch for.
#[derive(Debug)]
pub(crate) struct Proof {
    names: Option<Stamp>,
    files: [Option<Stamp>; 3],
}

/// A folder inside a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Child {
    pub(crate) name: Arc<str>,
    /// Reached through a link: it may be a spec, but nothing is looked for inside.
    pub(crate) linked: bool,
}

/// What may have changed among the names in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum News {
    Anything,
    /// Only these came, went or were replaced.
    Names(BTreeSet<String>),
}

/// What a look at a folder found.
#[derive(Debug)]
pub(crate) enum Look {
    /// Nothing changed.
    Same,
    /// The same content; only what is remembered about its age is new.
    Settled(Box<Folder>),
    Changed(Box<Folder>),
    Gone,
}

/// Everything a look needs to know about its surroundings.
#[derive(Debug)]
pub(crate) struct Looker<'a> {
    pub(crate) root: &'a Root,
    pub(crate) spec_root: &'a SpecRoot,
    pub(crate) root_index: usize,
    /// The spec root, open.
    pub(crate) fd: BorrowedFd<'a>,
    pub(crate) moment: Moment,
}

impl Looker<'_> {
    /// Looks at the folder `below` the spec root; the empty path is the root itself.
    pub(crate) fn look(&self, below: &str, linked: bool, news: &News, known: Option<&Folder>) -> Look {
        let mut folder = Folder { restless: linked, ..Folder::default() };
        let mut changed = known.is_none();
        let mut listed = None;
        if !linked && (below.is_empty() || self.spec_root.nesting() == Nesting::Deep) {
            match self.look_at_names(below, news, known, &mut folder) {
                Ok(names) => {
                    changed |= names.are_news;
                    listed = names.documents;
                }
                Err(error) if is_missing(&error) => return Look::Gone,
                Err(error) => {
                    let message = format!("cannot read the folder: {error}");
                    let hint = "give this user the right to read the folder";
                    folder.findings.push(rules::UNREADABLE.on(self.full(below), None, message, hint));
                    changed |= known.is_none_or(|known| known.findings != folder.findings);
                }
            }
        }
        if !below.is_empty() {
            changed |= self.look_at_files(below, known, listed, &mut folder);
        }
        match known {
            Some(known) if !changed && known.is_remembered_like(&folder) => Look::Same,
            Some(_) if !changed => Look::Settled(Box::new(folder)),
            _ => Look::Changed(Box::new(folder)),
        }
    }

    /// Looks at the files of one spec; `None` when there is no `spec.md`.
    pub(crate) fn entry(&self, below: &str, known: Option<&Arc<SpecEntry>>) -> Option<Arc<SpecEntry>> {
        let trusted = known.filter(|entry| !entry.is_young(self.moment));
        let known = trusted.map(Folder::of_entry);
        let mut folder = Folder::default();
        self.look_at_files(below, known.as_ref(), None, &mut folder);
        folder.entry
    }

    /// The names of the files of a spec, in the order of [`Folder::files`].
    fn documents(&self) -> [&str; 3] {
        [self.spec_root.document, PLAN_FILE, STATE_FILE]
    }

    /// A path below the spec root as a path below the workspace.
    pub(crate) fn full(&self, below: &str) -> String {
        join(self.spec_root.path.as_str(), below)
    }
}

impl Folder {
    /// What is remembered of a folder of which only the summary is at hand.
    fn of_entry(entry: &Arc<SpecEntry>) -> Self {
        let Stamps { spec, plan, state } = entry.stamps;
        let files = [Some(Seen::settled(spec)), plan.map(Seen::settled), state.map(Seen::settled)];
        Self { files, entry: Some(Arc::clone(entry)), ..Self::default() }
    }

    /// What tells later whether a spec or a plan in it has changed; `None` where nothing but reading does. Of a folder whose names
    /// were not listed the files say all there is to say.
    pub(crate) fn marks(&self, is_listed: bool) -> Option<Marks> {
        let settled = |file: &Option<Seen>| file.map_or(Some(None), |seen| seen.settled_stamp().map(Some));
        let (spec, plan) = (settled(&self.files[0])?, settled(&self.files[1])?);
        let is_vouched_for = !self.restless && (self.names.is_some() || !is_listed);
        is_vouched_for.then_some(Marks { names: self.names.filter(|_| is_listed), spec, plan })
    }

    /// Looks once more at what proved nothing at the last look: at the list of names (`None`) and at files. Nothing where all is proven.
    pub(crate) fn prove(
        &self,
        is_listed: bool,
        document: &str,
        look: impl Fn(Option<&str>) -> Option<Stamp>,
    ) -> Option<Proof> {
        let is_young = |file: &Option<Seen>| file.is_some_and(|seen| seen.settled_stamp().is_none());
        let lacks_names = is_listed && self.names.is_none();
        if !lacks_names && !self.files.iter().any(is_young) {
            return None;
        }
        let names = [document, PLAN_FILE, STATE_FILE];
        let of_file = |at: usize| is_young(&self.files[at]).then(|| look(Some(names[at]))).flatten();
        Some(Proof { names: lacks_names.then(|| look(None)).flatten(), files: [0, 1, 2].map(of_file) })
    }

    /// Notes that everything was as it is known when it looked like this.
    pub(crate) fn vouch(&mut self, proof: &Proof) {
        if let Some(stamp) = proof.names.filter(|stamp| self.inode == Some(stamp.inode)) {
            self.names = Some(stamp);
        }
        for (file, stamp) in self.files.iter_mut().zip(proof.files) {
            if let (Some(seen), Some(stamp)) = (file, stamp) {
                seen.settle(stamp);
            }
        }
    }

    fn is_remembered_like(&self, other: &Self) -> bool {
        (self.names, self.inode) == (other.names, other.inode)
            && self.files == other.files
            && self.restless == other.restless
            && self.dangling == other.dangling
    }
}

impl SpecEntry {
    /// Whether a change may hide behind the stamps of this summary.
    fn is_young(&self, moment: Moment) -> bool {
        let then = Moment { now_ns: self.read_at_ns, ..moment };
        let Stamps { spec, plan, state } = self.stamps;
        [Some(spec), plan, state].into_iter().flatten().any(|stamp| stamp.is_young(then))
    }
}

/// Joins two relative paths, of which either may be empty.
fn join(first: &str, second: &str) -> String {
    match (first, second) {
        ("", path) | (path, "") => path.to_owned(),
        (first, second) => format!("{first}/{second}"),
    }
}
