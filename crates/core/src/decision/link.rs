//! How a spec or a change says which decision it follows from: a key of its front matter.
//!
//! Only this direction is written down; the graph derives the way back.

use super::uid::Uid;
use crate::document::front_matter::FrontMatter;
use crate::document::opening;

/// The key, whose value is the decision's UID.
pub const DECISION_KEY: &str = "decision";

/// The decision that a `spec.md` or a `proposal.md` names.
pub fn decision_of(text: &str) -> Option<Uid> {
    let block = opening(text).block?;
    decision_in(&FrontMatter::read(text, &block))
}

/// The same, from a front matter that was read already.
pub(crate) fn decision_in(front: &FrontMatter) -> Option<Uid> {
    Uid::parse(front.string(DECISION_KEY)?.trim()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_uid_in_the_front_matter_is_a_link() {
        let uid = "20250108T143512.237Z-A001";
        let read = |text: &str| decision_of(text).map(|uid| uid.to_string());
        assert_eq!(read(&format!("---\ndecision: {uid}\n---\n\n# x\n")).as_deref(), Some(uid));
        assert_eq!(read(&format!("---\r\na: b\r\ndecision: \"{uid}\"\r\n---\r\n")).as_deref(), Some(uid));
        for text in ["", "# x\n", "---\ndecision: later\n---\n", "---\ndecision: [1]\n---\n"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
