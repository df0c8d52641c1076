//! From "how will we know it is done?" to a scenario: a sentence becomes WHEN and THEN.

use super::derive;
use super::text::one_line;

/// Longest name of a scenario, in characters.
const MAX_NAME: usize = 60;

/// A scenario that an answer on acceptance comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    pub name: String,
    /// `GIVEN`, `WHEN`, `THEN` or `AND`, each with its text.
    pub steps: Vec<(&'static str, String)>,
}

/// The scenario of a criterion. One that names its own condition ("when …, …", "given … when … then …") is cut there;
/// any other holds once what was wished for is there.
pub fn draft(criterion: &str, wish: &str) -> Option<Draft> {
    let text = one_line(criterion);
    let text = text.trim().trim_end_matches('.').trim_end();
    if text.is_empty() {
        return None;
    }
    let steps = said_in_steps(text).or_else(|| conditional(text)).unwrap_or_else(|| {
        vec![("WHEN", format!("“{}” is done", derive::title(wish))), ("THEN", text.to_owned())]
    });
    let then = steps.iter().find(|(keyword, _)| *keyword == "THEN").map_or(text, |(_, text)| text.as_str());
    Some(Draft { name: name(then), steps })
}

/// Whether somebody said the criterion, rather than hewto for want of one.
pub fn is_own(criterion: &str, title: &str) -> bool {
    criterion != derive::default_criterion(title)
}

/// `Given a, when b, then c and d` in its own words.
fn said_in_steps(text: &str) -> Option<Vec<(&'static str, String)>> {
    let lower = text.to_lowercase();
    // Lower case may have other lengths; then the text is not cut.
    if lower.len() != text.len() {
        return None;
    }
    let then = find_word(&lower, "then", 0)?;
    let when = find_word(&lower[..then], "when", 0)?;
    let given = find_word(&lower[..when], "given", 0);
    if given.is_none() && when != 0 {
        return None;
    }
    let part = |from: usize, to: usize, word: &str| {
        let part = text[from + word.len()..to].trim().trim_end_matches([',', ';', ':']).trim();
        part.trim_start_matches([',', ':']).trim().to_owned()
    };
    let mut steps = Vec::new();
    if let Some(given) = given {
        steps.push(("GIVEN", part(given, when, "given")));
    }
    steps.push(("WHEN", part(when, then, "when")));
    steps.push(("THEN", part(then, text.len(), "then")));
    steps.iter().all(|(_, text)| !text.is_empty()).then_some(steps)
}

/// `When a, b`, `If a, b`, `After a, b`.
fn conditional(text: &str) -> Option<Vec<(&'static str, String)>> {
    let (first, rest) = text.split_once(' ')?;
    if !["when", "if", "once", "after", "whenever"].contains(&first.to_lowercase().as_str()) {
        return None;
    }
    let (condition, outcome) = rest.split_once(", ")?;
    let (condition, outcome) = (condition.trim(), outcome.trim());
    (!condition.is_empty() && !outcome.is_empty())
        .then(|| vec![("WHEN", condition.to_owned()), ("THEN", outcome.to_owned())])
}

fn find_word(text: &str, word: &str, from: usize) -> Option<usize> {
    text[from..].match_indices(word).map(|(at, _)| at + from).find(|at| {
        let before = text[..*at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        [before, after].iter().all(|ch| ch.is_none_or(|ch| !ch.is_alphanumeric()))
    })
}

fn name(then: &str) -> String {
    let mut chars = then.chars();
    let capital: String =
        chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default();
    if capital.chars().count() <= MAX_NAME {
        return capital;
    }
    let cut: String = capital.chars().take(MAX_NAME).collect();
    // At the last word that is whole.
    cut.rsplit_once(' ').map_or(cut.clone(), |(head, _)| head.trim_end_matches([',', ';', ':']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(criterion: &str) -> Vec<(&'static str, String)> {
        draft(criterion, "Add rate limiting").unwrap().steps
    }

    #[test]
    fn a_criterion_with_a_condition_is_cut_there() {
        let when = ("WHEN", "a client sends 101 requests in a minute".to_owned());
        let then = ("THEN", "the last one is answered with 429".to_owned());
        for text in [
            "When a client sends 101 requests in a minute, the last one is answered with 429.",
            "if a client sends 101 requests in a minute, the last one is answered with 429",
            "WHEN a client sends 101 requests in a minute THEN the last one is answered with 429",
        ] {
            assert_eq!(steps(text), [when.clone(), then.clone()], "{text}");
        }
        assert_eq!(
            steps("Given a tenant, when it is over its quota, then it gets 429")[0],
            ("GIVEN", "a tenant".to_owned())
        );
    }

    #[test]
    fn any_other_criterion_holds_once_the_wish_is_done() {
        assert_eq!(
            steps("p95 stays under 200 ms"),
            [
                ("WHEN", "“Add rate limiting” is done".to_owned()),
                ("THEN", "p95 stays under 200 ms".to_owned())
            ]
        );
        assert_eq!(draft(" . ", "x"), None);
    }

    #[test]
    fn a_scenario_is_named_after_its_outcome_in_whole_words() {
        let long = format!("{} end", "word ".repeat(30));
        let name = draft(&long, "x").unwrap().name;
        assert!(name.chars().count() <= MAX_NAME && name.ends_with("word"), "{name}");
        assert_eq!(draft("when a, the İ then", "x").unwrap().steps[0].0, "WHEN");
    }

    #[test]
    fn what_hewto_says_for_want_of_a_criterion_is_nobodys_own() {
        assert!(!is_own(&derive::default_criterion("Title"), "Title"));
        assert!(is_own("p95 under 200 ms", "Title"));
    }
}
