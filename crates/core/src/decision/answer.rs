//! Answers: what a client may send for a question, and what is kept of it.
//!
//! `null` is no answer. Everything else is checked against the question's type, its options and its counts, and is
//! kept in one normal form, so that later steps never look at JSON again.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::question::{OTHER, Question, QuestionKind, TextShape};
use super::text::{MAX_TEXT_BYTES, clean, one_line};

/// Longest value, path or sentence, in characters.
const MAX_LINE_CHARS: usize = 1000;
/// How many paths or sentences one answer has at most.
const MAX_ENTRIES: usize = 1000;

/// An answer that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Answer {
    One(String),
    Many(Vec<String>),
}

/// Why an answer is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnswerFault {
    pub question_id: String,
    /// What would be accepted, in words.
    pub expected: String,
    pub message: String,
    /// The options, where there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

impl Answer {
    pub fn texts(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Many(texts) => texts,
        }
    }

    /// Whether this text was chosen.
    pub fn includes(&self, text: &str) -> bool {
        self.texts().iter().any(|chosen| chosen == text)
    }
}

/// Checks what a client sent; `None` when it is no answer.
pub fn check(question: &Question, value: &Value) -> Result<Option<Answer>, AnswerFault> {
    if value.is_null() {
        return Ok(None);
    }
    let checked = match question.kind {
        QuestionKind::SingleChoice => single_choice(question, value),
        QuestionKind::MultiChoice => multi_choice(question, value),
        QuestionKind::FreeText => free_text(question, value),
    };
    match checked {
        Ok(Some(answer)) => Ok(Some(answer)),
        Ok(None) if question.optional => Ok(None),
        Ok(None) => Err(fault(question, "the answer is empty".to_owned())),
        Err(message) => Err(fault(question, message)),
    }
}

fn fault(question: &Question, message: String) -> AnswerFault {
    let expected = match (question.kind, question.shape) {
        (QuestionKind::SingleChoice, _) => "one of the options".to_owned(),
        (QuestionKind::MultiChoice, _) => match (question.min_selections, question.max_selections) {
            (Some(min), Some(max)) => format!("a list of {min} to {max} of the options"),
            (Some(min), None) => format!("a list of at least {min} of the options"),
            (None, Some(max)) => format!("a list of at most {max} of the options"),
            (None, None) => "a list of options".to_owned(),
        },
        (QuestionKind::FreeText, TextShape::Paths) => {
            "paths inside the repository, comma separated or as a list".into()
        }
        (QuestionKind::FreeText, TextShape::Lines) => {
            "sentences, comma separated, one a line or as a list".into()
        }
        (QuestionKind::FreeText, _) => "text".to_owned(),
    };
    AnswerFault { question_id: question.id.clone(), expected, message, options: question.options.clone() }
}

fn single_choice(question: &Question, value: &Value) -> Result<Option<Answer>, String> {
    let text = match value {
        Value::String(text) => text,
        Value::Array(items) => match items.as_slice() {
            [] => return Ok(None),
            [Value::String(text)] => text,
            _ => return Err("exactly one option can be chosen".to_owned()),
        },
        other => return Err(wrong_type(other)),
    };
    if text.trim().is_empty() {
        return Ok(None);
    }
    known_option(question, text).map(|option| Some(Answer::One(option)))
}

fn multi_choice(question: &Question, value: &Value) -> Result<Option<Answer>, String> {
    let texts: Vec<&str> = match value {
        Value::Array(items) => items.iter().map(text_of).collect::<Result<_, _>>()?,
        // One option may itself contain a comma.
        Value::String(text) if question.option(text).is_some() => vec![text],
        Value::String(text) => text.split(',').collect(),
        other => return Err(wrong_type(other)),
    };
    let mut chosen: Vec<String> = Vec::new();
    for text in texts.into_iter().filter(|text| !text.trim().is_empty()) {
        let option = known_option(question, text)?;
        if !chosen.contains(&option) {
            chosen.push(option);
        }
    }
    if chosen.is_empty() {
        return Ok(None);
    }
    let count = chosen.len();
    if question.min_selections.is_some_and(|min| count < min) {
        return Err(format!("{count} chosen, which is too few"));
    }
    if question.max_selections.is_some_and(|max| count > max) {
        return Err(format!("{count} chosen, which is too many"));
    }
    Ok(Some(Answer::Many(chosen)))
}

fn free_text(question: &Question, value: &Value) -> Result<Option<Answer>, String> {
    let listed = matches!(question.shape, TextShape::Paths | TextShape::Lines);
    let parts: Vec<String> = match value {
        Value::String(text) if question.shape == TextShape::Lines => sentences(text),
        Value::String(text) if listed => text.split([',', '\n', '\r']).map(one_line).collect(),
        Value::String(text) => {
            vec![if question.shape == TextShape::Text { clean(text) } else { one_line(text) }]
        }
        Value::Array(items) if listed => {
            items.iter().map(|item| text_of(item).map(one_line)).collect::<Result<_, _>>()?
        }
        other => return Err(wrong_type(other)),
    };
    if parts.len() > MAX_ENTRIES {
        return Err(format!("{} entries are too many; give at most {MAX_ENTRIES}", parts.len()));
    }
    let mut kept: Vec<String> = Vec::new();
    for part in parts {
        let fits = match question.shape {
            TextShape::Text => part.len() <= MAX_TEXT_BYTES,
            _ => part.chars().count() <= MAX_LINE_CHARS,
        };
        if !fits {
            return Err("it is too long; say it in fewer words".to_owned());
        }
        let part = match question.shape {
            TextShape::Paths => allowed_path(&part)?,
            TextShape::Lines => without_bullet(&part).to_owned(),
            TextShape::Line | TextShape::Text => part,
        };
        if !part.is_empty() && !kept.contains(&part) {
            kept.push(part);
        }
    }
    Ok(match (listed, kept.is_empty()) {
        (_, true) => None,
        (true, false) => Some(Answer::Many(kept)),
        (false, false) => kept.pop().map(Answer::One),
    })
}

/// Sentences between commas and line ends. A condition belongs to what follows it: "when a, b" is one.
fn sentences(text: &str) -> Vec<String> {
    let is_condition = |part: &str| {
        let first = without_bullet(part).split_whitespace().next().unwrap_or_default().to_lowercase();
        ["when", "if", "given", "once", "after", "whenever"].contains(&first.as_str())
    };
    let mut found: Vec<String> = Vec::new();
    for line in text.split(['\n', '\r']) {
        let mut waits = false;
        for part in line.split(',').map(one_line).filter(|part| !part.is_empty()) {
            let condition = is_condition(&part);
            match found.last_mut().filter(|_| waits) {
                Some(last) => *last = format!("{last}, {part}"),
                None => found.push(part),
            }
            waits = condition;
        }
    }
    found
}

fn text_of(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| wrong_type(value))
}

fn wrong_type(value: &Value) -> String {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    format!("{found} cannot answer this question")
}

fn known_option(question: &Question, text: &str) -> Result<String, String> {
    question.option(text).map(str::to_owned).ok_or_else(|| {
        let shown: String = one_line(text).chars().take(80).collect();
        let known: Vec<&str> =
            question.options.iter().map(String::as_str).filter(|known| *known != OTHER).collect();
        let known = known.join(", ");
        format!("`{shown}` is not one of the options ({known}); choose `{OTHER}` to write your own")
    })
}

/// An entry of the allow-list: a path or glob inside the repository that does not open all of it.
fn allowed_path(text: &str) -> Result<String, String> {
    let path = text.strip_prefix("./").unwrap_or(text);
    if path.is_empty() && text.is_empty() {
        return Ok(String::new());
    }
    let leaves = path.starts_with(['/', '~', '\\']) || path.split(['/', '\\']).any(|name| name == "..");
    let drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    if leaves || drive {
        return Err(format!("`{text}` is not a path inside the repository"));
    }
    if path.chars().all(|ch| matches!(ch, '*' | '/' | '.')) && !path.starts_with("...") {
        return Err(format!("`{text}` would allow the whole repository"));
    }
    Ok(path.to_owned())
}

/// A line without the list marker that somebody pasted with it.
fn without_bullet(line: &str) -> &str {
    let item =
        ["- ", "* ", "+ "].iter().find_map(|bullet| line.strip_prefix(bullet)).unwrap_or(line).trim_start();
    item.strip_prefix("[ ] ").unwrap_or(item).trim_start()
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
