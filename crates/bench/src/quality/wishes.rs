//! How well clarification asks: wishes in small repositories, with the questions that should and should not be asked.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use hewto_core::decision::architecture::Snapshot;
use hewto_core::decision::catalogue::{ALLOWLIST, CRITERIA, Catalogue};
use hewto_core::decision::interview::{Facts, Flow, Interview, Step};
use hewto_core::decision::question::{OTHER_SUFFIX, Question};
use hewto_core::decision::sign::Signs;
use hewto_core::decision::signal::signals;
use hewto_core::decision::trigger::AdrPreference;
use hewto_search::Fingerprint;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::set::Half;

/// More turns than an interview may have.
const TURNS: usize = 12;

/// The set, as its file has it.
#[derive(Debug, Deserialize)]
struct Wishes {
    /// By name: paths and texts.
    repositories: BTreeMap<String, BTreeMap<String, String>>,
    wishes: Vec<Wish>,
}

#[derive(Debug, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names of the file")]
struct Wish {
    #[serde(rename = "in")]
    repository: String,
    wish: String,
    /// Questions that should be asked.
    ask: BTreeSet<String>,
    /// Questions that should not.
    not: BTreeSet<String>,
}

impl Wish {
    /// By a hash of the text, so that a new wish moves no old one.
    fn half(&self) -> Half {
        if Fingerprint::of(self.wish.as_bytes()).0.is_multiple_of(2) { Half::Tuned } else { Half::Held }
    }
}

/// What one half comes to.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    wishes: usize,
    asked: usize,
    wanted: usize,
    hits: usize,
    forbidden: usize,
}

/// Asks about every wish of the set and tells of it in Markdown.
pub(super) fn table(folder: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let set: Wishes = serde_json::from_str(&fs_err::read_to_string(folder.join("wishes.json"))?)?;
    let mut out = format!(
        "\n{} wishes in {} repositories\n\n| half | wishes | asked | precision | recall | asked although they should not be |\n\
         |---|---|---|---|---|---|\n",
        set.wishes.len(),
        set.repositories.len()
    );
    for half in [Half::Tuned, Half::Held] {
        let mut tally = Tally::default();
        for wish in set.wishes.iter().filter(|wish| wish.half() == half) {
            let repository = set.repositories.get(&wish.repository).ok_or("a wish in no repository")?;
            let asked = asked(repository, &wish.wish);
            tally.wishes += 1;
            tally.asked += asked.len();
            tally.wanted += wish.ask.len();
            tally.hits += asked.intersection(&wish.ask).count();
            tally.forbidden += asked.intersection(&wish.not).count();
        }
        let share = |part: usize, whole: usize| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
        let _ = writeln!(
            out,
            "| {} | {} | {} | {:.2} | {:.2} | {} |",
            half.as_str(),
            tally.wishes,
            tally.asked,
            share(tally.hits, tally.asked),
            share(tally.hits, tally.wanted),
            tally.forbidden
        );
    }
    Ok(out)
}

/// The ids of all questions of the catalogue that an interview about this wish asks, whoever answers them somehow.
fn asked(repository: &BTreeMap<String, String>, wish: &str) -> BTreeSet<String> {
    let catalogue = Catalogue::builtin();
    let files: Vec<String> = repository.keys().cloned().collect();
    let Ok(interview) = Interview::new(catalogue, wish, None, AdrPreference::ByRule) else {
        return BTreeSet::new();
    };
    let mut interview = interview.talking_to(catalogue, Flow::Agent);
    interview.learn(Signs::builtin().seen(&files, repository));
    let visible: Vec<String> = files.iter().filter(|file| !file.starts_with('.')).cloned().collect();
    let signals = signals(visible.iter().map(String::as_str));
    let architecture = Snapshot::default();
    let facts = Facts { files: &visible, signals: &signals, architecture: &architecture };
    let mut ids = BTreeSet::new();
    for _ in 0..TURNS {
        let Step::Ask(questions) = interview.step(catalogue, &facts) else { break };
        let mut answers = Map::new();
        for question in questions {
            answers.insert(question.id.clone(), some_answer(&question));
            ids.insert(question.id);
        }
        interview.answer(catalogue, &answers);
    }
    ids.retain(|id| id != CRITERIA && id != ALLOWLIST && !id.ends_with(OTHER_SUFFIX));
    ids
}

fn some_answer(question: &Question) -> Value {
    match question.options.first() {
        Some(first) if question.min_selections.is_some() => json!([first]),
        Some(first) => json!(first),
        None => json!("it is done"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/quality"))
    }

    #[test]
    fn every_label_names_a_question_and_both_halves_have_wishes() {
        let text = fs_err::read_to_string(folder().join("wishes.json")).unwrap();
        let set: Wishes = serde_json::from_str(&text).unwrap();
        for wish in &set.wishes {
            for id in wish.ask.union(&wish.not) {
                assert!(Catalogue::builtin().question(id, &[]).is_some(), "{id}");
            }
            assert!(set.repositories.contains_key(&wish.repository), "{}", wish.wish);
        }
        let tuned = set.wishes.iter().filter(|wish| wish.half() == Half::Tuned).count();
        assert!((20..=40).contains(&tuned), "{tuned}");
    }

    #[test]
    fn nothing_is_asked_that_the_repository_answers() {
        let table = table(folder()).unwrap();
        for line in table.lines().filter(|line| line.starts_with("| tuned") || line.starts_with("| held")) {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let (precision, recall): (f64, f64) = (cells[4].parse().unwrap(), cells[5].parse().unwrap());
            // Lower bounds, so that a change of the table is noticed; the figures are in docs/bench.md.
            assert!(precision > 0.6 && recall > 0.6, "{table}");
        }
    }
}
