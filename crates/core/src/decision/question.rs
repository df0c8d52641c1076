//! A question, the ways to answer it, and the companion that "Other (specify)" brings along.

use serde::{Deserialize, Serialize};

/// The last option of every choice; the same bytes in every language.
pub const OTHER: &str = "Other (specify)";
/// What the companion of a choice has behind its id.
pub const OTHER_SUFFIX: &str = "__other";
/// How many questions one session shows at most.
pub const MAX_QUESTIONS: usize = 5;
/// How many questions one turn shows at most.
pub const MAX_PER_TURN: usize = 2;

/// How a question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    SingleChoice,
    MultiChoice,
    FreeText,
}

/// What a free text is good for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextShape {
    /// One line: a value.
    #[default]
    Line,
    /// Any text.
    Text,
    /// Paths, separated by commas or line ends, or a list.
    Paths,
    /// Sentences, separated by commas or line ends, or a list.
    Lines,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    pub id: String,
    pub kind: QuestionKind,
    pub question: String,
    /// What is offered; for a choice the last one is [`OTHER`].
    pub options: Vec<String>,
    pub min_selections: Option<usize>,
    pub max_selections: Option<usize>,
    pub optional: bool,
    pub depends_on: Option<DependsOn>,
    pub shape: TextShape,
    /// Other texts that are accepted, and the option that each stands for.
    pub spellings: Vec<(String, String)>,
}

/// The answer that makes a question appear.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DependsOn {
    pub question_id: String,
    pub value: String,
}

impl QuestionKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SingleChoice => "single_choice",
            Self::MultiChoice => "multi_choice",
            Self::FreeText => "free_text",
        }
    }

    pub(crate) fn is_choice(self) -> bool {
        self != Self::FreeText
    }
}

impl Question {
    pub fn new(id: &str, kind: QuestionKind, question: &str) -> Self {
        Self {
            id: id.to_owned(),
            kind,
            question: question.to_owned(),
            options: Vec::new(),
            min_selections: None,
            max_selections: None,
            optional: false,
            depends_on: None,
            shape: TextShape::default(),
            spellings: Vec::new(),
        }
    }

    /// A question that somebody else brings: a choice among `options`, or free text.
    pub(crate) fn of_others(id: &str, kind: QuestionKind, text: &str, options: Vec<String>) -> Self {
        let mut question = Self::new(id, kind, text);
        if kind.is_choice() {
            question.offer(options);
        } else {
            question.shape = TextShape::Text;
        }
        if kind == QuestionKind::MultiChoice {
            question.min_selections = Some(1);
        }
        question
    }

    /// Sets the options, with [`OTHER`] last.
    pub fn offer(&mut self, mut options: Vec<String>) {
        options.retain(|option| option != OTHER);
        options.push(OTHER.to_owned());
        self.options = options;
    }

    /// The option that a text stands for, in any case.
    pub fn option(&self, text: &str) -> Option<&str> {
        let folded = text.trim().to_lowercase();
        let offered = self.options.iter().find(|option| option.to_lowercase() == folded);
        let spelled = || {
            let known = self.spellings.iter().find(|(spelling, _)| spelling.to_lowercase() == folded);
            known.map(|(_, option)| option)
        };
        offered.or_else(spelled).map(String::as_str)
    }

    /// What the question is about, as a label: "Authentication strategy".
    pub fn label(&self) -> String {
        let text = self.question.trim().trim_end_matches('?').trim_end();
        let bare = ["Which ", "What ", "Select ", "Choose "]
            .iter()
            .find_map(|lead| text.strip_prefix(lead))
            .unwrap_or(text);
        let mut chars = bare.chars();
        match chars.next() {
            Some(first) => first.to_uppercase().chain(chars).collect(),
            None => self.id.clone(),
        }
    }
}

/// The id of the companion.
pub(crate) fn companion_id(id: &str) -> String {
    format!("{id}{OTHER_SUFFIX}")
}

/// The free text that is due once [`OTHER`] is chosen.
pub fn companion_of(parent: &Question) -> Option<Question> {
    if !parent.kind.is_choice() {
        return None;
    }
    let text = format!("{}: please specify", parent.label());
    let mut question = Question::new(&companion_id(&parent.id), QuestionKind::FreeText, &text);
    question.depends_on = Some(DependsOn { question_id: parent.id.clone(), value: OTHER.to_owned() });
    Some(question)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(text: &str) -> Question {
        let mut question = Question::new("q", QuestionKind::SingleChoice, text);
        question.offer(vec!["OAuth".into(), OTHER.into(), "SAML".into()]);
        question.spellings.push(("Open Authorization".into(), "OAuth".into()));
        question
    }

    #[test]
    fn the_way_out_is_always_last_and_there_once() {
        assert_eq!(choice("Which?").options, ["OAuth", "SAML", OTHER]);
    }

    #[test]
    fn options_are_found_in_any_case_and_spelling() {
        let question = choice("Which?");
        assert_eq!(question.option(" oauth "), Some("OAuth"));
        assert_eq!(question.option("open AUTHORIZATION"), Some("OAuth"));
        assert_eq!(question.option("other (SPECIFY)"), Some(OTHER));
        assert_eq!(question.option("ZZZ"), None);
    }

    #[test]
    fn labels_drop_the_question_word() {
        for (text, label) in [
            ("Which authentication strategy?", "Authentication strategy"),
            ("What exactly is to be decided?", "Exactly is to be decided"),
            ("How are pages routed?", "How are pages routed"),
            ("?", "q"),
        ] {
            assert_eq!(choice(text).label(), label);
        }
    }

    #[test]
    fn only_choices_have_a_companion() {
        let companion = companion_of(&choice("Which way?")).unwrap();
        assert_eq!(companion.id, "q__other");
        assert_eq!(companion.depends_on.as_ref().unwrap().value, OTHER);
        assert_eq!(companion_of(&companion), None);
    }
}
