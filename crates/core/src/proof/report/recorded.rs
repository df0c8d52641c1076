//! Reports in the shape of runners that the tests cannot install, and the tests that they speak of (`tests/reports/README.md`).

use crate::proof::matrix::{CaseIndex, Matched, together};
use crate::proof::report::read;
use crate::proof::settings::Format;
use crate::proof::{CaseOutcome, FileRole, read_file_tags};

const JAVA: &str = r#"package com.acme.shop;
class LoginTest {
    // @spec accounts#sign-in/known
    @Test
    void knownCustomerGetsIn() {}
    // @spec accounts#sign-in/wrong
    @Test
    void wrongPasswordStaysOut() {}
    // @spec accounts#lockout/third
    @ParameterizedTest
    @ValueSource(ints = {3, 4})
    void thirdTry(int count) {}
    // @spec accounts#sign-in/mail
    @Test
    @Disabled("not yet")
    void byMail() {}
    // @spec accounts#sign-in/at-last
    @Test
    void atLast() {}
}
"#;
const CSHARP: &str = r#"namespace Acme.Shop.Tests;
public class LoginTests {
    // @spec accounts#sign-in/known
    [Fact]
    public void KnownCustomerGetsIn() {}
    // @spec accounts#lockout/third
    [Theory]
    [InlineData(3)]
    public void ThirdTry(int count) {}
    // @spec accounts#sign-in/mail
    [Fact(Skip = "not yet")]
    public void ByMail() {}
}
"#;

/// What a report says of each linked test of a file, in order.
fn told(format: Format, report: &str, path: &str, source: &str) -> Vec<Option<CaseOutcome>> {
    let cases = read(format, report.as_bytes()).unwrap();
    let index = CaseIndex::new(&cases);
    let links = read_file_tags(path, source, FileRole::Other).links;
    let outcome = |matched| match matched {
        Matched::Cases(cases) => together(cases),
        Matched::Ambiguous(_) | Matched::Absent => None,
    };
    links.iter().map(|link| outcome(index.of(link))).collect()
}

const PASSED: Option<CaseOutcome> = Some(CaseOutcome::Passed);
const FAILED: Option<CaseOutcome> = Some(CaseOutcome::Failed);
const SKIPPED: Option<CaseOutcome> = Some(CaseOutcome::Skipped);

#[test]
fn maven() {
    let report = include_str!("../../../tests/reports/surefire.xml");
    let path = "src/test/java/com/acme/shop/LoginTest.java";
    assert_eq!(told(Format::Junit, report, path, JAVA), [PASSED, FAILED, FAILED, SKIPPED, FAILED]);
}

#[test]
fn gradle() {
    let report = include_str!("../../../tests/reports/gradle.xml");
    let path = "src/test/java/com/acme/shop/LoginTest.java";
    // A display name takes the place of the method's: the reference in the title would settle it.
    assert_eq!(told(Format::Junit, report, path, JAVA), [PASSED, None, PASSED, SKIPPED, None]);
}

#[test]
fn dotnet() {
    let report = include_str!("../../../tests/reports/dotnet.trx");
    assert_eq!(told(Format::Trx, report, "tests/LoginTests.cs", CSHARP), [PASSED, FAILED, SKIPPED]);
}
