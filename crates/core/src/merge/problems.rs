//! How the operations say what does not fit.

use super::operations::Work;
use super::parts::Parts;
use super::slots::Fault;
use super::{ArchiveProblem, Note, NoteKind, ProblemKind};
use crate::document::Span;
use crate::near::near;

/// For so many problems it is looked for what may have been meant, which costs a look at the whole spec.
const GUESSED: usize = 20;
/// So many requirements are read in all to find one that was renamed. A spec where more of them begin alike is not one
/// that people have written.
const SEARCHED: usize = 20_000;
/// So many words of two statements have to be the same before both are read.
const COMPARED_WORDS: usize = 32;

impl Work<'_> {
    /// Another requirement whose name differs in case and blanks only.
    pub(super) fn variant_of(&self, name: &str, but: Option<&str>) -> Option<String> {
        self.slots.variant_of(name, but).map(str::to_owned)
    }

    pub(super) fn missing(&mut self, name: &str, what: &str, span: Span) {
        if let Some(variant) = self.variant_of(name, None) {
            return self.misspelt(name, &variant, span);
        }
        // Whoever has misnamed so many has other worries than which each might have been.
        let is_guessed = self.problems.len() < GUESSED;
        let near = if is_guessed { near(name, self.slots.names(), 3) } else { Vec::new() };
        let guess = if is_guessed { (self.now_called(name), self.has_become(name)) } else { (None, None) };
        let hint = match guess {
            (Some(now), _) => format!("it looks renamed: the requirement with its text is now `{now}`"),
            (None, Some(now)) => format!("it looks renamed: most of its scenarios are now in `{now}`"),
            (None, None) if near.is_empty() => {
                "add it under ADDED, or archive the change that adds it first".to_owned()
            }
            (None, None) => format!(
                "did you mean {}?",
                near.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(" or ")
            ),
        };
        let message = format!("requirement `{name}` is to be {what}, but it is not in the spec");
        self.problem(ProblemKind::Target, Some(name), message, hint, span);
    }

    /// The requirement that has the text which the named one had in the base.
    pub(super) fn now_called(&self, name: &str) -> Option<String> {
        let base = self.application.base?.get(self.application.delta.name_before(name))?;
        let before = Parts::read(&base.text)?;
        let beginning: Vec<&str> = before.text.split_whitespace().take(COMPARED_WORDS).collect();
        let begins_alike = |text: &str| {
            let body = text.split_once('\n').map_or("", |(_, body)| body);
            body.split_whitespace().take(beginning.len()).eq(beginning.iter().copied())
        };
        let alike = self.slots.requirements().filter(|(_, text)| begins_alike(text));
        let mut parts = alike
            .take_while(|_| self.searched.replace(self.searched.get() + 1) < SEARCHED)
            .filter_map(|(name, text)| Some((name, Parts::read(text)?)));
        parts.find(|(_, now)| now.says_as(&before)).map(|(known, _)| known.to_owned())
    }

    /// Whether the requirement with a new name is not the one that had the old name in the base.
    pub(super) fn is_another(&self, from: &str, to: &str) -> bool {
        let base = self.application.base.and_then(|base| base.get(self.application.delta.name_before(from)));
        let (before, now) =
            (base.and_then(|base| Parts::read(&base.text)), self.slots.get(to).and_then(Parts::read));
        before.zip(now).is_some_and(|(before, now)| !before.states_as(&now))
    }

    /// The name under which the spec now has what a requirement was in the base, when another took its own.
    pub(super) fn moved_away(&self, name: &str) -> Option<String> {
        let base = self.application.base?.get(self.application.delta.name_before(name))?;
        let before = Parts::read(&base.text)?;
        let is_still_there =
            self.slots.get(name).and_then(Parts::read).is_some_and(|now| now.states_as(&before));
        if is_still_there { None } else { self.now_called(name).filter(|now| now != name) }
    }

    pub(super) fn replaced(&mut self, from: &str, to: &str, span: Span) {
        let message = format!(
            "requirement `{from}` is to be renamed to `{to}`, but it is not in the spec, and `{to}` is another requirement"
        );
        let hint = match self.now_called(from).or_else(|| self.has_become(from)).filter(|now| now != to) {
            Some(now) => format!("it looks renamed to `{now}`: rename that, or take the entry out"),
            None => format!("take the entry out or, if it is done, {}", self.application.rebase),
        };
        self.problem(ProblemKind::Target, Some(from), message, hint, span);
    }

    pub(super) fn exchanged(&mut self, name: &str, now: &str, span: Span) {
        let message = format!("requirement `{name}` is no longer the one that the change was written for");
        let hint = format!("its text is now that of `{now}`: modify that, or {}", self.application.rebase);
        self.problem(ProblemKind::Target, Some(name), message, hint, span);
    }

    /// The requirement that has most of the scenarios which the named one had in the base: what was renamed and
    /// modified at once.
    fn has_become(&self, name: &str) -> Option<String> {
        let base = self.application.base?.get(self.application.delta.name_before(name))?;
        let before = Parts::read(&base.text)?;
        let shared = self.each_part().map(|(known, now)| (before.shared_with(&now), known));
        let (most, known) = shared.max()?;
        (2 * most > before.scenario_count()).then(|| known.to_owned())
    }

    fn each_part(&self) -> impl Iterator<Item = (&str, Parts<'_>)> {
        self.slots.requirements().filter_map(|(name, text)| Some((name, Parts::read(text)?)))
    }

    pub(super) fn misspelt(&mut self, name: &str, variant: &str, span: Span) {
        let message = format!("requirement `{name}` is not in the spec, but `{variant}` is");
        let hint = format!("write `### Requirement: {variant}`");
        self.problem(ProblemKind::Target, Some(name), message, hint, span);
        if let Some(problem) = self.problems.last_mut() {
            problem.meant = Some(variant.to_owned());
        }
    }

    pub(super) fn taken(&mut self, name: &str, by: &str, span: Span) {
        let message = if name == by {
            format!("requirement `{name}` is in the spec already")
        } else {
            format!(
                "requirement `{by}` is in the spec already and differs from `{name}` only in case or spaces"
            )
        };
        let hint = format!("modify `{by}` under MODIFIED, or choose another name");
        self.problem(ProblemKind::Target, Some(name), message, hint, span);
    }

    pub(super) fn no_spec(&mut self, name: &str, what: &str, span: Span) {
        let message = format!(
            "requirement `{name}` cannot be {what}: there is no spec `{}`",
            self.application.capability
        );
        let hint = "a new spec takes ADDED requirements only; check the name of the folder".to_owned();
        self.problem(ProblemKind::Target, Some(name), message, hint, span);
    }

    pub(super) fn spec_fault(&mut self, fault: Fault) {
        let (requirement, message, hint) = match fault {
            Fault::DeltaHeading(heading) => (
                None,
                format!("the spec holds the heading `{heading}` of a delta"),
                "move what is below it under `## Requirements`",
            ),
            Fault::Outside(name) => (
                Some(name.clone()),
                format!("requirement `{name}` is outside the spec's `## Requirements`"),
                "move it there",
            ),
            Fault::Duplicate(name) => (
                Some(name.clone()),
                format!("requirement `{name}` appears twice in the spec"),
                "keep one of the two, or give it another name",
            ),
        };
        self.problem(ProblemKind::Spec, requirement.as_deref(), message, hint.to_owned(), 0..0);
    }

    pub(super) fn kept(&mut self, name: &str, heading: &str, span: Span) {
        let message = format!("`{}` follows requirement `{name}` and stays where it is", heading.trim());
        self.note(NoteKind::Kept, Some(name), message, span);
    }

    pub(super) fn note(&mut self, kind: NoteKind, requirement: Option<&str>, message: String, span: Span) {
        let requirement = requirement.map(str::to_owned);
        self.notes.push(Note { kind, requirement, scenario: None, message, span });
    }

    pub(super) fn problem(
        &mut self,
        kind: ProblemKind,
        requirement: Option<&str>,
        message: String,
        hint: String,
        span: Span,
    ) {
        self.problems.push(ArchiveProblem {
            capability: self.application.capability.to_owned(),
            requirement: requirement.map(str::to_owned),
            scenario: None,
            message,
            hint,
            meant: None,
            kind,
            span,
        });
    }
}
