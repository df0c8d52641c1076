//! What an intention already says: names of products and techniques, and the category it is about.
//!
//! A name counts only where it stands as a word of its own. Names that are also everyday words ("render") count
//! less unless the sentence uses them as names; nothing is recorded on such a guess.

use std::collections::BTreeMap;

use super::catalogue::{Catalogue, Category, Term};
use super::words::Words;

/// From here on a name counts as said.
const SURE: f32 = 0.9;

/// A name that was found in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Entity {
    /// The question that it answers.
    pub question_id: String,
    pub value: String,
    pub confidence: f32,
}

/// The questions that a text answers beyond doubt, with the values it gives. Two names for one question ("from
/// MySQL to PostgreSQL") leave it open.
pub(crate) fn answered_by(catalogue: &Catalogue, text: &str) -> BTreeMap<String, String> {
    let mut answers: BTreeMap<String, Option<String>> = BTreeMap::new();
    for entity in entities(catalogue, text).into_iter().filter(|entity| entity.confidence >= SURE) {
        let value = entity.value;
        answers
            .entry(entity.question_id)
            .and_modify(|known| {
                if known.as_ref() != Some(&value) {
                    *known = None;
                }
            })
            .or_insert_with(|| Some(value.clone()));
    }
    answers.into_iter().filter_map(|(id, value)| value.map(|value| (id, value))).collect()
}

/// The category that an intention is about: by the first keyword in the order of the table, else by the names in it.
pub fn category<'c>(catalogue: &'c Catalogue, text: &str) -> Option<&'c Category> {
    let words = Words::of(text).without(&catalogue.meaning().not_meant);
    let by_keyword =
        catalogue.categories().iter().find(|category| words.first_of(&category.keywords).is_some());
    by_keyword.or_else(|| dominant(catalogue, text))
}

/// The category that most names belong to.
fn dominant<'c>(catalogue: &'c Catalogue, text: &str) -> Option<&'c Category> {
    let answered = answered_by(catalogue, text);
    let count = |category: &Category| {
        category.questions.iter().filter(|question| answered.contains_key(&question.id)).count()
    };
    // `rev` so that of equals the first one in the table wins.
    let best = catalogue.categories().iter().rev().max_by_key(|category| count(category))?;
    (count(best) > 0).then_some(best)
}

/// All names in a text, longest first where they overlap, in the order in which they stand.
pub(crate) fn entities(catalogue: &Catalogue, text: &str) -> Vec<Entity> {
    let folded = fold(text);
    let mut taken: Vec<(usize, usize)> = Vec::new();
    for phrase in &catalogue.meaning().not_meant {
        taken.extend(occurrences(&folded, phrase));
    }
    let mut found: Vec<(usize, Entity)> = Vec::new();
    for term in catalogue.terms() {
        for (start, end) in occurrences(&folded, &term.text) {
            if taken.iter().any(|(from, to)| start < *to && *from < end) {
                continue;
            }
            taken.push((start, end));
            let confidence = confidence(catalogue, text, &folded, (start, end), term);
            let entity = Entity { question_id: term.question.clone(), value: term.value.clone(), confidence };
            found.push((start, entity));
        }
    }
    found.sort_by_key(|(start, _)| *start);
    found.into_iter().map(|(_, entity)| entity).collect()
}

/// Lower case with the same byte offsets: only ASCII letters change.
fn fold(text: &str) -> String {
    text.to_ascii_lowercase()
}

fn occurrences<'t>(text: &'t str, term: &'t str) -> impl Iterator<Item = (usize, usize)> + 't {
    text.match_indices(term).map(|(at, found)| (at, at + found.len()))
}

fn confidence(
    catalogue: &Catalogue,
    text: &str,
    folded: &str,
    (start, end): (usize, usize),
    term: &Term,
) -> f32 {
    let before = folded[..start].chars().next_back();
    let after = folded[end..].chars().next();
    let bounded = [before, after].iter().filter(|ch| ch.is_none_or(is_boundary)).count();
    match bounded {
        2 if catalogue.meaning().everyday.contains(&term.text)
            && !used_as_name(catalogue, text, folded, (start, end), &term.value) =>
        {
            0.85
        }
        2 => 1.0,
        1 => 0.85,
        _ => 0.7,
    }
}

fn is_boundary(ch: char) -> bool {
    ch.is_whitespace() || ",.:;!?()[]{}\"'`-_/".contains(ch)
}

/// Whether an everyday word stands here as the name it also is.
fn used_as_name(
    catalogue: &Catalogue,
    text: &str,
    folded: &str,
    (start, end): (usize, usize),
    value: &str,
) -> bool {
    let lead = folded[..start].trim_end();
    let last_word = lead.rsplit(|ch: char| !ch.is_alphanumeric()).next().unwrap_or("");
    let introduced = catalogue.meaning().introducers.iter().any(|word| word == last_word);
    let inside_sentence =
        lead.chars().next_back().is_some_and(|ch| !matches!(ch, '.' | '!' | '?' | ':' | '#' | '-' | '*'));
    let written_as_name = value.split_whitespace().any(|part| part == &text[start..end]);
    introduced || (inside_sentence && written_as_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(text: &str) -> Vec<(String, String)> {
        answered_by(Catalogue::builtin(), text).into_iter().collect()
    }

    fn category_of(text: &str) -> Option<&'static str> {
        category(Catalogue::builtin(), text).map(|category| category.name.as_str())
    }

    #[test]
    fn names_are_found_longest_first() {
        for (text, question, value) in [
            ("Add OAuth2 login", "auth_strategy", "OAuth"),
            ("use supabase auth", "auth_library", "Supabase Auth"),
            ("with Next.js", "frontend_framework", "Next.js"),
            ("a RESTful API", "api_style", "REST"),
            ("store it in Mongo DB", "db_type", "MongoDB"),
            ("email & password login", "auth_strategy", "Email/Password"),
            ("tailwindcss please", "styling", "Tailwind CSS"),
            ("(Prisma)", "db_orm", "Prisma"),
            ("react-query", "state_management", "TanStack Query"),
            ("deploy to fly.io", "hosting", "Fly.io"),
        ] {
            assert_eq!(
                answered(text).iter().find(|(id, _)| id == question).map(|(_, value)| value.as_str()),
                Some(value),
                "{text}"
            );
        }
        assert_eq!(answered("supabase auth").len(), 1);
    }

    #[test]
    fn half_a_word_or_an_everyday_word_is_no_answer() {
        for text in [
            "reactive forms",
            "overreact",
            "neoned",
            "Make the list react to resizing",
            "Render the list on the server",
            "how to render a table",
            "show emotion in comments",
            "the desk clerk sees it",
            "passport checks",
        ] {
            assert_eq!(answered(text), [], "{text}");
        }
        for (text, value) in [
            ("host it on render", "Render"),
            ("Deploy with Render today", "Render"),
            ("Add OAuth authentication with Clerk", "Clerk"),
            ("move styles to Emotion", "Emotion"),
        ] {
            assert!(answered(text).iter().any(|(_, known)| known == value), "{text}");
        }
    }

    #[test]
    fn two_names_for_one_question_leave_it_open() {
        assert_eq!(answered("move from MySQL to PostgreSQL"), []);
        assert_eq!(answered("Postgres, that is PostgreSQL")[0].1, "PostgreSQL");
    }

    #[test]
    fn keywords_decide_the_category_in_the_order_of_the_table() {
        for (text, category) in [
            ("Add authentication", Some("Authentication")),
            ("a login page in React", Some("Authentication")),
            ("Move to a database", Some("Database")),
            ("Add a settings component", Some("Frontend")),
            ("Add an endpoint", Some("Backend")),
            ("Deploy it", Some("Infra")),
            ("Add a Redis cache", Some("Infra")),
            ("Use Tailwind", Some("Frontend")),
            ("author page", None),
            ("collect feedback", None),
            ("write the build guide", None),
            ("something else", None),
            ("", None),
        ] {
            assert_eq!(category_of(text), category, "{text}");
        }
    }
}
