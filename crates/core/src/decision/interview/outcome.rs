//! What an interview comes to: the decision, the task, and whether a record is due.

use super::super::catalogue::{
    ALLOWLIST, CATEGORY, CRITERIA, Catalogue, DESCRIPTION, OTHER_CATEGORY, field_name,
};
use super::super::derive;
use super::super::question::{OTHER, OTHER_SUFFIX};
use super::super::sign::Known;
use super::super::text::one_line;
use super::super::trigger::{Evidence, Patch, Verdict, verdict};
use super::plan::Topic;
use super::{Facts, Interview, Step};

/// A finished interview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub intention: String,
    pub given_context: Option<String>,
    pub description: Option<String>,
    /// One line.
    pub title: String,
    /// `None` for a small fix.
    pub patch: Option<Patch>,
    /// Answers that are no field of the category: label and value.
    pub details: Vec<(String, String)>,
    /// For a field that was chosen from options: the others that were offered.
    pub alternatives: Vec<(String, Vec<String>)>,
    pub allowlist: Vec<String>,
    pub forbidden: Vec<String>,
    pub criteria: Vec<String>,
    pub verdict: Verdict,
    /// What was known without asking; it is no part of the decision.
    pub known: Vec<Known>,
    /// What an agent asked, why, and what was answered.
    pub asked_by_agent: Vec<(String, Option<String>, String)>,
}

impl Interview {
    /// No question is left: the outcome, or what is still in its way.
    pub(super) fn conclude(&self, catalogue: &Catalogue, facts: &Facts<'_>) -> Step {
        let topic = self.topic(catalogue);
        let patch = match (&self.model, &topic) {
            (Some(model), _) => match &model.patch {
                Some(patch) => Some(patch.clone()),
                None => return Step::Extract,
            },
            (None, Topic::Fix) => None,
            (None, topic) => match self.patch(catalogue, topic) {
                Some(patch) => Some(patch),
                // Nothing is left to decide: it is known already, or the wish decides nothing.
                None if self.is_informed() && !matches!(topic, Topic::Chosen { .. }) => None,
                None => return Step::Undecided,
            },
        };
        let named: Vec<String> = self.texts(ALLOWLIST);
        let allowlist =
            if named.is_empty() { self.derived_allowlist(catalogue, facts) } else { named.clone() };
        if allowlist.is_empty() && self.must_ask_for_paths(catalogue, facts) {
            return Step::Undecided;
        }
        let title = derive::title(&self.intention);
        let criteria = match self.texts(CRITERIA) {
            given if given.is_empty() => vec![derive::default_criterion(&title)],
            given => given,
        };
        let evidence = Evidence {
            intention: &self.intention,
            preference: self.preference,
            patch: patch.as_ref(),
            architecture: facts.architecture,
            named_paths: named.len(),
        };
        let mut verdict = verdict(catalogue, &evidence);
        // What people answer on a subject is a decision, even where its name sounds like configuration.
        if matches!(topic, Topic::Subject(_))
            && verdict.because.iter().any(|why| why.starts_with("config_only:"))
        {
            verdict = Verdict { record: true, because: vec!["subject".to_owned()] };
        }
        if !self.agent_answers(catalogue).is_empty() && verdict.because.is_empty() {
            verdict = Verdict { record: true, because: vec!["asked_by_agent".to_owned()] };
        }
        // Without a decision there is nothing to record.
        verdict.record &= patch.is_some();
        Step::Ready(Box::new(Outcome {
            description: self.texts(DESCRIPTION).into_iter().next(),
            details: self.details(catalogue, patch.as_ref()),
            alternatives: patch
                .as_ref()
                .map_or_else(Vec::new, |patch| self.alternatives(catalogue, facts, patch)),
            forbidden: derive::forbidden(&allowlist),
            intention: self.intention.clone(),
            given_context: self.given_context.clone(),
            title,
            patch,
            allowlist,
            criteria,
            verdict,
            known: self.known.clone(),
            asked_by_agent: self.agent_answers(catalogue),
        }))
    }

    fn agent_answers(&self, catalogue: &Catalogue) -> Vec<(String, Option<String>, String)> {
        let answered = self.brought.iter().filter_map(|brought| {
            let value = self.value(catalogue, &brought.question.id)?;
            Some((brought.question.question.clone(), brought.why.clone(), one_line(&value)))
        });
        answered.collect()
    }

    /// The answers to an agent's questions, as fields of the category that takes any.
    fn agent_fields(&self, catalogue: &Catalogue) -> Vec<(String, String)> {
        let answered = self.brought.iter().filter_map(|brought| {
            let value = self.value(catalogue, &brought.question.id)?;
            Some((field_name(&brought.question.id), one_line(&value)))
        });
        answered.collect()
    }

    fn texts(&self, id: &str) -> Vec<String> {
        self.answers.get(id).map(|answer| answer.texts().to_vec()).unwrap_or_default()
    }

    fn patch(&self, catalogue: &Catalogue, topic: &Topic<'_>) -> Option<Patch> {
        let (category, own_field) = match topic {
            Topic::Named(category) => (*category, None),
            Topic::Chosen { category, field } => (*category, field.clone()),
            Topic::Subject(subject) => (catalogue.category(&subject.category)?, None),
            Topic::Open if self.is_informed() => {
                let fields = self.agent_fields(catalogue);
                return (!fields.is_empty()).then(|| Patch { category: OTHER_CATEGORY.to_owned(), fields });
            }
            Topic::Fix | Topic::Open => return None,
        };
        let mut fields: Vec<(String, String)> = Vec::new();
        let rows = self.decided_rows(catalogue);
        for row in rows.into_iter().filter(|row| self.condition_holds(catalogue, row)) {
            let Some(value) = self.value(catalogue, &row.id) else { continue };
            // A wish that mentions what is there already does not decide it.
            let is_there = !self.answers.contains_key(&row.id)
                && self.known_value(&row.id).is_some_and(|known| known.eq_ignore_ascii_case(&value));
            if let Some(field) = row.field.as_ref().filter(|_| !is_there) {
                fields.push((field.clone(), one_line(&value)));
            }
        }
        if !fields.is_empty() {
            return Some(Patch { category: category.name.clone(), fields });
        }
        // Only words: they are the first field of a category without questions, else a field of the wildcard
        // category under the name of what they are about.
        let words = one_line(&self.texts(DESCRIPTION).into_iter().next()?);
        let (category, field) = match (own_field, category.fields.first()) {
            (Some(field), _) => (category.name.as_str(), field),
            (None, Some(field)) => (category.name.as_str(), field.clone()),
            (None, None) if category.wildcard => (category.name.as_str(), "Description".to_owned()),
            (None, None) => (OTHER_CATEGORY, category.name.clone()),
        };
        Some(Patch { category: category.to_owned(), fields: vec![(field, words)] })
    }

    /// What was answered and has no field in the decision.
    fn details(&self, catalogue: &Catalogue, patch: Option<&Patch>) -> Vec<(String, String)> {
        let general = [DESCRIPTION, ALLOWLIST, CRITERIA, CATEGORY];
        let ids = self.answers.keys().map(String::as_str);
        let mut details = Vec::new();
        for id in ids.filter(|id| !general.contains(id) && !id.ends_with(OTHER_SUFFIX)) {
            let (Some(question), Some(value)) = (self.question(catalogue, id), self.value(catalogue, id))
            else {
                continue;
            };
            if self.is_detail(catalogue, patch, id, &value) {
                details.push((question.label(), value));
            }
        }
        details
    }

    fn is_detail(&self, catalogue: &Catalogue, patch: Option<&Patch>, id: &str, value: &str) -> bool {
        if self.model.is_some() {
            // A model asks what it likes; what it took into the decision stands there.
            let mut fields = patch.iter().flat_map(|patch| &patch.fields);
            return !fields.any(|(_, decided)| decided.eq_ignore_ascii_case(value));
        }
        let in_patch =
            |field: &str| patch.is_some_and(|patch| patch.fields.iter().any(|(known, _)| known == field));
        if self.brought.iter().any(|brought| brought.question.id == id) {
            return !in_patch(&field_name(id));
        }
        catalogue.category_of_question(id).is_some_and(|(category, row)| {
            let is_field = row.field.as_deref().is_some_and(|field| {
                patch.is_some_and(|patch| patch.category == category.name)
                    && (!self.is_informed() || in_patch(field))
            });
            !is_field && self.condition_holds(catalogue, row)
        })
    }

    /// For each field that was chosen from options, the options that were not.
    fn alternatives(
        &self,
        catalogue: &Catalogue,
        facts: &Facts<'_>,
        patch: &Patch,
    ) -> Vec<(String, Vec<String>)> {
        let rows = match catalogue.category(&patch.category) {
            Some(category) if !self.is_informed() => category.questions.iter().collect(),
            _ => self.decided_rows(catalogue),
        };
        let mut alternatives = Vec::new();
        for row in rows {
            let (Some(field), Some(answer)) = (&row.field, self.answers.get(&row.id)) else { continue };
            if !self.asked.contains(&row.id) || !patch.fields.iter().any(|(known, _)| known == field) {
                continue;
            }
            let offered =
                self.question_for(catalogue, &row.id, facts.signals).map(|question| question.options);
            let others: Vec<String> = offered
                .unwrap_or_default()
                .into_iter()
                .filter(|option| option != OTHER && !answer.includes(option))
                .collect();
            if !others.is_empty() {
                alternatives.push((field.clone(), others));
            }
        }
        alternatives
    }
}
