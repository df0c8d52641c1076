//! The documents as they are written and read. Here stands what the tests share.

mod hostile;
mod shapes;

use super::*;
use crate::decision::architecture::{Decided, Snapshot};
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
        supersedes: vec![uid("20250105T000000.000Z-0001")],
        alias: None,
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
        known: None,
        allowlist: vec!["src/auth/".into()],
        forbidden: vec![".env".into(), ".git/".into()],
        constraints: vec!["Use OAuth for Strategy".into()],
        criteria: vec!["It works".into()],
    }
}
