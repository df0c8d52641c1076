//! What is searched: specs, changes, decisions and plans, and how each of them is read.
//!
//! A look at the workspace costs a stat for each file; a document is read only when its stamps differ from those it
//! was indexed with. One that cannot be read is indexed as empty, so that it hides nobody and is not tried again.

use std::sync::{Arc, OnceLock};

use hewto_core::change::change_title;
use hewto_core::decision::uid::record_id;
use hewto_core::delta::DeltaDoc;
use hewto_core::document::Document as Markdown;
use hewto_core::id::{SpecId, WorkItem};
use hewto_core::requirement::SpecDoc;
use hewto_search::{CommonWords, Document, DocumentKey, Entry, Fingerprint, Kind};
use hewto_store::change_files::{DESIGN, PROPOSAL, TASKS, delta_target};
use hewto_store::{ChangeEntry, Context, DocKey, ReadError, Snapshot, SpecEntry, Stamp, Ticks};

use crate::error::Result;
use crate::workspace::Workspace;

/// Changes whenever the same files would give other entries.
pub(super) const READING: u8 = 2;

/// Everything that can be found in a workspace at one moment.
#[derive(Debug)]
pub(super) struct Sources {
    snapshot: Arc<Snapshot>,
    /// What has no snapshot of its own: changes, their tasks, decisions. Sorted, each name once.
    others: Vec<Source>,
    ticks: Ticks,
    /// What the titles of specs have in common.
    usual: OnceLock<CommonWords>,
}

/// One document: its name in the index, what it is made of, and the state of its files.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) key: DocumentKey,
    pub(super) evidence: Evidence,
    /// The title of a spec without what many titles say.
    heading: Option<String>,
    origin: Origin,
}

#[derive(Debug, Clone)]
enum Origin {
    Spec(Arc<SpecEntry>),
    Plan(Arc<SpecEntry>),
    Change(Arc<ChangeEntry>),
    Tasks(Arc<ChangeEntry>),
    Decision(DocKey),
}

/// What the stamps of a document's files say about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Evidence {
    pub(super) print: Fingerprint,
    /// Whether the files changed so long ago that the same stamps mean the same texts.
    pub(super) settled: bool,
}

impl Sources {
    pub(super) fn look(ws: &Workspace, ctx: &Context) -> Result<Self> {
        let snapshot = ws.store().snapshot(ctx)?;
        let others = Self::others(ws, ctx)?;
        Ok(Self { snapshot, others, ticks: ws.store().ticks(), usual: OnceLock::new() })
    }

    /// What has no snapshot of its own.
    pub(super) fn others(ws: &Workspace, ctx: &Context) -> Result<Vec<Source>> {
        let ticks = ws.store().ticks();
        let stamped = |key, files: &[DocKey], origin| -> Result<Option<Source>> {
            let mut stamps = Vec::with_capacity(files.len());
            for file in files {
                stamps.extend(ws.store().stamp(ctx, file)?);
            }
            // With none of its files there any more it has vanished.
            let evidence = Evidence::of(ticks, stamps.iter().copied(), "");
            let source = Source { key, evidence, heading: None, origin };
            Ok((!stamps.is_empty()).then_some(source))
        };
        let mut others = Vec::new();
        let changes = ws.store().changes(ctx)?.changes;
        let archived = ws.store().archived_changes(ctx)?;
        let is_open = |at: usize| at < changes.len();
        for (at, entry) in changes.iter().chain(&archived).enumerate() {
            let entry = Arc::new(entry.clone());
            // What was done is no plan any more.
            let tasks = entry.file(TASKS).filter(|_| is_open(at));
            let files = entry.files.iter().filter(|file| is_part_of_change(file));
            let files: Vec<DocKey> = files.filter_map(|file| entry.file(file)).collect();
            let kind = if is_open(at) { Kind::Change } else { Kind::Archived };
            let key = DocumentKey::new(kind, entry.id.as_str());
            others.extend(stamped(key, &files, Origin::Change(Arc::clone(&entry)))?);
            if let Some(tasks) = tasks {
                let key = DocumentKey::new(Kind::Plan, WorkItem::Change(entry.id.clone()).to_string());
                others.extend(stamped(key, &[tasks], Origin::Tasks(entry))?);
            }
        }
        let folder = &ws.places().decisions;
        for name in ws.store().file_names(ctx, folder)? {
            let Some((id, file)) = record_id(&name).zip(folder.document(&name).ok()) else { continue };
            let key = DocumentKey::new(Kind::Decision, id);
            others.extend(stamped(key, std::slice::from_ref(&file), Origin::Decision(file.clone()))?);
        }
        others.sort_by(|a, b| a.key.cmp(&b.key));
        others.dedup_by(|a, b| a.key == b.key);
        Ok(others)
    }

    pub(super) fn specs(&self) -> &Snapshot {
        &self.snapshot
    }

    pub(super) fn without_specs(&self) -> &[Source] {
        &self.others
    }

    /// Tells one look from another, without looking at each spec.
    pub(super) fn glance(&self) -> (u64, Vec<Fingerprint>) {
        (self.snapshot.generation, self.others.iter().map(|source| source.evidence.print).collect())
    }

    /// Every document there is.
    pub(super) fn all(&self) -> impl Iterator<Item = Source> {
        self.snapshot.specs.iter().flat_map(|entry| self.of_spec(entry)).chain(self.others.iter().cloned())
    }

    /// One document, if it is there.
    pub(super) fn find(&self, key: &DocumentKey) -> Option<Source> {
        if let Ok(place) = self.others.binary_search_by(|source| source.key.cmp(key)) {
            return Some(self.others[place].clone());
        }
        let entry = self.snapshot.get(&SpecId::parse(&key.id).ok()?)?;
        self.of_spec(entry).find(|source| source.key == *key)
    }

    /// A spec and its plan.
    fn of_spec(&self, entry: &Arc<SpecEntry>) -> impl Iterator<Item = Source> + use<> {
        let id = entry.id.as_str();
        let usual =
            self.usual.get_or_init(|| CommonWords::of(self.snapshot.specs.iter().map(|spec| spec.title())));
        let heading = usual.heading(entry.title());
        let plan = entry.stamps.plan.map(|plan| Source {
            key: DocumentKey::new(Kind::Plan, id),
            // Its title is the spec's.
            evidence: Evidence::of(self.ticks, [entry.stamps.spec, plan], &heading),
            heading: Some(heading.clone()),
            origin: Origin::Plan(Arc::clone(entry)),
        });
        let spec = Source {
            key: DocumentKey::new(Kind::Spec, id),
            evidence: Evidence::of(self.ticks, [entry.stamps.spec], &heading),
            heading: Some(heading),
            origin: Origin::Spec(Arc::clone(entry)),
        };
        std::iter::once(spec).chain(plan)
    }
}

impl Source {
    /// The texts it is made of; none when it has vanished.
    pub(super) fn texts(&self, ws: &Workspace, ctx: &Context) -> Option<Vec<(String, String)>> {
        let keys: Vec<DocKey> = match &self.origin {
            Origin::Spec(entry) => vec![DocKey::Spec(entry.id.clone())],
            Origin::Plan(entry) => vec![DocKey::Plan(WorkItem::Spec(entry.id.clone()))],
            Origin::Tasks(entry) => vec![DocKey::Plan(WorkItem::Change(entry.id.clone()))],
            Origin::Decision(file) => vec![file.clone()],
            Origin::Change(entry) => {
                let files = entry.files.iter().filter(|file| is_part_of_change(file));
                files.filter_map(|file| entry.file(file)).collect()
            }
        };
        let mut texts = Vec::with_capacity(keys.len());
        for key in keys {
            match ws.store().read_bytes(ctx, &key) {
                Ok(Some(bytes)) => {
                    let path = ws.store().path(&key, hewto_store::LayoutKind::Native)?;
                    texts.push((path.to_string(), String::from_utf8_lossy(&bytes).into_owned()));
                }
                Ok(None) => {}
                // Nobody knows what it says: it is read by the next search, and until then what is known of it holds.
                Err(error) if !is_lasting(&error) => {
                    tracing::debug!(%error, "a document could not be read in time");
                    return None;
                }
                // Listed as what it is: there, and without a word.
                Err(error) => {
                    tracing::debug!(%error, "a document cannot be searched");
                    return Some(Vec::new());
                }
            }
        }
        (!texts.is_empty()).then_some(texts)
    }

    /// The document for the index.
    pub(super) fn document(&self, texts: &[(String, String)]) -> Document {
        let (title, entries) = match &self.origin {
            Origin::Spec(entry) => (entry.title().to_owned(), of_spec(entry, texts)),
            Origin::Plan(entry) => (entry.title().to_owned(), whole(Kind::Plan, texts)),
            Origin::Change(entry) => of_change(self.key.kind, entry, texts),
            Origin::Tasks(entry) => {
                (hewto_core::change::in_words(entry.id.as_str()), whole(Kind::Plan, texts))
            }
            Origin::Decision(_) => of_decision(&self.key.id, texts),
        };
        let heading = self.heading.clone().unwrap_or_else(|| title.clone());
        Document { key: self.key.clone(), fingerprint: self.evidence.fingerprint(), title, heading, entries }
    }
}

/// Whether a document will not be read the next time either.
fn is_lasting(error: &ReadError) -> bool {
    use std::io::ErrorKind::{InvalidData, InvalidInput, PermissionDenied};
    match error {
        ReadError::Interrupted(_) | ReadError::Locked(_) => false,
        ReadError::NotUtf8 { .. } => true,
        ReadError::File(error) => {
            error.leads_out() || matches!(error.source.kind(), PermissionDenied | InvalidData | InvalidInput)
        }
    }
}

impl Evidence {
    fn of(ticks: Ticks, stamps: impl IntoIterator<Item = Stamp>, heading: &str) -> Self {
        let mut bytes = vec![READING];
        bytes.extend(heading.as_bytes());
        let mut settled = true;
        for stamp in stamps {
            settled &= ticks.are_over(&stamp);
            for number in [stamp.size, stamp.inode] {
                bytes.extend(number.to_le_bytes());
            }
            for number in [stamp.mtime_ns, stamp.ctime_ns] {
                bytes.extend(number.to_le_bytes());
            }
        }
        Self { print: Fingerprint(Fingerprint::of(&bytes).0 & !UNSETTLED), settled }
    }

    /// What the index is told: another number while the stamps prove nothing, so that nobody relies on them.
    fn fingerprint(self) -> Fingerprint {
        if self.settled { self.print } else { self.unsettled() }
    }

    /// The fingerprint of a document that was indexed while its stamps proved nothing.
    pub(super) fn unsettled(self) -> Fingerprint {
        Fingerprint(self.print.0 | UNSETTLED)
    }
}

/// The bit of a fingerprint that says that the document may have changed without a trace.
const UNSETTLED: u64 = 1;

/// The proposal, the design and the deltas; what is to be done is a plan of its own.
fn is_part_of_change(file: &str) -> bool {
    file == PROPOSAL || file == DESIGN || delta_target(file).is_some()
}

fn of_spec(entry: &SpecEntry, texts: &[(String, String)]) -> Vec<Entry> {
    let Some((_, text)) = texts.first() else { return Vec::new() };
    let mut entries = Entry::of_spec(&Markdown::parse(text));
    if let (Some(head), Some(description)) = (entries.first_mut(), &entry.head.description) {
        head.text.insert_str(0, &format!("{description} "));
    }
    entries
}

fn whole(kind: Kind, texts: &[(String, String)]) -> Vec<Entry> {
    texts.iter().map(|(_, text)| Entry::of_document(kind, &Markdown::parse(text))).collect()
}

fn of_change(kind: Kind, entry: &ChangeEntry, texts: &[(String, String)]) -> (String, Vec<Entry>) {
    let mut title = None;
    let mut head = String::new();
    let mut entries = Vec::new();
    for (path, text) in texts {
        let markdown = Markdown::parse(text);
        if entry.folder.below(path).and_then(delta_target).is_some() {
            let delta = DeltaDoc::read(&markdown);
            let requirements = delta.added.iter().chain(&delta.modified);
            entries
                .extend(requirements.map(|requirement| Entry::of_requirement(kind, &markdown, requirement)));
            continue;
        }
        if entry.folder.below(path) == Some(PROPOSAL) {
            title = Some(change_title(entry.id.as_str(), Some(&markdown)));
        }
        head.push_str(&Entry::of_document(kind, &markdown).text);
        head.push(' ');
    }
    let head = Entry { kind, requirement: None, text: head.trim_end().to_owned(), scenarios: Vec::new() };
    entries.insert(0, head);
    (title.unwrap_or_else(|| change_title(entry.id.as_str(), None)), entries)
}

fn of_decision(id: &str, texts: &[(String, String)]) -> (String, Vec<Entry>) {
    let title =
        texts.first().and_then(|(_, text)| SpecDoc::read(&Markdown::parse(text)).title.map(str::to_owned));
    (title.unwrap_or_else(|| id.to_owned()), whole(Kind::Decision, texts))
}
