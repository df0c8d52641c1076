//! Branches, merges, lost projections.

use hewto_core::decision::record::Adr;
use hewto_engine::PageRequest;
use hewto_engine::decision::{NewDecision, list, record, show};
use serde_json::json;

use super::support::Repo;

const AUTH: &str = "Add OAuth authentication with Clerk";
const DATABASE: &str = "Add a PostgreSQL database with Prisma";
const CACHE: &str = "Add a Redis cache";

#[test]
fn before_the_first_decision_there_is_an_empty_architecture() {
    let repo = Repo::bare();
    let view = serde_json::to_value(repo.architecture()).unwrap();
    assert_eq!(
        view,
        json!({
            "status": "success",
            "architecture": {"uid": null, "categories": {}},
            "source_file": "docs/ARCHITECTURE_STATE.md",
        })
    );
}

// @spec decisions#records-are-the-truth/the-state-file-was-deleted
#[test]
fn the_architecture_is_read_from_the_records_and_nothing_is_written() {
    let repo = Repo::bare();
    repo.decide(AUTH, &json!({}));
    for state in [None, Some("garbage"), Some("<!-- UID: 20990101T000000.000Z-0000 -->\n## Categories\n")] {
        match state {
            None => std::fs::remove_file(repo.path("docs/ARCHITECTURE_STATE.md")).unwrap(),
            Some(text) => repo.write("docs/ARCHITECTURE_STATE.md", text),
        }
        let before = repo.tree();
        let view = repo.architecture();
        assert_eq!(view.architecture.categories["Authentication"]["Library"], "Clerk");
        assert!(view.architecture.uid.unwrap().starts_with("20250108T143512.000Z-"));
        assert_eq!(repo.tree(), before);
    }
}

#[test]
fn a_deleted_state_file_loses_no_category_in_the_next_record() {
    let repo = Repo::bare();
    repo.decide(AUTH, &json!({}));
    std::fs::remove_file(repo.path("docs/ARCHITECTURE_STATE.md")).unwrap();
    repo.decide(DATABASE, &json!({}));
    let state = repo.read("docs/ARCHITECTURE_STATE.md");
    assert!(state.contains("### Authentication") && state.contains("### Database"));
    assert_eq!(repo.architecture().warning, None);
}

/// Two branches that each decide on the same ground, merged as git would merge them.
fn merged() -> Repo {
    let ours = Repo::bare();
    ours.decide(CACHE, &json!({}));
    let theirs = Repo::bare();
    for (path, text) in ours.tree() {
        theirs.write(&path, &text);
    }
    ours.wait(60);
    ours.decide(AUTH, &json!({}));
    theirs.wait(120);
    theirs.decide(DATABASE, &json!({}));
    for (path, text) in theirs.tree() {
        if path.starts_with("docs/adr/") || path.starts_with("docs/archive/") {
            ours.write(&path, &text);
        }
    }
    ours
}

#[test]
fn merged_branches_give_their_union_and_the_next_record_joins_them() {
    let repo = merged();
    let view = repo.architecture();
    assert_eq!(view.warning.as_deref(), Some("branches_merged"));
    assert_eq!(view.details.unwrap().missing_keys, ["Authentication"]);
    let categories: Vec<String> = view.architecture.categories.into_keys().collect();
    assert_eq!(categories, ["Authentication", "Database", "Infra"]);

    repo.wait(600);
    repo.decide("Add a REST api", &json!({"backend_language": "Rust"}));
    let names = repo.names("docs/adr");
    let latest = Adr::read(&repo.read(&format!("docs/adr/{}", names.last().unwrap()))).unwrap();
    assert_eq!(latest.snapshot.categories().count(), 4);
    assert_eq!(latest.merged.len(), 1);
    assert!(latest.changes.iter().any(|line| line.starts_with("Merged: Authentication.Library = Clerk")));
    let view = repo.architecture();
    assert_eq!((view.warning, view.details), (None, None));
    assert_eq!(view.architecture.categories.len(), 4);
}

#[test]
fn a_record_that_lost_a_category_stops_the_next_one() {
    let repo = Repo::bare();
    repo.decide(AUTH, &json!({}));
    repo.wait(1);
    repo.decide(DATABASE, &json!({}));
    let name = repo.names("docs/adr").pop().unwrap();
    let path = format!("docs/adr/{name}");
    let text = repo.read(&path);
    let start = text.find("### Authentication").unwrap();
    let end = text.find("### Database").unwrap();
    repo.write(&path, &(text[..start].to_owned() + &text[end..]));
    let before = repo.tree();

    let error = repo.call(&repo.request(CACHE)).unwrap_err();
    assert_eq!(
        (error.key.as_str(), error.message.as_str()),
        ("validation_failed", "ADR snapshot validation failed")
    );
    assert_eq!(error.details["missing_keys"], json!(["Authentication"]));
    assert_eq!(repo.tree(), before);
    assert_eq!(repo.architecture().warning.as_deref(), Some("snapshot_incomplete"));
}

#[test]
fn other_files_in_the_folder_of_records_are_left_alone() {
    let repo = Repo::bare();
    repo.write("docs/adr/0001-hand-written.md", "# 1\n");
    repo.write("docs/adr/README.md", "# Records\n");
    repo.decide(AUTH, &json!({}));
    assert_eq!(list(&repo.repository(), &repo.ctx, &PageRequest::default()).unwrap().decisions.len(), 1);
    assert_eq!(repo.read("docs/adr/0001-hand-written.md"), "# 1\n");
}

#[test]
fn decisions_are_listed_and_shown() {
    let repo = Repo::bare();
    repo.decide(AUTH, &json!({}));
    repo.wait(1);
    repo.decide(DATABASE, &json!({}));
    let repository = repo.repository();
    let first =
        list(&repository, &repo.ctx, &PageRequest { limit: Some(1), ..PageRequest::default() }).unwrap();
    assert_eq!((first.page.total, first.page.remaining), (2, 1));
    assert_eq!(first.decisions[0].title, "Authentication: Strategy = OAuth");
    let rest = PageRequest { cursor: first.page.next_cursor, ..PageRequest::default() };
    assert_eq!(list(&repository, &repo.ctx, &rest).unwrap().decisions[0].category, "Database");

    let uid = &first.decisions[0].uid;
    let shown = show(&repository, &repo.ctx, &uid[..18]).unwrap();
    assert_eq!((&shown.card.uid, shown.previous), (uid, None));
    assert_eq!(shown.decision[1], ("Library".to_owned(), "Clerk".to_owned()));
    for (wanted, part) in [("2025", "several"), ("1999", "no decision"), ("", "no decision")] {
        let error = show(&repository, &repo.ctx, wanted).unwrap_err();
        assert_eq!(error.key.as_str(), "decision_not_found");
        assert!(error.message.contains(part), "{}", error.message);
    }
}

#[test]
fn a_decision_can_be_written_down_without_an_interview() {
    let repo = Repo::bare();
    let new = |category: &str, field: &str, value: &str, context: &str| NewDecision {
        category: category.into(),
        fields: vec![(field.into(), value.into())],
        context: context.into(),
        supersedes: None,
    };
    let repository = repo.repository();
    let shown =
        record(&repository, &repo.ctx, &new("infra", "ci/cd", "GitHub Actions", "We need CI")).unwrap();
    assert_eq!(shown.decision, [("CI_CD".to_owned(), "GitHub Actions".to_owned())]);
    assert_eq!(repo.value("Infra", "CI_CD").as_deref(), Some("GitHub Actions"));
    assert!(!repo.path("docs/CURRENT_TASK.md").exists());
    let text = std::fs::read_to_string(repo.path(&shown.card.path)).unwrap();
    assert!(!text.contains("current task") && !text.contains("answer to questions"), "{text}");
    let before = repo.tree();
    for (bad, reason) in [
        (new("Poetry", "x", "y", "c"), "UNKNOWN_CATEGORY"),
        (new("Infra", "Hostin", "y", "c"), "UNKNOWN_FIELD"),
        (new("Infra", "Hosting", " ", "c"), "MISSING_REQUIRED_FIELD"),
        (new("Infra", "Hosting", "AWS", ""), "MISSING_REQUIRED_FIELD"),
    ] {
        let error = record(&repository, &repo.ctx, &bad).unwrap_err();
        assert_eq!(
            (error.key.as_str(), error.details["reason"].as_str()),
            ("validation_failed", Some(reason))
        );
    }
    let nothing = NewDecision {
        category: "Poetry".into(),
        fields: vec![],
        context: " ".into(),
        supersedes: Some(hewto_engine::decision::Superseded { uid: "x".into(), reason: " ".into() }),
    };
    let error = record(&repository, &repo.ctx, &nothing).unwrap_err();
    let faults = error.details["faults"].as_array().unwrap();
    let pointers: Vec<&str> = faults.iter().map(|fault| fault["pointer"].as_str().unwrap()).collect();
    assert_eq!(pointers, ["/category", "/fields", "/context", "/supersedes", "/reason"]);
    assert_eq!(repo.tree(), before);
}
