//! A decision that waits for a person, where the gate `decision` wants one: its text lies under `.hewto/decisions/`, and what a
//! person says of it beside it. Whoever decides the same again, word for word, goes on with that approval, once.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use hewto_core::decision::interview::Outcome;
use hewto_core::decision::uid::Uid;
use hewto_core::proof::settings::digest;
use hewto_store::{Context, Expect, Transaction};

use super::repository::Repository;
use crate::error::{Error, Result};
use crate::gate;
use crate::review::{Records, Subject, decision_recorded, decision_text, note_spent};
use crate::workspace::Workspace;

/// What has to be put down before it can be approved.
#[derive(Debug)]
pub(super) struct Waiting {
    ws: Workspace,
    subject: Subject,
    text: String,
    refusal: Error,
}

/// The workspace whose gates a decision passes, which has asked git whatever they will ask; `None` where there is none, and
/// so no gate. It is for before the lock.
pub(super) fn foreseen(repository: &Repository, ctx: &Context) -> Option<Workspace> {
    let ws = repository.workspace()?;
    Some(ws.foreseeing(|ws| {
        let policy = gate::Policy::at_the_door(ws, ctx)?;
        if !policy.general().decision().needs_a_person() {
            return Ok(());
        }
        let waiting = &ws.places().waiting_decisions;
        let mut folders = BTreeSet::new();
        for below in ws.store().tree(ctx, waiting)? {
            folders.extend(match below.rsplit_once('/') {
                Some((folder, _)) => waiting.folder(folder).ok(),
                None => Some(waiting.clone()),
            });
        }
        folders.iter().try_for_each(|folder| Records::read(ws, ctx, folder).map(drop))
    }))
}

/// Lets a decision through, or says that it waits.
pub(super) fn ask(ws: Option<&Workspace>, ctx: &Context, outcome: &Outcome) -> Result<Option<Waiting>> {
    let Some(ws) = ws else { return Ok(None) };
    let policy = gate::Policy::at_the_door(ws, ctx)?;
    if !policy.general().decision().needs_a_person() {
        return Ok(None);
    }
    let (subject, text) = subject_of(ws, outcome)?;
    let refused = gate::ask_decision(ws, ctx, &policy, &subject)?;
    Ok(refused.map(|refusal| Waiting { ws: ws.clone(), subject, text, refusal }))
}

/// Notes that a decision is recorded, in the same commit: its approval is not for a second time, after others were made.
pub(super) fn spend(
    ws: Option<&Workspace>,
    ctx: &Context,
    outcome: &Outcome,
    recorded: &Uid,
    transaction: &mut Transaction,
) -> Result<()> {
    let Some(ws) = ws else { return Ok(()) };
    let (subject, _) = subject_of(ws, outcome)?;
    if let Some(note) = note_spent(ws, ctx, &subject.review_folder(), recorded)? {
        transaction.put(decision_recorded(&subject.folder)?, note, Expect::Any);
    }
    Ok(())
}

fn subject_of(ws: &Workspace, outcome: &Outcome) -> Result<(Subject, String)> {
    let text = text_of(outcome);
    let subject = Subject::of_decision(ws, &digest(text.as_bytes())[..12], &text)?;
    Ok((subject, text))
}

impl Waiting {
    /// Puts the text where people find it, and says what to do.
    pub(super) fn put(self, ctx: &Context) -> Result<Error> {
        let key = decision_text(&self.subject.folder)?;
        let (lock, ws) = self.ws.lock(ctx)?;
        if ws.store().read(ctx, &key)?.is_none() {
            let mut transaction = Transaction::new();
            transaction.put(key, self.text, Expect::Absent);
            lock.commit(ctx, transaction)?;
        }
        Ok(self.refusal)
    }
}

/// What is decided, without when and under which number.
fn text_of(outcome: &Outcome) -> String {
    let mut out = format!("# {}\n\n", outcome.title);
    if let Some(patch) = &outcome.patch {
        let _ = writeln!(out, "## {}\n", patch.category);
        for (field, value) in patch.fields.iter().chain(&outcome.details) {
            let _ = writeln!(out, "- {field}: {value}");
        }
    }
    let _ = writeln!(out, "\n## Why\n\n{}", outcome.intention);
    for more in [&outcome.given_context, &outcome.description].into_iter().flatten() {
        let _ = writeln!(out, "\n{more}");
    }
    out
}
