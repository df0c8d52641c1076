//! The interview: an intention and answers in, questions or a finished outcome out.
//!
//! It is a value. What it asks next follows from what was said so far and from the facts of the repository; whoever
//! keeps it (a server in memory, the command line in a file) may stop and go on at any point. Nothing is decided
//! that nobody said: a question without an answer leaves its field open.

mod informed;
mod outcome;
mod plan;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

pub use informed::{Advice, Flow};
pub use outcome::Outcome;

use super::answer::{Answer, AnswerFault, check};
use super::architecture::Snapshot;
use super::brought::Brought;
use super::catalogue::{Catalogue, DESCRIPTION};
use super::intent;
use super::question::{OTHER, OTHER_SUFFIX, Question, companion_id, companion_of};
use super::sign::Known;
use super::signal::Signal;
use super::text::{MAX_TEXT_BYTES, clean};
use super::trigger::{AdrPreference, Patch};

/// One clarification, from the intention to the outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Interview {
    intention: String,
    given_context: Option<String>,
    preference: AdrPreference,
    /// Checked answers by question id.
    answers: BTreeMap<String, Answer>,
    /// What the intention itself answers.
    prefilled: BTreeMap<String, String>,
    /// Ids of the questions that were shown, in the order in which they were.
    asked: Vec<String>,
    /// Questions that a model asked instead of the catalogue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<ModelPart>,
    /// Whom it talks to.
    #[serde(default)]
    flow: Flow,
    /// The subjects that the wish is about, the most relevant first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    subjects: Vec<String>,
    /// Whether the wish decides anew what is known.
    #[serde(default)]
    anew: bool,
    /// What the repository and earlier decisions say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    known: Vec<Known>,
    /// Questions of the agent's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    brought: Vec<Brought>,
}

/// What a model contributed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ModelPart {
    questions: Vec<Question>,
    patch: Option<Patch>,
}

/// What the repository looks like.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// Paths relative to the repository, with `/`, without hewto's own artifacts.
    pub files: &'a [String],
    pub signals: &'a [Signal],
    pub architecture: &'a Snapshot,
}

/// What happens next.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    Ask(Vec<Question>),
    Ready(Box<Outcome>),
    /// The model's questions are answered; now it has to say what was decided.
    Extract,
    /// Everything was asked that may be asked, and no decision can be read from it.
    Undecided,
}

/// How far the interview is, counted over all turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub asked_so_far: usize,
    pub answered: usize,
}

/// Why an intention cannot be clarified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum UnfitIntention {
    #[error("the intention is empty")]
    Empty,
    #[error("the intention or its context is longer than {} KiB", MAX_TEXT_BYTES / 1024)]
    TooLong,
}

impl Interview {
    pub fn new(
        catalogue: &Catalogue,
        intention: &str,
        given_context: Option<&str>,
        preference: AdrPreference,
    ) -> Result<Self, UnfitIntention> {
        if intention.len().max(given_context.map_or(0, str::len)) > MAX_TEXT_BYTES {
            return Err(UnfitIntention::TooLong);
        }
        let intention = clean(intention);
        if intention.is_empty() {
            return Err(UnfitIntention::Empty);
        }
        Ok(Self {
            prefilled: intent::answered_by(catalogue, &intention),
            intention,
            given_context: given_context.map(clean).filter(|text| !text.is_empty()),
            preference,
            answers: BTreeMap::new(),
            asked: Vec::new(),
            model: None,
            flow: Flow::Seed,
            subjects: Vec::new(),
            anew: false,
            known: Vec::new(),
            brought: Vec::new(),
        })
    }

    pub fn intention(&self) -> &str {
        &self.intention
    }

    pub fn given_context(&self) -> Option<&str> {
        self.given_context.as_deref()
    }

    /// Takes answers. Those that are right are kept even when others are not; `null` and ids that no question has
    /// are passed over. A later answer to a question replaces the earlier one.
    pub fn answer(&mut self, catalogue: &Catalogue, values: &Map<String, Value>) -> Vec<AnswerFault> {
        let mut faults = Vec::new();
        // Parents first: whether a companion is due depends on them.
        let (companions, parents): (Vec<_>, Vec<_>) =
            values.iter().partition(|(id, _)| id.ends_with(OTHER_SUFFIX));
        for (id, value) in parents.into_iter().chain(companions) {
            let id = Catalogue::canonical_id(id);
            let Some(question) = self.question(catalogue, id) else { continue };
            match check(&question, value) {
                Ok(Some(answer)) => {
                    self.answers.insert(id.to_owned(), answer);
                }
                Err(fault) if self.holds(&question) => faults.push(fault),
                Ok(None) | Err(_) => {}
            }
        }
        faults
    }

    /// The ids that answer no question, of this interview or of the catalogue.
    pub fn strange_ids(&self, catalogue: &Catalogue, values: &Map<String, Value>) -> Vec<String> {
        let is_strange = |id: &&String| self.question(catalogue, Catalogue::canonical_id(id)).is_none();
        values.keys().filter(is_strange).cloned().collect()
    }

    pub fn progress(&self) -> Progress {
        let answered = self.asked.iter().filter(|id| self.answers.contains_key(*id)).count();
        Progress { asked_so_far: self.asked.len(), answered }
    }

    /// The questions that were shown, with what was answered.
    pub fn asked(&self, catalogue: &Catalogue, signals: &[Signal]) -> Vec<(Question, Option<Answer>)> {
        let known = self.asked.iter().filter_map(|id| self.question_for(catalogue, id, signals));
        known.map(|question| (question.clone(), self.answers.get(&question.id).cloned())).collect()
    }

    /// What the intention answers of the questions of its category: labels and values.
    pub fn detected(&self, catalogue: &Catalogue) -> Vec<(String, String)> {
        let rows = self.decided_rows(catalogue);
        let said = rows.into_iter().filter_map(|row| {
            let value = self.prefilled.get(&row.id).cloned();
            Some((row.to_question(&[]).label(), value.or_else(|| self.said_of_subject(catalogue, &row.id))?))
        });
        said.collect()
    }

    /// Puts a model's questions in the place of the catalogue's.
    pub fn ask_by_model(&mut self, questions: Vec<Question>) {
        self.model = Some(ModelPart { questions, patch: None });
    }

    /// What the model reads from the answers.
    pub fn decide_by_model(&mut self, patch: Patch) {
        if let Some(model) = &mut self.model {
            model.patch = Some(patch);
        }
    }

    /// Goes on with the catalogue alone; answers that were given are kept.
    pub fn dismiss_model(&mut self) {
        self.model = None;
    }

    pub fn has_model(&self) -> bool {
        self.model.is_some()
    }

    /// Every answer with its question, in the order in which they were asked, for a model to read.
    pub fn transcript(&self, catalogue: &Catalogue) -> Vec<(Question, String)> {
        let questions = self.answers.keys().filter(|id| !id.ends_with(OTHER_SUFFIX));
        let mut spoken: Vec<(usize, Question, String)> = questions
            .filter_map(|id| {
                let question = self.question(catalogue, id)?;
                let at = self.asked.iter().position(|asked| asked == id).unwrap_or(usize::MAX);
                Some((at, question, self.value(catalogue, id)?))
            })
            .collect();
        spoken.sort_by(|a, b| (a.0, &a.1.id).cmp(&(b.0, &b.1.id)));
        spoken.into_iter().map(|(_, question, value)| (question, value)).collect()
    }

    fn question(&self, catalogue: &Catalogue, id: &str) -> Option<Question> {
        self.question_for(catalogue, id, &[])
    }

    fn question_for(&self, catalogue: &Catalogue, id: &str, signals: &[Signal]) -> Option<Question> {
        let asked_by_model = |id: &str| {
            let model = self.model.iter().flat_map(|model| &model.questions);
            let mut own = model.chain(self.brought.iter().map(|brought| &brought.question));
            own.find(|question| question.id == id).cloned()
        };
        if let Some(question) = asked_by_model(id) {
            return Some(question);
        }
        let parent = id.strip_suffix(OTHER_SUFFIX).and_then(asked_by_model);
        parent.as_ref().and_then(companion_of).or_else(|| catalogue.question(id, signals))
    }

    /// Whether the condition of a question is met.
    fn holds(&self, question: &Question) -> bool {
        question.depends_on.as_ref().is_none_or(|condition| {
            self.answers.get(&condition.question_id).is_some_and(|answer| answer.includes(&condition.value))
        })
    }

    /// Whether a choice was answered with [`OTHER`].
    fn chose_other(&self, id: &str) -> bool {
        self.answers.get(id).is_some_and(|answer| answer.includes(OTHER))
    }

    /// What was said on a question: the answer, with what "Other" stands for, else what a text gave away.
    fn values(&self, catalogue: &Catalogue, id: &str) -> Option<Vec<String>> {
        let Some(answer) = self.answers.get(id) else {
            return self.said(catalogue, id).map(|value| vec![value]);
        };
        let specified = self.answers.get(&companion_id(id)).map(Answer::texts).unwrap_or_default();
        let mut values = Vec::new();
        for text in answer.texts() {
            if text == OTHER { values.extend(specified.iter().cloned()) } else { values.push(text.clone()) }
        }
        (!values.is_empty()).then_some(values)
    }

    fn value(&self, catalogue: &Catalogue, id: &str) -> Option<String> {
        self.values(catalogue, id).map(|values| values.join(", "))
    }

    /// What the description or the intention gave away; the description is the later word.
    fn said(&self, catalogue: &Catalogue, id: &str) -> Option<String> {
        let described = self
            .answers
            .get(DESCRIPTION)
            .and_then(|answer| intent::answered_by(catalogue, answer.texts().first()?).remove(id));
        described.or_else(|| self.prefilled.get(id).cloned()).or_else(|| self.said_of_subject(catalogue, id))
    }
}

#[cfg(test)]
mod tests;
