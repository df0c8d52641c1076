//! Ways to open a gate with what nobody has shown or let pass: none leads through.

use hewto_engine::build::{self, Approval, Completion};
use hewto_engine::change::{self, ArchiveOptions};
use hewto_engine::proof::run::{self, RunRequest};
use hewto_engine::proof::{self, BaselineMode, Person};
use hewto_engine::review::Channel;
use hewto_engine::trust::{self, Request, Trust};
use hewto_engine::{Context, Error, Workspace, review};

use super::Yard;

const SPEC: &str = "# Accounts\n\n## Purpose\nAccounts are for customers who come back to the shop again.\n\n## Requirements\n\n### Requirement: Sign in\nCustomers SHALL sign in.\n\n#### Scenario: Known customer\n- **WHEN** a known customer signs in\n- **THEN** they are in\n";
const PLAN: &str = "# Implementation Plan\n\n## Approach\n\nTests.\n\n## Steps\n\n### Step 1: Known customer\n\nShow it.\n\n- **Status:** completed\n";
const TEST: &str =
    "//- tests/login.rs\n// @spec accounts#sign-in/known-customer\n#[test]\nfn known_customer() {}\n";

/// A capability that is being built, with one scenario.
fn building(script: &str) -> Yard {
    let yard = Yard::new(script);
    yard.files.add(&format!("//- specs/accounts/spec.md\n{SPEC}//- specs/accounts/plan.md\n{PLAN}"));
    build::start(&yard.workspace(), &yard.context(), "accounts", Approval::Given).unwrap();
    yard
}

fn finish(ws: &Workspace, ctx: &Context) -> Result<(), Error> {
    let completion = Completion { summary: "done".to_owned(), ..Completion::default() };
    build::complete(ws, ctx, "accounts", &completion).map(drop)
}

fn key(outcome: Result<(), Error>) -> String {
    outcome.map_or_else(|error| error.key.to_string(), |()| "passed".to_owned())
}

fn person() -> Person {
    Person::new("Ann", Channel::Terminal)
}

#[test]
fn a_name_that_somebody_wrote_into_the_baseline_opens_no_gate_and_a_persons_does() {
    let yard = building("echo 'ok 1 - other' > report.tap");
    yard.run().unwrap();
    yard.files.add(
        "//- .hewto/proof/baseline.toml\nuncovered = [\"accounts#sign-in/known-customer\"]\nfailing = []\n",
    );
    let (ws, ctx) = (yard.workspace(), yard.context());
    assert_eq!(key(finish(&ws, &ctx)), "evidence_missing");
    // Whoever takes it away and draws it anew is nobody either.
    fs_err::remove_file(yard.files.path(".hewto/proof/baseline.toml")).unwrap();
    proof::baseline(&ws, &ctx, BaselineMode::Draw(None)).unwrap();
    assert_eq!(key(finish(&ws, &ctx)), "evidence_missing");
    fs_err::write(yard.files.path(".hewto/proof/baseline.toml"), "uncovered = []\n").unwrap();
    proof::baseline(&ws, &ctx, BaselineMode::Draw(Some(&person()))).unwrap();
    assert!(yard.files.read(".hewto/proof/baseline.toml").contains("mac = "));
    assert_eq!(key(finish(&ws, &ctx)), "passed");
}

#[test]
fn a_seal_is_for_the_names_that_were_shown() {
    let yard = building("echo 'ok 1 - other' > report.tap");
    let (ws, ctx) = (yard.workspace(), yard.context());
    fs_err::create_dir_all(yard.files.path(".hewto/proof")).unwrap();
    fs_err::write(yard.files.path(".hewto/proof/baseline.toml"), "uncovered = []\n").unwrap();
    proof::baseline(&ws, &ctx, BaselineMode::Draw(Some(&person()))).unwrap();
    yard.files.add(&format!(
        "//- specs/accounts/spec.md\n{SPEC}\n#### Scenario: Wrong password\n- **WHEN** it is wrong\n- **THEN** they stay out\n"
    ));
    let sealed = yard.files.read(".hewto/proof/baseline.toml");
    let grown = sealed.replace("uncovered = [\n", "uncovered = [\n  \"accounts#sign-in/wrong-password\",\n");
    fs_err::write(yard.files.path(".hewto/proof/baseline.toml"), grown).unwrap();
    yard.run().unwrap();
    assert_eq!(key(finish(&ws, &ctx)), "evidence_missing");
}

#[test]
fn a_check_of_ones_own_counts_for_nothing_once_the_owner_has_trusted_another() {
    let yard = building("printf 'not ok 1 - known_customer\\n' > report.tap; exit 1");
    yard.files.add(TEST);
    let state = tempfile::tempdir().unwrap();
    let trust = Trust::in_state_dir(state.path());
    let ctx = yard.context();
    let owned = || yard.workspace().with_trust(trust.clone());
    trust::accept(&trust, &Request::of(&owned(), &ctx).unwrap(), &[], &ctx).unwrap();
    // Another program under the same name, run with the digest that whoever wrote it can compute.
    let settings = yard.files.read(".hewto/proof.toml");
    yard.files.add("//- forged.sh\n#!/bin/sh\necho 'ok 1 - known_customer' > report.tap\n");
    let script = yard.files.path("forged.sh");
    std::fs::set_permissions(script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    fs_err::write(yard.files.path(".hewto/proof.toml"), settings.replace("./check.sh", "./forged.sh"))
        .unwrap();
    let ran = run::run(&owned(), &ctx, &RunRequest::default()).unwrap();
    assert_eq!(ran.status.as_str(), "passed", "the command line was given its digest: {ran:#?}");
    let server = yard.untrusted().with_trust(trust.clone());
    assert_eq!(key(finish(&server, &ctx)), "evidence_missing");
    let view = proof::matrix(&server, &ctx, &proof::Query::default()).unwrap();
    assert!(view.problems.iter().any(|problem| problem.error == "check_not_trusted"), "{view:#?}");
    assert!(!view.green);
}

#[test]
fn runs_that_only_whoever_made_them_has_trusted_say_so_until_the_owner_does() {
    let yard = building("printf 'ok 1 - known_customer\\n' > report.tap");
    yard.files.add(TEST);
    let state = tempfile::tempdir().unwrap();
    let trust = Trust::in_state_dir(state.path());
    let ctx = yard.context();
    let given = || yard.workspace().with_trust(trust.clone());
    run::run(&given(), &ctx, &RunRequest::default()).unwrap();
    let told = |ws: &Workspace| {
        let view = proof::matrix(ws, &ctx, &proof::Query::default()).unwrap();
        assert!(view.green, "it makes nothing red: {view:#?}");
        view.problems.iter().filter(|problem| problem.error == "check_not_trusted").count()
    };
    assert_eq!(told(&given()), 0, "CI gives the digest to the command that looks");
    let later = || yard.untrusted().with_trust(trust.clone());
    assert_eq!(told(&later()), 1);
    trust::accept(&trust, &Request::of(&given(), &ctx).unwrap(), &[], &ctx).unwrap();
    assert_eq!(told(&later()), 0);
}

#[test]
fn a_check_of_ones_own_takes_no_file_out_of_the_tree_by_calling_it_its_report() {
    let yard = building("printf 'ok 1 - known_customer\\n' > report.tap");
    yard.files.add(TEST);
    let state = tempfile::tempdir().unwrap();
    let trust = Trust::in_state_dir(state.path());
    let ctx = yard.context();
    let owned = || yard.workspace().with_trust(trust.clone());
    trust::accept(&trust, &Request::of(&owned(), &ctx).unwrap(), &[], &ctx).unwrap();
    let settings = yard.files.read(".hewto/proof.toml");
    let own = "[check.own]\nrun = [\"true\"]\nreport = \"src/lib.txt\"\nformat = \"tap\"\n";
    yard.files.add(&format!("//- .hewto/proof.toml\n{settings}{own}"));
    let request = RunRequest { checks: vec!["unit".to_owned()], ..RunRequest::default() };
    assert_eq!(run::run(&owned(), &ctx, &request).unwrap().status.as_str(), "passed");
    yard.files.add("//- src/lib.txt\nbroken\n");
    let server = yard.untrusted().with_trust(trust.clone());
    assert_eq!(key(finish(&server, &ctx)), "evidence_stale");
    let view = proof::matrix(&server, &ctx, &proof::Query::default()).unwrap();
    assert!(!view.rows[0].exact, "{view:#?}");
}

#[test]
fn a_rename_that_somebody_wrote_gives_the_debt_of_one_promise_to_no_other() {
    let yard = building("echo 'ok 1 - other' > report.tap");
    yard.run().unwrap();
    let (ws, ctx) = (yard.workspace(), yard.context());
    fs_err::create_dir_all(yard.files.path(".hewto/proof")).unwrap();
    fs_err::write(yard.files.path(".hewto/proof/baseline.toml"), "uncovered = []\n").unwrap();
    proof::baseline(&ws, &ctx, BaselineMode::Draw(Some(&person()))).unwrap();
    let spec = yard.files.read("specs/accounts/spec.md");
    let renamed = spec.replace("Sign in", "Pay").replace("they are in", "they have paid");
    yard.files.add(&format!("//- specs/accounts/spec.md\n{renamed}"));
    yard.files.add("//- .hewto/proof/aliases.toml\n[[renamed]]\nfrom = \"accounts#sign-in\"\nto = \"accounts#pay\"\nchange = \"x\"\n");
    assert_eq!(key(finish(&ws, &ctx)), "evidence_missing");
    // What a change has renamed that was archived here keeps its debt.
    yard.files.add(&format!("//- specs/accounts/spec.md\n{spec}"));
    fs_err::remove_file(yard.files.path(".hewto/proof/aliases.toml")).unwrap();
    yard.files.add("//- changes/rename/proposal.md\n# Change: Rename\n\n## Why\nThe word is wrong for what our customers do there every day.\n\n## What Changes\n- rename\n//- changes/rename/tasks.md\n- [x] 1.1 Rename\n//- changes/rename/specs/accounts/spec.md\n## RENAMED Requirements\n- FROM: `### Requirement: Sign in`\n- TO: `### Requirement: Log in`\n");
    yard.run().unwrap();
    change::archive(&ws, &ctx, "rename", ArchiveOptions::default()).unwrap();
    assert!(yard.files.read(".hewto/proof/aliases.toml").contains("mac = "));
    yard.run().unwrap();
    assert_eq!(key(finish(&ws, &ctx)), "passed");
}

#[test]
fn a_test_that_fails_beside_the_linked_ones_stops_the_end() {
    let yard = building("printf 'ok 1 - known_customer\\nnot ok 2 - other\\n' > report.tap; exit 1");
    yard.files.add(TEST);
    yard.run().unwrap();
    let (ws, ctx) = (yard.workspace(), yard.context());
    let error = finish(&ws, &ctx).unwrap_err();
    assert!(error.message.contains("unit::other"), "{error}");
    let view = proof::matrix(&ws, &ctx, &proof::Query::default()).unwrap();
    assert_eq!((view.failures, view.green), (vec!["unit::other".to_owned()], false));
}

#[test]
fn a_step_that_was_ticked_by_hand_proves_nothing_at_the_end() {
    let yard = building("printf 'ok 1 - known_customer\\n' > report.tap");
    yard.files.add(TEST);
    yard.files.add(&format!(
        "//- specs/other/spec.md\n{}",
        SPEC.replace("# Accounts", "# Other").replace("Known customer", "Elsewhere")
    ));
    yard.files.add(&format!(
        "//- specs/accounts/plan.md\n{}",
        PLAN.replace("Show it.", "Show it.\n\n- **Proves:** other#sign-in/elsewhere, other#not/there")
    ));
    yard.run().unwrap();
    let error = finish(&yard.workspace(), &yard.context()).unwrap_err();
    let lacking: Vec<&str> = error.details["lacking"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["state"].as_str().unwrap())
        .collect();
    assert_eq!(lacking, ["uncovered", "unknown"], "{error}");
}

#[test]
fn work_that_is_done_but_not_proven_any_more_is_no_ground_for_other_work() {
    let yard = building("printf 'ok 1 - known_customer\\n' > report.tap");
    yard.files.add(TEST);
    yard.run().unwrap();
    let (ws, ctx) = (yard.workspace(), yard.context());
    finish(&ws, &ctx).unwrap();
    yard.files.add(
        "//- specs/more/spec.md\n---\ndependencies:\n- spec_id: accounts\n  kind: hard\n---\n# More\n\nOn top of it.\n//- specs/more/plan.md\n# Implementation Plan\n\n## Approach\n\nx\n\n## Steps\n\n### Step 1: A\n\nx\n\n- **Status:** pending\n",
    );
    let start = || build::start(&yard.workspace(), &ctx, "more", Approval::Given);
    let before = yard.files.read("tests/login.rs");
    yard.files.add(&format!("//- tests/login.rs\n{}", before.replace("{}", "{ assert!(true) }")));
    let error = start().unwrap_err();
    assert_eq!(error.key.as_str(), "dependency_not_satisfied", "{error}");
    yard.files.add(&format!("//- tests/login.rs\n{before}"));
    start().unwrap();
}

#[test]
fn a_cache_that_somebody_wrote_is_not_believed() {
    let yard = building("printf 'ok 1 - known_customer\\n' > report.tap");
    yard.files.add(TEST);
    yard.run().unwrap();
    // Old enough that its stamp would be believed.
    let (ws, ctx) = (yard.workspace(), yard.context());
    proof::matrix(&ws, &ctx, &proof::Query::default()).unwrap();
    let cache = yard.files.path(".hewto/cache/links");
    let text = fs_err::read_to_string(&cache).unwrap();
    assert!(text.contains("known-customer"));
    fs_err::write(&cache, text.replace("known-customer", "someone-else")).unwrap();
    let view = proof::matrix(&ws, &ctx, &proof::Query::default()).unwrap();
    assert_eq!(view.rows[0].state.as_str(), "verified", "{view:#?}");
    assert!(fs_err::read_to_string(&cache).unwrap().contains("known-customer"), "it was made anew");
}

#[test]
fn open_tasks_need_a_person_where_proof_is_enforced() {
    let yard = Yard::new("printf 'ok 1 - known_customer\\n' > report.tap");
    yard.files.add(&format!("//- specs/accounts/spec.md\n{SPEC}{TEST}"));
    yard.files.add("//- changes/mail/proposal.md\n# Change: Mail\n\n## Why\n\nBecause people have been asking for this every week.\n\n## What Changes\n\n- a link\n//- changes/mail/tasks.md\n## 1. All\n- [ ] 1.1 Table\n//- changes/mail/specs/accounts/spec.md\n## MODIFIED Requirements\n\n### Requirement: Sign in\nCustomers SHALL sign in at any time.\n\n#### Scenario: Known customer\n- **WHEN** a known customer signs in\n- **THEN** they are in\n");
    yard.run().unwrap();
    let (ws, ctx) = (yard.workspace(), yard.context());
    let options = ArchiveOptions { allow_open_tasks: true, ..ArchiveOptions::default() };
    let archive = || change::archive(&ws, &ctx, "mail", options).map(drop);
    let hint = || {
        let error = change::archive(&ws, &ctx, "mail", ArchiveOptions::default()).unwrap_err();
        assert_eq!(error.key.as_str(), "tasks_open");
        error.hint.unwrap().to_string()
    };
    let finish = "finish them, or ";
    let ask = "let a person run `hewto approve change:mail --allow-open-tasks`, then ";
    let leave = "archive `mail` with its open tasks";
    assert_eq!(hint(), format!("{finish}{ask}{leave}"));
    assert_eq!(key(archive()), "tasks_open");
    let shown = review::show(&ws, &ctx, "change:mail", review::ReviewOptions::default()).unwrap().digest;
    let say = |allows: Vec<review::Permission>, channel| {
        let by = review::Reviewer { name: "ana".to_owned(), channel };
        let verdict = review::Verdict::Approved;
        let ballot = review::Ballot { verdict, shown: shown.clone(), note: None, allows };
        review::decide(&ws, &ctx, "change:mail", &by, &ballot).unwrap();
    };
    say(Vec::new(), Channel::Terminal);
    assert_eq!(key(archive()), "tasks_open");
    say(vec![review::Permission::OpenTasks], Channel::Terminal);
    assert_eq!(hint(), format!("{finish}{leave}"));
    assert_eq!(key(archive()), "passed");
}
