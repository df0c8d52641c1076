//! The operators of the languages whose formatters add and take away parentheses.

use super::language::Language;

/// The operators of a language, by how tightly they bind.
pub(super) struct Operators {
    /// Those between two values, loosest first.
    marks: &'static [(u8, &'static str)],
    words: &'static [(u8, &'static str)],
    /// Those that stand before one value.
    prefix_marks: &'static str,
    pub(super) prefix: u8,
    prefix_words: &'static [(u8, &'static str)],
    /// Words that an expression begins behind.
    openers: &'static str,
    /// Levels at which `a · (b · c)` says the same without parentheses.
    pub(super) associative: &'static [u8],
    /// Levels at which `(a · b) · c` does not.
    pub(super) unlike_left: &'static [u8],
}

const JAVASCRIPT: Operators = Operators {
    marks: &[
        (2, ">>>= **= <<= >>= &&= ||= ??= => += -= *= /= %= &= |= ^= ="),
        (3, "? :"),
        (4, "|| ??"),
        (5, "&&"),
        (6, "|"),
        (7, "^"),
        (8, "&"),
        (9, "=== !== == !="),
        (10, "<= >= < >"),
        (11, ">>> << >>"),
        (12, "+ -"),
        (13, "* / %"),
        (14, "**"),
    ],
    words: &[(10, "in instanceof")],
    prefix_marks: "!~+-",
    prefix: 15,
    prefix_words: &[(15, "typeof void delete await")],
    openers: "return yield throw case else of",
    associative: &[4, 5],
    unlike_left: &[2, 3, 14, 15],
};

const PYTHON: Operators = Operators {
    marks: &[
        (6, "== != <= >= < >"),
        (7, "|"),
        (8, "^"),
        (9, "&"),
        (10, "<< >>"),
        (11, "+ -"),
        (12, "// * @ / %"),
        (14, "**"),
    ],
    words: &[(2, "if else"), (3, "or"), (4, "and"), (6, "in is not")],
    prefix_marks: "+-~",
    prefix: 13,
    prefix_words: &[(5, "not"), (15, "await")],
    openers: "return while elif assert yield del for with raise case match from import",
    associative: &[3, 4],
    unlike_left: &[2, 5, 6, 14],
};

impl Operators {
    pub(super) fn of(language: &Language) -> Option<&'static Self> {
        match language.name {
            "javascript" => Some(&JAVASCRIPT),
            "python" => Some(&PYTHON),
            _ => None,
        }
    }

    /// The longest operator of those that `is_there` knows of.
    pub(super) fn longest(&self, is_there: impl Fn(&str) -> bool) -> Option<(&'static str, u8)> {
        let all =
            self.marks.iter().flat_map(|(level, marks)| marks.split(' ').map(move |mark| (mark, *level)));
        all.filter(|(mark, _)| is_there(mark)).max_by_key(|(mark, _)| mark.len())
    }

    pub(super) fn mark(&self, mark: &str) -> Option<u8> {
        among(self.marks, mark)
    }

    pub(super) fn word(&self, word: &str) -> Option<u8> {
        among(self.words, word)
    }

    pub(super) fn prefix_word(&self, word: &str) -> Option<u8> {
        among(self.prefix_words, word)
    }

    pub(super) fn is_prefix(&self, mark: u8) -> bool {
        self.prefix_marks.as_bytes().contains(&mark)
    }

    pub(super) fn opens(&self, word: &str) -> bool {
        self.openers.split(' ').any(|known| known == word)
    }
}

fn among(levels: &[(u8, &str)], name: &str) -> Option<u8> {
    levels.iter().find(|(_, names)| names.split(' ').any(|known| known == name)).map(|(level, _)| *level)
}
