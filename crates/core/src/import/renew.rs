//! What a source says now that it did not say when it was imported: requirements as a delta, the rest in words.

use std::fmt::Write as _;

use super::scan::sections;
use crate::delta::{NewDelta, NewRemoval, NewRename, NewRequirement};
use crate::document::Document;
use crate::plan::Plan;
use crate::requirement::{Requirement, SpecDoc};

/// What is new in a spec.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Renewal {
    pub delta: NewDelta,
    /// Sections that are new or say something else: heading and text.
    pub sections: Vec<(String, String)>,
    /// Further news, one line each.
    pub notes: Vec<String>,
    /// What cannot be brought, and why.
    pub refused: Vec<(String, String)>,
}

/// Compares what the source said (`base`), what stands here (`ours`) and what the source says now.
pub fn spec(base: &str, ours: Option<&str>, now: &str) -> Renewal {
    let (base_text, ours_text, now_text) =
        (Document::parse(base), Document::parse(ours.unwrap_or_default()), Document::parse(now));
    let (old, own, new) = (SpecDoc::read(&base_text), SpecDoc::read(&ours_text), SpecDoc::read(&now_text));
    let mut renewal = Renewal::default();
    for requirement in &new.requirements {
        let before = twin(&old.requirements, requirement);
        let here = twin(&own.requirements, before.unwrap_or(requirement));
        let is_known = before.is_some_and(|before| same(before, requirement));
        let is_here = here.is_some_and(|here| same(here, requirement));
        if is_known || is_here {
            continue;
        }
        let raw = NewRequirement {
            name: requirement.name.to_owned(),
            raw: Some(requirement.raw.to_owned()),
            ..NewRequirement::default()
        };
        match (before, here) {
            (None, None) => renewal.delta.added.push(raw),
            (Some(before), None) => renewal.refused.push((
                requirement.name.to_owned(),
                format!("`{}` was removed here since, and changed in the source", before.name),
            )),
            (_, Some(here)) => {
                if here.name != requirement.name {
                    let (from, to) = (here.name.to_owned(), requirement.name.to_owned());
                    renewal.delta.renamed.push(NewRename { from, to });
                }
                renewal.delta.modified.push(raw);
            }
        }
    }
    for gone in old.requirements.iter().filter(|before| twin(&new.requirements, before).is_none()) {
        if let Some(here) = twin(&own.requirements, gone) {
            let reason = Some("**Reason**: the source it was imported from no longer has it".to_owned());
            renewal.delta.removed.push(NewRemoval { name: here.name.to_owned(), reason });
        }
    }
    changed_sections(base, ours.unwrap_or_default(), now, &mut renewal);
    renewal
}

fn same(one: &Requirement<'_>, other: &Requirement<'_>) -> bool {
    // However their lines end.
    one.raw.trim().lines().eq(other.raw.trim().lines())
}

/// The requirement of the same name, else of the same id.
fn twin<'r, 't>(all: &'r [Requirement<'t>], wanted: &Requirement<'_>) -> Option<&'r Requirement<'t>> {
    all.iter().find(|one| one.name == wanted.name).or_else(|| all.iter().find(|one| one.id == wanted.id))
}

fn changed_sections(base: &str, ours: &str, now: &str, renewal: &mut Renewal) {
    let [old, own, new] = [base, ours, now].map(prose);
    for (title, text) in &new {
        let is_in = |all: &[(String, String)]| all.iter().any(|(known, same)| known == title && same == text);
        if !is_in(&old) && !is_in(&own) {
            renewal.sections.push((title.clone(), text.clone()));
        }
    }
    for (title, _) in old.iter().filter(|(title, _)| !new.iter().any(|(known, _)| known == title)) {
        renewal.notes.push(format!("the source no longer has the section `{title}`"));
    }
}

/// The sections of a spec that are no requirements, with everything below them.
fn prose(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut is_prose = false;
    for section in sections(text, 1) {
        if section.level == 2 {
            is_prose = !section.is("Requirements");
            if is_prose {
                found.push((section.title.to_owned(), section.text().trim().to_owned()));
            }
        } else if section.level > 2
            && is_prose
            && let Some((_, known)) = found.last_mut()
        {
            let _ = write!(
                known,
                "\n\n{} {}\n\n{}",
                "#".repeat(section.level),
                section.title,
                section.text().trim()
            );
        }
    }
    found
}

/// Titles and descriptions of the steps that a plan did not have, and what else is new in it.
pub fn plan(base: Option<&str>, now: &str) -> (Vec<(String, String)>, Vec<String>) {
    let old = base.map(|text| Plan::read(text).0).unwrap_or_default();
    let (new, _) = Plan::read(now);
    let mut steps = Vec::new();
    let mut notes = Vec::new();
    for step in &new.steps {
        match old.steps.iter().find(|known| known.title == step.title) {
            None => steps.push((step.title.clone(), step.description.clone())),
            Some(known) if known.status != step.status => {
                notes.push(format!("the source says `{}` of the step `{}`", step.status, step.title));
            }
            Some(known) if known.description != step.description => {
                notes.push(format!(
                    "the source now describes the step `{}` as: {}",
                    step.title,
                    step.description.replace('\n', " ")
                ));
            }
            Some(_) => {}
        }
    }
    for gone in old.steps.iter().filter(|step| !new.steps.iter().any(|known| known.title == step.title)) {
        notes.push(format!("the source no longer has the step `{}`", gone.title));
    }
    if old.approach != new.approach && !new.approach.is_empty() {
        notes.push(format!("the approach is now: {}", new.approach.replace('\n', " ")));
    }
    (steps, notes)
}
