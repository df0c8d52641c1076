//! Packing what should be read into a budget: whole pieces, best first, and the names of what did not fit.

use hewto_core::page::{Room, chars_of};

use crate::view::{ContextItem, ContextView};

/// What has shorter forms takes at most this part of the budget, until everything else that fits is there.
const CROWDS: usize = 3;
/// Notes take at most this part of it.
const NOTES: usize = 4;

/// Something to read, and what to show in its stead where it would crowd out the rest.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) item: ContextItem,
    /// The longest first.
    pub(super) shorter: Vec<Shorter>,
}

/// A part of a text, and how to get the rest.
#[derive(Debug)]
pub(super) struct Shorter {
    pub(super) text: String,
    pub(super) left_out: String,
}

/// What is shown, with its characters, and the fuller forms that it could have.
struct Shown {
    chars: usize,
    item: ContextItem,
    fuller: Vec<(usize, ContextItem)>,
}

/// As many items as a reply of `budget` characters holds, behind what `head` says of them all. A large one that does not
/// fit makes room for smaller ones.
pub(super) fn pack(head: ContextView, pieces: Vec<Piece>, budget: usize) -> ContextView {
    let widest = ContextView { left_out: vec![String::new()], more: head.total, ..head.clone() };
    let mut left = budget.saturating_sub(chars_of(&widest));
    let mut shown = Vec::new();
    let mut others = Vec::new();
    for piece in pieces {
        let mut fuller = piece.forms();
        let last = fuller.len() - 1;
        let fits =
            |form: usize, chars: usize| chars <= if form == last { left } else { left.min(budget / CROWDS) };
        let Some(form) = (0..=last).find(|form| fits(*form, fuller[*form].0)) else {
            others.extend(fuller.pop().map(|(_, item)| item.handle));
            continue;
        };
        fuller.truncate(form + 1);
        if let Some((chars, item)) = fuller.pop() {
            left -= chars;
            shown.push(Shown { chars, item, fuller });
        }
    }
    let mut view = head;
    for handle in others {
        let chars = chars_of(&handle);
        if chars <= left {
            left -= chars;
            view.left_out.push(handle);
        }
    }
    for one in shown {
        let room = left + one.chars;
        let (chars, item) =
            one.fuller.into_iter().find(|(chars, _)| *chars <= room).unwrap_or((one.chars, one.item));
        left = room - chars;
        view.items.push(item);
    }
    view.more = view.total.saturating_sub(view.items.len() + view.left_out.len());
    view
}

impl Piece {
    /// Each form with its characters, the fullest first.
    fn forms(self) -> Vec<(usize, ContextItem)> {
        let Self { item, shorter } = self;
        let short =
            |form: Shorter| ContextItem { text: form.text, left_out: Some(form.left_out), ..item.clone() };
        let shorter: Vec<ContextItem> = shorter.into_iter().map(short).collect();
        std::iter::once(item).chain(shorter).map(|item| (chars_of(&item), item)).collect()
    }
}

/// A note for each of these files, which are not there, and how many more there are if that is too much to say.
pub(super) fn missing(files: &[&str], budget: usize) -> Vec<String> {
    let rest = |files: usize| format!("{files} more files are not there");
    let mut room = Room::strict((budget / NOTES).saturating_sub(chars_of(&rest(files.len()))));
    let notes = files.iter().map(|file| format!("there is no file `{file}`"));
    let mut notes: Vec<String> = notes.take_while(|note| room.takes(note)).collect();
    if notes.len() < files.len() {
        notes.push(rest(files.len() - notes.len()));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(handle: &str, length: usize) -> ContextItem {
        ContextItem {
            kind: "requirement".to_owned(),
            handle: handle.to_owned(),
            title: "T".to_owned(),
            file: "specs/a/spec.md".to_owned(),
            score: 0.5,
            why: "bears on the task".to_owned(),
            text: "ü\n\"".repeat(length / 3),
            left_out: None,
            states: Vec::new(),
        }
    }

    fn piece(handle: &str, length: usize) -> Piece {
        Piece { item: item(handle, length), shorter: Vec::new() }
    }

    fn change(handle: &str, length: usize) -> Piece {
        let shorter = |text: &str| Shorter { text: text.to_owned(), left_out: "get it".to_owned() };
        Piece { item: item(handle, length), shorter: vec![shorter("alters"), shorter("")] }
    }

    fn packed(pieces: Vec<Piece>, budget: usize) -> ContextView {
        let head = ContextView {
            mode: "fused".to_owned(),
            confidence: 0.1234,
            total: pieces.len() + 3,
            notes: missing(&["src/a.rs", "src/b.rs", "src/c.rs"], budget),
            ..ContextView::default()
        };
        pack(head, pieces, budget)
    }

    fn handles(view: &ContextView) -> Vec<&str> {
        view.items.iter().map(|item| item.handle.as_str()).collect()
    }

    #[test]
    fn items_stay_whole_and_in_order_and_the_rest_is_named() {
        let view = packed(vec![piece("a", 300), piece("big", 9_000), piece("c", 300)], 2_000);
        assert_eq!(handles(&view), ["a", "c"]);
        assert_eq!(view.left_out, ["big"]);
        assert_eq!(view.items[0], item("a", 300));
    }

    #[test]
    fn a_reply_never_exceeds_its_budget_and_counts_what_it_does_not_name() {
        for budget in (200..4_000).step_by(37) {
            let pieces = (0..30).map(|n| match n % 3 {
                0 => change(&format!("change:{n}"), n * 90),
                _ => piece(&format!("spec://s{n}#r"), n * 40),
            });
            let view = packed(pieces.collect(), budget);
            let chars = serde_json::to_string(&view).unwrap().chars().count();
            assert!(chars <= budget, "{chars} of {budget}");
            assert_eq!(view.items.len() + view.left_out.len() + view.more, 33);
        }
    }

    #[test]
    fn a_large_change_is_cut_where_it_would_crowd_out_the_rest_and_whole_where_there_is_room() {
        let pieces = |length: usize| vec![change("change:x", length), piece("a", 800), piece("b", 800)];
        let tight = packed(pieces(3_000), 6_000);
        assert_eq!(handles(&tight), ["change:x", "a", "b"]);
        assert_eq!(tight.items[0].text, "alters");
        assert_eq!(tight.items[0].left_out.as_deref(), Some("get it"));
        let roomy = packed(pieces(3_000), 12_000);
        assert_eq!(roomy.items[0], item("change:x", 3_000));
    }

    #[test]
    fn files_that_are_not_there_are_named_or_counted() {
        assert_eq!(missing(&[], 200), [""; 0]);
        assert_eq!(missing(&["a.rs"], 6_000), ["there is no file `a.rs`"]);
        let long = "x/".repeat(60);
        assert_eq!(
            missing(&["a.rs", &long, "b.rs"], 280),
            ["there is no file `a.rs`", "2 more files are not there"]
        );
    }
}
