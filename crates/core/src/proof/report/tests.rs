mod properties;
mod runners;

use std::fmt::Write as _;

use super::*;

/// One line a case: `outcome file | suites | title | refs | message`.
fn told(format: Format, text: &str) -> Vec<String> {
    let cases = read(format, text.as_bytes()).unwrap();
    cases.iter().map(line).collect()
}

fn line(case: &CaseResult) -> String {
    let outcome = match case.outcome {
        CaseOutcome::Passed => "passed",
        CaseOutcome::Failed => "FAILED",
        CaseOutcome::Skipped => "skipped",
    };
    let mut line = format!("{outcome} {} | {}", case.suites.join(" / "), case.title);
    if let Some(file) = &case.file {
        let _ = write!(line, " @{file}");
    }
    for reference in &case.refs {
        let _ = write!(line, " ={reference}");
    }
    if let Some(message) = &case.message {
        let _ = write!(line, " :{message}");
    }
    line
}

const PYTEST: &str = r#"<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="0" failures="1" skipped="2" tests="4">
<testcase classname="tests.test_login.TestLogin" name="test_known" time="0.001"><properties><property name="spec" value="accounts#sign-in/known-customer, accounts#lockout" /></properties></testcase>
<testcase classname="tests.test_login" name="test_wrong[a &amp; b]" time="0.001"><failure message="assert 1 == 2">def test()
E  assert 1 == 2</failure></testcase>
<testcase classname="tests.test_login" name="test_skipped"><skipped type="pytest.skip" message="no"/></testcase>
<testcase classname="tests.test_login" name="test_xfail"><skipped type="pytest.xfail" message=""/></testcase></testsuite></testsuites>"#;

#[test]
fn pytest_writes_junit() {
    assert_eq!(
        told(Format::Pytest, PYTEST),
        [
            "passed pytest / tests.test_login.TestLogin | test_known =accounts#sign-in/known-customer =accounts#lockout",
            "FAILED pytest / tests.test_login | test_wrong[a & b] :assert 1 == 2",
            "skipped pytest / tests.test_login | test_skipped",
            "skipped pytest / tests.test_login | test_xfail",
        ]
    );
}

const NEXTEST: &str = r#"<?xml version="1.0"?><testsuites name="nextest-run" tests="3" failures="1"><testsuite name="shop::it" tests="3">
<testcase name="cart::adds" classname="shop::it" time="0.1"/>
<testcase name="cart::tries_twice" classname="shop::it"><flakyFailure timestamp="x" type="test failure">boom</flakyFailure></testcase>
<testcase name="plain" classname="shop::it"><failure type="test failure"><![CDATA[thread 'plain' panicked]]></failure><system-out>x</system-out></testcase>
</testsuite></testsuites>"#;

#[test]
fn nextest_names_modules_and_what_passed_only_at_last_has_failed() {
    let expected = [
        "passed shop::it / cart | adds",
        "FAILED shop::it / cart | tries_twice :boom",
        "FAILED shop::it | plain :thread 'plain' panicked",
    ];
    assert_eq!(told(Format::Junit, NEXTEST), expected);
    assert_eq!(told(Format::Nextest, NEXTEST), expected);
    let json = "{\"type\":\"suite\",\"event\":\"started\",\"test_count\":2}\n{\"type\":\"test\",\"event\":\"ok\",\"name\":\"shop::it$cart::adds\"}\n{\"type\":\"test\",\"event\":\"failed\",\"name\":\"shop::it$plain#2\",\"stdout\":\"thread 'plain' panicked at src/x.rs:1:1:\\nleft != right\\n\"}\n";
    assert_eq!(
        told(Format::Nextest, json),
        ["passed shop::it / cart | adds", "FAILED shop::it | plain :left != right"]
    );
}

#[test]
fn vitest_gradle_and_googletest_write_junit_each_in_their_way() {
    let vitest = r#"<testsuites><testsuite name="src/a.test.ts"><testcase classname="src/a.test.ts" name="login &gt; known &gt; gets in"/></testsuite></testsuites>"#;
    assert_eq!(told(Format::Junit, vitest), ["passed login / known | gets in @src/a.test.ts"]);
    let gradle = r#"<testsuite name="com.acme.LoginTest" tests="1"><properties/><testcase name="knownCustomer()" classname="com.acme.LoginTest" time="0.0"/><system-out><![CDATA[<testcase name="forged"/>]]></system-out></testsuite>"#;
    assert_eq!(told(Format::Junit, gradle), ["passed com.acme.LoginTest | knownCustomer()"]);
    let google = r#"<testsuites><testsuite name="S"><testcase name="a" status="run" result="completed" classname="S" file="s.cc"/><testcase name="b" status="notrun" result="suppressed" classname="S"/></testsuite></testsuites>"#;
    assert_eq!(told(Format::Junit, google), ["passed S | a @s.cc", "skipped S | b"]);
}

const LIBTEST: &str = "     Running unittests src/lib.rs (target/debug/deps/shop-1)\n\nrunning 4 tests\ntest cart::adds ... ok\ntest cart::panics - should panic ... ok\ntest slow ... ignored, takes long\ntest cart::fails ... FAILED\n\nfailures:\n\n---- cart::fails stdout ----\ntest cart::forged ... ok\n\nthread 'cart::fails' panicked at src/lib.rs:3:5:\nassertion `left == right` failed\n  left: 1\n\n\nfailures:\n    cart::fails\n\ntest result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out\n\n   Doc-tests shop\n\nrunning 1 test\ntest src/lib.rs - add (line 3) ... ok\n\ntest result: ok. 1 passed\n";

#[test]
fn the_harness_of_rust_is_read_as_text() {
    assert_eq!(
        told(Format::Libtest, LIBTEST),
        [
            "passed cart | adds @src/lib.rs",
            "passed cart | panics @src/lib.rs",
            "skipped  | slow @src/lib.rs",
            "FAILED cart | fails @src/lib.rs :assertion `left == right` failed",
            "passed  | src/lib.rs - add (line 3) @src/lib.rs",
        ]
    );
    let talking =
        "running 2 tests\ntest a::talks ... hello\nworld\nok\ntest b ... \nFAILED\ntest cut ... hello\n";
    assert_eq!(told(Format::Libtest, talking), ["passed a | talks", "FAILED  | b"]);
}

#[test]
fn the_harness_of_rust_is_read_as_json() {
    let json = "   Compiling x\n{ \"type\": \"suite\", \"event\": \"started\", \"test_count\": 3 }\n{ \"type\": \"test\", \"event\": \"started\", \"name\": \"m::a\" }\n{ \"type\": \"test\", \"name\": \"m::a\", \"event\": \"ok\" }\n{ \"type\": \"test\", \"name\": \"b\", \"event\": \"ignored\" }\n{ \"type\": \"suite\", \"event\": \"ok\", \"passed\": 1 }\n";
    assert_eq!(told(Format::Libtest, json), ["passed m | a", "skipped  | b"]);
}

const GO: &str = r#"{"Action":"start","Package":"acme/login"}
{"Action":"run","Package":"acme/login","Test":"TestKnown"}
{"Action":"run","Package":"acme/login","Test":"TestKnown/wrong_password"}
{"Action":"output","Package":"acme/login","Test":"TestKnown/wrong_password","Output":"    login_test.go:9: want 1, got 2\n"}
{"Action":"fail","Package":"acme/login","Test":"TestKnown/wrong_password","Elapsed":0}
{"Action":"fail","Package":"acme/login","Test":"TestKnown","Elapsed":0}
{"Action":"run","Package":"acme/login","Test":"TestLost"}
{"Action":"fail","Package":"acme/login","Elapsed":0.1}
# acme/broken
{"Action":"fail","Package":"acme/broken","Elapsed":0}
{"Action":"pass","Package":"acme/other","Test":"TestFine"}
{"Action":"skip","Package":"acme/other","Test":"TestLater"}
"#;

#[test]
fn go_tells_packages_tests_and_subtests() {
    assert_eq!(
        told(Format::Gotest, GO),
        [
            "FAILED acme/login / TestKnown | wrong_password :login_test.go:9: want 1, got 2",
            "FAILED acme/login | TestKnown",
            "FAILED  | acme/broken :the package failed outside its tests",
            "passed acme/other | TestFine",
            "skipped acme/other | TestLater",
            "FAILED acme/login | TestLost :it began and never ended",
        ]
    );
}

const JEST: &str = r#"{"numTotalTests":3,"success":false,"testResults":[{"name":"/w/a.test.ts","status":"failed","assertionResults":[
{"ancestorTitles":["login"],"fullName":"login gets in","title":"gets in @spec accounts#sign-in/known","status":"passed","failureMessages":[]},
{"ancestorTitles":["","x"],"title":"fails","status":"failed","failureMessages":["\u001b[31mError: no\u001b[39m\n at x"]},
{"ancestorTitles":[],"title":"later","status":"todo","failureMessages":null}]},
{"name":"/w/b.test.ts","status":"failed","message":"cannot find module","assertionResults":[]}]}"#;

#[test]
fn jest_and_vitest_share_a_format() {
    let expected = [
        "passed login | gets in @spec accounts#sign-in/known @/w/a.test.ts =accounts#sign-in/known",
        "FAILED x | fails @/w/a.test.ts :Error: no",
        "skipped  | later @/w/a.test.ts",
        "FAILED  | /w/b.test.ts @/w/b.test.ts :cannot find module",
    ];
    assert_eq!(told(Format::Vitest, JEST), expected);
    assert_eq!(told(Format::Jest, &format!("> test\n> jest --json\n{JEST}\nDone.\n")), expected);
}

const TAP: &str = "TAP version 13\n# Subtest: login\n    # Subtest: known customer\n    ok 1 - known customer\n      ---\n      duration_ms: 0.5\n      location: '/w/a.test.js:3:5'\n      ...\n    not ok 2 - wrong \\# password\n      ---\n      error: 'expected 1'\n      ...\n    1..2\nnot ok 1 - login\nok 2 later # TODO write it\nok 3 # SKIP\nnot ok\nokay is not a result\n1..4\n";

#[test]
fn tap_has_subtests_directives_and_details() {
    assert_eq!(
        told(Format::Tap, TAP),
        [
            "passed login | known customer @/w/a.test.js",
            "FAILED login | wrong # password :expected 1",
            "FAILED  | login",
            "skipped  | later",
            "skipped  | ",
            "FAILED  | ",
        ]
    );
    let tape = "TAP version 13\n# keeps a dash\nok 1 should be equal\nok 2 should be equal\n\n1..2\n# tests 2\n# pass  2\n\n# ok\n";
    assert_eq!(told(Format::Tap, tape), ["passed keeps a dash | should be equal"; 2]);
    assert_eq!(told(Format::Tap, "1..9\nok 1 a\nBail out! no disk\nok 2 b\n").len(), 2);
}

const TRX: &str = r#"<?xml version="1.0" encoding="utf-8"?><TestRun id="1" xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010"><Results>
<UnitTestResult testId="t1" testName="Acme.LoginTests.Known" outcome="Passed" /><UnitTestResult testId="t2" testName="Wrong(1)" outcome="Failed"><Output><ErrorInfo><Message>Assert.Equal &lt;1&gt;</Message><StackTrace>at x</StackTrace></ErrorInfo></Output></UnitTestResult>
<UnitTestResult testId="t3" testName="Later" outcome="NotExecuted" /></Results>
<TestDefinitions><UnitTest name="a" id="t1"><TestMethod className="Acme.LoginTests" name="Known" /></UnitTest><UnitTest name="b" id="t2"><TestMethod className="Acme.LoginTests, Acme, Version=1.0" name="Wrong" /></UnitTest></TestDefinitions></TestRun>"#;

#[test]
fn trx_joins_results_with_their_classes() {
    assert_eq!(
        told(Format::Trx, TRX),
        [
            "passed Acme.LoginTests | Known",
            "FAILED Acme.LoginTests | Wrong(1) :Assert.Equal <1>",
            "skipped  | Later",
        ]
    );
}

const CTRF: &str = r#"{"results":{"tool":{"name":"x"},"summary":{},"tests":[{"name":"gets in","status":"passed","suite":"login > known","filePath":"a.spec.ts","tags":["@spec:accounts#sign-in"]},{"name":"flaky","status":"passed","flaky":true,"suite":["a","b"]},{"name":"no","status":"other"},{"name":"bad","status":"failed","message":"boom"}]}}"#;

#[test]
fn ctrf_is_read_and_a_flaky_pass_is_none() {
    assert_eq!(
        told(Format::Ctrf, CTRF),
        [
            "passed login / known | gets in @a.spec.ts =accounts#sign-in",
            "FAILED a / b | flaky :it passed only when it was tried again",
            "skipped  | no",
            "FAILED  | bad :boom",
        ]
    );
}

#[test]
fn an_exit_code_names_no_test() {
    assert!(read(Format::Exit, b"anything").unwrap().is_empty());
}

#[test]
fn hostile_xml_is_refused_with_its_line() {
    let refused = |text: &str| read(Format::Junit, text.as_bytes()).unwrap_err();
    let bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>\n<testsuite><testcase name=\"&b;\"/></testsuite>";
    assert_eq!(refused(bomb), ReportError::DocumentType { line: 2 });
    assert_eq!(
        refused("<!DOCTYPE x SYSTEM \"file:///etc/passwd\">\n<testsuite/>"),
        ReportError::DocumentType { line: 1 }
    );
    let entity = ReportError::Entity { line: 2, name: "b".to_owned() };
    assert_eq!(refused("<testsuite>\n<testcase name=\"x &b; y\"/></testsuite>"), entity);
    assert_eq!(
        refused("<testsuite>\n<testcase name=\"x\"><failure>&b;</failure></testcase></testsuite>"),
        entity
    );
    let deep = format!("{}{}", "<a>".repeat(300), "</a>".repeat(300));
    assert_eq!(refused(&format!("<testsuite>{deep}</testsuite>")), ReportError::TooDeep { line: 1 });
    for text in [
        "",
        "PASS",
        "<html></html>",
        "<testsuite><testcase name=\"a\"/>",
        "<testsuite></testsuites>",
        "<testsuite/><testsuite/>",
        "<testsuite><testcase name=\"a\" name=\"b\"/></testsuite>",
    ] {
        assert!(matches!(refused(text), ReportError::Malformed { .. }), "{text}: {:?}", refused(text));
    }
}

#[test]
fn reports_of_another_kind_are_refused() {
    for (format, text) in [
        (Format::Trx, "<testsuite/>"),
        (Format::Ctrf, "{}"),
        (Format::Jest, "no json"),
        (Format::Vitest, "{\"results\":{}}"),
        (Format::Gotest, "ok  \tacme/login\t0.1s"),
        (Format::Gotest, "{\"Action\":1}"),
        (Format::Nextest, "Summary 3 tests"),
    ] {
        assert!(matches!(read(format, text.as_bytes()), Err(ReportError::Malformed { .. })), "{text}");
    }
}

#[test]
fn too_much_is_refused() {
    assert_eq!(read(Format::Tap, &vec![b'\n'; MAX_BYTES + 1]), Err(ReportError::TooLarge));
    assert_eq!(read_coverage(&vec![b'\n'; MAX_BYTES + 1]), Err(ReportError::TooLarge));
    assert_eq!(read(Format::Tap, "ok\n".repeat(MAX_CASES + 1).as_bytes()), Err(ReportError::TooManyCases));
}

#[test]
fn a_report_in_utf_16_is_read() {
    let bytes: Vec<u8> =
        std::iter::once(0xfeff).chain("ok 1 - é".encode_utf16()).flat_map(u16::to_le_bytes).collect();
    assert_eq!(read(Format::Tap, &bytes).unwrap()[0].title, "é");
    assert_eq!(read(Format::Tap, b"\xef\xbb\xbfok 1 - b\xff").unwrap()[0].title, "b\u{fffd}");
}

#[test]
fn references_in_titles_end_where_the_words_go_on() {
    let refs = |title: &str| {
        let cases = read(Format::Tap, format!("ok 1 - {title}\n").as_bytes()).unwrap();
        cases[0].refs.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(refs("gets in (@spec a#b/c, a#d) and more"), ["a#b/c", "a#d"]);
    assert_eq!(refs("@spec:a#b @spec:c#d/e"), ["a#b", "c#d/e"]);
    assert_eq!(refs("@specification a#b, @spec nothing"), [""; 0]);
}

#[test]
fn executed_lines_are_read_from_both_formats() {
    let lcov =
        "TN:\nSF:/w/src/a.rs\nDA:1,3\nDA:2,0\nDA:1,1,checksum\nend_of_record\nSF:b.rs\nend_of_record\n";
    let coverage = read_coverage(lcov.as_bytes()).unwrap();
    assert_eq!(coverage.files["/w/src/a.rs"].0, [(1, 4), (2, 0)]);
    assert!(coverage.files["b.rs"].0.is_empty());
    let cobertura = r#"<?xml version="1.0"?><!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd"><coverage><packages><package><classes><class filename="src\a.py"><methods><method name="f"><lines><line number="1" hits="2"/></lines></method></methods><lines><line number="1" hits="2"/><line number="2" hits="0"/></lines></class></classes></package></packages></coverage>"#;
    assert_eq!(read_coverage(cobertura.as_bytes()).unwrap().files["src/a.py"].0, [(1, 2), (2, 0)]);
    for text in [
        "DA:1,1",
        "SF:a\nDA:x,1",
        "hello",
        "<testsuite/>",
        "<!DOCTYPE c [<!ENTITY a \"b\">]><coverage/>",
        "<coverage><class filename=\"a\"><line/></class></coverage>",
    ] {
        assert!(read_coverage(text.as_bytes()).is_err(), "{text}");
    }
    assert!(read_coverage(b"").unwrap().files.is_empty());
}

const SAMPLES: [(Format, &str); 9] = [
    (Format::Pytest, PYTEST),
    (Format::Junit, NEXTEST),
    (Format::Nextest, NEXTEST),
    (Format::Libtest, LIBTEST),
    (Format::Gotest, GO),
    (Format::Jest, JEST),
    (Format::Tap, TAP),
    (Format::Trx, TRX),
    (Format::Ctrf, CTRF),
];
