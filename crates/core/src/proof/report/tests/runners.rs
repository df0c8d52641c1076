//! What single runners write in their own way, as they were seen to write it.

use super::*;

#[test]
fn subtests_in_braces_are_told_by_what_is_in_them_and_times_are_no_part_of_a_title() {
    // As vitest writes it.
    let nested = "TAP version 13\n1..1\nnot ok 1 - t/a.test.js # time=5.11ms {\n    1..1\n    not ok 1 - accounts # time=3.92ms {\n        1..3\n        ok 1 - lets in # time=1.17ms\n        not ok 2 - refuses 2 # time=2.16ms\n            ---\n            error:\n                name: \"Error\"\n            at: \"/w/t/a.test.js:6:64\"\n            ...\n        ok 3 - locks # SKIP\n    }\n}\n";
    assert_eq!(
        told(Format::Tap, nested),
        [
            "passed t/a.test.js / accounts | lets in",
            "FAILED t/a.test.js / accounts | refuses 2",
            "skipped t/a.test.js / accounts | locks",
        ]
    );
    let by_itself =
        "not ok 1 - set up {\n    ok 1 - one\n}\nok 2 - after\nok 3 - opens with {\nok 4 - last\n";
    assert_eq!(
        told(Format::Tap, by_itself),
        [
            "passed set up | one",
            "FAILED  | set up",
            "passed  | after",
            "passed  | opens with {",
            "passed  | last"
        ]
    );
    let torn = "not ok 1 - set up {\n    ok 1 - one\n";
    assert_eq!(told(Format::Tap, torn), ["passed set up | one", "FAILED  | set up"]);
}

#[test]
fn a_flat_list_names_the_file_before_the_title() {
    let flat = "ok 1 - t/a.test.js > accounts > lets in # time=1.17ms\nok 2 - 1.2 > 1.1\n";
    assert_eq!(told(Format::Tap, flat), ["passed  | accounts > lets in @t/a.test.js", "passed  | 1.2 > 1.1"]);
}

#[test]
fn ctrf_of_pytest_calls_tests_by_their_path() {
    let test = |name: &str| {
        format!(
            r#"{{"name":"tests/test_a.py::{name}","status":"passed","suite":["tests/test_a.py"],"filePath":"tests/test_a.py"}}"#
        )
    };
    let tests = [test("test_known[1]"), test("TestIn::test_wrong[a::b]")].join(",");
    let report = format!(r#"{{"results":{{"tests":[{tests}]}}}}"#);
    assert_eq!(
        told(Format::Ctrf, &report),
        [
            "passed tests/test_a.py | test_known[1] @tests/test_a.py",
            "passed tests/test_a.py / TestIn | test_wrong[a::b] @tests/test_a.py",
        ]
    );
}
