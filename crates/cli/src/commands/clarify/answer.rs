//! `hewto clarify answer`: answers from arguments, JSON or a file; what stands in the file wins.

use hewto_engine::decision::Repository;
use serde_json::{Map, Value};

use super::dialog::Dialog;
use super::{Conversation, answer, unreadable_answers};
use crate::failure::Outcome;
use crate::ui::{Format, Ui};
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
    let answers = given(args)?;
    if answers.is_empty() && !is_asked {
        return Err(unreadable_answers("there is no answer").into());
    }
    let turn = answer(repository, &answers)?;
    Conversation { repository, dialog: is_asked.then(Dialog::begin) }.go_on(ui, turn)
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
        Ok(_) => Err(unreadable_answers(format!("{name} is not valid JSON object"))),
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
    fn json_wins_over_pairs_and_has_to_be_an_object() {
        let read = given(&args(&["a=1", "b=2"], Some(r#"{"a": ["x"]}"#))).unwrap();
        assert_eq!(Value::Object(read), json!({"a": ["x"], "b": "2"}));
        for bad in ["", "[]", "{", "5"] {
            assert_eq!(given(&args(&[], Some(bad))).unwrap_err().key.as_str(), "invalid_answer", "{bad}");
        }
    }
}
