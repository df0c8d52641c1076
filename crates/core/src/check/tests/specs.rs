//! Specs, and what is fixed in them.

use super::*;

fn spec(text: &str, dialect: Dialect) -> Vec<String> {
    let mut told = told(&check_spec(&Document::parse(text), dialect));
    told.sort();
    told
}

fn requirement(body: &str) -> String {
    format!("{PURPOSE}## Requirements\n### Requirement: A\n{body}")
}

const SCENARIO: &str = "#### Scenario: S\n- **WHEN** x\n- **THEN** y\n";

#[test]
fn a_tidy_spec_passes_everywhere() {
    let text = requirement(&format!("It SHALL work.\n{SCENARIO}"));
    for text in [text.clone(), text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
        for dialect in [Dialect::Native, Dialect::Spox, Dialect::OpenSpec] {
            assert_eq!(spec(&text, dialect), Vec::<String>::new(), "{dialect:?} {text:?}");
        }
    }
}

#[test]
fn each_dialect_weighs_as_its_tool_does() {
    for (what, text, native, spox, openspec) in [
        (
            "no purpose",
            format!("## Requirements\n### Requirement: A\nIt MUST.\n{SCENARIO}"),
            &["!purpose-missing@1"][..],
            &["!purpose-missing@1"][..],
            &["!purpose-missing@1"][..],
        ),
        (
            "empty purpose",
            format!("## Purpose\n## Requirements\n### Requirement: A\nIt MUST.\n{SCENARIO}"),
            &["!purpose-empty@1"],
            &["?purpose-empty@1"],
            &["!purpose-empty@1"],
        ),
        (
            "short purpose",
            format!("## Purpose\nShort.\n## Requirements\n### Requirement: A\nIt MUST.\n{SCENARIO}"),
            &["?purpose-short@1"],
            &["?purpose-short@1"],
            &["?purpose-short@1"],
        ),
        (
            "placeholder",
            format!(
                "## Purpose\n{}\n## Requirements\n### Requirement: A\nIt MUST.\n{SCENARIO}",
                crate::merge::placeholder("x")
            ),
            &["?purpose-placeholder@1"],
            &["purpose-placeholder@1"],
            &["?purpose-placeholder@1"],
        ),
        (
            "no section",
            PURPOSE.to_owned(),
            &["!requirements-missing@1"],
            &["!requirements-missing@1"],
            &["!requirements-missing@1"],
        ),
        (
            "no requirement",
            format!("{PURPOSE}## Requirements\n"),
            &["!requirements-empty@5"],
            &["?requirements-empty@5"],
            &["!requirements-empty@5"],
        ),
        (
            "no text",
            requirement(SCENARIO),
            &["!requirement-text@6"],
            &["!requirement-text@6"],
            &["!requirement-text@6"],
        ),
        (
            "no keyword",
            requirement(&format!("It must work.\n{SCENARIO}")),
            &["?requirement-keyword@6"],
            &[],
            &["?requirement-keyword@6"],
        ),
        (
            "no scenario",
            requirement("It MUST.\n"),
            &["!scenario-missing@6"],
            &["?scenario-missing@6"],
            &["!scenario-missing@6"],
        ),
        (
            "no when, no then",
            requirement("It MUST.\n#### Scenario: S\nSome words.\n"),
            &["!scenario-then@8", "!scenario-when@8"],
            &["!scenario-then@8", "!scenario-when@8"],
            &[],
        ),
        (
            "empty scenario",
            requirement("It MUST.\n#### Scenario: S\n"),
            &["!scenario-empty@8"],
            &["!scenario-empty@8"],
            &["!scenario-missing@6"],
        ),
        (
            "bare scenario",
            requirement("It MUST.\n#### Edge\n- **WHEN** x\n"),
            &["?scenario-label@8"],
            &["?scenario-missing@6", "scenario-label@8"],
            &[],
        ),
        (
            "twice",
            requirement(&format!("It MUST.\n{SCENARIO}### Requirement: A\nIt MUST.\n{SCENARIO}")),
            &["!requirement-duplicate@11"],
            &["?requirement-duplicate@11"],
            &["!requirement-duplicate@11"],
        ),
        (
            "outside",
            format!(
                "{}## Annex\n### Requirement: B\nIt MUST.\n{SCENARIO}",
                requirement(&format!("It MUST.\n{SCENARIO}"))
            ),
            &["!requirement-outside@12"],
            &["?requirement-outside@12"],
            &["!requirement-outside@12"],
        ),
        (
            "delta heading",
            format!("{}## ADDED Requirements\n", requirement(&format!("It MUST.\n{SCENARIO}"))),
            &["!delta-in-spec@11"],
            &["?delta-in-spec@11"],
            &["!delta-in-spec@11"],
        ),
        (
            "foreign heading",
            requirement(&format!("It MUST.\n{SCENARIO}### Notes\nx\n")),
            &["?requirement-heading@11"],
            &["requirement-heading@11"],
            &["!scenario-missing@11", "requirement-heading@11"],
        ),
        (
            "glued",
            format!("{PURPOSE}## Requirements\n###Requirement: A\nIt MUST.\n{SCENARIO}"),
            &["?requirement-blank@6"],
            &["?requirement-blank@6"],
            &["!scenario-missing@8", "requirement-blank@6"],
        ),
        (
            "nameless",
            format!("{}### Requirement:\nx\n", requirement(&format!("It MUST.\n{SCENARIO}"))),
            &["!requirement-name@11"],
            &["?requirement-name@11"],
            &["!scenario-missing@11", "requirement-name@11"],
        ),
    ] {
        assert_eq!(spec(&text, Dialect::Native), native, "{what}, native");
        assert_eq!(spec(&text, Dialect::Spox), spox, "{what}, spox");
        assert_eq!(spec(&text, Dialect::OpenSpec), openspec, "{what}, openspec");
    }
}

#[test]
fn a_native_spec_without_requirements_is_only_remarked_on() {
    assert_eq!(spec("# A plan\n\nSome words.\n", Dialect::Native), ["requirements-absent@1"]);
    assert_eq!(spec("```\n## Purpose\n```\n", Dialect::Native), ["requirements-absent@1"]);
    assert!(spec("# A plan\n", Dialect::OpenSpec).contains(&"!purpose-missing@1".to_owned()));
}

#[test]
fn where_openspec_reads_differently_that_is_told() {
    let commented = requirement(&format!("It MUST.\n{SCENARIO}\n<!--\n### Requirement: Hidden\n-->\n"));
    assert_eq!(spec(&commented, Dialect::Native), Vec::<String>::new());
    let theirs = spec(&commented, Dialect::OpenSpec);
    assert!(theirs.contains(&"openspec-reads-differently@13".to_owned()), "{theirs:?}");
    assert!(theirs.contains(&"!scenario-missing@13".to_owned()), "{theirs:?}");
}

#[test]
fn what_needs_no_judgement_is_fixed() {
    let text = format!(
        "{PURPOSE}## Requirements\r\n###Requirement: A\r\nIt MUST.\r\n### Scenario: S\r\n- **WHEN** x\r\n- **THEN** y\r\n"
    );
    let fixed = text.replace("###Requirement", "### Requirement").replace("### Scenario", "#### Scenario");
    let issues = check_spec(&Document::parse(&text), Dialect::Native);
    let edits: Vec<&Edit> = issues.iter().filter_map(|issue| issue.fix.as_ref()).collect();
    assert_eq!(apply_edits(&text, edits), fixed);
    assert_eq!(spec(&fixed, Dialect::Native), Vec::<String>::new());
}
