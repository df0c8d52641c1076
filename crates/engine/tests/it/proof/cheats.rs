//! Every way to look proven without being so, each refused by its key.

use hewto_engine::Key;
use hewto_engine::proof::run::{self, Chain, RunRequest};

use super::Yard;

/// What a run answers with: its status, and whether it counts.
fn outcome(yard: &Yard) -> (String, bool) {
    let check = yard.check();
    (check.status.as_str().to_owned(), check.counts)
}

fn refused(key: &str) -> (String, bool) {
    (key.to_owned(), false)
}

#[test]
fn a_runner_that_only_exits_well_has_shown_nothing() {
    assert_eq!(outcome(&Yard::new("exit 0")), refused("report_missing"));
}

#[test]
fn a_filter_that_matches_nothing_has_shown_nothing() {
    let yard = Yard::new("echo '1..0' > report.tap");
    assert_eq!(outcome(&yard), refused("no_tests_ran"));
    yard.script("echo 'ok 1 - a # SKIP' > report.tap");
    assert_eq!(outcome(&yard), refused("no_tests_ran"));
    let printed = Yard::with("format = \"libtest\"\n", "echo 'running 0 tests'");
    assert_eq!(outcome(&printed), refused("no_tests_ran"));
}

#[test]
fn a_report_that_was_there_before_is_gone_before_the_run() {
    let yard = Yard::new("true");
    yard.files.add("//- report.tap\nok 1 - a\n");
    assert_eq!(outcome(&yard), refused("report_missing"));
    assert!(!yard.files.exists("report.tap"));
}

#[test]
fn a_report_that_is_older_than_the_run_is_none() {
    let yard = Yard::new("cp -p old.tap report.tap");
    yard.files.add("//- old.tap\nok 1 - a\n");
    let past = std::time::SystemTime::now() - std::time::Duration::from_mins(1);
    std::fs::File::options()
        .write(true)
        .open(yard.files.path("old.tap"))
        .unwrap()
        .set_modified(past)
        .unwrap();
    let check = yard.check();
    assert_eq!(check.status.as_str(), "report_missing");
    assert!(check.problem.unwrap()["message"].as_str().unwrap().contains("older"));
}

#[test]
fn a_report_that_is_a_link_or_lies_behind_one_is_none() {
    let yard = Yard::new("echo 'ok 1 - a' > ../elsewhere-$$; ln -s ../elsewhere-$$ report.tap");
    assert_eq!(outcome(&yard), refused("report_missing"));
    let behind = Yard::with(
        "report = \"out/report.tap\"\nformat = \"tap\"\n",
        "mkdir real; echo 'ok 1 - a' > real/report.tap; ln -s real out",
    );
    assert_eq!(outcome(&behind), refused("report_missing"));
    let folder = Yard::new("mkdir report.tap");
    assert_eq!(outcome(&folder), refused("report_missing"));
}

#[test]
fn a_hostile_report_is_refused() {
    let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaa\">]><testsuite><testcase name=\"&a;\"/></testsuite>";
    let yard =
        Yard::with("report = \"r.xml\"\nformat = \"junit\"\n", &format!("cat > r.xml <<'END'\n{bomb}\nEND"));
    assert_eq!(outcome(&yard), refused("report_invalid"));
    let huge = Yard::new("head -c 70000000 /dev/zero | tr '\\0' 'x' > report.tap");
    assert_eq!(outcome(&huge), refused("report_invalid"));
}

#[test]
fn an_edit_during_the_run_tears_it() {
    let yard = Yard::new("echo two > src/lib.txt; echo 'ok 1 - a' > report.tap");
    let check = yard.check();
    assert_eq!((check.status.as_str(), check.counts), ("run_torn", false));
    assert_eq!(check.torn, ["src/lib.txt"]);
    let outside = Yard::with(
        "report = \"report.tap\"\nformat = \"tap\"\ninputs = [\"lib/**\"]\n",
        "echo two > src/lib.txt; echo 'ok 1 - a' > report.tap",
    );
    assert_eq!(outcome(&outside), ("passed".to_owned(), true), "what is not an input tears nothing");
}

#[test]
fn a_linked_test_that_is_another_one_while_it_runs_and_itself_again_afterwards_tears_it() {
    let script = "cp tests/login.rs kept; echo '#[test] fn known() {}' > tests/login.rs; echo 'ok 1 - known' > report.tap; cat kept > tests/login.rs; rm kept";
    let yard = Yard::new(script);
    yard.files.add("//- specs/a/spec.md\n# A\n\n## Requirements\n\n### Requirement: B\nIt SHALL be.\n\n#### Scenario: C\n- **THEN** it is\n//- tests/login.rs\n// @spec a#b/c\n#[test]\nfn known() {\n    panic!()\n}\n");
    let check = yard.check();
    assert_eq!((check.status.as_str(), check.counts), ("run_torn", false));
    assert_eq!(check.torn, ["tests/login.rs"]);
    yard.script("echo 'ok 1 - known' > report.tap");
    assert_eq!(outcome(&yard), ("passed".to_owned(), true));
}

#[test]
fn a_run_that_takes_too_long_is_ended() {
    let yard = Yard::new("echo 'ok 1 - a' > report.tap; sleep 600");
    let settings = yard.files.read(".hewto/proof.toml").replace("timeout_s = 20", "timeout_s = 1");
    yard.files.add(&format!("//- .hewto/proof.toml\n{settings}"));
    assert_eq!(outcome(&yard), refused("run_timeout"));
    assert!(!yard.files.exists("report.tap"), "half a report is none");
}

#[test]
fn only_what_is_trusted_and_declared_runs() {
    let yard = Yard::new("echo 'ok 1 - a' > report.tap");
    let error = run::run(&yard.untrusted(), &yard.context(), &RunRequest::default()).unwrap_err();
    assert_eq!(error.key, Key::CheckNotTrusted);
    assert!(!yard.files.exists("report.tap"));
    let trusted = yard.workspace();
    yard.files.add("//- .hewto/proof.toml\n[check.unit]\nrun = [\"./check.sh\"]\nformat = \"tap\"\n");
    let error = run::run(&trusted, &yard.context(), &RunRequest::default()).unwrap_err();
    assert_eq!(error.key, Key::CheckNotTrusted, "a changed declaration is off again");
    let unknown = RunRequest { checks: vec!["unti".to_owned()], ..RunRequest::default() };
    let error = run::run(&yard.workspace(), &yard.context(), &unknown).unwrap_err();
    assert_eq!(
        (error.key.as_str(), error.plain_hint().as_deref()),
        ("check_unknown", Some("did you mean `unit`?"))
    );
    yard.files.add("//- .hewto/proof.toml\npolicy = \"enforced\"\n");
    assert_eq!(yard.run().unwrap_err().key, Key::ProofSettingsInvalid);
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let yard = Yard::new("true");
    yard.files.add("//- .hewto/proof.toml\n[check.unit]\nrun = [\"no-such-runner\"]\nformat = \"tap\"\n");
    assert_eq!(outcome(&yard), refused("program_not_found"));
}

#[test]
fn a_record_that_was_written_or_changed_by_hand_counts_for_nothing() {
    let yard = Yard::new("echo 'not ok 1 - a' > report.tap; exit 1");
    let run = yard.check().run.unwrap();
    let file = format!(".git/hewto/proof/runs/{run}.json");
    let text = yard.files.read(&file);
    let forged = text
        .replace("\"verdict\":\"failed\"", "\"verdict\":\"passed\"")
        .replace("\"outcome\":\"failed\"", "\"outcome\":\"passed\"")
        .replace("\"result\":\"FAILED\"", "\"result\":\"PASSED\"")
        .replace("\"passedTests\":[]", "\"passedTests\":[\"a\"]")
        .replace("\"failedTests\":[\"a\"]", "\"failedTests\":[]");
    assert_ne!(forged, text);
    fs_err::write(yard.files.path(&file), &forged).unwrap();
    let chain = Chain::read(&yard.workspace(), &yard.context()).unwrap();
    assert!(chain.records.is_empty());
    assert!(chain.problems[0].why.contains("seal"), "{:?}", chain.problems);
    assert_eq!(run::show(&yard.workspace(), &yard.context(), &run).unwrap_err().key, Key::EvidenceTampered);
    assert!(!yard.check().cached);
}

#[test]
fn a_failure_that_is_removed_brings_no_older_success_back() {
    let yard = Yard::new(
        "if test -e ../fail-$(basename $PWD); then echo 'not ok 1 - a' > report.tap; exit 1; fi; echo 'ok 1 - a' > report.tap",
    );
    assert_eq!(yard.check().status.as_str(), "passed");
    let mark = yard
        .files
        .root()
        .parent()
        .unwrap()
        .join(format!("fail-{}", yard.files.root().file_name().unwrap().to_string_lossy()));
    fs_err::write(&mark, "").unwrap();
    let failed = yard.run_as(run::Reuse::Never).unwrap().checks.remove(0);
    fs_err::remove_file(&mark).unwrap();
    assert_eq!(failed.status.as_str(), "failed");
    fs_err::remove_file(yard.files.path(&format!(".git/hewto/proof/runs/{}.json", failed.run.unwrap())))
        .unwrap();
    let chain = Chain::read(&yard.workspace(), &yard.context()).unwrap();
    assert!(chain.records.is_empty() && !chain.problems.is_empty());
    assert!(!yard.check().cached, "nothing that was there before counts");
    assert!(
        !Chain::read(&yard.workspace(), &yard.context()).unwrap().records.is_empty(),
        "a new run mends the end"
    );
}

#[test]
fn another_machines_record_is_not_this_ones() {
    let yard = Yard::new("echo 'ok 1 - a' > report.tap");
    assert_eq!(yard.check().status.as_str(), "passed");
    let stranger = Yard::new("true");
    let chain = Chain::read(&yard.workspace(), &stranger.context()).unwrap();
    assert!(chain.records.is_empty());
    assert_eq!(chain.problems.len(), 1);
}
