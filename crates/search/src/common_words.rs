//! Words that many titles have in common, such as "Specification": they say nothing about any one of them.

use std::collections::{HashMap, HashSet};

use crate::words::{folded, spelled};

/// With fewer titles than these nothing is usual yet.
const FEW_TITLES: usize = 8;
/// A word is usual when it stands in more than one of so many titles.
const ONE_IN: usize = 4;

/// The words that stand in over a quarter of all titles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommonWords {
    words: HashSet<String>,
}

impl CommonWords {
    pub fn of<'t>(titles: impl IntoIterator<Item = &'t str>) -> Self {
        let mut counts: HashMap<String, usize> = HashMap::new();
        let mut all = 0;
        for title in titles {
            all += 1;
            let own: HashSet<String> = spelled(title).map(|word| folded(word).into_owned()).collect();
            for word in own {
                *counts.entry(word).or_default() += 1;
            }
        }
        if all < FEW_TITLES {
            return Self::default();
        }
        let usual = counts.into_iter().filter(|(_, count)| count * ONE_IN > all).map(|(word, _)| word);
        Self { words: usual.collect() }
    }

    /// A title without the usual words.
    pub fn heading(&self, title: &str) -> String {
        if self.words.is_empty() {
            return title.to_owned();
        }
        let is_usual = |part: &&str| {
            let mut words = spelled(part).peekable();
            words.peek().is_some() && words.all(|word| self.words.contains(folded(word).as_ref()))
        };
        title.split_whitespace().filter(|part| !is_usual(part)).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_over_a_quarter_of_the_titles_say_is_left_out() {
        let titles: Vec<String> =
            ["Refunds", "Cart", "Search", "Orders", "Mail", "Tokens", "Ledger", "Sign-in"]
                .map(|name| format!("{name} Specification"))
                .into();
        let usual = CommonWords::of(titles.iter().map(String::as_str));
        assert_eq!(usual.heading("Refunds Specification"), "Refunds");
        assert_eq!(usual.heading("specification: Sign-in"), "Sign-in");
        assert_eq!(usual.heading("Specification"), "");
    }

    #[test]
    fn few_titles_have_nothing_usual() {
        let usual = CommonWords::of(["A spec", "B spec", "C spec"]);
        assert_eq!(usual.heading("A spec"), "A spec");
    }
}
