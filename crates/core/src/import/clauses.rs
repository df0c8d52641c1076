//! Sentences as scenarios: `Given … When … Then …` and EARS (`WHEN`, `WHILE`, `IF`, `WHERE` … `SHALL`).
//!
//! No word is lost: what opens a clause and is no keyword here stays in its text.

use super::model::Scenario;
use super::scan::{bullet, fence};

/// What stands for the trigger of a sentence that has none.
pub(super) const ALWAYS: &str = "at any time";

const MODALS: [&str; 3] = ["shall", "must", "should"];

/// The scenario that a sentence tells.
///
/// A name of its own in front of it (`**Scenario: Name**: Given …`) is the scenario's where none is given.
pub(super) fn scenario(id: Option<String>, mut name: String, text: &str) -> Scenario {
    let (sentence, code) = split_code(text);
    let sentence = unlisted(sentence);
    let told = |sentence: &str| given_when_then(sentence).or_else(|| ears(sentence));
    let behind_name = labelled(&sentence).and_then(|(label, rest)| Some((label, told(rest)?)));
    let mut steps = match behind_name {
        Some((label, steps)) => {
            if name.is_empty() {
                label.clone_into(&mut name);
            }
            steps
        }
        None => told(&sentence).unwrap_or_else(|| always(&sentence)),
    };
    if let Some((_, last)) = steps.last_mut().filter(|_| !code.is_empty()) {
        last.push('\n');
        last.push_str(code);
    }
    Scenario { id, name, steps }
}

/// A name in bold, and what follows it.
fn labelled(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.trim_start().strip_prefix("**")?.split_once("**")?;
    let rest = rest.trim_start_matches([':', ',', '-', '–', '—', ' ', '\n']);
    let name = name.trim().trim_end_matches(':');
    let bare =
        name.get(..9).filter(|label| label.eq_ignore_ascii_case("scenario:")).map(|_| name[9..].trim());
    let name = bare.unwrap_or(name);
    (!name.is_empty() && keyword(name).is_none() && !rest.is_empty()).then_some((name, rest))
}

/// Clauses that stand in a list below their name, each ended as in a sentence.
fn unlisted(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let clause = bullet(line).map(|(_, _, clause)| clause).filter(|clause| {
            clause.split_whitespace().next().is_some_and(|word| keyword(word.trim_matches(MARKS)).is_some())
        });
        if let (Some(_), Some(last)) = (clause, lines.last_mut())
            && !last.trim_end().ends_with([',', ';', ':', '.'])
        {
            last.truncate(last.trim_end().len());
            last.push(',');
        }
        lines.push(clause.unwrap_or(line).to_owned());
    }
    lines.join("\n")
}

/// What may stand around a keyword.
const MARKS: [char; 4] = ['*', '_', ':', ','];

fn keyword(word: &str) -> Option<&'static str> {
    ["GIVEN", "WHEN", "THEN", "AND", "BUT"].into_iter().find(|one| word.eq_ignore_ascii_case(one))
}

/// A text up to its first fence, and the rest of it.
pub(super) fn split_code(text: &str) -> (&str, &str) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if fence(line).is_some() {
            return (text[..at].trim_end(), text[at..].trim_end());
        }
        at += line.len();
    }
    (text, "")
}

/// A sentence without a trigger.
pub(super) fn always(text: &str) -> Vec<(String, String)> {
    vec![step("WHEN", ALWAYS), step("THEN", &one_line(text))]
}

fn step(keyword: &str, text: &str) -> (String, String) {
    (keyword.to_owned(), text.to_owned())
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a text says SHALL or MUST in capitals.
pub(super) fn is_normative(text: &str) -> bool {
    text.split(|ch: char| !ch.is_alphanumeric()).any(|word| matches!(word, "SHALL" | "MUST"))
}

/// Whether a text is an EARS sentence: it says what shall be.
pub(super) fn is_ears(text: &str) -> bool {
    text.split(|ch: char| !ch.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case("shall"))
}

/// `**Given** x, **When** y, **Then** z`, with or without emphasis.
fn given_when_then(text: &str) -> Option<Vec<(String, String)>> {
    let text = one_line(text);
    let is_bold = ["**given**", "**when**", "**then**"].iter().any(|word| text.to_lowercase().contains(word));
    let mut steps: Vec<(String, String)> = Vec::new();
    let mut is_start = true;
    for word in text.split(' ') {
        let bare = word.trim_matches(MARKS);
        let keyword = keyword(bare);
        let opens = match keyword {
            None => false,
            Some(_) if is_bold => word.starts_with("**") || word.starts_with("__"),
            // A plain `and` is a word of the sentence.
            Some("AND" | "BUT") => bare.bytes().all(|byte| byte.is_ascii_uppercase()) && !steps.is_empty(),
            Some(_) => is_start || bare.bytes().all(|byte| byte.is_ascii_uppercase()),
        };
        if let Some(keyword) = keyword.filter(|_| opens) {
            steps.push((keyword.to_owned(), String::new()));
        } else if let Some((_, said)) = steps.last_mut() {
            if !said.is_empty() {
                said.push(' ');
            }
            said.push_str(word);
        } else {
            return None;
        }
        is_start = word.ends_with([',', ';']);
    }
    for (_, said) in &mut steps {
        said.truncate(said.trim_end_matches([',', ';']).len());
    }
    let has = |keyword: &str| steps.iter().any(|(known, said)| known == keyword && !said.is_empty());
    let complete = has("WHEN") && has("THEN") && steps.iter().all(|(_, said)| !said.is_empty());
    // `WHEN x THEN the system SHALL y` is EARS too, and the same steps.
    complete.then_some(steps)
}

/// An EARS sentence: its clauses, then who shall do what.
fn ears(text: &str) -> Option<Vec<(String, String)>> {
    let text = one_line(text);
    let words: Vec<&str> = text.split(' ').collect();
    let bare = |at: usize| words[at].trim_matches(['*', '_', ',', ':']).to_lowercase();
    let opener = |at: usize| matches!(bare(at).as_str(), "when" | "while" | "if" | "where");
    if !opener(0) {
        return None;
    }
    let modal = (0..words.len()).find(|at| MODALS.contains(&bare(*at).as_str()))?;
    let subject = subject(&words, modal)?;
    let mut clauses: Vec<Vec<&str>> = Vec::new();
    for at in 0..subject {
        let is_new = at == 0
            || (opener(at)
                && (words[at - 1].ends_with(',') || words[at].chars().all(|ch| !ch.is_lowercase())));
        match clauses.last_mut() {
            Some(clause) if !is_new => clause.push(words[at]),
            _ => clauses.push(vec![words[at]]),
        }
    }
    let mut steps = Vec::new();
    let last = clauses.len().saturating_sub(1);
    let triggers =
        clauses.iter().position(|clause| clause[0].trim_matches(['*', '_']).eq_ignore_ascii_case("when"));
    for (at, clause) in clauses.iter().enumerate() {
        let word = clause[0].trim_matches(['*', '_', ',']);
        let is_trigger = at == triggers.unwrap_or(last);
        let keyword = match () {
            () if is_trigger => "WHEN",
            () if at < triggers.unwrap_or(last) => "GIVEN",
            () => "AND",
        };
        // `when` is the keyword itself; the others say something of their own.
        let skip = usize::from(is_trigger && word.eq_ignore_ascii_case("when"));
        let mut said = clause[skip..].join(" ");
        if skip == 0 {
            said = format!(
                "{}{}",
                word.to_lowercase(),
                clause[1..].iter().fold(String::new(), |all, word| all + " " + word)
            );
        }
        let said = said.trim_end_matches([',', ';']).to_owned();
        if said.is_empty() {
            return None;
        }
        steps.push((keyword.to_owned(), said));
    }
    let then = words[subject..].join(" ");
    let then = match then.get(..5) {
        Some(start) if start.eq_ignore_ascii_case("then ") => then[5..].to_owned(),
        _ => then,
    };
    steps.push(("THEN".to_owned(), then));
    Some(steps)
}

/// Where the clause begins that holds the modal verb: at `THEN`, behind the last comma, else at the last `the`.
fn subject(words: &[&str], modal: usize) -> Option<usize> {
    let bare = |at: usize| words[at].trim_matches(['*', '_', ',', ':']).to_lowercase();
    let then = (1..modal).rev().find(|at| bare(*at) == "then");
    let comma = (1..modal).rev().find(|at| words[at - 1].ends_with(','));
    let article = (1..modal).rev().find(|at| matches!(bare(*at).as_str(), "the" | "it"));
    then.or(comma).or(article).filter(|at| *at > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        let told = scenario(None, String::new(), text).steps;
        told.iter().map(|(keyword, text)| format!("{keyword} {text}")).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn sentences_become_steps_and_keep_their_words() {
        for (sentence, steps) in [
            (
                "**Given** an album, **When** a photo is dropped, **Then** it is in the album",
                "GIVEN an album | WHEN a photo is dropped | THEN it is in the album",
            ),
            (
                "WHEN a user signs in THEN the system SHALL start a session",
                "WHEN a user signs in | THEN the system SHALL start a session",
            ),
            (
                "WHEN a user signs in, THE System SHALL start a session",
                "WHEN a user signs in | THEN THE System SHALL start a session",
            ),
            (
                "IF the password is wrong THEN the system SHALL refuse",
                "WHEN if the password is wrong | THEN the system SHALL refuse",
            ),
            (
                "WHILE offline, WHEN a note is saved, the app shall queue it",
                "GIVEN while offline | WHEN a note is saved | THEN the app shall queue it",
            ),
            (
                "WHERE dark mode is built in, the app shall follow the system",
                "WHEN where dark mode is built in | THEN the app shall follow the system",
            ),
            ("WHEN a AND b THEN the system SHALL c", "WHEN a | AND b | THEN the system SHALL c"),
            ("The app shall start", "WHEN at any time | THEN The app shall start"),
            ("Given a cat when it sleeps", "WHEN at any time | THEN Given a cat when it sleeps"),
            ("WHEN a THEN it SHALL b\n```\nc:\n  d\n```", "WHEN a | THEN it SHALL b\n```\nc:\n  d\n```"),
            ("WHEN", "WHEN at any time | THEN WHEN"),
            ("**Scenario: Drop**: **Given** a, **When** b, **Then** c", "GIVEN a | WHEN b | THEN c"),
            ("**Drop it** - Given a, when b, then c", "GIVEN a | WHEN b | THEN c"),
            ("**Drop**:\n- Given a\n- When b\n- Then c", "GIVEN a | WHEN b | THEN c"),
            (
                "**Scenario: Drop**\n   * **Given** a\n   * **When** b\n   * **Then** c",
                "GIVEN a | WHEN b | THEN c",
            ),
            ("**Given** a, **When** b, **Then** c\n- and a note", "GIVEN a | WHEN b | THEN c, and a note"),
            ("**Bold** words alone", "WHEN at any time | THEN **Bold** words alone"),
            ("When shall we meet", "WHEN at any time | THEN When shall we meet"),
        ] {
            assert_eq!(told(sentence), steps, "{sentence}");
        }
    }
}
