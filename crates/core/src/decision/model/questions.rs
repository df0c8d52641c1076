//! Questions as a model writes them, mended where that is safe and dropped where it is not.

use serde_json::Value;

use super::Unusable;
use crate::decision::catalogue::{ALLOWLIST, CATEGORY, CRITERIA, DESCRIPTION};
use crate::decision::question::{MAX_PER_TURN, OTHER_SUFFIX, Question, QuestionKind};
use crate::decision::text::one_line;

const MAX_ID: usize = 64;
const MAX_QUESTION: usize = 300;
const MAX_OPTION: usize = 80;
const MAX_OPTIONS: usize = 8;
/// Ids that mean something to the interview itself.
const RESERVED: [&str; 4] = [CATEGORY, DESCRIPTION, ALLOWLIST, CRITERIA];

/// The questions in a model's answer; none when it has nothing to ask.
pub fn read_questions(answer: &Value, asked: &[String]) -> Result<Vec<Question>, Unusable> {
    let Some(list) = answer.get("questions").and_then(Value::as_array) else {
        return Err(Unusable("there is no list `questions`".to_owned()));
    };
    let mut questions: Vec<Question> = Vec::new();
    for entry in list {
        let Some(question) = read_question(entry) else { continue };
        let known = asked.contains(&question.id) || questions.iter().any(|other| other.id == question.id);
        if !known && questions.len() < MAX_PER_TURN {
            questions.push(question);
        }
    }
    if questions.is_empty() && !list.is_empty() {
        return Err(Unusable("none of its questions is complete".to_owned()));
    }
    Ok(questions)
}

fn read_question(entry: &Value) -> Option<Question> {
    let text =
        |key: &str| entry.get(key).and_then(Value::as_str).map(one_line).filter(|text| !text.is_empty());
    let id = text("id")?.to_lowercase().replace(['-', ' '], "_");
    let plain = id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if !plain || id.len() > MAX_ID || id.contains(OTHER_SUFFIX) || RESERVED.contains(&id.as_str()) {
        return None;
    }
    let mut kind = match text("type")?.as_str() {
        "single_choice" => QuestionKind::SingleChoice,
        "multi_choice" => QuestionKind::MultiChoice,
        "free_text" => QuestionKind::FreeText,
        _ => return None,
    };
    let mut options: Vec<String> = Vec::new();
    for option in entry.get("options").and_then(Value::as_array).into_iter().flatten() {
        let Some(option) = option.as_str().map(one_line) else { continue };
        let is_way_out = option.to_lowercase().starts_with("other");
        if !option.is_empty()
            && option.chars().count() <= MAX_OPTION
            && !is_way_out
            && !options.contains(&option)
        {
            options.push(option);
        }
    }
    options.truncate(MAX_OPTIONS);
    if options.len() < 2 {
        kind = QuestionKind::FreeText;
    }
    let mut question = Question::of_others(&id, kind, &cut(&text("question")?, MAX_QUESTION), options);
    question.optional = entry.get("optional").and_then(Value::as_bool).unwrap_or(false);
    Some(question)
}

fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::decision::question::OTHER;

    fn read(questions: &Value) -> Result<Vec<Question>, Unusable> {
        read_questions(&json!({ "questions": questions, "missing_info": [] }), &["asked".to_owned()])
    }

    #[test]
    fn complete_questions_are_taken_and_get_the_way_out() {
        let questions = read(&json!([
            {"id": "Cache-Store", "type": "single_choice", "question": "Which\nstore?", "options": ["A", "B", "Other"]},
            {"id": "why", "type": "free_text", "question": "Why?", "options": ["x"], "optional": true},
        ]))
        .unwrap();
        assert_eq!(questions[0].id, "cache_store");
        assert_eq!(questions[0].question, "Which store?");
        assert_eq!(questions[0].options, ["A", "B", OTHER]);
        assert!(questions[1].options.is_empty() && questions[1].optional);
    }

    #[test]
    fn too_many_questions_are_cut_to_two() {
        let many: Vec<Value> =
            (0..9).map(|at| json!({"id": format!("q{at}"), "type": "free_text", "question": "?"})).collect();
        assert_eq!(read(&json!(many)).unwrap().len(), 2);
    }

    #[test]
    fn what_is_incomplete_reserved_or_known_is_dropped() {
        let good = json!({"id": "good", "type": "multi_choice", "question": "?", "options": ["only one"]});
        for bad in [
            json!({"type": "free_text", "question": "?"}),
            json!({"id": "a", "question": "?"}),
            json!({"id": "a", "type": "free_text"}),
            json!({"id": "a", "type": "riddle", "question": "?"}),
            json!({"id": "a__other", "type": "free_text", "question": "?"}),
            json!({"id": "category", "type": "free_text", "question": "?"}),
            json!({"id": "asked", "type": "free_text", "question": "?"}),
            json!({"id": "ä", "type": "free_text", "question": "?"}),
            json!({"id": "good", "type": "free_text", "question": "again?"}),
            json!("text"),
        ] {
            let questions = read(&json!([good, bad])).unwrap();
            assert_eq!(questions.len(), 1, "{bad}");
            // A choice of one is no choice.
            assert_eq!(questions[0].kind, QuestionKind::FreeText);
        }
    }

    #[test]
    fn an_answer_without_questions_is_unusable_unless_it_says_so() {
        assert_eq!(read(&json!([])).unwrap(), []);
        assert!(read(&json!([{"id": 5}])).is_err());
        assert!(read_questions(&json!({"text": "hello"}), &[]).is_err());
        assert!(read_questions(&json!("hello"), &[]).is_err());
    }
}
