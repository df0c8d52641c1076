//! `hewto proof baseline`: known debt by name, drawn once and then only shrinking.

use std::collections::BTreeSet;

use hewto_core::proof::ledger::Baseline;
use hewto_core::proof::{Ref, State};
use hewto_store::{Context, DocKey, Expect, Own, Transaction};

use super::authentic;
use super::person::{Concession, Person};
use super::records;
use super::standing::{Query, Standing};
use crate::error::{Error, Key, Kind, Result};
use crate::view::BaselineView;
use crate::workspace::Workspace;

/// What is to become of the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaselineMode<'p> {
    /// Names everything that is red now. The first baseline may be drawn by anybody; one that grows needs a person.
    Draw(Option<&'p Person>),
    /// Drops what was paid.
    Tighten,
}

/// Draws or tightens the baseline.
pub fn baseline(ws: &Workspace, ctx: &Context, mode: BaselineMode<'_>) -> Result<BaselineView> {
    let ws = &ws.foreseeing(|ws| {
        Standing::find(ws, ctx, &Query::default())?;
        match mode {
            BaselineMode::Draw(Some(person)) => {
                Concession::Debt { added: &[] }.require(ws, ctx, person).map(drop)
            }
            BaselineMode::Draw(None) | BaselineMode::Tighten => Ok(()),
        }
    });
    let (lock, ref ws) = ws.lock(ctx)?;
    let key = DocKey::Own(Own::Baseline);
    let doc = ws.store().read(ctx, &key)?;
    let old = doc.as_ref().map(|doc| Baseline::read(&doc.text)).unwrap_or_default();
    let standing = Standing::find(ws, ctx, &Query::default())?;
    // By today's names.
    let known = &standing.records.baseline;
    let now = debt(&standing);
    let new = match mode {
        BaselineMode::Tighten => Baseline {
            uncovered: known.uncovered.intersection(&open(&standing)).cloned().collect(),
            failing: if standing.runs.is_empty() {
                old.failing.clone()
            } else {
                old.failing.intersection(&now.failing).cloned().collect()
            },
            ..Baseline::default()
        },
        BaselineMode::Draw(_) => now,
    };
    let (added, dropped) = (names(&new.beyond(known)), names(&old.beyond(&new)));
    if let BaselineMode::Draw(None) = mode
        && doc.is_some()
        && !added.is_empty()
    {
        return Err(Error::new(
            Kind::Refused,
            Key::PersonRequired,
            match added.len() {
                1 => format!("the baseline would grow by `{}`", added[0]),
                n => format!("the baseline would grow by {n} names, `{}` among them", added[0]),
            },
        )
        .detail("added", added)
        .hint(
            "link and run tests for them; a person lets debt grow with `hewto proof baseline` in a terminal",
        ));
    }
    if let BaselineMode::Draw(Some(person)) = mode {
        Concession::Debt { added: &added }.require(ws, ctx, person)?;
    }
    let vouched = match mode {
        BaselineMode::Draw(person) => person.is_some(),
        // What is left of names that somebody vouched for is vouched for.
        BaselineMode::Tighten => records::is_vouched(ctx, &old),
    };
    let mac = vouched.then(|| authentic::seal(ctx, records::BASELINE_PURPOSE, &new.signed()));
    let new = Baseline { mac, ..new };
    let written = doc.is_none() || !added.is_empty() || !dropped.is_empty();
    if written {
        let mut transaction = Transaction::new();
        let expect = doc.as_ref().map_or(Expect::Absent, |doc| Expect::Hash(doc.hash));
        transaction.put(key, new.write(), expect);
        lock.commit(ctx, transaction)?;
    }
    Ok(BaselineView {
        file: Own::Baseline.path().to_owned(),
        uncovered: new.uncovered.len(),
        failing: new.failing.len(),
        added,
        dropped,
        written,
    })
}

/// Everything that is not kept, in whatever state: its debt is not paid.
fn open(standing: &Standing) -> BTreeSet<Ref> {
    let rows = standing.rows.iter().filter(|(_, row)| !row.state.is_proven());
    rows.map(|(_, row)| row.promise.reference.clone()).collect()
}

/// Everything that is not kept and could be known debt.
fn debt(standing: &Standing) -> Baseline {
    let mut baseline = Baseline::default();
    for (_, row) in &standing.rows {
        match row.state {
            State::Uncovered | State::Linked | State::NotRun | State::Ambiguous | State::Unexercised => {
                baseline.uncovered.insert(row.promise.reference.clone());
            }
            State::Failed => baseline.failing.extend(row.failing.iter().cloned()),
            _ => {}
        }
    }
    baseline
}

fn names(baseline: &Baseline) -> Vec<String> {
    let refs: BTreeSet<String> = baseline.uncovered.iter().map(ToString::to_string).collect();
    refs.into_iter().chain(baseline.failing.iter().cloned()).collect()
}
