//! `hewto demo`: the README's first command.

use std::process::Stdio;

use crate::sandbox::Sandbox;

#[test]
fn the_demo_walks_a_change_from_a_wish_to_the_archive_through_the_server() {
    let sandbox = Sandbox::empty();
    insta::assert_snapshot!(sandbox.run(&["demo", "shop"]), @r#"
    A small shop, in the middle of its work: [DIR]/project/shop
    → a call to the MCP server   ← its answer   + a new file   ~ a changed one   - one that is gone

    1. clarify: A vague wish is asked about first
       → require_clarification {"user_intention":"Returning customers should be able to log in more easily"}
       ← {"status":"needs_clarification","session_id":"sess-[RANDOM]","questions":[{"id":"auth_strategy","type":"single_choice", …

    2. decide: The answers become a decision record and a task
       → require_clarification {"user_intention":"Returning customers should be able to log in more easily","session_id":"sess-[RANDOM]","answers":{"auth_strategy":"Magic Link","auth_library":"custom"}}
       ← {"status":"completed","artifacts_created":[{"path":"docs/adr/[UID]_authentication_strategy__magic_links.md","type":"adr", …
       + docs/adr/[UID]_authentication_strategy__magic_links.md
       + docs/archive/task/[UID]_choose_the_database_of_the_shop_postgresql_with_dr.md
       ~ docs/ARCHITECTURE_STATE.md
       ~ docs/CURRENT_TASK.md

    3. decide: From now on every agent knows what was decided
       → read_architecture {}
       ← {"status":"success","architecture":{"uid":"[UID]","categories":{"Authentication":{"Library":"custom","Strategy":"Magic Links"}, …

    4. specify: What the shop promises today
       → get_spec_requirements {"spec_id":"accounts"}
       ← {"spec_id":"accounts","title":"Accounts","requirements":[{"id":"sign-in","name":"Sign in","scenario_count":2,"scenarios":["The password is right", …

    5. specify: What it shall promise: a change, with its scenarios
       → change_create {"change_id":"sign-in-by-mail","why":"Customers forget their passwords, give up at the till and buy elsewhere","what_changes":"- A link by mail signs a customer in", …
       ← {"change_id":"sign-in-by-mail","created":true,"path":"changes/sign-in-by-mail/","files":["changes/sign-in-by-mail/proposal.md", …
       + changes/sign-in-by-mail/proposal.md
       + changes/sign-in-by-mail/specs/accounts/spec.md
       + changes/sign-in-by-mail/tasks.md

    6. specify: Whom does it get in the way of? Not ours: two others collide
       → change_overlaps {}
       ← {"overlaps":[{"capability":"checkout","requirement":"Checkout in three steps","changes":["guest-checkout","one-page-checkout"]}]}

    7. plan: How it is to be built
       → plan_create {"spec_id":"change:sign-in-by-mail","approach":"A signed token with the account and the time in it; no table","steps":[{"title":"Token","description":"Sign it, check it, …
       ← {"spec_id":"change:sign-in-by-mail","plan_created":true,"total_steps":2,"path":"changes/sign-in-by-mail/tasks.md"}
       + changes/sign-in-by-mail/state.toon
       ~ changes/sign-in-by-mail/tasks.md

    8. build: Nobody builds what nobody has approved, and an agent's own word is nobody's
       → build_start {"spec_id":"change:sign-in-by-mail","plan_approved":true}
       ← refused: approval_pending: no person has approved version 1 of `change:sign-in-by-mail`
         hint: ask a person to run `hewto approve change:sign-in-by-mail` (or to decide on the dashboard), and wait for the verdict on `change:sign-in-by-mail`

    9. build: A person reads it and approves
       → hewto approve {"id":"change:sign-in-by-mail"}
       ← {"verdict":"approved","version":1,"shown":["Proposal, Change: sign in by mail: added","Proposal, Why: added","Proposal, What Changes: added","accounts, …
       + changes/sign-in-by-mail/review/[UID].md

    10. build: Now it may be built
       → build_start {"spec_id":"change:sign-in-by-mail"}
       ← {"spec_id":"change:sign-in-by-mail","build_started":true,"phase":"build","plan_steps":2}
       ~ changes/sign-in-by-mail/state.toon

    11. build: The agent writes code, and says which step is done
       → plan_step_complete {"spec_id":"change:sign-in-by-mail","step_index":0,"notes":"Used tokens are remembered until they expire"}
       ← {"spec_id":"change:sign-in-by-mail","step_index":0,"step":"1.1","step_title":"Token","completed":true,"plan_progress":{"total_steps":2,"completed_steps":1, …
       + src/login/token.ts
       ~ changes/sign-in-by-mail/tasks.md

    12. build: The second step
       → plan_step_complete {"spec_id":"change:sign-in-by-mail","step_index":1}
       ← {"spec_id":"change:sign-in-by-mail","step_index":1,"step":"1.2","step_title":"Mail","completed":true,"plan_progress":{"total_steps":2,"completed_steps":2, …
       + src/login/mail.ts
       ~ changes/sign-in-by-mail/tasks.md

    13. build: One changed word, and the approval counts no more
       → build_complete {"spec_id":"change:sign-in-by-mail","summary":"Customers sign in with a link"}
       ← refused: approval_stale: `change:sign-in-by-mail` has changed since `you` approved version 1; the approval does not count for version 2
         hint: ask a person to run `hewto approve change:sign-in-by-mail` (or to decide on the dashboard), and wait for the verdict on `change:sign-in-by-mail`
       ~ changes/sign-in-by-mail/specs/accounts/spec.md

    14. build: The person sees that one difference, and approves again
       → hewto approve {"id":"change:sign-in-by-mail"}
       ← {"verdict":"approved","version":2,"shown":["accounts, Requirement Sign in by mail (ADDED), Scenario The link is fresh: changed"]}
       + changes/sign-in-by-mail/review/[UID].md

    15. build: It is built
       → build_complete {"spec_id":"change:sign-in-by-mail","summary":"Customers sign in with a link"}
       ← {"spec_id":"change:sign-in-by-mail","build_completed":true,"lifecycle_state":"done","completed_at":"[TIME]","open_steps":0}
       ~ changes/sign-in-by-mail/state.toon

    16. validate: Is the change sound?
       → validate_change {"change_id":"sign-in-by-mail"}
       ← {"valid":true,"errors":[],"warnings":[],"summary":"1 change valid: 0 errors, 0 warnings"}

    17. archive: Its promises go into the living spec, in one commit
       → change_archive {"change_id":"sign-in-by-mail"}
       ← {"change_id":"sign-in-by-mail","archived":true,"path":"changes/archive/[DATE]-sign-in-by-mail/","specs":[{"capability":"accounts","outcome":"updated", …
       + changes/archive/[DATE]-sign-in-by-mail/proposal.md
       + changes/archive/[DATE]-sign-in-by-mail/review/[UID].md
       + changes/archive/[DATE]-sign-in-by-mail/review/[UID].md
       + changes/archive/[DATE]-sign-in-by-mail/specs/accounts/spec.md
       + changes/archive/[DATE]-sign-in-by-mail/state.toon
       + changes/archive/[DATE]-sign-in-by-mail/tasks.md
       ~ specs/accounts/spec.md
       - changes/sign-in-by-mail/proposal.md
       - changes/sign-in-by-mail/review/[UID].md
       - changes/sign-in-by-mail/review/[UID].md
       - changes/sign-in-by-mail/specs/accounts/spec.md
       - changes/sign-in-by-mail/state.toon
       - changes/sign-in-by-mail/tasks.md

    18. archive: What the shop promises now
       → get_scenario {"spec_id":"accounts","requirement":"Sign in by mail","scenario":"The link is fresh"}
       ← {"spec_id":"accounts","requirement":"Sign in by mail", …

    19. prove: From now on nothing is ticked that no test has shown
       → spec_create {"title":"Show that fresh links work","description":"Nobody has tested the links by mail"}
       ← {"spec_id":"1700000000-show-that-fresh-links-work","created":true,"path":"specs/1700000000-show-that-fresh-links-work/"}
       + run-tests
       + specs/1700000000-show-that-fresh-links-work/spec.md
       + specs/1700000000-show-that-fresh-links-work/state.toon

    20. prove: A step says what it proves
       → plan_create {"spec_id":"1700000000-show-that-fresh-links-work","approach":"A test beside the code","steps":[{"title":"Fresh link", …
       ← {"spec_id":"1700000000-show-that-fresh-links-work","plan_created":true,"total_steps":1,"path":"specs/1700000000-show-that-fresh-links-work/plan.md"}
       + specs/1700000000-show-that-fresh-links-work/plan.md
       ~ specs/1700000000-show-that-fresh-links-work/state.toon

    21. prove: A tick alone shows nothing
       → plan_step_complete {"spec_id":"1700000000-show-that-fresh-links-work","step_index":0}
       ← refused: evidence_missing: the step `Fresh link` of `1700000000-show-that-fresh-links-work` is not proven: `accounts#sign-in-by-mail/the-link-is-fresh` is uncovered (nothing is linked)
         hint: write the test with the line `// @spec accounts#sign-in-by-mail/the-link-is-fresh` above it, then call `proof_run`

    22. prove: The missing test is written, and run by hewto itself
       → hewto "proof run --trust cde711eeb99bf8cbdcc60765945814330a029d1a07958f745dd2f9482c61e54f"
       ← {"run":"[RUN]","status":"passed","checks":[{"check":"unit","run":"[RUN]","status":"passed","counts":true,"passed":1, …
       + tests/login.test.ts

    23. prove: Now the tick is allowed
       → plan_step_complete {"spec_id":"1700000000-show-that-fresh-links-work","step_index":0}
       ← {"spec_id":"1700000000-show-that-fresh-links-work","step_index":0,"step":"1","step_title":"Fresh link","completed":true,"plan_progress":{"total_steps":1, …
       ~ specs/1700000000-show-that-fresh-links-work/plan.md

    From a wish to the archive, and every step is a file. The project is kept; try:
      cd [DIR]/project/shop
      [HEWTO] status                                # where everything stands and what is next
      [HEWTO] change overlaps                       # two changes that collide
      [HEWTO] spec deps 1700000000-gift-card-mails  # what a blocked spec waits for
      [HEWTO] validate                              # the broken document, with its line and a fix
      [HEWTO] log --limit 5                         # what the agent did, call by call
      [HEWTO] ui                                    # all of it in a browser: the board, reviews, the graph
    [exit 0]
    "#);
    assert!(sandbox.read("shop/specs/accounts/spec.md").contains("### Requirement: Sign in by mail"));
}

// @spec installation#the-demonstration-needs-nothing/an-empty-home
#[test]
fn the_commands_it_ends_with_work_as_they_are_printed() {
    let sandbox = Sandbox::empty();
    let demo = sandbox.json(&["demo"]);
    let root = demo["workspace"].as_str().unwrap();
    assert!(root.contains("/tmp/hewto-demo-"), "{root}");
    let commands = demo["try"].as_array().unwrap();
    assert_eq!(commands.len(), 6);
    // The last one serves until somebody ends it.
    assert!(commands[5].as_str().unwrap().ends_with(" ui"));
    for command in commands.iter().take(5).map(|command| command.as_str().unwrap()) {
        let shown =
            std::process::Command::new("sh").args(["-c", command]).current_dir(root).output().unwrap();
        // There is a broken document in the sample, and `validate` says so.
        let expected = i32::from(command.ends_with(" validate"));
        assert_eq!(shown.status.code(), Some(expected), "{command}: {}", crate::sandbox::whole(&shown));
        assert!(!shown.stdout.is_empty(), "{command}");
    }
}

#[test]
fn the_sample_has_everything_that_goes_wrong_in_real_life() {
    let sandbox = Sandbox::empty();
    sandbox.ok(&["demo", "shop"]);
    let at = ["--workspace", "shop"];
    let status = sandbox.json(&[&["status"], &at[..]].concat());
    assert_eq!(status["overlaps"].as_array().unwrap().len(), 1, "{status}");
    assert_eq!(status["blocked"].as_array().unwrap().len(), 1, "{status}");
    assert_eq!(status["specs"]["active"], 1, "a plan half built: {status}");
    assert_eq!(status["health"]["errors"], 1, "a broken document: {status}");
    assert_eq!(fs_err::read_dir(sandbox.project().join("shop/docs/adr")).unwrap().count(), 2);
}

#[test]
fn the_journey_has_every_phase_and_two_refusals() {
    let sandbox = Sandbox::empty();
    let demo = sandbox.json(&["demo"]);
    let steps = demo["steps"].as_array().unwrap();
    let mut phases: Vec<&str> = steps.iter().map(|step| step["phase"].as_str().unwrap()).collect();
    phases.dedup();
    assert_eq!(phases, ["clarify", "decide", "specify", "plan", "build", "validate", "archive", "prove"]);
    let refused: Vec<_> = steps.iter().filter(|step| step.get("refusal").is_some()).collect();
    let tools: Vec<&str> = refused.iter().map(|step| step["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["build_start", "build_complete", "plan_step_complete"]);
    let keys: Vec<&str> = refused.iter().map(|step| step["refusal"]["error"].as_str().unwrap()).collect();
    assert_eq!(keys, ["approval_pending", "approval_stale", "evidence_missing"]);
    assert_eq!(refused[0]["changed"].as_array().map(Vec::len), Some(0));
    assert!(steps.iter().all(|step| step.get("refusal").is_some() || step["result"].is_object()));
}

/// It plays the person, with the machine's own key: what it seals must never be somebody else's words.
#[test]
fn it_approves_nothing_that_somebody_has_slipped_into_its_folder() {
    let sandbox = Sandbox::empty();
    let root = sandbox.project().join("shop");
    let mut demo =
        sandbox.hewto(&["demo", "shop"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let has_gate = || {
        let text = fs_err::read_to_string(root.join(".hewto/proof.toml")).unwrap_or_default();
        text.contains("gates.folder")
    };
    while !has_gate() && demo.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    // The next thing that it does is to ask for an approval, and to give it.
    let slipped = "## Why\nNobody asked for this, and nobody has read it.\n\n## What Changes\n- No checks\n";
    fs_err::write(root.join("changes/sign-in-by-mail/proposal.md"), slipped).unwrap();
    assert!(!demo.wait().unwrap().success());
    let shown = sandbox.json(&["review", "show", "change:sign-in-by-mail", "--workspace", "shop"]);
    assert_ne!(shown["standing"], "approved", "{shown}");
}

#[test]
fn the_users_own_settings_do_not_change_the_story() {
    let sandbox = Sandbox::workspace();
    let mut command = sandbox.hewto(&["demo"]);
    command
        .env("HEWTO_READ_ONLY", "1")
        .env("HEWTO_TOOLS", "spec_list")
        .env("HEWTO_LLM_PROVIDER", "openai")
        .env("HEWTO_LLM_BASE_URL", "http://127.0.0.1:9/v1")
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
