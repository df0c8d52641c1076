use jiff::Timestamp;
use proptest::prelude::*;

use super::*;
use crate::decision::uid::Uid;
use crate::{plan, tasks};

const TASKS: &str = "# Tasks\n\nUse a link in a mail.\n\n## 1. Work\n\n- [ ] 1.1 Table\n  Holds tokens.\n  - **Notes:** maybe\n  - **Proves:** accounts#sign-in\n- [ ] 1.2 Mail\n  _Requirements: accounts#mail_\n";
const PROPOSAL: &str =
    "# Change: Mail\n\n## Why\n\nPeople forget passwords.\n\n## What Changes\n\n- a link\n";
const DELTA: &str = "## ADDED Requirements\n\n### Requirement: Sign in\nThe system SHALL send a link.\n\n#### Scenario: Fresh\n- **WHEN** asked\n- **THEN** sent\n";

fn change(proposal: &str, delta: &str, tasks: &str) -> Meaning {
    Meaning::of_change("change:mail", Some(proposal), None, [("accounts", delta)], Some(tasks))
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn record(verdict: Verdict, moment: &str, content: Digest) -> Record {
    Record {
        head: Head {
            item: "change:mail".to_owned(),
            by: "ana".to_owned(),
            channel: Channel::Terminal,
            at: at(moment),
            content,
            version: 1,
            form: FORM,
        },
        what: What::Verdict { verdict, allows: Vec::new() },
        text: "fine: \"yes\"\n\n- [x] all".to_owned(),
        mac: Some("00ff".to_owned()),
        signature: None,
    }
}

fn voice(uid: &str, record: Record) -> Voice {
    Voice { uid: Uid::parse(uid).unwrap(), record, proven: Proven::Here }
}

fn demand(content: Digest) -> Demand<'static> {
    Demand {
        item: "change:mail",
        content,
        weakest: Channel::Terminal,
        reviewers: None,
        now: at("2026-02-01T00:00:00Z"),
    }
}

#[test]
fn ticks_notes_and_blank_lines_are_no_part_of_the_meaning() {
    let digest = change(PROPOSAL, DELTA, TASKS).digest();
    let ticked = tasks::edit::complete(TASKS, 0, Some("done at last")).unwrap();
    for same in [
        change(PROPOSAL, DELTA, &ticked),
        change(&PROPOSAL.replace('\n', "\r\n"), DELTA, TASKS),
        change(&PROPOSAL.replace("\n\n", "\n\n\n"), &DELTA.replace("\n\n", " \n\n"), TASKS),
        change(PROPOSAL, &DELTA.replace("SHALL send", "SHALL  send"), &TASKS.replace("Use a", "Use\t a")),
    ] {
        assert_eq!(same.digest(), digest);
    }
}

#[test]
fn one_word_anywhere_is_another_meaning_and_shows_as_one_difference() {
    let before = change(PROPOSAL, DELTA, TASKS);
    for (after, line) in [
        (change(&PROPOSAL.replace("forget", "lose"), DELTA, TASKS), "Proposal, Why: changed"),
        (
            change(PROPOSAL, &DELTA.replace("SHALL", "MUST"), TASKS),
            "accounts, Requirement Sign in (ADDED): changed",
        ),
        (
            change(PROPOSAL, &DELTA.replace("sent", "lost"), TASKS),
            "accounts, Requirement Sign in (ADDED), Scenario Fresh: changed",
        ),
        (change(PROPOSAL, DELTA, &TASKS.replace("a link in", "no link in")), "Approach: changed"),
        (change(PROPOSAL, DELTA, &TASKS.replace("Holds", "Drops")), "Step Table: changed"),
        (change(PROPOSAL, DELTA, &TASKS.replace("#sign-in", "#sign-out")), "Step Table: changed"),
        (change(PROPOSAL, DELTA, &TASKS.replace("#mail_", "#post_")), "Step Mail: changed"),
    ] {
        assert_ne!(after.digest(), before.digest(), "{line}");
        let found = differences(Some(&before), &after);
        let lines: Vec<String> = found.iter().map(Difference::line).collect();
        assert_eq!(lines, [line]);
    }
    let other = Meaning::of_change("change:post", Some(PROPOSAL), None, [("accounts", DELTA)], Some(TASKS));
    assert_ne!(other.digest(), before.digest(), "the same words about another item");
}

#[test]
fn steps_in_another_order_are_told_as_moved() {
    let before = change(PROPOSAL, DELTA, "- [ ] 1.1 A\n- [ ] 1.2 B\n");
    let after = change(PROPOSAL, DELTA, "- [ ] 1.1 B\n- [ ] 1.2 A\n");
    let found = differences(Some(&before), &after);
    assert_eq!(found.iter().map(Difference::line).collect::<Vec<_>>(), ["Step A: moved"]);
}

#[test]
fn a_spec_means_its_words_its_dependencies_and_its_plan() {
    let spec = "---\ntitle: Pay\ndescription: d\ncategory: feature\nstate: draft\nupdated_at: 2026-01-01T00:00:00Z\n---\n# Pay\n\nBody.\n";
    let plan = plan::Plan {
        spec_id: "pay".to_owned(),
        approach: "slowly".to_owned(),
        steps: vec![plan::PlanStep {
            title: "One".to_owned(),
            description: "x".to_owned(),
            ..Default::default()
        }],
        ..Default::default()
    }
    .render();
    let digest = Meaning::of_spec("pay", spec, Some(&plan)).digest();
    let ticked = plan::complete_step(&plan, 0, Some("note"), "2026-01-02T00:00:00Z").unwrap();
    let moved = spec.replace("state: draft", "state: active").replace("2026-01-01", "2026-01-09");
    assert_eq!(Meaning::of_spec("pay", &moved, Some(&ticked)).digest(), digest);
    for (spec, plan) in [
        (spec.replace("Body", "Other"), plan.clone()),
        (spec.replace("category: feature", "category: bugfix"), plan.clone()),
        (spec.replace("state:", "dependencies:\n  - spec_id: x\n    kind: hard\nstate:"), plan.clone()),
        (spec.to_owned(), plan.replace("slowly", "fast")),
        (spec.to_owned(), plan.replace("\nx\n", "\ny\n")),
    ] {
        assert_ne!(Meaning::of_spec("pay", &spec, Some(&plan)).digest(), digest, "{spec}{plan}");
    }
}

#[test]
fn what_was_hashed_can_be_shown_again_and_nothing_else() {
    let meaning = change(PROPOSAL, DELTA, TASKS);
    let written = meaning.written();
    assert_eq!(Meaning::read_back(&written, &meaning.digest()), Some(meaning.clone()));
    assert_eq!(Meaning::read_back(&written.replace("link", "lure"), &meaning.digest()), None);
}

#[test]
fn a_record_reads_back_as_it_was_written() {
    let digest = change(PROPOSAL, DELTA, TASKS).digest();
    let mut verdict = record(Verdict::Approved, "2026-01-31T09:30:00Z", digest);
    verdict.what = What::Verdict { verdict: Verdict::Approved, allows: vec![Permission::OpenTasks] };
    verdict.signature = Some("-----BEGIN SSH SIGNATURE-----\nabc\n-----END SSH SIGNATURE-----".to_owned());
    let mut comment = record(Verdict::Approved, "2026-01-31T09:30:00Z", digest);
    comment.what = What::Comment(Anchor {
        requirement: Some("Sign: in".to_owned()),
        quote: Some("two\nlines".to_owned()),
        ..Anchor::default()
    });
    let mut resolution = record(Verdict::Approved, "2026-01-31T09:30:00Z", digest);
    resolution.what = What::Resolution(Uid::parse("20260131T093000.000Z-1A2B").unwrap());
    let mut reply = record(Verdict::Approved, "2026-01-31T09:30:00Z", digest);
    reply.what = What::Reply(Uid::parse("20260131T093000.000Z-1A2B").unwrap());
    for record in [verdict, comment, reply, resolution] {
        let read = Record::read(&record.render()).unwrap();
        assert_eq!(read, record);
        assert_eq!(read.statement(), record.statement());
    }
}

#[test]
fn everything_that_is_wrong_with_a_record_is_told_with_its_line() {
    let faults = |text: &str| -> Vec<(usize, String)> {
        Record::read(text).unwrap_err().into_iter().map(|one| (one.line, one.message)).collect()
    };
    assert_eq!(faults("approved\n"), [(1, "it has no front matter".to_owned())]);
    let text = "---\nitem: a\nverdict: yes please\nby: ' '\nchannel: phone\nat: tomorrow\ncontent: ABC\nversion: one\n---\n";
    let lines: Vec<usize> = faults(text).iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [3, 4, 5, 6, 7, 8]);
    assert_eq!(faults(&format!("---\na: b\n---\n{}", "x".repeat(MAX_RECORD_BYTES))).len(), 1);
    let digest = "0".repeat(64);
    let both = format!(
        "---\nitem: a\nitem: b\nverdict: approved\ncomment: true\nby: x\nchannel: web\nat: 2026-01-01T00:00:00Z\ncontent: '{digest}'\nversion: 1\n---\n"
    );
    assert!(faults(&both).iter().any(|(_, message)| message.contains("appears twice")));
    assert!(faults(&both).iter().any(|(_, message)| message.contains("at once")));
}

#[test]
fn an_approval_counts_as_long_as_what_was_approved_is_there() {
    let now = change(PROPOSAL, DELTA, TASKS).digest();
    let then = change(&PROPOSAL.replace("link", "code"), DELTA, TASKS).digest();
    let approved = voice("20260131T093000.000Z-1A2B", record(Verdict::Approved, "2026-01-31T09:30:00Z", now));
    let standing = |voices: &[Voice], content| weigh(voices, &demand(content)).standing;
    assert!(matches!(standing(std::slice::from_ref(&approved), now), Standing::Approved { .. }));
    assert!(matches!(standing(std::slice::from_ref(&approved), then), Standing::Stale { .. }));
    assert_eq!(standing(&[], now), Standing::Pending);
    let rejected = voice("20260131T093001.000Z-1A2B", record(Verdict::Rejected, "2026-01-31T09:30:01Z", now));
    let later = voice("20260131T093002.000Z-1A2B", record(Verdict::Approved, "2026-01-31T09:30:02Z", now));
    let both = [approved.clone(), rejected.clone()];
    assert!(matches!(standing(&both, now), Standing::Refused { verdict: Verdict::Rejected, .. }));
    assert!(matches!(standing(&[approved, rejected, later], now), Standing::Approved { .. }));
}

#[test]
fn records_that_prove_nothing_open_nothing() {
    let now = change(PROPOSAL, DELTA, TASKS).digest();
    let good = || voice("20260131T093000.000Z-1A2B", record(Verdict::Approved, "2026-01-31T09:30:00Z", now));
    let reviewers = ["bob".to_owned()];
    let mut other = good();
    other.record.head.item = "change:other".to_owned();
    let mut future = good();
    future.record.head.at = at("2026-02-01T00:06:00Z");
    let mut weak = good();
    weak.record.head.channel = Channel::Elicited;
    let mut posing = good();
    posing.record.head.channel = Channel::Touch;
    let mut foreign = good();
    foreign.proven = Proven::Foreign;
    for (voice, names) in [
        (other, None),
        (future, None),
        (weak, None),
        (posing, None),
        (foreign, None),
        (good(), Some(&reviewers[..])),
        // Whoever names other reviewers than were trusted leaves nobody; that is not everybody.
        (good(), Some(&[][..])),
    ] {
        let weighed = weigh(std::slice::from_ref(&voice), &Demand { reviewers: names, ..demand(now) });
        assert_eq!(weighed.standing, Standing::Pending, "{voice:?}");
        assert_eq!(weighed.doubts.len(), 1);
    }
    // The signer decides who it is, whatever the record says.
    let mut signed = good();
    signed.record.head.by = "bob".to_owned();
    signed.proven = Proven::Signed { signer: "eve".to_owned() };
    let weighed = weigh(&[signed], &Demand { reviewers: Some(&reviewers), ..demand(now) });
    assert_eq!(weighed.doubts[0].1, Doubt::NotAReviewer);
}

#[test]
fn of_two_verdicts_of_one_second_the_stricter_counts() {
    let now = change(PROPOSAL, DELTA, TASKS).digest();
    let approved = voice("20260131T093000.900Z-1A2B", record(Verdict::Approved, "2026-01-31T09:30:00Z", now));
    let asked =
        voice("20260131T093000.100Z-1A2B", record(Verdict::ChangesRequested, "2026-01-31T09:30:00Z", now));
    let weighed = weigh(&[approved.clone(), asked], &demand(now));
    assert!(matches!(weighed.standing, Standing::Refused { verdict: Verdict::ChangesRequested, .. }));
    assert_eq!(weighed.doubts, [(approved.uid, Doubt::SameSecond)]);
}

#[test]
fn a_comment_is_found_again_by_name_by_rename_and_by_its_quotation() {
    let anchor = |requirement: &str, quote: Option<&str>| Anchor {
        capability: Some("accounts".to_owned()),
        requirement: Some(requirement.to_owned()),
        quote: quote.map(str::to_owned),
        ..Anchor::default()
    };
    let now = change(PROPOSAL, DELTA, TASKS);
    assert!(matches!(anchor("sign  in", None).find(&AnchorIndex::of(&now)), Found::Here(_)));
    let Found::Here(place) = anchor("Sign in", Some("asked")).find(&AnchorIndex::of(&now)) else { panic!() };
    assert_eq!(place.scenario.as_deref(), Some("Fresh"));
    let renamed = format!(
        "## RENAMED Requirements\n- FROM: `### Requirement: Sign in`\n- TO: `### Requirement: Enter`\n{}",
        DELTA.replace("Sign in", "Enter").replace("ADDED", "MODIFIED")
    );
    let renamed = change(PROPOSAL, &renamed, TASKS);
    let Found::Moved(place) = anchor("Sign in", None).find(&AnchorIndex::of(&renamed)) else { panic!() };
    assert_eq!(place.requirement.as_deref(), Some("Enter"));
    let elsewhere = change(PROPOSAL, &DELTA.replace("Sign in", "Way in"), TASKS);
    assert!(matches!(
        anchor("Sign in", Some("send a\nlink")).find(&AnchorIndex::of(&elsewhere)),
        Found::Moved(_)
    ));
    assert_eq!(anchor("Sign in", None).find(&AnchorIndex::of(&elsewhere)), Found::Outdated);
    assert_eq!(anchor("Sign in", Some("no such words")).find(&AnchorIndex::of(&now)), Found::Outdated);
    let step = Anchor { step: Some("Table".to_owned()), ..Anchor::default() };
    assert!(matches!(step.find(&AnchorIndex::of(&now)), Found::Here(_)));
    assert_eq!(Anchor::default().find(&AnchorIndex::of(&now)), Found::Whole);
}

fn words() -> impl Strategy<Value = String> {
    "[a-zA-Z#*_`:\\- \n]{0,60}"
}

proptest! {
    #[test]
    fn ticking_and_noting_never_change_the_meaning(
        titles in prop::collection::vec("[a-z]{1,8}( [a-z]{1,8})?", 1..5), at in 0usize..5, note in words(),
    ) {
        let text: String = titles.iter().enumerate().map(|(n, title)| format!("- [ ] 1.{} {title}\n  body {n}\n", n + 1)).collect::<Vec<_>>().concat();
        let before = change(PROPOSAL, DELTA, &text);
        let note = Some(note.trim()).filter(|note| !note.is_empty() && !note.to_lowercase().contains("proves:") && !note.to_lowercase().contains("requirements:"));
        if let Ok(ticked) = tasks::edit::complete(&text, at % titles.len(), note) {
            prop_assert_eq!(change(PROPOSAL, DELTA, &ticked).digest(), before.digest());
        }
    }

    #[test]
    fn different_meanings_always_show_a_difference(a in words(), b in words(), c in words(), d in words()) {
        let (before, after) = (change(&a, &b, TASKS), change(&c, &d, TASKS));
        prop_assert_eq!(before == after, before.digest() == after.digest());
        prop_assert_eq!(before == after, differences(Some(&before), &after).is_empty());
    }

    #[test]
    fn any_text_and_any_name_come_back(by in "[a-zA-Z:'\"#{}\\[\\] é]{1,30}", text in words(), quote in words()) {
        let mut record = record(Verdict::Approved, "2026-01-31T09:30:00Z", Digest::of(b"x"));
        record.head.by = by.trim().to_owned();
        record.text = text.trim().to_owned();
        record.what = What::Comment(Anchor { quote: Some(quote), ..Anchor::default() });
        prop_assume!(is_name(&record.head.by));
        prop_assert_eq!(Record::read(&record.render()), Ok(record));
    }

    #[test]
    fn a_text_that_is_no_record_is_told_with_its_lines(text in "(---\n)?[a-z: \n'\"\\-]{0,200}") {
        // A record has a moment and a digest, and so digits.
        let faults = Record::read(&text).unwrap_err();
        prop_assert!(!faults.is_empty());
        for fault in faults {
            prop_assert!((1..=text.lines().count().max(1)).contains(&fault.line), "{fault:?}");
        }
    }
}
