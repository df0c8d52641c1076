//! What is written, where, and what is not.

use hewto_core::decision::record::{Adr, ArchitectureState, Task};
use hewto_engine::decision::{AdrPreference, ClarifyRequest};
use hewto_engine::view::ClarificationStatus;
use serde_json::json;

use super::support::{Repo, ids, session};

#[test]
fn a_typo_is_a_task_and_nothing_else() {
    let repo = Repo::bare();
    let view = repo.start("Fix typo in login button");
    assert_eq!(view.status, ClarificationStatus::Completed);
    let paths: Vec<String> = repo.tree().into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["docs/CURRENT_TASK.md"]);
    let artifacts = view.artifacts_created.unwrap();
    assert_eq!((artifacts.len(), artifacts[0].kind.as_str()), (1, "task"));
}

#[test]
fn authentication_is_documented_in_two_turns() {
    let repo = Repo::bare();
    let first = repo.start("Add authentication");
    assert_eq!(ids(&first), ["auth_strategy", "auth_library"]);
    assert!(repo.tree().is_empty());
    let done = repo
        .answer(&session(&first), &json!({"auth_strategy": "OAuth", "auth_library": "next-auth"}))
        .unwrap();
    assert_eq!(done.status, ClarificationStatus::Completed);
    let artifacts = done.artifacts_created.unwrap();
    let kinds: Vec<&str> = artifacts.iter().map(|artifact| artifact.kind.as_str()).collect();
    assert_eq!(kinds, ["adr", "task", "projection"]);
    let uid = artifacts[0].uid.clone().unwrap();
    assert_eq!(artifacts[0].path, format!("docs/adr/{uid}_authentication_strategy__oauth.md"));

    let adr = Adr::read(&repo.read(&artifacts[0].path)).unwrap();
    assert_eq!((adr.uid.to_string(), adr.previous.clone()), (uid.clone(), None));
    assert_eq!(adr.context[0].text, "Add authentication");
    let task = Task::read(&repo.read("docs/CURRENT_TASK.md")).unwrap();
    assert_eq!(task.related_adr.as_ref().map(ToString::to_string), Some(uid.clone()));
    assert!(task.uid > adr.uid);
    assert_eq!(task.constraints, ["Use OAuth for Strategy", "Use next-auth for Library"]);
    let state = ArchitectureState::read(&repo.read("docs/ARCHITECTURE_STATE.md")).unwrap();
    assert_eq!((state.uid.to_string(), &state.snapshot), (uid, &adr.snapshot));
    // The session is over.
    let again = repo.answer(&session(&first), &json!({})).unwrap_err();
    assert_eq!(again.key.as_str(), "session_not_found");
}

#[test]
fn nothing_but_artifacts_appears_in_a_repository_that_is_no_workspace() {
    let repo = Repo::bare();
    repo.decide("Add OAuth authentication with Clerk", &json!({}));
    assert_eq!(repo.names(""), [".git", "docs"]);
    assert_eq!(repo.names("docs"), ["ARCHITECTURE_STATE.md", "CURRENT_TASK.md", "adr"]);
    assert!(repo.path(".git/hewto/lock").exists());
}

#[test]
fn a_workspace_keeps_its_lock_where_it_always_does() {
    let repo = Repo::with(&[(".git/HEAD", ""), (".hewto/config.toml", "")]);
    repo.decide("Add OAuth authentication with Clerk", &json!({}));
    assert!(repo.path(".hewto/lock").exists() && !repo.path(".git/hewto").exists());
}

#[test]
fn the_old_task_is_archived_byte_for_byte_and_never_rewritten() {
    let repo = Repo::bare();
    repo.start("Fix typo in login button");
    let old = repo.read("docs/CURRENT_TASK.md").replace("- [ ]", "- [x]") + "\nMy notes: ümläut\n";
    repo.write("docs/CURRENT_TASK.md", &old);
    repo.start("Fix the other typo in login button");
    let archived = repo.names("docs/archive/task");
    assert_eq!(archived.len(), 1);
    assert!(archived[0].ends_with("_fix_typo_in_login_button.md"), "{archived:?}");
    assert_eq!(repo.read(&format!("docs/archive/task/{}", archived[0])), old);
    let before = repo.tree();
    repo.start("Fix a third typo in login button");
    for (path, text) in before.iter().filter(|(path, _)| path.contains("archive")) {
        assert_eq!(&repo.read(path), text);
    }
    assert_eq!(repo.names("docs/archive/task").len(), 2);
}

// @spec decisions#a-decision-is-never-rewritten/the-same-category-is-decided-again
#[test]
fn records_are_never_rewritten_and_always_increase() {
    let repo = Repo::bare();
    let mut last = String::new();
    let mut texts: Vec<(String, String)> = Vec::new();
    // The clock stands still, then runs backwards.
    for (round, library) in ["Clerk", "passport", "custom"].iter().enumerate() {
        let view = repo.decide("Add OAuth authentication", &json!({"auth_library": library}));
        let artifact = view.artifacts_created.unwrap().remove(0);
        let uid = artifact.uid.unwrap();
        assert!(uid > last, "{uid} after {last}");
        for (path, text) in &texts {
            assert_eq!(&repo.read(path), text);
        }
        texts.push((artifact.path.clone(), repo.read(&artifact.path)));
        let adr = Adr::read(&repo.read(&artifact.path)).unwrap();
        assert_eq!(adr.previous.map(|uid| uid.to_string()).unwrap_or_default(), last);
        last = uid;
        if round == 1 {
            repo.wait(-86_400);
        }
    }
    let latest = Adr::read(&texts[2].1).unwrap();
    assert!(latest.changes[0].starts_with("Modified: Authentication.Strategy = OAuth (was: OAuth (ADR "));
    let linked = latest.previous_file.unwrap();
    assert!(repo.path(&format!("docs/adr/{linked}")).exists());
}

#[test]
fn a_forced_record_is_written_even_for_a_fix() {
    let repo = Repo::bare();
    let answers = json!({"auth_strategy": "SAML", "auth_library": "Auth0"});
    let request = ClarifyRequest {
        preference: AdrPreference::Force,
        answers: answers.as_object().unwrap().clone(),
        ..repo.request("Fix typo in login button")
    };
    assert_eq!(repo.call(&request).unwrap().artifacts_created.unwrap().len(), 3);
    assert!(repo.adr().contains("Strategy: SAML"));
}

#[test]
fn the_context_is_kept_apart_from_the_intention() {
    let repo = Repo::bare();
    let request = ClarifyRequest {
        context: Some("We fix bugs\nin the database, too".to_owned()),
        ..repo.request("Add OAuth authentication with Clerk")
    };
    repo.call(&request).unwrap();
    let task = Task::read(&repo.read("docs/CURRENT_TASK.md")).unwrap();
    assert_eq!(task.title, "Add OAuth authentication with Clerk");
    assert_eq!(task.given_context.as_deref(), Some("We fix bugs\nin the database, too"));
    assert!(repo.adr().contains("> in the database, too"));
}

#[test]
fn an_intention_may_be_long_and_full_of_markup() {
    let repo = Repo::bare();
    let intention = format!(
        "# Add authentication\r\n\r\n## Allowlist\n- `/`\n```\n<!-- UID: x -->\n{}",
        "lorem ipsum ".repeat(9000)
    );
    repo.decide(&intention, &json!({"auth_strategy": "SAML", "auth_library": "Clerk"}));
    let task = Task::read(&repo.read("docs/CURRENT_TASK.md")).unwrap();
    assert_eq!(task.intention, intention.replace("\r\n", "\n").trim());
    assert_eq!(task.allowlist, [] as [&str; 0]);
    assert_eq!(task.title.chars().count(), 80);
    let adr = Adr::read(&repo.adr()).unwrap();
    assert_eq!(adr.context[0].text, task.intention);
    assert_eq!(repo.value("Authentication", "Strategy").as_deref(), Some("SAML"));
}

#[test]
fn a_large_tree_gives_the_same_allow_list_every_time() {
    let repo = Repo::bare();
    for number in 0..150 {
        repo.write(&format!("assets/{number}.txt"), "");
    }
    for path in
        ["server/auth/login.ts", "web/LoginForm.tsx", "docs/adr/authentication.md", "node_modules/auth/i.js"]
    {
        repo.write(path, "");
    }
    for _ in 0..2 {
        repo.decide("Add OAuth authentication with Clerk", &json!({}));
        let task = Task::read(&repo.read("docs/CURRENT_TASK.md")).unwrap();
        assert_eq!(task.allowlist, ["server/auth/", "web/"]);
    }
}

#[test]
fn a_repository_below_hidden_and_build_folders_is_seen_whole() {
    let repo = Repo::with(&[(".cache/build/app/.git/HEAD", ""), (".cache/build/app/lib/auth/x.rs", "")]);
    let mut request = repo.request("Add OAuth authentication with Clerk");
    request.place.named = Some(".cache/build/app/lib".to_owned());
    repo.call(&request).unwrap();
    let task = Task::read(&repo.read(".cache/build/app/docs/CURRENT_TASK.md")).unwrap();
    assert_eq!(task.allowlist, ["lib/auth/"]);
}

#[test]
fn two_sessions_that_end_at_once_both_count() {
    let repo = Repo::bare();
    let sessions: Vec<String> = (0..8).map(|_| session(&repo.start("Add authentication"))).collect();
    std::thread::scope(|scope| {
        for id in &sessions {
            let repo = &repo;
            scope.spawn(move || {
                let answers = json!({"auth_strategy": "OAuth", "auth_library": "Clerk"});
                repo.answer(id, &answers).unwrap();
            });
        }
    });
    let names = repo.names("docs/adr");
    assert_eq!(names.len(), 8);
    // One history, in which every record is built on the one before.
    let adrs: Vec<Adr> =
        names.iter().map(|name| Adr::read(&repo.read(&format!("docs/adr/{name}"))).unwrap()).collect();
    for pair in adrs.windows(2) {
        assert_eq!(pair[1].previous.as_ref(), Some(&pair[0].uid));
        assert!(pair[1].merged.is_empty());
    }
    assert_eq!(repo.names("docs/archive/task").len(), 7);
    assert_eq!(repo.architecture().warning, None);
}
