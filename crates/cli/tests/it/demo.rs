//! `hewto demo`: the README's first command.

use crate::sandbox::Sandbox;

#[test]
fn the_demo_walks_a_spec_from_draft_to_done_through_the_server() {
    let sandbox = Sandbox::empty();
    insta::assert_snapshot!(sandbox.run(&["demo", "shop"]), @r#"
    A sample workspace: [DIR]/project/shop
    → a call to the MCP server   ← its answer   + a new file   ~ a changed file

    1. Write down what is wanted: a session store
       → spec_create {"title":"Session store","description":"Keep who is logged in, for 30 minutes after the last request"}
       ← {"spec_id":"1700000000-session-store","created":true,"path":"specs/1700000000-session-store/"}
       + specs/1700000000-session-store/spec.md
       + specs/1700000000-session-store/state.toon

    2. A login needs that store first: a hard dependency
       → spec_create {"title":"User login","description":"Customers log in with e-mail and password","dependencies":[{"spec_id":"1700000000-session-store","kind":"hard"}]}
       ← {"spec_id":"1700000000-user-login","created":true,"path":"specs/1700000000-user-login/"}
       + specs/1700000000-user-login/spec.md
       + specs/1700000000-user-login/state.toon

    3. What is there now
       → spec_list {}
       ← {"specs":[{"id":"1700000000-session-store","title":"Session store","state":"draft","category":"feature", …

    4. Plan the login
       → plan_create {"spec_id":"1700000000-user-login","approach":"A form, a check against the stored hash, a session on success","steps":[{"title":"Form and check", …
       ← {"spec_id":"1700000000-user-login","plan_created":true,"total_steps":1, …
       + specs/1700000000-user-login/plan.md
       ~ specs/1700000000-user-login/state.toon

    5. Starting it now is refused: the session store is not done
       → build_start {"spec_id":"1700000000-user-login","plan_approved":true}
       ← refused: dependency_not_satisfied (-32004) `1700000000-user-login` waits for `1700000000-session-store`
         hint: finish these first, or make the dependency soft with `spec_update`

    6. So the session store comes first: plan it
       → plan_create {"spec_id":"1700000000-session-store","approach":"One table, one cookie, a sweep of what has expired","steps":[{"title":"Table","description":"id, user, last seen","complexity":"simple"}, …
       ← {"spec_id":"1700000000-session-store","plan_created":true,"total_steps":2, …
       + specs/1700000000-session-store/plan.md
       ~ specs/1700000000-session-store/state.toon

    7. The plan is approved: build it
       → build_start {"spec_id":"1700000000-session-store","plan_approved":true}
       ← {"spec_id":"1700000000-session-store","build_started":true,"phase":"build","plan_steps":2}
       ~ specs/1700000000-session-store/spec.md
       ~ specs/1700000000-session-store/state.toon

    8. The first step is done
       → plan_step_complete {"spec_id":"1700000000-session-store","step_index":0,"notes":"With an index on last seen"}
       ← {"spec_id":"1700000000-session-store","step_index":0,"step_title":"Table","completed":true, …
       ~ specs/1700000000-session-store/plan.md

    9. Say how far the build is
       → build_update {"spec_id":"1700000000-session-store","progress_percentage":60,"current_step":"Sweep"}
       ← {"spec_id":"1700000000-session-store","updated":true,"build_progress":{"percentage":60,"current_step":"Sweep", …
       ~ specs/1700000000-session-store/state.toon

    10. The second step is done
       → plan_step_complete {"spec_id":"1700000000-session-store","step_index":1}
       ← {"spec_id":"1700000000-session-store","step_index":1,"step_title":"Sweep","completed":true, …
       ~ specs/1700000000-session-store/plan.md

    11. The session store is done
       → build_complete {"spec_id":"1700000000-session-store","summary":"Sessions live in one table and expire after 30 minutes"}
       ← {"spec_id":"1700000000-session-store","build_completed":true,"lifecycle_state":"done", …
       ~ specs/1700000000-session-store/spec.md
       ~ specs/1700000000-session-store/state.toon

    12. Nothing blocks the login any more
       → spec_check_dependencies {"spec_id":"1700000000-user-login"}
       ← {"spec_id":"1700000000-user-login","all_satisfied":true,"dependencies":[{"spec_id":"1700000000-session-store", …

    13. Now it can be built
       → build_start {"spec_id":"1700000000-user-login","plan_approved":true}
       ← {"spec_id":"1700000000-user-login","build_started":true,"phase":"build","plan_steps":1}
       ~ specs/1700000000-user-login/spec.md
       ~ specs/1700000000-user-login/state.toon

    14. Its only step is done
       → plan_step_complete {"spec_id":"1700000000-user-login","step_index":0}
       ← {"spec_id":"1700000000-user-login","step_index":0,"step_title":"Form and check","completed":true, …
       ~ specs/1700000000-user-login/plan.md

    15. The login is done
       → build_complete {"spec_id":"1700000000-user-login","summary":"Customers can log in","deviations":"Five wrong passwords lock the account for a minute"}
       ← {"spec_id":"1700000000-user-login","build_completed":true,"lifecycle_state":"done", …
       ~ specs/1700000000-user-login/spec.md
       ~ specs/1700000000-user-login/state.toon

    16. Both are done
       → spec_list {"state":"done"}
       ← {"specs":[{"id":"1700000000-session-store","title":"Session store","state":"done","category":"feature", …

    Both specs went from draft to done. The workspace is kept; try:
      cd [DIR]/project/shop
      [HEWTO] spec list
      [HEWTO] spec show 1700000000-user-login
      [HEWTO] plan show 1700000000-user-login
      [HEWTO] log --limit 5
      [HEWTO] validate --strict
    [exit 0]
    "#);
    let list = sandbox.json(&["spec", "list", "--workspace", "shop"]);
    let states: Vec<&str> =
        list["specs"].as_array().unwrap().iter().map(|spec| spec["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["done", "done"]);
}

#[test]
fn the_commands_it_ends_with_work_as_they_are_printed() {
    let sandbox = Sandbox::empty();
    let demo = sandbox.json(&["demo"]);
    let root = demo["workspace"].as_str().unwrap();
    assert!(root.contains("/tmp/hewto-demo-"), "{root}");
    let commands = demo["try"].as_array().unwrap();
    assert_eq!(commands.len(), 5);
    for command in commands {
        let status = std::process::Command::new("sh")
            .args(["-c", command.as_str().unwrap()])
            .current_dir(root)
            .output()
            .unwrap();
        assert!(status.status.success(), "{command}: {}", crate::sandbox::whole(&status));
        assert!(!status.stdout.is_empty(), "{command}");
    }
}

#[test]
fn the_refusal_of_the_blocked_build_is_part_of_the_story() {
    let sandbox = Sandbox::empty();
    let demo = sandbox.json(&["demo"]);
    let steps = demo["steps"].as_array().unwrap();
    let refused: Vec<_> = steps.iter().filter(|step| step.get("refusal").is_some()).collect();
    assert_eq!(refused.len(), 1);
    assert_eq!(
        (refused[0]["tool"].as_str(), refused[0]["refusal"]["code"].as_i64()),
        (Some("build_start"), Some(-32004))
    );
    assert_eq!(refused[0]["changed"].as_array().map(Vec::len), Some(0));
    assert!(steps.iter().all(|step| step.get("refusal").is_some() || step["result"].is_object()));
}

#[test]
fn the_users_own_settings_do_not_change_the_story() {
    let sandbox = Sandbox::workspace();
    let mut command = sandbox.hewto(&["demo"]);
    command
        .env("HEWTO_READ_ONLY", "1")
        .env("HEWTO_TOOLS", "spec_list")
        .env("HEWTO_WORKSPACE", sandbox.project());
    let before = sandbox.files();
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", crate::sandbox::whole(&output));
    assert_eq!(sandbox.files(), before);
}

#[test]
fn a_folder_with_something_in_it_is_left_alone() {
    let sandbox = Sandbox::empty();
    sandbox.write("mine/notes.txt", "keep me");
    insta::assert_snapshot!(sandbox.run(&["demo", "mine"]), @"
    [stderr]
    error: the folder is not empty: [DIR]/project/mine
    hint: name a folder that does not exist yet, or none at all for a temporary one
    [exit 1]
    ");
    assert_eq!(sandbox.files(), [("mine/notes.txt".to_owned(), b"keep me".to_vec())]);
    let inside = Sandbox::workspace();
    let before = inside.files();
    insta::assert_snapshot!(inside.run(&["demo", "new"]), @"
    [stderr]
    error: this folder is in a workspace: [DIR]/project
    hint: name a folder that does not exist yet, or none at all for a temporary one
    [exit 1]
    ");
    assert_eq!(inside.files(), before);
    assert!(!inside.project().join("new").exists());
    insta::assert_snapshot!(sandbox.run(&["demo", "mine/notes.txt"]), @"
    [stderr]
    error: this is a file: [DIR]/project/mine/notes.txt
    hint: name a folder that does not exist yet, or none at all for a temporary one
    [exit 1]
    ");
}
