use proptest::prelude::*;

use super::*;
use crate::requirement::SpecDoc;

fn dump(outline: &Outline<'_>) -> Vec<String> {
    let heading = |h: &OutlineHeading<'_>| format!("{} {}", h.level, h.title);
    outline.headings.iter().map(heading).collect()
}

#[test]
fn the_two_grammars_differ_where_they_are_known_to() {
    for (text, commonmark, by_lines) in [
        ("# A\n## B ##\n", vec!["1 A", "2 B"], vec!["1 A", "2 B ##"]),
        ("  ## A\n", vec!["2 A"], vec![]),
        ("A\n---\n", vec!["2 A"], vec![]),
        ("<!--\n## A\n-->\n## B\n", vec!["2 B"], vec!["2 A", "2 B"]),
        ("```\n## A\n```\n## B\n", vec!["2 B"], vec!["2 B"]),
        ("    ```\n## A\n", vec!["2 A"], vec![]),
        ("```a`b\n## A\n", vec!["2 A"], vec![]),
        ("####### A\n#B\n", vec![], vec![]),
        ("\u{feff}# A\r\n\r\n## B\r\n", vec!["1 A", "2 B"], vec!["1 A", "2 B"]),
        ("text\n###Requirement: X\nmore\n", vec!["3 Requirement: X"], vec!["3 Requirement: X"]),
        ("---\nid: 1\n# note\n---\n## A\n", vec!["2 A"], vec!["1 note", "2 A"]),
    ] {
        assert_eq!(dump(&Outline::read(&Document::parse(text))), commonmark, "{text:?}");
        assert_eq!(dump(&Outline::by_lines(text)), by_lines, "{text:?}");
    }
}

#[test]
fn prose_leaves_out_code_and_comments() {
    let text = "a\n```\nb\n```\nc\n<!-- d\ne -->\nf\n";
    let prose = |outline: &Outline<'_>| {
        outline.prose(0..text.len()).map(|line| line.text.to_owned()).collect::<Vec<_>>().join("|")
    };
    assert_eq!(prose(&Outline::read(&Document::parse(text))), "a|c|f");
    assert_eq!(prose(&Outline::by_lines(text)), "a|c|<!-- d|e -->|f");
}

#[test]
fn lines_end_as_they_please() {
    let collected: Vec<_> = lines("a\r\nb\rc\n\nd", 0..9).map(|line| (line.text, line.start)).collect();
    assert_eq!(collected, [("a", 0), ("b", 3), ("c", 5), ("", 7), ("d", 8)]);
}

#[test]
fn a_requirement_name_loses_the_marks_that_close_its_heading() {
    for (text, name) in [
        ("### Requirement: A ###", Some("A")),
        ("### requirement:C#", Some("C#")),
        ("### Requirement:   ", None),
        ("### Requirements: A", None),
        ("## Requirement: A", None),
    ] {
        let document = Document::parse(text);
        assert_eq!(Outline::read(&document).headings[0].requirement_name(), name, "{text}");
        assert_eq!(Outline::by_lines(text).headings[0].requirement_name(), name, "{text}");
    }
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("# A\n"),
        Just("## B ##\n"),
        Just("### Requirement: C\n"),
        Just("###Requirement: D\n"),
        Just(" ## E\n"),
        Just("##\n"),
        Just("#\u{a0}F\n"),
        Just("```\n"),
        Just("```md\n"),
        Just("```` \n"),
        Just("~~~\n"),
        Just("  ```\n"),
        Just("``` a`b\n"),
        Just("- item\n"),
        Just("- ```\n"),
        Just("> quote\n"),
        Just("text\n"),
        Just("---\n"),
        Just("===\n"),
        Just("<div>\n"),
        Just("<!-- x\n"),
        Just("-->\n"),
        Just("    code\n"),
        Just("\n"),
        Just("\r\n"),
        Just("\r"),
        Just("[a]: b\n"),
        Just("\u{feff}"),
    ];
    prop_oneof![8 => prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat()), 1 => any::<String>()]
}

proptest! {
    #[test]
    fn a_plain_text_is_the_same_to_both_grammars(text in pieces()) {
        if Outline::by_lines(&text).is_plain {
            let document = Document::parse(&text);
            prop_assert_eq!(Outline::read(&document).headings, Outline::by_lines(&text).headings);
        }
    }

    #[test]
    fn requirements_are_counted_as_they_are_read(text in pieces()) {
        prop_assert_eq!(SpecDoc::count(&text), SpecDoc::read(&Document::parse(&text)).requirements.len());
    }
}

#[test]
fn ordinary_specs_are_plain() {
    let text = "# T\n\n## Purpose\n\nTo be.\n\n## Requirements\n\n### Requirement: A b\n\nIt SHALL.\n\n```rust\n# x\n```\n\n\
                    #### Scenario: S\n\n- **WHEN** x\n  - deeper\n1. y\n> z\n";
    assert!(Outline::by_lines(text).is_plain);
    assert!(Outline::by_lines(&format!("\u{feff}{}", text.replace('\n', "\r\n"))).is_plain);
}
