//! Decisions on a timeline, and what holds now.

use hewto_core::diagnostic::Severity;
use hewto_store::Context;

use crate::decision::{self, Repository, Timeline};
use crate::error::{Error, Result};
use crate::view::{
    ClarifyState, DecisionCard, DecisionLine, DecisionPage, DecisionView, DecisionsPage, DiagnosticView,
    ForeignDecision,
};

/// All decisions, latest first.
pub fn decisions(repository: &Repository, ctx: &Context) -> Result<DecisionsPage> {
    let Timeline { lines: all, architecture, unreadable } = decision::timeline(repository, ctx)?;
    let taken_by = |uid: &str| -> Vec<String> {
        let newer = all.iter().filter(|(_, supersedes)| supersedes.iter().any(|old| old == uid));
        newer.map(|(card, _)| card.uid.clone()).collect()
    };
    let lines = all.iter().rev().map(|(card, supersedes)| DecisionLine {
        superseded_by: taken_by(&card.uid),
        supersedes: supersedes.clone(),
        card: card.clone(),
    });
    Ok(DecisionsPage {
        decisions: lines.collect(),
        architecture: architecture.architecture.categories,
        warning: architecture.warning,
        message: architecture.message,
        unreadable: unreadable.iter().map(diagnostic).collect(),
        foreign: decision::foreign(repository, ctx)?,
        clarification: open_questions(repository, ctx),
    })
}

fn diagnostic(error: &Error) -> DiagnosticView {
    let file = error.details.get("path").and_then(|path| path.as_str()).unwrap_or_default();
    let line = error.details.get("line").and_then(serde_json::Value::as_u64);
    DiagnosticView {
        code: error.key.as_str().to_owned(),
        severity: Severity::Error,
        file: file.to_owned(),
        line: line.and_then(|line| usize::try_from(line).ok()),
        message: error.full_message(),
        hint: error.plain_hint().unwrap_or_default(),
    }
}

/// One decision, and what took its place; or a record of another tool, by the name of its file.
pub fn decision(repository: &Repository, ctx: &Context, uid: &str) -> Result<DecisionPage> {
    if let Some((foreign, text)) = decision::foreign_named(repository, ctx, uid)? {
        return Ok(recorded_elsewhere(foreign, text));
    }
    let decision = decision::show(repository, ctx, uid)?;
    let all = decision::timeline(repository, ctx)?.lines;
    let newer = all.iter().filter(|(_, supersedes)| supersedes.contains(&decision.card.uid));
    let superseded_by = newer.map(|(card, _)| card.uid.clone()).collect();
    Ok(DecisionPage { decision, superseded_by, foreign: None })
}

fn recorded_elsewhere(foreign: ForeignDecision, text: String) -> DecisionPage {
    let card = DecisionCard {
        uid: foreign.name.clone(),
        title: foreign.title.clone(),
        category: String::new(),
        date: foreign.date.clone().unwrap_or_default(),
        path: foreign.path.clone(),
    };
    let decision = DecisionView {
        card,
        previous: None,
        merged: Vec::new(),
        supersedes: Vec::new(),
        changes: Vec::new(),
        decision: Vec::new(),
        text,
    };
    DecisionPage { decision, superseded_by: Vec::new(), foreign: Some(foreign) }
}

/// The interview that waits for answers, if one does.
pub(super) fn open_questions(repository: &Repository, ctx: &Context) -> Option<ClarifyState> {
    decision::status(repository, ctx).ok()
}
