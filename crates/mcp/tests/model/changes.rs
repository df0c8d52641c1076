//! Requirements and changes to them: the toolset `specs`.

use serde_json::{Value, json};

use crate::deltas::{archive, deeds, deltas, learn, take_out};
use crate::dice::Dice;
use crate::server::Server;
use crate::state::{Change, Model, plain, text, texts};
use crate::table::Row;
use crate::work::still_done;

pub(crate) const ROWS: &[Row] = &[
    Row::writes(
        "change_create",
        |model, dice| {
            let mut asked = json!({
                "change_id": if dice.once_in(8) { dice.text() } else { format!("c{}", dice.below(8)) },
                "why": dice.text(),
                "what_changes": dice.text(),
                "deltas": deltas(model, dice),
            });
            if !dice.once_in(4) {
                asked["tasks"] = json!(tasks(dice));
            }
            if dice.once_in(3) {
                asked["purpose"] = json!(dice.text());
            }
            asked
        },
        |model, asked, said| {
            let id = text(said, "change_id").to_owned();
            assert!(!model.changes.contains_key(&id), "{id} is there already");
            let change = Change {
                foreign: false,
                why: text(asked, "why").to_owned(),
                tasks: open(&asked["tasks"]),
                deeds: deeds(model, &asked["deltas"]),
            };
            let folder = Model::folder(&format!("change:{id}"));
            model.changes.insert(id, change);
            vec![folder]
        },
    ),
    Row::writes("change_update", updated, |model, asked, said| {
        let id = text(asked, "change_id");
        let mut change = model.changes.get(id).expect("a change that was changed").clone();
        if let Some(why) = asked["why"].as_str() {
            why.clone_into(&mut change.why);
        }
        if asked.get("tasks").is_some() {
            change.tasks = still_done(texts(&asked["tasks"]), change.tasks);
        }
        change.tasks.extend(open(&asked["add_tasks"]));
        take_out(&mut change, &asked["take_out"]);
        change.deeds.extend(deeds(model, &asked["deltas"]));
        model.changes.insert(id.to_owned(), change);
        if said["updated"] == false { Vec::new() } else { vec![Model::folder(&format!("change:{id}"))] }
    })
    .must(is_open),
    Row::writes(
        "change_withdraw",
        |model, dice| json!({ "change_id": model.change(dice), "reason": dice.text() }),
        |model, asked, said| {
            let id = text(asked, "change_id").to_owned();
            model.changes.remove(&id).expect("a change that was open");
            let folders = vec![Model::folder(&format!("change:{id}")), format!("ws/{}", text(said, "path"))];
            model.ended.push(id);
            folders
        },
    )
    .must(is_open),
    Row::writes(
        "change_archive",
        |model, dice| {
            json!({ "change_id": model.change(dice), "allow_open_tasks": !dice.once_in(4), "dry_run": dice.once_in(5), "rebase": dice.once_in(4) })
        },
        |model, asked, said| {
            if asked["dry_run"] == true {
                assert_eq!(said["archived"], false);
                return Vec::new();
            }
            let id = text(asked, "change_id").to_owned();
            let change = model.changes.remove(&id).expect("a change that was open");
            let mut touched = vec![Model::folder(&format!("change:{id}")), format!("ws/{}", text(said, "path"))];
            touched.extend(archive(model, &change).into_iter().map(|capability| Model::folder(&capability)));
            for capability in said["specs"].as_array().into_iter().flatten().filter(|_| change.foreign) {
                let capability = text(capability, "capability");
                learn(model, capability);
                touched.push(Model::folder(capability));
            }
            touched.push("ws/.hewto/proof/aliases.toml".into());
            model.ended.push(id);
            touched
        },
    )
    .must(is_open),
    Row::reads("get_change", |model, dice| {
        let mut asked = json!({ "change_id": model.change(dice) });
        if dice.once_in(2) {
            asked["section"] = json!(dice.pick(&["proposal", "tasks", "design", "deltas"]));
        }
        if dice.once_in(4) {
            asked["capability"] = json!(model.capability(dice));
        }
        asked
    }),
    Row::reads("list_changes", |_, dice| json!({ "include_archived": dice.once_in(2), "limit": 1 + dice.below(4) })),
    Row::reads("list_specs", |_, dice| json!({ "limit": 1 + dice.below(4) })),
    Row::reads("change_diff", |model, dice| json!({ "change_id": model.change(dice) })),
    Row::reads("change_overlaps", |_, _| json!({})),
    Row::reads("validate_change", |model, dice| match dice.below(2) {
        0 => json!({ "strict": dice.once_in(2) }),
        _ => json!({ "change_id": model.change(dice) }),
    }),
    Row::reads("validate_spec", |model, dice| match dice.below(2) {
        0 => json!({ "strict": dice.once_in(2) }),
        _ => json!({ "spec_id": model.item(dice) }),
    }),
    Row::reads("get_spec_requirements", |model, dice| json!({ "spec_id": model.capability(dice) })),
    Row::reads("get_requirement", requirement),
    Row::reads("get_scenario", |model, dice| {
        let mut asked = requirement(model, dice);
        if dice.once_in(2) {
            asked["scenario"] = json!(dice.name("S"));
        }
        asked
    }),
    Row::reads("search_specs", |_, dice| {
        json!({ "query": dice.text(), "mode": dice.pick(&["lexical", "fused", "dense"]), "include_archived": dice.once_in(2) })
    }),
    Row::reads("context_for", |model, dice| {
        json!({ "text": dice.text(), "files": [format!("specs/{}/spec.md", model.capability(dice))], "budget": 200 + dice.below(4000) })
    }),
    Row::reads("workspace_status", |_, _| json!({})).must(|_, _| Some(true)),
];

fn updated(model: &Model, dice: &mut Dice<'_>) -> Value {
    let mut asked = json!({ "change_id": model.change(dice) });
    match dice.below(7) {
        0 => asked["deltas"] = deltas(model, dice),
        1 => asked["why"] = json!(dice.text()),
        2 => asked["what_changes"] = json!(dice.text()),
        3 => asked["design"] = json!(dice.text()),
        4 => asked["tasks"] = json!(tasks(dice)),
        5 => asked["add_tasks"] = json!(tasks(dice)),
        _ => {
            let capability = model.capability(dice);
            let names: Vec<String> =
                if dice.once_in(2) { Vec::new() } else { vec![model.requirement(&capability, dice)] };
            asked["take_out"] = json!({ capability: names });
        }
    }
    asked
}

fn requirement(model: &Model, dice: &mut Dice<'_>) -> Value {
    let capability = model.capability(dice);
    let requirement = model.requirement(&capability, dice);
    json!({ "spec_id": capability, "requirement": requirement })
}

fn tasks(dice: &mut Dice<'_>) -> Vec<String> {
    (0..=dice.below(2)).map(|_| dice.name("Task")).collect()
}

fn open(tasks: &Value) -> Vec<(String, bool)> {
    texts(tasks).into_iter().map(|title| (title, false)).collect()
}

fn is_open(model: &Model, asked: &Value) -> Option<bool> {
    (!model.changes.contains_key(text(asked, "change_id"))).then_some(false)
}

/// What the readers say of changes and requirements is what the model says.
pub(crate) fn compare(model: &Model, server: &mut Server) {
    let listed = server.read("list_changes", &json!({ "include_archived": true, "limit": 1000 }));
    let cards = listed["changes"].as_array().unwrap();
    let mut said: Vec<&str> =
        cards.iter().filter(|card| card["archived"] != true).map(|card| text(card, "id")).collect();
    said.sort_unstable();
    assert_eq!(said, model.changes.keys().map(String::as_str).collect::<Vec<&str>>());
    assert_eq!(cards.len() - said.len(), model.ended.len(), "what has ended: {cards:?}");
    for (id, change) in model.changes.iter().filter(|(_, change)| !change.foreign) {
        let shown = server.read("get_change", &json!({ "change_id": id, "max_chars": 100_000 }));
        assert_eq!(plain(text(&shown["proposal"], "why")), plain(&change.why), "{id}");
        let groups = shown["tasks"]["groups"].as_array().cloned().unwrap_or_default();
        let tasks: Vec<(String, bool)> = groups
            .iter()
            .flat_map(|group| group["tasks"].as_array().unwrap())
            .map(|task| (text(task, "title").to_owned(), task["done"] == true))
            .collect();
        assert_eq!(tasks, change.tasks, "{id}");
    }
    let living = server.read("spec_list", &json!({ "kind": "living", "limit": 1000 }));
    let mut ids: Vec<&str> =
        living["specs"].as_array().unwrap().iter().map(|card| text(card, "id")).collect();
    ids.sort_unstable();
    let idle = model.living.keys().filter(|id| !model.work.contains_key(*id));
    assert_eq!(ids, idle.map(String::as_str).collect::<Vec<&str>>());
    for (capability, requirements) in &model.living {
        for (name, wanted) in requirements {
            let asked = json!({ "spec_id": capability, "requirement": name });
            let shown = server.read("get_requirement", &asked);
            if wanted.text.is_empty() {
                continue;
            }
            assert_eq!(
                (text(&shown, "name"), text(&shown, "text").trim()),
                (name.as_str(), wanted.text.trim())
            );
            let scenarios = shown["scenarios"].as_array().unwrap();
            let mut scenarios: Vec<&str> = scenarios.iter().map(|scenario| text(scenario, "name")).collect();
            scenarios.sort_unstable();
            assert_eq!(scenarios, wanted.scenarios, "{capability}: {name}");
        }
        let shown = server.read("get_spec_requirements", &json!({ "spec_id": capability, "limit": 1000 }));
        assert_eq!(shown["total"], requirements.len(), "{capability}: {shown}");
    }
    words(model, server);
}

/// What holds is found by its words, and what does not any more is not.
fn words(model: &Model, server: &mut Server) {
    let mut find = |text: &str| {
        let word = text.split_whitespace().last().unwrap_or_default().trim_end_matches('.').to_owned();
        let found = server.read("search_specs", &json!({ "query": word, "mode": "lexical", "limit": 100 }));
        let results = found["results"].as_array().unwrap().clone();
        (word, results)
    };
    for (capability, requirements) in &model.living {
        let mut known = requirements.iter().filter(|(_, requirement)| !requirement.text.is_empty());
        if let Some((name, requirement)) = known.next_back() {
            let (word, results) = find(&requirement.text);
            let is_it = |hit: &Value| hit["spec_id"] == **capability && hit["requirement"] == **name;
            assert!(results.iter().any(is_it), "`{word}` of {capability}: {name} is not found: {results:?}");
        }
    }
    if let Some(text) = model.forgotten.last() {
        let (word, results) = find(text);
        let stale: Vec<&Value> =
            results.iter().filter(|hit| hit["snippet"].as_str().unwrap().contains(&word)).collect();
        assert!(stale.is_empty(), "`{word}` is still found: {stale:?}");
    }
}
