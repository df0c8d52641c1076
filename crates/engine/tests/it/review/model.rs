//! Random verdicts, edits, comments and claims against a small model: a build goes on exactly while what a person last
//! approved is what is there, and writes by whoever has the last number of a claim are the only ones that count.

use std::collections::{BTreeMap, BTreeSet};

use hewto_engine::Caller;
use hewto_engine::claim::{self, ClaimRequest, Keep};
use proptest::prelude::*;

use super::*;

/// Something that a person, an agent or an editor does to the one change.
#[derive(Debug, Clone)]
enum Act {
    Say(Verdict),
    /// By a channel that is weaker than the gate.
    Mutter,
    /// Another word in one of the documents.
    Word(usize, usize),
    /// Blank lines, ticks and notes.
    Idle(usize),
    Comment,
    Settle(usize),
    Claim(usize),
    Release(usize),
    Write(usize),
}

const WORDS: [&str; 3] = ["link", "code", "letter"];
const FILES: [&str; 3] =
    ["changes/mail/proposal.md", "changes/mail/tasks.md", "changes/mail/specs/accounts/spec.md"];

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let verdict = prop::sample::select(vec![Verdict::Approved, Verdict::ChangesRequested, Verdict::Rejected]);
    let act = prop_oneof![
        4 => verdict.prop_map(Act::Say),
        1 => Just(Act::Mutter),
        4 => (0..FILES.len(), 0..WORDS.len()).prop_map(|(file, word)| Act::Word(file, word)),
        2 => (0..3usize).prop_map(Act::Idle),
        2 => Just(Act::Comment),
        2 => (0..4usize).prop_map(Act::Settle),
        3 => (0..2usize).prop_map(Act::Claim),
        1 => (0..2usize).prop_map(Act::Release),
        3 => (0..2usize).prop_map(Act::Write),
    ];
    proptest::collection::vec(act, 1..20)
}

/// What should be so.
#[derive(Debug, Default)]
struct Model {
    /// Which word stands in each document.
    words: [usize; 3],
    /// What was said last of each text.
    verdicts: BTreeMap<[usize; 3], Verdict>,
    /// Comments, and whether each is settled.
    comments: Vec<(String, bool)>,
    /// Who holds the change.
    holder: Option<usize>,
    /// The last number of each session.
    numbers: [Option<u64>; 2],
    given: BTreeSet<u64>,
}

struct World {
    f: Fixture,
    /// Two agents, each with a session of its own.
    agents: [Context; 2],
    model: Model,
    second: i64,
}

impl World {
    fn new() -> Self {
        let f = gated("terminal");
        with_change(&f);
        let agents = ["a", "b"].map(|name| {
            let caller = Caller {
                session_id: name.to_owned(),
                principal: Some(name.to_owned()),
                ..f.ctx.caller().clone()
            };
            f.ctx.clone().with_caller(caller)
        });
        Self { f, agents, model: Model::default(), second: 0 }
    }

    /// Later than everything before, as a person's clock would be.
    fn later(&mut self) -> Context {
        self.second += 1;
        let at = self.f.ctx.now() + Duration::from_secs(self.second.unsigned_abs());
        self.f.ctx.clone().with_clock(Clock::fixed(at))
    }

    fn act(&mut self, act: &Act) {
        match act {
            Act::Say(verdict) => {
                let ctx = self.later();
                self.say(&ctx, Channel::Terminal, *verdict);
                self.model.verdicts.insert(self.model.words, *verdict);
            }
            Act::Mutter => {
                let ctx = self.later();
                self.say(&ctx, Channel::Elicited, Verdict::Approved);
            }
            Act::Word(file, word) => {
                let text = self.f.read(FILES[*file]);
                let old = WORDS[self.model.words[*file]];
                self.f.write(FILES[*file], text.replace(old, WORDS[*word]));
                self.model.words[*file] = *word;
            }
            Act::Idle(0) => {
                let text = self.f.read(FILES[0]);
                self.f.write(FILES[0], text.replacen("## Why\n", "## Why\n\n", 1));
            }
            Act::Idle(1) => {
                let text = self.f.read(FILES[1]);
                self.f.write(FILES[1], text.replacen("[ ] 1.1", "[x] 1.1", 1));
            }
            Act::Idle(_) => {
                let text = self.f.read(FILES[1]);
                self.f.write(FILES[1], text.replacen(" Table\n", " Table\n  - **Notes:** went well\n", 1));
            }
            Act::Comment => {
                let new = NewComment { text: "Which mail?".to_owned(), anchor: Anchor::default() };
                let by = Reviewer { name: "ana".to_owned(), channel: Channel::Terminal };
                let ctx = self.later();
                let made = review::comment(&self.f.ws, &ctx, "change:mail", &by, &new).unwrap();
                self.model.comments.push((made.id, false));
            }
            Act::Settle(at) => self.settle(*at),
            Act::Claim(who) => self.claim(*who),
            Act::Release(who) => self.release(*who),
            Act::Write(who) => self.write(*who),
        }
        self.compare(act);
    }

    fn say(&self, ctx: &Context, channel: Channel, verdict: Verdict) {
        let shown = seen(&self.f, "change:mail").digest;
        let ballot = Ballot { verdict, shown, note: None, allows: Vec::new() };
        let by = Reviewer { name: "ana".to_owned(), channel };
        review::decide(&self.f.ws, ctx, "change:mail", &by, &ballot).unwrap();
    }

    fn settle(&mut self, at: usize) {
        let by = Reviewer { name: "bob".to_owned(), channel: Channel::Terminal };
        let id = self.model.comments.get(at).map_or("20260101T000000.000Z-0000", |(id, _)| id).to_owned();
        let ctx = self.later();
        let settled = review::resolve(&self.f.ws, &ctx, "change:mail", &by, &id, None);
        assert_eq!(settled.is_ok(), at < self.model.comments.len(), "{settled:?}");
        if let Some(comment) = self.model.comments.get_mut(at) {
            comment.1 = true;
        }
    }

    fn claim(&mut self, who: usize) {
        let request = ClaimRequest { item: Some("change:mail".to_owned()), ..ClaimRequest::default() };
        let given = claim::next(&self.f.ws, &self.agents[who], &request);
        let is_free = self.model.holder.is_none_or(|holder| holder == who);
        assert_eq!(given.is_ok(), is_free, "{given:?}");
        let Ok(view) = given else { return };
        if self.model.holder == Some(who) {
            assert_eq!(Some(view.claim), self.model.numbers[who], "whoever has it keeps the number");
        } else {
            assert!(self.model.given.iter().all(|number| *number < view.claim), "numbers only grow");
            self.model.given.insert(view.claim);
        }
        (self.model.holder, self.model.numbers[who]) = (Some(who), Some(view.claim));
    }

    fn release(&mut self, who: usize) {
        let Some(number) = self.model.numbers[who] else { return };
        let is_held = self.model.holder == Some(who);
        let given_back =
            claim::keep(&self.f.ws, &self.agents[who], number, &Keep { release: true, note: None });
        assert!(given_back.is_ok() || !is_held, "{given_back:?}");
        if is_held {
            self.model.holder = None;
        }
    }

    /// With a number, as a client sends it: only the last one writes.
    fn write(&mut self, who: usize) {
        let Some(number) = self.model.numbers[who] else { return };
        let ctx = self.agents[who].clone().with_claim(Some(number));
        let written = plan::complete_step(&self.f.ws, &ctx, "change:mail", 1, None);
        let is_last = self.model.given.last() == Some(&number);
        match written {
            Ok(_) => assert!(is_last, "an old number wrote"),
            Err(error) => {
                assert_eq!(error.key.as_str(), "claim_lost", "{error}");
                assert!(!is_last || self.model.holder != Some(who), "{error}");
            }
        }
    }

    fn compare(&self, act: &Act) {
        let view = seen(&self.f, "change:mail");
        let said = self.model.verdicts.get(&self.model.words);
        let was_approved = self.model.verdicts.values().any(|verdict| *verdict == Verdict::Approved);
        match said {
            Some(Verdict::Approved) => assert_eq!(view.standing, "approved", "{act:?}"),
            Some(verdict) => assert_eq!(view.standing, verdict.as_str(), "{act:?}"),
            // What had been approved once and then refused is not what somebody would go back to.
            None if was_approved => assert_eq!(view.standing, "stale", "{act:?}"),
            None => {
                assert!(["pending", "stale"].contains(&view.standing.as_str()), "{act:?}: {}", view.standing);
            }
        }
        let started = build::start(
            &self.f.ws,
            &self.f.ctx.clone().with_claim(self.last_number()),
            "change:mail",
            Approval::Given,
        );
        match started {
            Ok(_) => {
                assert_eq!(said, Some(&Verdict::Approved), "{act:?} opened the gate");
                std::fs::remove_file(self.f.path("changes/mail/state.toon")).unwrap();
            }
            Err(error) => {
                let key = error.key.as_str();
                assert!(["approval_pending", "approval_stale"].contains(&key), "{act:?}: {error}");
                assert_ne!(said, Some(&Verdict::Approved), "{act:?}: {error}");
            }
        }
        let open = view.comments.iter().filter(|comment| comment.state == CommentState::Open).count();
        assert_eq!(open, self.model.comments.iter().filter(|(_, settled)| !settled).count(), "{act:?}");
        let held = claim::who(&self.f.ws, &self.f.ctx).unwrap().claims;
        assert_eq!(held.len(), usize::from(self.model.holder.is_some()), "{act:?}");
    }

    fn last_number(&self) -> Option<u64> {
        self.model.holder.and_then(|holder| self.model.numbers[holder])
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_gate_opens_for_what_was_approved_last_and_for_nothing_else(acts in acts()) {
        let mut world = World::new();
        for act in &acts {
            world.act(act);
        }
    }
}
