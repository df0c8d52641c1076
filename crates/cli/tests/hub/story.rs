use serde_json::json;

use crate::browser;
use crate::team::{Laptop, Team, wait_until};

#[test]
fn two_laptops_two_branches_one_requirement_one_approval_and_the_verdict_in_git() {
    let Some(team) = Team::new() else { return };
    let replica = team.replica();
    let ann = Laptop::new("shop", &replica, &team.token("ann", "agent", &["shop"]));
    ann.write(".hewto/proof.toml", "[gates]\nplan = \"hub\"\n");
    ann.git_init();
    let bob = ann.cloned(&replica, &team.token("bob", "agent", &["shop"]));
    ann.git(&["switch", "-q", "-c", "by-mail"]);
    bob.git(&["switch", "-q", "-c", "fast-login"]);
    ann.change("by-mail", "Sign in", "let a customer sign in by mail");
    bob.change("fast-login", "Sign in", "let a customer sign in fast");
    ann.ok(&["hub", "push"]);
    bob.ok(&["hub", "push"]);
    for laptop in [&ann, &bob] {
        let board = laptop.ok(&["status", "--hub"]);
        assert!(
            board.contains("overlap") && board.contains("by-mail") && board.contains("fast-login"),
            "{board}"
        );
    }
    let early = ann.fails(&["build", "start", "change:by-mail"]);
    assert_eq!(early["error"], "approval_pending", "{early}");
    // An agent cannot say it for a person, whatever it tries.
    let agent = replica.client(&team.token("bot", "agent", &["shop"]));
    let ballot =
        json!({ "repo": "shop", "item": "change:by-mail", "verdict": "approved", "digest": "0".repeat(64) });
    assert_eq!(
        crate::team::reason(&crate::team::post(&agent, "review/verdict", &ballot)).1,
        "role_insufficient"
    );
    let page = browser::decide(
        &replica,
        &team.token("rita", "reviewer", &["shop"]),
        "shop",
        "change:by-mail",
        "approved",
    );
    assert!(page.contains("approved") && page.contains("rita"), "{page}");
    let mut brought = Vec::new();
    wait_until("the verdict is here", || {
        brought = ann.json(&["hub", "push"])["brought"].as_array().unwrap().clone();
        !brought.is_empty()
    });
    let record = brought[0].as_str().unwrap();
    assert!(record.starts_with("changes/by-mail/review/"), "{record}");
    ann.ok(&["build", "start", "change:by-mail"]);
    ann.commit("Build it");
    let file = ann.git(&["show", &format!("HEAD:{record}")]);
    assert!(file.contains("channel: hub") && file.contains("by: rita"), "{file}");
    assert_eq!(team.sql("SELECT count(*) FROM review WHERE exported_at IS NOT NULL"), "1");
    // A changed word closes the gate again; a forged record does not open it on a machine that asks its hub.
    bob.write(&record.replace("by-mail", "fast-login"), &file.replace("by-mail", "fast-login"));
    assert_eq!(bob.fails(&["build", "start", "change:fast-login"])["error"], "approval_pending");
}
