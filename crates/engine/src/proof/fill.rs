//! Which step proves which promise, as far as their words tell: a new plan says so from the start.

use std::collections::BTreeSet;

use hewto_core::id::WorkItem;
use hewto_core::plan::{ProvesStyle, proves, with_proves};
use hewto_core::proof::settings::Policy;
use hewto_core::proof::{Promise, Ref};
use hewto_store::Context;

use super::catalog::Catalog;
use super::settings::load;
use crate::error::Result;
use crate::plan::StepInput;
use crate::workspace::Workspace;

/// Words that say nothing about what is meant.
const EMPTY_WORDS: &[&str] = &[
    "the",
    "and",
    "with",
    "that",
    "this",
    "from",
    "into",
    "when",
    "then",
    "given",
    "for",
    "shall",
    "should",
    "must",
    "are",
    "has",
    "have",
    "not",
    "its",
    "add",
    "write",
    "make",
    "implement",
    "test",
    "tests",
    "new",
];

/// Adds to steps what they prove, where the policy asks for proof and nobody has said it: each promise of the item goes to the step
/// that shares most words with it, else to the last one.
pub(crate) fn fill_in(ws: &Workspace, ctx: &Context, item: &WorkItem, steps: &mut [StepInput]) -> Result<()> {
    if load(ws, ctx)?.settings.policy == Policy::Off || steps.is_empty() {
        return Ok(());
    }
    let said: Vec<Ref> = steps.iter().flat_map(|step| proves(&step.title, &step.description)).collect();
    let promises = promises_of(ws, ctx, item)?;
    let open = promises.iter().filter(|promise| !said.iter().any(|said| said.covers(&promise.reference)));
    let words: Vec<BTreeSet<String>> =
        steps.iter().map(|step| words(&format!("{} {}", step.title, step.description))).collect();
    let mut found: Vec<Vec<Ref>> = vec![Vec::new(); steps.len()];
    for promise in open {
        found[best_step(promise, &words)].push(promise.reference.clone());
    }
    let style = match item {
        WorkItem::Spec(_) => ProvesStyle::Bullet,
        WorkItem::Change(_) => ProvesStyle::Emphasis,
    };
    for (step, refs) in steps.iter_mut().zip(found) {
        step.description = with_proves(&step.description, &refs, style);
    }
    Ok(())
}

/// What an item promises: a spec by its own text, a change by what it adds or alters.
fn promises_of(ws: &Workspace, ctx: &Context, item: &WorkItem) -> Result<Vec<Promise>> {
    match item {
        WorkItem::Spec(id) => {
            let only = BTreeSet::from([id.to_string()]);
            let mut catalog = Catalog::load(ws, ctx, Some(&only))?;
            Ok(catalog.capabilities.remove(id.as_str()).map(|found| found.promises).unwrap_or_default())
        }
        WorkItem::Change(id) => {
            let mut catalog = Catalog::load(ws, ctx, Some(&BTreeSet::new()))?;
            let found = catalog.changes.remove(id.as_str()).unwrap_or_default();
            Ok(found.into_iter().map(|(_, promise)| promise).collect())
        }
    }
}

fn best_step(promise: &Promise, steps: &[BTreeSet<String>]) -> usize {
    let name = format!("{} {}", promise.requirement, promise.scenario.as_deref().unwrap_or_default());
    let wanted = words(&name);
    let shared = |step: &BTreeSet<String>| wanted.intersection(step).count();
    let last = steps.len() - 1;
    // Of equals the first; of strangers the last, where the work ends.
    let best = steps.iter().enumerate().max_by_key(|(index, step)| (shared(step), std::cmp::Reverse(*index)));
    best.filter(|(_, step)| shared(step) > 0).map_or(last, |(index, _)| index)
}

fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 2)
        .map(str::to_lowercase)
        .filter(|word| !EMPTY_WORDS.contains(&word.as_str()))
        // A plural is the same word.
        .map(|word| word.strip_suffix('s').map(str::to_owned).unwrap_or(word))
        .collect()
}

#[cfg(test)]
mod tests {
    use hewto_core::proof::read_promises;

    use super::*;

    fn promise(requirement: &str, scenario: &str) -> Promise {
        let text = format!(
            "## Requirements\n\n### Requirement: {requirement}\n\n#### Scenario: {scenario}\n- **THEN** x\n"
        );
        read_promises("accounts", &text).remove(0)
    }

    #[test]
    fn a_promise_goes_to_the_step_that_speaks_of_it() {
        let steps: Vec<_> =
            ["Add the table for tokens", "Send mails with links", "Clean up"].map(words).into();
        assert_eq!(best_step(&promise("Token lifetime", "Expired"), &steps), 0);
        assert_eq!(best_step(&promise("Sign in", "Link in a mail"), &steps), 1);
        assert_eq!(best_step(&promise("Rate limit", "Too many"), &steps), 2);
    }
}
