//! Clarification on bad ground, over the wire: odd repositories, odd intentions, and what a repository adds.

use std::process::Command;

use hewto_testkit::{Era, McpSession, TestWorkspace};
use serde_json::{Value, json};

use crate::decision_mcp::{arguments, repository, serve};

const AUTH: &str = "Add OAuth authentication with Clerk";
const DATABASE: &str = "Add a PostgreSQL database with Prisma";
const CACHE: &str = "Add a Redis cache";

fn decide(session: &mut McpSession, intention: &str, more: Value) -> Value {
    let view = session.call("require_clarification", arguments(intention, more)).ok();
    assert_eq!(view["status"], "completed", "{view}");
    view
}

fn git(place: &TestWorkspace, folder: &str, args: &[&str]) {
    let mut command = Command::new("git");
    command
        .current_dir(place.root().join(folder))
        .args(["-c", "user.name=t", "-c", "user.email=t@t"])
        .args(args);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn branches_that_git_merged_give_their_union_and_are_joined_by_the_next_record() {
    let place = TestWorkspace::from_fixture("//- repo/README.md\nx\n");
    git(&place, "repo", &["init", "-q", "-b", "main"]);
    let mut session = serve(&place, Era::Legacy, &[]);
    let here = json!({"repo_path": "repo"});
    decide(&mut session, CACHE, here.clone());
    git(&place, "repo", &["add", "."]);
    git(&place, "repo", &["commit", "-qm", "base"]);
    git(&place, "repo", &["checkout", "-qb", "side"]);
    decide(&mut session, AUTH, here.clone());
    git(&place, "repo", &["add", "."]);
    git(&place, "repo", &["commit", "-qm", "auth"]);
    git(&place, "repo", &["checkout", "-q", "main"]);
    decide(&mut session, DATABASE, here.clone());
    git(&place, "repo", &["add", "."]);
    git(&place, "repo", &["commit", "-qm", "database"]);
    git(&place, "repo", &["merge", "-q", "-X", "ours", "--no-edit", "side"]);
    let merged = session.call("read_architecture", here.clone()).ok();
    assert_eq!(merged["warning"], "branches_merged", "{merged}");
    assert!(merged["details"]["missing_keys"].to_string().contains("Authentication"), "{merged}");
    let categories = |view: &Value| {
        let categories = view["architecture"]["categories"].as_object().unwrap();
        categories.keys().cloned().collect::<Vec<_>>()
    };
    let all = categories(&merged);
    assert!(all.contains(&"Authentication".to_owned()) && all.contains(&"Database".to_owned()));
    decide(&mut session, "Add a Memcached cache", here.clone());
    let joined = session.call("read_architecture", here).ok();
    assert_eq!(joined.get("warning"), None, "{joined}");
    assert!(all.iter().all(|category| categories(&joined).contains(category)));
}

#[test]
fn a_linked_work_tree_below_a_hidden_folder_is_a_repository() {
    let place = TestWorkspace::from_fixture("//- .hidden/repo/src/auth/login.rs\nx\n");
    git(&place, ".hidden/repo", &["init", "-q", "-b", "main"]);
    git(&place, ".hidden/repo", &["add", "."]);
    git(&place, ".hidden/repo", &["commit", "-qm", "base"]);
    git(&place, ".hidden/repo", &["worktree", "add", "-q", "../tree"]);
    let mut session = serve(&place, Era::Legacy, &[]);
    decide(&mut session, AUTH, json!({"repo_path": ".hidden/tree/src"}));
    assert!(place.read(".hidden/tree/docs/CURRENT_TASK.md").contains("- `src/auth/`"));
    assert_eq!(place.names_in(".hidden/tree"), [".git", "docs", "src"]);
    assert!(!place.exists(".hidden/repo/docs"));
}

#[test]
fn an_intention_may_be_huge_and_full_of_markup() {
    let place = repository();
    let mut session = serve(&place, Era::Legacy, &[]);
    let odd = "# Add `authentication`\n\n<!-- UID: x -->\n```\n## Context\n* with OAuth and Clerk -->";
    let huge = format!("{odd}\n{}", "word ".repeat(20_000));
    for intention in [odd, huge.as_str()] {
        decide(&mut session, intention, json!({}));
        let task = place.read("docs/CURRENT_TASK.md");
        let headings: Vec<&str> = task.lines().filter(|line| line.starts_with("# ")).collect();
        assert_eq!(headings.len(), 1, "{headings:?}");
    }
    assert_eq!(place.names_in("docs/archive/task").len(), 1);
}

#[test]
fn a_repository_brings_its_own_questions() {
    let place = repository();
    place.add(concat!(
        "//- .hewto/questions.toml\n",
        "[[category]]\nname = \"Messaging\"\nkeywords = [\"broker\"]\nhome = \"src/messaging/\"\nadr = true\n",
        "[[category.question]]\nid = \"broker\"\nfield = \"Broker\"\nquestion = \"Which broker?\"\n",
        "options = [\"RabbitMQ\", \"NATS\"]\n\n[vocabulary.broker]\n\"NATS\" = [\"nats\"]\n",
    ));
    let mut session = serve(&place, Era::Legacy, &[]);
    let first = session.call("require_clarification", arguments("Add a message broker", json!({}))).ok();
    assert_eq!(first["questions"][0]["options"], json!(["RabbitMQ", "NATS", "Other (specify)"]), "{first}");
    decide(&mut session, "x", json!({"session_id": first["session_id"], "answers": {"broker": "rabbitmq"}}));
    decide(&mut session, "Use NATS as the broker", json!({}));
    let known = session.call("read_architecture", json!({})).ok();
    assert_eq!(known["architecture"]["categories"], json!({"Messaging": {"Broker": "NATS"}}));
    place.add("//- .hewto/questions.toml\n[[category]\n");
    let broken = session.call("require_clarification", arguments("Add a broker", json!({})));
    assert!(broken.is_error && broken.text.contains("PARSE_ERROR"), "{}", broken.text);
    assert!(broken.text.contains(".hewto/questions.toml"), "{}", broken.text);
}

#[test]
fn two_sessions_that_end_at_once_both_count() {
    let place = repository();
    let mut sessions: Vec<McpSession> = (0..2).map(|_| serve(&place, Era::Legacy, &[])).collect();
    let opened: Vec<Value> = sessions
        .iter_mut()
        .map(|session| session.call("require_clarification", arguments("Add authentication", json!({}))).ok())
        .collect();
    let answers = json!({"auth_strategy": "SAML", "auth_library": "Clerk"});
    let calls: Vec<i64> = sessions
        .iter_mut()
        .zip(&opened)
        .map(|(session, open)| {
            let more = json!({"session_id": open["session_id"], "answers": answers});
            session.start_call("require_clarification", arguments("x", more))
        })
        .collect();
    for (session, id) in sessions.iter_mut().zip(calls) {
        assert_eq!(session.finish_call("require_clarification", id).ok()["status"], "completed");
    }
    assert_eq!(place.names_in("docs/adr").len(), 2);
    assert_eq!(place.names_in("docs/archive/task").len(), 1);
}

#[test]
fn expiry_can_be_tried_on_the_real_binary_and_a_forced_record_beats_a_fix() {
    let place = repository();
    let mut late = serve(&place, Era::Legacy, &[("HEWTO_TEST_CLOCK_SKEW_S", "86400")]);
    let forced = json!({"preferences": {"force_adr": true}, "answers": {"auth_strategy": "SAML", "auth_library": "Clerk"}});
    let done = decide(&mut late, "Fix the typo in the login strategy", forced);
    assert_eq!(done["artifacts_created"][0]["type"], "adr", "{done}");
    let uid = done["artifacts_created"][0]["uid"].as_str().unwrap();
    let today = decide(&mut serve(&place, Era::Legacy, &[]), AUTH, json!({}));
    // Even with a clock that went back, the next UID is greater.
    assert!(today["artifacts_created"][0]["uid"].as_str().unwrap() > uid);
}
