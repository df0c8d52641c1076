use super::super::SpecDoc;
use super::*;

fn clauses(body: &str) -> Clauses {
    let text = format!("## Requirements\n### Requirement: R\nIt SHALL.\n#### Scenario: S\n{body}");
    let document = Document::parse(&text);
    SpecDoc::read(&document).requirements[0].scenarios[0].clauses(&document)
}

fn expect(body: &str, given: Option<&str>, when: Option<&str>, then: &[&str]) {
    let expected = Clauses {
        given: given.map(str::to_owned),
        when: when.map(str::to_owned),
        then: then.iter().map(|&text| text.to_owned()).collect(),
    };
    for body in [body.to_owned(), body.replace('\n', "\r\n")] {
        assert_eq!(clauses(&body), expected, "{body:?}");
    }
}

#[test]
fn keywords_are_found_in_every_dress() {
    for body in [
        "- **WHEN** a\n- **THEN** b\n",
        "- WHEN a\n- THEN b\n",
        "* When a\n* then b\n",
        "+ *when* a\n+ _Then_ b\n",
        "WHEN a\nTHEN b\n",
        "**WHEN** a\n**THEN** b\n",
        "**When:** a\n\n**Then**: b\n",
        "1. ***WHEN*** a\n2. __THEN__ b\n",
        "- **WHEN a**\n- **THEN b**\n",
        "- WHEN: a\n- THEN, b\n",
        "  - **WHEN** a\n  - **THEN** b\n",
        "- [ ] **WHEN** a\n- [x] **THEN** b\n",
    ] {
        expect(body, None, Some("a"), &["b"]);
    }
}

#[test]
fn and_and_but_join_what_stands_before_them() {
    expect(
        "- **GIVEN** a\n- **AND** b\n- **WHEN** c\n- **AND** d\n- **BUT** e\n- **THEN** f\n- **AND** g\n- **BUT** h\n",
        Some("a and b"),
        Some("c and d but e"),
        &["f", "g", "h"],
    );
}

#[test]
fn wrapped_lines_are_one_sentence() {
    expect(
        "- **WHEN** a user\n  and an admin\n  log in\n- **THEN** both\nare in\n",
        None,
        Some("a user and an admin log in"),
        &["both are in"],
    );
    expect("WHEN a\nAND b\nand c\nTHEN d\n", None, Some("a and b and c"), &["d"]);
}

#[test]
fn details_belong_to_their_clause() {
    expect(
        "- **WHEN** x\n- **THEN** it has:\n  - `id`\n    - deep\n  - `title`\n- **AND** it prints\n  ```\n  - **WHEN** no\n  ```\n",
        None,
        Some("x"),
        &["it has:\n- `id`\n  - deep\n- `title`", "it prints\n```\n- **WHEN** no\n```"],
    );
}

#[test]
fn items_without_a_keyword_continue_the_part_before_them() {
    expect("- **WHEN** a\n- b\n- **THEN** c\n- d\n", None, Some("a and b"), &["c", "d"]);
}

#[test]
fn keywords_may_be_nested_under_one_another() {
    expect("- **WHEN** a\n  - **AND** b\n  - **THEN** c\n", None, Some("a and b"), &["c"]);
}

#[test]
fn plain_text_comments_and_code_are_no_clauses() {
    expect(
        "Some words. When in doubt.\n<!-- - **WHEN** no -->\n\n```\n- **WHEN** no\n```\n\n    - **WHEN** no\n",
        None,
        None,
        &[],
    );
    expect("- Whenever it rains\n- Thenar\n- Andy\n- **WHEN**\n", None, None, &[]);
}

#[test]
fn an_and_after_plain_text_joins_the_last_clause() {
    expect("- **WHEN** a\n\nA note.\n\n- **AND** b\n- **THEN** c\n", None, Some("a and b"), &["c"]);
}

#[test]
fn steps_keep_every_keyword_and_say_the_same_as_the_clauses() {
    let body =
        "- **GIVEN** a\n- **AND** b\n- **WHEN** c\n- d\n- **BUT** e\n- **THEN** f\n  - g\n- **AND** h\n";
    let text = format!("## Requirements\n### Requirement: R\nIt SHALL.\n#### Scenario: S\n{body}");
    let document = Document::parse(&text);
    let scenario = &SpecDoc::read(&document).requirements[0].scenarios[0];
    let steps = scenario.steps(&document);
    let told: Vec<String> = steps.iter().map(|step| format!("{} {}", step.keyword, step.text)).collect();
    assert_eq!(told, ["GIVEN a", "AND b", "WHEN c", "AND d", "BUT e", "THEN f\n- g", "AND h"]);
    assert_eq!(Clauses::of(&steps), scenario.clauses(&document));
}
