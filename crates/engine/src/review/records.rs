//! Reading the records of an item. One that cannot be read is told and hides no other.

use hewto_core::decision::uid::Uid;
use hewto_core::diagnostic::Finding;
use hewto_core::proof::settings::{Gate, GateSet};
use hewto_core::review::{Demand, Digest, Doubt, Head, MAX_RECORD_BYTES, Record, Voice, Weighed, weigh};
use hewto_core::rules::reading::{REVIEW_DOUBT, REVIEW_FOLDER, REVIEW_RECORD};
use hewto_store::{Context, DocFolder, DocKey, Located, ReadError};

use super::authentic::Authority;
use super::spent;
use crate::error::Result;
use crate::gate::weakest;
use crate::workspace::Workspace;

/// More are not read: nobody decides so often.
pub(super) const MOST_RECORDS: usize = 2_000;

/// All records of an item, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Records {
    pub(crate) voices: Vec<Voice>,
    /// Relative to the workspace.
    pub(crate) folder: Option<DocFolder>,
    /// What is wrong with the folder and the files in it.
    pub(crate) findings: Vec<Finding>,
}

impl Records {
    /// Reads the records in this folder.
    pub(crate) fn read(ws: &Workspace, ctx: &Context, folder: &DocFolder) -> Result<Self> {
        let mut records = Self { folder: Some(folder.clone()), ..Self::default() };
        if !ws.store().has_folder(folder) {
            return Ok(records);
        }
        if !is_plain_folder(ws, folder) {
            records.findings.push(REVIEW_FOLDER.on(
                folder.as_str(),
                None,
                "it is not a folder, or it is a link: nothing in it counts",
                "put a real folder there, with the records that hewto wrote",
            ));
            return Ok(records);
        }
        let (names, others) = ws.store().names(ctx, folder)?;
        for name in others.iter().filter(|name| name.ends_with(".md")) {
            let message = "it is not a file, or it is a link: nothing in it counts";
            let hint = "find out who put it there, and move it away";
            records.findings.push(REVIEW_RECORD.on(format!("{folder}/{name}"), None, message, hint));
        }
        let mut authority = Authority::new(ws, ctx);
        let records_in: Vec<&String> =
            names.iter().filter(|name| name.strip_suffix(".md").is_some()).collect();
        // The newest: whoever adds files must not hide what was said last.
        for name in records_in.into_iter().rev().take(MOST_RECORDS) {
            ctx.check()?;
            let Ok(key) = folder.document(name) else { continue };
            let path = key.to_string();
            let Some(uid) = Uid::of_file_name(name) else {
                let hint = "records are named by hewto; move other notes out of this folder";
                records.findings.push(REVIEW_RECORD.on(path.as_str(), None, "its name is not a UID", hint));
                continue;
            };
            if uid.is_ahead(ctx.now()) {
                let message = "it is named by a moment more than a day ahead, which no clock has shown";
                let hint = "find out who put it there, and move it away; or set the clock";
                records.findings.push(REVIEW_DOUBT.on(path.as_str(), None, message, hint));
            }
            let text = match read(ws, ctx, &key)? {
                Ok(text) => text,
                Err(finding) => {
                    records.findings.push(finding);
                    continue;
                }
            };
            match Record::read(&text) {
                Ok(record) => {
                    let proven = authority.proof_of(&path, &text, &record);
                    records.voices.push(Voice { uid, record, proven });
                }
                Err(faults) => {
                    records.findings.extend(faults.iter().map(|fault| fault.in_file(path.as_str())));
                }
            }
        }
        records.voices.sort_by(|a, b| a.uid.cmp(&b.uid));
        spent::mark(ws, ctx, folder, &mut records.voices)?;
        Ok(records)
    }

    pub(crate) fn voice(&self, uid: &Uid) -> Option<&Voice> {
        self.voices.iter().find(|voice| voice.uid == *uid)
    }

    /// What they come to for this text, at a gate of these.
    pub(crate) fn weigh(
        &self,
        ctx: &Context,
        item: &str,
        content: Digest,
        gate: Gate,
        gates: &GateSet,
    ) -> Weighed {
        let demand = Demand {
            item,
            content,
            weakest: weakest(gate),
            reviewers: gates.reviewers.as_deref(),
            now: ctx.now(),
        };
        weigh(&self.voices, &demand)
    }

    /// Which version of the item this text is: that of a record about it, else the next.
    pub(crate) fn version_of(&self, digest: &Digest) -> u32 {
        Head::version_among(self.voices.iter().map(|voice| &voice.record.head), digest)
    }

    /// The doubts about single records, for people who look for what is wrong.
    pub(crate) fn doubtful(&self, doubts: &[(Uid, Doubt)]) -> Vec<Finding> {
        let Some(folder) = &self.folder else { return Vec::new() };
        let tell = |(uid, doubt): &(Uid, Doubt)| {
            let (message, hint) = explain(doubt);
            REVIEW_DOUBT.on(format!("{folder}/{uid}.md"), Some(1), message, hint)
        };
        doubts.iter().map(tell).collect()
    }
}

/// A doubt in words, and what to do about it.
pub(super) fn explain(doubt: &Doubt) -> (String, &'static str) {
    match doubt {
        Doubt::OtherItem => (
            "it is about another item and opens nothing here".to_owned(),
            "let a person review this item with `hewto approve`",
        ),
        Doubt::Future => (
            "it is from the future and opens nothing".to_owned(),
            "set the clock, or let a person decide again",
        ),
        Doubt::NotAReviewer => (
            "it is by somebody who is not among the reviewers".to_owned(),
            "let one of the `reviewers` of `.hewto/proof.toml` decide",
        ),
        Doubt::TooWeak(channel) => (
            format!("it came by `{channel}`, which is weaker than the gate asks for"),
            "let a person decide by a stronger channel",
        ),
        Doubt::Foreign => (
            "another machine wrote it and nobody signed it, so it opens nothing here".to_owned(),
            "sign the approval (`hewto approve --sign KEY`) or the commit that brings it, or approve it here",
        ),
        Doubt::Forged(why) => (
            format!("it is not what it says: {why}"),
            "find out who wrote it, delete it, and let a person decide again",
        ),
        Doubt::SameSecond => (
            "another verdict of the same second says the opposite, and the stricter one counts".to_owned(),
            "let a person decide again",
        ),
    }
}

/// The folder of the item may be reached over a link; its folder of records may not be one.
fn is_plain_folder(ws: &Workspace, folder: &DocFolder) -> bool {
    let real = |folder: &DocFolder| match ws.store().locate(folder.as_str()) {
        Located::Folder(real) => Some(real),
        Located::Inside(_) | Located::Outside | Located::Nowhere => None,
    };
    let beside = folder.above().and_then(|above| real(&above)?.folder(folder.name()).ok());
    beside.is_some() && real(folder) == beside
}

pub(super) fn read(
    ws: &Workspace,
    ctx: &Context,
    key: &DocKey,
) -> Result<std::result::Result<String, Finding>> {
    let failed = |message: String, hint: &str| Err(REVIEW_RECORD.on(key.to_string(), None, message, hint));
    let size = ws.store().stamp(ctx, key)?.map_or(0, |stamp| stamp.size);
    if size > MAX_RECORD_BYTES as u64 {
        let message = format!("it has {size} bytes, more than {MAX_RECORD_BYTES}");
        return Ok(failed(message, "records are small; move other texts out of this folder"));
    }
    match ws.store().read(ctx, key) {
        Ok(Some(doc)) => Ok(Ok(doc.text)),
        Ok(None) => Ok(failed("it is gone".to_owned(), "try again")),
        Err(error @ (ReadError::NotUtf8 { .. } | ReadError::File(_))) => {
            let hint = error.hint().to_owned();
            Ok(failed(error.to_string(), &hint))
        }
        Err(error) => Err(error.into()),
    }
}
