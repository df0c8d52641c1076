//! One pass over the folders of the spec roots, on two threads when there is much to look at (D-9).

use std::collections::BTreeMap;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering};

use hewto_core::interrupt::Interrupted;
use hewto_core::rules::workspace as rules;

use crate::beneath::Root;
use crate::context::{Context, Progress};
use crate::folder::{Child, Look, Looker, News};
use crate::index::{Index, Key, Moves};
use crate::layout::Layout;
use crate::stamp::{Disk, Moment};
use crate::watch::Watcher;

/// How many folders a thread takes at a time, and how few are not worth a second thread.
const CHUNK: usize = 64;
/// How often progress is told, in chunks.
const TELL_EVERY: usize = 16;

/// What a pass looks at.
#[derive(Debug)]
pub(crate) enum Scope {
    Everything,
    Folders(BTreeMap<Key, News>),
}

pub(crate) struct Pass<'a> {
    pub(crate) context: &'a Context,
    pub(crate) layout: &'a Layout,
    pub(crate) root: &'a Root,
    pub(crate) disk: Disk,
    pub(crate) number: u64,
    pub(crate) watcher: Option<&'a mut Watcher>,
    /// Folders that were named by the one above and were not there when they were looked at.
    pub(crate) vanished: Vec<Key>,
    /// Whether something may have been missed, so that the next pass has to look at everything.
    pub(crate) is_uncertain: bool,
    /// Which folders the spec roots were when they were opened.
    pub(crate) roots: Vec<Option<(u64, u64)>>,
}

struct Job {
    key: Key,
    linked: bool,
    news: News,
}

/// A look with the watch that was set before it.
type Found = (Look, Option<i32>);

impl Pass<'_> {
    /// Brings the index up to date.
    pub(crate) fn run(&mut self, index: &mut Index, scope: &Scope) -> Result<(), Interrupted> {
        let moment = Moment::now(self.disk);
        let open = self.open_roots(index);
        self.roots = open.iter().map(|fd| identity(fd.as_ref()?)).collect();
        let lookers: Vec<Option<Looker<'_>>> = open
            .iter()
            .enumerate()
            .map(|(root_index, fd)| {
                let spec_root = &self.layout.spec_roots()[root_index];
                let fd = fd.as_ref()?.as_fd();
                Some(Looker { root: self.root, spec_root, root_index, fd, moment })
            })
            .collect();
        let mut level = first_level(index, scope, &lookers);
        while !level.is_empty() {
            let found = self.look_at_all(index, &lookers, &level)?;
            level = self.take_in(index, scope, level, found);
        }
        // A folder that went between the list of names and the look may come back before anybody hears of it: as long as
        // the list has its name, its return is no news.
        self.is_uncertain |= self.vanished.iter().any(|key| index.is_listed(key));
        if matches!(scope, Scope::Everything) {
            for key in index.unvisited(self.number) {
                self.forget(index, &key);
            }
        }
        Ok(())
    }

    /// Opens the spec roots; one that is not there is a finding.
    fn open_roots(&mut self, index: &mut Index) -> Vec<Option<OwnedFd>> {
        let mut open = Vec::new();
        for (root_index, spec_root) in self.layout.spec_roots().iter().enumerate() {
            let opened = self.root.open_dir(Some(&spec_root.path));
            let finding = opened.as_ref().err().map(|error| {
                let message = format!("the folder of specs cannot be opened: {error}");
                rules::ROOT_MISSING.on(spec_root.path.as_str(), None, message, "create the folder")
            });
            if opened.is_err() {
                self.forget_tree(index, &Key::of_root(root_index));
            }
            index.set_root_finding(root_index, finding);
            open.push(opened.ok());
        }
        open
    }

    fn look_at_all(
        &self,
        index: &Index,
        lookers: &[Option<Looker<'_>>],
        jobs: &[Job],
    ) -> Result<Vec<Found>, Interrupted> {
        let chunks: Vec<&[Job]> = jobs.chunks(CHUNK).collect();
        let next = AtomicUsize::new(0);
        let work = || -> Result<Vec<(usize, Vec<Found>)>, Interrupted> {
            let mut done = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(chunk) = chunks.get(number) else { return Ok(done) };
                self.context.check()?;
                if number % TELL_EVERY == TELL_EVERY - 1 {
                    self.tell(number * CHUNK, jobs.len());
                }
                done.push((number, chunk.iter().map(|job| self.look(index, lookers, job)).collect()));
            }
        };
        let mut found = if chunks.len() < 2 {
            work()?
        } else {
            let (theirs, mine) = hewto_parallel::join(work, work);
            let mut all = mine?;
            all.extend(theirs?);
            all
        };
        found.sort_by_key(|(number, _)| *number);
        Ok(found.into_iter().flat_map(|(_, found)| found).collect())
    }

    /// Sets the watch first: what happens after the look is then reported.
    fn look(&self, index: &Index, lookers: &[Option<Looker<'_>>], job: &Job) -> Found {
        let Some(looker) = &lookers[job.key.root] else { return (Look::Gone, None) };
        let watch = match &self.watcher {
            // By the open folder: neither a workspace that was renamed nor a folder that changes its name is missed.
            Some(watcher) if !job.linked => {
                let folder = self.root.open_dir_at(&looker.full(&job.key.below));
                folder.ok().and_then(|folder| watcher.add(&folder))
            }
            _ => None,
        };
        let known = index.get(&job.key).map(|noted| &noted.folder);
        (looker.look(&job.key.below, job.linked, &job.news, known), watch)
    }

    /// Puts what was found into the index. Returns what has to be looked at next.
    fn take_in(&mut self, index: &mut Index, scope: &Scope, jobs: Vec<Job>, found: Vec<Found>) -> Vec<Job> {
        let (mut next, mut gone) = (Vec::new(), Vec::new());
        for (Job { key, linked, .. }, (look, watch)) in jobs.into_iter().zip(found) {
            if matches!(look, Look::Gone) {
                self.vanished.push(key.clone());
                gone.push(key);
                continue;
            }
            self.is_uncertain |= self.watcher.is_some() && !linked && watch.is_none();
            let Moves { gone: left, come } = index.take(&key, linked, look, self.number);
            if let (Some(watch), Some(watcher)) = (watch, self.watcher.as_deref_mut()) {
                watcher.note(watch, key.clone());
                index.set_watch(&key, Some(watch));
            }
            gone.extend(left.iter().map(|child| key.child(&child.name)));
            match scope {
                Scope::Everything => {
                    let children = index.get(&key).map(|noted| noted.folder.children.iter());
                    next.extend(children.into_iter().flatten().map(|child| Job::new(&key, child)));
                }
                Scope::Folders(_) => next.extend(come.iter().map(|child| Job::new(&key, child))),
            }
        }
        // Only now, when a folder that moved has its watch under its new name.
        for key in gone {
            let came_back = next.iter().any(|job: &Job| job.key == key);
            if !came_back {
                self.forget_tree(index, &key);
            }
        }
        next
    }

    fn forget_tree(&mut self, index: &mut Index, key: &Key) {
        let children = index.get(key).map(|noted| std::sync::Arc::clone(&noted.folder.children));
        for child in children.iter().flat_map(|children| children.iter()) {
            self.forget_tree(index, &key.child(&child.name));
        }
        self.forget(index, key);
    }

    fn forget(&mut self, index: &mut Index, key: &Key) {
        let watch = index.forget(key).and_then(|noted| noted.watch);
        if let (Some(watch), Some(watcher)) = (watch, self.watcher.as_deref_mut()) {
            watcher.forget(watch, key);
        }
    }

    fn tell(&self, done: usize, total: usize) {
        let count = |number| u64::try_from(number).unwrap_or(u64::MAX);
        let message = "reading specs".to_owned();
        self.context.report(Progress { done: count(done), total: Some(count(total)), message });
    }
}

/// Which folder this is, whatever its name.
fn identity(folder: &OwnedFd) -> Option<(u64, u64)> {
    let stat = rustix::fs::fstat(folder).ok()?;
    Some((stat.st_dev, stat.st_ino))
}

impl Job {
    fn new(parent: &Key, child: &Child) -> Self {
        Self { key: parent.child(&child.name), linked: child.linked, news: News::Anything }
    }
}

fn first_level(index: &Index, scope: &Scope, lookers: &[Option<Looker<'_>>]) -> Vec<Job> {
    match scope {
        Scope::Everything => {
            let open = lookers.iter().flatten().map(|looker| Key::of_root(looker.root_index));
            open.map(|key| Job { key, linked: false, news: News::Anything }).collect()
        }
        Scope::Folders(folders) => {
            let job = |(key, news): (&Key, &News)| {
                let linked = index.get(key)?.linked;
                Some(Job { key: key.clone(), linked, news: news.clone() })
            };
            folders.iter().filter_map(job).collect()
        }
    }
}
