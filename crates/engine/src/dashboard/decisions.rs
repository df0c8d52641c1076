//! Decisions on a timeline, and what holds now.

use hewto_store::Context;

use crate::decision::{self, Repository};
use crate::error::Result;
use crate::view::{ClarifyState, DecisionLine, DecisionPage, DecisionsPage};

/// All decisions, latest first.
pub fn decisions(repository: &Repository, ctx: &Context) -> Result<DecisionsPage> {
    let architecture = decision::read_architecture(repository, ctx)?;
    let all = decision::timeline(repository, ctx)?;
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
        clarification: open_questions(repository, ctx),
    })
}

/// One decision, and what took its place.
pub fn decision(repository: &Repository, ctx: &Context, uid: &str) -> Result<DecisionPage> {
    let decision = decision::show(repository, ctx, uid)?;
    let all = decision::timeline(repository, ctx)?;
    let newer = all.iter().filter(|(_, supersedes)| supersedes.contains(&decision.card.uid));
    let superseded_by = newer.map(|(card, _)| card.uid.clone()).collect();
    Ok(DecisionPage { decision, superseded_by })
}

/// The interview that waits for answers, if one does.
pub(super) fn open_questions(repository: &Repository, ctx: &Context) -> Option<ClarifyState> {
    decision::status(repository, ctx).ok()
}
