//! `hewto clarify answer`: answers from arguments, JSON or a file; what stands in the file wins.

use hewto_engine::decision::{self, Repository};
use hewto_engine::view::ClarifyAnswer;
use serde_json::{Map, Value};

use super::dialog::Dialog;
use super::{Conversation, answer, unreadable_answers};
use crate::failure::Outcome;
use crate::place::context;
use crate::ui::{Format, Ui, warn};
use crate::values::Source;

/// Answer questions of the interview that is open
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Answers by question id: id=value; several choices are separated by commas
    #[arg(value_name = "ID=VALUE")]
    answers: Vec<String>,
    /// Answers as a JSON object
    #[arg(long, value_name = "JSON")]
    answers_json: Option<String>,
    /// Answers as a JSON object in this file, or on standard input for `-`
    #[arg(long, value_name = "FILE")]
    answers_file: Option<Source>,
    /// Ask for what is still open
    #[arg(short, long)]
    interactive: bool,
}

pub(super) fn run(ui: &mut Ui, repository: &Repository, args: &Args) -> Outcome {
    let is_asked = args.interactive && ui.format() == Format::Human;
    let mut answers = given(args)?;
    if let Ok(state) = decision::status(repository, &context()) {
        by_number(&mut answers, &state.questions);
        if let Some(remark) = strangers(&answers, &state.questions) {
            warn(&remark);
        }
    }
    if answers.is_empty() && !is_asked {
        return Err(unreadable_answers("there is no answer").into());
    }
    let turn = answer(repository, &answers)?;
    Conversation { repository, dialog: is_asked.then(Dialog::begin) }.go_on(ui, turn)
}

/// Options that were named by their numbers, which a terminal shows beside them.
fn by_number(answers: &mut Map<String, Value>, questions: &[ClarifyAnswer]) {
    for (id, value) in answers.iter_mut() {
        let Some(question) = questions.iter().find(|question| question.id == *id) else { continue };
        let is_option = |text: &str| question.options.iter().any(|option| option.eq_ignore_ascii_case(text));
        let typed = value.as_str().map(str::trim).filter(|typed| !is_option(typed));
        let number = typed.and_then(|typed| typed.parse::<usize>().ok()).and_then(|one| one.checked_sub(1));
        if let Some(option) = number.and_then(|at| question.options.get(at)) {
            *value = option.as_str().into();
        }
    }
}

/// What to say of answers to what was not asked; they are kept, for a question may still come.
fn strangers(answers: &Map<String, Value>, questions: &[ClarifyAnswer]) -> Option<String> {
    // What belongs to a question, such as what "Other" means, begins with its id.
    let is_known = |id: &str| questions.iter().any(|question| id.starts_with(&question.id));
    let early = ["allowlist_paths", "acceptance_criteria"];
    let unknown: Vec<&String> =
        answers.keys().filter(|id| !is_known(id) && !early.contains(&id.as_str())).collect();
    let open =
        questions.iter().filter(|question| !question.answered).map(|question| format!("`{}`", question.id));
    let open = open.collect::<Vec<_>>().join(", ");
    let names = unknown.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
    (!unknown.is_empty()).then(|| format!("nothing asks for {names}; open are {open}"))
}

fn given(args: &Args) -> Result<Map<String, Value>, hewto_engine::Error> {
    let pairs = args.answers.iter().filter_map(|pair| pair.split_once('='));
    let mut answers: Map<String, Value> =
        pairs.map(|(id, value)| (id.trim().to_owned(), value.into())).collect();
    if let Some(json) = &args.answers_json {
        answers.extend(object(json, "`--answers-json`")?);
    }
    if let Some(source) = &args.answers_file {
        let text = source.read().map_err(|error| unreadable_answers(error.full_message()))?;
        answers.extend(object(&text, &source.name())?);
    }
    Ok(answers)
}

fn object(json: &str, name: &str) -> Result<Map<String, Value>, hewto_engine::Error> {
    match serde_json::from_str(json) {
        Ok(Value::Object(answers)) => Ok(answers),
        Ok(_) => Err(unreadable_answers(format!("{name} is not a valid JSON object"))),
        Err(error) => Err(unreadable_answers(format!("{name} is not valid JSON: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn args(pairs: &[&str], json: Option<&str>) -> Args {
        Args {
            answers: pairs.iter().map(|pair| (*pair).to_owned()).collect(),
            answers_json: json.map(str::to_owned),
            answers_file: None,
            interactive: false,
        }
    }

    #[test]
    fn a_pair_is_cut_at_its_first_equals_sign_and_what_is_no_pair_is_ignored() {
        let read = given(&args(&["a=b=c", "stray", "url=https://x/?a,b", "b="], None)).unwrap();
        assert_eq!(Value::Object(read), json!({"a": "b=c", "url": "https://x/?a,b", "b": ""}));
    }

    #[test]
    fn an_option_may_be_named_by_its_number_and_what_nothing_asks_for_is_told() {
        let question = |id: &str, options: &[&str]| ClarifyAnswer {
            id: id.to_owned(),
            answered: false,
            options: options.iter().map(|option| (*option).to_owned()).collect(),
            ..ClarifyAnswer::default()
        };
        let questions = [question("cache", &["Redis", "2", "None"]), question("content", &[])];
        let mut answers = given(&args(&["cache=3", "content=1", "cash=1"], None)).unwrap();
        by_number(&mut answers, &questions);
        assert_eq!(Value::Object(answers.clone()), json!({"cache": "None", "content": "1", "cash": "1"}));
        let remark = strangers(&answers, &questions).unwrap();
        assert_eq!(remark, "nothing asks for `cash`; open are `cache`, `content`");
        answers.remove("cash");
        assert_eq!(strangers(&answers, &questions), None);
        // Its text goes before its number.
        let mut answers = given(&args(&["cache=2"], None)).unwrap();
        by_number(&mut answers, &questions);
        assert_eq!(Value::Object(answers), json!({"cache": "2"}));
    }

    #[test]
    fn json_wins_over_pairs_and_has_to_be_an_object() {
        let read = given(&args(&["a=1", "b=2"], Some(r#"{"a": ["x"]}"#))).unwrap();
        assert_eq!(Value::Object(read), json!({"a": ["x"], "b": "2"}));
        for bad in ["", "[]", "{", "5"] {
            assert_eq!(given(&args(&[], Some(bad))).unwrap_err().key.as_str(), "invalid_answer", "{bad}");
        }
    }
}
