//! Files that are in the way, broken, or not there.

use hewto_engine::decision::{Climb, Repository, RepositoryScope, Where, read_architecture};
use serde_json::json;

use super::support::{Repo, session};

const AUTH: &str = "Add OAuth authentication with Clerk";

#[test]
fn without_a_repository_there_is_nothing_to_clarify() {
    let repo = Repo::with(&[("src/x", "")]);
    let error = repo.call(&repo.request(AUTH)).unwrap_err();
    assert_eq!((error.key.as_str(), error.message.as_str()), ("repo_not_found", "No git repository found"));
    assert_eq!(error.plain_hint().as_deref(), Some("run from a git repository or provide `repo_path`"));
    for named in ["nowhere", "src/x", "/nonexistent", "\0"] {
        let mut request = repo.request(AUTH);
        request.place.named = Some(named.to_owned());
        assert_eq!(repo.call(&request).unwrap_err().key.as_str(), "repo_not_found", "{named}");
    }
}

#[test]
fn a_repository_outside_the_workspace_can_be_out_of_reach() {
    let repo = Repo::with(&[("ws/inner/.git/HEAD", ""), ("outside/.git/HEAD", "")]);
    let find = |named: &str| {
        Repository::find(&Where {
            named: Some(named.to_owned()),
            start: repo.root().join("ws"),
            climb: Climb::Up,
            reach: RepositoryScope::Inside(repo.root().join("ws")),
            ..repo.place()
        })
    };
    assert!(find("inner").is_ok());
    for named in ["../outside", "."] {
        assert_eq!(find(named).unwrap_err().key.as_str(), "repo_not_found", "{named}");
    }
    std::os::unix::fs::symlink(repo.root().join("outside"), repo.path("ws/link")).unwrap();
    assert_eq!(find("link").unwrap_err().key.as_str(), "repo_not_found");
}

#[test]
fn a_named_folder_may_have_to_be_the_repository_itself() {
    let repo = Repo::with(&[(".git/HEAD", ""), ("src/x", "")]);
    let find = |named: &str, climb| {
        Repository::find(&Where { named: Some(named.to_owned()), climb, ..repo.place() })
    };
    assert!(find("src", Climb::Up).is_ok() && find(".", Climb::Never).is_ok());
    assert_eq!(find("src", Climb::Never).unwrap_err().key.as_str(), "repo_not_found");
}

#[test]
fn a_linked_work_tree_is_a_repository_of_its_own() {
    let repo = Repo::with(&[
        ("main/.git/HEAD", ""),
        ("main/.git/objects/x", ""),
        ("main/.git/worktrees/feature/HEAD", ""),
        ("main/.git/worktrees/feature/commondir", "../.."),
        ("feature/.git", "gitdir: ../main/.git/worktrees/feature\n"),
    ]);
    let back = repo.path("feature/.git").display().to_string();
    repo.write("main/.git/worktrees/feature/gitdir", &format!("{back}\n"));
    let mut request = repo.request(AUTH);
    request.place.named = Some("feature".to_owned());
    repo.call(&request).unwrap();
    assert_eq!(repo.names("feature"), [".git", "docs"]);
    assert_eq!(repo.names("main"), [".git"]);
    assert!(repo.path("main/.git/hewto/worktrees/feature/lock").exists());
}

#[test]
fn a_broken_task_stops_everything_and_the_session_waits() {
    let repo = Repo::bare();
    repo.write("docs/CURRENT_TASK.md", "# My own task\n");
    let first = session(&repo.start("Add authentication"));
    let answers = json!({"auth_strategy": "OAuth", "auth_library": "Clerk"});
    let before = repo.tree();
    let error = repo.answer(&first, &answers).unwrap_err();
    assert_eq!((error.key.as_str(), &error.details["path"]), ("parse_error", &json!("docs/CURRENT_TASK.md")));
    assert_eq!(repo.tree(), before);
    std::fs::remove_file(repo.path("docs/CURRENT_TASK.md")).unwrap();
    repo.answer(&first, &json!({})).unwrap();
    assert_eq!(repo.value("Authentication", "Library").as_deref(), Some("Clerk"));
}

#[test]
fn a_broken_state_without_any_record_is_not_overwritten() {
    let repo = Repo::bare();
    repo.write("docs/ARCHITECTURE_STATE.md", "# Mine\n");
    for error in [
        repo.call(&repo.request(AUTH)).unwrap_err(),
        read_architecture(&repo.repository(), &repo.ctx).unwrap_err(),
    ] {
        assert_eq!(
            (error.key.as_str(), &error.details["path"]),
            ("parse_error", &json!("docs/ARCHITECTURE_STATE.md"))
        );
    }
    assert_eq!(repo.read("docs/ARCHITECTURE_STATE.md"), "# Mine\n");
    assert_eq!(repo.names("docs"), ["ARCHITECTURE_STATE.md"]);
}

#[test]
fn a_broken_record_is_named_with_its_line() {
    let repo = Repo::bare();
    repo.decide(AUTH, &json!({}));
    let path = format!("docs/adr/{}", repo.names("docs/adr")[0]);
    let text = repo.read(&path);
    for (broken, line) in [
        (text.replace("- **Library**: Clerk", "Library is Clerk"), 24),
        (text.replacen("UID: 2025", "UID: 2024", 1), 1),
        (text.replace("## Architecture Snapshot", "## Snapshot"), 1),
    ] {
        repo.write(&path, &broken);
        let error = read_architecture(&repo.repository(), &repo.ctx).unwrap_err();
        assert_eq!((error.key.as_str(), &error.details["path"]), ("parse_error", &json!(path)));
        assert_eq!(error.details["line"], line, "{error}");
        assert_eq!(repo.call(&repo.request("Add a Redis cache")).unwrap_err().key.as_str(), "parse_error");
    }
}

#[test]
fn folders_that_are_files_are_an_error_and_nothing_is_half_written() {
    for blocked in ["docs", "docs/adr", "docs/archive"] {
        let repo = Repo::bare();
        if blocked == "docs/archive" {
            repo.start("Fix typo in login button");
        }
        repo.write(blocked, "in the way");
        let before = repo.tree();
        let error = repo.call(&repo.request(AUTH)).unwrap_err();
        assert_eq!(error.key.as_str(), "filesystem_error", "{blocked}: {error}");
        assert!(error.hint.is_some());
        assert_eq!(repo.tree(), before, "{blocked}");
        std::fs::remove_file(repo.path(blocked)).unwrap();
        repo.decide(AUTH, &json!({}));
    }
}

#[test]
fn a_link_that_leads_out_of_the_repository_is_not_followed() {
    let repo = Repo::with(&[("repo/.git/HEAD", ""), ("elsewhere/x", "")]);
    std::os::unix::fs::symlink(repo.root().join("elsewhere"), repo.path("repo/docs")).unwrap();
    let mut request = repo.request(AUTH);
    request.place.named = Some("repo".to_owned());
    assert_eq!(repo.call(&request).unwrap_err().key.as_str(), "filesystem_error");
    assert_eq!(repo.names("elsewhere"), ["x"]);
}

#[test]
fn a_repository_extends_the_questions_and_a_broken_table_is_named() {
    let repo = Repo::bare();
    repo.write(
        ".hewto/questions.toml",
        "[[category]]\nname = \"Payments\"\nkeywords = [\"payment\"]\nadr = true\nhome = \"pay/\"\n\
         [[category.question]]\nid = \"psp\"\nfield = \"Provider\"\nquestion = \"Which provider?\"\noptions = [\"Stripe\"]\n",
    );
    repo.decide("Take payments", &json!({"psp": "stripe"}));
    assert_eq!(repo.value("Payments", "Provider").as_deref(), Some("Stripe"));
    repo.write(".hewto/questions.toml", "[[category]]\nname = 5\n");
    let error = repo.call(&repo.request(AUTH)).unwrap_err();
    assert_eq!((error.key.as_str(), &error.details["line"]), ("parse_error", &json!(2)));
}
