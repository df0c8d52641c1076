//! A decision record: PART 1 is the architecture after the decision, PART 2 the decision itself.
//!
//! The file is written once and never changed. Its place in the history stands in the comments at the top:
//! `Previous` is the latest record it was built on, `Merged` the other heads of a merge.

use std::fmt::Write as _;

use super::head::{Head, comment};
use super::lists::{bullets, entries, pairs};
use super::{Malformed, snapshot};
use crate::decision::architecture::{Change, Link, Snapshot};
use crate::decision::text::{escape, quote, read_block, unescape};
use crate::decision::uid::Uid;
use crate::document::{BlockKind, Document, Section};

const PART_1: &str = "PART 1: ARCHITECTURE SNAPSHOT";
const PART_2: &str = "PART 2: DECISION DETAILS";

/// A decision record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adr {
    pub uid: Uid,
    /// One line: `Authentication: Strategy = OAuth`.
    pub title: String,
    pub category: String,
    /// `YYYY-MM-DD`.
    pub date: String,
    pub previous: Option<Uid>,
    /// The file of the previous record, for the link.
    pub previous_file: Option<String>,
    pub merged: Vec<Uid>,
    /// The records that this one takes the place of, where somebody said so.
    pub supersedes: Vec<Uid>,
    /// What it was called by the tool that it was imported from.
    pub alias: Option<String>,
    /// What this record changes, one line each.
    pub changes: Vec<String>,
    pub snapshot: Snapshot,
    pub context: Vec<Passage>,
    /// Name and value of what was decided.
    pub decision: Vec<(String, String)>,
    pub rationale: String,
    pub alternatives: Vec<String>,
    pub positive: Vec<String>,
    pub negative: Vec<String>,
    pub neutral: Vec<String>,
}

/// Somebody's words, and the sentence that introduces them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    pub lead: String,
    pub text: String,
}

impl Adr {
    /// The place of this record in the history.
    pub fn link(&self) -> Link {
        let parents = self.previous.iter().chain(&self.merged).cloned().collect();
        Link { uid: self.uid.clone(), parents, snapshot: self.snapshot.clone() }
    }

    /// The records that no longer hold as a whole: those whose fields were decided anew, and the one that was named.
    pub fn superseded(&self) -> Vec<Uid> {
        let modified = self.changes.iter().filter(|line| line.starts_with("Modified: "));
        let decided = modified.filter_map(|line| {
            let (_, uid) = line.rsplit_once("(ADR ")?;
            Uid::parse(uid.trim_end_matches(')')).ok()
        });
        let mut all: Vec<Uid> = decided.chain(self.supersedes.iter().cloned()).collect();
        all.sort();
        all.dedup();
        all
    }

    pub fn file_name(&self) -> String {
        self.uid.file_name(&self.title)
    }

    pub fn render(&self) -> String {
        let previous = self.previous.as_ref().map_or("None", Uid::as_str);
        let mut out = comment("UID", self.uid.as_str());
        out.push_str(&comment("Category", &self.category));
        out.push_str(&comment("Date", &self.date));
        out.push_str(&comment("Previous", previous));
        if !self.merged.is_empty() {
            let merged: Vec<&str> = self.merged.iter().map(Uid::as_str).collect();
            out.push_str(&comment("Merged", &merged.join(", ")));
        }
        out.push_str(&supersedes(&self.supersedes));
        if let Some(alias) = &self.alias {
            out.push_str(&comment("Alias", alias));
        }
        let link = match (&self.previous, &self.previous_file) {
            (Some(uid), Some(file)) => format!("[{uid}]({file})"),
            (Some(uid), None) => uid.to_string(),
            (None, _) => "_None_".to_owned(),
        };
        let _ = write!(out, "\n# ADR: {}\n\n", escape(&self.title));
        let _ = write!(
            out,
            "**Category:** {}\n**Date:** {}\n**Status:** Accepted\n**Previous:** {link}\n\n",
            self.category, self.date
        );
        let _ = write!(out, "# {PART_1}\n\n## Changes in This Version\n\n");
        out.push_str(&bullets("", self.changes.iter().map(String::as_str)));
        out.push_str("\n## Architecture Snapshot\n\n");
        out.push_str(snapshot::render(&self.snapshot).trim_end());
        let _ = write!(out, "\n\n# {PART_2}\n\n## Context\n\n");
        for passage in &self.context {
            let _ = write!(out, "{}\n\n{}\n", passage.lead, quote(&passage.text));
        }
        let _ = write!(out, "## Decision\n\nFor {} this is decided:\n\n", self.category);
        let decided: Vec<String> =
            self.decision.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        out.push_str(&bullets("", decided.iter().map(String::as_str)));
        let _ = write!(out, "\n## Rationale\n\n{}\n\n## Alternatives Considered\n\n", self.rationale);
        out.push_str(&bullets("", self.alternatives.iter().map(String::as_str)));
        out.push_str("\n## Consequences\n");
        for (name, list) in
            [("Positive", &self.positive), ("Negative", &self.negative), ("Neutral", &self.neutral)]
        {
            let _ = write!(out, "\n### {name}\n\n{}", bullets("", list.iter().map(String::as_str)));
        }
        out
    }

    pub fn read(text: &str) -> Result<Self, Malformed> {
        let head = Head::of(text);
        let uid = head.own_uid()?;
        let uids = |key: &str| match head.get(key) {
            None | Some(("" | "None", _)) => Ok(Vec::new()),
            Some((list, line)) => list
                .split(',')
                .map(|uid| Uid::parse(uid.trim()).map_err(|error| Malformed::new(line, error.to_string())))
                .collect::<Result<Vec<_>, _>>(),
        };
        let merged = match head.get("Merged") {
            None => Vec::new(),
            Some(_) => uids("Merged")?,
        };
        let document = Document::parse(text);
        let section = |title: &str| document.section(2, title);
        let snapshot = section("Architecture Snapshot")
            .or_else(|| section("Current Architecture State"))
            .ok_or_else(|| Malformed::new(1, "there is no section `## Architecture Snapshot`"))?;
        let title =
            document.headings().find(|(_, heading)| heading.level == 1).map(|(_, heading)| heading.raw);
        let title = unescape(title.unwrap_or_default());
        let consequence = |name: &str| {
            let found = section("Consequences")
                .and_then(|section| section.children().find(|child| child.is(3, name)));
            entries(&document, found)
        };
        let rationale = section("Rationale").map_or("", |section| document.slice(section.intro()).trim());
        Ok(Self {
            title: title.strip_prefix("ADR:").unwrap_or(&title).trim().to_owned(),
            category: head.get("Category").map(|(category, _)| category.to_owned()).unwrap_or_default(),
            date: head.get("Date").map_or_else(|| date_of(&uid), |(date, _)| date.to_owned()),
            previous: head.uid("Previous")?,
            previous_file: previous_file(text),
            merged,
            supersedes: uids("Supersedes")?,
            alias: head.get("Alias").map(|(alias, _)| alias.to_owned()).filter(|alias| !alias.is_empty()),
            changes: entries(&document, section("Changes in This Version")),
            snapshot: snapshot::read(&document, snapshot)?,
            context: section("Context").map(|section| passages(&document, section)).unwrap_or_default(),
            decision: pairs(&document, section("Decision")),
            rationale: rationale.to_owned(),
            alternatives: entries(&document, section("Alternatives Considered")),
            positive: consequence("Positive"),
            negative: consequence("Negative"),
            neutral: consequence("Neutral"),
            uid,
        })
    }
}

fn supersedes(uids: &[Uid]) -> String {
    if uids.is_empty() {
        return String::new();
    }
    comment("Supersedes", &uids.iter().map(Uid::as_str).collect::<Vec<_>>().join(", "))
}

/// The comments at the top of a record that another tool wrote.
pub(crate) fn imported_head(
    uid: &Uid,
    date: &str,
    previous: Option<&Uid>,
    superseded: &[&Uid],
    alias: &str,
) -> String {
    let superseded: Vec<Uid> = superseded.iter().map(|uid| (*uid).clone()).collect();
    let mut out = comment("UID", uid.as_str());
    out.push_str(&comment("Category", "Imported"));
    out.push_str(&comment("Date", date));
    out.push_str(&comment("Previous", previous.map_or("None", Uid::as_str)));
    out.push_str(&supersedes(&superseded));
    out.push_str(&comment("Alias", &alias.replace("--", "-")));
    out
}

/// The day of a UID, as records show it.
pub(in crate::decision) fn date_of(uid: &Uid) -> String {
    let text = uid.as_str();
    format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..8])
}

/// The file behind the link to the previous record, where the link leads to a sibling.
fn previous_file(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("**Previous:** ["))?;
    let file = line.split_once("](")?.1.trim_end().strip_suffix(')')?;
    (!file.contains('/')).then(|| file.to_owned())
}

/// Each quote with the sentence before it; a paragraph that introduces nothing stands for itself.
fn passages(document: &Document<'_>, section: Section<'_, '_>) -> Vec<Passage> {
    let mut found: Vec<Passage> = Vec::new();
    let mut lead = None;
    for block in section.intro_blocks().iter().filter(|block| block.nesting == 0) {
        let text = read_block(document, block);
        if matches!(block.kind, BlockKind::Quote) {
            found.push(Passage { lead: lead.take().unwrap_or_default(), text });
        } else if let Some(alone) = lead.replace(text) {
            found.push(Passage { lead: String::new(), text: alone });
        }
    }
    found.extend(lead.map(|text| Passage { lead: String::new(), text }));
    found
}

impl Change {
    /// The change as a record lists it.
    pub(crate) fn to_line(&self) -> String {
        match self {
            Self::Added { key, value } => format!("Added: {key} = {value}"),
            Self::Modified { key, value, was } => match &was.by {
                Some(uid) => format!("Modified: {key} = {value} (was: {} (ADR {uid}))", was.value),
                None => format!("Modified: {key} = {value} (was: {})", was.value),
            },
            Self::Merged { key, decided } => match &decided.by {
                Some(uid) => format!("Merged: {key} = {} (ADR {uid})", decided.value),
                None => format!("Merged: {key} = {}", decided.value),
            },
        }
    }
}
