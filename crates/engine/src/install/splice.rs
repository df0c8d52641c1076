//! One edit of a text: between an unchanged beginning and an unchanged end, some text took the place of another.

use serde::{Deserialize, Serialize};

/// An edit that can be taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Splice {
    /// Where it begins, in bytes.
    at: usize,
    removed: String,
    inserted: String,
}

impl Splice {
    /// The edit that makes one text of the other.
    pub(crate) fn between(before: &str, after: &str) -> Self {
        let at = common_prefix(before, after);
        let tail = common_suffix(&before[at..], &after[at..]);
        Self {
            at,
            removed: before[at..before.len() - tail].to_owned(),
            inserted: after[at..after.len() - tail].to_owned(),
        }
    }

    /// The text before the edit, if this is exactly the text after it.
    pub(crate) fn undo_exactly(&self, after: &str) -> Option<String> {
        let rest = after.get(self.at..)?.strip_prefix(self.inserted.as_str())?;
        Some([&after[..self.at], &self.removed, rest].concat())
    }

    /// The text without the edit, wherever it stands now; `None` when it is not there, or more than once.
    pub(crate) fn undo_anywhere(&self, text: &str) -> Option<String> {
        if self.inserted.is_empty() {
            return None;
        }
        let (head, tail) = text.split_once(self.inserted.as_str())?;
        if tail.contains(self.inserted.as_str()) {
            return None;
        }
        Some([head, &self.removed, tail].concat())
    }
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.char_indices().zip(b.chars()).find(|((_, x), y)| x != y).map_or(a.len().min(b.len()), |((at, _), _)| at)
}

fn common_suffix(a: &str, b: &str) -> usize {
    a.chars().rev().zip(b.chars().rev()).take_while(|(x, y)| x == y).map(|(x, _)| x.len_utf8()).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_edit_can_be_taken_back(before in "[aä,\n\r]{0,12}", after in "[aä,\n\r]{0,12}") {
            let splice = Splice::between(&before, &after);
            prop_assert_eq!(splice.undo_exactly(&after), Some(before));
        }

        #[test]
        fn an_insertion_is_found_again_after_other_edits(head in "[a-c\n]{0,9}", tail in "[a-c\n]{0,9}", more in "[a-c]{0,5}") {
            let splice = Splice::between(&format!("{head}{tail}"), &format!("{head}<hewto>{tail}"));
            let edited = format!("{more}{head}<hewto>{tail}{more}");
            prop_assert_eq!(splice.undo_anywhere(&edited), Some(format!("{more}{head}{tail}{more}")));
        }
    }

    #[test]
    fn what_stands_twice_is_not_guessed_at() {
        let splice = Splice::between("ab", "aXb");
        assert_eq!(splice.undo_anywhere("aXbX"), None);
        assert_eq!(splice.undo_anywhere("ab"), None);
        assert_eq!(Splice::between("ab", "b").undo_anywhere("b"), None);
    }
}
