//! What a change does to requirements, and what is there after it was archived.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::dice::Dice;
use crate::state::{Change, Deed, Model, Requirement, text, texts};

/// A delta of one capability, with one deed, or two.
pub(crate) fn deltas(model: &Model, dice: &mut Dice<'_>) -> Value {
    let capability = if dice.once_in(3) { format!("new{}", dice.below(3)) } else { model.capability(dice) };
    let mut delta = json!({});
    for turn in 0..=dice.below(2) {
        let known = model.requirement(&capability, dice);
        match dice.below(5) {
            0 => delta["added"] = json!([requirement(model, &added(dice), dice, turn)]),
            1 => delta["modified"] = json!([requirement(model, &known, dice, turn)]),
            2 => delta["removed"] = json!([{ "name": known, "reason": dice.text() }]),
            3 => delta["renamed"] = json!([{ "from": known, "to": format!("R{}", 2 + dice.below(4)) }]),
            _ => delta["added"] = json!([requirement(model, &dice.name("R"), dice, turn)]),
        }
    }
    json!({ capability: delta })
}

/// A name that may be taken.
fn added(dice: &mut Dice<'_>) -> String {
    format!("R{}", 2 + dice.below(4))
}

/// A requirement whose last word nobody else has.
fn requirement(model: &Model, name: &str, dice: &mut Dice<'_>, turn: usize) -> Value {
    let says = if dice.once_in(6) { dice.text() } else { "The system SHALL show".to_owned() };
    let scenario = |dice: &mut Dice<'_>, number: usize| json!({ "name": format!("S{number}"), "when": if dice.once_in(4) { dice.text() } else { "asked".into() }, "then": [dice.text()] });
    let scenarios: Vec<Value> = (0..=dice.below(2)).map(|number| scenario(dice, number)).collect();
    json!({ "name": name, "text": format!("{says} word{}x{turn}.", model.made), "scenarios": scenarios })
}

/// What these deltas do.
pub(crate) fn deeds(model: &Model, deltas: &Value) -> BTreeMap<(String, String), Deed> {
    let mut deeds = BTreeMap::new();
    for (capability, delta) in deltas.as_object().into_iter().flatten() {
        let list = |name: &str| delta[name].as_array().cloned().unwrap_or_default();
        let at = |name: &str| (capability.clone(), name.trim().to_owned());
        let known =
            |name: &str| model.living.get(capability).and_then(|known| known.get(name.trim())).cloned();
        for renamed in list("renamed") {
            deeds.insert(at(text(&renamed, "from")), Deed::Rename(text(&renamed, "to").trim().to_owned()));
        }
        for removed in list("removed") {
            deeds.insert(at(text(&removed, "name")), Deed::Remove);
        }
        for modified in list("modified") {
            let name = text(&modified, "name");
            deeds.insert(at(name), Deed::Modify(read(&modified), known(name)));
        }
        for added in list("added") {
            deeds.insert(at(text(&added, "name")), Deed::Add(read(&added)));
        }
    }
    deeds
}

fn read(requirement: &Value) -> Requirement {
    let scenarios = requirement["scenarios"].as_array().unwrap();
    let mut scenarios: Vec<String> =
        scenarios.iter().map(|scenario| text(scenario, "name").to_owned()).collect();
    scenarios.sort();
    Requirement { text: text(requirement, "text").to_owned(), scenarios }
}

pub(crate) fn take_out(change: &mut Change, taken: &Value) {
    for (capability, names) in taken.as_object().into_iter().flatten() {
        let names = texts(names);
        change
            .deeds
            .retain(|(own, name), _| own != capability || !(names.is_empty() || names.contains(name)));
    }
}

/// What a change has written that nobody knows the words of: its requirements by name.
pub(crate) fn learn(model: &mut Model, capability: &str) {
    let path = format!("{}/ws/specs/{capability}/spec.md", model.base);
    let text = fs_err::read_to_string(path).unwrap();
    let names = text.lines().filter_map(|line| line.strip_prefix("### Requirement: "));
    let unknown = || Requirement { text: String::new(), scenarios: Vec::new() };
    let known = model.living.entry(capability.to_owned()).or_default();
    for name in names {
        known.entry(name.trim().to_owned()).or_insert_with(unknown);
    }
}

/// Applies a change; the capabilities that it touched.
pub(crate) fn archive(model: &mut Model, change: &Change) -> Vec<String> {
    model.made += 1;
    let mut touched = Vec::new();
    for ((capability, name), deed) in &change.deeds {
        touched.push(capability.clone());
        let requirements = model.living.entry(capability.clone()).or_default();
        match deed {
            Deed::Rename(to) => {
                let requirement = requirements.remove(name).expect("what is renamed is there");
                requirements.insert(to.clone(), requirement);
            }
            Deed::Remove => {
                let gone = requirements.remove(name).expect("what is removed is there");
                model.forgotten.push(gone.text);
            }
            Deed::Add(_) | Deed::Modify(..) => {}
        }
    }
    for ((capability, name), deed) in &change.deeds {
        let requirements = model.living.entry(capability.clone()).or_default();
        match deed {
            Deed::Add(requirement) => drop(requirements.insert(name.clone(), requirement.clone())),
            Deed::Modify(mine, base) => {
                let theirs = requirements.get(name).expect("what is modified is there").clone();
                let merged = merge(mine, base.as_ref().unwrap_or(&theirs), &theirs);
                if merged.text != theirs.text {
                    model.forgotten.push(theirs.text);
                }
                requirements.insert(name.clone(), merged);
            }
            Deed::Rename(_) | Deed::Remove => {}
        }
    }
    model.living.retain(|_, requirements| !requirements.is_empty());
    let living = &model.living;
    model.forgotten.retain(|text| !living.values().flatten().any(|(_, held)| held.text == *text));
    touched
}

/// What one has made of a requirement while others have changed it too.
fn merge(mine: &Requirement, base: &Requirement, theirs: &Requirement) -> Requirement {
    let text = if mine.text == base.text { theirs.text.clone() } else { mine.text.clone() };
    let dropped = |name: &&String| base.scenarios.contains(name) && !mine.scenarios.contains(name);
    let kept = theirs.scenarios.iter().filter(|name| !dropped(name));
    let gone = |name: &&String| base.scenarios.contains(name) && !theirs.scenarios.contains(name);
    let mut scenarios: Vec<String> =
        kept.chain(mine.scenarios.iter().filter(|name| !gone(name))).cloned().collect();
    scenarios.sort();
    scenarios.dedup();
    Requirement { text, scenarios }
}
