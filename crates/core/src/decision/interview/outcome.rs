//! What an interview comes to: the decision, the task, and whether a record is due.

use super::super::catalogue::{ALLOWLIST, CATEGORY, CRITERIA, Catalogue, DESCRIPTION, OTHER_CATEGORY};
use super::super::derive;
use super::super::question::{OTHER, OTHER_SUFFIX};
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
                None => return Step::Undecided,
            },
        };
        let named: Vec<String> = self.texts(ALLOWLIST);
        let allowlist =
            if named.is_empty() { self.derived_allowlist(catalogue, facts) } else { named.clone() };
        if allowlist.is_empty() {
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
        }))
    }

    fn texts(&self, id: &str) -> Vec<String> {
        self.answers.get(id).map(|answer| answer.texts().to_vec()).unwrap_or_default()
    }

    fn patch(&self, catalogue: &Catalogue, topic: &Topic<'_>) -> Option<Patch> {
        let (category, own_field) = match topic {
            Topic::Named(category) => (*category, None),
            Topic::Chosen { category, field } => (*category, field.clone()),
            Topic::Fix | Topic::Open => return None,
        };
        let mut fields: Vec<(String, String)> = Vec::new();
        for row in category.questions.iter().filter(|row| self.condition_holds(catalogue, row)) {
            if let (Some(field), Some(value)) = (&row.field, self.value(catalogue, &row.id)) {
                fields.push((field.clone(), value));
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
        catalogue.category_of_question(id).is_some_and(|(category, row)| {
            let is_field = row.field.is_some() && patch.is_some_and(|patch| patch.category == category.name);
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
        let Some(category) = catalogue.category(&patch.category) else { return Vec::new() };
        let mut alternatives = Vec::new();
        for row in &category.questions {
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
