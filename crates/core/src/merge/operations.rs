//! The four operations of a delta on the slots of a spec.

use std::cell::Cell;

use super::parts::Parts;
use super::slots::Slots;
use super::three_way::{self, Base, Rules};
use super::{Application, Applied, ArchiveProblem, Counts, Note, NoteKind, Outcome, ProblemKind, Retirement};
use super::{retire, usable_purpose};
use crate::change::flag_lines;
use crate::document::{Document, Span};
use crate::requirement::{Requirement, SpecDoc, same_words};

/// An application under way.
pub(super) struct Work<'a> {
    pub(super) application: &'a Application<'a>,
    pub(super) slots: Slots,
    counts: Counts,
    pub(super) notes: Vec<Note>,
    pub(super) problems: Vec<ArchiveProblem>,
    /// How many requirements have been read to find out what another one is called now.
    pub(super) searched: Cell<usize>,
}

impl<'a> Work<'a> {
    pub(super) fn new(application: &'a Application<'a>, text: &str, document: &Document<'_>) -> Self {
        let mut work = Self {
            application,
            slots: Slots::cut(text, document),
            counts: Counts::default(),
            notes: Vec::new(),
            problems: Vec::new(),
            searched: Cell::new(0),
        };
        for fault in Slots::faults(document) {
            work.spec_fault(fault);
        }
        work
    }

    /// Whether applying the delta would only give follow-up problems.
    pub(super) fn contradicts_itself(&self) -> bool {
        let kinds = self.problems.iter().map(|problem| problem.kind);
        kinds.into_iter().any(|kind| !matches!(kind, ProblemKind::Spec))
    }

    fn is_blocked(&self) -> bool {
        !self.problems.is_empty()
    }

    pub(super) fn rename(&mut self) {
        let delta = self.application.delta;
        if self.application.current.is_none() {
            for rename in &delta.renamed {
                self.no_spec(rename.from, "renamed", rename.span.clone());
            }
            return;
        }
        for rename in &delta.renamed {
            let (from, to, span) = (rename.from, rename.to, rename.span.clone());
            if !self.slots.contains(from) {
                if self.variant_of(from, Some(to)).is_some() || !self.slots.contains(to) {
                    self.missing(from, "renamed", span);
                } else if self.is_another(from, to) {
                    self.replaced(from, to, span);
                } else {
                    let message = format!("requirement `{to}` has its new name already");
                    self.note(NoteKind::AlreadyDone, Some(to), message, span);
                }
                continue;
            }
            if self.slots.contains(to) {
                self.taken(to, to, span);
            } else if let Some(variant) = self.variant_of(to, Some(from)) {
                self.taken(to, &variant, span);
            } else {
                self.slots.rename(from, to);
                self.counts.renamed += 1;
            }
        }
    }

    pub(super) fn remove(&mut self) {
        for removal in &self.application.delta.removed {
            let (name, span) = (removal.name, removal.span.clone());
            if !self.slots.contains(name) {
                if let Some(variant) = self.variant_of(name, None) {
                    self.misspelt(name, &variant, span);
                    continue;
                }
                if self.now_called(name).is_some() {
                    self.missing(name, "removed", span);
                    continue;
                }
                let message = format!("requirement `{name}` is not in the spec; there is nothing to remove");
                self.note(NoteKind::NothingToRemove, Some(name), message, span);
                continue;
            }
            if self.changed_since(name, &span) {
                continue;
            }
            if let Some(foreign) = self.slots.foreign_after(name) {
                let heading = foreign.lines().next().unwrap_or_default().to_owned();
                self.kept(name, &heading, span);
            }
            self.slots.remove(name);
            self.counts.removed += 1;
        }
    }

    pub(super) fn modify(&mut self) {
        for proposed in &self.application.delta.modified {
            let span = proposed.heading.clone();
            if self.application.current.is_none() {
                self.no_spec(proposed.name, "modified", span);
                continue;
            }
            let Some(current_text) = self.slots.get(proposed.name).map(str::to_owned) else {
                self.missing(proposed.name, "modified", span);
                continue;
            };
            if let Some(now) = self.moved_away(proposed.name) {
                self.exchanged(proposed.name, &now, span);
                continue;
            }
            self.merge_into(proposed, &current_text, span);
        }
    }

    pub(super) fn add(&mut self) {
        for added in &self.application.delta.added {
            let whole = self.whole(added);
            if let Some(existing) = self.slots.get(added.name) {
                if same_words(existing, added.raw) || same_words(existing, &whole) {
                    let message =
                        format!("requirement `{}` is in the spec already, word for word", added.name);
                    self.note(NoteKind::AlreadyDone, Some(added.name), message, added.heading.clone());
                } else {
                    self.taken(added.name, added.name, added.heading.clone());
                }
                continue;
            }
            if let Some(variant) = self.variant_of(added.name, None) {
                self.taken(added.name, &variant, added.heading.clone());
                continue;
            }
            self.slots.push(added.name, &whole);
            self.counts.added += 1;
        }
    }

    /// Decides what becomes of the spec.
    pub(super) fn finish(mut self, before: &Document<'_>) -> Result<Applied, Vec<ArchiveProblem>> {
        self.remark_on_purpose(before);
        let is_emptied = self.slots.names().next().is_none();
        let outcome = if self.counts.total() == 0 && self.application.current.is_some() {
            Outcome::Unchanged
        } else if is_emptied {
            self.retirement(before)
        } else {
            let text = self.slots.join();
            self.read_back(&text);
            Outcome::Written(text)
        };
        if self.is_blocked() {
            return Err(self.problems);
        }
        Ok(Applied { outcome, counts: self.counts, notes: self.notes })
    }

    /// Sees to it that every requirement can still be found in the new text.
    fn read_back(&mut self, text: &str) {
        let document = Document::parse(text);
        let spec = SpecDoc::read(&document);
        let found = spec.requirements.iter().map(|requirement| (requirement.name, requirement.raw));
        let written = self.slots.requirements();
        let lost =
            written.zip(found.map(Some).chain(std::iter::repeat(None))).find_map(|((name, own), found)| {
                let (their_name, raw) = found.unwrap_or_default();
                (their_name != name || !own.starts_with(raw)).then(|| name.to_owned())
            });
        if let Some(name) = lost {
            self.problem(
                ProblemKind::Spec,
                Some(&name),
                format!(
                    "requirement `{name}` could not be read in the new spec: something before it hides it"
                ),
                "close the code fence or comment that is left open in the spec or in the delta".to_owned(),
                0..0,
            );
        }
    }

    fn retirement(&mut self, before: &Document<'_>) -> Outcome {
        let left = retire::unaccounted(before);
        let declared = self.application.retirement == Retirement::Declared;
        match self.application.current {
            None if declared => return Outcome::Unchanged,
            None => self.problem(
                ProblemKind::Retirement,
                None,
                "the new spec would have no requirement".to_owned(),
                "add one under `## ADDED Requirements`, or drop this delta".to_owned(),
                0..0,
            ),
            Some(_) if !left.is_empty() => {
                let left = left.iter().take(3).map(|line| format!("`{line}`")).collect::<Vec<_>>().join(", ");
                self.problem(
                    ProblemKind::Retirement,
                    None,
                    format!("the change removes the last requirement, but the spec holds more than requirements: {left}"),
                    "move that into `## Purpose` or into another spec, or delete the spec by hand".to_owned(),
                    0..0,
                );
            }
            Some(_) if declared => return Outcome::Retired,
            Some(_) => {
                let (why, hint) = match self.application.retirement {
                    Retirement::Ineffective(fault) => (
                        format!(", and `retire_capabilities` has no effect: {}", fault.message),
                        format!("{} in the change's `.openspec.yaml`", fault.hint),
                    ),
                    Retirement::Declared | Retirement::Undeclared => (
                        String::new(),
                        format!(
                            "write {} into the change's `.openspec.yaml` to let the spec go",
                            flag_lines("retire_capabilities")
                        ),
                    ),
                };
                let message = format!("the change removes the last requirement of the spec{why}");
                self.problem(ProblemKind::Retirement, None, message, hint, 0..0);
            }
        }
        Outcome::Unchanged
    }

    fn merge_into(&mut self, proposed: &Requirement<'_>, current_text: &str, span: Span) {
        let application = self.application;
        let base_name = application.delta.name_before(proposed.name);
        let known = application.base.and_then(|base| base.get(base_name));
        let is_unconfirmed = |scenario: &str| known.is_some_and(|known| known.unconfirmed.contains(scenario));
        let base = known.and_then(|known| Parts::read(&known.text));
        let base = base.map(|parts| Base { parts, is_unconfirmed: &is_unconfirmed });
        let current = Parts::read(current_text).expect("a slot holds a requirement");
        let proposed_parts = Parts::of(application.delta_text, proposed);
        let own = application.delta_text[proposed.span.clone()].trim_end();
        let rules = Rules { drops: application.drops, rebase: application.rebase };
        match three_way::merge(base.as_ref(), &current, &proposed_parts, own, &rules) {
            Err(objections) => {
                for objection in objections {
                    self.problems.push(ArchiveProblem {
                        capability: application.capability.to_owned(),
                        requirement: Some(proposed.name.to_owned()),
                        scenario: objection.scenario,
                        message: objection.message,
                        hint: objection.hint,
                        meant: None,
                        kind: objection.kind,
                        span: span.clone(),
                    });
                }
            }
            Ok(merged) => {
                let requirement = Some(proposed.name.to_owned());
                self.notes.extend(merged.remarks.into_iter().map(|remark| Note {
                    kind: remark.kind,
                    requirement: requirement.clone(),
                    scenario: remark.scenario,
                    message: remark.message,
                    span: span.clone(),
                }));
                let is_changed = merged.text.is_some();
                if let Some(text) = merged.text {
                    self.note_foreign(proposed, &span);
                    self.slots.replace(proposed.name, &text);
                }
                let is_new = self.bring_foreign(proposed) || is_changed;
                self.counts.modified += usize::from(is_new);
            }
        }
    }

    /// Whether what is to be removed is no longer what the change was written against.
    fn changed_since(&mut self, name: &str, span: &Span) -> bool {
        let Some(base) = self.application.base.and_then(|base| base.get(name)) else { return false };
        let Some(text) = self.slots.get(name).map(str::to_owned) else { return false };
        let (Some(before), Some(now)) = (Parts::read(&base.text), Parts::read(&text)) else { return false };
        if before.says_as(&now) {
            return false;
        }
        let changed = now.differing_from(&before);
        let hint =
            format!("look at what changed; if the requirement is still to go, {}", self.application.rebase);
        if changed.is_empty() {
            let message = format!(
                "requirement `{name}` was changed in the spec since the change to remove it was written"
            );
            self.problem(ProblemKind::Conflict, Some(name), message, hint.clone(), span.clone());
        }
        for scenario in changed {
            self.problems.push(ArchiveProblem {
                capability: self.application.capability.to_owned(),
                requirement: Some(name.to_owned()),
                scenario: Some(scenario.to_owned()),
                message: format!(
                    "scenario `{scenario}` of `{name}` came or changed since the change to remove the requirement was written"
                ),
                hint: hint.clone(),
                meant: None,
                kind: ProblemKind::Conflict,
                span: span.clone(),
            });
        }
        true
    }

    /// A requirement of the delta with what its block carries along.
    fn whole(&self, requirement: &Requirement<'_>) -> String {
        self.application.delta_text[requirement.whole()].to_owned()
    }

    fn remark_on_purpose(&mut self, before: &Document<'_>) {
        let Some(purpose) = &self.application.delta.purpose else { return };
        let message = match self.application.current {
            None if purpose.text.is_empty() || usable_purpose(self.application).is_some() => return,
            None => "the purpose cannot be in a new spec as it is; the placeholder takes its place",
            Some(_) => {
                let theirs = SpecDoc::read(before).purpose;
                if theirs.is_none_or(|theirs| theirs.text == purpose.text) || purpose.text.is_empty() {
                    return;
                }
                "the spec has a purpose; the one in the delta has no effect"
            }
        };
        let span = purpose.heading.clone();
        self.note(NoteKind::Ignored, None, message.to_owned(), span);
    }
}
