//! The form of the table, as TOML has it, and what has to hold for it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::CatalogueError;
use super::field_name;
use crate::decision::question::{OTHER_SUFFIX, QuestionKind};
use crate::decision::signal::Signal;
use crate::document::line_of;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    #[serde(default, rename = "question")]
    pub(super) questions: Vec<CategoryQuestion>,
    #[serde(default, rename = "category")]
    pub(super) categories: Vec<Category>,
    #[serde(default, rename = "subject")]
    pub(super) subjects: Vec<Subject>,
    #[serde(default)]
    pub(super) vocabulary: Vocabulary,
    #[serde(default)]
    pub(super) meaning: Meaning,
    #[serde(default)]
    pub(super) adr: AdrRules,
}

/// Question id → value → terms.
pub(super) type Vocabulary = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// A category of the architecture.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Category {
    pub name: String,
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Words of an intention that name this category.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// Words of an intention that make a decision record due.
    #[serde(default)]
    pub triggers: Vec<String>,
    /// Words of a path that make it part of this category.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Where its code goes when there is none yet.
    #[serde(default)]
    pub home: Option<String>,
    /// Whether a decision in this category is always recorded.
    #[serde(default)]
    pub adr: bool,
    /// Whether the category is an option of the category question.
    #[serde(default = "yes")]
    pub offered: bool,
    /// Whether any field may stand in it.
    #[serde(default)]
    pub wildcard: bool,
    /// Fields that no question asks for.
    #[serde(default)]
    pub fields: Vec<String>,
    #[serde(default, rename = "question")]
    pub questions: Vec<CategoryQuestion>,
}

/// What many projects wish for sooner or later, with the questions that bear on it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    pub name: String,
    /// Where its answers are recorded.
    pub category: String,
    /// Phrases of a wish that name the subject.
    #[serde(default)]
    pub phrases: Vec<String>,
    /// Words that name it only together: one of the first list near one of the second.
    #[serde(default)]
    pub together: Vec<(Vec<String>, Vec<String>)>,
    /// Words that only suggest it.
    #[serde(default)]
    pub hints: Vec<String>,
    /// Words of a path that make it part of the subject.
    #[serde(default)]
    pub paths: Vec<String>,
    #[serde(default, rename = "question")]
    pub questions: Vec<CategoryQuestion>,
}

/// A row of the catalogue.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CategoryQuestion {
    #[serde(default)]
    pub id: String,
    /// Stands for the question of a category that has this id; subjects only.
    #[serde(default)]
    pub uses: Option<String>,
    #[serde(rename = "type", default = "single_choice")]
    pub kind: QuestionKind,
    #[serde(default)]
    pub question: String,
    /// The field that the answer decides; an answer without a field is kept as a constraint of the task.
    #[serde(default)]
    pub field: Option<String>,
    #[serde(default)]
    pub options: Vec<String>,
    /// Other ways to write an option.
    #[serde(default)]
    pub spellings: BTreeMap<String, Vec<String>>,
    /// What is offered instead in a repository of a certain kind.
    #[serde(default)]
    pub variants: Vec<Variant>,
    #[serde(default)]
    pub optional: bool,
    #[serde(default)]
    pub min_selections: Option<usize>,
    #[serde(default)]
    pub max_selections: Option<usize>,
    /// Asked only when another question has this answer.
    #[serde(default)]
    pub when: Option<When>,
    /// Words of an intention that make it about this question alone.
    #[serde(default)]
    pub focus: Vec<String>,
    /// Whether the answer names something that is brought into the repository.
    #[serde(default)]
    pub dependency: bool,
    /// Ways in which a wish itself gives an answer; subjects only.
    #[serde(default)]
    pub says: BTreeMap<String, Vec<String>>,
    /// Units by which a wish gives an answer: a number with one of them; subjects only.
    #[serde(default)]
    pub amounts: Vec<String>,
    /// The languages whose projects its options are for; all when empty.
    #[serde(default)]
    pub languages: Vec<String>,
    /// Whether it is about what everything else stands on: not asked where there is code already, unless the wish has
    /// one of the words of `focus`.
    #[serde(default)]
    pub foundation: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    pub signal: Signal,
    pub options: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    pub question: String,
    pub is: String,
}

/// Words that need care.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::decision) struct Meaning {
    #[serde(default)]
    pub(in crate::decision) everyday: Vec<String>,
    #[serde(default)]
    pub(in crate::decision) introducers: Vec<String>,
    #[serde(default)]
    pub(in crate::decision) not_meant: Vec<String>,
    /// Words of a wish that decides anew what is known.
    #[serde(default)]
    pub(in crate::decision) anew: Vec<String>,
}

/// The phrases by which a decision record is due or not.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdrRules {
    #[serde(default)]
    pub fixes: Vec<String>,
    #[serde(default)]
    pub config_only: Vec<String>,
    #[serde(default)]
    pub requests: Vec<String>,
    #[serde(default)]
    pub explicit: Vec<String>,
    #[serde(default)]
    pub keywords: Vec<String>,
    #[serde(default)]
    pub new_dependency: Vec<String>,
    #[serde(default)]
    pub migration: Vec<String>,
    #[serde(default)]
    pub cross_cutting: Vec<String>,
    #[serde(default)]
    pub many_files: Vec<String>,
    #[serde(default)]
    pub counted: Vec<String>,
    #[serde(default)]
    pub no_dependency: Vec<String>,
}

fn yes() -> bool {
    true
}

fn single_choice() -> QuestionKind {
    QuestionKind::SingleChoice
}

/// Reads a table, complete or laid over another one.
pub(super) fn read(text: &str) -> Result<Table, CatalogueError> {
    toml_edit::de::from_str(text).map_err(|error| CatalogueError {
        line: error.span().map_or(1, |span| line_of(text, span.start)),
        message: error.message().lines().collect::<Vec<_>>().join(" "),
    })
}

/// What has to hold for a whole table.
pub(super) fn check(table: &Table) -> Result<(), CatalogueError> {
    let fault = |message: String| Err(CatalogueError { line: 1, message });
    let mut ids = BTreeSet::new();
    for category in &table.categories {
        if category.name != field_name(&category.name) {
            return fault(format!(
                "`{}` is not a name of a category: use letters, digits and `_`",
                category.name
            ));
        }
        if let Some(home) = &category.home
            && (home.is_empty() || home.starts_with('/') || home.split('/').any(|name| name == ".."))
        {
            return fault(format!("`{home}` is not a path inside the repository"));
        }
        for field in category.field_names() {
            if field != field_name(field) {
                return fault(format!("`{field}` is not a name of a field: use letters, digits and `_`"));
            }
        }
    }
    for subject in &table.subjects {
        if !table.categories.iter().any(|category| category.name == subject.category) {
            return fault(format!(
                "the subject `{}` belongs to `{}`, which is not a category",
                subject.name, subject.category
            ));
        }
    }
    let of_categories = table.categories.iter().flat_map(|category| &category.questions);
    let used = |row: &CategoryQuestion| row.uses.is_some();
    if let Some(row) = of_categories
        .clone()
        .chain(table.subjects.iter().flat_map(|one| &one.questions))
        .find(|row| row.uses.as_ref().is_some_and(|id| !of_categories.clone().any(|known| known.id == *id)))
    {
        return fault(format!(
            "`uses` names the question `{}`, which no category has",
            row.uses.as_deref().unwrap_or_default()
        ));
    }
    let own = table.subjects.iter().flat_map(|subject| &subject.questions).filter(move |row| !used(row));
    let rows = of_categories.chain(own);
    for row in table.questions.iter().chain(rows.clone()) {
        if row.id.is_empty() || row.id.contains(OTHER_SUFFIX) {
            return fault(format!("`{}` is not an id of a question", row.id));
        }
        if !ids.insert(row.id.as_str()) {
            return fault(format!("the question `{}` appears twice", row.id));
        }
        if row.question.is_empty() {
            return fault(format!("the question `{}` has no text", row.id));
        }
    }
    for row in rows.clone() {
        if row.kind != QuestionKind::FreeText && row.options.is_empty() {
            return fault(format!("the question `{}` has no options", row.id));
        }
        if let Some(when) = &row.when
            && !ids.contains(when.question.as_str())
        {
            return fault(format!("`{}` waits for `{}`, which is never asked", row.id, when.question));
        }
    }
    match table.vocabulary.keys().find(|id| !ids.contains(id.as_str())) {
        Some(unknown) => {
            fault(format!("the vocabulary names the question `{unknown}`, which does not exist"))
        }
        None => Ok(()),
    }
}
