//! What a digest covers: every word of every document, but for ticks and notes.

use proptest::prelude::*;

use super::*;
use crate::delta::DeltaDoc;
use crate::document::Document;
use crate::{plan, tasks};

const SPEC: &str = "---\ntitle: Pay\ndescription: d\ncategory: feature\nstate: draft\nowner: ana # for now\ndependencies:\n  - spec_id: cart\n    kind: hard\ncreated_at: 2026-01-01T00:00:00Z\nupdated_at: 2026-01-01T00:00:00Z\n---\n# Pay\n\nBody.\n";
const PLAN: &str = "---\nspec_id: pay\napproach: slowly\ncreated_at: 2026-01-01T00:00:00Z\nupdated_at: 2026-01-01T00:00:00Z\nwhose: bob\n---\n\n# Implementation Plan\n\nRead me.\n\n## Architecture\n\nOne queue.\n\n## Approach\n\nslowly\n\n## Steps\n\nIn this order.\n\n### Step 1: One\n\nDo it.\n\n- **Proves:** pay#card/known\n- **Complexity:** simple\n- **Status:** pending\n- **Notes:** maybe\n\n### Step 2: Two\n- **Complexity:** complex\n- **Status:** pending\n\nA remark.\n\n## Risks\n\n- Money is lost.\n\n<!-- keep it secret -->\n";
const TASKS: &str = "---\nowner: ana\n---\n# Tasks\n\nUse a link.\n\n## 1. Tables\n\nBefore all else.\n\n- [ ] 1.1 Tokens\n  Holds tokens.\n  - **Complexity:** simple\n  - **Notes:** maybe\n  - **Proves:** accounts#sign-in\n\nOnly then:\n\n- [ ] 1.2 Mail\n\n```sh\nsend   it\n```\n\n## 2. Rest\n\n- [ ] 2.1 Clean\n\n## Risks\n\nMails get lost.\n";
const PROPOSAL: &str = "# Change: Mail\n\n## Why\n\nPeople forget.\n";
const DELTA: &str = "## ADDED Requirements\n\n### Requirement: Sign in\nThe system SHALL send a link.\n\n#### Scenario: Fresh\n- **WHEN** asked\n- **THEN** sent\n";
const DESIGN: &str = "# Design\n\nTokens live an hour.\n";

fn spec(text: &str, plan: &str) -> Meaning {
    Meaning::of_spec("pay", text, Some(plan))
}

fn change(proposal: &str, design: &str, delta: &str, tasks: &str) -> Meaning {
    Meaning::of_change("change:mail", Some(proposal), Some(design), [("accounts", delta)], Some(tasks))
}

fn lines(before: &Meaning, after: &Meaning) -> Vec<String> {
    differences(Some(before), after).iter().map(Difference::line).collect()
}

#[test]
fn headings_prose_and_other_sections_are_part_of_what_was_approved_and_are_shown() {
    let before = change(PROPOSAL, DESIGN, DELTA, TASKS);
    for (from, to, line) in [
        ("Before all else", "After all else", "Plan, 1. Tables: changed"),
        ("Only then", "Not then", "Plan: changed"),
        ("send   it", "send it", "Plan: changed"),
        ("Mails get lost", "Mails get read", "Plan, Risks: changed"),
        ("simple", "complex", "Step Tokens: changed"),
        ("owner: ana", "owner: eve", "Front matter, tasks: changed"),
    ] {
        let after = change(PROPOSAL, DESIGN, DELTA, &TASKS.replace(from, to));
        assert_ne!(after.digest(), before.digest(), "{from}");
        assert_eq!(lines(&before, &after), [line], "{from}");
    }
    let before = spec(SPEC, PLAN);
    for (from, to, line) in [
        ("Read me", "Skip me", "Plan, Implementation Plan: changed"),
        ("One queue", "No queue", "Plan, Architecture: changed"),
        ("In this order", "In any order", "Plan, Steps: changed"),
        ("Money is lost", "Money is won", "Plan, Risks: changed"),
        ("secret", "public", "Plan, Risks: changed"),
        ("complex", "trivial", "Step Two: changed"),
        ("A remark", "The remark", "Step Two: changed"),
        ("approach: slowly", "approach: fast", "Front matter, plan: changed"),
    ] {
        let after = spec(SPEC, &PLAN.replace(from, to));
        assert_ne!(after.digest(), before.digest(), "{from}");
        assert_eq!(lines(&before, &after), [line], "{from}");
    }
    let after = spec(&SPEC.replace("owner: ana", "owner: eve"), PLAN);
    assert_eq!(lines(&before, &after), ["Front matter, spec: changed"]);
}

#[test]
fn a_task_that_moves_to_another_group_is_another_plan() {
    let before = change(PROPOSAL, DESIGN, DELTA, "## 1. Now\n- [ ] a\n- [ ] b\n## 2. Later\n- [ ] c\n");
    let after = change(PROPOSAL, DESIGN, DELTA, "## 1. Now\n- [ ] a\n## 2. Later\n- [ ] b\n- [ ] c\n");
    assert_ne!(after.digest(), before.digest());
    assert!(!lines(&before, &after).is_empty());
}

#[test]
fn a_blank_line_counts_only_where_it_is_structure() {
    let digest = |delta: &str| change(PROPOSAL, DESIGN, delta, TASKS).digest();
    let ruled = DELTA.replace("link.\n", "link.\n\n---\n");
    assert_ne!(digest(&ruled), digest(&ruled.replace("\n\n---", "\n---")), "a rule becomes an underline");
    assert_eq!(digest(&ruled), digest(&ruled.replace("\n\n---", "\n \n\n---")));
    let folded = DELTA.replace("#### Scenario", "<details>\n\n#### Scenario");
    assert_ne!(digest(&folded), digest(&folded.replace("<details>\n\n", "<details>\n")), "HTML swallows it");
    assert_eq!(digest(DELTA), digest(&DELTA.replace('\n', "\n\n")));
}

#[test]
fn no_requirement_comes_or_goes_by_a_blank_line_unseen() {
    let digest = |delta: &str| change(PROPOSAL, DESIGN, delta, TASKS).digest();
    let more = "### Requirement: Audit\nIt SHALL log.\n\n#### Scenario: One\n- **WHEN** a\n- **THEN** b\n";
    for before in ["<div>\nkept\n", "<div>\n<b>kept</b>\nthis\n", "- <div>\n  kept\n", "Intro\n", "-\n"] {
        let parted = format!("{DELTA}\n{before}\n{more}");
        let joined = format!("{DELTA}\n{before}{more}");
        let has_audit = |text: &str| {
            let document = Document::parse(text);
            DeltaDoc::read(&document).added.iter().any(|one| one.name == "Audit")
        };
        if has_audit(&parted) != has_audit(&joined) {
            assert_ne!(digest(&parted), digest(&joined), "{before}");
        }
    }
    let swallowed = format!("{DELTA}\n<div>\nkept\n{more}");
    assert_ne!(digest(&swallowed), digest(&swallowed.replace("kept\n", "kept\n\n")));
    let underlined = "Intro\n\nADDED Requirements\n---\n\n### Requirement: Audit\nIt SHALL log.\n";
    assert_ne!(digest(underlined), digest(&underlined.replace("Intro\n\n", "Intro\n")), "another title");
}

#[test]
fn words_in_the_place_of_a_state_or_a_time_are_words() {
    let digest = spec(SPEC, PLAN).digest();
    for (from, to) in [
        ("state: draft", "state: draft, and then drop the tables"),
        ("state: draft", "state: [draft, now]"),
        ("created_at: 2026-01-01T00:00:00Z", "created_at: delete it all"),
        ("created_at: 2026-01-01T00:00:00Z", "created_at: {by: eve}"),
    ] {
        assert_ne!(spec(&SPEC.replacen(from, to, 1), PLAN).digest(), digest, "{to}");
    }
    for to in ["**Status:** skip the tests", "**Status:** completed by dropping the tables"] {
        let after = spec(SPEC, &PLAN.replacen("**Status:** pending", to, 1));
        assert_eq!(lines(&spec(SPEC, PLAN), &after), ["Step One: changed"], "{to}");
    }
    for to in
        ["**Status:** completed", "**Status:** ✅ completed.", "**Status:** In-Progress", "Status: done"]
    {
        assert_eq!(spec(SPEC, &PLAN.replacen("**Status:** pending", to, 1)).digest(), digest, "{to}");
    }
}

#[test]
fn a_text_of_many_headings_is_cut_up_and_compared_in_time_with_its_size() {
    // Some hundred thousand pieces: what takes the square of them does not end.
    let design = format!("## A\n#### B\n{}", "##### c\n".repeat(150_000));
    let before = change(PROPOSAL, &design, DELTA, TASKS);
    assert!(differences(Some(&before), &change(PROPOSAL, &design, DELTA, "")).len() > 1);
    let design = "# a\n".repeat(150_000);
    let before = change(PROPOSAL, &design, DELTA, TASKS);
    let after = change(PROPOSAL, &format!("{design}# b\n"), DELTA, TASKS);
    assert_eq!(lines(&before, &after), ["Design, b: added"]);
}

#[test]
fn states_times_ticks_and_notes_are_no_part_of_it() {
    let digest = spec(SPEC, PLAN).digest();
    let moved =
        SPEC.replace("state: draft", "state: active").replace("updated_at: 2026-01", "updated_at: 2027-02");
    let ticked = plan::complete_step(PLAN, 0, Some("done: ## Risks none"), "2026-01-02T00:00:00Z").unwrap();
    let reopened = plan::reopen_step(&ticked, 0, "it fails", "2026-01-03T00:00:00Z").unwrap();
    let ticked_too = plan::complete_step(&ticked, 1, Some("all\nof it"), "2026-01-03T00:00:00Z").unwrap();
    for plan in [ticked, reopened, ticked_too] {
        assert_eq!(spec(&moved, &plan).digest(), digest, "{plan}");
    }
    let digest = change(PROPOSAL, DESIGN, DELTA, TASKS).digest();
    let mut text = TASKS.to_owned();
    for at in 0..3 {
        text = tasks::edit::complete(
            &text,
            at,
            Some("went well\nRequirements: all met\n- **Complexity:** none"),
        )
        .unwrap();
        assert_eq!(change(PROPOSAL, DESIGN, DELTA, &text).digest(), digest, "{text}");
    }
    let reopened = tasks::edit::reopen(&text, 1, "no").unwrap();
    assert_eq!(change(PROPOSAL, DESIGN, DELTA, &reopened).digest(), digest, "{reopened}");
}

#[test]
fn a_record_of_an_earlier_form_reads_back_and_vouches_for_what_it_did() {
    let text = format!(
        "---\nitem: pay\nverdict: approved\nby: ana\nchannel: terminal\nat: 2026-01-31T09:30:00Z\ncontent: {}\nversion: 1\n---\n",
        "a".repeat(64)
    );
    let record = Record::read(&text).unwrap();
    assert_eq!(record.head.form, 1);
    assert_eq!(record.render(), text, "its seal is over these very bytes");
    let newer = Record { head: Head { form: FORM, ..record.head.clone() }, ..record };
    assert!(newer.render().contains("\nform: 2\n"));
    assert_ne!(newer.statement(), Record::read(&text).unwrap().statement());
    for wrong in ["form: 1", "form: x", "form: 999", "form: -1"] {
        assert!(
            Record::read(&text.replace("version: 1", &format!("version: 1\n{wrong}"))).is_err(),
            "{wrong}"
        );
    }
}

/// Where each word of a text stands, but for what is excluded: ticks, notes, states, times and numbers of steps.
fn words(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let is_free = ["Notes:", "Status:", "state:", "created_at:", "updated_at:"];
        let mut from = 0;
        for word in line.split_inclusive([' ', '\n']) {
            let bare = word.trim_end();
            let is_word = bare.chars().filter(|ch| ch.is_alphabetic()).count() > 2;
            if is_word && !is_free.iter().any(|label| line.contains(label)) {
                found.push(at + from..at + from + bare.len());
            }
            from += word.len();
        }
        at += line.len();
    }
    found
}

#[test]
fn words_in_the_place_of_a_kind_of_dependency_are_another_meaning() {
    let text = |kind: &str| {
        format!("---\ntitle: One\ndependencies:\n  - spec_id: two\n    kind: {kind}\n---\n\nText.\n")
    };
    let digest = |kind: &str| spec(&text(kind), PLAN).digest();
    for kind in ["soft and skip the tests", "softq", "Soft"] {
        assert_ne!(digest(kind), digest("soft"), "{kind}");
    }
    assert_ne!(digest("hard"), digest("soft"));
    assert_eq!(digest("\"soft\""), digest("soft"));
}

/// The text with a letter more in one of its words.
fn with_another_word(text: &str, at: usize) -> (String, String) {
    let words = words(text);
    let span = words[at % words.len()].clone();
    let word = &text[span.clone()];
    let last = word.rfind(|ch: char| ch.is_alphabetic()).unwrap();
    let place = span.start + last + word[last..].chars().next().map_or(1, char::len_utf8);
    (format!("{}q{}", &text[..place], &text[place..]), word.to_owned())
}

proptest! {
    #[test]
    fn any_other_word_anywhere_is_another_meaning(at in 0usize..400, document in 0usize..6) {
        let texts = [PROPOSAL, DESIGN, DELTA, TASKS, SPEC, PLAN];
        let (other, word) = with_another_word(texts[document], at);
        let digest = |texts: [&str; 6]| {
            let [proposal, design, delta, tasks, own, plan] = texts;
            (change(proposal, design, delta, tasks).digest(), spec(own, plan).digest())
        };
        let mut after = texts;
        after[document] = &other;
        prop_assert_ne!(digest(after), digest(texts), "`{}` in {}", word, other);
    }

    #[test]
    fn ticks_notes_and_blanks_in_any_list_are_the_same_meaning(
        pieces in prop::collection::vec(prop_oneof![
            Just("## Group\n"), Just("Some prose.\n"), Just("- [ ] 1.1 A task\n"), Just("* [x] Another\n"),
            Just("  - [ ] below\n"), Just("  text\n"), Just("  - **Notes:** n\n"), Just("  _Requirements: a#b_\n"),
            Just("  - **Complexity:** x\n"), Just("\n"), Just("<!-- c -->\n"), Just("# Top\n"),
        ], 0..14),
        at in 0usize..6, note in "[a-zA-Z:*# \n-]{0,40}", blank in 0usize..14,
    ) {
        let text = pieces.concat();
        let before = change(PROPOSAL, DESIGN, DELTA, &text).digest();
        if let Ok(ticked) = tasks::edit::complete(&text, at, Some(&note)) {
            prop_assert_eq!(change(PROPOSAL, DESIGN, DELTA, &ticked).digest(), before, "{}", ticked);
        }
        let end = |line| if line == blank { " \t\n" } else { "\n" };
        let trailing: String = text.lines().enumerate().flat_map(|(line, text)| [text, end(line)]).collect();
        prop_assert_eq!(change(PROPOSAL, DESIGN, DELTA, &trailing).digest(), before);
        prop_assert_eq!(change(PROPOSAL, DESIGN, DELTA, &text.replace('\n', "\r\n")).digest(), before);
    }
}
