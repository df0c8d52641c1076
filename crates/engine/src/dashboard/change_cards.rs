//! Requirement by requirement: what is promised now, and what will be.

use std::collections::{HashMap, HashSet};

use hewto_core::delta::{DeltaDoc, Removal};
use hewto_core::document::Document;
use hewto_core::requirement::{Requirement, Scenario, SpecDoc};
use hewto_store::Context;

use super::commented::{Commented, of_place};
use super::whole::{Side, statements, unsaid};
use crate::change::ChangeFolder;
use crate::error::Result;
use crate::review::{Looks, words};
use crate::view::{ClauseCard, DeltaView, DiffPiece, PromiseCard, RequirementView, ScenarioCard};
use crate::workspace::Workspace;

/// Everything that a change promises otherwise.
pub(super) fn cards_of_change(
    ws: &Workspace,
    ctx: &Context,
    folder: &ChangeFolder,
    commented: &Commented<'_>,
    looks: &Looks,
) -> Result<Vec<PromiseCard>> {
    let mut cards = Vec::new();
    for delta in &folder.deltas {
        ctx.check()?;
        let capability = delta.capability.to_string();
        let current = delta.target(ws, ctx)?.ok().flatten();
        let current_text = current.as_ref().map_or("", |doc| doc.text.as_str());
        let current_document = Document::parse(current_text);
        let living = SpecDoc::read(&current_document);
        let document = Document::parse(&delta.document.text);
        let read = DeltaDoc::read(&document);
        let old = |name: &str| {
            let is_it = |requirement: &&Requirement<'_>| requirement.name.eq_ignore_ascii_case(name);
            living.requirements.iter().find(is_it).map(|found| Side { document: &current_document, found })
        };
        let renamed_from = |name: &str| {
            let rename = read.renamed.iter().find(|rename| rename.to.eq_ignore_ascii_case(name));
            rename.map(|rename| rename.from.to_owned())
        };
        let mut put = |mut card: PromiseCard| {
            card.seen = commented.seen(looks, Some(&capability), &card.name);
            let place = |scenario: Option<&str>| {
                of_place(commented, Some(&capability), Some(&card.name), scenario, None)
            };
            card.comments = place(None);
            for scenario in &mut card.scenarios {
                scenario.comments = place(Some(&scenario.name));
            }
            cards.push(card);
        };
        for found in &read.added {
            put(compare(&capability, "added", None, Some(Side { document: &document, found })));
        }
        for found in &read.modified {
            let from = renamed_from(found.name);
            let before = old(from.as_deref().unwrap_or(found.name));
            let card = compare(&capability, "modified", before, Some(Side { document: &document, found }));
            put(PromiseCard { from, ..card });
        }
        for Removal { name, text, .. } in &read.removed {
            let card = compare(&capability, "removed", old(name), None);
            let reason = Some(text.trim().to_owned()).filter(|reason| !reason.is_empty());
            put(PromiseCard { name: (*name).to_owned(), key: key(&capability, name), reason, ..card });
        }
        for rename in &read.renamed {
            if read.modified.iter().any(|found| found.name.eq_ignore_ascii_case(rename.to)) {
                continue;
            }
            let card = compare(&capability, "renamed", old(rename.from), old(rename.from));
            put(PromiseCard {
                name: rename.to.to_owned(),
                key: key(&capability, rename.to),
                from: Some(rename.from.to_owned()),
                ..card
            });
        }
    }
    Ok(cards)
}

/// The requirements that a spec holds itself.
pub(super) fn cards_of_spec(
    spec: &str,
    text: &str,
    commented: &Commented<'_>,
    looks: &Looks,
) -> Vec<PromiseCard> {
    let mut cards = plain_cards(spec, text);
    for card in &mut cards {
        card.seen = commented.seen(looks, None, &card.name);
        card.comments = of_place(commented, None, Some(&card.name), None, None);
        for scenario in &mut card.scenarios {
            scenario.comments = of_place(commented, None, Some(&card.name), Some(&scenario.name), None);
        }
    }
    cards
}

/// The same without a person who looks.
pub(super) fn plain_cards(spec: &str, text: &str) -> Vec<PromiseCard> {
    let document = Document::parse(text);
    let read = SpecDoc::read(&document);
    let side = |found| Some(Side { document: &document, found });
    read.requirements.iter().map(|found| compare(spec, "kept", side(found), side(found))).collect()
}

/// What a change that is over did to one spec.
pub(super) fn cards_of_delta(capability: &str, delta: DeltaView) -> Vec<PromiseCard> {
    let card = |operation: &str, requirement: RequirementView| PromiseCard {
        key: key(capability, &requirement.name),
        capability: capability.to_owned(),
        operation: operation.to_owned(),
        name: requirement.name,
        from: None,
        words: words(&requirement.text, &requirement.text),
        scenarios: requirement
            .scenarios
            .into_iter()
            .map(|scenario| ScenarioCard {
                name: scenario.name,
                operation: "kept".to_owned(),
                steps: scenario
                    .steps
                    .into_iter()
                    .map(|step| ClauseCard {
                        keyword: step.keyword,
                        words: words(&step.text, &step.text),
                        text: step.text,
                    })
                    .collect(),
                more: Vec::new(),
                proof: None,
                comments: Vec::new(),
            })
            .collect(),
        reason: None,
        comments: Vec::new(),
        seen: true,
    };
    let added = delta.added.into_iter().map(|one| card("added", one.requirement));
    let modified = delta.modified.into_iter().map(|one| card("modified", one.requirement));
    let removed = delta.removed.into_iter().map(|one| card("removed", one));
    let renamed = delta.renamed.into_iter().map(|rename| {
        let empty = RequirementView { name: rename.to, text: String::new(), scenarios: Vec::new() };
        PromiseCard { from: Some(rename.from), ..card("renamed", empty) }
    });
    added.chain(modified).chain(removed).chain(renamed).collect()
}

fn compare(
    capability: &str,
    operation: &str,
    before: Option<Side<'_, '_>>,
    after: Option<Side<'_, '_>>,
) -> PromiseCard {
    let (was, is) = statements(before, after);
    let name = after.or(before).map(|side| side.found.name.to_owned()).unwrap_or_default();
    PromiseCard {
        key: key(capability, &name),
        capability: capability.to_owned(),
        operation: operation.to_owned(),
        name,
        from: None,
        words: words(&was, &is),
        scenarios: scenarios(before, after),
        reason: None,
        comments: Vec::new(),
        seen: false,
    }
}

/// Scenarios as they will stand, then those that go.
fn scenarios(before: Option<Side<'_, '_>>, after: Option<Side<'_, '_>>) -> Vec<ScenarioCard> {
    let of = |side: Option<Side<'_, '_>>| -> Vec<ScenarioText> {
        let Some(Side { document, found }) = side else { return Vec::new() };
        found.scenarios.iter().map(|scenario| ScenarioText::read(document, scenario)).collect()
    };
    let (old, new) = (of(before), of(after));
    // Of two that are called the same the first counts.
    let were: HashMap<String, &ScenarioText> =
        old.iter().rev().map(|one| (one.name.to_ascii_lowercase(), one)).collect();
    let are: HashSet<String> = new.iter().map(|one| one.name.to_ascii_lowercase()).collect();
    let mut cards: Vec<ScenarioCard> = Vec::new();
    for one in &new {
        let was = were.get(&one.name.to_ascii_lowercase()).copied();
        let operation = match was {
            None => "added",
            Some(was) if was.steps == one.steps && was.more == one.more => "kept",
            Some(_) => "changed",
        };
        cards.push(scenario_card(&one.name, operation, was, Some(one)));
    }
    for one in old.iter().filter(|one| !are.contains(&one.name.to_ascii_lowercase())) {
        cards.push(scenario_card(&one.name, "removed", Some(one), None));
    }
    cards
}

/// All that a scenario says.
struct ScenarioText {
    name: String,
    steps: Vec<(String, String)>,
    more: String,
}

impl ScenarioText {
    fn read(document: &Document<'_>, scenario: &Scenario<'_>) -> Self {
        let steps = scenario.steps(document).into_iter();
        let steps: Vec<_> = steps.map(|step| (step.keyword.to_string(), step.text)).collect();
        let more = unsaid(document, scenario, &steps);
        Self { name: scenario.name.to_owned(), steps, more }
    }
}

fn scenario_card(
    name: &str,
    operation: &str,
    before: Option<&ScenarioText>,
    after: Option<&ScenarioText>,
) -> ScenarioCard {
    let more = |side: Option<&ScenarioText>| side.map(|one| one.more.clone()).unwrap_or_default();
    let more = words(&more(before), &more(after));
    let steps_of = |side: Option<&'_ ScenarioText>| side.map(|one| one.steps.clone()).unwrap_or_default();
    let (before, after) = (steps_of(before), steps_of(after));
    let clause = |keyword: &str, text: &str, words: Vec<DiffPiece>| ClauseCard {
        keyword: keyword.to_owned(),
        text: text.to_owned(),
        words,
    };
    let mut steps: Vec<ClauseCard> = Vec::new();
    for (at, (keyword, text)) in after.iter().enumerate() {
        let same = before.iter().find(|(old, was)| old == keyword && was == text);
        let was = same.or_else(|| before.get(at).filter(|(old, _)| old == keyword));
        steps.push(clause(keyword, text, words(was.map_or("", |(_, was)| was), text)));
    }
    let stays = |at: usize, step: &(String, String)| {
        after.contains(step) || after.get(at).is_some_and(|(keyword, _)| *keyword == step.0)
    };
    for (_, (keyword, text)) in before.iter().enumerate().filter(|(at, step)| !stays(*at, step)) {
        steps.push(clause(keyword, text, words(text, "")));
    }
    ScenarioCard {
        name: name.to_owned(),
        operation: operation.to_owned(),
        steps,
        more,
        proof: None,
        comments: Vec::new(),
    }
}

fn key(capability: &str, name: &str) -> String {
    format!("{capability}#{name}")
}
