use proptest::prelude::*;

use super::*;
use crate::outline::Grammar;

const DELTA: &str = "\
# Delta

## Purpose
To let people in.

## ADDED Requirements

### Requirement: Two-Factor

The system MUST ask twice.

#### Scenario: Code needed
- **WHEN** asked
- **THEN** answer

### Dividers

## modified requirements
###Requirement: Login
It SHALL work.
#### Scenario: A
- x

## REMOVED Requirements

### Requirement: Old
**Reason**: gone
**Migration**: none

- `### Requirement: Older`
* ### Requirement: Oldest ###

```
- `### Requirement: Fenced`
```

## RENAMED Requirements

- FROM: `### Requirement: A`
- TO: `### Requirement: B`

### Requirement: C → D
### Requirement: `E` -> `F`

* FROM: `### Requirement: G`
* TO: `### Requirement: H`

## Added Requirements
### Requirement: Again
It MUST.
#### Scenario: B
- y
";

fn names<'t>(requirements: &[Requirement<'t>]) -> Vec<&'t str> {
    requirements.iter().map(|requirement| requirement.name).collect()
}

#[test]
fn a_delta_is_read_whatever_its_notation() {
    for text in [DELTA.to_owned(), DELTA.replace('\n', "\r\n"), format!("\u{feff}{DELTA}")] {
        let document = Document::parse(&text);
        for delta in [DeltaDoc::read(&document), DeltaDoc::from_outline(&Outline::by_lines(&text))] {
            assert_eq!(delta.purpose.as_ref().unwrap().text, "To let people in.");
            assert_eq!(names(&delta.added), ["Two-Factor", "Again"]);
            assert_eq!(names(&delta.modified), ["Login"]);
            let removed: Vec<_> = delta.removed.iter().map(|removal| removal.name).collect();
            assert_eq!(removed, ["Old", "Older", "Oldest"]);
            assert!(delta.removed[0].text.starts_with("**Reason**: gone"));
            let renamed: Vec<_> = delta.renamed.iter().map(|rename| (rename.from, rename.to)).collect();
            assert_eq!(renamed, [("A", "B"), ("C", "D"), ("E", "F"), ("G", "H")]);
            assert_eq!(delta.renamed[1].notation, RenameNotation::Arrow);
            let [Oddity::Heading { operation: Operation::Added, title: "Dividers", .. }] =
                &delta.oddities[..]
            else {
                panic!("{:?}", delta.oddities)
            };
        }
    }
}

#[test]
fn what_is_not_applied_is_remembered() {
    for (text, expected) in [
        ("### Requirement: A\n", "Outside"),
        ("## Notes\n### Requirement: A\n", "Outside"),
        ("## ADDED\n", "Section"),
        ("## New ADDED Requirements\n", "Section"),
        ("## RENAMED Requirements\n- FROM: `### Requirement: A`\n", "FromAlone"),
        ("## RENAMED Requirements\n- TO: `### Requirement: A`\n", "ToAlone"),
        ("## RENAMED Requirements\n### Requirement: A\n", "Heading"),
        ("## MODIFIED Requirements\n### Notes\n", "Heading"),
    ] {
        let document = Document::parse(text);
        let delta = DeltaDoc::read(&document);
        let kinds: Vec<_> = delta.oddities.iter().map(|oddity| format!("{oddity:?}")).collect();
        assert!(kinds.len() == 1 && kinds[0].starts_with(expected), "{text:?}: {kinds:?}");
        assert!(delta.is_empty());
    }
}

#[test]
fn interleaved_renames_are_not_guessed() {
    let text = "## RENAMED Requirements\nFROM: ### Requirement: A\nFROM: ### Requirement: B\n\
                TO: ### Requirement: C\nTO: ### Requirement: D\n";
    let document = Document::parse(text);
    let delta = DeltaDoc::read(&document);
    assert_eq!(delta.renamed.len(), 1);
    assert!(matches!(delta.oddities[0], Oddity::FromAlone { name: "A", .. }));
    assert!(matches!(delta.oddities[1], Oddity::ToAlone { name: "D", .. }));
}

#[test]
fn a_relaxed_rename_is_read_by_us_but_not_by_openspec() {
    let text = "## RENAMED Requirements\n- **From:** `Old name`\n- **To:** New name\n";
    let document = Document::parse(text);
    let delta = DeltaDoc::read(&document);
    assert_eq!((delta.renamed[0].from, delta.renamed[0].to), ("Old name", "New name"));
    let outline = Outline::by_lines(text);
    assert_eq!(outline.grammar, Grammar::OpenSpec);
    assert!(DeltaDoc::from_outline(&outline).is_empty());
}

#[test]
fn the_name_before_follows_rename_chains_and_ends_in_circles() {
    let document = Document::parse(
        "## RENAMED Requirements\n### Requirement: A -> B\n### Requirement: B -> C\n### Requirement: X -> Y\n\
         ### Requirement: Y -> X\n",
    );
    let delta = DeltaDoc::read(&document);
    assert_eq!(delta.name_before("C"), "A");
    assert_eq!(delta.name_before("Z"), "Z");
    assert_eq!(delta.name_before("X"), "X");
}

fn delta_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("## ADDED Requirements\n"),
        Just("## REMOVED Requirements\r\n"),
        Just("## RENAMED Requirements\n"),
        Just("## Other\n"),
        Just("### Requirement: A\n"),
        Just("### Requirement: A → ü\n"),
        Just("- FROM: `### Requirement: B`\n"),
        Just("TO: ### Requirement: 🙂\n"),
        Just("- ### Requirement: C\n"),
        Just("#### Scenario: x\n"),
        Just("```\n"),
        Just("<!--\n"),
        Just("-->\n"),
        Just("text\n"),
        Just("\n"),
    ];
    prop_oneof![prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat()), any::<String>()]
}

proptest! {
    #[test]
    fn whatever_the_text_a_delta_is_read_in_order(text in delta_text()) {
        let document = Document::parse(&text);
        for delta in [DeltaDoc::read(&document), DeltaDoc::from_outline(&Outline::by_lines(&text))] {
            for span in delta.removed.iter().map(|r| &r.span).chain(delta.renamed.iter().map(|r| &r.span)) {
                prop_assert!(text.get(span.clone()).is_some());
            }
            prop_assert!(delta.oddities.is_sorted_by_key(|oddity| oddity.span().start));
            prop_assert!(delta.added.is_sorted_by_key(|requirement| requirement.span.start));
        }
    }
}

#[test]
fn a_new_text_keeps_the_comments_round_the_old_one() {
    let spec = "## Requirements\n\n### Requirement: A\n\nIt SHALL.\n\n<!-- ask Ann -->\n\n#### Scenario: S\n\n- **WHEN** a\n- **THEN** b\n";
    let document = Document::parse(spec);
    let doc = SpecDoc::read(&document);
    let standing = Standing { document: &document, requirement: &doc.requirements[0] };
    let scenario = NewScenario { name: "S".into(), ..NewScenario::default() };
    let new =
        NewRequirement { name: "A".into(), text: "It MUST.".into(), scenarios: vec![scenario], raw: None };
    let settled = new.settled(Some(standing)).unwrap();
    assert_eq!(
        settled,
        "### Requirement: A\n\nIt MUST.\n\n<!-- ask Ann -->\n\n#### Scenario: S\n\n- **WHEN** a\n- **THEN** b"
    );
}
