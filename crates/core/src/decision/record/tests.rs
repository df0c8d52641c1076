use proptest::prelude::*;

use super::*;
use crate::decision::architecture::{Decided, Snapshot};
use crate::decision::text::{clean, one_line};
use crate::decision::uid::Uid;

const UID: &str = "20250108T143512.237Z-A001";

fn uid(text: &str) -> Uid {
    Uid::parse(text).unwrap()
}

fn sample_adr() -> Adr {
    let mut snapshot = Snapshot::default();
    let decided = |value: &str| Decided { value: value.into(), by: Some(uid(UID)) };
    snapshot.set("Authentication", "Strategy", decided("OAuth"));
    snapshot.set("Authentication", "Library", decided("next-auth"));
    snapshot.set("Database", "Type", Decided { value: "PostgreSQL".into(), by: None });
    Adr {
        uid: uid(UID),
        title: "Authentication: Strategy = OAuth".into(),
        category: "Authentication".into(),
        date: "2025-01-08".into(),
        previous: Some(uid("20250107T000000.000Z-0001")),
        previous_file: Some("20250107T000000.000Z-0001_x.md".into()),
        merged: vec![uid("20250106T000000.000Z-0001")],
        changes: vec!["Added: Authentication.Strategy = OAuth".into()],
        snapshot,
        context: vec![Passage { lead: "The intention was:".into(), text: "Add authentication".into() }],
        decision: vec![("Strategy".into(), "OAuth".into()), ("Library".into(), "next-auth".into())],
        rationale: "No further rationale was given.".into(),
        alternatives: vec!["Strategy: SAML was offered and not chosen".into()],
        positive: vec!["It is written down".into()],
        negative: vec![],
        neutral: vec![],
    }
}

fn sample_task() -> Task {
    Task {
        uid: uid(UID),
        created: "2025-01-08T14:35:12Z".into(),
        related_adr: Some(uid(UID)),
        title: "Add authentication".into(),
        intention: "Add authentication".into(),
        decision: Some("Authentication - Strategy=OAuth, Library=next-auth".into()),
        given_context: None,
        description: None,
        allowlist: vec!["src/auth/".into()],
        forbidden: vec![".env".into(), ".git/".into()],
        constraints: vec!["Use OAuth for Strategy".into()],
        criteria: vec!["It works".into()],
    }
}

#[test]
fn a_record_has_two_parts_and_the_documented_sections_in_order() {
    insta::assert_snapshot!(sample_adr().render(), @r"
    <!-- UID: 20250108T143512.237Z-A001 -->
    <!-- Category: Authentication -->
    <!-- Date: 2025-01-08 -->
    <!-- Previous: 20250107T000000.000Z-0001 -->
    <!-- Merged: 20250106T000000.000Z-0001 -->

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
        (good.replace("Z-A001 -->", "Z-T001 -->"), 1, "no UID"),
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

/// Text that tries to become structure.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("```"),
        Just("~~~\n"),
        Just("## Allowlist\n"),
        Just("### Positive"),
        Just("<!-- UID: x -->"),
        Just("-->"),
        Just("<!--"),
        Just("> "),
        Just("- **Type**: x"),
        Just("- [ ] "),
        Just("\n---\n"),
        Just("\n"),
        Just("\n\n"),
        Just("`"),
        Just("\\"),
        Just("**"),
        Just(": "),
        Just("Decision: "),
        Just("Related ADR: "),
        Just("In more words:"),
        Just(" (ADR 20250108T143512.237Z-A001)"),
        Just("#"),
        Just("_None_"),
        Just("word "),
        Just("é"),
        Just("PART 2"),
        Just("<script>"),
        Just("&lt;"),
        Just("1. "),
        Just("    code"),
        Just("|a|\n|-|"),
        Just("Context given with it:"),
    ];
    proptest::collection::vec(piece, 1..12).prop_map(|pieces| pieces.concat())
}

fn line() -> impl Strategy<Value = String> {
    hostile().prop_map(|text| one_line(&text)).prop_filter("not empty", |line| !line.is_empty())
}

fn text() -> impl Strategy<Value = String> {
    hostile().prop_map(|text| clean(&text)).prop_filter("not empty", |text| !text.is_empty())
}

/// An entry of a list that a reader does not take for the mark of a task.
fn entry() -> impl Strategy<Value = String> {
    line().prop_map(|line| format!("Use {line}"))
}

proptest! {
    #[test]
    fn a_task_comes_back_as_it_was_written(
        title in line(), intention in text(), given in proptest::option::of(text()),
        description in proptest::option::of(text()), value in line(),
        paths in proptest::collection::vec(line(), 0..3), criteria in proptest::collection::vec(line(), 0..3),
        constraints in proptest::collection::vec(entry(), 0..3), with_adr in any::<bool>(),
    ) {
        let mut task = sample_task();
        task.title = title;
        task.intention = intention;
        task.decision = Some(format!("Other - Description={value}"));
        task.given_context = given;
        task.description = description;
        task.allowlist = paths;
        task.constraints = constraints;
        task.criteria = criteria;
        if !with_adr {
            task.related_adr = None;
        }
        let text = task.render();
        prop_assert_eq!(Task::read(&text).unwrap(), task.clone(), "{}", text);
        prop_assert_eq!(Task::read(&text.replace('\n', "\r\n")).unwrap(), task);
    }

    #[test]
    fn a_record_comes_back_as_it_was_written(
        title in line(), intention in text(), more in text(), value in line(), other in line(),
    ) {
        let mut adr = sample_adr();
        adr.title = format!("Other: Note = {title}");
        adr.changes = vec![format!("Added: Other.Note = {value}")];
        adr.snapshot.set("Other", "Note", Decided { value: value.clone(), by: Some(uid(UID)) });
        adr.snapshot.set("Other", "Loose", Decided { value: format!("{other}."), by: None });
        adr.decision = vec![("Note".into(), value)];
        adr.alternatives = vec![format!("Note: {other}")];
        adr.context.push(Passage { lead: "In more words:".into(), text: more });
        adr.context[0].text = intention;
        let text = adr.render();
        prop_assert_eq!(Adr::read(&text).unwrap(), adr.clone(), "{}", text);
        prop_assert_eq!(Adr::read(&text.replace('\n', "\r\n")).unwrap(), adr);
    }

    #[test]
    fn reading_never_panics(text in "\\PC{0,200}", hostile in hostile()) {
        for text in [text.clone(), format!("<!-- UID: {UID} -->\n{hostile}\n## Categories\n### {text}\n{hostile}")] {
            let _ = Adr::read(&text);
            let _ = Task::read(&text);
            let _ = ArchitectureState::read(&text);
            let _ = AgentPrompt::extract(&text);
        }
    }
}
