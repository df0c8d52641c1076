use proptest::prelude::*;

use super::*;

const SPEC: &str = "\
# auth Specification

## Purpose

Keep strangers out
and friends in.

## Requirements

### Requirement: User Login

The system SHALL let a user in.
**Priority**: high

```
### Requirement: Not one
#### Scenario: Not one
```

#### Scenario: Right password

- **WHEN** it is right
- **THEN** let in

##### Detail

More.

#### Edge case ####

Text.

### Notes

Stay.

### Requirement: Logout

The system MUST let a user out.

#### Scenario: Out

- **WHEN** out
- **THEN** gone

## Annex

### Requirement: Lost
";

#[test]
fn a_spec_is_read_with_its_places() {
    for text in [SPEC.to_owned(), SPEC.replace('\n', "\r\n"), format!("\u{feff}{SPEC}")] {
        let document = Document::parse(&text);
        let spec = SpecDoc::read(&document);
        assert_eq!(spec.title, Some("auth Specification"));
        let purpose = spec.purpose.unwrap();
        assert_eq!(purpose.text, "Keep strangers out and friends in.");
        assert_eq!(document.line_of(purpose.heading.start), 3);

        let names: Vec<_> = spec.requirements.iter().map(|r| (r.name, r.id.as_str(), r.place)).collect();
        let expected = [
            ("User Login", "user-login", RequirementPlace::Inside),
            ("Logout", "logout", RequirementPlace::Inside),
            ("Lost", "lost", RequirementPlace::Elsewhere),
        ];
        assert_eq!(names, expected);

        let login = &spec.requirements[0];
        assert_eq!(login.text, "The system SHALL let a user in.");
        let scenarios: Vec<_> = login.scenarios.iter().map(|s| (s.name, s.label)).collect();
        assert_eq!(scenarios, [("Right password", Label::Scenario), ("Edge case", Label::Bare)]);
        assert!(login.scenarios[0].raw.ends_with("More."), "{:?}", login.scenarios[0].raw);
        assert!(login.raw.ends_with("Text."));
        assert!(text[login.foreign.clone()].starts_with("### Notes"));
        assert!(text[login.foreign.clone()].ends_with("Stay."));
        assert_eq!(document.line_of(spec.requirements[1].heading.start), 37);
        assert_eq!(spec.requirements[2].text, "");
    }
}

#[test]
fn headings_that_only_look_like_requirements_are_none() {
    for text in [
        "~~~\n### Requirement: A\n~~~\n",
        "<!--\n### Requirement: A\n-->\n",
        "    ### Requirement: A\n",
        "> ### Requirement: A\n",
        "- ### Requirement: A\n",
        "### Requirement:\n",
        "### Requirements: A\n",
        "#### Requirement: A\n",
        "Requirement: A\n",
    ] {
        assert!(SpecDoc::read(&Document::parse(text)).requirements.is_empty(), "{text:?}");
    }
}

#[test]
fn headings_that_are_plainly_meant_are_requirements() {
    for text in
        ["###Requirement: A\n", "### requirement: A\n", "  ### REQUIREMENT:A ###\n", "text\n###requirement:A"]
    {
        let document = Document::parse(text);
        let spec = SpecDoc::read(&document);
        let names: Vec<_> = spec.requirements.iter().map(|requirement| requirement.name).collect();
        assert_eq!(names, ["A"], "{text:?}");
    }
}

#[test]
fn names_match_exactly_then_loosely_and_a_miss_suggests() {
    let document = Document::parse(SPEC);
    let spec = SpecDoc::read(&document);
    for name in ["User Login", " user   LOGIN ", "user-login"] {
        let Match::Found(found) = find_requirement(&spec.requirements, name) else { panic!("{name}") };
        assert_eq!(found.name, "User Login");
    }
    let Match::Found(found) = find_requirement(&spec.requirements, "Log out") else { panic!("blanks") };
    assert_eq!(found.name, "Logout");
    let missing = find_requirement(&spec.requirements, "Lagout");
    assert_eq!(missing, Match::Missing { near: vec!["Logout".to_owned()] });
    let scenario = find_scenario(&spec.requirements[0], "right  PASSWORD");
    assert!(matches!(scenario, Match::Found(Scenario { name: "Right password", .. })));
    let missing = find_scenario(&spec.requirements[0], "Wrong password");
    let near = vec!["Right password".to_owned(), "Edge case".to_owned()];
    assert_eq!(missing, Match::Missing { near });
}

fn markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("## Purpose\n"),
        Just("## Requirements\n"),
        Just("### Requirement: A\n"),
        Just("###Requirement: ä\n"),
        Just("### Other\n"),
        Just("#### Scenario: 🙂\n"),
        Just("- **WHEN** a\n"),
        Just("  - THEN b\r\n"),
        Just("* and c\n"),
        Just("```\n"),
        Just("<!--\n"),
        Just("-->\n"),
        Just("> q\n"),
        Just("\n"),
        Just("text\n"),
        Just("\r"),
        Just("\u{feff}"),
        Just("    "),
        Just("---\n"),
        Just("**x**: y\n"),
    ];
    prop_oneof![prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat()), any::<String>()]
}

proptest! {
    #[test]
    fn whatever_the_text_reading_it_holds_together(text in markdown()) {
        let document = Document::parse(&text);
        let mut last = 0;
        let spec = SpecDoc::read(&document);
        for requirement in &spec.requirements {
            prop_assert!(requirement.span.start >= last);
            last = requirement.whole().end;
            prop_assert_eq!(requirement.raw, &text[requirement.span.clone()]);
            let mut inner = requirement.heading.end;
            for scenario in &requirement.scenarios {
                prop_assert!(scenario.span.start >= inner && scenario.span.end <= requirement.span.end);
                inner = scenario.span.end;
                let _ = scenario.clauses(&document);
            }
        }
        let by_lines = SpecDoc::from_outline(&Outline::by_lines(&text));
        prop_assert!(by_lines.requirements.iter().all(|r| text[r.span.clone()].starts_with("###")));
        let mut ids: Vec<_> = spec.requirements.iter().map(|r| r.id.clone()).collect();
        ids.sort();
        ids.dedup();
        prop_assert_eq!(ids.len(), spec.requirements.len());
    }
}
