//! Runs of checks, comments and claims: the toolsets `proof` and `review`.

use serde_json::{Value, json};

use crate::dice::Dice;
use crate::server::Server;
use crate::state::{Change, Model, plain, text};
use crate::table::Row;

pub(crate) const ROWS: &[Row] = &[
    Row::writes("review_comment", comment, |model, asked, said| {
        let item = text(said, "spec_id").to_owned();
        let id = text(said, "id").to_owned();
        match (asked["resolves"].as_str(), asked["reply_to"].as_str()) {
            (Some(settled), _) => {
                model.comments.get_mut(settled).expect("a comment that was settled").1 = true;
            }
            (None, Some(_)) => {}
            (None, None) => {
                drop(model.comments.insert(id, (item.clone(), false, text(asked, "text").to_owned())));
            }
        }
        vec![format!("{}review/", Model::folder(&item))]
    }),
    Row::reads("approval_wait", |model, dice| json!({ "spec_id": model.item(dice), "wait_s": 0 })),
    Row::writes(
        "claim_next",
        |model, dice| match dice.below(4) {
            0 => json!({}),
            1 => json!({ "spec_id": model.item(dice), "step": dice.name("Step") }),
            _ => json!({ "spec_id": model.item(dice), "lease_s": 30 + dice.below(3000) }),
        },
        |model, _, said| {
            let number = said["claim"].as_u64().unwrap();
            assert!(
                model.claims.keys().all(|known| *known <= number),
                "numbers only grow: {said} {:?}",
                model.claims
            );
            model.claims.insert(number, text(said, "spec_id").to_owned());
            vec!["ws/.git/hewto/".into()]
        },
    ),
    Row::writes(
        "claim_keep",
        |model, dice| {
            let known: Vec<u64> = model.claims.keys().copied().collect();
            let number = if known.is_empty() || dice.once_in(6) { 999 } else { *dice.pick(&known) };
            json!({ "claim": number, "release": dice.once_in(2), "note": dice.text() })
        },
        |model, asked, said| {
            let number = asked["claim"].as_u64().unwrap();
            assert!(model.claims.contains_key(&number), "a claim that nobody has was kept: {said}");
            assert_eq!(said["released"], asked["release"]);
            vec!["ws/.git/hewto/".into()]
        },
    ),
    Row::reads("proof_status", |model, dice| match dice.below(4) {
        0 => json!({}),
        1 => json!({ "spec_id": model.item(dice) }),
        2 => json!({ "ref": reference(model, dice) }),
        _ => json!({ "state": dice.pick(&["uncovered", "verified", "x"]) }),
    }),
    Row::reads("proof_links", |model, dice| match dice.below(3) {
        0 => json!({}),
        1 => json!({ "ref": reference(model, dice) }),
        _ => {
            json!({ "path": dice.pick(&["made", "yard", "..", "made/test.py"]), "problems": dice.once_in(2) })
        }
    }),
    Row::writes(
        "proof_run",
        |model, dice| match dice.below(4) {
            0 => json!({ "wait_s": 25 }),
            1 => json!({ "check": dice.pick(&["unit", "nothing"]), "wait_s": 25 }),
            2 => json!({ "refs": [reference(model, dice)], "wait_s": 25 }),
            _ => json!({ "run": dice.text(), "cancel": dice.once_in(2) }),
        },
        |_, _, _| vec!["ws/.git/hewto/".into(), "ws/.hewto/proof/".into()],
    ),
    Row::writes(
        "adopt",
        |model, dice| match dice.below(4) {
            0 => json!({ "list": true }),
            1 => json!({ "promote": [reference(model, dice)] }),
            2 => {
                json!({ "list": true, "kind": dice.pick(&["route", "test", "x"]), "limit": 1 + dice.below(9) })
            }
            _ => json!({}),
        },
        |model, asked, said| {
            let Some(id) = said["drafted"]["change"]["change_id"].as_str() else {
                assert!(
                    asked["list"] == true || said["drafted"].is_object() || asked.get("promote").is_some(),
                    "{said}"
                );
                return Vec::new();
            };
            model.changes.insert(id.to_owned(), Change { foreign: true, ..Change::default() });
            vec![Model::folder(&format!("change:{id}"))]
        },
    ),
];

fn comment(model: &Model, dice: &mut Dice<'_>) -> Value {
    let mut asked = json!({ "spec_id": model.item(dice), "text": dice.text() });
    let known: Vec<&String> = model.comments.keys().collect();
    match dice.below(6) {
        1 => asked["quote"] = json!(dice.text()),
        2 => asked["step"] = json!(dice.name("Step")),
        3 => {
            asked["capability"] = json!(model.capability(dice));
            asked["requirement"] = json!(model.requirement("cap", dice));
        }
        turn @ (4 | 5) if !known.is_empty() => {
            let id = *dice.pick(&known);
            if !dice.once_in(5) {
                asked["spec_id"] = json!(model.comments[id].0);
            }
            asked[if turn == 4 { "reply_to" } else { "resolves" }] = json!(id);
        }
        _ => {}
    }
    asked
}

fn reference(model: &Model, dice: &mut Dice<'_>) -> String {
    let capability = model.capability(dice);
    let requirement = model.requirement(&capability, dice);
    format!("{capability}#{}", requirement.to_lowercase())
}

/// What waits for an answer is what nobody has settled.
pub(crate) fn compare(model: &Model, server: &mut Server) {
    let items = model.work.keys().cloned().chain(model.changes.keys().map(|id| format!("change:{id}")));
    for item in items.filter(|item| model.comments.values().any(|(on, ..)| on == item)) {
        let said = server.read("approval_wait", &json!({ "spec_id": item, "wait_s": 0 }));
        for comment in said["comments"].as_array().unwrap() {
            assert_eq!(
                plain(text(comment, "text")),
                plain(&model.comments[text(comment, "id")].2),
                "{comment}"
            );
        }
        let mut open: Vec<&str> =
            said["comments"].as_array().unwrap().iter().map(|comment| text(comment, "id")).collect();
        open.sort_unstable();
        let wanted = model.comments.iter().filter(|(_, (on, settled, _))| *on == item && !settled);
        assert_eq!(open, wanted.map(|(id, _)| id.as_str()).collect::<Vec<&str>>(), "{item}");
    }
}
