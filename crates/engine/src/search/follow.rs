//! Following the files: what of the index is no longer what they say, and taking that in.

use std::collections::HashMap;
use std::sync::Arc;

use hewto_search::{Document, DocumentKey, Fingerprint, Index, Note, SearchError, Stale};
use hewto_store::{Context, Progress};

use super::documents::{Source, Sources};
use super::noted;
use crate::error::Result;
use crate::workspace::Workspace;

/// Documents between two reports of progress.
const STEP: usize = 100;

/// An index that turns out to be torn when something is taken in was made anew, and lacks the rest: that is taken in too. Once,
/// since two processes that see different files could go on for ever.
const MOST_ROUNDS: usize = 2;

/// An open index.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) index: Arc<Index>,
    memory: Memory,
    noted: Noted,
}

/// What the note beside the index says.
#[derive(Debug, PartialEq, Eq)]
enum Noted {
    /// Nothing that is known to hold.
    Nothing,
    /// That index and files are the same, as it was found when the index was opened; nobody has looked closer since.
    AtOpening(Note),
    /// What they were then.
    Clean(Clean),
}

/// What tells one state of files and index from all others in this process.
type Clean = (u64, Vec<Fingerprint>, u64);

/// What came of following the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Followed {
    /// So many documents were taken in or dropped.
    Done(usize),
    /// There are more to take in than the caller wants to wait for, of so many there are.
    TooMany { documents: usize },
}

/// What was found when the index was last compared with the files.
#[derive(Debug, Default)]
struct Memory {
    /// What files and index looked like when nothing was to be done.
    clean: Option<Clean>,
    /// Documents that were indexed while their stamps proved nothing, with what they said.
    unsettled: HashMap<DocumentKey, Witness>,
    /// Whether anything was taken in or dropped.
    has_taken_in: bool,
}

#[derive(Debug, Clone, Copy)]
struct Witness {
    print: Fingerprint,
    content: Fingerprint,
    /// Whether the same stamps have since come to mean the same text.
    proven: bool,
}

impl Open {
    pub(super) fn new(index: Index) -> Self {
        Self { index: Arc::new(index), memory: Memory::default(), noted: Noted::Nothing }
    }

    /// Takes the word of a note that index and files are the same, if it was written for this index.
    pub(super) fn takes_the_word_of(&mut self, note: Note) -> bool {
        let is_noted = self.index.is_noted(&note).unwrap_or(false);
        if is_noted {
            self.noted = Noted::AtOpening(note);
        }
        is_noted
    }

    /// Whether index and files are still as the note had them when the index was opened.
    pub(super) fn is_still_as_noted(&self, ws: &Workspace, ctx: &Context) -> bool {
        let Noted::AtOpening(note) = &self.noted else { return false };
        noted::holds(ws, ctx, note).unwrap_or(false) && self.index.is_noted(note).unwrap_or(false)
    }

    /// Whether there is something to look at, or to note down, when nobody waits.
    pub(super) fn has_something_to_note(&self) -> bool {
        match (&self.noted, &self.memory.clean) {
            (Noted::AtOpening(_), _) => true,
            (Noted::Nothing, clean) => clean.is_some(),
            (Noted::Clean(noted), clean) => clean.as_ref().is_some_and(|clean| clean != noted),
        }
    }

    /// Notes what the files look like, if the index is what they say.
    pub(super) fn note(&mut self, ws: &Workspace, ctx: &Context, sources: &Sources) {
        let Some(clean) = self.memory.clean.clone().filter(|_| self.has_something_to_note()) else { return };
        if !matches!(self.noted, Noted::AtOpening(_)) || self.memory.has_taken_in {
            noted::write(ws, ctx, &self.index, clean.2, sources);
        }
        self.noted = Noted::Clean(clean);
    }

    /// Takes in what is different in the files, unless that is more than so many documents.
    pub(super) fn follow(
        &mut self,
        ws: &Workspace,
        ctx: &Context,
        sources: &Sources,
        most: usize,
    ) -> Result<Followed> {
        let Self { index, memory, .. } = self;
        let (generation, others) = sources.glance();
        let now = (generation, others, index.revision()?);
        if memory.clean.as_ref() == Some(&now) {
            return Ok(Followed::Done(0));
        }
        let mut stale = memory.compare(ws, ctx, index, sources)?;
        let mut touched = 0;
        let mut unread = Vec::new();
        for round in 0..MOST_ROUNDS {
            if stale.is_empty() {
                break;
            }
            if stale.changed.len() > most {
                return Ok(Followed::TooMany { documents: sources.all().count() });
            }
            let mut reading = Reading {
                ws,
                ctx,
                total: stale.changed.len(),
                read: 0,
                witnesses: Vec::new(),
                unread: Vec::new(),
            };
            // What was read when the time is up is kept; the rest is for the next call.
            let keys = stale.changed.iter().take_while(|_| ctx.check().is_ok());
            let documents = keys.filter_map(|key| reading.next(&sources.find(key)?));
            memory.has_taken_in = true;
            match index.apply(documents, &stale.removed) {
                Ok(count) => touched += count,
                // One that was damaged has been made anew by that, and holds nothing yet.
                Err(SearchError::Words { .. }) if round == 0 && index.revision()? != stale.revision => {
                    stale = memory.compare(ws, ctx, index, sources)?;
                    continue;
                }
                Err(error) => return Err(error.into()),
            }
            memory.unsettled.retain(|key, _| sources.find(key).is_some());
            // Only now: what did not get into the index has no witness.
            memory.unsettled.extend(reading.witnesses);
            unread.append(&mut reading.unread);
            ctx.check()?;
            // Others may have written meanwhile: what is clean is only what was compared.
            stale = memory.compare(ws, ctx, index, sources)?;
            stale.changed.retain(|key| !unread.contains(key));
        }
        let is_clean = stale.is_empty() && memory.unsettled.values().all(|witness| witness.proven);
        memory.clean = is_clean.then_some((now.0, now.1, stale.revision));
        Ok(Followed::Done(touched))
    }
}

impl Memory {
    /// What of the index is not what the files say.
    fn compare(&mut self, ws: &Workspace, ctx: &Context, index: &Index, sources: &Sources) -> Result<Stale> {
        let stale = index.stale(sources.all().map(|source| {
            let vouched = self.vouches_for(ws, ctx, &source);
            let print = if vouched { source.evidence.unsettled() } else { source.evidence.print };
            (source.key, print)
        }))?;
        Ok(stale)
    }

    /// Whether a document that was indexed too early for its stamps to prove anything still says the same.
    fn vouches_for(&mut self, ws: &Workspace, ctx: &Context, source: &Source) -> bool {
        let Some(witness) = self.unsettled.get_mut(&source.key) else { return false };
        if witness.print != source.evidence.print {
            return false;
        }
        if !witness.proven {
            let Some(texts) = source.texts(ws, ctx) else { return false };
            if content(&texts) != witness.content {
                return false;
            }
            witness.proven = source.evidence.settled;
        }
        true
    }
}

/// Documents on their way into the index.
struct Reading<'a> {
    ws: &'a Workspace,
    ctx: &'a Context,
    total: usize,
    read: usize,
    witnesses: Vec<(DocumentKey, Witness)>,
    /// What was there and could not be read.
    unread: Vec<DocumentKey>,
}

impl Reading<'_> {
    /// The next document; nothing for one that has vanished.
    fn next(&mut self, source: &Source) -> Option<Document> {
        if self.read.is_multiple_of(STEP) {
            self.ctx.report(Progress {
                done: self.read as u64,
                total: Some(self.total as u64),
                message: "reading documents".to_owned(),
            });
        }
        self.read += 1;
        let Some(texts) = source.texts(self.ws, self.ctx) else {
            self.unread.push(source.key.clone());
            return None;
        };
        if !source.evidence.settled {
            let witness = Witness { print: source.evidence.print, content: content(&texts), proven: false };
            self.witnesses.push((source.key.clone(), witness));
        }
        Some(source.document(&texts))
    }
}

fn content(texts: &[(String, String)]) -> Fingerprint {
    let mut bytes = Vec::new();
    for (path, text) in texts {
        for part in [path.as_str(), text.as_str()] {
            bytes.extend(part.len().to_le_bytes());
            bytes.extend(part.as_bytes());
        }
    }
    Fingerprint::of(&bytes)
}
