//! What an open page replaces by itself: all that it says of the workspace lies in its regions.

use crate::shop::{SHOP, Shop};

/// A decision.
const DECISION: &str = "\
//- docs/adr/20261117T181956.320Z-B718_backend_framework__axum1.md
<!-- UID: 20261117T181956.320Z-B718 -->
<!-- Category: Backend -->
<!-- Date: 2026-11-17 -->
<!-- Previous: None -->

# ADR: Backend: Framework = axum1

**Category:** Backend
**Date:** 2026-11-17
**Status:** Accepted
**Previous:** _None_

# PART 1: ARCHITECTURE SNAPSHOT

## Changes in This Version

- Added: Backend.Framework = axum1

## Architecture Snapshot

### Backend

- **Framework**: axum1 (ADR 20261117T181956.320Z-B718)

# PART 2: DECISION DETAILS

## Context

A decision on Backend was needed. The intention was:

> We need a server number 1, because people wait

## Decision

For Backend this is decided:

- Framework: axum1

## Rationale

No rationale was given beyond the context.

## Alternatives Considered

- No alternative was considered

## Consequences

### Positive

- The decision is written down

### Negative

_None_

### Neutral

_None_
";

/// Elements without an end.
const VOID: [&str; 7] = ["br", "hr", "img", "input", "link", "meta", "wbr"];

/// What stands on a page outside of its regions.
fn outside(main: &str) -> String {
    let mut out = String::new();
    let mut rest = main;
    let mut depth_of_region: Option<usize> = None;
    let mut depth = 0_usize;
    while let Some(at) = rest.find('<') {
        let end = at + rest[at..].find('>').expect("a tag ends") + 1;
        let (text, tag) = (&rest[..at], &rest[at..end]);
        let was_inside = depth_of_region.is_some();
        let name = tag.trim_start_matches(['<', '/']).split([' ', '>']).next().unwrap_or_default();
        if tag.starts_with("</") {
            depth -= 1;
            depth_of_region = depth_of_region.filter(|region| depth > *region);
        } else {
            if tag.contains(" data-region") {
                assert!(!was_inside, "a region in a region: {tag}");
                depth_of_region = Some(depth);
            }
            depth += usize::from(!VOID.contains(&name));
        }
        if !was_inside {
            out += text;
            out += if depth_of_region.is_some() { "" } else { tag };
        }
        rest = &rest[end..];
    }
    let mut said = String::new();
    for line in out.split('<') {
        // What makes a form count once differs every time.
        if !line.contains("name=\"once\"") {
            said += line;
            said.push('\n');
        }
    }
    said
}

#[test]
fn all_that_a_page_says_of_the_workspace_is_replaced_when_it_changes() {
    let empty = Shop::open("//- .hewto/config.toml\n[project]\nname = \"shop\"\n//- specs/\n");
    let full = Shop::open(SHOP);
    full.workspace.add(DECISION);
    let comment = [("item", "change:sign-in-by-mail"), ("text", "Which link?"), ("once", "1")];
    assert_eq!(full.sign_in().post("/w/shop/comments", &comment).status, 303);
    let edited = Shop::open(
        &SHOP
            .replace("# Accounts", "# Accounts of people")
            .replace("# Change: Sign in by mail", "# Change: Sign in by letter")
            .replace("changes/fast-login", "changes/slow-login")
            .replace("specs/accounts/spec.md\n## MODIFIED Requirements\n\n### Requirement: Sign in\nThe system SHALL let a customer in at", "specs/other/spec.md\n## ADDED Requirements\n\n### Requirement: Another\nThe system SHALL let a customer in at"),
    );
    let pages = ["board", "specs", "specs?q=password", "graph", "decisions", "proof", "ops", "health"];
    let items = ["change/sign-in-by-mail", "spec/accounts", "requirement/accounts/sign-in"];
    let around = ["graph?around=accounts"];
    let compared = pages
        .iter()
        .map(|page| (page, &empty))
        .chain(items.iter().chain(&around).map(|page| (page, &edited)));
    for (page, other) in compared {
        let address = format!("/w/shop/{page}");
        let (one, two) = (full.sign_in().get(&address), other.sign_in().get(&address));
        assert_eq!((one.status, two.status), (200, 200), "{page}");
        // The verdict is bound to what was shown, so its form stays as it is.
        let without_verdict =
            |main: &str| main.split("id=\"verdict\"").next().unwrap_or_default().to_owned() + ">";
        let shown = |main: &str| outside(&without_verdict(main));
        assert_eq!(shown(one.main()), shown(two.main()), "{page}");
        assert_ne!(one.main(), two.main(), "{page}");
    }
}
