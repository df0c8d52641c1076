//! Many changes at once: random sequences, archived in both orders.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use proptest::prelude::*;

use super::*;
use crate::change::Origin;
use crate::requirement::SpecDoc;

/// Requirement → text and scenarios.
type Model = BTreeMap<String, (String, BTreeMap<String, String>)>;

#[derive(Debug, Clone)]
enum Op {
    Modify(Edit),
    Remove,
    Rename(u8),
    RenameAndModify(u8, Edit),
    Add(u8, u8),
}

#[derive(Debug, Clone)]
struct Edit {
    text: Option<u8>,
    /// For each scenario of the requirement: leave, change or drop it.
    scenarios: [Fate; 2],
    added: Vec<(u8, u8)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stay,
    Change(u8),
    Drop,
}

fn edit() -> impl Strategy<Value = Edit> {
    let fate =
        || prop_oneof![4 => Just(Fate::Stay), 1 => (0..2u8).prop_map(Fate::Change), 1 => Just(Fate::Drop)];
    let added = prop::collection::vec((0..3u8, 0..2u8), 0..2);
    (prop::option::weighted(0.2, 0..2u8), [fate(), fate()], added).prop_map(|(text, scenarios, added)| Edit {
        text,
        scenarios,
        added,
    })
}

/// What a change does, by requirement.
fn change() -> impl Strategy<Value = BTreeMap<u8, Op>> {
    let op = prop_oneof![
        8 => edit().prop_map(Op::Modify),
        1 => Just(Op::Remove),
        2 => (0..3u8).prop_map(Op::Rename),
        1 => (0..3u8, edit()).prop_map(|(name, edit)| Op::RenameAndModify(name, edit)),
        2 => (0..3u8, 0..2u8).prop_map(|(name, text)| Op::Add(name, text)),
    ];
    prop::collection::btree_map(0..2u8, op, 1..3)
}

fn start() -> Model {
    let scenarios =
        || BTreeMap::from([("S0".to_owned(), "s0".to_owned()), ("S1".to_owned(), "s1".to_owned())]);
    (0..2).map(|at| (format!("R{at}"), (format!("It SHALL do {at}."), scenarios()))).collect()
}

fn requirement(out: &mut String, name: &str, text: &str, scenarios: &[(String, String)]) {
    let _ = write!(out, "### Requirement: {name}\n\n{text}\n\n");
    for (name, words) in scenarios {
        let _ = write!(out, "#### Scenario: {name}\n- **WHEN** {words}\n\n");
    }
}

fn spec_text(model: &Model) -> String {
    let mut out = String::from("# s\n\n## Purpose\n\nTo be.\n\n## Requirements\n\n");
    for (name, (text, scenarios)) in model {
        let scenarios: Vec<_> = scenarios.iter().map(|(name, words)| (name.clone(), words.clone())).collect();
        requirement(&mut out, name, text, &scenarios);
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn delta_text(change: &BTreeMap<u8, Op>, start: &Model) -> String {
    let (mut added, mut modified, mut removed, mut renamed) =
        (String::new(), String::new(), String::new(), String::new());
    let write_edit = |out: &mut String, old: &str, new: &str, edit: &Edit| {
        let (text, scenarios) = &start[old];
        let text = edit.text.map_or_else(|| text.clone(), |text| format!("It SHALL be t{text}."));
        let mut written: Vec<(String, String)> = Vec::new();
        for ((name, words), fate) in scenarios.iter().zip(edit.scenarios) {
            match fate {
                Fate::Stay => written.push((name.clone(), words.clone())),
                Fate::Change(to) => written.push((name.clone(), format!("c{to}"))),
                Fate::Drop => {}
            }
        }
        written.extend(edit.added.iter().map(|(name, words)| (format!("N{name}"), format!("n{words}"))));
        written.dedup_by(|a, b| a.0 == b.0);
        requirement(out, new, &text, &written);
    };
    for (at, op) in change {
        let old = format!("R{at}");
        match op {
            Op::Modify(edit) => write_edit(&mut modified, &old, &old, edit),
            Op::Remove => {
                let _ = writeln!(removed, "- `### Requirement: {old}`");
            }
            Op::Rename(to) => {
                let _ = write!(renamed, "- FROM: `### Requirement: {old}`\n- TO: `### Requirement: X{to}`\n");
            }
            Op::RenameAndModify(to, edit) => {
                let _ = write!(renamed, "- FROM: `### Requirement: {old}`\n- TO: `### Requirement: X{to}`\n");
                write_edit(&mut modified, &old, &format!("X{to}"), edit);
            }
            Op::Add(name, words) => {
                requirement(
                    &mut added,
                    &format!("X{name}"),
                    "It MUST.",
                    &[("S".to_owned(), format!("a{words}"))],
                );
            }
        }
    }
    format!(
        "## ADDED Requirements\n\n{added}\n## MODIFIED Requirements\n\n{modified}\n## REMOVED Requirements\n\n{removed}\n\
         ## RENAMED Requirements\n\n{renamed}\n"
    )
}

fn model_of(text: &str) -> Model {
    let document = Document::parse(text);
    let spec = SpecDoc::read(&document);
    let scenarios = |requirement: &crate::requirement::Requirement<'_>| {
        let words =
            |raw: &str| raw.lines().nth(1).unwrap_or_default().trim_start_matches("- **WHEN** ").to_owned();
        requirement.scenarios.iter().map(|s| (s.name.to_owned(), words(s.raw))).collect()
    };
    spec.requirements.iter().map(|r| (r.name.to_owned(), (r.text.to_string(), scenarios(r)))).collect()
}

/// A change as it was written against the first spec.
struct Written<'t> {
    text: &'t str,
    delta: DeltaDoc<'t>,
    base: CapabilityBase,
}

/// Archives the changes in an order. `None` when one is refused; checks every step for silent losses.
fn archive(
    start: (&str, &Model),
    changes: &[Written<'_>],
    order: &[usize],
) -> Result<Option<Model>, TestCaseError> {
    let (mut current, mut model) = (start.0.to_owned(), start.1.clone());
    for &at in order {
        let change = &changes[at];
        let applied = apply(&Application {
            capability: "s",
            change: "c",
            rebase: "rebase `c`",
            current: Some(&current),
            delta: &change.delta,
            delta_text: change.text,
            base: Some(&change.base),
            drops: Drops::Deliberate,
            retirement: Retirement::Undeclared,
        });
        let Ok(applied) = applied else { return Ok(None) };
        match applied.outcome {
            Outcome::Written(after) => current = after,
            Outcome::Unchanged => {}
            Outcome::Retired => return Err(TestCaseError::fail("retired without being asked")),
        }
        let after = model_of(&current);
        no_silent_loss(start.1, &model, &after, &change.delta, &applied.notes)?;
        model = after;
    }
    Ok(Some(model))
}

fn no_silent_loss(
    start: &Model,
    before: &Model,
    after: &Model,
    delta: &DeltaDoc<'_>,
    notes: &[Note],
) -> Result<(), TestCaseError> {
    let removed: BTreeSet<&str> = delta.removed.iter().map(|removal| removal.name).collect();
    for (name, (text, scenarios)) in before {
        if removed.contains(name.as_str()) {
            // Only what the change knew may go with the requirement.
            prop_assert_eq!(Some(&(text.clone(), scenarios.clone())), start.get(name));
            continue;
        }
        let renamed =
            delta.renamed.iter().find(|rename| rename.from == name).map_or(name.as_str(), |rename| rename.to);
        let Some((text_after, scenarios_after)) = after.get(renamed) else {
            return Err(TestCaseError::fail(format!("requirement {name} is gone")));
        };
        let proposed = delta.modified.iter().find(|requirement| requirement.name == renamed);
        // Another change may have given it the same new name before.
        let first =
            delta.renamed.iter().find(|rename| rename.to == name).map_or(name.as_str(), |rename| rename.from);
        let known = start.get(name).or_else(|| start.get(first));
        if proposed.is_none_or(|proposed| Some(proposed.text.as_ref()) == known.map(|known| known.0.as_str()))
        {
            prop_assert_eq!(text, text_after);
        }
        for (scenario, words) in scenarios {
            let was = known.and_then(|known| known.1.get(scenario));
            let wanted = proposed.and_then(|proposed| proposed.scenario(scenario));
            match scenarios_after.get(scenario) {
                None => {
                    prop_assert!(wanted.is_none() && was == Some(words), "{} {} is gone", name, scenario);
                    let told = notes.iter().any(|note| {
                        note.kind == NoteKind::Dropped && note.scenario.as_deref() == Some(scenario.as_str())
                    });
                    prop_assert!(told, "{name} {scenario} went untold");
                }
                // Words change only from what the change knew, to what it wants.
                Some(now) if now != words => {
                    prop_assert_eq!(was, Some(words));
                    prop_assert!(wanted.is_some_and(|wanted| wanted.raw.contains(now.as_str())));
                }
                Some(_) => {}
            }
        }
        // What the change brings has arrived.
        for scenario in proposed.iter().flat_map(|proposed| &proposed.scenarios) {
            let was = known.and_then(|known| known.1.get(scenario.name));
            if was.is_none_or(|was| !scenario.raw.contains(&format!("** {was}"))) {
                let now = scenarios_after.get(scenario.name);
                prop_assert!(
                    now.is_some_and(|now| scenario.raw.contains(now.as_str())),
                    "{} is missing",
                    scenario.name
                );
            }
        }
    }
    for added in &delta.added {
        prop_assert!(after.contains_key(added.name), "{} was not added", added.name);
    }
    Ok(())
}

/// Archives changes in the order given and in another one, and compares where both go through.
fn either_order(changes: &[(BTreeMap<u8, Op>, bool)], shuffle: u8) -> Result<(), TestCaseError> {
    let model = start();
    let start = spec_text(&model);
    let texts: Vec<String> = changes.iter().map(|(change, _)| delta_text(change, &model)).collect();
    let documents: Vec<Document<'_>> = texts.iter().map(|text| Document::parse(text)).collect();
    let written: Vec<Written<'_>> = documents
        .iter()
        .zip(changes)
        .map(|(document, (_, written))| {
            let delta = DeltaDoc::read(document);
            let origin = if *written { Origin::Written } else { Origin::Observed };
            Written { text: document.text(), base: CapabilityBase::take(&delta, Some(&start), origin), delta }
        })
        .collect();
    let order: Vec<usize> = (0..changes.len()).collect();
    let mut other = order.clone();
    other.rotate_left(usize::from(shuffle) % order.len());
    other.reverse();
    let one = archive((&start, &model), &written, &order)?;
    let two = archive((&start, &model), &written, &other)?;
    if let (Some(one), Some(two)) = (one, two) {
        prop_assert_eq!(one, two);
    }
    Ok(())
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(6_000))]

    #[test]
    fn no_two_changes_lose_a_scenario_and_their_order_does_not_matter(
        changes in prop::collection::vec((change(), prop::bool::weighted(0.8)), 2),
    ) {
        either_order(&changes, 0)?;
    }
}

proptest! {
    #![proptest_config(config(4_500))]

    #[test]
    fn no_sequence_of_changes_loses_a_scenario_and_the_order_does_not_matter(
        changes in prop::collection::vec((change(), prop::bool::weighted(0.8)), 3..5),
        shuffle in any::<u8>(),
    ) {
        either_order(&changes, shuffle)?;
    }
}
