//! A spec cut at its requirements, so that one can change while the others stay as they are.

use crate::delta::delta_headings;
use crate::document::{Document, EolStyle};
use crate::near::fold;
use crate::outline::Outline;
use crate::requirement::{Requirement, RequirementPlace, SpecDoc};

/// A text, and what stands in its section `## Requirements` as pieces of it.
#[derive(Debug)]
pub(super) struct Slots {
    pieces: Vec<Piece>,
    /// Everything after the section.
    tail: String,
    eol: EolStyle,
}

#[derive(Debug, Clone)]
struct Piece {
    kind: Kind,
    /// Ends without blanks.
    text: String,
    /// The blanks behind the text.
    gap: String,
    /// The name as it compares; empty for what is no requirement.
    folded: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// Everything before the first requirement.
    Head,
    Requirement(String),
    /// What a heading that is no requirement carries along.
    Foreign,
}

/// Why a spec cannot be updated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    DeltaHeading(String),
    Outside(String),
    Duplicate(String),
}

impl Slots {
    /// Cuts a text. A spec without the section gets it at its end.
    pub(super) fn cut(text: &str, document: &Document<'_>) -> Self {
        let eol = EolStyle::of(text);
        let spec = SpecDoc::read(document);
        let Some(section) = &spec.requirements_body else {
            let before = text.trim_end();
            let is_empty = before.trim_start_matches('\u{feff}').is_empty();
            let gap = if is_empty { String::new() } else { eol.as_str().repeat(2) };
            let head = format!("{before}{gap}## Requirements");
            let pieces = vec![Piece {
                kind: Kind::Head,
                text: head,
                gap: eol.as_str().to_owned(),
                folded: String::new(),
            }];
            return Self { pieces, tail: String::new(), eol };
        };
        let inside: Vec<&Requirement<'_>> =
            spec.requirements.iter().filter(|r| r.place == RequirementPlace::Inside).collect();
        let first = inside.first().map_or(section.end, |requirement| requirement.span.start);
        let mut pieces = vec![Piece::new(Kind::Head, &text[..first])];
        let ends = inside.iter().skip(1).map(|requirement| requirement.span.start).chain([section.end]);
        for (requirement, end) in inside.iter().zip(ends) {
            let own = requirement.span.start..requirement.foreign.start.clamp(requirement.span.end, end);
            pieces.push(Piece::new(Kind::Requirement(requirement.name.to_owned()), &text[own.clone()]));
            if own.end < end {
                pieces.push(Piece::new(Kind::Foreign, &text[own.end..end]));
            }
        }
        Self { pieces, tail: text[section.end..].to_owned(), eol }
    }

    /// What keeps a spec from being updated: requirements that its readers would not see, or see twice.
    pub(super) fn faults(document: &Document<'_>) -> Vec<Fault> {
        let outline = Outline::read(document);
        let mut faults: Vec<Fault> = delta_headings(&outline)
            .map(|heading| Fault::DeltaHeading(document.slice(heading.clone()).trim().to_owned()))
            .collect();
        let spec = SpecDoc::from_outline(&outline);
        let mut seen = std::collections::HashSet::new();
        for requirement in &spec.requirements {
            let name = requirement.name.to_owned();
            if requirement.place == RequirementPlace::Elsewhere {
                faults.push(Fault::Outside(name));
            } else if !seen.insert(requirement.name) {
                faults.push(Fault::Duplicate(name));
            }
        }
        faults
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(Piece::name)
    }

    /// Each requirement with its text.
    pub(super) fn requirements(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pieces.iter().filter_map(|piece| Some((piece.name()?, piece.text.as_str())))
    }

    /// The first other requirement whose name is the same but for case and blanks.
    pub(super) fn variant_of(&self, name: &str, but: Option<&str>) -> Option<&str> {
        let wanted = fold(name);
        let alike = self.pieces.iter().filter(|piece| piece.folded == wanted).filter_map(Piece::name);
        alike.into_iter().find(|known| *known != name && Some(*known) != but)
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.names().any(|known| known == name)
    }

    /// The text of a requirement.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.pieces.iter().find(|piece| piece.name() == Some(name)).map(|piece| piece.text.as_str())
    }

    /// What a foreign heading carries along behind a requirement.
    pub(super) fn foreign_after(&self, name: &str) -> Option<&str> {
        let at = self.position(name)?;
        self.pieces.get(at + 1).filter(|piece| piece.kind == Kind::Foreign).map(|piece| piece.text.as_str())
    }

    /// Puts text behind a requirement and what is carried along there.
    pub(super) fn add_foreign_after(&mut self, name: &str, text: &str) {
        let Some(mut at) = self.position(name) else { return };
        if self.foreign_after(name).is_some() {
            at += 1;
        }
        let text = self.eol.applied_to(text);
        let before = &mut self.pieces[at];
        let mut gap = std::mem::replace(&mut before.gap, self.eol.as_str().repeat(2));
        if newlines(&gap) < 2 && !(at + 1 == self.pieces.len() && self.tail.is_empty()) {
            gap = self.eol.as_str().repeat(2);
        }
        self.pieces.insert(at + 1, Piece { kind: Kind::Foreign, text, gap, folded: String::new() });
    }

    pub(super) fn replace(&mut self, name: &str, text: &str) {
        let text = self.eol.applied_to(text.trim_end());
        if let Some(at) = self.position(name) {
            self.pieces[at].text = text;
        }
    }

    /// Gives a requirement another name, in its heading too.
    pub(super) fn rename(&mut self, from: &str, to: &str) {
        let Some(at) = self.position(from) else { return };
        let piece = &mut self.pieces[at];
        let line = piece.text.find(['\n', '\r']).unwrap_or(piece.text.len());
        // The name is the last thing in the heading but for the marks that may close it.
        if let Some(start) = piece.text[..line].rfind(from) {
            piece.text.replace_range(start..start + from.len(), to);
        }
        piece.kind = Kind::Requirement(to.to_owned());
        piece.folded = fold(to);
    }

    pub(super) fn remove(&mut self, name: &str) {
        if let Some(at) = self.position(name) {
            self.take(at);
        }
    }

    /// Puts a requirement behind everything else in the section.
    pub(super) fn push(&mut self, name: &str, text: &str) {
        let line = self.eol.as_str();
        let last = self.pieces.last_mut().expect("the head is never taken");
        let end = last.gap.clone();
        if newlines(&last.gap) < 2 {
            last.gap = line.repeat(2);
        }
        let gap = match (newlines(&end), self.tail.is_empty()) {
            (0, true) => line.to_owned(),
            (0 | 1, false) => line.repeat(2),
            _ => end,
        };
        let text = self.eol.applied_to(text.trim_end());
        self.pieces.push(Piece { kind: Kind::Requirement(name.to_owned()), text, gap, folded: fold(name) });
    }

    /// Puts the pieces together again. Pieces that were not touched give the bytes they were cut from.
    pub(super) fn join(&self) -> String {
        let mut out = String::new();
        for piece in &self.pieces {
            out.push_str(&piece.text);
            out.push_str(&piece.gap);
        }
        out.push_str(&self.tail);
        out
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.pieces.iter().position(|piece| piece.name() == Some(name))
    }

    fn take(&mut self, at: usize) {
        let taken = self.pieces.remove(at);
        // What is now last ends the section as the taken piece did.
        if at == self.pieces.len()
            && let Some(last) = self.pieces.last_mut()
        {
            last.gap = taken.gap;
        }
    }
}

impl Piece {
    fn new(kind: Kind, slice: &str) -> Self {
        let text = slice.trim_end();
        let folded = match &kind {
            Kind::Requirement(name) => fold(name),
            Kind::Head | Kind::Foreign => String::new(),
        };
        Self { kind, text: text.to_owned(), gap: slice[text.len()..].to_owned(), folded }
    }

    fn name(&self) -> Option<&str> {
        match &self.kind {
            Kind::Requirement(name) => Some(name),
            Kind::Head | Kind::Foreign => None,
        }
    }
}

fn newlines(gap: &str) -> usize {
    gap.bytes().filter(|byte| *byte == b'\n').count()
}
