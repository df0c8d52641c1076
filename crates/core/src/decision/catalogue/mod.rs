//! The question catalogue: what is asked for which category, and what the words of an intention mean.
//!
//! It is data. The built-in table is `questions.toml` beside this file; a repository lays its own over it
//! ([`Catalogue::extended`]). Nothing here knows how an interview goes; [`super::interview`] does.

mod overlay;
mod table;

use std::sync::OnceLock;

use thiserror::Error;

pub use table::{AdrRules, Category, CategoryQuestion, Subject};

use self::table::{Meaning, Table};
use super::question::{OTHER_SUFFIX, Question, QuestionKind, TextShape, companion_of};
use super::signal::Signal;

/// The question that names a category.
pub const CATEGORY: &str = "category";
/// Another name under which an answer to [`CATEGORY`] is accepted.
const CATEGORY_ALIAS: &str = "change_category";
pub const DESCRIPTION: &str = "description";
pub const ALLOWLIST: &str = "allowlist_paths";
pub const CRITERIA: &str = "acceptance_criteria";
/// The category that takes any field.
pub const OTHER_CATEGORY: &str = "Other";

const BUILTIN: &str = include_str!("questions.toml");
const SUBJECTS: &str = include_str!("subjects.toml");

/// Everything the deterministic interviewer knows.
#[derive(Debug, Clone)]
pub struct Catalogue {
    table: Table,
    /// The terms of the vocabulary, the longest first.
    terms: Vec<Term>,
}

/// A term of an intention, the question it answers and the value it gives.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Term {
    pub(super) text: String,
    pub(super) question: String,
    pub(super) value: String,
}

/// Why a repository's table cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {message}")]
pub struct CatalogueError {
    /// 1-based; 1 when the fault is not in one line.
    pub line: usize,
    pub message: String,
}

impl Catalogue {
    pub fn builtin() -> &'static Self {
        static TABLE: OnceLock<Catalogue> = OnceLock::new();
        TABLE.get_or_init(|| {
            let read = |text| table::read(text).expect("the built-in table is well formed: a test reads it");
            let mut table = read(BUILTIN);
            overlay::lay(&mut table, read(SUBJECTS));
            Self::of(table)
        })
    }

    /// This catalogue with a repository's own table laid over it.
    pub fn extended(&self, text: &str) -> Result<Self, CatalogueError> {
        let mut table = self.table.clone();
        overlay::lay(&mut table, table::read(text)?);
        table::check(&table)?;
        Ok(Self::of(table))
    }

    fn of(mut table: Table) -> Self {
        let Table { subjects, categories, .. } = &mut table;
        for row in subjects.iter_mut().flat_map(|subject| &mut subject.questions) {
            let all = categories.iter().flat_map(|category| &category.questions);
            if let Some(used) = row.uses.as_ref().and_then(|id| all.clone().find(|known| known.id == *id)) {
                // Here it is to the point, whatever it is to its category.
                let (says, uses) = (std::mem::take(&mut row.says), row.uses.clone());
                *row = CategoryQuestion { says, uses, optional: false, focus: Vec::new(), ..used.clone() };
            }
        }
        let mut terms: Vec<Term> = Vec::new();
        for (question, values) in &table.vocabulary {
            for (value, spellings) in values {
                terms.extend(spellings.iter().map(|text| Term {
                    text: text.clone(),
                    question: question.clone(),
                    value: value.clone(),
                }));
            }
        }
        terms.sort_by(|a, b| b.text.len().cmp(&a.text.len()).then(a.cmp(b)));
        Self { table, terms }
    }

    pub fn categories(&self) -> &[Category] {
        &self.table.categories
    }

    pub fn subjects(&self) -> &[Subject] {
        &self.table.subjects
    }

    /// The category of this name or alias, in any case.
    pub fn category(&self, name: &str) -> Option<&Category> {
        let wanted = name.trim();
        self.table.categories.iter().find(|category| {
            let mut names = std::iter::once(&category.name).chain(&category.aliases);
            names.any(|known| known.eq_ignore_ascii_case(wanted))
        })
    }

    /// The fields that each category knows.
    pub fn fields_by_category(&self) -> std::collections::BTreeMap<&str, Vec<&str>> {
        self.table.categories.iter().map(|one| (one.name.as_str(), one.field_names().collect())).collect()
    }

    pub fn category_names(&self) -> Vec<&str> {
        self.table.categories.iter().map(|category| category.name.as_str()).collect()
    }

    pub(crate) fn adr_rules(&self) -> &AdrRules {
        &self.table.adr
    }

    pub(super) fn terms(&self) -> &[Term] {
        &self.terms
    }

    pub(super) fn meaning(&self) -> &Meaning {
        &self.table.meaning
    }

    /// The category whose questions, or those of a subject in it, include this one.
    pub(crate) fn category_of_question(&self, id: &str) -> Option<(&Category, &CategoryQuestion)> {
        let of_category = self.table.categories.iter().find_map(|category| {
            category.questions.iter().find(|question| question.id == id).map(|question| (category, question))
        });
        of_category.or_else(|| {
            self.table.subjects.iter().find_map(|subject| {
                let question = subject.questions.iter().find(|question| question.id == id)?;
                Some((self.category(&subject.category)?, question))
            })
        })
    }

    /// The id of the question that a field answers.
    pub fn question_of_field(&self, category: &str, field: &str) -> Option<String> {
        let own = self
            .table
            .categories
            .iter()
            .filter(|known| known.name == category)
            .flat_map(|one| &one.questions);
        let subjects = self.table.subjects.iter().filter(|known| known.category == category);
        let mut rows = own.chain(subjects.flat_map(|one| &one.questions));
        rows.find(|row| row.field.as_deref() == Some(field)).map(|row| row.id.clone())
    }

    /// The id under which an answer is kept.
    pub(crate) fn canonical_id(id: &str) -> &str {
        match id {
            CATEGORY_ALIAS => CATEGORY,
            "change_category__other" => "category__other",
            _ => id,
        }
    }

    /// The question with this id, companions included.
    pub fn question(&self, id: &str, signals: &[Signal]) -> Option<Question> {
        if let Some(parent) = id.strip_suffix(OTHER_SUFFIX) {
            return self.question(parent, signals).as_ref().and_then(companion_of);
        }
        if let Some(general) = self.table.questions.iter().find(|question| question.id == id) {
            return Some(self.general(general));
        }
        self.category_of_question(id).map(|(_, question)| question.to_question(signals))
    }

    fn general(&self, row: &CategoryQuestion) -> Question {
        let mut question = row.to_question(&[]);
        match row.id.as_str() {
            CATEGORY => {
                let offered = self.table.categories.iter().filter(|category| category.offered);
                question.offer(offered.map(|category| category.name.clone()).collect());
                for category in &self.table.categories {
                    let spellings =
                        category.aliases.iter().map(|alias| (alias.clone(), category.name.clone()));
                    question.spellings.extend(spellings);
                    question.spellings.push((category.name.clone(), category.name.clone()));
                }
            }
            ALLOWLIST => question.shape = TextShape::Paths,
            CRITERIA => question.shape = TextShape::Lines,
            _ => {}
        }
        question
    }
}

impl Category {
    /// The field of this name as the schema writes it; a wildcard category takes any name.
    pub fn field(&self, name: &str) -> Option<String> {
        let folded = fold_field(name);
        let known = self.field_names().find(|field| fold_field(field) == folded).map(str::to_owned);
        known.or_else(|| self.wildcard.then(|| field_name(name)))
    }

    /// The fields of the schema, in the order of the table.
    pub fn field_names(&self) -> impl Iterator<Item = &str> {
        let asked = self.questions.iter().filter_map(|question| question.field.as_deref());
        asked.chain(self.fields.iter().map(String::as_str))
    }

    /// The question that decides this category above all.
    pub(crate) fn primary(&self) -> Option<&CategoryQuestion> {
        self.questions.first()
    }
}

impl CategoryQuestion {
    /// The question as it is asked in a repository that shows these signals.
    pub(crate) fn to_question(&self, signals: &[Signal]) -> Question {
        let shown = self
            .variants
            .iter()
            .find(|variant| signals.contains(&variant.signal))
            .map_or(&self.options, |variant| &variant.options);
        let mut question = Question::new(&self.id, self.kind, &self.question);
        question.min_selections = self.min_selections;
        question.max_selections = self.max_selections;
        question.optional = self.optional;
        if self.kind == QuestionKind::FreeText {
            question.shape = TextShape::Text;
        } else {
            question.offer(shown.clone());
            // What is offered depends on the repository; what is accepted does not.
            let all = self.options.iter().chain(self.variants.iter().flat_map(|variant| &variant.options));
            question.spellings.extend(all.map(|option| (option.clone(), option.clone())));
            for (option, spellings) in &self.spellings {
                question.spellings.extend(spellings.iter().map(|text| (text.clone(), option.clone())));
            }
        }
        question
    }
}

/// A name of a field as a document can carry it: letters, digits and `_`.
pub fn field_name(text: &str) -> String {
    let mut out = String::new();
    for ch in text.chars() {
        if ch.is_alphanumeric() {
            out.push(ch);
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
    }
    let name = out.trim_end_matches('_');
    if name.is_empty() { "Description".to_owned() } else { name.to_owned() }
}

/// `State Management`, `state_management` and `State-Management` are one field.
pub(super) fn fold_field(name: &str) -> String {
    field_name(name).to_lowercase()
}

#[cfg(test)]
mod tests;
