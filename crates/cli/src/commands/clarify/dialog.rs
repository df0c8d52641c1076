//! Questions to a person, or to a pipe that has an answer on each line.
//!
//! A choice is answered by number or by text, in any case. A person who mistypes is asked again; a pipe is not,
//! because its next line answers the next question.

use std::fmt::Write;
use std::io::IsTerminal;

use hewto_engine::view::ClarifyQuestion;
use serde_json::{Map, Value};

use super::{interrupt, unreadable_answers};
use crate::failure::Outcome;
use crate::ui::{DIM, HEADING, NAME, Ui, one_line, paint};

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialog {
    Person,
    Pipe,
}

/// What was answered.
#[derive(Debug, Default)]
pub(super) struct Heard {
    pub(super) answers: Map<String, Value>,
    /// Whether the input ended before the questions did.
    pub(super) ended: bool,
}

impl Dialog {
    /// A dialog with whoever is at standard input.
    pub(super) fn begin() -> Self {
        if std::io::stdin().is_terminal() {
            interrupt::watch();
            Self::Person
        } else {
            Self::Pipe
        }
    }

    pub(super) fn is_with_a_person(self) -> bool {
        self == Self::Person
    }

    /// Asks each question, until the input ends.
    pub(super) fn ask(self, ui: &mut Ui, questions: &[ClarifyQuestion]) -> Outcome<Heard> {
        let mut heard = Heard::default();
        for question in questions {
            if !is_due(question, questions, &heard.answers) {
                continue;
            }
            ui.note(shown(question))?;
            match self.answer(ui, question)? {
                Said::Something(value) => drop(heard.answers.insert(question.asked.id.clone(), value)),
                Said::Nothing => {}
                Said::End => {
                    heard.ended = true;
                    break;
                }
            }
        }
        Ok(heard)
    }

    /// The answer to one question.
    fn answer(self, ui: &mut Ui, question: &ClarifyQuestion) -> Outcome<Said> {
        loop {
            let Some(line) = ui.line(&paint(NAME, "> "))? else { return Ok(Said::End) };
            match interpret(question, &line) {
                Ok(said) => return Ok(said),
                Err(message) if self.is_with_a_person() => ui.note(paint(DIM, &message))?,
                Err(message) => {
                    let message = format!("the answer to `{}` is not accepted: {message}", question.asked.id);
                    return Err(unreadable_answers(message).into());
                }
            }
        }
    }
}

/// What a person said to one question.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    Something(Value),
    /// The question may stay open.
    Nothing,
    End,
}

/// Whether a companion's choice was made, here or in an earlier round; other questions are always due.
fn is_due(question: &ClarifyQuestion, all: &[ClarifyQuestion], answers: &Map<String, Value>) -> bool {
    let (Some(parent), Some(value)) = (&question.depends_on_question_id, &question.depends_on_value) else {
        return true;
    };
    match answers.get(parent) {
        Some(Value::Array(chosen)) => chosen.iter().any(|one| one == value),
        Some(chosen) => chosen == value,
        None => !all.iter().any(|other| other.asked.id == *parent),
    }
}

/// Whether a question that is due needs no answer. Whoever chose "Other" has to say what.
fn may_stay_open(question: &ClarifyQuestion) -> bool {
    question.optional && question.depends_on_question_id.is_none()
}

fn interpret(question: &ClarifyQuestion, line: &str) -> Result<Said, String> {
    let line = line.trim();
    if line.is_empty() {
        return if may_stay_open(question) {
            Ok(Said::Nothing)
        } else {
            Err("an answer is needed".to_owned())
        };
    }
    match question.asked.kind.as_str() {
        "single_choice" => option(question, line).map(|option| Said::Something(option.into())),
        "multi_choice" => {
            let mut chosen: Vec<String> = Vec::new();
            for part in line.split(',').filter(|part| !part.trim().is_empty()) {
                let option = option(question, part)?;
                if !chosen.contains(&option) {
                    chosen.push(option);
                }
            }
            let too_few = question.asked.min_selections.filter(|least| chosen.len() < *least);
            let too_many = question.asked.max_selections.filter(|most| chosen.len() > *most);
            match (too_few, too_many) {
                (Some(least), _) => Err(format!("choose at least {least}")),
                (_, Some(most)) => Err(format!("choose at most {most}")),
                (None, None) => Ok(Said::Something(chosen.into())),
            }
        }
        _ => Ok(Said::Something(line.into())),
    }
}

/// The option that somebody means; its text goes before its number.
fn option(question: &ClarifyQuestion, typed: &str) -> Result<String, String> {
    let folded = typed.trim().to_lowercase();
    let by_text = question.asked.options.iter().find(|option| option.to_lowercase() == folded);
    let by_number = || {
        let number: usize = folded.parse().ok()?;
        question.asked.options.get(number.checked_sub(1)?)
    };
    let by_word = || {
        let is_other = |option: &&String| option.to_lowercase().starts_with("other (");
        question.asked.options.iter().find(is_other).filter(|_| folded == "other")
    };
    by_text.or_else(by_number).or_else(by_word).cloned().ok_or_else(|| {
        format!("`{}` is not one of the options; type its number or its text", one_line(typed))
    })
}

fn shown(question: &ClarifyQuestion) -> String {
    let more = match (question.asked.kind.as_str(), may_stay_open(question)) {
        ("multi_choice", true) => " (several, with commas; may stay empty)",
        ("multi_choice", false) => " (several, with commas)",
        (_, true) => " (may stay empty)",
        (_, false) => "",
    };
    let mut out = format!("\n{}{}", paint(HEADING, &one_line(&question.asked.question)), paint(DIM, more));
    for (at, option) in question.asked.options.iter().enumerate() {
        let _ = write!(out, "\n  {} {}", paint(NAME, &format!("{})", at + 1)), one_line(option));
    }
    out
}

#[cfg(test)]
mod tests {
    use hewto_engine::view::Asked;
    use serde_json::json;

    use super::*;

    fn question(kind: &str, options: &[&str]) -> ClarifyQuestion {
        ClarifyQuestion {
            asked: Asked {
                id: "q".to_owned(),
                kind: kind.to_owned(),
                question: "Which?".to_owned(),
                options: options.iter().map(|option| (*option).to_owned()).collect(),
                min_selections: None,
                max_selections: None,
            },
            optional: false,
            depends_on_question_id: None,
            depends_on_value: None,
        }
    }

    #[test]
    fn an_option_is_meant_by_its_text_its_number_or_the_word_other() {
        let question = question("single_choice", &["OAuth", "2", "Other (specify)"]);
        for (typed, meant) in [
            ("oauth ", "OAuth"),
            ("1", "OAuth"),
            ("2", "2"),
            ("3", "Other (specify)"),
            ("Other", "Other (specify)"),
        ] {
            assert_eq!(interpret(&question, typed), Ok(Said::Something(meant.into())), "{typed}");
        }
        for typed in ["", "0", "4", "-1", "SAML", "99999999999999999999"] {
            assert!(interpret(&question, typed).is_err(), "{typed}");
        }
    }

    #[test]
    fn whoever_chose_other_has_to_say_what() {
        let mut companion = ClarifyQuestion {
            optional: true,
            depends_on_question_id: Some("q".to_owned()),
            depends_on_value: Some("Other (specify)".to_owned()),
            ..question("free_text", &[])
        };
        companion.asked.id = "q__other".to_owned();
        assert_eq!(interpret(&companion, " "), Err("an answer is needed".to_owned()));
        assert_eq!(interpret(&companion, "Passkeys"), Ok(Said::Something("Passkeys".into())));
        let all = [question("single_choice", &["Other (specify)"]), companion];
        let chose = |option: &str| Map::from_iter([("q".to_owned(), Value::from(option))]);
        assert!(is_due(&all[1], &all, &chose("Other (specify)")));
        assert!(!is_due(&all[1], &all, &chose("OAuth")) && !is_due(&all[1], &all, &Map::new()));
        // Chosen in an earlier round.
        assert!(is_due(&all[1], &all[1..], &Map::new()));
    }

    #[test]
    fn several_options_are_counted_once_each() {
        let mut question = question("multi_choice", &["Google", "GitHub", "GitLab"]);
        question.asked.max_selections = Some(2);
        let both = Said::Something(json!(["GitHub", "Google"]));
        assert_eq!(interpret(&question, "2, google,,GITHUB"), Ok(both));
        assert_eq!(interpret(&question, "1,2,3"), Err("choose at most 2".to_owned()));
        question.optional = true;
        assert_eq!(interpret(&question, "  "), Ok(Said::Nothing));
    }
}
