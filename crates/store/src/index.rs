//! What is remembered of all folders, and the snapshot that follows from it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use hewto_core::diagnostic::Finding;
use hewto_core::id::SpecId;
use hewto_core::rules::workspace as rules;

use crate::beneath::Root;
use crate::folder::{Child, Folder, Look, Proof};
use crate::layout::{Layout, Nesting};
use crate::path::RelPath;
use crate::snapshot::{Snapshot, SpecEntry};
use crate::stamp::{Moment, Stamp};
use crate::trace;

/// Above this share of changed specs the list is made anew rather than mended.
const MEND_AT_MOST: usize = 256;

/// A folder of a spec root: the index of the root and the path below it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) root: usize,
    pub(crate) below: Box<str>,
}

/// A folder with what was noted about it.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    pub(crate) folder: Folder,
    pub(crate) linked: bool,
    /// The watch that reports changes in it.
    pub(crate) watch: Option<i32>,
    /// The last pass that came by.
    pub(crate) visited: u64,
}

/// How the children of a folder changed.
#[derive(Debug, Default)]
pub(crate) struct Moves {
    pub(crate) gone: Vec<Child>,
    pub(crate) come: Vec<Child>,
}

#[derive(Debug, Default)]
pub(crate) struct Index {
    folders: Vec<HashMap<Box<str>, Noted>>,
    snapshot: Arc<Snapshot>,
    /// Roots that are not there, and folders that cannot be listed.
    findings: BTreeMap<Key, Vec<Finding>>,
    duplicates: BTreeMap<SpecId, Finding>,
    /// Ids whose folder is different since the last snapshot.
    touched: Vec<SpecId>,
    restless: Vec<Key>,
}

impl Key {
    pub(crate) fn of_root(root: usize) -> Self {
        Self { root, below: "".into() }
    }

    pub(crate) fn child(&self, name: &str) -> Self {
        let below = if self.below.is_empty() { name.into() } else { format!("{}/{name}", self.below).into() };
        Self { root: self.root, below }
    }

    /// The folders that this one is inside, the nearest first and the root last.
    fn above(&self) -> impl Iterator<Item = Self> {
        fn parent<'a>(below: &&'a str) -> Option<&'a str> {
            let below: &'a str = below;
            (!below.is_empty()).then(|| below.rsplit_once('/').map_or("", |(parent, _)| parent))
        }
        std::iter::successors(parent(&&*self.below), parent)
            .map(|below| Self { root: self.root, below: below.into() })
    }
}

impl Index {
    pub(crate) fn new(layout: &Layout) -> Self {
        let folders = layout.spec_roots().iter().map(|_| HashMap::new()).collect();
        Self { folders, ..Self::default() }
    }

    pub(crate) fn get(&self, key: &Key) -> Option<&Noted> {
        self.folders[key.root].get(&key.below)
    }

    /// The known folders that are somewhere inside these.
    pub(crate) fn inside(&self, folders: &BTreeSet<Key>) -> Vec<Key> {
        if folders.is_empty() {
            return Vec::new();
        }
        let known = self.folders.iter().enumerate();
        let known =
            known.flat_map(|(root, known)| known.keys().map(move |below| Key { root, below: below.clone() }));
        known.filter(|key| key.above().any(|above| folders.contains(&above))).collect()
    }

    /// Whether the folder above says that there is a folder of this name. Nothing is above a root.
    pub(crate) fn is_listed(&self, key: &Key) -> bool {
        let (above, name) = key.below.rsplit_once('/').unwrap_or(("", &key.below));
        let above = self.get(&Key { root: key.root, below: above.into() });
        name.is_empty()
            || above.is_some_and(|above| above.folder.children.iter().any(|child| *child.name == *name))
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot)
    }

    /// Folders that have to be looked at on every call.
    pub(crate) fn restless(&self) -> &[Key] {
        &self.restless
    }

    /// Takes in what a look found at a folder that is still there. Says which of its children are news.
    pub(crate) fn take(&mut self, key: &Key, linked: bool, look: Look, pass: u64) -> Moves {
        match look {
            Look::Settled(folder) | Look::Changed(folder) => self.replace(key, linked, *folder, pass),
            Look::Same | Look::Gone => {
                if let Some(noted) = self.folders[key.root].get_mut(&key.below) {
                    noted.visited = pass;
                }
                Moves::default()
            }
        }
    }

    pub(crate) fn set_watch(&mut self, key: &Key, watch: Option<i32>) {
        if let Some(noted) = self.folders[key.root].get_mut(&key.below) {
            noted.watch = watch;
        }
    }

    /// Forgets one folder. Returns its watch and its children.
    pub(crate) fn forget(&mut self, key: &Key) -> Option<Noted> {
        let noted = self.folders[key.root].remove(&key.below)?;
        self.findings.remove(key);
        self.restless.retain(|restless| restless != key);
        if let Some(entry) = &noted.folder.entry {
            self.touched.push(entry.id.clone());
        }
        Some(noted)
    }

    /// The folders that the last full pass did not come by.
    pub(crate) fn unvisited(&self, pass: u64) -> Vec<Key> {
        let mut keys = Vec::new();
        for (root, folders) in self.folders.iter().enumerate() {
            let old = folders.iter().filter(|(_, noted)| noted.visited != pass);
            keys.extend(old.map(|(below, _)| Key { root, below: below.clone() }));
        }
        keys
    }

    /// Notes what is wrong with a whole root, or that nothing is.
    pub(crate) fn set_root_finding(&mut self, root: usize, finding: Option<Finding>) {
        let key = Key::of_root(root);
        match finding {
            Some(finding) => self.findings.insert(key, vec![finding]),
            None if self.get(&key).is_none() => self.findings.remove(&key),
            None => None,
        };
    }

    /// The snapshot of what is known now; the same one as before if nothing changed.
    pub(crate) fn publish(&mut self, layout: &Layout) -> Arc<Snapshot> {
        let touched = std::mem::take(&mut self.touched);
        let specs = if touched.len() > MEND_AT_MOST { Some(self.all_specs()) } else { self.mended(&touched) };
        for id in touched {
            self.note_duplicate(layout, id);
        }
        let findings = layout.findings().iter().chain(self.findings.values().flatten());
        let findings: Vec<Finding> = findings.chain(self.duplicates.values()).cloned().collect();
        let specs = specs.filter(|specs| !same_entries(specs, &self.snapshot.specs));
        if specs.is_some() || findings != self.snapshot.findings {
            let specs = specs.unwrap_or_else(|| self.snapshot.specs.clone());
            let generation = self.snapshot.generation + 1;
            self.snapshot = Arc::new(Snapshot { generation, specs, findings });
        }
        self.snapshot()
    }

    /// What lists of names and files look like that were too young to prove anything when they were looked at, and are not any more.
    pub(crate) fn look_at_unproven(&self, layout: &Layout, root: &Root, moment: Moment) -> Vec<(Key, Proof)> {
        let mut proofs = Vec::new();
        for (number, (spec_root, folders)) in layout.spec_roots().iter().zip(&self.folders).enumerate() {
            for (below, noted) in folders {
                let is_listed = below.is_empty() || spec_root.nesting() == Nesting::Deep;
                let look = |name: Option<&str>| {
                    let path = [spec_root.path.as_str(), below, name.unwrap_or_default()];
                    let path = path.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
                    let stat = root.look(&RelPath::parse(&path).ok()?).ok()??;
                    Some(Stamp::of(&stat)).filter(|stamp| !stamp.is_young(moment))
                };
                let proof = noted.folder.prove(is_listed, spec_root.document, look);
                proofs.extend(proof.map(|proof| (Key { root: number, below: below.clone() }, proof)));
            }
        }
        proofs
    }

    /// Notes that everything was as it is known when it looked like this.
    pub(crate) fn vouch(&mut self, proofs: Vec<(Key, Proof)>) {
        for (key, proof) in proofs {
            if let Some(noted) = self.folders[key.root].get_mut(&key.below) {
                noted.folder.vouch(&proof);
            }
        }
    }

    /// What all folders look like; `None` where that proves nothing about some of them.
    pub(crate) fn trace(&self, layout: &Layout) -> Option<Vec<u8>> {
        let roots = layout.spec_roots().iter().zip(&self.folders).enumerate();
        if !self.restless.is_empty() || self.folders.iter().any(|folders| !folders.contains_key("")) {
            return None;
        }
        let folders = roots.flat_map(|(root, (spec_root, folders))| {
            let is_listed = |below: &str| below.is_empty() || spec_root.nesting() == Nesting::Deep;
            folders
                .iter()
                .map(move |(below, noted)| Some((root, &**below, noted.folder.marks(is_listed(below))?)))
        });
        trace::write(layout, folders.collect::<Option<Vec<_>>>()?.into_iter())
    }

    fn replace(&mut self, key: &Key, linked: bool, folder: Folder, pass: u64) -> Moves {
        if folder.findings.is_empty() {
            self.findings.remove(key);
        } else {
            self.findings.insert(key.clone(), folder.findings.clone());
        }
        let noted = match self.folders[key.root].get_mut(&key.below) {
            Some(noted) => noted,
            None => self.folders[key.root].entry(key.below.clone()).or_default(),
        };
        match (noted.folder.restless, folder.restless) {
            (false, true) => self.restless.push(key.clone()),
            (true, false) => self.restless.retain(|restless| restless != key),
            (true, true) | (false, false) => {}
        }
        let (before, after) = (noted.folder.entry.as_ref(), folder.entry.as_ref());
        match (before, after) {
            (None, None) => {}
            (Some(before), Some(after)) if Arc::ptr_eq(before, after) => {}
            (_, Some(entry)) | (Some(entry), None) => self.touched.push(entry.id.clone()),
        }
        let moves = Moves::between(&noted.folder, &folder);
        noted.folder = folder;
        noted.linked = linked;
        noted.visited = pass;
        moves
    }

    /// The entry that counts for an id: the one in the first root that has it.
    fn winner(&self, id: &SpecId) -> Option<&Arc<SpecEntry>> {
        self.folders.iter().find_map(|folders| folders.get(id.as_str())?.folder.entry.as_ref())
    }

    fn all_specs(&self) -> Vec<Arc<SpecEntry>> {
        let mut specs: Vec<Arc<SpecEntry>> = Vec::new();
        for folders in &self.folders {
            specs.extend(folders.values().filter_map(|noted| noted.folder.entry.as_ref()).map(Arc::clone));
        }
        specs.sort_by(|a, b| a.id.cmp(&b.id).then(a.root.cmp(&b.root)));
        specs.dedup_by(|later, first| later.id == first.id);
        specs
    }

    fn mended(&self, touched: &[SpecId]) -> Option<Vec<Arc<SpecEntry>>> {
        if touched.is_empty() {
            return None;
        }
        let mut specs = self.snapshot.specs.clone();
        for id in touched {
            let place = specs.binary_search_by(|entry| entry.id.cmp(id));
            match (place, self.winner(id)) {
                (Ok(index), Some(entry)) => specs[index] = Arc::clone(entry),
                (Ok(index), None) => drop(specs.remove(index)),
                (Err(index), Some(entry)) => specs.insert(index, Arc::clone(entry)),
                (Err(_), None) => {}
            }
        }
        Some(specs)
    }

    fn note_duplicate(&mut self, layout: &Layout, id: SpecId) {
        let holders: Vec<&Arc<SpecEntry>> = self
            .folders
            .iter()
            .filter_map(|folders| folders.get(id.as_str())?.folder.entry.as_ref())
            .collect();
        let [first, others @ ..] = holders.as_slice() else {
            self.duplicates.remove(&id);
            return;
        };
        let Some(second) = others.first() else {
            self.duplicates.remove(&id);
            return;
        };
        let counts = &layout.spec_roots()[first.root].path;
        let finding = rules::ID_DUPLICATE.on(
            second.folder.as_str(),
            None,
            format!("`{id}` is in two spec roots; the one in `{counts}` counts"),
            "rename one of the two folders",
        );
        self.duplicates.insert(id, finding);
    }
}

fn same_entries(a: &[Arc<SpecEntry>], b: &[Arc<SpecEntry>]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| Arc::ptr_eq(a, b))
}

impl Moves {
    fn between(before: &Folder, after: &Folder) -> Self {
        let (old, new) = (&before.children, &after.children);
        if before.inode != after.inode {
            // Children of the same names are other folders now.
            return Self { gone: difference(old, new), come: new.to_vec() };
        }
        if Arc::ptr_eq(old, new) {
            return Self::default();
        }
        Self { gone: difference(old, new), come: difference(new, old) }
    }
}

/// The children in `all` that are not in `others`; both are sorted by name.
fn difference(all: &[Child], others: &[Child]) -> Vec<Child> {
    let mut others = others.iter().peekable();
    let mut is_among_others = |child: &Child| {
        while others.next_if(|other| other.name < child.name).is_some() {}
        others.peek().is_some_and(|other| *other == child)
    };
    all.iter().filter(|child| !is_among_others(child)).cloned().collect()
}
