//! What was archived by hand, in a repository: what git says for it, and what that is worth.

use std::process::Command;

use hewto_engine::build::{self, Approval};
use hewto_engine::change;
use hewto_engine::check::{self, Strictness};
use hewto_engine::claim::{self, ClaimRequest};
use hewto_engine::overview;
use hewto_engine::review::{Channel, Verdict};
use hewto_engine::{Start, Workspace};

use super::{gated, only_record, say, with_change};
use crate::support::Fixture;

const ARCHIVED: &str = "changes/archive/2026-01-01-mail";

fn git(fixture: &Fixture, arguments: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
    let status =
        Command::new("git").current_dir(fixture.root()).args(identity).args(arguments).status().unwrap();
    assert!(status.success(), "{arguments:?}");
}

fn commit(fixture: &Fixture) {
    git(fixture, &["add", "-A"]);
    git(fixture, &["commit", "-q", "-m", "x"]);
}

/// A repository with a gate, and a change that waits for a person.
fn repository() -> Fixture {
    let fixture = gated("terminal");
    git(&fixture, &["init", "-q", "-b", "main"]);
    with_change(&fixture);
    commit(&fixture);
    fixture
}

fn put_away(fixture: &Fixture) {
    std::fs::create_dir_all(fixture.root().join("changes/archive")).unwrap();
    std::fs::rename(fixture.root().join("changes/mail"), fixture.root().join(ARCHIVED)).unwrap();
}

/// What `validate` says of archives, in a process that knows git.
fn told(fixture: &Fixture) -> Vec<String> {
    let path = std::env::var_os("PATH").unwrap();
    let ws = Workspace::discover(Start::Here(fixture.root())).unwrap();
    let ws = ws.with_search_path(std::env::split_paths(&path).collect());
    let report = check::validate(&ws, &fixture.ctx, Strictness::Normal).unwrap();
    report.issues.into_iter().map(|issue| issue.code).filter(|code| code.starts_with("archive-")).collect()
}

#[test]
fn a_record_that_no_commit_has_brought_is_nobodys_word() {
    let fixture = repository();
    say(&fixture, "change:mail", Channel::Terminal, Verdict::Approved).unwrap();
    put_away(&fixture);
    assert!(told(&fixture).is_empty(), "{:?}", told(&fixture));
    let record = only_record(&fixture, &format!("{ARCHIVED}/review"));
    let text = fixture.read(&record);
    let mac = text.lines().find(|line| line.starts_with("mac:")).unwrap().to_owned();
    fixture.write(&record, text.replace(&format!("{mac}\n"), ""));
    assert_eq!(told(&fixture), ["archive-unsupported"], "written by hand, as far as anybody knows");
    git(&fixture, &["checkout", "-q", "-b", "topic"]);
    commit(&fixture);
    assert_eq!(told(&fixture), ["archive-foreign"], "what a colleague may have brought is told");
}

#[test]
fn a_branch_that_is_only_here_does_not_hide_what_was_archived_past_the_gate() {
    let fixture = repository();
    put_away(&fixture);
    assert_eq!(told(&fixture), ["archive-unsupported"]);
    commit(&fixture);
    assert_eq!(told(&fixture), ["archive-unrecorded"], "whoever commits moves the branch");
    git(&fixture, &["update-ref", "refs/remotes/origin/main", "HEAD"]);
    assert!(told(&fixture).is_empty(), "others have let it in: {:?}", told(&fixture));
}

#[test]
fn neither_an_unreadable_file_nor_a_gate_that_is_edited_away_hides_an_archive() {
    let fixture = repository();
    put_away(&fixture);
    let delta = fixture.root().join(ARCHIVED).join("specs/other");
    std::fs::create_dir_all(&delta).unwrap();
    std::fs::write(delta.join("spec.md"), b"\xff\xfe").unwrap();
    assert_eq!(told(&fixture), ["archive-unsupported"], "what cannot be read was not approved");
    fixture.write(".hewto/proof.toml", "");
    assert_eq!(told(&fixture), ["archive-unsupported"], "the branch still has the gate");
}

#[test]
fn a_change_that_was_withdrawn_needs_nobodys_word() {
    let fixture = repository();
    change::withdraw(&fixture.ws, &fixture.ctx, "mail", "not wanted").unwrap();
    assert!(told(&fixture).is_empty(), "{:?}", told(&fixture));
}

/// A clone whose file says less than the default branch does.
#[test]
fn work_that_waits_by_the_gates_of_the_default_branch_is_neither_ready_nor_given_out() {
    let fixture = repository();
    fixture.write(".hewto/proof.toml", "[gates]\nplan = \"none\"\n");
    let path = std::env::var_os("PATH").unwrap();
    let ws = Workspace::discover(Start::Here(fixture.root())).unwrap();
    let ws = ws.with_search_path(std::env::split_paths(&path).collect());
    let status = overview::status(&ws, &fixture.ctx).unwrap();
    assert!(status.ready.iter().all(|one| one.waits_for_person), "{:?}", status.ready);
    assert_eq!(status.notice, None);
    assert!(status.reviews.iter().any(|review| review.item == "change:mail" && review.waits));
    let error = claim::next(&ws, &fixture.ctx, &ClaimRequest::default()).unwrap_err();
    assert_eq!(error.key.as_str(), "nothing_ready");
}

/// `git replace` shows another commit in the place of the one that the branch names.
#[test]
fn nothing_stands_in_for_the_commit_that_the_default_branch_names() {
    let fixture = repository();
    let id = |revision: &str| {
        let output = Command::new("git").args(["rev-parse", revision]).current_dir(fixture.root()).output();
        String::from_utf8(output.unwrap().stdout).unwrap().trim().to_owned()
    };
    let gated = id("HEAD");
    fixture.write(".hewto/proof.toml", "");
    commit(&fixture);
    let open = id("HEAD");
    git(&fixture, &["reset", "-q", "--soft", &gated]);
    git(&fixture, &["replace", &gated, &open]);
    let path = std::env::var_os("PATH").unwrap();
    let ws = Workspace::discover(Start::Here(fixture.root())).unwrap();
    let ws = ws.with_search_path(std::env::split_paths(&path).collect());
    let error = build::start(&ws, &fixture.ctx, "change:mail", Approval::Given).unwrap_err();
    assert_eq!(error.key.as_str(), "approval_pending");
}
