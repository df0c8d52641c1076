//! Specs, plans and builds: the toolset `workflow`.

use serde_json::{Value, json};

use crate::dice::Dice;
use crate::state::{Model, Work, text};
use crate::table::Row;

pub(crate) const STATES: [&str; 6] = ["draft", "active", "done", "blocked", "cancelled", "archived"];
const CATEGORIES: [&str; 5] = ["feature", "bugfix", "refactor", "docs", "other"];

pub(crate) const ROWS: &[Row] = &[
    Row::writes("spec_create", new_spec, |model, asked, said| {
        let id = text(said, "spec_id").to_owned();
        let title = Some(text(asked, "title").to_owned());
        assert!(!model.work.contains_key(&id), "{id} is there already");
        let folder = Model::folder(&id);
        model.work.insert(id, Work { title, state: "draft".into(), content: asked["content"].as_str().map(str::to_owned), ..Work::default() });
        vec![folder]
    }),
    Row::writes("spec_update", updated_spec, |model, asked, said| {
        let id = text(said, "spec_id");
        if let (Some(work), Some(title)) = (model.work.get_mut(id), asked["title"].as_str()) {
            work.title = Some(title.to_owned());
        }
        if let (Some(work), Some(content)) = (model.work.get_mut(id), asked["content"].as_str()) {
            work.content = Some(content.to_owned());
        }
        vec![Model::folder(id)]
    })
    .must(is_known),
    Row::writes(
        "spec_transition",
        |model, dice| {
            json!({ "spec_id": model.item(dice), "to_state": dice.pick(&["active", "done", "blocked", "cancelled", "archived", "draft"]), "reason": dice.text() })
        },
        |model, asked, said| {
            let id = text(said, "spec_id");
            if let Some(work) = model.works_on(id) {
                assert_eq!(text(said, "from_state"), work.state, "{id}");
                text(asked, "to_state").clone_into(&mut work.state);
            }
            vec![Model::folder(id)]
        },
    )
    .must(may_move),
    Row::reads("spec_status", |model, dice| json!({ "spec_id": model.item(dice) })).must(is_known),
    Row::reads("spec_list", listing),
    Row::reads("spec_check_dependencies", |model, dice| json!({ "spec_id": model.item(dice) })),
    Row::writes(
        "plan_create",
        |model, dice| {
            json!({ "spec_id": model.item(dice), "approach": dice.text(), "steps": steps(dice) })
        },
        |model, asked, said| {
            let id = text(said, "spec_id");
            let titles = titles(&asked["steps"]);
            assert_eq!(said["total_steps"], titles.len());
            let fresh = titles.into_iter().map(|title| (title, false)).collect();
            if let Some(work) = model.works_on(id) {
                assert!(work.plan.is_none(), "{id} has a plan already");
                work.plan = Some(fresh);
                work.prose = prose(&asked["steps"]);
            } else if let Some(tasks) = model.steps(id) {
                *tasks = fresh;
            }
            vec![Model::folder(id)]
        },
    ),
    Row::writes(
        "plan_update",
        |model, dice| {
            let mut asked = json!({ "spec_id": model.item(dice), "steps": steps(dice) });
            match dice.below(3) {
                0 => asked["approach"] = json!(dice.text()),
                1 => {
                    asked["approach"] = json!(dice.text());
                    drop(asked.as_object_mut().unwrap().remove("steps"));
                }
                _ => {}
            }
            asked
        },
        |model, asked, said| {
            let id = text(said, "spec_id");
            if asked.get("steps").is_some() {
                if let Some(work) = model.work.get_mut(id) {
                    work.prose = prose(&asked["steps"]);
                }
                let old = model.steps(id).expect("a plan that was changed");
                *old = still_done(titles(&asked["steps"]), std::mem::take(old));
            }
            vec![Model::folder(id)]
        },
    ),
    Row::writes(
        "plan_step_complete",
        |model, dice| {
            let mut asked = json!({ "spec_id": model.item(dice) });
            match dice.below(4) {
                0 | 1 => asked["step_index"] = json!(dice.below(4)),
                2 => asked["step"] = json!((dice.below(4) + 1).to_string()),
                _ => asked["step"] = json!(dice.name("Step")),
            }
            if dice.once_in(3) {
                asked["notes"] = json!(dice.text());
            }
            if dice.once_in(4) {
                asked["undo"] = json!(dice.text());
            }
            asked
        },
        |model, asked, said| {
            let id = text(said, "spec_id");
            let index = usize::try_from(said["step_index"].as_u64().unwrap()).unwrap();
            assert!(asked.get("step_index").is_none_or(|asked| *asked == index), "another step was ticked");
            let steps = model.steps(id).expect("a plan whose step was ticked");
            if steps.is_empty() {
                // Drafted in the server's own words, which the model does not know.
                return vec![Model::folder(id)];
            }
            assert_eq!(text(said, "step_title"), steps[index].0);
            steps[index].1 = asked.get("undo").is_none();
            assert_eq!(said["completed"], steps[index].1);
            if let Some(work) = model.work.get_mut(id) {
                // What is said of a step that is open again is told apart.
                let notes = asked["notes"].as_str().filter(|_| asked.get("undo").is_none());
                work.prose[index].1 = notes.map(str::to_owned);
            }
            vec![Model::folder(id)]
        },
    ),
    Row::writes(
        "build_start",
        |model, dice| json!({ "spec_id": model.item(dice), "plan_approved": !dice.once_in(5) }),
        |model, _, said| {
            let id = text(said, "spec_id");
            if let Some(work) = model.works_on(id) {
                assert!(work.plan.is_some(), "a build without a plan");
                "active".clone_into(&mut work.state);
            }
            vec![Model::folder(id)]
        },
    ),
    Row::writes(
        "build_update",
        |model, dice| {
            let building = model.work.iter().find(|(_, work)| work.state == "active").map(|(id, _)| id.clone());
            let id = building.filter(|_| !dice.once_in(3)).unwrap_or_else(|| model.item(dice));
            json!({ "spec_id": id, "progress_percentage": dice.below(101), "current_step": dice.text(), "notes": dice.text() })
        },
        |model, asked, said| {
            if let Some(work) = model.works_on(text(said, "spec_id")) {
                let whole = asked["progress_percentage"].is_u64() && asked["notes"].is_string();
                let progress = (asked["progress_percentage"].clone(), text(asked, "notes").to_owned());
                work.progress = whole.then_some(progress);
            }
            vec![Model::folder(text(said, "spec_id"))]
        },
    ),
    Row::writes(
        "build_complete",
        |model, dice| {
            json!({ "spec_id": model.item(dice), "summary": dice.text(), "deviations": dice.text() })
        },
        |model, _, said| {
            let id = text(said, "spec_id");
            if let Some(work) = model.works_on(id) {
                "done".clone_into(&mut work.state);
            }
            vec![Model::folder(id)]
        },
    ),
];

fn new_spec(model: &Model, dice: &mut Dice<'_>) -> Value {
    let mut asked = json!({ "title": dice.name("Work"), "description": dice.text() });
    if dice.once_in(3) {
        asked["content"] = json!(dice.text());
    }
    if dice.once_in(3) {
        asked["dependencies"] =
            json!([{ "spec_id": model.item(dice), "kind": dice.pick(&["soft", "hard"]) }]);
    }
    if dice.once_in(4) {
        asked["category"] = json!(dice.pick(&CATEGORIES));
    }
    if dice.once_in(6) {
        asked["decision"] = json!(dice.known(model.decisions.iter(), &model.ids()));
    }
    asked
}

fn updated_spec(model: &Model, dice: &mut Dice<'_>) -> Value {
    let mut asked = json!({ "spec_id": model.item(dice) });
    match dice.below(5) {
        0 => asked["title"] = json!(dice.name("Work")),
        1 => asked["description"] = json!(dice.text()),
        2 => asked["content"] = json!(dice.text()),
        3 => {
            asked["dependencies"] =
                json!([{ "spec_id": model.item(dice), "kind": dice.pick(&["soft", "hard"]) }]);
        }
        _ => asked["category"] = json!(dice.pick(&CATEGORIES)),
    }
    asked
}

fn listing(_: &Model, dice: &mut Dice<'_>) -> Value {
    match dice.below(5) {
        0 => json!({}),
        1 => json!({ "state": dice.pick(&STATES) }),
        2 => json!({ "kind": dice.pick(&["living", "work", "change"]), "limit": 1 + dice.below(3) }),
        3 => json!({ "category": dice.pick(&CATEGORIES), "include_archived": true }),
        _ => json!({ "cursor": dice.text() }),
    }
}

fn steps(dice: &mut Dice<'_>) -> Value {
    let step = |dice: &mut Dice<'_>| json!({ "title": dice.name("Step"), "description": dice.text(), "complexity": dice.pick(&["trivial", "simple", "moderate", "complex"]) });
    json!((0..=dice.below(3)).map(|_| step(dice)).collect::<Vec<Value>>())
}

/// What is said of each step. One that stays keeps what was said of it where nothing new is said; of its notes nothing is known.
fn prose(steps: &Value) -> Vec<(Option<String>, Option<String>)> {
    let said =
        |step: &Value| Some(text(step, "description").to_owned()).filter(|said| !said.trim().is_empty());
    steps.as_array().unwrap().iter().map(|step| (said(step), None)).collect()
}

/// Whether each step is done: one that stays is what it was, and of those with one title the first are the first.
pub(crate) fn still_done(titles: Vec<String>, mut old: Vec<(String, bool)>) -> Vec<(String, bool)> {
    let stays = |title: String| {
        let at = old.iter().position(|(known, _)| *known == title);
        let done = at.is_some_and(|at| old.remove(at).1);
        (title, done)
    };
    titles.into_iter().map(stays).collect()
}

/// Blanks at the ends are no part of a title.
fn titles(steps: &Value) -> Vec<String> {
    steps.as_array().unwrap().iter().map(|step| text(step, "title").trim().to_owned()).collect()
}

fn is_known(model: &Model, asked: &Value) -> Option<bool> {
    let id = text(asked, "spec_id");
    let plain = id.strip_prefix("change:").unwrap_or(id);
    let known = model.work.contains_key(plain) || model.living.contains_key(plain);
    let known =
        known || model.changes.contains_key(plain) || model.ended.iter().any(|ended| plain.contains(ended));
    (!known).then_some(false)
}

/// Moves that the lifecycle does not have are refused.
fn may_move(model: &Model, asked: &Value) -> Option<bool> {
    let from = model.work.get(text(asked, "spec_id"))?.state.as_str();
    let onward: &[&str] = match from {
        "draft" | "blocked" => &["active"],
        "active" => &["done", "blocked", "cancelled"],
        "done" | "cancelled" => &["archived"],
        _ => &[],
    };
    // A gate may keep it from moving on.
    (!onward.contains(&text(asked, "to_state"))).then_some(false)
}
