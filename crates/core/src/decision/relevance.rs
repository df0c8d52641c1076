//! How much the subjects of the catalogue bear on a wish: by its words, and by words that mean nearly the same.

use std::ops::Range;

use super::catalogue::{Catalogue, CategoryQuestion, Subject};
use super::question::QuestionKind;
use super::words::Words;

/// A subject below this score is not asked about.
const BAR: f32 = 1.0;
/// What a phrase that names a subject counts, and what a word counts that suggests it.
const PHRASE: f32 = 1.0;
const HINT: f32 = 0.5;
/// How many words may stand between two that name a subject together.
const NEAR: usize = 8;
/// How many words may stand between a number and its unit: "100 requests a minute".
const NEAR_UNIT: usize = 3;

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
    let mut taken: Vec<Range<usize>> = Vec::new();
    let (mut score, mut at) = (0.0, usize::MAX);
    let mut longest: Vec<(&str, f32)> =
        subject.phrases.iter().map(|phrase| (phrase.as_str(), PHRASE)).collect();
    longest.sort_by_key(|(phrase, _)| std::cmp::Reverse(phrase.len()));
    let mut count = |spans: &[Range<usize>], points: f32| {
        let is_free = |span: &Range<usize>| taken.iter().all(|other| are_apart(span, other));
        let counts = !spans.is_empty() && spans.iter().all(is_free);
        if counts {
            score += points;
            at = spans.iter().map(|span| span.start).fold(at, usize::min);
            taken.extend_from_slice(spans);
        }
        counts
    };
    for (phrase, points) in longest {
        count(words.span(phrase).as_slice(), points);
    }
    // Hints alone suggest; they do not name.
    let mut named = subject.phrases.iter().any(|phrase| words.has(phrase));
    for (one, other) in &subject.together {
        named |= together(one, other, words).is_some_and(|pair| count(&pair, PHRASE));
    }
    for hint in &subject.hints {
        count(words.span(hint).as_slice(), HINT);
    }
    let enough = if named { BAR } else { 3.0 * HINT };
    (score >= enough).then_some(Relevant { subject, score, at })
}

/// A phrase of each list, where they stand near each other.
fn together(one: &[String], other: &[String], words: &Words<'_>) -> Option<[Range<usize>; 2]> {
    let others: Vec<Range<usize>> = other.iter().filter_map(|phrase| words.span(phrase)).collect();
    one.iter().filter_map(|phrase| words.span(phrase)).find_map(|span| {
        let near = others.iter().find(|other| {
            let between = span.start.max(other.start).saturating_sub(span.end.min(other.end));
            are_apart(&span, other) && between <= NEAR
        })?;
        Some([span, near.clone()])
    })
}

fn are_apart(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.end <= other.start || other.end <= one.start
}

/// What the wish itself answers to a question of a subject: one value, or several where several may be chosen.
pub(crate) fn said(row: &CategoryQuestion, wish: &str) -> Option<Vec<String>> {
    let words = Words::of(head(wish));
    let said = row.says.iter().filter(|(_, terms)| words.first_of(terms).is_some());
    let values: Vec<String> = said.map(|(value, _)| value.clone()).collect();
    match values.len() {
        0 => words.amount(&row.amounts, NEAR_UNIT).map(|amount| vec![amount.to_owned()]),
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
            // By two words that name it together.
            ("Limit how many calls a client may make", "rate limiting"),
            ("Keep exchange rates in memory for an hour", "caching"),
            ("Generate the report later, not while somebody waits", "background jobs"),
            ("Customers attach photos to their reviews", "file upload"),
            ("Find products by name", "search"),
            ("Users get an e-mail when their order ships", "notifications"),
            ("Sell yearly subscriptions", "payments"),
            ("Turn the new editor on for 10 percent of users", "feature flags"),
            ("Record who made which changes", "logging and tracing"),
            ("Show a friendly page when something breaks", "error handling"),
            ("Migrate the users table to two names", "migrations"),
            ("Admins may delete comments, moderators hide them", "permissions"),
            ("Download all bookings as JSON", "import and export"),
            ("People who are blind should be able to book", "accessibility"),
            ("Make the homepage load under one second", "performance budget"),
            ("Remove the v1 API next quarter", "deprecation"),
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
            "Add a table of contents",
            "Show only three items in the sidebar",
            "Add a confirmation dialog before deleting",
            "Let users reorder their lists",
            "Store the theme in local storage",
            "Record a demo video",
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
        for (id, wish, value) in [
            ("rate_limit_amount", "Allow 100 requests a minute", "100 requests a minute"),
            ("rate_limit_amount", "10/second for each key", "10/second"),
            ("upload_limits", "Pictures of up to 5 MB, stored in S3", "5 MB"),
            ("upload_limits", "at most 5MB", "5MB"),
            ("performance_bound", "The page loads within one second", "one second"),
            ("transfer_format", "Export invoices as CSV and PDF", "CSV, PDF"),
        ] {
            assert_eq!(said(row(id), wish).map(|values| values.join(", ")).as_deref(), Some(value), "{wish}");
        }
        assert_eq!(said(row("upload_limits"), "Upload 3 pictures"), None);
    }
}
