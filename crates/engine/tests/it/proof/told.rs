//! Where else it is told how promises stand, and who may let one pass.

use hewto_engine::graph::{self, TreeRequest};
use hewto_engine::proof::run::{self, RunRequest};
use hewto_engine::proof::{self, Person, StatusQuery};
use hewto_engine::review::Channel;
use hewto_engine::search::{self, ContextRequest};
use hewto_engine::view::{DependencyEdge, DiagnosticView, State};
use hewto_engine::{check, requirement};

use super::promises::{edit, matrix, person, yard};

#[test]
fn whoever_lets_something_pass_is_asked_as_for_an_approval() {
    let yard = yard("ok");
    yard.run().unwrap();
    let (ws, ctx) = (yard.workspace(), yard.context());
    let reference = "accounts#sign-in/wrong-password";
    let waive = |person: &Person| {
        let outcome = proof::waive(&ws, &ctx, reference, "after the fair", "2999-01-01", person);
        outcome.map_or_else(|error| error.key.as_str(), |_| "recorded")
    };
    let gates = |text: &str| {
        let path = yard.files.path(".hewto/proof.toml");
        let settings = fs_err::read_to_string(&path).unwrap();
        let settings = settings.split("\n[gates").next().unwrap();
        fs_err::write(&path, format!("{settings}\n{text}")).unwrap();
    };
    for channel in [Channel::Asserted, Channel::Elicited] {
        assert_eq!(waive(&Person::new("Ann", channel)), "gate_refused");
    }
    gates("[gates]\nreviewers = [\"Bo\"]\n");
    assert_eq!(waive(&person()), "not_a_reviewer");
    assert_eq!(waive(&Person::new("Bo", Channel::Terminal)), "recorded");
    assert!(matrix(&yard).green);
    for stricter in ["archive = \"signed\"", "plan = \"touch\""] {
        gates(&format!("[gates]\n{stricter}\n"));
        assert_eq!(waive(&person()), "gate_refused");
        let unsigned = Person { signature: Some("nothing".to_owned()), ..Person::new("Ann", Channel::Touch) };
        assert_eq!(waive(&unsigned), "gate_refused");
        let view = matrix(&yard);
        assert!(!view.green, "what was let pass by less counts no more");
        assert!(view.problems.iter().any(|problem| problem.error == "record_unconfirmed"), "{view:#?}");
    }
    gates("[gates.folder.\"specs/accounts\"]\narchive = \"signed\"\n");
    assert_eq!(waive(&person()), "gate_refused");
    gates("[gates.folder.\"specs/other\"]\narchive = \"signed\"\n");
    assert_eq!(waive(&person()), "recorded");
}

#[test]
fn whoever_asks_for_a_runner_that_is_not_declared_gets_the_table_to_write() {
    let yard = yard("ok");
    let (ws, ctx) = (yard.workspace(), yard.context());
    let ask = |name: &str| {
        let request = RunRequest { checks: vec![name.to_owned()], ..RunRequest::default() };
        run::run(&ws, &ctx, &request).unwrap_err()
    };
    let error = ask("pytest");
    assert_eq!(error.key.as_str(), "check_unknown");
    let table = error.details["declaration"].as_str().unwrap();
    assert!(table.starts_with("[check.pytest]\nrun = [\"python3\", "), "{table}");
    let hint = error.plain_hint().unwrap();
    for word in ["declared are `unit`", "dotnet", "ctrf", "hewto trust", table] {
        assert!(hint.contains(word), "{hint}");
    }
    assert!(ask("robot").plain_hint().unwrap().contains("[check.robot]\nrun = [\"PROGRAM\""));
    assert_eq!(ask("unti").plain_hint().unwrap(), "did you mean `unit`?");
    edit(&yard, ".hewto/proof.toml", "[check.unit]", "[chekc.unit]");
    let none = ask("unit");
    assert_eq!(none.message, "no check is declared");
    assert!(none.plain_hint().unwrap().contains("did you mean `check`?"), "{:?}", none.hint);
}

#[test]
fn files_that_proof_cannot_go_by_are_told_with_their_line() {
    let yard = yard("ok");
    let (ws, ctx) = (yard.workspace(), yard.context());
    let told = || {
        let report = check::validate(&ws, &ctx, check::Strictness::Normal).unwrap();
        let proof = |one: &&DiagnosticView| one.file.starts_with(".hewto/proof");
        let shown =
            |one: &DiagnosticView| format!("{}:{} {}", one.file, one.line.unwrap_or_default(), one.code);
        report.issues.iter().filter(proof).map(shown).collect::<Vec<_>>()
    };
    assert!(told().is_empty());
    yard.files.add("//- .hewto/proof/baseline.toml\nuncovered = [\n//- .hewto/proof/waivers.toml\n[[waiver]]\nref = \"accounts#sign-in\"\n");
    assert_eq!(
        told(),
        [".hewto/proof/baseline.toml:1 proof-record", ".hewto/proof/waivers.toml:1 proof-record"]
    );
    edit(&yard, ".hewto/proof.toml", "format = \"tap\"", "format = \"tape\"\ncolour = 1");
    assert_eq!(
        told(),
        [".hewto/proof.toml:6 proof-settings-invalid", ".hewto/proof.toml:7 proof-key-unknown"]
    );
}

#[test]
fn a_run_tells_how_the_promises_stand_that_were_asked_for() {
    let yard = yard("ok");
    let (ws, ctx) = (yard.workspace(), yard.context());
    let refs = |names: &[&str]| RunRequest {
        refs: names.iter().map(|&name| name.to_owned()).collect(),
        ..RunRequest::default()
    };
    let unknown = run::run(&ws, &ctx, &refs(&["accounts#nothing"])).unwrap_err();
    assert_eq!(unknown.key.as_str(), "promise_not_found", "a name that is none is told before anything runs");
    assert!(!yard.files.path("report.tap").exists());
    let names = ["accounts#sign-in/known-customer", "accounts#sign-in/wrong-password"];
    let told: Vec<State> =
        run::run(&ws, &ctx, &refs(&names)).unwrap().promises.into_iter().map(|one| one.state).collect();
    assert_eq!(told, [State::Verified, State::Uncovered]);
    assert_eq!(run::run(&ws, &ctx, &refs(&["accounts#sign-in"])).unwrap().promises.len(), 2);
    assert!(run::run(&ws, &ctx, &refs(&[])).unwrap().promises.is_empty());
}

#[test]
fn a_promise_without_a_test_comes_with_tests_that_may_be_meant() {
    let yard = yard("ok");
    yard.script("printf 'ok 1 - known_customer\\nok 2 - refuses_wrong_password\\n' > report.tap");
    yard.run().unwrap();
    let view = matrix(&yard);
    assert_eq!(view.rows[1].similar, ["refuses_wrong_password"], "{view:#?}");
    assert!(view.rows[0].similar.is_empty(), "it has one");
    let (ws, ctx) = (yard.workspace(), yard.context());
    let scenario = requirement::scenario(&ws, &ctx, "accounts", "Sign in", Some("Wrong password")).unwrap();
    assert_eq!(scenario.similar, ["refuses_wrong_password"]);
}

#[test]
fn what_is_to_be_read_comes_with_how_it_stands() {
    let yard = yard("ok");
    let (ws, ctx) = (yard.workspace(), yard.context());
    let states = || {
        let request = ContextRequest { files: vec!["src/login.rs".to_owned()], ..ContextRequest::default() };
        let items = search::context_for(&ws, &ctx, &request).unwrap().items;
        items.into_iter().flat_map(|item| item.states).collect::<Vec<_>>()
    };
    assert_eq!(
        states(),
        ["accounts#sign-in/known-customer: linked", "accounts#sign-in/wrong-password: uncovered"]
    );
    yard.run().unwrap();
    assert_eq!(states()[0], "accounts#sign-in/known-customer: verified");
    edit(&yard, ".hewto/proof.toml", "policy = \"enforce\"", "policy = \"off\"");
    assert!(states().is_empty(), "where nobody asks for proof nothing is told of it");
}

#[test]
fn the_graph_has_the_links_of_code_and_tests() {
    let yard = yard("ok");
    let (ws, ctx) = (yard.workspace(), yard.context());
    let edges = || {
        let request = TreeRequest { locator: "spec://accounts".to_owned(), max_chars: None };
        let tree = graph::tree(&ws, &ctx, &request).unwrap();
        let shown = |edge: &DependencyEdge| {
            format!("{}:{} {} {}", edge.from.handle, edge.from.metadata["line"], edge.r#type, edge.to.handle)
        };
        tree.downstream.iter().map(shown).collect::<Vec<_>>()
    };
    assert_eq!(
        edges(),
        ["src/login.rs:1 implements spec://accounts", "tests/login.rs:1 tests spec://accounts"]
    );
    edit(&yard, "src/login.rs", "// @spec accounts#sign-in/known-customer\n", "");
    assert_eq!(edges(), ["tests/login.rs:1 tests spec://accounts"]);
    edit(&yard, ".hewto/proof.toml", "policy = \"enforce\"", "policy = \"off\"");
    assert!(edges().is_empty());
}

#[test]
fn what_a_server_remembers_of_the_tree_counts_until_something_happens_in_it() {
    let yard = yard("ok");
    let (ws, ctx) = (yard.workspace(), yard.context());
    let query = StatusQuery {
        reference: Some("accounts#sign-in/known-customer".to_owned()),
        ..StatusQuery::default()
    };
    let state = || proof::status(&ws, &ctx, &query).unwrap().rows[0].state;
    assert_eq!((state(), state()), (State::Linked, State::Linked));
    run::run(&ws, &ctx, &RunRequest::default()).unwrap();
    assert_eq!((state(), state()), (State::Verified, State::Verified));
    for (path, from, to, then) in [
        ("src/login.rs", "true", "false", State::Stale),
        ("src/login.rs", "false", "true", State::Verified),
        ("tests/login.rs", "assert!(sign_in())", "assert!(!sign_in())", State::Stale),
        ("tests/login.rs", "assert!(!sign_in())", "assert!(sign_in())", State::Verified),
    ] {
        edit(&yard, path, from, to);
        assert_eq!((state(), state()), (then, then), "{path}: {to}");
    }
    yard.files
        .add("//- new/folder/more.rs\n// @spec accounts#sign-in/known-customer\n#[test]\nfn other() {}\n");
    assert_ne!(state(), State::Verified, "a folder that was not there");
    yard.files.add("//- .gitignore\nnew/\n");
    assert_eq!(state(), State::Verified);
}

#[test]
fn what_the_first_run_of_a_project_leaves_does_not_spoil_its_trial() {
    use std::os::unix::fs::PermissionsExt as _;
    let yard = yard("ok");
    yard.files.add("//- pom.xml\n<project/>\n");
    let wrapper = yard.files.path("mvnw");
    let report = "mkdir -p target/surefire-reports; echo '<testsuite><testcase name=\"a\"/></testsuite>' > target/surefire-reports/TEST-a.xml";
    fs_err::write(&wrapper, format!("#!/bin/sh\n[ -f versions.lock ] || echo x > versions.lock\n{report}\n"))
        .unwrap();
    std::fs::set_permissions(&wrapper, std::fs::Permissions::from_mode(0o755)).unwrap();
    let declared = proof::init(&yard.workspace(), &yard.context(), proof::Trial::Run).unwrap();
    let maven = declared.checks.iter().find(|check| check.check == "maven").unwrap();
    assert_eq!(maven.tried.as_ref().unwrap().status.as_str(), "passed", "{maven:#?}");
}

#[test]
fn the_configuration_of_vite_is_a_harness_of_vitest() {
    let yard = super::Yard::new("true");
    fs_err::remove_file(yard.files.path(".hewto/proof.toml")).unwrap();
    yard.files.add("//- package.json\n{\"devDependencies\": {\"vitest\": \"4\"}}\n//- vite.config.ts\nexport default {}\n");
    proof::init(&yard.untrusted(), &yard.context(), proof::Trial::Skip).unwrap();
    assert!(yard.files.read(".hewto/proof.toml").contains("harness = [\"vite.config.ts\"]"));
}
