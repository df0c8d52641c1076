//! Shapes that people write though the templates of the tools do not.

use super::{plan_of, read, spec_of};
use crate::import::Format;

#[test]
fn kiro_criteria_need_no_heading_of_their_own() {
    for text in [
        "### Requirement 1: Cart\n\n**User Story:** As a shopper.\n\n1. WHEN a THEN the system SHALL b\n2. IF c THEN the system SHALL d\n",
        "### Requirement 1: Cart\n\n**User Story:** As a shopper.\n\n**Acceptance Criteria:**\n\n1. WHEN a THEN the system SHALL b\n2. IF c THEN the system SHALL d\n",
        "## Requirements\n\n### 1. Cart\n\n**User Story:** As a shopper.\n\n#### Acceptance Criteria\n\n1. WHEN a THEN the system SHALL b\n2. IF c THEN the system SHALL d\n",
    ] {
        let bundle = read(Format::Kiro, &[(".kiro/specs/cart/requirements.md", text)]);
        let spec = spec_of(&bundle.items[0]);
        assert!(spec.contains("### Requirement: Cart\n\n<!-- spec-id: 1 -->"), "{spec}");
        assert!(spec.contains("#### Scenario: 1.1 ") && spec.contains("<!-- spec-id: 1.2 -->"), "{spec}");
        assert!(spec.contains("- **WHEN** a\n- **THEN** the system SHALL b\n"), "{spec}");
        assert_eq!(spec.matches("As a shopper.").count(), 1, "{spec}");
    }
}

#[test]
fn a_list_that_is_no_criteria_stays_in_the_text() {
    let text = "### Requirement 1: Cart\n\n- small\n- quick\n\n1. WHEN a THEN the system SHALL b\n";
    let bundle = read(Format::Kiro, &[(".kiro/specs/cart/requirements.md", text)]);
    let spec = spec_of(&bundle.items[0]);
    assert!(spec.contains("- small\n- quick"), "{spec}");
    assert_eq!(spec.matches("#### Scenario:").count(), 1, "{spec}");
}

#[test]
fn code_in_a_criterion_keeps_its_lines_and_indentation() {
    let text = "### Requirement 1: Cart\n\n#### Acceptance Criteria\n\n1. WHEN a cart is asked for THEN the system SHALL answer\n   ```json\n   { \"items\":\n     [] }\n   # Heading of nothing\n   ```\n2. WHEN b THEN the system SHALL c\n";
    let bundle = read(Format::Kiro, &[(".kiro/specs/cart/requirements.md", text)]);
    let spec = spec_of(&bundle.items[0]);
    assert!(
        spec.contains("- **THEN** the system SHALL answer\n  ```json\n  { \"items\":\n    [] }\n  # Heading of nothing\n  ```\n"),
        "{spec}"
    );
    assert!(spec.contains("#### Scenario: 1.1 the system SHALL answer\n"), "{spec}");
    assert!(spec.contains("#### Scenario: 1.2 the system SHALL c\n"), "{spec}");
}

#[test]
fn key_entities_of_spec_kit_are_a_section_of_their_own() {
    let text = "# Feature Specification: Shop\n\n## User Scenarios & Testing *(mandatory)*\n\n### User Story 1 - Buy (Priority: P1)\n\nText.\n\n**Acceptance Scenarios**:\n\n1. **Given** a, **When** b, **Then** c\n\n### Edge Cases\n\n- What happens then?\n\n## Requirements *(mandatory)*\n\n### Functional Requirements\n\n- **FR-001**: System MUST count\n\n### Key Entities *(include if feature involves data)*\n\n- **Cart**: what is bought\n\n## Success Criteria *(mandatory)*\n\n### Measurable Outcomes\n\n- **SC-001**: It is quick\n\n## Assumptions\n\n- none\n";
    let bundle = read(Format::SpecKit, &[("specs/001-shop/spec.md", text)]);
    let spec = spec_of(&bundle.items[0]);
    let headings: Vec<&str> = spec.lines().filter(|line| line.starts_with("## ")).collect();
    assert_eq!(
        headings,
        [
            "## Purpose",
            "## Requirements",
            "## Edge Cases",
            "## Key Entities *(include if feature involves data)*",
            "## Assumptions"
        ],
        "{spec}"
    );
}

#[test]
fn names_and_codes_may_be_of_any_script() {
    let text = "# R\n\n### Requirement 1: Корзина\n\n1. WHEN a THEN the system SHALL b\n";
    let bundle = read(
        Format::Kiro,
        &[(".kiro/specs/购物车/requirements.md", text), (".kiro/specs/Größe 1/requirements.md", text)],
    );
    let ids: Vec<&str> = bundle.items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids, ["größe-1", "购物车"]);
    let text = "# Feature Specification: X\n\n## Requirements\n\n- **ФТ-001**: System MUST a\n- **需求-002**: System MUST b\n";
    let bundle = read(Format::SpecKit, &[("specs/001-x/spec.md", text)]);
    let spec = spec_of(&bundle.items[0]);
    assert!(
        spec.contains("<!-- spec-id: ФТ-001 -->") && spec.contains("<!-- spec-id: 需求-002 -->"),
        "{spec}"
    );
}

#[test]
fn what_task_master_leaves_out_says_whose_it_is_and_where() {
    let text = "{\n  \"master\": {\n    \"tasks\": [\n      { \"id\": 1, \"title\": \"One\",\n        \"dependencies\": [9] },\n      { \"id\": 1, \"title\": \"Two\" }\n    ],\n    \"metadata\": { \"created\": \"x\" }\n  }\n}\n";
    let bundle = read(Format::TaskMaster, &[(".taskmaster/tasks/tasks.json", text)]);
    let told: Vec<(Option<&str>, Option<usize>, bool)> =
        bundle.left_out.iter().map(|one| (one.id.as_deref(), one.line, one.is_fault)).collect();
    assert_eq!(
        told,
        [(Some("master"), Some(8), false), (Some("1"), Some(6), true), (Some("1"), Some(4), false)]
    );
}

/// As real `.kiro/specs` have them: criteria counted `1.1.`, stars that a formatter escaped, properties that validate.
#[test]
fn kiro_files_that_went_through_other_hands_lose_nothing() {
    let criteria = "### Requirement 2: Cart\n\n#### Acceptance Criteria\n\n2.1. THE cart SHALL hold items\n2.2 WHEN full THEN the cart SHALL refuse\n2.10) THE cart SHALL be v1.2 of it\n";
    let tasks = "# Implementation Plan\n\n- [x] 1. Build\n  - [ ]\\* 1.1 Write a property test\n    - **Property 1: Holds**\n    - **Validates: Requirements 2.1, 2.2**\n  - [ ]* 1.2 Write more\n- [-] 2. Ship\n";
    let bundle = read(
        Format::Kiro,
        &[(".kiro/specs/cart/requirements.md", criteria), (".kiro/specs/cart/tasks.md", tasks)],
    );
    let spec = spec_of(&bundle.items[0]);
    let ids: Vec<&str> = spec.lines().filter(|line| line.starts_with("<!-- spec-id: 2.")).collect();
    assert_eq!(ids, ["<!-- spec-id: 2.1 -->", "<!-- spec-id: 2.2 -->", "<!-- spec-id: 2.10 -->"], "{spec}");
    assert!(spec.contains("- **WHEN** full\n- **THEN** the cart SHALL refuse\n"), "{spec}");
    let plan = plan_of(&bundle.items[0]);
    assert_eq!(plan.matches("### Step ").count(), 4, "{plan}");
    assert!(plan.contains("1.1 Write a property test") && plan.contains("cart#2/2.1, cart#2/2.2"), "{plan}");
    assert_eq!(plan.matches("- **Optional:** yes").count(), 2, "{plan}");
    assert!(bundle.items[0].files.is_empty(), "{:?}", bundle.items[0].files);
}

#[test]
fn a_scenario_of_spec_kit_keeps_its_own_name_and_its_clauses() {
    let story = |scenario: &str| {
        let text = format!(
            "# Feature Specification: Shop\n\n## User Scenarios & Testing\n\n### User Story 1 - Buy (Priority: P1)\n\nText.\n\n**Acceptance Scenarios**:\n\n{scenario}\n"
        );
        spec_of(&read(Format::SpecKit, &[("specs/001-shop/spec.md", &text)]).items[0])
    };
    for scenario in [
        "1. **Scenario: Empty cart**: **Given** a, **When** b, **Then** c",
        "1. **Scenario: Empty cart**:\r\n   - **Given** a\r\n   - **When** b\r\n   - **Then** c",
        "1. **Empty cart** - Given a, When b, Then c",
    ] {
        let spec = story(scenario);
        assert!(spec.contains("#### Scenario: US1.1 Empty cart\n"), "{spec}");
        assert!(spec.contains("- **GIVEN** a\n- **WHEN** b\n- **THEN** c\n"), "{spec}");
    }
}
