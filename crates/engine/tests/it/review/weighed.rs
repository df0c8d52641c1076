//! Which verdicts count at which gate: a no by any channel, what signed commits bring, and the gate that comes next.

use std::process::Command;
use std::time::Duration;

use hewto_engine::change::{self, ArchiveOptions};
use hewto_engine::review::{self, Channel, Patience, ReviewOptions, Verdict};
use hewto_engine::view::Waited;
use hewto_engine::{build, gate, overview, plan};

use super::{gated, say, seen, start, with_change};
use crate::support::Fixture;

fn waited(fixture: &Fixture, id: &str) -> Waited {
    review::wait(&fixture.ws, &fixture.ctx, id, Patience(Duration::ZERO)).unwrap()
}

#[test]
fn a_no_counts_by_any_channel_and_everybody_hears_of_it() {
    let fixture = gated("terminal");
    let id = with_change(&fixture);
    say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap();
    let refused = say(&fixture, id, Channel::Elicited, Verdict::ChangesRequested).unwrap();
    assert_eq!(seen(&fixture, id).standing, "changes_requested");
    assert_eq!(
        (waited(&fixture, id).decided, waited(&fixture, id).standing.as_str()),
        (true, "changes_requested")
    );
    let error = start(&fixture, id).unwrap_err();
    assert!(error.message.contains("asked for changes"), "{error}");
    // Its file is gone, and what it said is not: whoever waits does not hear of a yes that opens nothing.
    std::fs::remove_file(fixture.path(&format!("changes/mail/review/{}.md", refused.record))).unwrap();
    assert_eq!(start(&fixture, id).unwrap_err().details["standing"], "pending");
    assert_eq!((seen(&fixture, id).standing.as_str(), waited(&fixture, id).decided), ("pending", false));
    // A yes has to be strong enough.
    say(&fixture, id, Channel::Elicited, Verdict::Approved).unwrap();
    assert!(start(&fixture, id).is_err());
    say(&fixture, id, Channel::Web, Verdict::Approved).unwrap();
    start(&fixture, id).unwrap();
}

/// A key, and a commit of everything that it signs.
/// Both looked at the same moment; the lock says who was first.
#[test]
fn of_two_forms_that_are_answered_at_once_the_first_is_recorded() {
    let fixture = gated("elicited");
    let id = with_change(&fixture);
    let answer = |name: &str, verdict| {
        let shown = seen(&fixture, id).digest;
        let ballot = review::Ballot { verdict, shown, note: None, allows: Vec::new() };
        let by = review::Reviewer { name: name.to_owned(), channel: Channel::Elicited };
        review::decide_while(&fixture.ws, &fixture.ctx, id, &by, &ballot, "pending").unwrap()
    };
    let first = answer("ana", Verdict::ChangesRequested);
    let second = answer("bob", Verdict::Approved);
    assert!(first.recorded && !second.recorded);
    assert_eq!((second.by.as_str(), second.verdict.as_str()), ("ana", "changes_requested"));
    assert_eq!(second.record, first.record);
    assert_eq!(start(&fixture, id).unwrap_err().key.as_str(), "approval_pending");
}

fn key(fixture: &Fixture) -> String {
    let key = fixture.path(".git/signer").display().to_string();
    let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f", &key]).status();
    assert!(made.unwrap().success());
    key
}

fn git(fixture: &Fixture, arguments: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
    let done = Command::new("git").current_dir(fixture.root()).args(identity).args(arguments).status();
    assert!(done.unwrap().success(), "{arguments:?}");
}

/// As another machine would: nothing of what it wrote is sealed here.
fn forget_seals(fixture: &Fixture) {
    for entry in std::fs::read_dir(fixture.path("changes/mail/review")).unwrap().flatten() {
        let text = std::fs::read_to_string(entry.path()).unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("mac:")).collect();
        std::fs::write(entry.path(), format!("{}\n", lines.join("\n"))).unwrap();
    }
}

#[test]
fn a_signed_commit_brings_a_no_as_it_brings_a_yes() {
    let fixture = gated("signed");
    let id = with_change(&fixture);
    git(&fixture, &["init", "-q", "-b", "main"]);
    let key = key(&fixture);
    let public = std::fs::read_to_string(format!("{key}.pub")).unwrap();
    fixture.write(".hewto/allowed_signers", format!("ana {public}"));
    git(&fixture, &["add", "-A"]);
    git(&fixture, &["commit", "-q", "-m", "signers"]);
    let bring = || {
        forget_seals(&fixture);
        git(&fixture, &["add", "-A"]);
        let signing = format!("user.signingkey={key}");
        git(&fixture, &["-c", "gpg.format=ssh", "-c", &signing, "commit", "-q", "-S", "-m", "verdict"]);
    };
    // A process that knows git.
    let path = std::env::var_os("PATH").unwrap();
    let ws = || fixture.ws.clone().with_search_path(std::env::split_paths(&path).collect());
    let seen = || review::show(&ws(), &fixture.ctx, id, ReviewOptions::default()).unwrap();
    say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap();
    bring();
    let view = seen();
    assert_eq!((view.standing.as_str(), view.verdicts[0].channel.as_str()), ("approved", "signed"));
    say(&fixture, id, Channel::Terminal, Verdict::Rejected).unwrap();
    // This machine never heard of it otherwise.
    std::fs::remove_dir_all(fixture.path(".git/hewto")).unwrap();
    forget_seals(&fixture);
    assert_eq!(seen().standing, "approved", "no commit has brought it, and nobody signed it");
    bring();
    assert_eq!(seen().standing, "rejected");
    let error = build::start(&ws(), &fixture.ctx, id, build::Approval::Given).unwrap_err();
    assert_eq!(error.details["standing"], "rejected", "{error}");
}

#[test]
fn what_is_built_waits_for_the_gate_of_its_archive() {
    let fixture = Fixture::new();
    fixture.write(".hewto/proof.toml", "[gates]\nplan = \"elicited\"\narchive = \"terminal\"\n");
    let id = with_change(&fixture);
    say(&fixture, id, Channel::Elicited, Verdict::Approved).unwrap();
    start(&fixture, id).unwrap();
    assert!(waited(&fixture, id).decided);
    plan::complete_step(&fixture.ws, &fixture.ctx, id, 0, None).unwrap();
    plan::complete_step(&fixture.ws, &fixture.ctx, id, 1, None).unwrap();
    let completion = build::Completion { summary: "s".to_owned(), deviations: None, dropped: None };
    build::complete(&fixture.ws, &fixture.ctx, id, &completion).unwrap();
    let archive = || change::archive(&fixture.ws, &fixture.ctx, "mail", ArchiveOptions::default());
    let error = archive().unwrap_err();
    assert_eq!((error.key.as_str(), &error.details["standing"]), ("approval_pending", &"pending".into()));
    assert_eq!((waited(&fixture, id).decided, seen(&fixture, id).gate.as_str()), (false, "terminal"));
    let status = overview::status(&fixture.ws, &fixture.ctx).unwrap();
    assert!(status.reviews.iter().any(|review| review.item == id && review.waits), "{:?}", status.reviews);
    assert!(status.ready.iter().any(|one| one.item == id && one.waits_for_person), "{:?}", status.ready);
    say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap();
    let heard = waited(&fixture, id);
    assert!(heard.decided && heard.next.contains("archive"), "{heard:?}");
    archive().unwrap();
}

#[test]
fn a_change_is_no_way_round_the_gate_of_the_spec_that_it_writes() {
    let fixture = Fixture::new();
    fixture.write(
        ".hewto/proof.toml",
        "reviewers = [\"bob\"]\n[gates]\nplan = \"elicited\"\n[gates.folder.\"specs/accounts\"]\nplan = \"terminal\"\nreviewers = [\"ana\"]\n",
    );
    let id = with_change(&fixture);
    let error = start(&fixture, id).unwrap_err();
    assert_eq!(error.details["gate"], "terminal", "the spec is not there yet, and its folder is known");
    assert_eq!(error.details["reviewers"], serde_json::json!(["ana"]));
    say(&fixture, id, Channel::Elicited, Verdict::Approved).unwrap();
    assert!(start(&fixture, id).is_err());
    say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap();
    start(&fixture, id).unwrap();
    let shown = gate::show(&fixture.ws, &fixture.ctx).unwrap();
    let [scope] = &shown.scopes[..] else { panic!("{shown:?}") };
    assert_eq!((scope.scope.as_str(), scope.levels.plan.as_str()), ("folder specs/accounts", "terminal"));
    assert_eq!(scope.levels.reviewers, ["ana"]);
}
