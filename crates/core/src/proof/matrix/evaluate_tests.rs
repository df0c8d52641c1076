use super::*;
use crate::proof::{Anchor, CaseOutcome, Coverage, LineHits};

/// `text` is what the scenario says and, behind a slash, what its requirement does.
fn promise(name: &str, text: &str) -> Promise {
    let (text, requirement) = text.split_once('/').unwrap_or((text, ""));
    Promise::of_scenario(Ref::parse(name).unwrap(), text, requirement)
}

/// What a record says of such a promise; without a slash it does not tell of the requirement.
fn recorded(text: &str, code: String, test: String) -> LinkHashes {
    let of = promise(NAME, text);
    let requirement = if text.contains('/') { of.requirement_hash() } else { String::new() };
    LinkHashes { text: of.text_hash(), requirement, code, test }
}

fn link(name: &str, kind: LinkKind, title: &str, hash: &str) -> Link {
    Link {
        reference: Ref::parse(name).unwrap(),
        kind,
        path: format!("src/{title}.rs"),
        line: 1,
        anchor: Some(Anchor { start: 2, end: 9, opens: None, name: None, token_hash: hash.to_owned() }),
        title: (kind == LinkKind::Test).then(|| title.to_owned()),
        suites: Vec::new(),
    }
}

fn case(title: &str, outcome: CaseOutcome) -> CaseResult {
    CaseResult {
        file: None,
        suites: Vec::new(),
        title: title.to_owned(),
        outcome,
        refs: Vec::new(),
        message: None,
    }
}

/// A run of these cases with what stood behind the promise then.
fn run(cases: Vec<CaseResult>, name: &str, text: &str, links: &[Link]) -> RunEvidence {
    let of = |kind| combined_hash(&links.iter().filter(|link| link.kind == kind).collect::<Vec<_>>());
    let hashes = recorded(text, of(LinkKind::Code), of(LinkKind::Test));
    RunEvidence {
        run: "r1".to_owned(),
        check: "unit".to_owned(),
        counts: true,
        names_tests: true,
        cases,
        links: [(Ref::parse(name).unwrap(), hashes)].into(),
        ..RunEvidence::default()
    }
}

const NAME: &str = "a#b/c";

fn test_link(hash: &str) -> Link {
    link(NAME, LinkKind::Test, "known", hash)
}

fn code_link(hash: &str) -> Link {
    link(NAME, LinkKind::Code, "login", hash)
}

fn passed() -> Vec<CaseResult> {
    vec![case("known", CaseOutcome::Passed)]
}

fn judge(text: &str, links: &[Link], runs: &[RunEvidence], accepted: &[(Ref, Accepted)]) -> Row {
    let known = Known { links, runs, accepted, today: "2026-06-01", ..Known::default() };
    Matrix::new(&known).row(&promise(NAME, text), 1)
}

fn state(text: &str, links: &[Link], runs: &[RunEvidence]) -> State {
    judge(text, links, runs, &[]).state
}

#[test]
fn the_way_from_nothing_to_proof() {
    let links = [code_link("c"), test_link("t")];
    assert_eq!(state("x", &[], &[]), State::Uncovered);
    assert_eq!(state("x", &links[..1], &[]), State::Uncovered);
    assert_eq!(state("x", &links, &[]), State::Linked);
    assert_eq!(
        state("x", &links, &[run(vec![case("other", CaseOutcome::Passed)], NAME, "x", &links)]),
        State::NotRun
    );
    assert_eq!(
        state("x", &links, &[run(vec![case("known", CaseOutcome::Skipped)], NAME, "x", &links)]),
        State::NotRun
    );
    assert_eq!(
        state("x", &links, &[run(vec![case("known", CaseOutcome::Failed)], NAME, "x", &links)]),
        State::Failed
    );
    let row = judge("x", &links, &[run(passed(), NAME, "x", &links)], &[]);
    assert_eq!((row.state, row.fresh, row.is_red()), (State::Verified, true, false));
}

#[test]
fn a_test_that_passes_and_fails_in_one_run_has_failed() {
    let links = [test_link("t")];
    let cases = vec![case("known", CaseOutcome::Passed), case("known", CaseOutcome::Failed)];
    assert_eq!(state("x", &links, &[run(cases, NAME, "x", &links)]), State::Failed);
}

#[test]
fn runs_that_do_not_count_or_name_no_tests_show_nothing() {
    let links = [test_link("t")];
    let torn = RunEvidence { counts: false, ..run(passed(), NAME, "x", &links) };
    let exit = RunEvidence { names_tests: false, ..run(Vec::new(), NAME, "x", &links) };
    assert_eq!(state("x", &links, &[torn]), State::Linked);
    assert_eq!(state("x", &links, &[exit]), State::Linked);
}

#[test]
fn what_changed_since_the_run_makes_it_stale() {
    let then = [code_link("c"), test_link("t")];
    let runs = [run(passed(), NAME, "x", &then)];
    let moved_file = Link { path: "src/other.rs".to_owned(), line: 70, ..code_link("c") };
    assert_eq!(state("x", &[moved_file, test_link("t")], &runs), State::Verified, "moving is not a change");
    assert_eq!(state("x", &[code_link("c2"), test_link("t")], &runs), State::Stale);
    assert_eq!(state("x", &[code_link("c"), test_link("t2")], &runs), State::Stale);
    let rerun = [run(passed(), NAME, "x", &[code_link("c2"), test_link("t")]), runs[0].clone()];
    let row = judge("x", &[code_link("c2"), test_link("t")], &rerun, &[]);
    assert_eq!((row.state, row.moved), (State::Verified, true), "a passing test clears moved code");
}

#[test]
fn a_changed_promise_is_suspect_until_its_test_changes_or_a_person_accepts() {
    let links = [test_link("t")];
    let first = run(passed(), NAME, "x", &links);
    assert_eq!(state("y", &links, std::slice::from_ref(&first)), State::Suspect);
    let runs = [run(passed(), NAME, "y", &links), first.clone()];
    assert_eq!(state("y", &links, &runs), State::Suspect, "a re-run does not clear it");
    let now = recorded("y", String::new(), combined_hash(&[&links[0]]));
    let accepted = [(Ref::parse(NAME).unwrap(), Accepted { at: String::new(), hashes: now })];
    assert_eq!(judge("y", &links, &runs, &accepted).state, State::Verified);
    assert_eq!(judge("z", &links, &runs, &accepted).state, State::Suspect, "the next change reopens it");
    let changed = [test_link("t2")];
    assert_eq!(state("y", &changed, &[run(passed(), NAME, "y", &changed), first]), State::Verified);
}

#[test]
fn a_requirement_that_is_turned_round_makes_its_scenarios_suspect() {
    let links = [test_link("t")];
    let first = run(passed(), NAME, "x/delete", &links);
    assert_eq!(state("x/delete", &links, std::slice::from_ref(&first)), State::Verified);
    assert_eq!(state("x/keep", &links, std::slice::from_ref(&first)), State::Suspect);
    let runs = [run(passed(), NAME, "x/keep", &links), first.clone()];
    assert_eq!(state("x/keep", &links, &runs), State::Suspect, "a re-run does not clear it");
    let of = |text: &str| recorded(text, String::new(), combined_hash(&[&links[0]]));
    let accepted = |text| [(Ref::parse(NAME).unwrap(), Accepted { at: String::new(), hashes: of(text) })];
    assert_eq!(judge("x/keep", &links, &runs, &accepted("x/keep")).state, State::Verified);
    assert_eq!(judge("x/drop", &links, &runs, &accepted("x/keep")).state, State::Suspect);
    assert_eq!(judge("x/keep", &links, &runs, &accepted("x")).state, State::Suspect, "it did not say so");
}

#[test]
fn a_record_that_does_not_tell_of_the_requirement_proves_as_before_until_the_next_run() {
    let links = [test_link("t")];
    let earlier = run(passed(), NAME, "x", &links);
    assert_eq!(state("x/delete", &links, std::slice::from_ref(&earlier)), State::Verified);
    let runs = [run(passed(), NAME, "x/delete", &links), earlier];
    assert_eq!(state("x/delete", &links, &runs), State::Verified);
    assert_eq!(state("x/keep", &links, &runs), State::Suspect);
    assert_eq!(state("y/delete", &links, &runs), State::Suspect);
}

#[test]
fn a_promise_that_an_open_change_words_anew_stays_proven_as_it_stands() {
    let links = [test_link("t")];
    let runs = [run(passed(), NAME, "of the change", &links), run(passed(), NAME, "x", &links)];
    let row = judge("x", &links, &runs, &[]);
    assert_eq!((row.state, row.fresh), (State::Verified, true));
    assert_eq!(state("of the change", &links, &runs), State::Suspect);
}

#[test]
fn without_a_test_anchors_decide() {
    let runs = [run(Vec::new(), NAME, "x", &[code_link("c")])];
    assert_eq!(state("x", &[code_link("c")], &runs), State::Uncovered);
    assert_eq!(state("x", &[code_link("c2")], &runs), State::Unreviewed);
    assert_eq!(state("x", &[], &runs), State::Unlinked);
    let again = [run(Vec::new(), NAME, "x", &[code_link("c2")]), runs[0].clone()];
    assert_eq!(state("x", &[code_link("c2")], &again), State::Unreviewed, "only a person clears it");
    assert_eq!(
        state("x", &[code_link("c")], &[run(passed(), NAME, "x", &[test_link("t")])]),
        State::Unlinked
    );
}

#[test]
fn a_tag_that_is_gone_stays_so_in_the_next_run_until_a_person_accepts() {
    let with_test = run(passed(), NAME, "x", &[code_link("c"), test_link("t")]);
    let without = run(Vec::new(), NAME, "x", &[code_link("c")]);
    let runs = [without.clone(), with_test.clone()];
    assert_eq!(state("x", &[code_link("c")], &runs), State::Unlinked, "a re-run does not clear it");
    let now = recorded("x", combined_hash(&[&code_link("c")]), String::new());
    let accepted = [(Ref::parse(NAME).unwrap(), Accepted { at: String::new(), hashes: now })];
    assert_eq!(judge("x", &[code_link("c")], &runs, &accepted).state, State::Uncovered);
    let changed = judge("x", &[code_link("c2")], &runs, &accepted);
    assert_eq!(changed.state, State::Unreviewed, "that there is no test is accepted, other code is not");
    let again = [with_test, without];
    assert_eq!(judge("x", &[code_link("c2")], &again, &accepted).state, State::Unlinked);
}

#[test]
fn names_in_the_baseline_and_waivers_are_no_red() {
    let links = [test_link("t")];
    let runs = [run(vec![case("known", CaseOutcome::Failed)], NAME, "x", &links)];
    let red = |known: &Known<'_>| Matrix::new(known).row(&promise(NAME, "x"), 1).is_red();
    let uncovered = Known { baseline_uncovered: [Ref::parse(NAME).unwrap()].into(), ..Known::default() };
    assert!(!red(&uncovered));
    let failing = Known {
        links: &links,
        runs: &runs,
        baseline_failing: ["unit::known".to_owned()].into(),
        ..Known::default()
    };
    assert!(!red(&failing));
    assert!(red(&Known { links: &links, runs: &runs, ..Known::default() }));
    for (until, expected) in [("2026-06-01", false), ("2026-05-31", true)] {
        let waiver = Waiver { until: until.to_owned(), reason: String::new() };
        let waivers = [(Ref::parse(NAME).unwrap(), waiver)].into();
        assert_eq!(red(&Known { waivers, today: "2026-06-01", ..Known::default() }), expected, "{until}");
    }
}

#[test]
fn a_test_of_a_requirement_proves_its_only_scenario_and_none_of_several() {
    let links = [link("a#b", LinkKind::Test, "known", "t"), link("a#b", LinkKind::Code, "login", "c")];
    let known = Known { links: &links, ..Known::default() };
    let matrix = Matrix::new(&known);
    assert_eq!(matrix.row(&promise(NAME, "x"), 1).state, State::Linked);
    let row = matrix.row(&promise(NAME, "x"), 2);
    assert_eq!((row.state, row.code.len()), (State::Uncovered, 1));
}

#[test]
fn code_that_the_passing_test_never_touched_is_unexercised() {
    let links = [code_link("c"), test_link("t")];
    for (hits, expected) in [(0, State::Unexercised), (1, State::Verified)] {
        let files = [("/x/src/login.rs".to_owned(), LineHits(vec![(1, 5), (4, hits)]))].into();
        let runs = [RunEvidence { coverage: Some(Coverage { files }), ..run(passed(), NAME, "x", &links) }];
        assert_eq!(state("x", &links, &runs), expected);
    }
}

#[test]
fn the_head_of_a_function_is_executed_by_whoever_loads_its_file_and_shows_nothing() {
    let mut code = code_link("c");
    code.anchor.as_mut().unwrap().opens = Some(3);
    let links = [code, test_link("t")];
    for (lines, expected) in [
        (vec![(2, 1), (3, 1), (4, 0)], State::Unexercised),
        (vec![(2, 1), (3, 1), (4, 1)], State::Verified),
        (vec![(3, 1)], State::Verified),
    ] {
        let files = [("/x/src/login.rs".to_owned(), LineHits(lines))].into();
        let runs = [RunEvidence { coverage: Some(Coverage { files }), ..run(passed(), NAME, "x", &links) }];
        assert_eq!(state("x", &links, &runs), expected);
    }
}

#[test]
fn a_promise_with_tests_in_two_checks_needs_both_runs_to_be_of_what_stands_now() {
    let second = link(NAME, LinkKind::Test, "whole", "e");
    let before = [code_link("old"), test_link("t"), second.clone()];
    let now = [code_link("new"), test_link("t"), second];
    let of = |check: &str, title: &str, links: &[Link], exact| RunEvidence {
        run: format!("run of {check}"),
        check: check.to_owned(),
        exact,
        ..run(vec![case(title, CaseOutcome::Passed)], NAME, "x", links)
    };
    let unit = of("unit", "known", &now, true);
    let older = of("e2e", "whole", &before, false);
    for runs in [[unit.clone(), older.clone()], [older, unit.clone()]] {
        let row = judge("x", &now, &runs, &[]);
        assert_eq!((row.state, row.fresh, row.exact), (State::Stale, false, false));
        assert_eq!(row.run.as_deref(), Some("run of e2e"), "the one that has to be run again");
    }
    let row = judge("x", &now, &[unit.clone(), of("e2e", "whole", &now, false)], &[]);
    assert_eq!((row.state, row.fresh, row.exact), (State::Verified, true, false));
    let row = judge("x", &now, &[unit, of("e2e", "whole", &now, true)], &[]);
    assert_eq!((row.state, row.fresh, row.exact), (State::Verified, true, true));
}

#[test]
fn a_report_that_names_the_reference_needs_no_tag() {
    let mut cases = vec![case("it works", CaseOutcome::Passed)];
    cases[0].refs.push(Ref::parse(NAME).unwrap());
    let mut only = run(cases, NAME, "x", &[]);
    assert_eq!(state("x", &[], std::slice::from_ref(&only)), State::Verified);
    only.cases[0].outcome = CaseOutcome::Failed;
    assert_eq!(state("x", &[], &[only]), State::Failed);
}

#[test]
fn a_test_that_the_newest_run_of_its_check_leaves_out_was_not_run() {
    let links = [test_link("t")];
    let known = run(passed(), NAME, "x", &links);
    let without = run(vec![case("other", CaseOutcome::Passed)], NAME, "x", &links);
    assert_eq!(state("x", &links, std::slice::from_ref(&known)), State::Verified);
    assert_eq!(state("x", &links, &[without, known]), State::NotRun);
}
