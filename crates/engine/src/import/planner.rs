//! Which files an import writes, and what it tells of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hewto_core::import::{Bundle, Document, FileMemory, Format, Memory, Remembered, hash};
use hewto_store::{ContentHash, Context, DocKey, Expect, RelPath, Store, Transaction};

use super::again::News;
use super::naming::seen_from;
use crate::error::{Error, Result};
use crate::view::{ImportFileView, ImportView, ImportedView, KeptView, LeftOutView};

/// Gathers what is to be written.
pub(super) struct Planner<'s> {
    pub(super) store: &'s Store,
    pub(super) ctx: &'s Context,
    pub(super) format: Format,
    /// The root of the source, seen from the workspace.
    pub(super) source: String,
    pub(super) memory: Memory,
    /// The files of the memory as they stand.
    known_memory: BTreeMap<RelPath, String>,
    writes: BTreeMap<RelPath, Write>,
    /// Names of specs that this import gives, folded.
    pub(super) ids: BTreeSet<String>,
    pub(super) news: News,
    /// Where a file of an item is kept, by item and file.
    pub(super) places: BTreeMap<(String, String), String>,
    pub(super) view: ImportView,
}

struct Write {
    text: String,
    expect: Expect,
    from: Option<String>,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Put {
    Written,
    Same,
    /// Somebody edited or removed it here.
    Ours,
}

impl<'s> Planner<'s> {
    pub(super) fn new(store: &'s Store, ctx: &'s Context, format: Format, root: &Path) -> Result<Self> {
        let source = seen_from(store.root(), root);
        let mut known_memory = BTreeMap::new();
        let imports = &store.places().imports;
        for below in store.tree(ctx, imports)? {
            let (Ok(key), name) = (imports.document(&below), below.rsplit('/').next()) else { continue };
            let own = name
                .unwrap_or(&below)
                .strip_prefix(format.as_str())
                .and_then(|rest| rest.strip_suffix(".json"));
            let is_own = own.is_some_and(|rest| {
                rest.is_empty()
                    || rest.strip_prefix('.').is_some_and(|n| n.bytes().all(|byte| byte.is_ascii_digit()))
            });
            if is_own && let Some(doc) = store.read(ctx, &key)? {
                known_memory.insert(doc.path, doc.text);
            }
        }
        let texts = known_memory.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        let memory = Memory::read(texts).map_err(|(file, line)| {
            Error::validation(format!(
                "the record of what was imported cannot be read: `{file}`, line {line}"
            ))
            .detail("file", file.as_str())
            .detail("line", line)
            .hint("restore it from git, or delete it to import everything again")
        })?;
        let view = ImportView {
            format: format.as_str().to_owned(),
            source: source.clone(),
            complete: true,
            ..ImportView::default()
        };
        Ok(Self {
            store,
            ctx,
            format,
            source,
            memory,
            known_memory,
            writes: BTreeMap::new(),
            ids: BTreeSet::new(),
            news: News::default(),
            places: BTreeMap::new(),
            view,
        })
    }

    /// Plans everything that a source says.
    pub(super) fn bundle(&mut self, bundle: Bundle, is_whole: bool) -> Result<()> {
        let before: BTreeSet<String> = self
            .memory
            .parts
            .keys()
            .filter(|(source, _)| *source == self.source)
            .map(|(_, key)| key.clone())
            .collect();
        if is_whole {
            self.tell_gone(&before, &bundle);
        }
        let Bundle { items, decisions, changes, documents, prose, left_out } = bundle;
        let ids = self.name_items(&items);
        let mut places: BTreeMap<String, String> = BTreeMap::new();
        for item in &items {
            self.ctx.check()?;
            let place = self.item(item, &ids)?;
            places.insert(item.key.clone(), place);
        }
        self.decisions(&decisions);
        for change in &changes {
            self.change_copy(change)?;
        }
        for document in &documents {
            let place = self.document(document)?;
            places.insert(document.from.clone(), place);
        }
        self.view.left_out.extend(left_out.into_iter().map(|one| LeftOutView {
            id: one.id,
            file: one.file,
            line: one.line,
            text: one.text,
            why: one.why,
            fault: one.is_fault,
        }));
        for one in prose {
            let key = if one.item.is_empty() { &one.file } else { &one.item };
            // What was told when it came is not told again.
            if before.contains(key) && !self.is_written(&places, key) {
                continue;
            }
            let beside = self.places.get(&(one.item.clone(), one.file.clone())).cloned();
            let to = beside.or_else(|| places.get(key).cloned()).unwrap_or_default();
            self.view.kept_as_prose.push(KeptView {
                file: one.file,
                line: one.line,
                what: one.what,
                text: one.text,
                to,
            });
        }
        self.change_for_news()?;
        self.remember();
        if self.writes.is_empty() {
            self.view.left_out.retain(|one| one.fault);
        }
        self.name_left_out();
        Ok(())
    }

    /// Whether something of a part is written: its spec, or a file beside it. The writes are sorted.
    fn is_written(&self, places: &BTreeMap<String, String>, key: &str) -> bool {
        let folder = places.get(key).and_then(|place| place.rsplit_once('/')).map(|(folder, _)| folder);
        let Some(from) = folder.and_then(|folder| RelPath::parse(folder).ok()) else { return false };
        let mut behind = self.writes.range(from.clone()..).map(|(path, _)| path);
        behind
            .by_ref()
            .take_while(|path| path.starts_with(from.as_str()))
            .any(|path| path.below(&from).is_some())
    }

    /// What is remembered of a part of this source.
    pub(super) fn remembered(&self, key: &str) -> Option<&Remembered> {
        self.memory.parts.get(&(self.source.clone(), key.to_owned()))
    }

    /// Puts a file as the source gives it now; how it stood before decides what happens.
    pub(super) fn put(
        &mut self,
        part: &mut Remembered,
        path: &RelPath,
        text: &str,
        from: &str,
        keeps_base: bool,
    ) -> Result<Put> {
        let known = part.files.get(path.as_str()).cloned();
        let new = hash(text);
        if known.as_ref().is_some_and(|known| known.source == new) {
            return Ok(Put::Same);
        }
        let key = DocKey::File(path.clone());
        let now = self.store.read_bytes(self.ctx, &key)?;
        let stands = now.is_some() || self.store.stands(&key);
        let hash_now = now.as_deref().map(ContentHash::of);
        let is_same = hash_now.is_some_and(|now| now.to_string() == new);
        let outcome = match &known {
            _ if is_same => Put::Same,
            None if !stands => {
                self.write(path.clone(), text.to_owned(), Expect::Absent, Some(from));
                Put::Written
            }
            None => {
                self.leave(from, None, &format!("there is another file already: `{path}`"), true);
                return Ok(Put::Ours);
            }
            Some(known) => match hash_now {
                Some(now) if now.to_string() == known.written => {
                    self.write(path.clone(), text.to_owned(), Expect::Hash(now), Some(from));
                    Put::Written
                }
                _ => Put::Ours,
            },
        };
        let written = match outcome {
            Put::Ours => known.map(|known| known.written).unwrap_or_default(),
            Put::Written | Put::Same => new.clone(),
        };
        let base = keeps_base.then(|| text.to_owned());
        part.files.insert(path.to_string(), FileMemory { source: new, written, base });
        Ok(outcome)
    }

    /// A file that the source keeps beside a part. One that both sides changed goes to the change.
    pub(super) fn put_beside(
        &mut self,
        part: &mut Remembered,
        path: &RelPath,
        document: &Document,
    ) -> Result<()> {
        let is_known = part.files.contains_key(path.as_str());
        if self.put(part, path, &document.text, &document.from, false)? == Put::Ours && is_known {
            self.news.file(path, &document.from, &document.text);
        }
        Ok(())
    }

    pub(super) fn write(&mut self, path: RelPath, text: String, expect: Expect, from: Option<&str>) {
        self.writes.insert(path, Write { text, expect, from: from.map(str::to_owned) });
    }

    pub(super) fn keep(&mut self, part: Remembered) {
        self.memory.parts.insert((part.source.clone(), part.key.clone()), part);
    }

    pub(super) fn part(&self, key: &str) -> Remembered {
        self.remembered(key).cloned().unwrap_or_else(|| Remembered {
            source: self.source.clone(),
            key: key.to_owned(),
            at: self.ctx.now_rfc3339(),
            ..Remembered::default()
        })
    }

    pub(super) fn leave(&mut self, file: &str, text: Option<&str>, why: &str, fault: bool) {
        self.view.left_out.push(LeftOutView {
            id: None,
            file: file.to_owned(),
            line: None,
            text: text.unwrap_or_default().to_owned(),
            why: why.to_owned(),
            fault,
        });
    }

    /// A part that came, or was there in the same words.
    pub(super) fn tell(&mut self, is_new: bool, imported: ImportedView) {
        if is_new {
            self.view.imported.push(imported);
        } else {
            self.view.unchanged += 1;
        }
    }

    /// A document that stands alone.
    fn document(&mut self, document: &Document) -> Result<String> {
        let folder = &self.store.places().documents;
        let Ok(path) = RelPath::parse(&format!("{folder}/{}", document.to)) else {
            self.leave(&document.from, None, "its name cannot be a path here", true);
            return Ok(String::new());
        };
        let mut part = self.part(&document.from);
        let is_new = self.remembered(&document.from).is_none();
        self.put_beside(&mut part, &path, document)?;
        path.as_str().clone_into(&mut part.id);
        if part.files.is_empty() {
            return Ok(String::new());
        }
        self.keep(part);
        self.tell(
            is_new,
            ImportedView {
                kind: "document".to_owned(),
                id: path.to_string(),
                title: path.file_name().to_owned(),
                from: document.from.clone(),
                ..ImportedView::default()
            },
        );
        Ok(path.to_string())
    }

    /// Writes the memory where it says something new.
    fn remember(&mut self) {
        let folder = self.store.places().imports.clone();
        let texts = self.memory.render();
        for (at, text) in texts.iter().enumerate() {
            let name = match at {
                0 => format!("{}.json", self.format),
                at => format!("{}.{}.json", self.format, at + 1),
            };
            let Ok(path) = RelPath::parse(&format!("{folder}/{name}")) else { continue };
            let expect = match self.known_memory.remove(&path) {
                Some(known) if known == *text => continue,
                Some(known) => Expect::Hash(ContentHash::of(known.as_bytes())),
                None => Expect::Absent,
            };
            self.write(path, text.clone(), expect, None);
        }
        // Fewer files than before: what is left holds nothing any more.
        for (path, text) in std::mem::take(&mut self.known_memory) {
            let empty = Memory::render_empty();
            if text != empty {
                self.write(path, empty, Expect::Hash(ContentHash::of(text.as_bytes())), None);
            }
        }
    }

    pub(super) fn write_to(&mut self, transaction: &mut Transaction) {
        for (path, write) in &self.writes {
            transaction.put(DocKey::File(path.clone()), write.text.as_str(), write.expect);
        }
    }

    pub(super) fn into_view(self) -> ImportView {
        let mut view = self.view;
        view.files = self
            .writes
            .into_iter()
            .map(|(path, write)| ImportFileView {
                file: path.to_string(),
                action: if write.expect == Expect::Absent { "create" } else { "update" }.to_owned(),
                from: write.from,
            })
            .collect();
        view.complete = !view.left_out.iter().any(|one| one.fault);
        view
    }
}
