//! Whether a hub answers what it was asked: what it says is written down on this machine, so nothing else is taken.

use thiserror::Error;

use super::{ClaimAsk, Lease, MAX_FENCE};
use crate::claim::LONGEST_LEASE_S;

/// How an answer is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Astray {
    #[error("it speaks of the repository `{}`, and was asked about another", shown(.0))]
    OtherRepo(String),
    #[error("it gives a claim on `{}`, which nobody asked for", shown(.0))]
    OtherItem(String),
    #[error("it gives the number {0}, and numbers are from 1 to {MAX_FENCE}")]
    Number(u64),
    #[error("it gives a claim for {0} ms, and none is longer than {LONGEST_LEASE_S} seconds")]
    TooLong(u64),
    #[error("it gives a claim that is over")]
    Over,
}

impl Lease {
    /// Whether this answers the question.
    pub fn answers(&self, ask: &ClaimAsk) -> Result<(), Astray> {
        if self.repo != ask.repo {
            return Err(Astray::OtherRepo(self.repo.clone()));
        }
        if !ask.items.contains(&self.item) {
            return Err(Astray::OtherItem(self.item.clone()));
        }
        if !(1..=MAX_FENCE).contains(&self.fence) {
            return Err(Astray::Number(self.fence));
        }
        if self.left_ms > u64::from(LONGEST_LEASE_S) * 1_000 {
            return Err(Astray::TooLong(self.left_ms));
        }
        if self.released { Err(Astray::Over) } else { Ok(()) }
    }
}

/// Words of somebody who may mean no good, short and without what a terminal would obey.
fn shown(text: &str) -> String {
    text.chars().take(80).collect::<String>().escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::claim::{Claims, Holder, Moment};

    fn ask() -> ClaimAsk {
        ClaimAsk {
            repo: "shop".to_owned(),
            items: vec!["accounts".to_owned(), "change:by-mail".to_owned()],
            lease_s: 600,
            session: "s".to_owned(),
            worktree: "w".to_owned(),
            branch: None,
            after: 7,
        }
    }

    fn lease() -> Lease {
        Lease {
            repo: "shop".to_owned(),
            item: "change:by-mail".to_owned(),
            fence: 8,
            principal: "ann".to_owned(),
            session: "s".to_owned(),
            worktree: "w".to_owned(),
            branch: None,
            left_ms: 600_000,
            released: false,
            note: None,
        }
    }

    #[test]
    fn only_what_was_asked_for_is_taken() {
        assert_eq!(lease().answers(&ask()), Ok(()));
        let evil = "../../evil\u{1b}]0;pwned\u{7}".to_owned();
        for (answer, says) in [
            (Lease { repo: "other".to_owned(), ..lease() }, "`other`"),
            (Lease { item: evil, ..lease() }, r"`../../evil\u{1b}]0;pwned\u{7}`, which nobody asked for"),
            (Lease { fence: 0, ..lease() }, "the number 0,"),
            (Lease { fence: u64::MAX, ..lease() }, "the number 18446744073709551615,"),
            (Lease { fence: MAX_FENCE + 1, ..lease() }, "numbers are from 1 to"),
            (Lease { left_ms: u64::MAX, ..lease() }, "none is longer than 3600 seconds"),
            (Lease { released: true, ..lease() }, "that is over"),
        ] {
            let told = answer.answers(&ask()).unwrap_err().to_string();
            assert!(told.contains(says), "{told}");
        }
    }

    proptest! {
        /// Whatever number is taken, the file that it is written to is read again, and has room for those to come.
        #[test]
        fn a_number_that_is_taken_can_be_kept(fence in prop_oneof![any::<u64>(), 0..=MAX_FENCE + 1]) {
            if (Lease { fence, ..lease() }).answers(&ask()).is_ok() {
                let now = Moment { wall: jiff::Timestamp::UNIX_EPOCH, steady: None };
                let mut claims = Claims { last: fence - 1, ..Claims::default() };
                claims.take("change:by-mail", Holder::default(), 600, &now);
                let mut read = Claims::read(claims.render().as_bytes()).unwrap();
                prop_assert!(read.take("accounts", Holder::default(), 600, &now).token > fence);
                prop_assert!(Claims::read(read.render().as_bytes()).is_ok());
            }
        }
    }
}
