//! How much the subjects of the catalogue bear on a wish: by its words, and by words that mean nearly the same.

use super::catalogue::{Catalogue, CategoryQuestion, Subject};
use super::question::QuestionKind;
use super::words::Words;

/// A subject below this score is not asked about.
const BAR: f32 = 1.0;
/// What a phrase that names a subject counts, and what a word counts that suggests it.
const PHRASE: f32 = 1.0;
const HINT: f32 = 0.5;

/// How much of a wish is looked at, in bytes: what it is about is said at its beginning.
const HEAD: usize = 2_000;

/// The beginning of a wish.
pub(crate) fn head(wish: &str) -> &str {
    &wish[..wish.floor_char_boundary(HEAD)]
}

/// A subject that a wish is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Relevant<'c> {
    pub(crate) subject: &'c Subject,
    score: f32,
    /// Where in the wish it is mentioned first.
    pub(crate) at: usize,
}

/// The subjects that a wish is about, the most relevant first; of equals the one that is mentioned first.
pub(crate) fn subjects<'c>(catalogue: &'c Catalogue, wish: &str) -> Vec<Relevant<'c>> {
    let words = Words::of(wish).without(&catalogue.meaning().not_meant);
    let mut found: Vec<Relevant<'c>> =
        catalogue.subjects().iter().filter_map(|subject| relevance(subject, &words)).collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.at.cmp(&b.at)));
    found
}

/// How relevant a subject is. Each word of the wish counts once: "rate limiting" is not also "limit".
fn relevance<'c>(subject: &'c Subject, words: &Words<'_>) -> Option<Relevant<'c>> {
    let mut taken: Vec<std::ops::Range<usize>> = Vec::new();
    let (mut score, mut at) = (0.0, usize::MAX);
    let mut longest: Vec<(&str, f32)> =
        subject.phrases.iter().map(|phrase| (phrase.as_str(), PHRASE)).collect();
    longest.sort_by_key(|(phrase, _)| std::cmp::Reverse(phrase.len()));
    longest.extend(subject.hints.iter().map(|hint| (hint.as_str(), HINT)));
    for (phrase, points) in longest {
        let Some(span) = words.span(phrase) else { continue };
        if taken.iter().any(|other| span.start < other.end && other.start < span.end) {
            continue;
        }
        at = at.min(span.start);
        score += points;
        taken.push(span);
    }
    // Hints alone suggest; they do not name.
    let named = subject.phrases.iter().any(|phrase| words.has(phrase));
    let enough = if named { BAR } else { 3.0 * HINT };
    (score >= enough).then_some(Relevant { subject, score, at })
}

/// What the wish itself answers to a question of a subject: one value, or several where several may be chosen.
pub(crate) fn said(row: &CategoryQuestion, wish: &str) -> Option<Vec<String>> {
    let words = Words::of(head(wish));
    let said = row.says.iter().filter(|(_, terms)| words.first_of(terms).is_some());
    let values: Vec<String> = said.map(|(value, _)| value.clone()).collect();
    match values.len() {
        0 => None,
        1 => Some(values),
        _ if row.kind == QuestionKind::SingleChoice => None,
        _ => Some(values),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(wish: &str) -> Vec<&'static str> {
        subjects(Catalogue::builtin(), wish).iter().map(|found| found.subject.name.as_str()).collect()
    }

    #[test]
    fn a_wish_finds_its_subject_in_many_words() {
        for (wish, subject) in [
            ("Add rate limiting to our API", "rate limiting"),
            ("Throttle clients that send too many requests", "rate limiting"),
            ("Cache the product list", "caching"),
            ("Send the weekly report in the background", "background jobs"),
            ("Let users upload an avatar", "file upload"),
            ("Add full-text search over articles", "search"),
            ("Notify people when their order ships", "notifications"),
            ("Let customers pay by credit card", "payments"),
            ("Roll out the new editor behind a feature flag", "feature flags"),
            ("Structured logging with a correlation id", "logging and tracing"),
            ("One error response for the whole API", "error handling"),
            ("Add a column for the VAT number and backfill it", "migrations"),
            ("Only admins may delete projects", "permissions"),
            ("Export the orders as CSV", "import and export"),
            ("Translate the shop into German and French", "internationalisation"),
            ("Make the checkout form usable with a screen reader", "accessibility"),
            ("The dashboard has to load faster", "performance budget"),
            ("Deprecate the v1 endpoints", "deprecation"),
        ] {
            assert_eq!(names(wish).first(), Some(&subject), "{wish}: {:?}", names(wish));
        }
    }

    #[test]
    fn a_wish_about_something_else_finds_none() {
        for wish in [
            "Rename the mascot",
            "Add a fox to the footer",
            "Write the guide anew",
            "Add an endpoint for orders",
            "",
        ] {
            assert_eq!(names(wish), [] as [&str; 0], "{wish}");
        }
    }

    #[test]
    fn a_wish_may_say_what_would_be_asked() {
        let row = |id: &str| {
            let rows = Catalogue::builtin().subjects().iter().flat_map(|subject| &subject.questions);
            rows.clone().find(|row| row.id == id).unwrap()
        };
        let wish = "Limit requests per IP, with 429, by e-mail and SMS";
        assert_eq!(said(row("rate_limit_scope"), wish).unwrap(), ["Each IP address"]);
        assert_eq!(said(row("notification_channel"), wish).unwrap(), ["E-mail", "SMS"]);
        assert_eq!(said(row("rate_limit_scope"), "per IP or per user"), None);
        assert_eq!(said(row("rate_limit_store"), "rate limiting"), None);
    }
}
