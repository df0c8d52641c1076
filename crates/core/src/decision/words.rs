//! Words and phrases of a sentence: `fix` is in "fix the login", not in "prefix".
//!
//! A phrase written in lower case matches in any case and takes an `s` or `es` at its end; a phrase with capitals
//! (`REST`) matches only as it stands. Between the words of a phrase blanks, `-`, `_` and `/` are alike.

use std::ops::Range;

/// Numbers as people write them out.
const NUMBERS: [&str; 13] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twenty", "fifty",
    "hundred",
];

/// A sentence cut into words.
#[derive(Debug, Clone)]
pub(crate) struct Words<'t> {
    text: &'t str,
    words: Vec<Word>,
}

#[derive(Debug, Clone)]
struct Word {
    span: Range<usize>,
    folded: String,
}

impl<'t> Words<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        let mut words = Vec::new();
        let mut start = None;
        for (at, ch) in text.char_indices().chain([(text.len(), ' ')]) {
            match (ch.is_alphanumeric(), start) {
                (true, None) => start = Some(at),
                (false, Some(from)) => {
                    words.push(Word { span: from..at, folded: text[from..at].to_lowercase() });
                    start = None;
                }
                _ => {}
            }
        }
        Self { text, words }
    }

    /// The same sentence without the words of these phrases, which are known to mean something else.
    pub(crate) fn without(mut self, phrases: &[String]) -> Self {
        for phrase in phrases {
            while let Some(found) = self.find(phrase) {
                self.words.drain(found);
            }
        }
        self
    }

    pub(crate) fn has(&self, phrase: &str) -> bool {
        self.find(phrase).is_some()
    }

    /// The first of these phrases that the sentence has.
    pub(crate) fn first_of<'p>(&self, phrases: &'p [String]) -> Option<&'p str> {
        phrases.iter().map(String::as_str).find(|phrase| self.has(phrase))
    }

    /// Each word in lower case.
    pub(crate) fn folded(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| word.folded.as_str())
    }

    /// Which words of the sentence the phrase is, where it stands first.
    pub(crate) fn span(&self, phrase: &str) -> Option<Range<usize>> {
        self.find(phrase)
    }

    /// A number with a unit, as the sentence has it: `5 MB`, `100 requests a minute`.
    pub(crate) fn amount(&self, units: &[String], between: usize) -> Option<&'t str> {
        let is_unit = |word: &str| units.iter().any(|unit| word == unit || is_plural(word, unit));
        self.words.iter().enumerate().find_map(|(at, number)| {
            let digits = number.folded.trim_start_matches(|ch: char| ch.is_ascii_digit());
            if digits.len() < number.folded.len() && is_unit(digits) {
                return Some(&self.text[number.span.clone()]);
            }
            let is_number = digits.is_empty() || NUMBERS.contains(&number.folded.as_str());
            let mut next = self.words[at + 1..].iter().take(between + 1);
            let unit = next.find(|word| is_unit(&word.folded)).filter(|_| is_number)?;
            Some(&self.text[number.span.start..unit.span.end])
        })
    }

    fn find(&self, phrase: &str) -> Option<Range<usize>> {
        let wanted = Words::of(phrase);
        let count = wanted.words.len();
        if count == 0 {
            return None;
        }
        let exact = phrase.chars().any(char::is_uppercase);
        let matches = |first: usize| {
            (0..count).all(|offset| {
                let here = &self.words[first + offset];
                let wished = &wanted.words[offset];
                let equal = if exact {
                    self.text[here.span.clone()] == phrase[wished.span.clone()]
                } else {
                    here.folded == wished.folded
                        || (offset + 1 == count && is_plural(&here.folded, &wished.folded))
                };
                equal && (offset == 0 || self.joined(first + offset))
            })
        };
        let last = self.words.len().checked_sub(count)?;
        (0..=last).find(|first| matches(*first)).map(|first| first..first + count)
    }

    /// Whether this word follows the one before it in one phrase.
    fn joined(&self, index: usize) -> bool {
        let gap = &self.text[self.words[index - 1].span.end..self.words[index].span.start];
        gap.chars().all(|ch| ch.is_whitespace() || matches!(ch, '-' | '_' | '/'))
    }
}

/// Whether `word` is `stem` with a plural ending.
pub(crate) fn is_plural(word: &str, stem: &str) -> bool {
    matches!(word.strip_prefix(stem), Some("s" | "es"))
}

/// The words of a file path: cut at everything but letters and digits, and where a name changes case.
pub(crate) fn path_words(path: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before: Option<char> = None;
    for ch in path.chars() {
        let begins = match before {
            Some(before) if before.is_alphanumeric() => before.is_lowercase() && ch.is_uppercase(),
            _ => true,
        };
        if ch.is_alphanumeric() {
            if begins {
                words.push(String::new());
            }
            words.last_mut().expect("a word was begun").extend(ch.to_lowercase());
        }
        before = Some(ch);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, phrase: &str) -> bool {
        Words::of(text).has(phrase)
    }

    #[test]
    fn words_end_at_their_boundaries() {
        for (text, phrase) in [
            ("Fix the login", "fix"),
            ("two fixes", "fix"),
            ("many typos!", "typo"),
            ("auth-service", "auth"),
            ("a cross-cutting change", "cross cutting"),
            ("CI/CD", "ci cd"),
            ("a REST api", "REST"),
            ("snake_case_db", "db"),
        ] {
            assert!(check(text, phrase), "{text}: {phrase}");
        }
        for (text, phrase) in [
            ("a prefix", "fix"),
            ("debug output", "bug"),
            ("specific", "ci"),
            ("restore the rest", "REST"),
            ("author page", "auth"),
            ("feedback", "db"),
            ("build guide", "ui"),
            ("config, only later", "config only"),
            ("", "x"),
            ("x", ""),
        ] {
            assert!(!check(text, phrase), "{text}: {phrase}");
        }
    }

    #[test]
    fn phrases_known_to_mean_something_else_do_not_count() {
        let masks = vec!["bug tracker".to_owned()];
        assert!(!Words::of("Add a bug tracker").without(&masks).has("bug"));
        assert!(Words::of("Fix a bug in the bug tracker").without(&masks).has("bug"));
    }

    #[test]
    fn a_path_is_cut_into_the_words_of_its_names() {
        assert_eq!(path_words("src/LoginButton.tsx"), ["src", "login", "button", "tsx"]);
        assert_eq!(path_words("user_session-2/HTTPServer"), ["user", "session", "2", "httpserver"]);
    }
}
