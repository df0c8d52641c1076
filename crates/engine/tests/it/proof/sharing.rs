//! One run for all who ask about the same tree.

use std::fmt::Write as _;
use std::sync::Barrier;

use hewto_engine::proof::run::{self, Reuse, RunRequest};
use hewto_engine::view::State;

use super::Yard;
use super::promises::{self, edit, matrix};

#[test]
fn eight_who_ask_at_once_get_one_run() {
    let yard = Yard::new("echo x >> ../count-$(basename $PWD); sleep 0.3; echo 'ok 1 - a' > report.tap");
    let barrier = Barrier::new(8);
    let checks: Vec<_> = std::thread::scope(|scope| {
        let ask = || {
            barrier.wait();
            yard.check()
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let name = yard.files.root().file_name().unwrap().to_string_lossy().into_owned();
    let count = yard.files.root().parent().unwrap().join(format!("count-{name}"));
    let ran = fs_err::read_to_string(&count).unwrap().lines().count();
    fs_err::remove_file(count).unwrap();
    assert_eq!(ran, 1);
    assert!(checks.iter().all(|check| check.status.as_str() == "passed" && check.run == checks[0].run));
    assert_eq!(checks.iter().filter(|check| !check.shared && !check.cached).count(), 1);
}

#[test]
fn two_checks_of_one_checkout_run_one_after_the_other() {
    let yard = Yard::new(
        "test -e busy && exit 9; touch busy; sleep 0.2; rm busy; echo 'ok 1 - a' > $0.tap; echo 'ok 1 - a' > report.tap",
    );
    let settings = yard.files.read(".hewto/proof.toml");
    yard.files.add(&format!("//- .hewto/proof.toml\n{settings}[check.more]\nrun = [\"./check.sh\", \"more\"]\nreport = \"check.sh.tap\"\nformat = \"tap\"\n//- .gitignore\nbusy\n"));
    let ask = |name: &str| {
        let request = RunRequest { checks: vec![name.to_owned()], ..Default::default() };
        run::run(&yard.workspace(), &yard.context(), &request).unwrap().checks.remove(0)
    };
    let (one, two) = std::thread::scope(|scope| {
        let one = scope.spawn(|| ask("unit"));
        let two = ask("more");
        (one.join().unwrap(), two)
    });
    assert_eq!((one.status.as_str(), two.status.as_str()), ("passed", "passed"), "{one:#?} {two:#?}");
}

#[test]
fn each_of_many_checks_keeps_the_run_that_it_rests_on() {
    let yard = Yard::new("echo \"ok 1 - test_${1:-0}\" > report-${1:-0}.tap");
    let mut spec =
        "# Shop\n\n## Purpose\nWhat the shop does for those who come to it.\n\n## Requirements\n".to_owned();
    let mut settings = "policy = \"warn\"\ntests = [\"tests/**\"]\n".to_owned();
    for n in 0..12 {
        let _ = write!(
            spec,
            "\n### Requirement: R{n}\nIt SHALL do {n}.\n\n#### Scenario: S\n- **WHEN** a\n- **THEN** b\n"
        );
        let _ = write!(
            settings,
            "[check.c{n}]\nrun = [\"./check.sh\", \"{n}\"]\nreport = \"report-{n}.tap\"\nformat = \"tap\"\n"
        );
        yard.files.add(&format!(
            "//- tests/t{n}.rs\n// @spec shop#r{n}/s\n#[test]\nfn test_{n}() {{\n    assert!(true);\n}}\n"
        ));
    }
    yard.files.add(&format!("//- specs/shop/spec.md\n{spec}//- .hewto/proof.toml\n{settings}"));
    yard.run().unwrap();
    let view = matrix(&yard);
    assert!(view.rows.iter().all(|row| row.state == State::Verified), "{view:#?}");
    assert_eq!(view.rows.len(), 12);
    // One of them is run over and over; the others have passed all the same.
    for _ in 0..10 {
        let request =
            RunRequest { checks: vec!["c0".to_owned()], reuse: Reuse::Never, ..RunRequest::default() };
        run::run(&yard.workspace(), &yard.context(), &request).unwrap();
    }
    let view = matrix(&yard);
    assert!(view.green && view.problems.is_empty(), "{view:#?}");
}

#[test]
fn what_an_equal_run_has_shown_is_not_forgotten_for_a_failure_of_other_code() {
    let yard = promises::yard("ok");
    yard.script(
        "grep -q true src/login.rs && r=ok || r='not ok'; echo \"$r 1 - known_customer\" > report.tap",
    );
    yard.check();
    edit(&yard, "src/login.rs", "true", "false");
    assert_eq!(yard.check().status.as_str(), "failed");
    edit(&yard, "src/login.rs", "false", "true");
    assert!(yard.check().cached);
    edit(&yard, "src/login.rs", "{ true }", "{\n    true\n}");
    let view = matrix(&yard);
    assert_eq!(view.rows[0].state, State::Verified, "{view:#?}");
}
