//! `CURRENT_TASK.md`: what is to be done now, where it may be done, and how one knows that it is done.

use std::fmt::Write as _;

use super::Malformed;
use super::head::{Head, comment};
use super::lists::{bullets, entries, raw_entries};
use crate::decision::text::{block, code_span, escape, quote, read_block, read_code_span, unescape};
use crate::decision::uid::Uid;
use crate::document::{Block, BlockKind, Document};

const GIVEN: &str = "Context given with it:";
const DESCRIBED: &str = "In more words:";
/// What stands before the facts that nobody was asked about.
pub const KNOWN: &str = "Known already:";
const DECISION: &str = "Decision: ";

/// The current task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    pub uid: Uid,
    /// RFC 3339, whole seconds.
    pub created: String,
    pub related_adr: Option<Uid>,
    /// One line.
    pub title: String,
    /// The intention, as it was given.
    pub intention: String,
    /// `Authentication - Strategy=OAuth, Library=next-auth`.
    pub decision: Option<String>,
    pub given_context: Option<String>,
    pub description: Option<String>,
    /// What the repository and earlier decisions say, in paragraphs.
    pub known: Option<String>,
    pub allowlist: Vec<String>,
    pub forbidden: Vec<String>,
    pub constraints: Vec<String>,
    pub criteria: Vec<String>,
}

impl Task {
    /// The name of this task in the archive.
    pub fn file_name(&self) -> String {
        self.uid.file_name(&self.title)
    }

    pub fn render(&self) -> String {
        let mut out = comment("UID", self.uid.as_str());
        out.push_str(&comment("Created", &self.created));
        if let Some(adr) = &self.related_adr {
            out.push_str(&comment("Related ADR", adr.as_str()));
        }
        let _ = write!(out, "\n# {}\n\n## Objective\n\n", escape(&self.title));
        out.push_str(&block(&self.intention));
        if let Some(decision) = &self.decision {
            let _ = write!(out, "\n{DECISION}{}\n", escape(decision));
        }
        out.push_str("\n## Context\n\n");
        out.push_str(&block(&self.intention));
        for (lead, text) in
            [(GIVEN, &self.given_context), (DESCRIBED, &self.description), (KNOWN, &self.known)]
        {
            if let Some(text) = text {
                let _ = write!(out, "\n{lead}\n\n{}", quote(text));
            }
        }
        if let Some(adr) = &self.related_adr {
            let _ = write!(out, "\nRelated ADR: {adr}\n");
        }
        for (title, paths) in [("Allowlist", &self.allowlist), ("Forbidden", &self.forbidden)] {
            let _ = write!(out, "\n## {title}\n\n");
            if paths.is_empty() {
                let allowed = title == "Allowlist";
                out.push_str(if allowed { "_Nobody has named a place yet_\n" } else { "_None_\n" });
            }
            for path in paths {
                let _ = writeln!(out, "- {}", code_span(path));
            }
        }
        out.push_str("\n## Technical Constraints\n\n");
        out.push_str(&bullets("", self.constraints.iter().map(String::as_str)));
        out.push_str("\n## Acceptance Criteria\n\n");
        out.push_str(&bullets("[ ] ", self.criteria.iter().map(String::as_str)));
        out
    }

    /// Reads a task; only its UID has to be there.
    pub fn read(text: &str) -> Result<Self, Malformed> {
        let head = Head::of(text);
        let uid = head.own_uid()?;
        let related_adr = head.uid("Related ADR")?;
        let document = Document::parse(text);
        let title =
            document.headings().find(|(_, heading)| heading.level == 1).map(|(_, heading)| heading.raw);
        let objective = outer_blocks(&document, "Objective");
        let context = outer_blocks(&document, "Context");
        let decision = objective.get(1).and_then(|block| {
            let line = document.joined(block.span.clone());
            line.strip_prefix(DECISION).map(unescape)
        });
        let paths = |title: &str| {
            document.section(2, title).map_or_else(Vec::new, |section| {
                raw_entries(&document, section).map(|(_, entry)| read_code_span(&entry)).collect()
            })
        };
        Ok(Self {
            uid,
            created: head.get("Created").map(|(created, _)| created.to_owned()).unwrap_or_default(),
            related_adr,
            title: unescape(title.unwrap_or_default()),
            intention: objective.first().map(|block| read_block(&document, block)).unwrap_or_default(),
            decision,
            given_context: quoted_after(&document, &context, GIVEN),
            description: quoted_after(&document, &context, DESCRIBED),
            known: quoted_after(&document, &context, KNOWN),
            allowlist: paths("Allowlist"),
            forbidden: paths("Forbidden"),
            constraints: entries(&document, document.section(2, "Technical Constraints")),
            criteria: entries(&document, document.section(2, "Acceptance Criteria")),
        })
    }
}

fn outer_blocks<'d, 't>(document: &'d Document<'t>, title: &str) -> Vec<&'d Block<'t>> {
    document.section(2, title).map_or_else(Vec::new, |section| {
        section.intro_blocks().iter().filter(|block| block.nesting == 0).collect()
    })
}

/// The quote that follows this sentence. The first block is the intention, which may say anything.
fn quoted_after(document: &Document<'_>, blocks: &[&Block<'_>], lead: &str) -> Option<String> {
    let introduced = blocks.windows(2).skip(1).find(|pair| {
        matches!(pair[1].kind, BlockKind::Quote) && document.slice(pair[0].span.clone()) == lead
    });
    introduced.map(|pair| read_block(document, pair[1]))
}
