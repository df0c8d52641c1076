use proptest::prelude::*;

use super::*;
use crate::lifecycle::Lifecycle;

const SAMPLE: &str = "---
title: User Authentication System
description: Implement secure user login/logout
category: feature
state: active
dependencies: []
created_at: 2026-01-24T10:00:00Z
updated_at: 2026-01-24T14:30:00Z
---

# User Authentication System

## Overview

This spec defines the requirements for implementing...
";

fn sample() -> NewSpec {
    NewSpec {
        title: "User Authentication System".to_owned(),
        description: "Implement secure user login/logout".to_owned(),
        category: Category::Feature,
        state: Lifecycle::Active,
        dependencies: Vec::new(),
        decision: None,
        created_at: "2026-01-24T10:00:00Z".to_owned(),
        updated_at: "2026-01-24T14:30:00Z".to_owned(),
        content: body(SAMPLE).to_owned(),
    }
}

fn codes(head: &SpecHead) -> Vec<(&'static str, usize)> {
    head.diagnostics.iter().map(|diagnostic| (diagnostic.code, diagnostic.line)).collect()
}

#[test]
fn the_sample_of_seed_000_is_read_and_written_alike() {
    let head = SpecHead::read(SAMPLE);
    assert_eq!(head.title.as_deref(), Some("User Authentication System"));
    assert_eq!(head.category, Some(Category::Feature));
    assert_eq!(head.state, Some(Lifecycle::Active));
    assert_eq!(head.created_at.as_deref(), Some("2026-01-24T10:00:00Z"));
    assert!(head.diagnostics.is_empty());
    assert!(body(SAMPLE).starts_with("# User"));
    assert_eq!(render_new_spec(&sample()), SAMPLE);
}

#[test]
fn the_title_comes_from_the_front_matter_else_the_first_heading() {
    for (text, title) in [
        ("---\ntitle: A\n---\n# B\n", Some("A")),
        ("---\nstate: draft\n---\n# B\n", Some("B")),
        ("---\ntitle:\n---\n# B\n", Some("B")),
        ("\u{feff}# `B` c #\r\n", Some("B c")),
        ("```\n# no\n```\n\nTitle\n=====\n", Some("Title")),
        ("---\nbroken: [\n---\n# B\n", Some("B")),
        ("just text", None),
        ("", None),
    ] {
        assert_eq!(SpecHead::read(text).title.as_deref(), title, "{text:?}");
    }
}

#[test]
fn dependencies_are_read_in_both_shapes() {
    let text = "---\ndependencies:\n  - spec_id: 1-a\n    kind: hard\n  - spec_id: 2-b\n  - ref: spec://core\n    optional: true\n  - ../impl\n---\n";
    let head = SpecHead::read(text);
    let line = |line, dependency| Dependency { line, ..dependency };
    assert_eq!(
        head.dependencies,
        [
            line(3, Dependency::new("1-a", DependencyKind::Hard)),
            line(5, Dependency::new("2-b", DependencyKind::Soft)),
            line(6, Dependency { optional: true, ..Dependency::new("spec://core", DependencyKind::Soft) }),
            line(8, Dependency::new("../impl", DependencyKind::Soft)),
        ]
    );
    assert!(head.diagnostics.is_empty());
}

#[test]
fn what_a_head_says_wrongly_is_noted_with_its_line() {
    for (yaml, expected) in [
        ("dependencies: 1-a\n", vec![("dependency-invalid", 2)]),
        ("dependencies:\n  - kind: hard\n", vec![("dependency-invalid", 3)]),
        (
            "dependencies:\n  - [a]\n  - spec_id: b\n    kind: firm\n",
            vec![("dependency-invalid", 3), ("dependency-invalid", 4)],
        ),
        ("dependencies:\n", vec![]),
        ("title: [a, b]\n", vec![("front-matter-type", 2)]),
        ("category: epic\n", vec![("category-unknown", 2)]),
        ("state: Active\n", vec![("state-unknown", 2)]),
        ("a: 1\na: 2\n", vec![("front-matter-duplicate-key", 3)]),
    ] {
        assert_eq!(codes(&SpecHead::read(&format!("---\n{yaml}---\n"))), expected, "{yaml:?}");
    }
}

#[test]
fn an_edit_changes_what_it_names() {
    let edited = edit_spec(
        SAMPLE,
        &SpecEdit {
            title: Some("Login: the *new* way".to_owned()),
            dependencies: Some(vec![Dependency::new("1-a", DependencyKind::Hard)]),
            updated_at: Some("2026-02-01T00:00:00Z".to_owned()),
            ..SpecEdit::default()
        },
    )
    .unwrap();
    let expected = SAMPLE
        .replacen("title: User Authentication System", "title: \"Login: the *new* way\"", 1)
        .replacen("dependencies: []", "dependencies:\n  - spec_id: 1-a\n    kind: hard", 1)
        .replacen("updated_at: 2026-01-24T14:30:00Z", "updated_at: 2026-02-01T00:00:00Z", 1);
    assert_eq!(edited, expected);
}

#[test]
fn front_matter_is_added_only_for_metadata() {
    let bare = "# Cap\r\n\r\nText\r\n";
    let moment = || Some("2026-02-01T00:00:00Z".to_owned());
    let content = SpecEdit { content: Some("# New\n".into()), updated_at: moment(), ..SpecEdit::default() };
    assert_eq!(edit_spec(bare, &content).unwrap(), "# New\r\n");
    let state = SpecEdit { state: Some(Lifecycle::Done), updated_at: moment(), ..SpecEdit::default() };
    assert_eq!(edit_spec(bare, &state).unwrap(), bare);
    let title = SpecEdit {
        title: Some("T".into()),
        state: Some(Lifecycle::Done),
        updated_at: moment(),
        ..SpecEdit::default()
    };
    assert_eq!(
        edit_spec(bare, &title).unwrap(),
        "---\r\ntitle: T\r\nupdated_at: 2026-02-01T00:00:00Z\r\n---\r\n\r\n# Cap\r\n\r\nText\r\n"
    );
}

#[test]
fn a_state_is_shown_only_where_one_was_shown() {
    let edit = SpecEdit { state: Some(Lifecycle::Done), ..SpecEdit::default() };
    assert_eq!(edit_spec("---\ntitle: a\n---\n", &edit).unwrap(), "---\ntitle: a\n---\n");
    assert_eq!(edit_spec("---\nstate: draft # x\n---\n", &edit).unwrap(), "---\nstate: done # x\n---\n");
}

#[test]
fn content_replaces_the_body_alone() {
    let edit = |text, content: &str| {
        edit_spec(text, &SpecEdit { content: Some(content.into()), ..SpecEdit::default() })
    };
    for (text, content, expected) in [
        ("---\na: 1\n---\n\nold\n", "new", "---\na: 1\n---\n\nnew\n"),
        ("---\na: 1\n---\nold\n", "new\n", "---\na: 1\n---\nnew\n"),
        ("---\na: 1\n---\nold\n", "\nnew\n", "---\na: 1\n---\n\n\nnew\n"),
        ("---\na: 1\n---\n\nold\n", "", "---\na: 1\n---\n\n"),
        ("---\r\na: 1\r\n---\r\n\r\nold\r\n", "x\ny", "---\r\na: 1\r\n---\r\n\r\nx\r\ny\r\n"),
        ("---\na: 1\n---\n\nold\n", "---\nb: 2\n---\n", "---\na: 1\n---\n\n---\nb: 2\n---\n"),
        ("\u{feff}old", "\u{feff}new", "\u{feff}new\n"),
    ] {
        assert_eq!(edit(text, content).as_deref(), Ok(expected), "{text:?} {content:?}");
    }
    assert_eq!(edit("# bare\n", "---\nb: 2\n---\n"), Err(EditError::Content));
}

#[test]
fn a_front_matter_that_cannot_be_read_is_not_edited() {
    let edit = SpecEdit { title: Some("x".into()), ..SpecEdit::default() };
    assert!(matches!(edit_spec("---\na: [\n---\n", &edit), Err(EditError::Unreadable { line: 2, .. })));
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[a-z:#'\"\n\r \\-]{0,20}", "(---\n)?[a-z]: x\n(---\n)?"]
}

proptest! {
    #[test]
    fn a_new_spec_reads_back_as_it_was_given(
        title in text(), description in text(), content in text(),
        targets in prop::collection::vec("[a-z0-9/: -]{1,12}", 0..3),
    ) {
        let targets: Vec<String> = targets.into_iter().filter(|target| !target.trim().is_empty()).collect();
        let dependencies: Vec<Dependency> =
            targets.iter().map(|target| Dependency::new(target.as_str(), DependencyKind::Hard)).collect();
        let text = render_new_spec(&NewSpec {
            title: title.clone(), description: description.clone(), dependencies, content: content.clone(), ..sample()
        });
        let head = SpecHead::read(&text);
        prop_assert_eq!(head.title, Some(title));
        prop_assert_eq!(head.description, Some(description));
        prop_assert_eq!(head.dependencies.into_iter().map(|d| d.target).collect::<Vec<_>>(), targets);
        prop_assert!(head.diagnostics.is_empty());
        prop_assert_eq!(body(&text), stored(&content).replace("\r\n", "\n"));
    }

    #[test]
    fn an_edited_text_keeps_its_body_and_a_replaced_body_its_head(title in text(), content in text(), old in text()) {
        let spec = render_new_spec(&NewSpec { content: old, ..sample() });
        let edit = SpecEdit { title: Some(title.clone()), ..SpecEdit::default() };
        let edited = edit_spec(&spec, &edit).unwrap();
        prop_assert_eq!(body(&edited), body(&spec));
        prop_assert_eq!(SpecHead::read(&edited).title, Some(title));
        let edit = SpecEdit { content: Some(content.clone()), ..SpecEdit::default() };
        let edited = edit_spec(&spec, &edit).unwrap();
        prop_assert_eq!(body(&edited), stored(&content).replace("\r\n", "\n"));
        prop_assert_eq!(SpecHead::read(&edited), SpecHead::read(&spec));
    }

    #[test]
    fn any_text_has_a_head(text in any::<String>()) {
        let head = SpecHead::read(&text);
        prop_assert!(head.diagnostics.iter().all(|diagnostic| diagnostic.line >= 1));
        prop_assert!(text.ends_with(body(&text)));
    }
}
