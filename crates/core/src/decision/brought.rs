//! Questions that an agent brings along: read with all their faults at once, asked as those of the catalogue are.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::catalogue::{ALLOWLIST, CATEGORY, CRITERIA, Catalogue, DESCRIPTION};
use super::question::{OTHER, OTHER_SUFFIX, Question, QuestionKind};
use super::text::one_line;

/// How many questions one call may bring.
pub const MAX_BROUGHT: usize = 5;
/// How many are looked at for faults.
const MAX_READ: usize = 50;
const MAX_ID: usize = 64;
const MAX_TEXT: usize = 300;
const MAX_OPTIONS: usize = 8;
const MAX_OPTION: usize = 80;
/// Ids that mean something to the interview itself.
const RESERVED: [&str; 4] = [CATEGORY, DESCRIPTION, ALLOWLIST, CRITERIA];
const MEMBERS: [&str; 8] = ["id", "text", "question", "options", "why", "type", "optional", "multiple"];

/// A question of an agent's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brought {
    pub question: Question,
    /// Why it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Why a question cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BroughtFault {
    /// Where in the list, such as `/questions/0/options`.
    pub pointer: String,
    pub message: String,
    /// What to write instead.
    pub expected: String,
}

/// Reads the questions of a call, or tells everything that is wrong with them.
pub fn read(catalogue: &Catalogue, list: &[Value]) -> Result<Vec<Brought>, Vec<BroughtFault>> {
    let mut reader = Reader { catalogue, faults: Vec::new() };
    if list.len() > MAX_BROUGHT {
        let message = format!("{} questions at once are too many for a person", list.len());
        reader.fault("/questions", &message, &format!("at most {MAX_BROUGHT}"));
    }
    let mut questions: Vec<Brought> = Vec::new();
    let mut ids: Vec<String> = Vec::new();
    for (at, entry) in list.iter().take(MAX_READ).enumerate() {
        questions.extend(reader.question(at, entry));
        let Some(id) = entry.get("id").and_then(Value::as_str).map(plain_id).filter(|id| !id.is_empty())
        else {
            continue;
        };
        if ids.contains(&id) {
            let message = format!("the id `{}` appears twice", id.escape_debug());
            reader.fault(&format!("/questions/{at}/id"), &message, "an id of its own for each question");
        } else {
            ids.push(id);
        }
    }
    if reader.faults.is_empty() { Ok(questions) } else { Err(reader.faults) }
}

/// An id as it is kept: `Rate-limit scope` is `rate_limit_scope`.
fn plain_id(id: &str) -> String {
    one_line(id).to_lowercase().replace(['-', ' '], "_")
}

struct Reader<'c> {
    catalogue: &'c Catalogue,
    faults: Vec<BroughtFault>,
}

impl Reader<'_> {
    fn fault(&mut self, pointer: &str, message: &str, expected: &str) {
        self.faults.push(BroughtFault {
            pointer: pointer.to_owned(),
            message: message.to_owned(),
            expected: expected.to_owned(),
        });
    }

    fn question(&mut self, at: usize, entry: &Value) -> Option<Brought> {
        let here = format!("/questions/{at}");
        let Some(object) = entry.as_object() else {
            self.fault(&here, "this is not an object", "{id, text, options, why}");
            return None;
        };
        for name in object.keys().filter(|name| !MEMBERS.contains(&name.as_str())) {
            self.fault(&format!("{here}/{name}"), "a question has no such member", "id, text, options, why");
        }
        let before = self.faults.len();
        let id = self.id(&here, object.get("id"));
        let text = self.line(
            &format!("{here}/text"),
            object.get("text").or_else(|| object.get("question")),
            MAX_TEXT,
        );
        let options = self.options(&format!("{here}/options"), object.get("options"));
        let why = match object.get("why") {
            None | Some(Value::Null) => None,
            Some(why) => self.line(&format!("{here}/why"), Some(why), MAX_TEXT),
        };
        if self.faults.len() > before {
            return None;
        }
        let several = object.get("multiple") == Some(&Value::Bool(true))
            || object.get("type").and_then(Value::as_str) == Some("multi_choice");
        let kind = match options.len() {
            0 => QuestionKind::FreeText,
            _ if several => QuestionKind::MultiChoice,
            _ => QuestionKind::SingleChoice,
        };
        let mut question = Question::of_others(&id?, kind, &text?, options);
        question.optional = object.get("optional") == Some(&Value::Bool(true));
        Some(Brought { question, why })
    }

    fn id(&mut self, here: &str, value: Option<&Value>) -> Option<String> {
        let pointer = format!("{here}/id");
        let id = plain_id(&self.line(&pointer, value, MAX_ID)?);
        let plain = id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        if !plain || id.contains(OTHER_SUFFIX) {
            self.fault(
                &pointer,
                &format!("`{}` is not an id", id.escape_debug()),
                "lower case letters, digits and `_`",
            );
            return None;
        }
        if RESERVED.contains(&id.as_str()) || self.catalogue.question(&id, &[]).is_some() {
            let message = format!("`{id}` is the id of a question that hewto asks itself");
            self.fault(&pointer, &message, "another id");
            return None;
        }
        Some(id)
    }

    /// A text of one line that is not empty.
    fn line(&mut self, pointer: &str, value: Option<&Value>, most: usize) -> Option<String> {
        let expected = format!("text of 1 to {most} characters");
        match value {
            None | Some(Value::Null) => self.fault(pointer, "this is missing", &expected),
            Some(Value::String(text)) => {
                let line = one_line(text);
                if !line.is_empty() && line.chars().count() <= most {
                    return Some(line);
                }
                let message = if line.is_empty() { "this is empty" } else { "this is too long" };
                self.fault(pointer, message, &expected);
            }
            Some(_) => self.fault(pointer, "this is not text", &expected),
        }
        None
    }

    fn options(&mut self, pointer: &str, value: Option<&Value>) -> Vec<String> {
        let expected = format!("2 to {MAX_OPTIONS} different texts, or none for a free answer");
        let list = match value {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::Array(list)) => list,
            Some(_) => {
                self.fault(pointer, "this is not a list", &expected);
                return Vec::new();
            }
        };
        let mut options: Vec<String> = Vec::new();
        for (at, option) in list.iter().enumerate() {
            // What everything else is called is added in any case.
            let Some(text) = self.line(&format!("{pointer}/{at}"), Some(option), MAX_OPTION) else {
                continue;
            };
            if text != OTHER && !options.contains(&text) {
                options.push(text);
            }
        }
        if list.len() > MAX_OPTIONS || options.len() == 1 {
            self.fault(pointer, &format!("{} options cannot be chosen from", options.len()), &expected);
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn run(list: &Value) -> Result<Vec<Brought>, Vec<BroughtFault>> {
        read(Catalogue::builtin(), list.as_array().unwrap())
    }

    #[test]
    fn a_question_has_an_id_a_text_options_and_a_reason() {
        let read = run(&json!([
            {"id": "Burst-Size", "text": "How large may a\nburst be?", "options": ["10", "100", "10"], "why": "the gateway buffers"},
            {"id": "owner", "question": "Who is on call?"},
        ]))
        .unwrap();
        assert_eq!(read[0].question.id, "burst_size");
        assert_eq!(read[0].question.question, "How large may a burst be?");
        assert_eq!(read[0].question.options, ["10", "100", OTHER]);
        assert_eq!(read[0].why.as_deref(), Some("the gateway buffers"));
        assert_eq!(read[1].question.kind, QuestionKind::FreeText);
    }

    #[test]
    fn all_faults_come_at_once_each_with_its_place() {
        let faults = run(&json!([
            {"text": ""},
            "x",
            {"id": "category", "text": "?"},
            {"id": "auth_strategy", "text": "?"},
            {"id": "a", "text": "?", "options": ["one"], "wy": "x"},
        ]))
        .unwrap_err();
        let places: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
        assert_eq!(
            places,
            [
                "/questions/0/id",
                "/questions/0/text",
                "/questions/1",
                "/questions/2/id",
                "/questions/3/id",
                "/questions/4/wy",
                "/questions/4/options"
            ]
        );
    }

    #[test]
    fn too_many_and_twice_the_same_are_refused() {
        let question = |id: &str| json!({"id": id, "text": "?"});
        let many: Vec<Value> = (0..9).map(|at| question(&format!("q{at}"))).collect();
        assert_eq!(run(&json!(many)).unwrap_err()[0].pointer, "/questions");
        assert_eq!(run(&json!([question("a"), question("a")])).unwrap_err()[0].pointer, "/questions/1/id");
    }
}
