//! What holds of every change.

use proptest::prelude::*;

use super::super::*;
use super::{CASE, Case};

fn anything() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("## Purpose\n"),
        Just("## Requirements\n"),
        Just("## ADDED Requirements\n"),
        Just("## MODIFIED Requirements\n"),
        Just("## RENAMED Requirements\n"),
        Just("### Requirement: A\n"),
        Just("###Requirement: B\n"),
        Just("### Requirement: A -> B\n"),
        Just("### Scenario: x\n"),
        Just("  ##### Scenario: ü\r\n"),
        Just("#### Scenario: x\n"),
        Just("- **WHEN** x\n"),
        Just("It SHALL.\n"),
        Just("```\n"),
        Just("<!--\n"),
        Just("-->\n"),
        Just("\n"),
    ];
    prop_oneof![9 => prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat()), 1 => any::<String>()]
}

proptest! {
    #[test]
    fn checks_and_fixes_hold_for_any_text(text in anything(), current in anything()) {
        for dialect in [Dialect::Native, Dialect::Spox, Dialect::OpenSpec] {
            let issues = check_spec(&Document::parse(&text), dialect);
            prop_assert_eq!(&check_spec_text(&text, dialect), &issues);
            let edits: Vec<&Edit> = issues.iter().filter_map(|issue| issue.fix.as_ref()).collect();
            let fixed = apply_edits(&text, edits);
            let left = check_spec(&Document::parse(&fixed), dialect);
            let blanks = left.iter().filter(|issue| issue.diagnostic.code == "requirement-blank").count();
            prop_assert_eq!(blanks, 0);
            // The harness in `issues` holds check and archive together.
            Case { delta: Some(&text), current: Some(&current), ..CASE }.issues(dialect);
        }
    }
}
