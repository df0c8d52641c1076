//! Repositories and builds: `git_*` and `ci_*` of the toolset `workstation`.

use std::path::Path;

use serde_json::{Value, json};

use crate::dice::Dice;
use crate::state::{Model, text};
use crate::table::Row;

pub(crate) const ROWS: &[Row] = &[
    Row::writes("git_add", |model, dice| in_repo(json!({ "paths": paths(model, dice) }), model, dice), index),
    Row::writes("git_commit", |model, dice| in_repo(json!({ "message": dice.text() }), model, dice), index),
    Row::writes("git_restore", |model, dice| in_repo(json!({ "paths": paths(model, dice) }), model, dice), index),
    Row::writes(
        "git_branch_create",
        |model, dice| in_repo(json!({ "name": branch(model, dice) }), model, dice),
        |model, asked, said| {
            assert_eq!(text(said, "name"), text(asked, "name"));
            if text(asked, "repo").ends_with("/repo") {
                model.branches.push(text(asked, "name").to_owned());
            }
            index(model, asked, said)
        },
    ),
    Row::writes(
        "git_switch",
        |model, dice| json!({ "repo": format!("{}/repo", model.base), "name": branch(model, dice) }),
        |model, asked, said| {
            assert_eq!(text(said, "branch"), text(asked, "name"));
            moved(model)
        },
    ),
    Row::writes(
        "git_stash",
        |model, dice| {
            json!({ "repo": format!("{}/repo", model.base), "action": dice.pick(&["push", "pop", "list"]), "message": dice.text() })
        },
        |model, asked, said| {
            if said["changed"] == false { index(model, asked, said) } else { moved(model) }
        },
    ),
    Row::reads("git_status", |model, dice| in_repo(json!({}), model, dice)),
    Row::reads("git_log", |model, dice| in_repo(json!({ "limit": 1 + dice.below(3) }), model, dice)),
    Row::reads("git_diff", |model, dice| {
        let mut asked = json!({ "staged": dice.once_in(2) });
        if dice.once_in(3) {
            asked = json!({ "from": branch(model, dice), "to": "HEAD" });
        }
        in_repo(asked, model, dice)
    }),
    Row::reads("git_show", |model, dice| in_repo(json!({ "revision": branch(model, dice) }), model, dice)),
    Row::reads("git_blame", |model, dice| in_repo(json!({ "path": dice.pick(&["0.txt", "yard/0.txt", ".gitignore", "../outside.txt"]) }), model, dice)),
    Row::reads("git_branches", |model, dice| {
        in_repo(json!({ "kind": dice.pick(&["local", "remote", "all"]) }), model, dice)
    })
    .says(|model, asked, said| {
        let names = said["branches"].as_array().unwrap();
        if text(asked, "repo").ends_with("/repo") && asked["kind"] == "local" {
            assert_eq!(names.len(), model.branches.len(), "{said}");
        }
        Vec::new()
    }),
    Row::reads("git_worktrees", |model, dice| in_repo(json!({}), model, dice)),
    Row::reads("ci_detect", |_, dice| json!({ "path": dice.pick(&["made", "yard", "..", "nowhere"]) })),
    Row::reads("ci_diagnostics", |_, _| json!({})).must(|_, _| Some(true)),
    Row::writes("ci_build", |_, dice| json!({ "path": dice.pick(&["made", "yard", "..", "made/Makefile"]) }), |_, _, _| Vec::new()),
    Row::writes("ci_test", |_, dice| json!({ "path": dice.pick(&["made", "yard"]), "tool": dice.pick(&["make", "cargo"]) }), |_, _, _| Vec::new()),
    Row::writes("ci_restore", |_, dice| json!({ "path": dice.pick(&["made", "yard"]) }), |_, _, _| Vec::new()),
    Row::writes(
        "ci_run",
        |_, dice| {
            json!({ "command": dice.pick(&["git --version", "git status", "rm -rf yard", "git --version; touch x", "", "touch yard/touched"]) })
        },
        |_, _, _| Vec::new(),
    )
    .must(|_, asked| (!text(asked, "command").starts_with("git --version")).then_some(false)),
];

fn in_repo(mut asked: Value, model: &Model, dice: &mut Dice<'_>) -> Value {
    match dice.below(8) {
        6 => {}
        7 => asked["repo"] = json!(dice.pick(&["..", "nowhere", "yard", "/", ""])),
        _ => asked["repo"] = json!(format!("{}/repo", model.base)),
    }
    asked
}

fn paths(model: &Model, dice: &mut Dice<'_>) -> Vec<String> {
    let known: Vec<String> =
        model.files.keys().filter_map(|key| Some(key.strip_prefix("repo/")?.to_owned())).collect();
    vec![match dice.below(6) {
        0 => ".".to_owned(),
        4 => (*dice.pick(&["../outside.txt", ":/", "*", "", "-A", "nothing.txt"])).to_owned(),
        5 => dice.text(),
        _ if known.is_empty() => ".".to_owned(),
        _ => dice.pick(&known).clone(),
    }]
}

fn branch(model: &Model, dice: &mut Dice<'_>) -> String {
    match dice.below(6) {
        0 | 1 => dice.pick(&model.branches).clone(),
        2 | 3 => format!("b{}", dice.below(3)),
        4 => (*dice.pick(&["-f", "HEAD", "a..b", "refs/heads/main", "b/", "@{-1}"])).to_owned(),
        _ => dice.text(),
    }
}

/// Only what git keeps may have changed.
fn index(_: &mut Model, _: &Value, said: &Value) -> Vec<String> {
    let root = text(said, "root").trim_end_matches('/');
    vec![if root.ends_with("/repo") { "repo/.git/".into() } else { "ws/.git/".into() }]
}

/// The work tree is another; how git merges is git's to know, but what it did not know of is still there.
fn moved(model: &mut Model) -> Vec<String> {
    let now = Model::files_below(Path::new(&model.base));
    for (path, bytes) in model.files.iter().filter(|(path, _)| path.starts_with("ws/")) {
        assert_eq!(now.get(path), Some(bytes), "{path}");
    }
    model.files = now;
    vec!["repo/".into()]
}
