//! Everything and what it depends on: the toolset `graph`.

use serde_json::{Value, json};

use crate::dice::Dice;
use crate::server::Server;
use crate::state::{Model, Work, text};
use crate::table::Row;

const KINDS: [&str; 3] = ["Specification", "Implementation", "ScratchPad"];

pub(crate) const ROWS: &[Row] = &[
    Row::reads("specman_lifecycle_plan_creation", planned).says(|model, _, said| keep(model, said, text(said, "handle"), false)),
    Row::reads("specman_lifecycle_scratchpad", |model, dice| {
        json!({
            "profile": dice.pick(&["feat", "revision", "ref", "fix"]),
            "name": format!("pad-{}", (b'a' + u8::try_from(dice.below(3)).unwrap()) as char),
            "target": model.locator(dice),
        })
    })
    .says(|model, _, said| keep(model, said, text(said, "handle"), false))
    .often(),
    Row::reads("specman_lifecycle_plan_deletion", |model, dice| match dice.below(6) {
        5 => json!({ "target": { "kind": dice.pick(&KINDS), "name": dice.known(model.work.keys(), &model.ids()) } }),
        _ => json!({ "target": model.locator(dice) }),
    })
    .says(|model, _, said| keep(model, said, text(&said["target"], "handle"), true))
    .often(),
    Row::writes(
        "specman_lifecycle_create",
        |model, dice| json!({ "plan_id": plan(model, false, dice), "dry_run": dice.once_in(5) }),
        |model, asked, said| {
            if asked["dry_run"] == true {
                return Vec::new();
            }
            let (handle, deletes) = model.plans.remove(text(asked, "plan_id")).expect("a plan that was made");
            assert!(!deletes, "a deletion was carried out as a creation");
            let paths = paths(said);
            let is_new = match handle.strip_prefix("spec://") {
                Some(id) => {
                    let work = Work { state: "draft".into(), ..Work::default() };
                    model.work.insert(id.to_owned(), work).is_none()
                }
                None => model.papers.insert(handle.clone(), paths[0].clone()).is_none(),
            };
            assert!(is_new, "{handle} was there already");
            paths
        },
    ),
    Row::writes(
        "specman_lifecycle_delete",
        |model, dice| json!({ "plan_id": plan(model, true, dice), "force": dice.once_in(3) }),
        |model, asked, said| {
            let (handle, deletes) = model.plans.remove(text(asked, "plan_id")).expect("a plan that was made");
            assert!(deletes, "a creation was carried out as a deletion");
            let mut paths = paths(said);
            if let Some(id) = handle.strip_prefix("spec://") {
                model.work.remove(id);
                for (_, gone) in model.living.remove(id).into_iter().flatten() {
                    model.forgotten.push(gone.text);
                }
                paths.push(Model::folder(id));
            } else if let Some(id) = handle.strip_prefix("change://") {
                model.changes.remove(id);
                paths.push(Model::folder(&format!("change:{id}")));
            } else if let Some((kind, name)) = handle.split_once("://") {
                let folder = if kind == "scratch" { ".hewto/scratchpad" } else { kind };
                paths.push(format!("ws/{folder}/{name}/"));
            }
            model.papers.remove(&handle);
            paths
        },
    ),
    Row::writes("specman_metadata_patch", patch, |_, asked, said| {
        if asked["persist"] == true {
            assert!(said["persisted"].is_object() || said["changed"] == false, "{said}");
            return said["persisted"]["path"].as_str().map(|path| format!("ws/{path}")).into_iter().collect();
        }
        assert!(said["persisted"].is_null(), "a preview was written: {said}");
        Vec::new()
    }),
    Row::writes(
        "specman_templates_pointer_update",
        |_, dice| {
            let mut asked = json!({ "pointer": dice.pick(&["SPEC", "IMPL", "SCRATCH"]), "action": dice.pick(&["set", "clear", "inspect"]) });
            if !dice.once_in(6) {
                asked["locator"] = json!(dice.pick(&["yard/template.md", "yard/nothing.md", "../outside.txt", "", ".git/config"]));
            }
            asked
        },
        |model, asked, said| {
            let pointer = text(asked, "pointer").to_owned();
            match text(asked, "action") {
                "set" => drop(model.pointers.insert(pointer.clone(), text(asked, "locator").to_owned())),
                "clear" => drop(model.pointers.remove(&pointer)),
                _ => return Vec::new(),
            }
            assert_eq!(said["target"].as_str(), model.pointers.get(&pointer).map(String::as_str));
            vec![format!("ws/.hewto/templates/{pointer}")]
        },
    ),
    Row::reads("specman_metadata_describe", |model, dice| json!({ "locator": model.locator(dice) })),
    Row::reads("specman_dependency_tree", |model, dice| json!({ "locator": model.locator(dice) })),
    Row::reads("specman_dependency_slice", |model, dice| {
        json!({ "locator": model.locator(dice), "mode": dice.pick(&["upstream", "downstream"]), "limit": 1 + dice.below(3) })
    }),
    Row::reads("specman_operations_inspect", |_, dice| match dice.below(3) {
        0 => json!({ "limit": 1 + dice.below(5) }),
        1 => json!({ "status": dice.pick(&["succeeded", "failed", "in_progress"]), "capability_id": dice.text() }),
        _ => json!({ "since": dice.text() }),
    }),
    Row::reads("specman_prompt_catalog", |_, dice| json!({ "artifact_type": dice.pick(&["spec", "impl", "scratch", "x"]) })),
    Row::reads("specman_templates_catalog", |_, dice| match dice.below(3) {
        0 => json!({}),
        1 => json!({ "scenario": dice.pick(&["spec", "impl", "WorkType(feat)", "none"]) }),
        _ => json!({ "pointer_override": dice.pick(&["yard/template.md", "../outside.txt"]) }),
    }),
    Row::reads("specman_workspace_describe", |model, dice| match dice.below(3) {
        0 => json!({}),
        1 => json!({ "path": dice.pick(&["specs", "..", "yard"]) }),
        _ => json!({ "env": { "SPECMAN_WORKSPACE": format!("{}/repo", model.base) } }),
    }),
    Row::reads("specman_workspace_list_artifacts", |_, dice| match dice.below(4) {
        0 => json!({ "limit": 1 + dice.below(5) }),
        1 => json!({ "scheme": dice.pick(&["spec", "impl", "scratch", "change", "adr", "x"]) }),
        2 => json!({ "glob": dice.pick(&["specs/*/spec.md", "**", "[", "../**"]) }),
        _ => json!({ "cursor": dice.text() }),
    }),
];

fn keep(model: &mut Model, said: &Value, handle: &str, deletes: bool) -> Vec<String> {
    model.plans.insert(text(said, "plan_id").to_owned(), (handle.to_owned(), deletes));
    Vec::new()
}

/// A plan of this kind, mostly.
fn plan(model: &Model, deletes: bool, dice: &mut Dice<'_>) -> String {
    let (own, others): (Vec<_>, Vec<_>) = model.plans.iter().partition(|(_, (_, of))| *of == deletes);
    let others: Vec<String> = others.into_iter().map(|(id, _)| id.clone()).collect();
    dice.known(own.into_iter().map(|(id, _)| id), &others)
}

fn paths(said: &Value) -> Vec<String> {
    said["artifacts"].as_array().unwrap().iter().map(|made| format!("ws/{}", text(made, "path"))).collect()
}

fn planned(model: &Model, dice: &mut Dice<'_>) -> Value {
    let letter = (b'a' + u8::try_from(dice.below(3)).unwrap()) as char;
    let kind = *dice.pick(&["Implementation", "Specification", "ScratchPad"]);
    let name = match kind {
        _ if dice.once_in(8) => dice.text(),
        "Implementation" => format!("impl-{letter}-rust"),
        _ => format!("{}-{letter}", kind.to_lowercase()),
    };
    let mut asked = json!({ "target": { "kind": kind, "name": name } });
    if kind == "Implementation" {
        asked["front_matter"] = json!({ "spec": model.locator(dice), "primary_language": "rust@1" });
    }
    if kind == "ScratchPad" {
        asked["front_matter"] = json!({ "target": model.locator(dice), "work_type": { "revision": {} } });
    }
    if dice.once_in(5) {
        asked["template"] = json!(dice.pick(&["yard/template.md", "embedded://spec", "../outside.txt"]));
        asked["tokens"] = json!({ "title": dice.text() });
    }
    asked
}

fn patch(model: &Model, dice: &mut Dice<'_>) -> Value {
    let mut asked = json!({ "locator": model.locator(dice), "persist": !dice.once_in(3) });
    match dice.below(5) {
        0 => asked["set"] = json!({ "version": format!("1.{}.0", dice.below(3)) }),
        1 => asked["add_dependencies"] = json!([model.locator(dice)]),
        2 => asked["remove_dependencies"] = json!([model.locator(dice)]),
        3 => asked["add_references"] = json!([{ "ref": model.locator(dice), "optional": true }]),
        _ => asked["set"] = json!({ "owner": dice.text() }),
    }
    asked
}

/// What is listed is what was made and not deleted.
pub(crate) fn compare(model: &Model, server: &mut Server) {
    let said = server.read("specman_workspace_list_artifacts", &json!({ "limit": 1000 }));
    let mut said: Vec<String> = said["artifacts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|artifact| text(artifact, "handle").to_owned())
        .filter(|handle| {
            ["spec", "impl", "scratch", "change"]
                .iter()
                .any(|scheme| handle.starts_with(&format!("{scheme}://")))
        })
        .collect();
    said.sort();
    let idle = model.living.keys().filter(|id| !model.work.contains_key(*id));
    let specs = model.work.keys().chain(idle).map(|id| format!("spec://{id}"));
    let changes = model.changes.keys().map(|id| format!("change://{id}"));
    let mut wanted: Vec<String> = specs.chain(changes).chain(model.papers.keys().cloned()).collect();
    wanted.sort();
    assert_eq!(said, wanted);
}
