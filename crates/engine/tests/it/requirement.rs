use hewto_engine::{PageRequest, check, requirement};

use crate::support::Fixture;

const AUTH: &str = "# auth Specification\n\n## Purpose\n\nLet people in,\nand nobody else.\n\n## Requirements\n\n\
    ### Requirement: Login\n\nThe system SHALL log in.\n\n#### Scenario: Good password\n\n- **GIVEN** a user\n\
    - **AND** a password\n- **WHEN** it fits\n- **THEN** a session starts\n- **AND** it is logged\n\n\
    #### Scenario: Bad password\n\n- WHEN it does not fit\n- THEN nothing\n\n### Requirement: Logout\n\nIt SHALL log out.\n";

fn fixture() -> Fixture {
    let f = Fixture::new();
    f.write("specs/auth/spec.md", AUTH);
    f.write("specs/billing/invoices/spec.md", "No heading\n");
    f
}

#[test]
fn specs_are_listed_with_what_they_have() {
    let f = fixture();
    let cards = requirement::list_specs(&f.ws, &f.ctx, &PageRequest::default()).unwrap();
    let shown: Vec<(&str, &str, Option<&str>)> = cards
        .specs
        .iter()
        .map(|card| (card.id.as_str(), card.title.as_str(), card.purpose.as_deref()))
        .collect();
    assert_eq!(
        shown,
        [
            ("auth", "auth Specification", Some("Let people in, and nobody else.")),
            ("billing/invoices", "billing/invoices", None)
        ]
    );
    f.write("specs/auth/spec.md", AUTH.replace("Let people in", "Let friends in"));
    let cards = requirement::list_specs(&f.ws, &f.ctx, &PageRequest::default()).unwrap();
    assert_eq!(cards.specs[0].purpose.as_deref(), Some("Let friends in, and nobody else."));
}

#[test]
fn requirements_are_counted_without_their_bodies() {
    let f = fixture();
    let cards = requirement::of_spec(&f.ws, &f.ctx, "auth", &PageRequest::default()).unwrap();
    let shown: Vec<(&str, &str, usize)> = cards
        .requirements
        .iter()
        .map(|card| (card.id.as_str(), card.name.as_str(), card.scenario_count))
        .collect();
    assert_eq!(shown, [("login", "Login", 2), ("logout", "Logout", 0)]);
    let first = PageRequest { limit: Some(1), ..PageRequest::default() };
    let page = requirement::of_spec(&f.ws, &f.ctx, "auth", &first).unwrap();
    let next = PageRequest { cursor: page.page.next_cursor, ..PageRequest::default() };
    let rest = requirement::of_spec(&f.ws, &f.ctx, "auth", &next).unwrap();
    assert_eq!(rest.requirements[0].name, "Logout");
}

#[test]
fn a_scenario_is_found_by_name_or_as_the_first() {
    let f = fixture();
    let first = requirement::scenario(&f.ws, &f.ctx, "auth", "login", None).unwrap();
    assert_eq!(first.requirement, "Login");
    assert_eq!(first.requirement_description, "The system SHALL log in.");
    assert_eq!(first.scenario.name, "Good password");
    assert_eq!(first.scenario.given.as_deref(), Some("a user and a password"));
    assert_eq!(first.scenario.then, ["a session starts", "it is logged"]);
    let second = requirement::scenario(&f.ws, &f.ctx, "auth", "Login", Some("bad  PASSWORD")).unwrap();
    assert_eq!(second.scenario.when.as_deref(), Some("it does not fit"));
    let error = requirement::scenario(&f.ws, &f.ctx, "auth", "Login", Some("Bad pasword")).unwrap_err();
    assert_eq!(error.key.as_str(), "scenario_not_found");
    assert_eq!(error.details["near"], serde_json::json!(["Bad password"]));
    assert_eq!(
        requirement::scenario(&f.ws, &f.ctx, "auth", "X", None).unwrap_err().key.as_str(),
        "requirement_not_found"
    );
    assert_eq!(
        requirement::scenario(&f.ws, &f.ctx, "auth", "Logout", None).unwrap_err().key.as_str(),
        "scenario_not_found"
    );
    assert_eq!(
        requirement::scenario(&f.ws, &f.ctx, "nope", "X", None).unwrap_err().key.as_str(),
        "spec_not_found"
    );
}

#[test]
fn a_requirement_is_shown_with_its_place() {
    let f = fixture();
    let shown = requirement::show(&f.ws, &f.ctx, "auth", "logout").unwrap();
    assert_eq!((shown.file.as_str(), shown.line), ("specs/auth/spec.md", 27));
}

#[test]
fn the_text_of_a_requirement_is_shown_with_its_lists_and_code() {
    let f = fixture();
    let text = "The system SHALL log in:\n\n- by name\n- by mail\n\n```sh\nlogin ann\n```";
    f.write("specs/auth/spec.md", AUTH.replace("The system SHALL log in.", text));
    let shown = requirement::show(&f.ws, &f.ctx, "auth", "login").unwrap();
    assert_eq!(shown.requirement.text, text);
}

#[test]
fn an_id_is_found_as_the_file_writes_it_and_in_any_case() {
    let f = Fixture::new();
    let text = AUTH
        .replace("### Requirement: Login\n", "### Requirement: Login\n<!-- spec-id: FR-001 -->\n")
        .replace("#### Scenario: Good password\n", "#### Scenario: Good password\n<!-- spec-id: AC-1 -->\n");
    f.write("specs/auth/spec.md", text);
    for name in ["FR-001", "fr-001", " Fr-001 ", "Login"] {
        let found = requirement::show(&f.ws, &f.ctx, "auth", name).unwrap();
        assert_eq!(found.requirement.name, "Login", "{name}");
        let scenario = requirement::scenario(&f.ws, &f.ctx, "auth", name, Some("AC-1")).unwrap();
        assert_eq!(scenario.scenario.name, "Good password");
    }
}

#[test]
fn a_change_where_a_spec_is_wanted_is_called_one_and_judged_as_one() {
    let f = fixture();
    f.write(
        "changes/add-limit/proposal.md",
        "# Change: Add a limit\n\n## Why\n\nToo many.\n\n## What Changes\n\n- x\n",
    );
    for name in ["add-limit", "change:add-limit"] {
        let error = requirement::show(&f.ws, &f.ctx, name, "Login").unwrap_err();
        assert_eq!(
            (error.key.as_str(), error.message.as_str()),
            ("spec_not_found", "`add-limit` is a change, not a spec")
        );
        assert_eq!(error.plain_hint().as_deref(), Some("look at the change `add-limit` to read it"));
        let verdict = check::validate_spec(&f.ws, &f.ctx, Some(name), check::Strictness::Normal).unwrap();
        let own =
            check::validate_change(&f.ws, &f.ctx, Some("add-limit"), check::Strictness::Normal).unwrap();
        assert_eq!(verdict, own);
    }
}
