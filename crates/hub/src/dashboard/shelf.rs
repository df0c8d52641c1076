//! The views that are open on this replica, and how many of them: bounded for everybody together and for each who looks, in
//! number and in bytes, so that neither disk nor memory grows with what somebody pushes.

use std::collections::{BTreeMap, HashMap};
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hewto_engine::Project;

use crate::discard::discard;

/// So many views are kept open in all, and so many that one person had opened.
const MOST: usize = 24;
const MOST_OF_ONE: usize = 8;
/// And so many bytes.
const MOST_BYTES: u64 = 512 * 1024 * 1024;
const MOST_BYTES_OF_ONE: u64 = 192 * 1024 * 1024;
/// One that nobody has looked at for so long is closed.
const IDLE: Duration = Duration::from_mins(15);

/// What a checkout was made of: the version of its view, and what was said of its repository.
pub(super) type Mark = (i64, i64, Option<String>);

/// A view on disk, for as long as somebody reads it: whoever shows a page of it keeps it, whatever becomes of the shelf.
#[derive(Debug)]
pub(crate) struct Checkout {
    project: Project,
    /// After the project, which reads there.
    folder: Folder,
}

impl Checkout {
    pub(super) fn new(project: Project, folder: Folder) -> Self {
        Self { project, folder }
    }

    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }
}

impl Deref for Checkout {
    type Target = Project;

    fn deref(&self) -> &Project {
        &self.project
    }
}

/// A folder of this process alone, which goes with it.
#[derive(Debug)]
pub(super) struct Folder(pub(super) PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        discard(std::mem::take(&mut self.0));
    }
}

/// A view that is open.
#[derive(Debug)]
pub(super) struct Open {
    /// Who had it opened.
    pub(super) by: i64,
    pub(super) made_of: Mark,
    /// What is written, by the hash of its text.
    pub(super) files: BTreeMap<String, String>,
    pub(super) bytes: u64,
    pub(super) seen: Instant,
    pub(super) checkout: Arc<Checkout>,
}

/// What is open, by view.
#[derive(Debug, Default)]
pub(super) struct Shelf(HashMap<i64, Open>);

impl Shelf {
    /// The view, if it is open and was made of this.
    pub(super) fn current(&mut self, view: i64, made_of: &Mark, now: Instant) -> Option<Arc<Checkout>> {
        let open = self.0.get_mut(&view).filter(|open| open.made_of == *made_of)?;
        open.seen = now;
        Some(Arc::clone(&open.checkout))
    }

    pub(super) fn take(&mut self, view: i64) -> Option<Open> {
        self.0.remove(&view)
    }

    /// Keeps a view. Whoever has it opened closes their own oldest for it; if there is no room all the same, the oldest of
    /// whoever has most goes.
    pub(super) fn put(&mut self, view: i64, open: Open) {
        self.0.remove(&view);
        let (by, bytes) = (open.by, open.bytes);
        while let (count, held) = self.held(Some(by))
            && count > 0
            && (count >= MOST_OF_ONE || held + bytes > MOST_BYTES_OF_ONE)
        {
            self.close_oldest_of(by);
        }
        while let (count, held) = self.held(None)
            && (count >= MOST || held + bytes > MOST_BYTES)
            && let Some(most) = self.whoever_has_most()
        {
            self.close_oldest_of(most);
        }
        self.0.insert(view, open);
    }

    /// Closes what nobody looks at any more.
    pub(super) fn tidy(&mut self, now: Instant) {
        self.0.retain(|_, open| now.saturating_duration_since(open.seen) < IDLE);
    }

    /// How many somebody has, or everybody, and how many bytes.
    fn held(&self, by: Option<i64>) -> (usize, u64) {
        let theirs = self.0.values().filter(|open| by.is_none_or(|by| open.by == by));
        theirs.fold((0, 0), |(count, bytes), open| (count + 1, bytes + open.bytes))
    }

    fn whoever_has_most(&self) -> Option<i64> {
        self.0.values().map(|open| open.by).max_by_key(|by| {
            let (count, bytes) = self.held(Some(*by));
            (bytes, count)
        })
    }

    fn close_oldest_of(&mut self, by: i64) {
        let theirs = self.0.iter().filter(|(_, open)| open.by == by);
        if let Some(view) = theirs.min_by_key(|(_, open)| open.seen).map(|(view, _)| *view) {
            self.0.remove(&view);
        }
    }
}

#[cfg(test)]
mod tests {
    use hewto_engine::ProjectOptions;

    use super::*;

    fn open(by: i64, bytes: u64, seen: Instant) -> Open {
        let folder = tempfile::tempdir().unwrap().keep();
        let project = Project::new(ProjectOptions { start: folder.clone(), ..ProjectOptions::default() });
        let checkout = Arc::new(Checkout::new(project, Folder(folder)));
        Open { by, made_of: (1, 0, None), files: BTreeMap::new(), bytes, seen, checkout }
    }

    #[test]
    fn whoever_opens_many_views_closes_their_own_and_nobody_elses() {
        let (mut shelf, now) = (Shelf::default(), Instant::now());
        shelf.put(1, open(1, 1, now));
        for view in 10..100 {
            shelf.put(view, open(2, 1, now + Duration::from_secs(view.unsigned_abs())));
        }
        assert_eq!(shelf.held(Some(2)).0, MOST_OF_ONE);
        assert!(shelf.current(1, &(1, 0, None), now).is_some(), "somebody else's is still open");
        assert!(shelf.current(99, &(1, 0, None), now).is_some(), "and so is their latest");
        shelf.put(200, open(2, MOST_BYTES_OF_ONE, now));
        assert_eq!(shelf.held(Some(2)), (1, MOST_BYTES_OF_ONE), "bytes count as well");
    }

    #[test]
    fn when_there_is_no_room_whoever_has_most_makes_it() {
        let (mut shelf, now) = (Shelf::default(), Instant::now());
        for (view, by) in [(1, 1), (2, 2), (3, 3), (4, 3)] {
            shelf.put(view, open(by, MOST_BYTES_OF_ONE / 2, now + Duration::from_secs(view.unsigned_abs())));
        }
        shelf.put(5, open(4, MOST_BYTES_OF_ONE, now));
        let open: Vec<bool> = (1..6).map(|view| shelf.0.contains_key(&view)).collect();
        assert_eq!(open, [true, true, false, true, true]);
        assert!(shelf.held(None).1 <= MOST_BYTES);
    }

    #[test]
    fn what_nobody_looks_at_is_closed_and_its_folder_stays_for_who_still_reads_it() {
        let (mut shelf, now) = (Shelf::default(), Instant::now());
        shelf.put(1, open(1, 1, now));
        let read = shelf.current(1, &(1, 0, None), now).unwrap();
        assert!(shelf.current(1, &(2, 0, None), now).is_none(), "another version is another checkout");
        shelf.tidy(now + IDLE / 2);
        assert_eq!(shelf.held(None).0, 1);
        shelf.tidy(now + IDLE);
        assert_eq!(shelf.held(None).0, 0);
        assert!(read.folder().0.is_dir(), "somebody reads there");
        let folder = read.folder().0.clone();
        drop(read);
        while folder.exists() {
            std::thread::yield_now();
        }
    }
}
