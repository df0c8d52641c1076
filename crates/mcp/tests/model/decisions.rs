//! What was decided: the toolset `decisions`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::dice::Dice;
use crate::server::Server;
use crate::state::{Model, text};
use crate::table::Row;

const CATEGORIES: [&str; 6] = ["Frontend", "Backend", "Database", "Authentication", "Infra", "Other"];
/// Decisions, their projection and the current task stand here.
const PLACES: [&str; 2] = ["ws/docs/", "ws/.hewto/clarify/"];

pub(crate) const ROWS: &[Row] = &[
    Row::writes("decision_create", new_decision, |model, asked, said| {
        let category = text(said, "category").to_owned();
        let decided = model.architecture.entry(category).or_default();
        for (field, value) in asked["fields"].as_object().unwrap() {
            decided.insert(field.clone(), value.as_str().unwrap_or_default().to_owned());
        }
        model.decisions.push(text(said, "uid").to_owned());
        vec!["ws/docs/".into()]
    }),
    Row::reads("read_architecture", |model, dice| repo(model, dice, json!({}))),
    Row::writes("require_clarification", interview, |model, asked, said| {
        let session = text(asked, "session_id");
        model.interviews.retain(|(known, _)| known != session);
        if let (Some(session), Some(questions)) = (said["session_id"].as_str(), said.get("questions")) {
            model.interviews.push((session.to_owned(), questions.clone()));
        }
        let made = said["artifacts_created"].as_array().into_iter().flatten();
        for uid in made.filter_map(|made| made["uid"].as_str()) {
            model.decisions.push(uid.to_owned());
            // What was answered is in the words of the catalogue.
            model.architecture.clear();
        }
        PLACES.map(str::to_owned).to_vec()
    }),
];

fn new_decision(model: &Model, dice: &mut Dice<'_>) -> Value {
    let category = if dice.once_in(8) { dice.text() } else { (*dice.pick(&CATEGORIES)).to_owned() };
    let mut fields = BTreeMap::new();
    for _ in 0..=dice.below(2) {
        let field = if dice.once_in(5) {
            dice.text()
        } else {
            (*dice.pick(&["Strategy", "Framework", "Store"])).to_owned()
        };
        fields.insert(field, dice.text());
    }
    let mut asked = json!({ "category": category, "fields": fields, "context": dice.text() });
    if dice.once_in(3) {
        asked["supersedes"] = json!(dice.known(model.decisions.iter(), &model.ids()));
        asked["reason"] = json!(dice.text());
    }
    repo(model, dice, asked)
}

fn repo(model: &Model, dice: &mut Dice<'_>, mut asked: Value) -> Value {
    match dice.below(12) {
        10 => asked["repo_path"] = json!(format!("{}/ws", model.base)),
        11 => asked["repo_path"] = json!(dice.text()),
        _ => {}
    }
    asked
}

fn interview(model: &Model, dice: &mut Dice<'_>) -> Value {
    let wishes =
        ["Add OAuth authentication with Clerk", "Rename a button", "Move everything to Postgres", "日本語"];
    let wish = if dice.once_in(6) { dice.text() } else { (*dice.pick(&wishes)).to_owned() };
    let mut asked = json!({ "user_intention": wish });
    if !model.interviews.is_empty() && !dice.once_in(3) {
        let (session, questions) = dice.pick(&model.interviews);
        asked["session_id"] = json!(session);
        let mut answers = json!({});
        for question in questions.as_array().into_iter().flatten() {
            let options = question["options"].as_array().cloned().unwrap_or_default();
            let answer = if options.is_empty() || dice.once_in(5) {
                json!(dice.text())
            } else {
                dice.pick(&options).clone()
            };
            answers[text(question, "id")] =
                if question["type"] == "multi_choice" { json!([answer]) } else { answer };
        }
        asked["answers"] = answers;
    } else if dice.once_in(8) {
        asked["session_id"] = json!(dice.text());
    }
    if dice.once_in(4) {
        asked["preferences"] = json!({ "force_adr": dice.once_in(2) });
    }
    if dice.once_in(6) {
        asked["questions"] = json!([{ "id": dice.name("Q"), "text": dice.text(), "options": ["yes", "no"], "why": dice.text() }]);
    }
    asked
}

/// What was decided last is what holds.
pub(crate) fn compare(model: &Model, server: &mut Server) {
    let said = server.read("read_architecture", &json!({}));
    let held = &said["architecture"]["categories"];
    for (category, fields) in &model.architecture {
        let values: Vec<String> = held[category]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(_, value)| words(value.as_str().unwrap()))
            .collect();
        for (field, value) in fields {
            assert!(values.contains(&words(value)), "{category}: {field} is not {value:?}: {said}");
        }
    }
}

/// A text without control characters and blanks, which records do not keep.
fn words(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|ch| if ch.is_whitespace() { ' ' } else { ch })
        .filter(|ch| !ch.is_control())
        .collect();
    plain.split_whitespace().collect::<Vec<&str>>().join(" ")
}
