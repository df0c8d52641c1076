//! What to ask next: the questions of the topic, the required ones first, two a turn and five a session.
//!
//! A choice may bring its companion along, so it is shown only while there is room for both. A required question
//! for which there is no room is not asked, and its field stays open.

use super::super::catalogue::{
    ALLOWLIST, CATEGORY, CRITERIA, Catalogue, Category, CategoryQuestion, DESCRIPTION, OTHER_CATEGORY,
    field_name,
};
use super::super::derive;
use super::super::intent;
use super::super::question::{MAX_PER_TURN, MAX_QUESTIONS, OTHER, Question, companion_of};
use super::super::trigger::is_small_fix;
use super::super::words::Words;
use super::{Facts, Interview, Step};

/// What an interview is about.
#[derive(Debug, Clone)]
pub(super) enum Topic<'c> {
    /// A small fix: there is nothing to decide.
    Fix,
    /// The intention names the category.
    Named(&'c Category),
    /// The user chose the category; `field` is the name of what they decide in the wildcard category.
    Chosen { category: &'c Category, field: Option<String> },
    /// Nobody knows yet.
    Open,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    Required,
    Optional,
}

impl Interview {
    /// What happens next. Questions that it answers with count as shown.
    pub fn step(&mut self, catalogue: &Catalogue, facts: &Facts<'_>) -> Step {
        let shown = self.next_questions(catalogue, facts);
        if shown.is_empty() {
            return self.conclude(catalogue, facts);
        }
        for question in &shown {
            if !self.asked.contains(&question.id) {
                self.asked.push(question.id.clone());
            }
        }
        Step::Ask(shown)
    }

    /// The questions of the next turn; none when no required question is left that may be asked.
    fn next_questions(&self, catalogue: &Catalogue, facts: &Facts<'_>) -> Vec<Question> {
        let mut open = self.wanted(catalogue, facts);
        open.retain(|(_, question)| !self.is_answered(catalogue, question));
        open.sort_by_key(|(need, _)| *need != Need::Required);
        let mut keeps_room_for_paths =
            self.must_ask_for_paths(catalogue, facts) && !self.asked.iter().any(|id| id == ALLOWLIST);
        // A choice that an answer has made pointless brings no companion any more.
        let shown_choices = open
            .iter()
            .filter(|(_, question)| question.kind.is_choice() && self.asked.contains(&question.id));
        let mut used = self.asked.len() + shown_choices.count();
        let mut shown: Vec<Question> = Vec::new();
        let mut any_required = false;
        for (need, question) in open {
            if shown.len() == MAX_PER_TURN {
                break;
            }
            let again = self.asked.contains(&question.id);
            let cost = 1 + usize::from(question.kind.is_choice());
            let reserve = usize::from(keeps_room_for_paths && question.id != ALLOWLIST);
            if !again && used + cost + reserve > MAX_QUESTIONS {
                continue;
            }
            if !again {
                used += cost;
            }
            keeps_room_for_paths &= question.id != ALLOWLIST;
            any_required |= need == Need::Required;
            shown.push(question);
        }
        if any_required { shown } else { Vec::new() }
    }

    fn is_answered(&self, catalogue: &Catalogue, question: &Question) -> bool {
        self.answers.contains_key(&question.id) || self.said(catalogue, &question.id).is_some()
    }

    /// All questions of the topic, answered or not, in the order in which they are asked.
    fn wanted(&self, catalogue: &Catalogue, facts: &Facts<'_>) -> Vec<(Need, Question)> {
        let mut wanted = Vec::new();
        let mut add = |need: Need, question: Question| {
            let companion = companion_of(&question).filter(|_| self.chose_other(&question.id));
            wanted.push((need, question));
            wanted.extend(companion.map(|companion| (Need::Required, companion)));
        };
        let general = |id: &str| self.question_for(catalogue, id, facts.signals);
        let topic = self.topic(catalogue);
        if let Some(model) = &self.model {
            for question in &model.questions {
                let need = if question.optional { Need::Optional } else { Need::Required };
                add(need, question.clone());
            }
        } else {
            if matches!(topic, Topic::Open | Topic::Chosen { .. })
                && let Some(question) = general(CATEGORY)
            {
                add(Need::Required, question);
            }
            if self.needs_description(&topic)
                && let Some(question) = general(DESCRIPTION)
            {
                add(Need::Required, question);
            }
            for (need, row) in self.rows(catalogue, &topic) {
                add(need, row.to_question(facts.signals));
            }
        }
        let asks_for_paths = self.must_ask_for_paths(catalogue, facts);
        for id in [ALLOWLIST, CRITERIA] {
            if (asks_for_paths || self.asked.iter().any(|asked| asked == id))
                && let Some(question) = general(id)
            {
                add(Need::Required, question);
            }
        }
        wanted
    }

    fn needs_description(&self, topic: &Topic<'_>) -> bool {
        match topic {
            Topic::Open => true,
            Topic::Chosen { category, .. } => {
                category.questions.is_empty() || self.asked.iter().any(|id| id == DESCRIPTION)
            }
            // A category that a repository added without any question.
            Topic::Named(category) => category.questions.is_empty(),
            Topic::Fix => false,
        }
    }

    /// The rows of the category whose conditions hold.
    fn rows<'c>(&self, catalogue: &Catalogue, topic: &Topic<'c>) -> Vec<(Need, &'c CategoryQuestion)> {
        let (Topic::Named(category) | Topic::Chosen { category, .. }) = topic else { return Vec::new() };
        let words = Words::of(&self.intention);
        let focused = category.questions.iter().any(|row| words.first_of(&row.focus).is_some());
        let need = |row: &CategoryQuestion| {
            let required = match topic {
                // After the two general questions there is room for one that is to the point.
                Topic::Chosen { .. } => category.primary().is_some_and(|primary| primary.id == row.id),
                _ if focused => words.first_of(&row.focus).is_some(),
                _ => !row.optional,
            };
            if required { Need::Required } else { Need::Optional }
        };
        let rows = category.questions.iter().filter(|row| self.condition_holds(catalogue, row));
        rows.map(|row| (need(row), row)).collect()
    }

    pub(super) fn condition_holds(&self, catalogue: &Catalogue, row: &CategoryQuestion) -> bool {
        row.when.as_ref().is_none_or(|when| {
            self.values(catalogue, &when.question).is_some_and(|values| values.contains(&when.is))
        })
    }

    /// Whether the user has to say where the work takes place.
    fn must_ask_for_paths(&self, catalogue: &Catalogue, facts: &Facts<'_>) -> bool {
        !matches!(self.topic(catalogue), Topic::Open)
            && !self.answers.contains_key(ALLOWLIST)
            && self.derived_allowlist(catalogue, facts).is_empty()
    }

    /// Where the work takes place as far as that can be concluded.
    pub(super) fn derived_allowlist(&self, catalogue: &Catalogue, facts: &Facts<'_>) -> Vec<String> {
        match self.topic(catalogue) {
            Topic::Fix => {
                let category = intent::category(catalogue, &self.intention);
                derive::allowlist_of_fix(&self.intention, category, facts.files)
            }
            Topic::Named(category) | Topic::Chosen { category, .. } => {
                derive::allowlist_of_category(category, facts.files)
            }
            Topic::Open => Vec::new(),
        }
    }

    pub(super) fn topic<'c>(&self, catalogue: &'c Catalogue) -> Topic<'c> {
        if let Some(patch) = self.model.as_ref().and_then(|model| model.patch.as_ref())
            && let Some(category) = catalogue.category(&patch.category)
        {
            return Topic::Named(category);
        }
        if let Some(answer) = self.answers.get(CATEGORY) {
            let specified = self.values(catalogue, CATEGORY).and_then(|values| values.into_iter().next());
            return match specified {
                None => Topic::Open,
                Some(name) => chosen(catalogue, &name, answer.includes(OTHER)),
            };
        }
        if is_small_fix(catalogue, &self.intention, self.preference) {
            return Topic::Fix;
        }
        intent::category(catalogue, &self.intention).map_or(Topic::Open, Topic::Named)
    }

    pub(super) fn category<'c>(&self, catalogue: &'c Catalogue) -> Option<&'c Category> {
        match self.topic(catalogue) {
            Topic::Named(category) | Topic::Chosen { category, .. } => Some(category),
            Topic::Fix | Topic::Open => None,
        }
    }
}

/// The category that a text names; what no category is called becomes a field of the wildcard.
fn chosen<'c>(catalogue: &'c Catalogue, name: &str, in_own_words: bool) -> Topic<'c> {
    match (catalogue.category(name), catalogue.category(OTHER_CATEGORY)) {
        (Some(category), _) => Topic::Chosen { category, field: None },
        (None, Some(wildcard)) if in_own_words => {
            Topic::Chosen { category: wildcard, field: Some(field_name(name)) }
        }
        _ => Topic::Open,
    }
}
