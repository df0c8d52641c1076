//! A decision as a model reads it from the answers: believed only as far as somebody said it.

use serde_json::Value;

use super::Unusable;
use crate::decision::catalogue::Catalogue;
use crate::decision::interview::Interview;
use crate::decision::text::one_line;
use crate::decision::trigger::Patch;

/// Values that only look like one.
const PLACEHOLDERS: [&str; 10] = [
    "tbd",
    "todo",
    "unknown",
    "n/a",
    "na",
    "none given",
    "not specified",
    "to be defined",
    "to be determined",
    "placeholder",
];

/// The decision in a model's answer; `None` when it declines or when nothing of it is left.
pub fn read_decision(
    catalogue: &Catalogue,
    interview: &Interview,
    answer: &Value,
) -> Result<Option<Patch>, Unusable> {
    let Some(object) = answer.as_object() else {
        return Err(Unusable("it is not an object".to_owned()));
    };
    if object.get("status").and_then(Value::as_str) == Some("insufficient") {
        return Ok(None);
    }
    if !object.contains_key("status") && !object.contains_key("category") {
        return Err(Unusable("there is neither `status` nor `category`".to_owned()));
    }
    let category = object.get("category").and_then(Value::as_str).and_then(|name| catalogue.category(name));
    let Some(category) = category else { return Ok(None) };
    let said = Said::in_interview(catalogue, interview);
    let mut fields: Vec<(String, String)> = Vec::new();
    for (key, value) in entries(object.get("fields")) {
        let value = one_line(value);
        let Some(field) = category.field(key) else { continue };
        if is_placeholder(&value) || !said.includes(catalogue, &value) {
            continue;
        }
        fields.retain(|(known, _)| *known != field);
        fields.push((field, value));
    }
    Ok((!fields.is_empty()).then(|| Patch { category: category.name.clone(), fields }))
}

/// `[{key, value}]`, or an object of keys and values, which some models prefer.
fn entries(fields: Option<&Value>) -> Vec<(&str, &str)> {
    match fields {
        Some(Value::Array(list)) => list
            .iter()
            .filter_map(|entry| Some((entry.get("key")?.as_str()?, entry.get("value")?.as_str()?)))
            .collect(),
        Some(Value::Object(map)) => {
            map.iter().filter_map(|(key, value)| Some((key.as_str(), value.as_str()?))).collect()
        }
        _ => Vec::new(),
    }
}

fn is_placeholder(value: &str) -> bool {
    let bare = value.trim_matches(|ch: char| !ch.is_alphanumeric()).to_lowercase();
    bare.is_empty() || PLACEHOLDERS.contains(&bare.as_str())
}

/// Everything the user said, folded.
struct Said(String);

impl Said {
    fn in_interview(catalogue: &Catalogue, interview: &Interview) -> Self {
        let mut text =
            format!("{}\n{}", interview.intention(), interview.given_context().unwrap_or_default());
        for (_, value) in interview.transcript(catalogue) {
            text.push('\n');
            text.push_str(&value);
        }
        Self(text.to_lowercase())
    }

    /// Whether a value was said, in these words or by another name that the vocabulary knows for it.
    fn includes(&self, catalogue: &Catalogue, value: &str) -> bool {
        let folded = value.to_lowercase();
        let by_another_name = |part: &str| {
            let mut terms = catalogue.terms().iter().filter(|term| term.value.to_lowercase() == part);
            terms.any(|term| self.has(&term.text))
        };
        self.has(&folded) || folded.split(", ").all(|part| self.has(part) || by_another_name(part))
    }

    /// Whether a text stands here as words of its own.
    fn has(&self, text: &str) -> bool {
        let apart = |ch: Option<char>| ch.is_none_or(|ch| !ch.is_alphanumeric());
        let mut places = self.0.match_indices(text);
        places.any(|(at, _)| {
            apart(self.0[..at].chars().next_back()) && apart(self.0[at + text.len()..].chars().next())
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;
    use crate::decision::trigger::AdrPreference;

    fn read(answer: &Value) -> Result<Option<Patch>, Unusable> {
        let catalogue = Catalogue::builtin();
        let mut interview =
            Interview::new(catalogue, "Keep users in Postgres, maybe", None, AdrPreference::ByRule).unwrap();
        let mut answers = Map::new();
        answers.insert("db_orm".into(), json!("Prisma"));
        assert!(interview.answer(catalogue, &answers).is_empty());
        read_decision(catalogue, &interview, answer)
    }

    fn fields(answer: &Value) -> Vec<(String, String)> {
        read(answer).unwrap().map(|patch| patch.fields).unwrap_or_default()
    }

    #[test]
    fn aliases_and_other_shapes_are_understood() {
        let expected =
            vec![("Type".to_owned(), "PostgreSQL".to_owned()), ("ORM".to_owned(), "prisma".to_owned())];
        for answer in [
            json!({"status": "extracted", "category": "DB", "fields": [{"key": "type", "value": "PostgreSQL"}, {"key": "ORM", "value": "prisma"}]}),
            json!({"category": "database", "fields": {"Type": "PostgreSQL", "orm": "prisma"}}),
        ] {
            assert_eq!(fields(&answer), expected);
        }
    }

    #[test]
    fn placeholders_inventions_and_unknown_fields_are_dropped() {
        for value in ["TBD", "to be determined", "N/A", "unknown", "", "CockroachDB", "User", "Post"] {
            let answer = json!({"status": "extracted", "category": "Database", "fields": [{"key": "Type", "value": value}]});
            assert_eq!(read(&answer).unwrap(), None, "{value}");
        }
        let answer = json!({"status": "extracted", "category": "Database", "fields": [{"key": "Colour", "value": "Postgres"}]});
        assert_eq!(read(&answer).unwrap(), None);
    }

    #[test]
    fn declining_is_an_answer_and_noise_is_not() {
        assert_eq!(read(&json!({"status": "insufficient", "reason": "?"})).unwrap(), None);
        assert_eq!(read(&json!({"status": "extracted", "category": "Poetry", "fields": []})).unwrap(), None);
        assert!(read(&json!("hello")).is_err());
        assert!(read(&json!({"answer": 42})).is_err());
    }
}
