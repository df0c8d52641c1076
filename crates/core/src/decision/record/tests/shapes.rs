//! Each document, and what is refused.

use super::*;

#[test]
fn a_record_has_two_parts_and_the_documented_sections_in_order() {
    insta::assert_snapshot!(sample_adr().render(), @r"
    <!-- UID: 20250108T143512.237Z-A001 -->
    <!-- Category: Authentication -->
    <!-- Date: 2025-01-08 -->
    <!-- Previous: 20250107T000000.000Z-0001 -->
    <!-- Merged: 20250106T000000.000Z-0001 -->
    <!-- Supersedes: 20250105T000000.000Z-0001 -->

    # ADR: Authentication: Strategy = OAuth

    **Category:** Authentication
    **Date:** 2025-01-08
    **Status:** Accepted
    **Previous:** [20250107T000000.000Z-0001](20250107T000000.000Z-0001_x.md)

    # PART 1: ARCHITECTURE SNAPSHOT

    ## Changes in This Version

    - Added: Authentication.Strategy = OAuth

    ## Architecture Snapshot

    ### Authentication

    - **Library**: next-auth (ADR 20250108T143512.237Z-A001)
    - **Strategy**: OAuth (ADR 20250108T143512.237Z-A001)

    ### Database

    - **Type**: PostgreSQL

    # PART 2: DECISION DETAILS

    ## Context

    The intention was:

    > Add authentication

    ## Decision

    For Authentication this is decided:

    - Strategy: OAuth
    - Library: next-auth

    ## Rationale

    No further rationale was given.

    ## Alternatives Considered

    - Strategy: SAML was offered and not chosen

    ## Consequences

    ### Positive

    - It is written down

    ### Negative

    _None_

    ### Neutral

    _None_
    ");
    assert_eq!(Adr::read(&sample_adr().render()).unwrap(), sample_adr());
}

#[test]
fn a_task_has_exactly_the_documented_headings() {
    insta::assert_snapshot!(sample_task().render(), @r"
    <!-- UID: 20250108T143512.237Z-A001 -->
    <!-- Created: 2025-01-08T14:35:12Z -->
    <!-- Related ADR: 20250108T143512.237Z-A001 -->

    # Add authentication

    ## Objective

    Add authentication

    Decision: Authentication - Strategy=OAuth, Library=next-auth

    ## Context

    Add authentication

    Related ADR: 20250108T143512.237Z-A001

    ## Allowlist

    - `src/auth/`

    ## Forbidden

    - `.env`
    - `.git/`

    ## Technical Constraints

    - Use OAuth for Strategy

    ## Acceptance Criteria

    - [ ] It works
    ");
    assert_eq!(Task::read(&sample_task().render()).unwrap(), sample_task());
}

#[test]
fn the_state_is_the_snapshot_alone() {
    let state = ArchitectureState { uid: uid(UID), snapshot: sample_adr().snapshot };
    let text = state.render();
    assert!(text.starts_with("<!-- UID: 20250108T143512.237Z-A001 -->\n<!-- Schema: v1 -->\n"));
    assert!(text.contains("## Categories\n\n### Authentication\n\n- **Library**: next-auth (ADR "));
    assert!(!text.contains("PART"));
    assert_eq!(ArchitectureState::read(&text).unwrap(), state);
    assert_eq!(ArchitectureState::read(&text.replace('\n', "\r\n")).unwrap(), state);
}

#[test]
fn the_original_order_of_sections_is_read_too() {
    let text = "<!-- UID: 20250108T143512.237Z-A001 -->\n<!-- Category: Frontend -->\n<!-- Date: 2025-01-08 -->\n\
                <!-- Previous: None -->\n# ADR: Frontend: Framework = React\n\n**Status:** Accepted\n\n## Context\n\nWords.\n\n\
                ## Decision\n\nFor it:\n- Framework: React\n\n## Architecture Snapshot\n\n### Frontend\n\
                - **Framework**: React (ADR 20250108T143512.237Z-A001)\n- **State Management**: none yet\n- **CI/CD**: x\n";
    let adr = Adr::read(text).unwrap();
    assert_eq!(adr.previous, None);
    assert_eq!(adr.snapshot.value("Frontend", "State_Management").unwrap(), "none yet");
    assert_eq!(adr.snapshot.value("Frontend", "CI_CD").unwrap(), "x");
    assert_eq!(adr.context[0].text, "Words.");
    assert_eq!(adr.decision, [("Framework".to_owned(), "React".to_owned())]);

    let bars = "━━━━━━━━\nPART 1: ARCHITECTURE SNAPSHOT\n━━━━━━━━\n";
    let text = format!(
        "<!-- UID: 20250108T143512.237Z-A001 -->\n# ADR-1: x\n\n{bars}\n## CURRENT ARCHITECTURE STATE\n\n### Infra\n\n\
         - **Hosting**: AWS\n\n{}\n## Context\n\nc\n",
        bars.replace("PART 1: ARCHITECTURE SNAPSHOT", "PART 2: DECISION DETAILS")
    );
    assert_eq!(Adr::read(&text).unwrap().snapshot.value("Infra", "Hosting").unwrap(), "AWS");
}

#[test]
fn a_line_that_is_no_field_is_an_error_with_its_line() {
    let good = ArchitectureState { uid: uid(UID), snapshot: sample_adr().snapshot }.render();
    for (broken, line, part) in [
        (good.replace("- **Strategy**: OAuth", "- Strategy OAuth"), 13, "`Strategy OAuth (ADR"),
        (good.replace("### Database\n", "### Database\n\nsome words\n"), 17, "some words"),
        (good.replace("<!-- UID: 20250108T143512.237Z-A001 -->\n", ""), 1, "UID"),
        (good.replace("Z-A001 -->", "Z-T001 -->"), 1, "not a UID"),
        (good.replace("## Categories", "## Kategorien"), 1, "Categories"),
        (String::new(), 1, "UID"),
        ("<<<<<<< HEAD\n".to_owned() + &good, 1, "UID"),
    ] {
        let error = ArchitectureState::read(&broken).unwrap_err();
        assert_eq!(error.line, line, "{error}");
        assert!(error.message.contains(part), "{error}");
    }
    assert!(Task::read("# Just a heading\n\nsome <!-- UID: 20250108T143512.237Z-A001 -->\n").is_err());
}

#[test]
fn a_value_may_look_like_a_reference_to_a_record() {
    let mut state = ArchitectureState { uid: uid(UID), snapshot: Snapshot::default() };
    let value = format!("see (ADR {UID}) and (ADR x)");
    state.snapshot.set("Other", "Note", Decided { value, by: Some(uid(UID)) });
    assert_eq!(ArchitectureState::read(&state.render()).unwrap(), state);
}

#[test]
fn the_prompt_names_the_files_in_reading_order() {
    let prompt = AgentPrompt {
        state: Some("docs/ARCHITECTURE_STATE.md".into()),
        task: "docs/CURRENT_TASK.md".into(),
        adr: Some("docs/adr/x.md".into()),
    };
    let page = prompt.render();
    for literal in [
        "You are a coding agent",
        "Do NOT make architectural decisions",
        "Implement strictly",
        "stop and ask",
        "How to use",
        "Claude Code",
        "Cursor",
        "Windsurf",
    ] {
        assert!(page.contains(literal), "{literal}");
    }
    let inside = AgentPrompt::extract(&page).unwrap();
    assert_eq!(inside, prompt.prompt());
    let at = |path: &str| inside.find(path).unwrap();
    assert!(at("docs/ARCHITECTURE_STATE.md") < at("docs/CURRENT_TASK.md"));
    assert!(at("docs/CURRENT_TASK.md") < at("docs/adr/x.md"));
    let bare = AgentPrompt { state: None, adr: None, ..prompt };
    assert!(!bare.render().contains("ARCHITECTURE_STATE"));
    assert_eq!(AgentPrompt::extract("```\nunclosed"), None);
}
