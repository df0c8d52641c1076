use super::*;
use crate::proof::LinkKind;

fn link(path: &str, suites: &[&str], title: Option<&str>) -> Link {
    Link {
        reference: Ref::parse("a#b/c").unwrap(),
        kind: LinkKind::Test,
        path: path.to_owned(),
        line: 1,
        anchor: None,
        title: title.map(str::to_owned),
        suites: suites.iter().map(|&suite| suite.to_owned()).collect(),
    }
}

fn case(file: Option<&str>, suites: &[&str], title: &str) -> CaseResult {
    CaseResult {
        file: file.map(str::to_owned),
        suites: suites.iter().map(|&suite| suite.to_owned()).collect(),
        title: title.to_owned(),
        outcome: CaseOutcome::Passed,
        refs: Vec::new(),
        message: None,
    }
}

fn check(link: &Link, cases: &[CaseResult], expected: &[usize]) {
    match CaseIndex::new(cases).of(link) {
        Matched::Cases(found) => {
            let at: Vec<usize> =
                found.iter().map(|one| cases.iter().position(|case| case == *one).unwrap()).collect();
            assert_eq!(at, expected, "{link:?}");
        }
        other => assert!(expected.is_empty(), "{other:?} for {link:?}"),
    }
}

#[test]
fn each_runner_names_tests_in_its_way() {
    check(
        &link("crates/shop/src/cart.rs", &["tests"], Some("adds")),
        &[case(None, &["shop", "cart", "tests"], "adds"), case(None, &["shop", "till", "tests"], "adds")],
        &[0],
    );
    check(
        &link("tests/login.rs", &[], Some("known")),
        &[case(None, &["shop::login"], "known"), case(None, &["shop::other"], "known")],
        &[0],
    );
    check(
        &link("tests/test_login.py", &["TestLogin"], Some("test_known")),
        &[
            case(None, &["tests.test_login.TestLogin"], "test_known[a-1]"),
            case(None, &["tests.test_login.TestLogin"], "test_known[b-2]"),
            case(None, &["tests.test_other.TestLogin"], "test_known[b-2]"),
        ],
        &[0, 1],
    );
    check(
        &link("test/a.test.ts", &["Shop"], Some("adds %i of $name")),
        &[
            case(Some("/x/test/a.test.ts"), &["Shop"], "adds 3 of pears"),
            case(Some("/x/test/b.test.ts"), &["Shop"], "adds 3"),
        ],
        &[0],
    );
    check(
        &link("login_test.go", &["TestKnown"], Some("by mail")),
        &[
            case(None, &["example.com/shop", "TestKnown"], "by_mail"),
            case(None, &["example.com/shop"], "TestKnown"),
        ],
        &[0],
    );
    check(
        &link("login_test.go", &[], Some("TestKnown")),
        &[
            case(None, &["example.com/shop", "TestKnown"], "by_mail"),
            case(None, &["example.com/shop"], "TestKnown"),
        ],
        &[0, 1],
    );
    // A subtest may be called as its package is.
    check(
        &link("login_test.go", &[], Some("TestWrong")),
        &[case(None, &["shop", "TestWrong"], "shop"), case(None, &["shop"], "TestWrong")],
        &[0, 1],
    );
    check(
        &link("src/LoginTest.java", &["LoginTest"], Some("known")),
        &[case(None, &["com.shop.LoginTest"], "known()"), case(None, &["com.shop.OtherTest"], "known()")],
        &[0],
    );
    check(
        &link("a.test.ts", &["Cart"], None),
        &[case(None, &["Cart", "x"], "one"), case(None, &["Cart"], "two"), case(None, &["Till"], "two")],
        &[0, 1],
    );
}

#[test]
fn a_title_may_say_everything_that_encloses_the_test() {
    let in_group = |title: &str| link("t/a.test.js", &["accounts", "by mail"], Some(title));
    for joint in [" ", " > ", " / ", "::"] {
        let whole = |title: &str| ["accounts", "by mail", title].join(joint);
        let cases = [
            case(None, &[], &whole("lets in")),
            case(None, &[], &["other", "by mail", "lets in"].join(joint)),
            case(None, &[], &whole("refuses 1")),
            case(None, &[], &whole("refuses 2")),
        ];
        check(&in_group("lets in"), &cases, &[0]);
        check(&in_group("refuses %s"), &cases, &[2, 3]);
        check(&in_group("locks"), &cases, &[]);
    }
    // The class is called as the case is, so it does not make parameters different.
    let cases = ["accounts by mail refuses 1", "accounts by mail refuses 2"]
        .map(|title| case(None, &["accounts", title], title));
    check(&in_group("refuses %s"), &cases, &[0, 1]);
    // A test outside a group has no more names than its own.
    check(&link("t/a.test.js", &[], Some("lets in")), &[case(None, &[], "accounts lets in")], &[]);
}

#[test]
fn two_that_nothing_separates_are_nobodys() {
    let cases = [case(None, &["a"], "known"), case(None, &["b"], "known")];
    assert_eq!(CaseIndex::new(&cases).of(&link("tests/login.rs", &[], Some("known"))), Matched::Ambiguous(2));
}

#[test]
fn one_failure_or_skip_takes_the_proof() {
    let mut cases = vec![case(None, &[], "a"), case(None, &[], "a")];
    assert_eq!(together(&cases), Some(CaseOutcome::Passed));
    cases[1].outcome = CaseOutcome::Skipped;
    assert_eq!(together(&cases), Some(CaseOutcome::Skipped));
    cases[0].outcome = CaseOutcome::Failed;
    assert_eq!(together(&cases), Some(CaseOutcome::Failed));
    assert_eq!(together(&[]), None);
}

#[test]
fn a_test_of_the_same_name_in_another_file_shows_nothing_of_one_that_did_not_run() {
    let known = |path: &str| link(path, &[], Some("test_known"));
    let absent = |path: &str, case: CaseResult| {
        assert_eq!(CaseIndex::new(&[case]).of(&known(path)), Matched::Absent, "{path}");
    };
    absent("tests/disabled.py", case(None, &["pytest", "tests.test_login"], "test_known"));
    absent("tests/old/test_login.py", case(Some("tests/test_login.py"), &[], "test_known"));
    absent("src/old/a.test.ts", case(Some("/repo/src/a.test.ts"), &[], "test_known"));
    absent("src/b.test.ts", case(Some("/repo/src/a.test.ts"), &[], "test_known"));
    let shown = |path: &str, case: CaseResult| check(&known(path), &[case], &[0]);
    shown("tests/test_login.py", case(None, &["pytest", "tests.test_login.TestIn"], "test_known"));
    shown("tests/test_login.py", case(None, &["unit"], "test_known"));
    shown("packages/a/src/a.test.ts", case(Some("./src/a.test.ts"), &[], "test_known"));
    shown("packages/a/src/a.test.ts", case(Some("/app/src/a.test.ts"), &[], "test_known"));
    shown("src/a.test.ts", case(Some("/repo/dist/a.test.js"), &[], "test_known"));
    shown("test/a.test.mjs", case(Some("file:///repo/test/a.test.mjs"), &[], "test_known"));
    shown("src/cart.rs", case(Some("src/lib.rs"), &[], "test_known"));
}
