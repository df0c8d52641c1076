//! How promises stand: links, the table, debt and drift.

use hewto_engine::change::{self, ArchiveOptions};
use hewto_engine::proof::run;
use hewto_engine::proof::{self, BaselineMode, FixMode, LinkQuery, Person, Query};
use hewto_engine::review::Channel;
use hewto_engine::view::{MatrixView, State};

use super::Yard;

const SPEC: &str = "# Accounts\n\n## Purpose\nAccounts are for customers who come back to the shop again.\n\n## Requirements\n\n### Requirement: Sign in\nCustomers SHALL sign in.\n\n#### Scenario: Known customer\n- **WHEN** a known customer signs in\n- **THEN** they are in\n\n#### Scenario: Wrong password\n- **WHEN** the password is wrong\n- **THEN** they stay out\n";

/// A spec with two scenarios; the first has code and a test, whose result is what `result` says.
pub(super) fn yard(result: &str) -> Yard {
    let yard = Yard::new(&format!("printf '{result} 1 - known_customer\\n' > report.tap"));
    yard.files.add(&format!("//- specs/accounts/spec.md\n{SPEC}"));
    yard.files.add(
        "//- src/login.rs\n// @spec accounts#sign-in/known-customer\npub fn sign_in() -> bool { true }\n//- tests/login.rs\n// @spec accounts#sign-in/known-customer\n#[test]\nfn known_customer() {\n    assert!(sign_in());\n}\n",
    );
    yard
}

pub(super) fn matrix(yard: &Yard) -> MatrixView {
    proof::matrix(&yard.workspace(), &yard.context(), &Query::default()).unwrap()
}

fn states(yard: &Yard) -> Vec<State> {
    matrix(yard).rows.iter().map(|row| row.state).collect()
}

pub(super) fn edit(yard: &Yard, path: &str, from: &str, to: &str) {
    let text = yard.files.read(path);
    assert!(text.contains(from), "{path} has no {from}");
    fs_err::write(yard.files.path(path), text.replace(from, to)).unwrap();
}

pub(super) fn person() -> Person {
    Person::new("Ann", Channel::Terminal)
}

#[test]
fn a_scenario_goes_from_uncovered_to_verified_and_stale() {
    let yard = yard("ok");
    assert_eq!(states(&yard), [State::Linked, State::Uncovered]);
    yard.run().unwrap();
    let view = matrix(&yard);
    assert_eq!(view.rows[0].state, State::Verified, "{view:#?}");
    assert!(view.rows[0].fresh && view.rows[0].exact && !view.green);
    assert_eq!(view.rows[1].tag, "// @spec accounts#sign-in/wrong-password");
    edit(&yard, "src/login.rs", "{ true }", "{\n    true // why\n}");
    let view = matrix(&yard);
    assert_eq!(view.rows[0].state, State::Verified, "reformatting is not a change");
    assert!(!view.rows[0].exact);
    edit(&yard, "src/login.rs", "true //", "false //");
    assert_eq!(states(&yard)[0], State::Stale);
    yard.run().unwrap();
    assert_eq!(states(&yard)[0], State::Verified);
    let drift = proof::drift(&yard.workspace(), &yard.context(), &Query::default()).unwrap();
    assert_eq!(drift.drifted[0].state, State::Moved);
    assert!(drift.green);
}

#[test]
fn a_failing_test_and_a_tag_that_is_gone_are_red() {
    let yard = yard("not ok");
    yard.run().unwrap();
    let view = matrix(&yard);
    assert_eq!(view.rows[0].state, State::Failed);
    edit(&yard, "tests/login.rs", "// @spec", "// spec");
    assert_eq!(states(&yard)[0], State::Unlinked);
    yard.run().unwrap();
    assert_eq!(states(&yard)[0], State::Unlinked, "a run without the test does not clear it");
    let drift = proof::drift(&yard.workspace(), &yard.context(), &Query::default()).unwrap();
    assert!(drift.drifted[0].since.as_deref().is_some_and(|since| since.contains('(')), "{drift:?}");
}

#[test]
fn a_changed_promise_stays_suspect_until_a_person_accepts() {
    let yard = yard("ok");
    yard.run().unwrap();
    edit(&yard, "specs/accounts/spec.md", "they are in", "they are in within a second");
    assert_eq!(states(&yard)[0], State::Suspect);
    yard.run_as(run::Reuse::Never).unwrap();
    assert_eq!(states(&yard)[0], State::Suspect, "a new run does not clear it");
    let (ws, ctx) = (yard.workspace(), yard.context());
    proof::accept(&ws, &ctx, "accounts#sign-in/known-customer", "only said better", &person()).unwrap();
    assert_eq!(states(&yard)[0], State::Verified);
    let record = yard.files.read(".hewto/proof/accepted/accounts/sign-in.toml");
    fs_err::write(
        yard.files.path(".hewto/proof/accepted/accounts/sign-in.toml"),
        record.replace("only said better", "forged"),
    )
    .unwrap();
    let view = matrix(&yard);
    assert_eq!(view.rows[0].state, State::Suspect, "a record that does not authenticate counts for nothing");
    assert!(view.problems.iter().any(|problem| problem.error == "record_unconfirmed"));
}

#[test]
fn a_requirement_that_is_turned_round_makes_all_its_scenarios_suspect() {
    let yard = yard("ok");
    yard.run().unwrap();
    assert_eq!(states(&yard)[0], State::Verified);
    edit(&yard, "specs/accounts/spec.md", "Customers SHALL sign in", "Customers SHALL\nsign in");
    assert_eq!(states(&yard)[0], State::Verified, "rewrapping is not a change");
    edit(&yard, "specs/accounts/spec.md", "SHALL\nsign in", "SHALL NOT sign in");
    assert_eq!(states(&yard), [State::Suspect, State::Uncovered]);
    yard.run_as(run::Reuse::Never).unwrap();
    assert_eq!(states(&yard)[0], State::Suspect, "a new run does not clear it");
    // All scenarios of the requirement at once.
    let (ws, ctx) = (yard.workspace(), yard.context());
    proof::accept(&ws, &ctx, "accounts#sign-in", "meant so", &person()).unwrap();
    assert_eq!(states(&yard)[0], State::Verified);
    edit(&yard, "specs/accounts/spec.md", "SHALL NOT sign in", "SHALL sign in");
    assert_eq!(states(&yard)[0], State::Suspect, "the next change opens it again");
}

#[test]
fn a_misspelt_key_of_the_settings_is_told_with_the_table() {
    let yard = yard("ok");
    edit(&yard, ".hewto/proof.toml", "policy = \"enforce\"", "polciy = \"enforce\"");
    let view = matrix(&yard);
    let told: Vec<_> = view.problems.iter().map(|one| (one.error.as_str(), one.line, &one.hint)).collect();
    assert_eq!(told, [("proof_key_unknown", 1, &"did you mean `policy`?".to_owned())]);
    assert_eq!(view.policy, "off");
    let one = Query { target: Some("accounts#sign-in/known-customer".to_owned()), ..Query::default() };
    let one = proof::matrix(&yard.workspace(), &yard.context(), &one).unwrap();
    assert_eq!(one.problems.len(), 1);
}

// @spec proof#known-debt-only-shrinks/day-one
#[test]
fn the_baseline_is_green_on_day_one_and_grows_by_a_person_only() {
    let yard = yard("ok");
    yard.run().unwrap();
    let (ws, ctx) = (yard.workspace(), yard.context());
    let drawn = proof::baseline(&ws, &ctx, BaselineMode::Draw(None)).unwrap();
    assert_eq!((drawn.uncovered, drawn.failing), (1, 0));
    let view = matrix(&yard);
    assert!(view.green, "{view:#?}");
    assert_eq!(view.summary.line, "2 scenarios: 1 verified, 1 known debt");
    yard.files.add(&format!(
        "//- specs/accounts/spec.md\n{SPEC}\n#### Scenario: Third try\n- **WHEN** it is wrong again\n- **THEN** it locks\n"
    ));
    assert!(!matrix(&yard).green, "new debt is red");
    let refused = proof::baseline(&ws, &ctx, BaselineMode::Draw(None)).unwrap_err();
    assert_eq!(refused.key.to_string(), "person_required");
    proof::baseline(&ws, &ctx, BaselineMode::Draw(Some(&person()))).unwrap();
    edit(&yard, "tests/login.rs", "known-customer", "known-customer, accounts#sign-in/wrong-password");
    yard.run().unwrap();
    let view = matrix(&yard);
    assert_eq!(view.paid, ["accounts#sign-in/wrong-password"]);
    let tightened = proof::baseline(&ws, &ctx, BaselineMode::Tighten).unwrap();
    assert_eq!(tightened.dropped, ["accounts#sign-in/wrong-password"]);
    fs_err::write(yard.files.path(".hewto/proof/baseline.toml"), "uncovered = [").unwrap();
    assert!(!matrix(&yard).green, "a broken baseline suppresses nothing");
}

#[test]
fn a_waiver_ends_with_its_day() {
    let yard = yard("ok");
    yard.run().unwrap();
    let (ws, ctx) = (yard.workspace(), yard.context());
    let reference = "accounts#sign-in/wrong-password";
    proof::waive(&ws, &ctx, reference, "after the fair", "2999-01-01", &person()).unwrap();
    let view = matrix(&yard);
    assert!(view.green, "{view:#?}");
    assert_eq!(view.rows[1].debt.as_deref(), Some("waived until 2999-01-01"));
    assert!(proof::waive(&ws, &ctx, reference, "x", "2001-01-01", &person()).is_err());
    assert!(proof::waive(&ws, &ctx, reference, " ", "2999-01-01", &person()).is_err());
    assert!(proof::waive(&ws, &ctx, "accounts#nothing", "x", "2999-01-01", &person()).is_err());
    edit(&yard, ".hewto/proof/waivers.toml", "2999-01-01", "3999-01-01");
    assert!(!matrix(&yard).green, "a waiver that somebody edited counts for nothing");
}

#[test]
fn links_that_name_nothing_come_with_near_names() {
    let yard = yard("ok");
    yard.files.add("//- src/more.py\n# @spec accounts#sign-in/known-custmer\ndef f():\n    pass\n# @spec accounts\ndef g():\n    pass\n//- src/binary.rs\n\0// @spec accounts#nothing\n//- README.md\n<!-- @spec accounts#nothing -->\n");
    yard.files.add("//- .hewto/links.toml\n[[link]]\nref = \"accounts#sign-in/wrong-password\"\ntest = \"e2e/login.robot::Wrong password\"\n\n[[link]]\nref = \"accounts#sign-in\"\ncode = \"e2e/login.robot#L90-99\"\n//- e2e/login.robot\n*** Test Cases ***\nWrong password\n    Log In    x\n");
    let view = proof::links(&yard.workspace(), &yard.context(), &LinkQuery::default()).unwrap();
    let told: Vec<(&str, &str, u32)> = view
        .problems
        .iter()
        .map(|problem| (problem.error.as_str(), problem.path.as_str(), problem.line))
        .collect();
    assert_eq!(
        told,
        [
            ("link_target_missing", ".hewto/links.toml", 5),
            ("link_dangling", "src/more.py", 1),
            ("link_malformed", "src/more.py", 4),
        ]
    );
    assert_eq!(view.problems[1].near[0], "accounts#sign-in/known-customer");
    let wrong = view.links.iter().find(|link| link.reference.scenario() == Some("wrong-password")).unwrap();
    assert_eq!((wrong.place.path.as_str(), wrong.place.line, wrong.place.end), ("e2e/login.robot", 2, 3));
}

#[test]
fn a_name_that_is_meant_is_found_wherever_the_mistake_is() {
    let yard = yard("ok");
    yard.files
        .add(&format!("//- specs/accounts/spec.md\n{SPEC}\n### Requirement: Lockout\nIt SHALL lock.\n"));
    for (wrong, meant) in [
        ("accounts#sing-in", "accounts#sign-in"),
        ("accounts#lock-out", "accounts#lockout"),
        ("accounts#lock-out/third-try", "accounts#lockout"),
        ("accounts#lockout/third-try", "accounts#lockout"),
        ("accounts#wrong-password", "accounts#sign-in/wrong-password"),
        ("accounts#log-on/wrong-password", "accounts#sign-in/wrong-password"),
        ("accounts#sign-in/nothing", "accounts#sign-in/known-customer"),
        ("account#sign-in/wrong-password", "accounts#sign-in/wrong-password"),
        ("acounts#lockot", "accounts#lockout"),
        ("Accounts#sign-in/known-customer", "accounts#sign-in/known-customer"),
    ] {
        yard.files.add(&format!("//- src/more.py\n# @spec {wrong}\ndef f():\n    pass\n"));
        let view = proof::links(&yard.workspace(), &yard.context(), &LinkQuery::default()).unwrap();
        assert_eq!(view.problems[0].near.first().map(String::as_str), Some(meant), "{wrong}: {view:#?}");
    }
}

#[test]
fn whoever_asks_for_one_state_still_learns_that_others_are_red() {
    let yard = yard("ok");
    yard.run().unwrap();
    let ask = |state| {
        let query = Query { state: Some(state), ..Query::default() };
        let view = proof::matrix(&yard.workspace(), &yard.context(), &query).unwrap();
        (view.rows.len(), view.summary.total, view.red_left_out, view.green)
    };
    assert_eq!(ask(State::Verified), (1, 1, 1, false));
    assert_eq!(ask(State::Uncovered), (1, 1, 0, false));
    assert_eq!(ask(State::Failed), (0, 0, 1, false));
    proof::baseline(&yard.workspace(), &yard.context(), BaselineMode::Draw(None)).unwrap();
    assert_eq!(ask(State::Verified), (1, 1, 0, true));
}

#[test]
fn a_scan_sees_an_edit_at_once_though_it_keeps_what_it_read() {
    let yard = yard("ok");
    let (ws, ctx) = (yard.workspace(), yard.context());
    let count = || proof::links(&ws, &ctx, &LinkQuery::default()).unwrap().links.len();
    assert_eq!((count(), count()), (2, 2));
    edit(&yard, "tests/login.rs", "// @spec accounts#sign-in/known-customer\n", "");
    assert_eq!(count(), 1);
}

#[test]
fn archiving_a_rename_keeps_old_tags_valid_and_fix_rewrites_them() {
    let yard = yard("ok");
    yard.files.add("//- changes/rename/proposal.md\n# Change: Rename\n\n## Why\nThe word is wrong for what our customers do there every day.\n\n## What Changes\n- rename\n//- changes/rename/tasks.md\n- [x] 1.1 Rename\n//- changes/rename/specs/accounts/spec.md\n## RENAMED Requirements\n- FROM: `### Requirement: Sign in`\n- TO: `### Requirement: Log in`\n");
    let (ws, ctx) = (yard.workspace(), yard.context());
    yard.run().unwrap();
    proof::baseline(&ws, &ctx, BaselineMode::Draw(None)).unwrap();
    change::archive(&ws, &ctx, "rename", ArchiveOptions::default()).unwrap();
    let view = proof::links(&ws, &ctx, &LinkQuery::default()).unwrap();
    let keys: Vec<&str> = view.problems.iter().map(|problem| problem.error.as_str()).collect();
    assert_eq!(keys, ["link_renamed", "link_renamed"], "{view:#?}");
    let view = matrix(&yard);
    assert_eq!((view.rows[0].state, view.rows[1].debt.as_deref()), (State::Verified, Some("baseline")));
    assert!(view.green, "a name is no news: {view:#?}");
    let shown = proof::fix(&ws, &ctx, FixMode::DryRun).unwrap();
    assert_eq!(shown.fixed.len(), 2);
    assert!(
        yard.files.read("tests/login.rs").contains("accounts#sign-in/known-customer"),
        "a dry run writes nothing"
    );
    proof::fix(&ws, &ctx, FixMode::Write).unwrap();
    assert!(yard.files.read("tests/login.rs").contains("// @spec accounts#log-in/known-customer\n"));
    assert!(proof::links(&ws, &ctx, &LinkQuery::default()).unwrap().problems.is_empty());
}

#[test]
fn a_name_in_the_file_of_links_is_told_and_rewritten_where_it_stands() {
    let yard = yard("ok");
    yard.files.add("//- .hewto/links.toml\n[[link]]\nref = \"accounts#log-on/wrong-password\"\ntest = \"e2e/login.robot::Wrong password\"\n\n[[link]]\nref = \"accounts#sign-ni\"\ncode = \"e2e/login.robot\"\n//- e2e/login.robot\n*** Test Cases ***\nWrong password\n    Log In    x\n//- .hewto/proof/aliases.toml\n[[renamed]]\nfrom = \"accounts#log-on\"\nto = \"accounts#sign-in\"\nchange = \"x\"\n");
    let (ws, ctx) = (yard.workspace(), yard.context());
    let problems = || proof::links(&ws, &ctx, &LinkQuery::default()).unwrap().problems;
    let told: Vec<_> = problems().into_iter().map(|one| (one.error, one.path, one.line)).collect();
    let at = |key: &str, line| (key.to_owned(), ".hewto/links.toml".to_owned(), line);
    assert_eq!(told, [at("link_renamed", 1), at("link_dangling", 5)]);
    proof::fix(&ws, &ctx, FixMode::Write).unwrap();
    assert!(yard.files.read(".hewto/links.toml").contains("ref = \"accounts#sign-in/wrong-password\"\n"));
    assert_eq!(problems().len(), 1);
}

#[test]
fn promises_of_a_change_are_no_dangling_links() {
    let yard = yard("ok");
    yard.files.add("//- changes/more/proposal.md\n# Change: More\n\n## Why\nCustomers ask for it every day, and nobody can help them.\n\n## What Changes\n- more\n//- changes/more/tasks.md\n- [ ] 1.1 Do\n//- changes/more/specs/accounts/spec.md\n## ADDED Requirements\n\n### Requirement: Lock out\nIt SHALL lock.\n\n#### Scenario: Third try\n- **WHEN** it is wrong again\n- **THEN** it locks\n//- tests/lock.rs\n// @spec accounts#lock-out/third-try\n#[test]\nfn locks() {}\n");
    let (ws, ctx) = (yard.workspace(), yard.context());
    let view = proof::links(&ws, &ctx, &LinkQuery::default()).unwrap();
    assert!(view.problems.is_empty(), "{view:#?}");
    let query = Query { target: Some("more".to_owned()), ..Query::default() };
    let view = proof::matrix(&ws, &ctx, &query).unwrap();
    assert_eq!((view.selection.as_str(), view.rows[0].state), ("change:more", State::Linked));
}

#[test]
fn what_is_asked_for_has_to_be_there() {
    let yard = yard("ok");
    let ask = |target: &str| {
        let query = Query { target: Some(target.to_owned()), ..Query::default() };
        proof::matrix(&yard.workspace(), &yard.context(), &query)
    };
    assert_eq!(ask("accounts").unwrap().rows.len(), 2);
    assert_eq!(ask("accounts#sign-in/known-customer").unwrap().rows.len(), 1);
    assert_eq!(ask("accounts#sign-in").unwrap().rows.len(), 2);
    for (target, key) in [
        ("acounts", "spec_not_found"),
        ("change:none", "change_not_found"),
        ("accounts#sign-in/none", "promise_not_found"),
        ("accounts#", "invalid_params"),
    ] {
        assert_eq!(ask(target).unwrap_err().key.to_string(), key, "{target}");
    }
}

#[test]
fn a_test_that_names_nothing_of_its_then_is_an_info() {
    let yard = yard("ok");
    edit(&yard, "specs/accounts/spec.md", "they are in", "`welcome` comes back with 200");
    let note = |yard: &Yard| matrix(yard).rows[0].notes.clone();
    assert_eq!(note(&yard), ["its test names nothing of what THEN promises: `welcome`, `200`"]);
    edit(&yard, "tests/login.rs", "sign_in()", "sign_in() == \"welcome\"");
    assert!(note(&yard).is_empty());
}
