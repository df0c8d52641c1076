//! What to ask next: the questions of the topic, the required ones first, two a turn and five a session.
//!
//! A choice may bring its companion along, so it is shown only while there is room for both. A required question
//! for which there is no room is not asked, and its field stays open.

use super::super::catalogue::{
    ALLOWLIST, CATEGORY, CRITERIA, Catalogue, Category, CategoryQuestion, DESCRIPTION, OTHER_CATEGORY,
    Subject, field_name,
};
use super::super::derive;
use super::super::intent;
use super::super::question::{MAX_PER_TURN, MAX_QUESTIONS, OTHER, OTHER_SUFFIX, Question, companion_of};
use super::super::trigger::{is_small_fix, says_fix};
use super::super::words::Words;
use super::informed::IN_PASSING;
use super::{Facts, Flow, Interview, Step};

/// What an interview is about.
#[derive(Debug, Clone)]
pub(super) enum Topic<'c> {
    /// A small fix: there is nothing to decide.
    Fix,
    /// The intention is about something that many projects wish for.
    Subject(&'c Subject),
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
        let mut used = if self.is_informed() {
            let own = |id: &&String| self.brought.iter().any(|brought| brought.question.id == **id);
            self.asked.iter().filter(|id| !id.ends_with(OTHER_SUFFIX) && !own(id)).count()
        } else {
            self.asked.len() + shown_choices.count()
        };
        let mut shown: Vec<Question> = Vec::new();
        let mut any_required = false;
        for (need, question) in open {
            let own = self.brought.iter().any(|brought| brought.question.id == question.id);
            // An agent chose how many questions of its own a person can bear.
            if shown.len() >= MAX_PER_TURN && !own {
                break;
            }
            let again = self.asked.contains(&question.id);
            let cost = match (own, self.is_informed()) {
                (true, _) => 0,
                (false, true) => usize::from(question.depends_on.is_none()),
                (false, false) => 1 + usize::from(question.kind.is_choice()),
            };
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
        if !any_required {
            return Vec::new();
        }
        shown.extend(self.asks_acceptance_too(catalogue, facts, &shown, used));
        shown
    }

    /// The question on acceptance, for whoever likes to answer it with the last questions of a category.
    fn asks_acceptance_too(
        &self,
        catalogue: &Catalogue,
        facts: &Facts<'_>,
        shown: &[Question],
        used: usize,
    ) -> Option<Question> {
        let in_category = matches!(self.topic(catalogue), Topic::Named(_) | Topic::Chosen { .. });
        let room = shown.len() <= MAX_PER_TURN && used < MAX_QUESTIONS && self.model.is_none();
        let is_new = !self.answers.contains_key(CRITERIA)
            && !self.asked.iter().any(|id| id == CRITERIA)
            && !shown.iter().any(|question| question.id == CRITERIA);
        if self.flow() != Flow::Agent || !in_category || !room || !is_new {
            return None;
        }
        let question = self.question_for(catalogue, CRITERIA, facts.signals)?;
        Some(Question { optional: true, ..question })
    }

    fn is_answered(&self, catalogue: &Catalogue, question: &Question) -> bool {
        self.answers.contains_key(&question.id)
            || self.said(catalogue, &question.id).is_some()
            || self.is_known(&question.id)
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
            for brought in &self.brought {
                let need = if brought.question.optional { Need::Optional } else { Need::Required };
                add(need, brought.question.clone());
            }
            let by_agent = self.flow() == Flow::Agent && matches!(topic, Topic::Open);
            if matches!(topic, Topic::Open | Topic::Chosen { .. })
                && !by_agent
                && let Some(question) = general(CATEGORY)
            {
                add(Need::Required, question);
            }
            if self.needs_description(&topic)
                && !by_agent
                && let Some(question) = general(DESCRIPTION)
            {
                add(Need::Required, question);
            }
            for (need, row) in self.rows(catalogue, &topic) {
                add(need, row.to_question(facts.signals));
            }
            let asks_acceptance = self.is_informed() && (by_agent || matches!(topic, Topic::Subject(_)));
            if asks_acceptance && let Some(question) = general(CRITERIA) {
                add(Need::Required, question);
            }
        }
        let asks_for_paths = self.must_ask_for_paths(catalogue, facts);
        let criteria_wanted = wanted.iter().any(|(_, question)| question.id == CRITERIA);
        for id in [ALLOWLIST, CRITERIA].into_iter().filter(|id| *id != CRITERIA || !criteria_wanted) {
            let asked = self.asked.iter().any(|asked| asked == id);
            if (asks_for_paths || asked)
                && let Some(question) = general(id)
            {
                // What was offered to whoever likes to answer stays so.
                let offered = id == CRITERIA && self.flow() == Flow::Agent && !asks_for_paths;
                wanted.push((if offered { Need::Optional } else { Need::Required }, question));
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
            Topic::Fix | Topic::Subject(_) => false,
        }
    }

    /// The rows of the category whose conditions hold.
    fn rows<'c>(&self, catalogue: &'c Catalogue, topic: &Topic<'c>) -> Vec<(Need, &'c CategoryQuestion)> {
        if let Topic::Subject(subject) = topic {
            let rows = self.asked_rows(catalogue, subject);
            return rows.into_iter().map(|row| (Need::Required, row)).collect();
        }
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
        // An agent can ask for the finer points itself, where they matter.
        let is_aside = |row: &CategoryQuestion| {
            self.flow() == Flow::Agent && row.optional && words.first_of(&row.focus).is_none()
        };
        let rows = rows.filter(|row| !self.is_settled_ground(row) && !is_aside(row) && self.is_for_here(row));
        rows.map(|row| (need(row), row)).collect()
    }

    /// The rows whose answers are the fields of the decision.
    pub(super) fn decided_rows<'c>(&self, catalogue: &'c Catalogue) -> Vec<&'c CategoryQuestion> {
        match self.topic(catalogue) {
            Topic::Subject(subject) => subject.questions.iter().collect(),
            Topic::Named(category) | Topic::Chosen { category, .. } => category.questions.iter().collect(),
            Topic::Fix | Topic::Open => Vec::new(),
        }
    }

    pub(super) fn condition_holds(&self, catalogue: &Catalogue, row: &CategoryQuestion) -> bool {
        row.when.as_ref().is_none_or(|when| {
            let said = self.values(catalogue, &when.question).is_some_and(|values| values.contains(&when.is));
            said || self.known_value(&when.question) == Some(when.is.as_str())
        })
    }

    /// Whether the user has to say where the work takes place. For what usually has a folder of its own it is left out
    /// as long as that folder is not there: nobody named one, so none is recorded.
    pub(super) fn must_ask_for_paths(&self, catalogue: &Catalogue, facts: &Facts<'_>) -> bool {
        let category = match self.topic(catalogue) {
            Topic::Open | Topic::Subject(_) => return false,
            Topic::Fix => intent::category(catalogue, &self.intention),
            Topic::Named(category) | Topic::Chosen { category, .. } => Some(category),
        };
        category.is_none_or(|category| category.home.is_none())
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
            Topic::Subject(subject) => {
                let category = catalogue.category(&subject.category);
                derive::allowlist_of_subject(subject, category, facts.files)
            }
            Topic::Open if self.flow() == Flow::Agent => {
                derive::allowlist_of_words(&self.intention, facts.files)
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
        let subject = self.subject(catalogue);
        if is_small_fix(catalogue, &self.intention, self.preference)
            && (subject.is_none() || says_fix(catalogue, &self.intention))
        {
            return Topic::Fix;
        }
        if let Some(subject) = subject {
            return Topic::Subject(subject);
        }
        match intent::category(catalogue, &self.intention) {
            Some(category) if !self.is_in_passing(catalogue, category) => Topic::Named(category),
            _ => Topic::Open,
        }
    }

    /// Whether a wish names a category that there is nothing to ask or to decide in: "to our API" says where, not what.
    fn is_in_passing(&self, catalogue: &Catalogue, category: &Category) -> bool {
        self.flow() == Flow::Agent
            && IN_PASSING.contains(&category.name.as_str())
            && !category.questions.is_empty()
            && category.questions.iter().all(|row| self.said(catalogue, &row.id).is_none())
            && self.rows(catalogue, &Topic::Named(category)).iter().all(|(_, row)| self.is_known(&row.id))
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
