//! The piece of an entry that shows why it was found, with the words that match marked.

use std::collections::HashSet;
use std::ops::Range;

use crate::language::Language;
use crate::lexical::StoredEntry;
use crate::words::{Form, words};

/// A piece of text with the places in it that match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    pub text: String,
    /// Bytes of `text`, in order, not touching each other.
    pub highlights: Vec<Range<usize>>,
}

/// A snippet and the scenario it was taken from, if it was one.
pub(crate) struct Shown {
    pub(crate) snippet: Snippet,
    pub(crate) scenario: Option<String>,
}

/// A snippet is about this many characters long.
const LENGTH: usize = 240;
const CUT: &str = "…";
/// So many places are looked at for the best window.
const MOST_WINDOWS: usize = 64;

pub(crate) fn show(entry: &StoredEntry, asked: &[String]) -> Shown {
    let asked: HashSet<&str> = asked.iter().map(String::as_str).collect();
    let language = entry.language();
    let mut best = Part::read(&entry.text, None, &asked, language);
    for scenario in &entry.scenarios {
        let part = Part::read(&scenario.text, Some(&scenario.name), &asked, language);
        if part.distinct > best.distinct || best.text.trim().is_empty() {
            best = part;
        }
    }
    if best.text.trim().is_empty() {
        best = Part::read(entry.requirement.as_deref().unwrap_or(&entry.title), None, &asked, language);
    }
    let scenario = best.scenario.map(str::to_owned);
    Shown { snippet: best.snippet(), scenario }
}

struct Part<'t> {
    text: &'t str,
    scenario: Option<&'t str>,
    /// Where asked words stand, and which.
    matches: Vec<(Range<usize>, String)>,
    distinct: usize,
}

impl<'t> Part<'t> {
    fn read(text: &'t str, scenario: Option<&'t str>, asked: &HashSet<&str>, language: Language) -> Self {
        let stems = words(text, language).into_iter().filter(|word| word.form != Form::Whole);
        let matches: Vec<(Range<usize>, String)> = stems
            .filter(|word| asked.contains(word.text.as_str()))
            .map(|word| (word.span, word.text))
            .collect();
        // A scenario's name tells which one is meant, also where its clauses use other words.
        let named =
            scenario.map(|name| words(name, language)).unwrap_or_default().into_iter().map(|word| word.text);
        let named = named.filter(|word| asked.contains(word.as_str()));
        let distinct =
            matches.iter().map(|(_, word)| word.clone()).chain(named).collect::<HashSet<_>>().len();
        Self { text, scenario, matches, distinct }
    }

    /// The window with the most different words in it, the earliest of those.
    fn snippet(&self) -> Snippet {
        let mut best = (0, self.window(0));
        for (span, _) in self.matches.iter().take(MOST_WINDOWS) {
            let window = self.window(span.start);
            let inside = self.matches.iter().filter(|(span, _)| inside(span, &window));
            let distinct = inside.map(|(_, word)| word).collect::<HashSet<_>>().len();
            if distinct > best.0 {
                best = (distinct, window);
            }
        }
        self.cut(best.1)
    }

    /// The window to show when `at` is to be seen: from a little before it, beginning with a word.
    fn window(&self, at: usize) -> Range<usize> {
        let text = self.text;
        let end_of =
            |start: usize| text[start..].char_indices().nth(LENGTH).map_or(text.len(), |(at, _)| start + at);
        if end_of(0) == text.len() || at <= LENGTH / 4 {
            return 0..end_of(0);
        }
        let back = text[..at].char_indices().rev().nth(LENGTH / 4).map_or(0, |(at, _)| at);
        let start = text[back..at].find(char::is_whitespace).map_or(back, |space| back + space);
        let start = at - text[start..at].trim_start().len();
        start..end_of(start)
    }

    fn cut(&self, window: Range<usize>) -> Snippet {
        let mut window = window;
        if window.end < self.text.len() {
            // Not in the middle of a word, unless the word is all there is.
            let piece = &self.text[window.clone()];
            if let Some(space) = piece.rfind(char::is_whitespace).filter(|space| *space > piece.len() / 2) {
                window.end = window.start + space;
            }
        }
        let lead = if window.start > 0 { CUT } else { "" };
        let tail = if window.end < self.text.len() { CUT } else { "" };
        let mut highlights: Vec<Range<usize>> = Vec::new();
        for (span, _) in self.matches.iter().filter(|(span, _)| inside(span, &window)) {
            let shown = span.start - window.start + lead.len()..span.end - window.start + lead.len();
            match highlights.last_mut() {
                Some(last) if shown.start <= last.end => last.end = last.end.max(shown.end),
                _ => highlights.push(shown),
            }
        }
        Snippet { text: format!("{lead}{}{tail}", &self.text[window]), highlights }
    }
}

fn inside(span: &Range<usize>, window: &Range<usize>) -> bool {
    span.start >= window.start && span.end <= window.end
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::document::Scenario;
    use crate::lexical::Asked;

    fn entry(text: &str, scenarios: &[(&str, &str)]) -> StoredEntry {
        StoredEntry {
            document: "spec:a".to_owned(),
            title: "Title".to_owned(),
            heading: "Title".to_owned(),
            requirement: Some("Name".to_owned()),
            text: text.to_owned(),
            scenarios: scenarios
                .iter()
                .map(|(name, text)| Scenario { name: (*name).to_owned(), text: (*text).to_owned() })
                .collect(),
        }
    }

    fn shown(entry: &StoredEntry, query: &str) -> (String, Option<String>) {
        let shown = show(entry, &Asked::parse(query).words);
        let mut marked = shown.snippet.text.clone();
        for highlight in shown.snippet.highlights.iter().rev() {
            marked.insert(highlight.end, ']');
            marked.insert(highlight.start, '[');
        }
        (marked, shown.scenario)
    }

    #[test]
    fn matching_words_are_marked_in_any_form() {
        let entry = entry("Returned parcels are refunded.", &[]);
        assert_eq!(shown(&entry, "return of a parcel").0, "[Returned] [parcels] are refunded.");
    }

    #[test]
    fn the_scenario_that_answers_is_named() {
        let entry =
            entry("Money goes back.", &[("Late", "it is late"), ("Voucher", "the voucher is reissued")]);
        assert_eq!(
            shown(&entry, "voucher reissued"),
            ("the [voucher] is [reissued]".into(), Some("Voucher".into()))
        );
        assert_eq!(shown(&entry, "money"), ("[Money] goes back.".into(), None));
        assert_eq!(shown(&entry, "nothing of this"), ("Money goes back.".into(), None));
    }

    #[test]
    fn a_long_text_is_cut_around_the_matches() {
        let text = format!("{} The needle is here, sharp. {}", "hay ".repeat(200), "straw ".repeat(200));
        let (snippet, _) = shown(&entry(&text, &[]), "sharp needle");
        assert!(snippet.contains("[needle] is here, [sharp]."), "{snippet}");
        assert!(snippet.starts_with('…') && snippet.ends_with('…'), "{snippet}");
        assert!(snippet.chars().count() <= LENGTH + 8, "{snippet}");
    }

    #[test]
    fn an_entry_without_text_shows_its_first_scenario_or_its_name() {
        assert_eq!(shown(&entry("", &[("One", "the first")]), "x"), ("the first".into(), Some("One".into())));
        assert_eq!(shown(&entry(" ", &[]), "x"), ("Name".into(), None));
    }

    proptest! {
        #[test]
        fn any_text_is_cut_on_characters(text in "\\PC{0,600}", clauses in "[a-zé検🚢 ]{0,600}", query in "\\PC{0,30}") {
            let entry = entry(&text, &[("name", &clauses)]);
            let words = Asked::parse(&format!("{query} {}", text.chars().take(40).collect::<String>())).words;
            let shown = show(&entry, &words);
            let mut last = 0;
            for highlight in &shown.snippet.highlights {
                prop_assert!(shown.snippet.text.get(highlight.clone()).is_some_and(|piece| !piece.is_empty()));
                prop_assert!(highlight.start >= last);
                last = highlight.end;
            }
            prop_assert!(shown.snippet.text.chars().count() <= LENGTH + 2);
        }
    }
}
