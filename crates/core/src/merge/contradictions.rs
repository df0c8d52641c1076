//! What is wrong with a delta whatever the spec says: names that stand twice, and sections that exclude each other.

use std::collections::{HashMap, HashSet};

use super::operations::Work;
use super::{NoteKind, ProblemKind};
use crate::delta::Oddity;
use crate::document::Span;
use crate::near::fold;
use crate::requirement::Requirement;

impl Work<'_> {
    /// Names that stand twice or in two sections, and parts that make no sense: refused whatever the spec says.
    pub(super) fn check_delta(&mut self) {
        let delta = self.application.delta;
        for oddity in &delta.oddities {
            match oddity {
                Oddity::FromAlone { name, span } => self.unpaired(name, "FROM", "TO", span),
                Oddity::ToAlone { name, span } => self.unpaired(name, "TO", "FROM", span),
                Oddity::Outside { name, span, .. } => self.note(
                    NoteKind::Ignored,
                    Some(name),
                    format!("requirement `{name}` is outside the sections of a delta and is not applied"),
                    span.clone(),
                ),
                Oddity::Heading { .. } | Oddity::Section { .. } => {}
            }
        }
        if delta.is_empty() {
            self.problem(
                ProblemKind::Empty,
                None,
                "the delta names no requirement".to_owned(),
                "add a section such as `## ADDED Requirements` with a `### Requirement: <name>` in it"
                    .to_owned(),
                0..0,
            );
        }
        let added = names(&delta.added);
        let modified = names(&delta.modified);
        let removed: Vec<_> =
            delta.removed.iter().map(|removal| (removal.name, removal.span.clone())).collect();
        let from: Vec<_> = delta.renamed.iter().map(|rename| (rename.from, rename.span.clone())).collect();
        let to: Vec<_> = delta.renamed.iter().map(|rename| (rename.to, rename.span.clone())).collect();
        self.twice(&added, "ADDED");
        self.twice(&modified, "MODIFIED");
        self.twice(&removed, "REMOVED");
        self.twice(&from, "RENAMED (from)");
        self.twice(&to, "RENAMED (to)");
        self.in_both(&modified, "MODIFIED", &removed, "REMOVED", str::to_owned);
        self.in_both(&modified, "MODIFIED", &added, "ADDED", str::to_owned);
        self.in_both(&added, "ADDED", &removed, "REMOVED", str::to_owned);
        self.in_both(&from, "RENAMED", &removed, "REMOVED", fold);
        self.in_both(&to, "RENAMED (to)", &added, "ADDED", str::to_owned);
        let places: HashMap<&str, &Span> = modified.iter().rev().map(|(name, span)| (*name, span)).collect();
        for rename in &delta.renamed {
            if let Some(&span) = places.get(rename.from) {
                self.problem(
                    ProblemKind::Contradiction,
                    Some(rename.from),
                    format!("`{}` is renamed by this delta but modified under its old name", rename.from),
                    format!("write `### Requirement: {}` under MODIFIED", rename.to),
                    span.clone(),
                );
            }
        }
    }

    fn unpaired(&mut self, name: &str, side: &str, other: &str, span: &Span) {
        let message = format!("the rename `{side}: {name}` has no `{other}:`");
        let hint = "write each rename as a `FROM:` line with its `TO:` line right behind it".to_owned();
        self.problem(ProblemKind::Unpaired, Some(name), message, hint, span.clone());
    }

    fn twice(&mut self, names: &[(&str, Span)], section: &str) {
        let mut seen: HashSet<&str> = HashSet::new();
        for (name, span) in names {
            if !seen.insert(name) {
                let message = format!("requirement `{name}` appears twice under {section}");
                let hint = "keep one of the two".to_owned();
                self.problem(ProblemKind::Duplicate, Some(name), message, hint, span.clone());
            }
        }
    }

    fn in_both(
        &mut self,
        one: &[(&str, Span)],
        one_section: &str,
        other: &[(&str, Span)],
        other_section: &str,
        form: impl Fn(&str) -> String,
    ) {
        let theirs: HashSet<String> = other.iter().map(|(name, _)| form(name)).collect();
        for (name, span) in one {
            if theirs.contains(&form(name)) {
                let message =
                    format!("requirement `{name}` is under {one_section} and under {other_section}");
                let hint = "say one thing about a requirement in one delta".to_owned();
                self.problem(ProblemKind::Contradiction, Some(name), message, hint, span.clone());
            }
        }
    }
}

fn names<'t>(requirements: &[Requirement<'t>]) -> Vec<(&'t str, Span)> {
    requirements.iter().map(|requirement| (requirement.name, requirement.heading.clone())).collect()
}
