use proptest::prelude::*;

use super::*;

fn score(runners: &[Runner], output: &str) -> Option<TestsView> {
    let mut board = Scoreboard::new(runners);
    for line in output.lines() {
        board.line(line.trim_end());
    }
    board.finish()
}

fn check(runners: &[Runner], output: &str, counts: (u64, u64, u64), names: &[&str]) {
    let view = score(runners, output).expect("a summary");
    assert_eq!((view.passed, view.failed, view.skipped), counts, "{output}");
    assert_eq!(view.failed_names, names, "{output}");
    // An unknown runner is recognised as well.
    assert_eq!(score(Runner::ALL, output), Some(view));
}

#[test]
fn cargo_reports_are_summed_over_binaries() {
    let output = "
running 3 tests
test tests::one ... ok
test tests::two ... FAILED
test tests::slow ... ignored

failures:

---- tests::two stdout ----
thread 'tests::two' panicked at src/lib.rs:9:5:
boom

failures:
    tests::two

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests thing
test src/lib.rs - add (line 3) ... FAILED
test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.20s
";
    check(&[Runner::Cargo], output, (1, 2, 1), &["tests::two", "src/lib.rs - add (line 3)"]);
}

#[test]
fn nextest_is_cargo_too() {
    let output = "
        PASS [   0.004s] thing tests::one
        FAIL [   0.005s] thing tests::two
     Summary [   0.010s] 2 tests run: 1 passed, 1 failed, 3 skipped
        FAIL [   0.005s] thing tests::two
";
    check(&[Runner::Cargo], output, (1, 1, 3), &["thing tests::two"]);
}

#[test]
fn pytest_reports_are_read() {
    let output = "
tests/test_a.py .F.sE                                                    [100%]
=========================== short test summary info ============================
FAILED tests/test_a.py::test_two - assert 1 == 2
FAILED tests/test_a.py::test_p[a - b] - assert False
ERROR tests/test_b.py::test_setup - RuntimeError: no
============== 2 failed, 2 passed, 1 skipped, 3 warnings, 1 error in 0.12s ===============
";
    let names =
        ["tests/test_a.py::test_two", "tests/test_a.py::test_p[a - b]", "tests/test_b.py::test_setup"];
    check(&[Runner::Pytest], output, (2, 3, 1), &names);
    check(&[Runner::Pytest], "3 passed in 0.01s", (3, 0, 0), &[]);
    assert_eq!(score(&[Runner::Pytest], "no tests ran in 0.01s"), None);
}

#[test]
fn go_reports_are_read() {
    let output = "
=== RUN   TestOne
--- PASS: TestOne (0.00s)
=== RUN   TestTwo
=== RUN   TestTwo/sub
    two_test.go:9: boom
--- FAIL: TestTwo (0.00s)
    --- FAIL: TestTwo/sub (0.00s)
--- SKIP: TestThree (0.00s)
FAIL
FAIL	example.com/thing	0.003s
FAIL	example.com/other [build failed]
ok  	example.com/fine	0.001s
";
    let names = ["TestTwo", "TestTwo/sub", "example.com/other [build failed]"];
    check(&[Runner::Go], output, (1, 3, 1), &names);
}

#[test]
fn jest_reports_are_read() {
    let output = "
FAIL src/sum.test.js
  ● Console

    console.log
  ● sum › adds negative numbers

    expect(received).toBe(expected)

  ● top level

Summary of all failing tests
  ● sum › adds negative numbers

Test Suites: 1 failed, 1 passed, 2 total
Tests:       2 failed, 1 skipped, 5 passed, 8 total
Snapshots:   0 total
";
    check(Runner::NODE, output, (5, 2, 1), &["sum › adds negative numbers", "top level"]);
}

#[test]
fn vitest_reports_are_read() {
    let output = "
 ❯ test/sum.test.ts (3 tests | 1 failed) 5ms
 FAIL  test/sum.test.ts > sum > adds
AssertionError: expected 1 to be 2

 Test Files  1 failed (1)
      Tests  1 failed | 2 passed | 1 skipped (4)
   Duration  300ms
";
    check(Runner::NODE, output, (2, 1, 1), &["test/sum.test.ts > sum > adds"]);
}

#[test]
fn mocha_reports_are_read() {
    let output = "
  sum
    ✔ adds
    1) subtracts

  5 passing (10ms)
  1 pending
  2 failing

  1) sum
       subtracts:

      AssertionError [ERR_ASSERTION]: 1 == 2
      at Context.<anonymous> (test.js:9:5)

  2) top level:
     Error: boom
";
    check(Runner::NODE, output, (5, 2, 1), &["sum subtracts", "top level"]);
}

#[test]
fn node_test_reports_are_read_in_both_forms() {
    let spec = "
▶ sum
  ✔ adds (0.5ms)
  ✖ subtracts (0.7ms)
✖ sum (1.9ms)
ℹ tests 3
ℹ suites 1
ℹ pass 2
ℹ fail 1
ℹ cancelled 0
ℹ skipped 0

✖ failing tests:

✖ subtracts (0.7ms)
";
    check(Runner::NODE, spec, (2, 1, 0), &["subtracts", "sum"]);
    let tap = "
TAP version 13
ok 1 - adds
not ok 2 - subtracts
1..2
# tests 2
# pass 1
# fail 1
# skipped 0
";
    check(Runner::NODE, tap, (1, 1, 0), &["subtracts"]);
}

#[test]
fn dotnet_reports_are_summed_over_projects() {
    let output = "
  Failed Thing.Tests.SumTests.Subtracts [12 ms]
  Error Message:
   Assert.Equal() Failure
Failed!  - Failed:     1, Passed:    10, Skipped:     2, Total:    13, Duration: 31 ms - Thing.Tests.dll (net9.0)
Passed!  - Failed:     0, Passed:     4, Skipped:     0, Total:     4, Duration: 9 ms - Other.Tests.dll (net9.0)
";
    check(&[Runner::Dotnet], output, (14, 1, 2), &["Thing.Tests.SumTests.Subtracts"]);
    let modern = "
failed Thing.SumTests.Subtracts (12ms)
Test summary: total: 4, failed: 1, succeeded: 2, skipped: 1, duration: 1.2s
";
    check(&[Runner::Dotnet], modern, (2, 1, 1), &["Thing.SumTests.Subtracts"]);
}

#[test]
fn maven_reports_are_summed_over_modules() {
    let output = "
[ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! -- in com.x.SumTest
[ERROR] com.x.SumTest.subtracts -- Time elapsed: 0.01 s <<< FAILURE!
[ERROR] com.x.SumTest.divides -- Time elapsed: 0.01 s <<< ERROR!
[INFO] Results:
[ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0
[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 1
";
    check(&[Runner::Maven], output, (4, 2, 1), &["com.x.SumTest.subtracts", "com.x.SumTest.divides"]);
    let older = "
[ERROR] subtracts(com.x.SumTest)  Time elapsed: 0.01 s  <<< FAILURE!
Tests run: 1, Failures: 1, Errors: 0, Skipped: 0
";
    check(&[Runner::Maven], older, (0, 1, 0), &["subtracts(com.x.SumTest)"]);
}

#[test]
fn gradle_reports_are_read() {
    let output = "
SumTest > subtracts() FAILED
    org.opentest4j.AssertionFailedError at SumTest.java:9

5 tests completed, 1 failed, 1 skipped
";
    check(&[Runner::Gradle], output, (3, 1, 1), &["SumTest > subtracts()"]);
}

#[test]
fn numbers_that_no_run_has_are_cut_off() {
    let most = u64::MAX;
    for output in [
        format!("test result: ok. {most} passed; {most} failed; {most} ignored;\n"),
        format!("{most} failed, {most} passed, {most} skipped, {most} error in 0.01s\n"),
        format!("# pass {most}\n# fail {most}\n"),
        format!("Tests run: {most}, Failures: {most}, Errors: {most}, Skipped: {most}\n"),
        format!("{most} tests completed, {most} failed, {most} skipped\n"),
    ] {
        let view = score(Runner::ALL, &output.repeat(3)).expect("a summary");
        assert!(view.failed >= u64::from(u32::MAX), "{output}: {view:?}");
    }
}

proptest! {
    #[test]
    fn whatever_is_printed_names_are_short_and_told_once(
        output in "([ -~\n✖ℹ●]|Tests: |passed|--- FAIL: |Summary \\[|failing|test result: |test [a-c]{1,2} ... FAILED\n|[0-9]{20} passed){0,200}",
    ) {
        for runner in Runner::ALL {
            let Some(view) = score(&[*runner], &output) else { continue };
            for (index, name) in view.failed_names.iter().enumerate() {
                prop_assert!((1..=MAX_NAME_CHARS).contains(&name.chars().count()), "{:?}: {:?}", runner, name);
                prop_assert!(!view.failed_names[..index].contains(name), "{:?}: {:?}", runner, name);
            }
        }
    }
}
