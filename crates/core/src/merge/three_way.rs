//! One requirement from three: as it stood when the change was written, as it stands, and as the change wants it.
//!
//! The parts are the text above the scenarios and each scenario by its id, else by its name. A part that one side alone changed is
//! taken from that side; one that both changed differently is a conflict. A scenario never goes because another side
//! did not know it.

use std::borrow::Cow;

use super::parts::{Part, Parts};
use super::{Drops, NoteKind, ProblemKind};
use crate::requirement::same_statement;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Merged {
    /// The new text; `None` when the current one stays.
    pub(super) text: Option<String>,
    pub(super) remarks: Vec<Remark>,
}

/// Something to tell about a scenario, or about the text when there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Remark {
    pub(super) kind: NoteKind,
    pub(super) scenario: Option<String>,
    pub(super) message: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Objection {
    pub(super) kind: ProblemKind,
    pub(super) scenario: Option<String>,
    pub(super) message: String,
    pub(super) hint: String,
}

/// What was there before, as far as it is known.
pub(super) struct Base<'t> {
    pub(super) parts: Parts<'t>,
    pub(super) is_unconfirmed: &'t dyn Fn(&str) -> bool,
}

/// What holds for every requirement of the change.
pub(super) struct Rules<'r> {
    pub(super) drops: Drops,
    /// How to take the spec as it stands for the base.
    pub(super) rebase: &'r str,
}

/// Merges the three. `own` is the text of the proposed requirement as the delta has it.
pub(super) fn merge(
    base: Option<&Base<'_>>,
    current: &Parts<'_>,
    proposed: &Parts<'_>,
    own: &str,
    rules: &Rules<'_>,
) -> Result<Merged, Vec<Objection>> {
    let objections = losses(base, current, proposed, rules);
    if !objections.is_empty() {
        return Err(objections);
    }
    if current.same_as(proposed) {
        return Ok(Merged { text: None, remarks: Vec::new() });
    }
    let Some(base) = base.filter(|base| !base.parts.same_as(current)) else {
        let dropped = current.lost_in(proposed).into_iter().map(dropped_on_purpose).collect();
        return Ok(Merged { text: Some(own.to_owned()), remarks: dropped });
    };
    let (remarks, objections) = (Vec::new(), Vec::new());
    Merger { base: &base.parts, rebase: rules.rebase, current, proposed, remarks, objections }.run()
}

/// Scenarios that the change would take away without being entitled to.
fn losses(
    base: Option<&Base<'_>>,
    current: &Parts<'_>,
    proposed: &Parts<'_>,
    rules: &Rules<'_>,
) -> Vec<Objection> {
    let lost = current.scenarios.iter().filter(|part| proposed.twin(part, current).is_none());
    let before =
        |part: &Part<'_>| base.and_then(|base| Some(base.parts.twin(part, current)?.name.to_owned()));
    let is_unconfirmed = |part: &Part<'_>| {
        base.is_some_and(|base| before(part).is_some_and(|name| (base.is_unconfirmed)(&name)))
    };
    let refused = lost.filter(|part| match base {
        None => true,
        // The spec got it since the change was written: it stays, and nothing is lost.
        Some(_) if before(part).is_none() => false,
        Some(_) => rules.drops == Drops::Never || is_unconfirmed(part),
    });
    refused
        .map(|part| {
            let why = match base {
                Some(_) if !is_unconfirmed(part) => "a modified requirement keeps all its scenarios",
                _ => "it is not known that this is on purpose",
            };
            let way_out = match rules.drops {
                Drops::Deliberate => format!(" or, if it is to go, {}", rules.rebase),
                Drops::Never => String::new(),
            };
            Objection {
                kind: ProblemKind::Loss,
                scenario: Some(part.name.to_owned()),
                message: format!("scenario `{}` of the spec is not in the change, and {why}", part.name),
                hint: format!(
                    "copy `#### Scenario: {}` from the spec into the modified requirement{way_out}",
                    part.name
                ),
            }
        })
        .collect()
}

struct Merger<'m, 't> {
    base: &'m Parts<'t>,
    rebase: &'m str,
    current: &'m Parts<'t>,
    proposed: &'m Parts<'t>,
    remarks: Vec<Remark>,
    objections: Vec<Objection>,
}

impl<'t> Merger<'_, 't> {
    fn run(mut self) -> Result<Merged, Vec<Objection>> {
        let mut out = String::from(self.current.heading);
        let text = self.text();
        out.push_str(text.trim_end());
        // The blanks behind the text are the current ones, whoever wrote the text.
        out.push_str(&self.current.text[self.current.text.trim_end().len()..]);

        for part in &self.current.scenarios {
            if let Some(raw) = self.scenario(part) {
                separate(&mut out);
                out.push_str(&raw);
                out.push_str(part.gap);
            }
        }
        for part in &self.proposed.scenarios {
            if self.current.twin(part, self.proposed).is_none() && self.is_wanted(part) {
                out.truncate(out.trim_end().len());
                out.push_str("\n\n");
                out.push_str(part.raw);
            }
        }
        if !self.objections.is_empty() {
            return Err(self.objections);
        }
        out.truncate(out.trim_end().len());
        let unchanged = Parts::read(&out).is_some_and(|parts| parts.same_as(self.current));
        Ok(Merged { text: (!unchanged).then_some(out), remarks: self.remarks })
    }

    /// The text above the scenarios.
    fn text(&mut self) -> Cow<'t, str> {
        let (base, current, proposed) = (self.base.text, self.current.text, self.proposed.text);
        if same_statement(base, proposed) || same_statement(current, proposed) {
            return current.into();
        }
        if !same_statement(base, current) {
            self.objections.push(Objection {
                kind: ProblemKind::Conflict,
                scenario: None,
                message: "the text of the requirement was changed in the spec and differently in the change"
                    .to_owned(),
                hint: format!(
                    "take the spec's text over into the change, edit it there, then {}",
                    self.rebase
                ),
            });
        }
        proposed.into()
    }

    /// A scenario of the spec after the merge; `None` when it goes.
    fn scenario(&mut self, part: &Part<'t>) -> Option<Cow<'t, str>> {
        let name = part.name;
        match (self.base.twin(part, self.current), self.proposed.twin(part, self.current)) {
            // Only the spec has it: another change brought it.
            (None, None) => {
                let message =
                    format!("scenario `{name}` came into the spec since the change was written; it stays");
                self.remark(NoteKind::Merged, name, message);
                Some(part.raw.into())
            }
            // Both brought it.
            (None, Some(proposed)) if part.says_as(proposed) => Some(part.raw.into()),
            (None, Some(_)) => {
                let message =
                    format!("scenario `{name}` was added to the spec and differently in the change");
                self.differing(name, message);
                None
            }
            // The change leaves it out.
            (Some(base), None) if base.says_as(part) => {
                self.remarks.push(dropped_on_purpose(name));
                None
            }
            (Some(_), None) => {
                let message = format!("scenario `{name}` was changed in the spec and left out by the change");
                let hint = format!(
                    "copy `#### Scenario: {name}` from the spec into the change or, if it is still to go, {}",
                    self.rebase
                );
                self.conflict(name, message, hint);
                None
            }
            (Some(base), Some(proposed)) => {
                if base.says_as(proposed) || part.says_as(proposed) {
                    return Some(part.raw.into());
                }
                if !base.says_as(part) {
                    let message =
                        format!("scenario `{name}` was changed in the spec and differently in the change");
                    self.differing(name, message);
                }
                Some(proposed.raw.into())
            }
        }
    }

    /// Whether a scenario that only the change has belongs in the spec.
    fn is_wanted(&mut self, part: &Part<'t>) -> bool {
        let name = part.name;
        match self.base.twin(part, self.proposed) {
            None => true,
            Some(base) if base.says_as(part) => {
                let message =
                    format!("scenario `{name}` left the spec since the change was written; it stays out");
                self.remark(NoteKind::Merged, name, message);
                false
            }
            Some(_) => {
                let message = format!("scenario `{name}` left the spec and was changed by the change");
                let hint = format!(
                    "leave `#### Scenario: {name}` out of the change or, if it is still wanted, {}",
                    self.rebase
                );
                self.conflict(name, message, hint);
                false
            }
        }
    }

    fn remark(&mut self, kind: NoteKind, scenario: &str, message: String) {
        self.remarks.push(Remark { kind, scenario: Some(scenario.to_owned()), message });
    }

    /// Both sides have the scenario, with different words.
    fn differing(&mut self, scenario: &str, message: String) {
        let hint = format!(
            "take `#### Scenario: {scenario}` over from the spec, edit it in the change, then {}",
            self.rebase
        );
        self.conflict(scenario, message, hint);
    }

    fn conflict(&mut self, scenario: &str, message: String, hint: String) {
        let scenario = Some(scenario.to_owned());
        self.objections.push(Objection { kind: ProblemKind::Conflict, scenario, message, hint });
    }
}

fn dropped_on_purpose(name: &str) -> Remark {
    let message = format!("scenario `{name}` goes: the change leaves it out");
    Remark { kind: NoteKind::Dropped, scenario: Some(name.to_owned()), message }
}

fn separate(out: &mut String) {
    if !out.ends_with('\n') {
        out.push_str("\n\n");
    }
}
