//! How a spec or a change says which decision it follows from: a key of its front matter.
//!
//! Only this direction is written down; who wants the way back looks for it.

use super::uid::Uid;
use crate::document::front_matter::FrontMatter;
use crate::document::opening;

/// The key, whose value is the decision's UID.
pub const DECISION_KEY: &str = "decision";

/// The decision that a `spec.md` or a `proposal.md` names.
pub fn decision_of(text: &str) -> Option<Uid> {
    let block = opening(text).block?;
    Uid::parse(FrontMatter::read(text, &block).string(DECISION_KEY)?.trim()).ok()
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
