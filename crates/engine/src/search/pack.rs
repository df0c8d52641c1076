//! Packing what should be read into a budget: whole pieces, best first, and the names of what did not fit.

use hewto_core::page::chars_of;

use crate::view::{ContextItem, ContextView};

/// `"left_out":[]` in a view that leaves something out.
const LEFT_OUT_CHARS: usize = 13;

/// As many items as a reply of `budget` characters holds. A large one that does not fit makes room for smaller ones.
pub(super) fn pack(items: Vec<ContextItem>, mode: String, budget: usize) -> ContextView {
    let mut view = ContextView { mode, confidence: 0.99, total: items.len(), ..ContextView::default() };
    let mut left = budget.saturating_sub(chars_of(&view) + LEFT_OUT_CHARS);
    let mut others = Vec::new();
    for item in items {
        let cost = chars_of(&item);
        if cost <= left {
            left -= cost;
            view.items.push(item);
        } else {
            others.push(item.handle);
        }
    }
    for handle in others {
        let cost = chars_of(&handle);
        if cost > left {
            break;
        }
        left -= cost;
        view.left_out.push(handle);
    }
    view
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
            states: Vec::new(),
        }
    }

    #[test]
    fn items_stay_whole_and_in_order_and_the_rest_is_named() {
        let items = vec![item("a", 300), item("big", 9_000), item("c", 300)];
        let view = pack(items, "fused".to_owned(), 2_000);
        let handles: Vec<&str> = view.items.iter().map(|item| item.handle.as_str()).collect();
        assert_eq!((handles, view.total), (vec!["a", "c"], 3));
        assert_eq!(view.left_out, ["big"]);
        assert_eq!(view.items[0], item("a", 300));
    }

    #[test]
    fn a_reply_never_exceeds_its_budget() {
        for budget in (200..4_000).step_by(37) {
            let items = (0..30).map(|n| item(&format!("spec://s{n}#r"), n * 40)).collect();
            let view = pack(items, "fused".to_owned(), budget);
            let chars = serde_json::to_string(&view).unwrap().chars().count();
            assert!(chars <= budget, "{chars} of {budget}");
        }
    }
}
