//! An interview that knows the repository: what is known is not asked, what is asked bears on the wish, and an agent may
//! bring questions of its own.

use serde::{Deserialize, Serialize};

use super::super::brought::Brought;
use super::super::catalogue::{Catalogue, CategoryQuestion, OTHER_CATEGORY, Subject, field_name};
use super::super::derive;
use super::super::intent;
use super::super::relevance;
use super::super::sign::Known;
use super::super::words::Words;
use super::Interview;
use super::plan::Topic;

/// How many questions of a subject are asked.
const FROM_SUBJECT: usize = 3;
/// What is known of a repository's language.
const LANGUAGE: &str = "language";
/// Categories that a wish names in passing: "to our API", "in the UI".
pub(super) const IN_PASSING: [&str; 3] = ["Frontend", "Backend", "Infra"];

/// Whom an interview talks to, and how much it knows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flow {
    /// As seed 003 has it: the wish alone decides what is asked.
    #[default]
    Seed,
    /// Somebody at a terminal, who can say what a wish is about.
    Person,
    /// An agent, which can ask what the catalogue does not.
    Agent,
}

/// What to tell whoever asks when the catalogue has nothing to say about a wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    pub message: String,
    /// What might be asked instead.
    pub might_ask: Vec<String>,
}

impl Interview {
    /// The same interview for this kind of listener.
    #[must_use]
    pub fn talking_to(mut self, catalogue: &Catalogue, flow: Flow) -> Self {
        self.flow = flow;
        if self.is_informed() {
            self.subjects = subjects_of(catalogue, &self.intention);
            self.anew =
                Words::of(relevance::head(&self.intention)).first_of(&catalogue.meaning().anew).is_some();
        }
        self
    }

    pub fn flow(&self) -> Flow {
        self.flow
    }

    /// Takes over what is known without asking, in place of what was.
    pub fn learn(&mut self, known: Vec<Known>) {
        if self.is_informed() {
            self.known = known;
        }
    }

    /// What is known and was therefore not asked.
    pub fn known(&self) -> &[Known] {
        &self.known
    }

    /// Adds questions of the agent's own. One that is there already is asked once.
    pub fn bring(&mut self, questions: Vec<Brought>) {
        for new in questions {
            if !self.brought.iter().any(|known| known.question.id == new.question.id) {
                self.brought.push(new);
            }
        }
    }

    pub fn brought(&self) -> &[Brought] {
        &self.brought
    }

    pub(super) fn is_informed(&self) -> bool {
        self.flow != Flow::Seed
    }

    /// What is said instead of questions when the catalogue has none that bear on the wish.
    pub fn advice(&self, catalogue: &Catalogue) -> Option<Advice> {
        let unknown = self.flow == Flow::Agent
            && self.model.is_none()
            && self.brought.is_empty()
            && matches!(self.topic(catalogue), Topic::Open);
        unknown.then(|| {
            let title = derive::title(&self.intention);
            Advice {
                message: "the catalogue has nothing to ask about this wish; send your own `questions` (id, text, options, why) with this session_id, or go on".to_owned(),
                might_ask: vec![
                    format!("Who does what differently once “{title}” is done?"),
                    "What has to stay exactly as it is?".to_owned(),
                    "What can go wrong, and what happens then?".to_owned(),
                    "Which data is read or written, and how much of it is there?".to_owned(),
                ],
            }
        })
    }

    /// The subject that the wish is about.
    pub(super) fn subject<'c>(&self, catalogue: &'c Catalogue) -> Option<&'c Subject> {
        named(catalogue, self.subjects.first()?)
    }

    /// The questions of a subject that bear on the wish, then the first one of each other subject that it names.
    pub(super) fn subject_rows<'c>(
        &self,
        catalogue: &'c Catalogue,
        subject: &'c Subject,
    ) -> Vec<&'c CategoryQuestion> {
        let words = Words::of(relevance::head(&self.intention));
        let in_focus = |row: &&CategoryQuestion| words.first_of(&row.focus).is_some();
        let bears = |row: &&CategoryQuestion| row.focus.is_empty() || in_focus(row);
        let mut rows: Vec<&CategoryQuestion> = subject.questions.iter().filter(bears).collect();
        rows.sort_by_key(|row| !in_focus(row));
        let others = self.subjects.iter().skip(1).filter_map(|name| named(catalogue, name));
        rows.extend(others.filter_map(|other| other.questions.iter().find(bears)));
        rows
    }

    /// As many rows as are asked: those that nobody answered yet, the first ones of them.
    pub(super) fn asked_rows<'c>(
        &self,
        catalogue: &'c Catalogue,
        subject: &'c Subject,
    ) -> Vec<&'c CategoryQuestion> {
        let rows = self.subject_rows(catalogue, subject);
        let open =
            rows.into_iter().filter(|row| !self.is_known(&row.id) && self.said(catalogue, &row.id).is_none());
        open.take(FROM_SUBJECT).collect()
    }

    /// Whether the repository or an earlier decision answers a question, and the wish does not decide it anew.
    pub(super) fn is_known(&self, id: &str) -> bool {
        !self.anew && self.known_value(id).is_some()
    }

    pub(super) fn known_value(&self, id: &str) -> Option<&str> {
        let brought = self.brought.iter().any(|one| one.question.id == id);
        let decided = format!("{OTHER_CATEGORY}.{}", field_name(id));
        let known = self.known.iter().find(|known| known.about == id || (brought && known.about == decided));
        known.map(|known| known.value.as_str())
    }

    /// A question on what everything stands on is asked only where nothing stands yet, or where the wish is about it.
    pub(super) fn is_settled_ground(&self, row: &CategoryQuestion) -> bool {
        self.is_informed()
            && row.foundation
            && !self.known.is_empty()
            && Words::of(relevance::head(&self.intention)).first_of(&row.focus).is_none()
    }

    /// Whether the options of a question are for projects in the language of this one.
    pub(super) fn is_for_here(&self, row: &CategoryQuestion) -> bool {
        let language = self.known.iter().find(|known| known.about == LANGUAGE);
        row.languages.is_empty() || language.is_none_or(|known| row.languages.contains(&known.value))
    }

    /// What the wish itself says to a question of a subject.
    pub(super) fn said_of_subject(&self, catalogue: &Catalogue, id: &str) -> Option<String> {
        let subject = self.subject(catalogue)?;
        let row = self.subject_rows(catalogue, subject).into_iter().find(|row| row.id == id)?;
        relevance::said(row, &self.intention).map(|values| values.join(", "))
    }
}

fn named<'c>(catalogue: &'c Catalogue, name: &str) -> Option<&'c Subject> {
    catalogue.subjects().iter().find(|subject| subject.name == name)
}

/// The subjects of a wish; none where it is about a category of its own and mentions them later.
fn subjects_of(catalogue: &Catalogue, intention: &str) -> Vec<String> {
    let wish = relevance::head(intention);
    let found = relevance::subjects(catalogue, wish);
    let Some(first) = found.first().map(|best| best.at) else { return Vec::new() };
    let words = Words::of(wish).without(&catalogue.meaning().not_meant);
    let own = intent::category(catalogue, wish).filter(|one| !IN_PASSING.contains(&one.name.as_str()));
    let earlier = own.is_some_and(|category| {
        category.keywords.iter().filter_map(|word| words.span(word)).any(|span| span.start < first)
    });
    if earlier { Vec::new() } else { found.into_iter().map(|one| one.subject.name.clone()).collect() }
}
