//! A step is ticked when the tests of what it proves have passed in a run of its own, and by nothing that only looks like it.

use hewto_engine::Key;
use hewto_engine::plan::{self, StepName};
use hewto_engine::proof::run::{self, Reuse};
use hewto_engine::proof::{self, Person};
use hewto_engine::review::Channel;

use super::Yard;

const SETTINGS: &str = "policy = \"enforce\"\ntests = [\"tests/**\"]\n[check.unit]\nrun = [\"./check.sh\"]\nreport = \"report.xml\"\nformat = \"junit\"\ntimeout_s = 60\n";

/// What pytest would do, without Python: a case for each `def test_…`; it fails while the code is broken, and is skipped where the
/// line before says so.
const RUNNER: &str = r#"
echo '<testsuite name="pytest">' > report.xml
for file in tests/*.py; do
  module=$(basename "$file" .py)
  for name in $(sed -n 's/^def \(test_[a-z_]*\).*/\1/p' "$file"); do
    echo "<testcase classname=\"tests.$module\" name=\"$name\">"
    grep -B1 "^def $name" "$file" | grep -q skip && echo '<skipped/>'
    grep -q broken src/login.py && echo '<failure message="broken"/>'
    echo '</testcase>'
  done >> report.xml
done
echo '</testsuite>' >> report.xml
! grep -q broken src/login.py
"#;

const TEST: &str =
    "# @spec accounts#sign-in/known-customer\ndef test_known_customer():\n    assert sign_in('ann')\n";
const REPORT: &str =
    "<testsuite><testcase classname=\"tests.test_login\" name=\"test_known_customer\"/></testsuite>";
const SPEC: &str = "# Accounts\n\n## Purpose\n\nLet customers come back.\n\n## Requirements\n\n### Requirement: Sign in\n\nThe shop SHALL let customers sign in.\n\n#### Scenario: Known customer\n\n- **WHEN** a known customer signs in\n- **THEN** the door opens\n";
const PLAN: &str = "# Implementation Plan\n\n## Approach\n\nTests.\n\n## Steps\n\n### Step 1: Known customer\n\n- **Proves:** accounts#sign-in/known-customer\n\n- **Status:** pending\n";

/// Work with one step, which proves one scenario.
fn work() -> Yard {
    let yard = Yard::new(RUNNER);
    write(&yard, ".hewto/proof.toml", SETTINGS);
    write(&yard, "src/login.py", "def sign_in(name):\n    return True\n");
    write(&yard, "specs/accounts/spec.md", SPEC);
    write(&yard, "specs/work/spec.md", "# Work\n\nShow that customers get in.\n");
    write(&yard, "specs/work/plan.md", PLAN);
    yard
}

fn write(yard: &Yard, path: &str, text: &str) {
    yard.files.add(&format!("//- {path}\n{text}"));
}

/// Runs the check anew: how it ended.
fn status(yard: &Yard) -> String {
    yard.run_as(Reuse::Never).unwrap().checks.remove(0).status.as_str().to_owned()
}

/// What comes of ticking the step: nothing, or the key of the refusal.
fn tick(yard: &Yard) -> Option<Key> {
    let step = StepName::Text("1".to_owned());
    plan::complete_step(&yard.workspace(), &yard.context(), "work", step, None).err().map(|error| error.key)
}

fn assert_refused(yard: &Yard) {
    assert_eq!(tick(yard), Some(Key::EvidenceMissing));
}

#[test]
fn a_requirement_that_is_turned_round_takes_the_proof_of_its_scenarios_with_it() {
    let yard = work();
    write(&yard, "tests/test_login.py", TEST);
    assert_eq!(status(&yard), "passed");
    write(&yard, "specs/accounts/spec.md", &SPEC.replace("SHALL let", "SHALL NOT let"));
    assert_refused(&yard);
    assert_eq!(status(&yard), "passed");
    assert_refused(&yard);
    write(&yard, "specs/accounts/spec.md", SPEC);
    assert_eq!(tick(&yard), None);
}

// @spec proof#only-a-run-of-its-own-proves/only-the-list-is-ticked
#[test]
fn no_edit_and_only_a_ticked_list_prove_nothing() {
    let yard = work();
    assert_eq!(status(&yard), "no_tests_ran");
    assert_refused(&yard);
    write(&yard, "specs/work/plan.md", &PLAN.replace("pending", "completed"));
    assert_refused(&yard);
}

// @spec proof#only-a-run-of-its-own-proves/the-test-is-skipped-deleted-or-renamed
#[test]
fn a_test_that_is_skipped_deleted_renamed_or_failing_proves_nothing() {
    let skipped = "# @spec accounts#sign-in/known-customer\n# skip\ndef test_known_customer():\n    pass\ndef test_other():\n    pass\n";
    for text in [skipped, "def test_other():\n    pass\n"] {
        let yard = work();
        write(&yard, "tests/test_login.py", text);
        assert_eq!(status(&yard), "passed");
        assert_refused(&yard);
    }
    let renamed = work();
    write(&renamed, "tests/test_login.py", TEST);
    assert_eq!(status(&renamed), "passed");
    write(&renamed, "tests/test_login.py", &TEST.replace("test_known_customer", "check_known_customer"));
    assert_refused(&renamed);
    let failing = work();
    write(&failing, "tests/test_login.py", TEST);
    write(&failing, "src/login.py", "broken\n");
    assert_eq!(status(&failing), "failed");
    assert_refused(&failing);
}

// @spec proof#only-a-run-of-its-own-proves/the-runner-shows-nothing
#[test]
fn a_runner_that_shows_nothing_proves_nothing() {
    let yard = work();
    write(&yard, "tests/test_login.py", TEST);
    yard.script("exit 0");
    assert_eq!(status(&yard), "report_missing");
    assert_refused(&yard);
    write(&yard, "report.xml", REPORT);
    assert_eq!(status(&yard), "report_missing", "what was there before is gone");
    assert_refused(&yard);
    yard.script("echo '<testsuite/>' > report.xml");
    assert_eq!(status(&yard), "no_tests_ran");
    assert_refused(&yard);
    yard.script("cp -p old.xml report.xml");
    write(&yard, "old.xml", REPORT);
    let past = std::time::SystemTime::now() - std::time::Duration::from_hours(1);
    let old = yard.files.path("old.xml");
    std::fs::File::options().write(true).open(old).unwrap().set_modified(past).unwrap();
    assert_eq!(status(&yard), "report_missing", "an old report is none");
    assert_refused(&yard);
    yard.script(&format!("echo '# edited' >> src/login.py\n{RUNNER}"));
    assert_eq!(status(&yard), "run_torn");
    assert_refused(&yard);
}

// @spec proof#only-a-run-of-its-own-proves/a-record-is-written-by-hand
#[test]
fn a_record_that_somebody_wrote_proves_nothing() {
    let yard = work();
    write(&yard, "tests/test_login.py", TEST);
    write(&yard, "src/login.py", "broken\n");
    let run = yard.check().run.unwrap();
    let file = format!(".git/hewto/proof/runs/{run}.json");
    let text = yard.files.read(&file);
    let forged = text
        .replace("\"failed\"", "\"passed\"")
        .replace("\"FAILED\"", "\"PASSED\"")
        .replace("\"passedTests\":[]", "\"passedTests\":[\"pytest::tests.test_login::test_known_customer\"]");
    assert_ne!(forged, text);
    fs_err::write(yard.files.path(&file), forged).unwrap();
    assert_refused(&yard);
    let shown = run::show(&yard.workspace(), &yard.context(), &run);
    assert_eq!(shown.unwrap_err().key, Key::EvidenceTampered);
}

#[test]
fn what_a_person_let_pass_is_ticked_and_not_called_verified() {
    let yard = work();
    let (ws, ctx) = (yard.workspace(), yard.context());
    let ann = Person::new("Ann", Channel::Terminal);
    let reference = "accounts#sign-in/known-customer";
    proof::waive(&ws, &ctx, reference, "after the fair", "2999-01-01", &ann).unwrap();
    let ticked = plan::complete_step(&ws, &ctx, "work", StepName::Text("1".to_owned()), None).unwrap();
    assert_eq!((ticked.evidence.as_deref(), ticked.lacking.len()), (Some("reported"), 0), "{ticked:?}");
}

#[test]
fn where_no_check_is_declared_the_refusal_says_how_to_declare_one() {
    let yard = work();
    write(&yard, ".hewto/proof.toml", "policy = \"enforce\"\n");
    let step = StepName::Text("1".to_owned());
    let error = plan::complete_step(&yard.workspace(), &yard.context(), "work", step, None).unwrap_err();
    assert_eq!(error.key, Key::EvidenceMissing);
    assert!(error.plain_hint().unwrap().contains("`hewto proof init`"), "{error:?}");
}
