//! Records, states and settings that somebody meddled with open nothing.

use std::os::unix::fs::symlink;

use hewto_core::decision::uid::Uid;
use hewto_engine::Clock;
use hewto_engine::build::{self, Approval};
use hewto_engine::change;
use hewto_engine::check::{self, Strictness};
use hewto_engine::review::{self, Anchor, Ballot, Channel, NewComment, Reviewer, Verdict};

use super::{PROPOSAL, gated, only_record, say, seen, start, with_change};
use crate::support::Fixture;

/// The specs have moved on since: the same words would undo what was approved later.
#[test]
fn an_approval_that_was_archived_with_its_change_does_not_open_the_gate_again() {
    let fixture = gated("terminal");
    let id = with_change(&fixture);
    say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap();
    let name = only_record(&fixture, "changes/mail/review");
    let (file, record) = (name.rsplit('/').next().unwrap().to_owned(), fixture.read(&name));
    let options = change::ArchiveOptions { allow_open_tasks: true, ..change::ArchiveOptions::default() };
    // Nothing is spent by a change that is still open, whatever others are called.
    fixture.write("changes/archive/2026-01-01-post/review/20260101T100000.000Z-1A2B.md", &record);
    assert_eq!(seen(&fixture, id).standing, "approved");
    std::fs::rename(fixture.path("changes/mail"), fixture.path("changes/archive/2026-01-10-mail")).unwrap();
    with_change(&fixture);
    fixture.write(&format!("changes/mail/review/{file}"), &record);
    // Under another name, too.
    fixture.write("changes/mail/review/20260124T100000.000Z-FFFF.md", &record);
    assert_eq!(start(&fixture, id).unwrap_err().key.as_str(), "approval_pending");
    assert_eq!(seen(&fixture, id).standing, "pending");
    let error = change::archive(&fixture.ws, &fixture.ctx, "mail", options).unwrap_err();
    assert_eq!(error.key.as_str(), "approval_pending");
    // Of two that were archived the later one is told.
    std::fs::rename(fixture.path("changes/mail"), fixture.path("changes/archive/2026-01-20-mail")).unwrap();
    let report = check::validate(&fixture.ws, &fixture.ctx, Strictness::Normal).unwrap();
    let told: Vec<&str> = report
        .issues
        .iter()
        .filter(|issue| issue.code == "archive-unsupported" && issue.file.ends_with("-mail"))
        .map(|issue| issue.file.as_str())
        .collect();
    assert_eq!(told, ["changes/archive/2026-01-20-mail"]);
    // A new verdict is one.
    with_change(&fixture);
    let later = fixture.ctx.clone().with_clock(Clock::fixed("2026-01-25T10:00:00Z".parse().unwrap()));
    let shown = seen(&fixture, id).digest;
    let ballot = Ballot { verdict: Verdict::Approved, shown, note: None, allows: Vec::new() };
    let by = Reviewer { name: "ana".to_owned(), channel: Channel::Terminal };
    review::decide(&fixture.ws, &later, id, &by, &ballot).unwrap();
    build::start(&fixture.ws, &later, id, Approval::Missing).unwrap();
}

#[test]
fn a_record_that_is_named_by_the_end_of_the_calendar_stops_nobody_and_is_told() {
    let fixture = gated("terminal");
    let id = with_change(&fixture);
    say(&fixture, id, Channel::Terminal, Verdict::Rejected).unwrap();
    let path = only_record(&fixture, "changes/mail/review");
    let refusal = fixture.read(&path);
    let last = "changes/mail/review/99991231T235959.999Z-FFFF.md";
    fixture.write(last, &refusal);
    let by = Reviewer { name: "ana".to_owned(), channel: Channel::Terminal };
    let new = NewComment { text: "why?".to_owned(), anchor: Anchor::default() };
    let made = review::comment(&fixture.ws, &fixture.ctx, id, &by, &new).unwrap();
    assert!(made.id.starts_with("2026"), "{}", made.id);
    assert!(say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap().recorded);
    assert_eq!(seen(&fixture, id).standing, "approved");
    // A copy of an old word under a later name is no later word: saying it again is recorded.
    let again = say(&fixture, id, Channel::Terminal, Verdict::Rejected).unwrap();
    assert!(again.recorded && again.record.starts_with("2026"), "{again:?}");
    assert_eq!(seen(&fixture, id).standing, "rejected");
    let report = check::validate(&fixture.ws, &fixture.ctx, Strictness::Normal).unwrap();
    let told = report.issues.iter().find(|issue| issue.file == last).unwrap();
    assert!(told.code == "review-doubt" && told.message.contains("more than a day ahead"), "{told:?}");
}

#[test]
fn a_version_that_somebody_made_up_is_not_counted_on() {
    let fixture = gated("terminal");
    let id = with_change(&fixture);
    say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap();
    let path = only_record(&fixture, "changes/mail/review");
    let forged = fixture.read(&path).replace("version: 1", "version: 4294967295");
    fixture.write("changes/mail/review/20260101T100000.000Z-0001.md", &forged);
    assert_eq!(seen(&fixture, id).version, 1);
    fixture.write("changes/mail/proposal.md", PROPOSAL.replace("link", "code"));
    assert_eq!(say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap().version, 2);
}

#[test]
fn records_that_were_meddled_with_open_nothing_and_are_reported_with_their_line() {
    let fixture = gated("terminal");
    let id = with_change(&fixture);
    say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap();
    let path = only_record(&fixture, "changes/mail/review");
    let good = fixture.read(&path);
    let findings = || -> Vec<(String, Option<usize>)> {
        let report = check::validate(&fixture.ws, &fixture.ctx, Strictness::Normal).unwrap();
        let about = report.issues.into_iter().filter(|issue| issue.file.contains("/review"));
        about.map(|issue| (issue.code, issue.line)).collect()
    };
    assert!(findings().is_empty(), "{:?}", findings());
    for (bad, code) in [
        (good.replace("verdict: approved", "verdict: approvd"), "review-record"),
        (good.replace("by: ana", "by: eve"), "review-doubt"),
        (good.replace("2026-01-24", "2036-01-24"), "review-doubt"),
        (good.replace("change:mail", "change:other"), "review-doubt"),
        (good.replace("channel: terminal", "channel: touch"), "review-doubt"),
        ("approved by everybody\n".to_owned(), "review-record"),
        (format!("{good}{}", "x".repeat(100_000)), "review-record"),
    ] {
        fixture.write(&path, &bad);
        assert_eq!(start(&fixture, id).unwrap_err().key.as_str(), "approval_pending", "{bad:.200}");
        assert_eq!(findings().first().map(|(code, _)| code.as_str()), Some(code), "{bad:.200}");
    }
    // A wrong hash is an approval of something else.
    let digest = seen(&fixture, id).digest;
    fixture.write(&path, good.replace(&digest, &"0".repeat(64)));
    assert_ne!(seen(&fixture, id).standing, "approved");
    // Another item's record.
    fixture.write(&path, &good);
    fixture.write("changes/other/proposal.md", PROPOSAL);
    fixture.write("changes/other/review/20260124T100000.000Z-1A2B.md", &good);
    assert_eq!(seen(&fixture, "change:other").standing, "pending");
    // What is no file, under a record's name.
    let odd = "changes/mail/review/20260124T100001.000Z-1A2B.md";
    std::fs::create_dir(fixture.path(odd)).unwrap();
    assert_eq!(findings(), [("review-record".to_owned(), None), ("review-doubt".to_owned(), Some(1))]);
    std::fs::remove_dir(fixture.path(odd)).unwrap();
    std::process::Command::new("mkfifo").arg(fixture.path(odd)).status().unwrap();
    assert!(findings().iter().any(|(code, _)| code == "review-record"));
    assert!(!seen(&fixture, id).problems.is_empty());
    std::fs::remove_file(fixture.path(odd)).unwrap();
    // A folder that is a link.
    std::fs::rename(fixture.path("changes/mail/review"), fixture.path("elsewhere")).unwrap();
    symlink("../../elsewhere", fixture.path("changes/mail/review")).unwrap();
    assert_eq!(seen(&fixture, id).standing, "pending");
    assert!(!seen(&fixture, id).problems.is_empty());
    assert_eq!(
        say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap_err().key.as_str(),
        "review_invalid"
    );
    assert!(findings().iter().any(|(code, _)| code == "review-folder"));
}

#[test]
fn another_machine_s_record_opens_nothing_here() {
    let fixture = gated("terminal");
    let id = with_change(&fixture);
    say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap();
    let path = only_record(&fixture, "changes/mail/review");
    let text = fixture.read(&path);
    let mac = text.lines().find(|line| line.starts_with("mac:")).unwrap().to_owned();
    fixture.write(&path, text.replace(&format!("{mac}\n"), ""));
    let view = seen(&fixture, id);
    assert_eq!(view.standing, "pending");
    assert!(view.verdicts[0].doubt.as_deref().unwrap().contains("nobody signed it"));
}

#[test]
fn a_state_that_no_record_supports_is_reported() {
    let fixture = Fixture::new();
    let id = fixture.building("One");
    fixture.write(".hewto/proof.toml", "[gates]\nplan = \"terminal\"\n");
    let codes = || -> Vec<String> {
        let report = check::validate(&fixture.ws, &fixture.ctx, Strictness::Normal).unwrap();
        report.issues.into_iter().map(|issue| issue.code).collect()
    };
    assert!(codes().contains(&"state-unsupported".to_owned()), "{:?}", codes());
    say(&fixture, &id, Channel::Terminal, Verdict::Approved).unwrap();
    assert!(!codes().contains(&"state-unsupported".to_owned()), "{:?}", codes());
}

#[test]
fn what_was_archived_or_activated_by_hand_is_reported() {
    let fixture = gated("terminal");
    let id = with_change(&fixture);
    let codes = || -> Vec<String> {
        let report = check::validate(&fixture.ws, &fixture.ctx, Strictness::Normal).unwrap();
        report.issues.into_iter().map(|issue| issue.code).collect()
    };
    let archive = |name: &str| {
        let to = fixture.root().join("changes/archive").join(name);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        to
    };
    let open = fixture.root().join("changes/mail");
    let put_away = archive("2026-01-01-mail");
    std::fs::rename(&open, &put_away).unwrap();
    assert!(codes().contains(&"archive-unsupported".to_owned()), "{:?}", codes());
    std::fs::rename(&put_away, &open).unwrap();
    say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap();
    std::fs::rename(&open, &put_away).unwrap();
    assert!(!codes().contains(&"archive-unsupported".to_owned()), "{:?}", codes());
    // Anybody can write a record without a seal.
    let record = only_record(&fixture, "changes/archive/2026-01-01-mail/review");
    let text = fixture.read(&record);
    let mac = text.lines().find(|line| line.starts_with("mac:")).unwrap().to_owned();
    fixture.write(&record, text.replace(&format!("{mac}\n"), ""));
    assert!(codes().contains(&"archive-unsupported".to_owned()), "{:?}", codes());
    fixture.write(&record, text);
    fixture.write(".hewto/proof.toml", "[gates]\nplan = \"terminal\"\n");
    let spec = fixture.spec("Two");
    fixture.plan(&spec, &["One"]);
    let path = format!("specs/{spec}/state.toon");
    let text = fixture.read(&path);
    for (state, code) in [("active", "state-unsupported"), ("archived", "archive-unsupported")] {
        assert!(text.contains("draft"), "{text}");
        fixture.write(&path, text.replacen("draft", state, 1));
        assert!(codes().contains(&code.to_owned()), "{state}: {:?}", codes());
    }
    say(&fixture, &spec, Channel::Terminal, Verdict::Approved).unwrap();
    assert!(!codes().iter().any(|code| code.ends_with("-unsupported")), "{:?}", codes());
}

#[test]
fn settings_that_cannot_be_understood_open_nothing() {
    let fixture = gated("termnal");
    let id = with_change(&fixture);
    let error = start(&fixture, id).unwrap_err();
    assert_eq!((error.key.as_str(), error.details["line"].as_u64()), ("settings_invalid", Some(2)));
}

#[test]
fn a_refusal_that_somebody_removes_does_not_bring_the_older_approval_back() {
    let fixture = gated("terminal");
    let id = with_change(&fixture);
    say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap();
    let refused = say(&fixture, id, Channel::Terminal, Verdict::Rejected).unwrap();
    let file = fixture.path(&format!("changes/mail/review/{}.md", refused.record));
    std::fs::remove_file(file).unwrap();
    let error = start(&fixture, id).unwrap_err();
    assert_eq!(error.key.as_str(), "approval_pending");
    assert!(error.message.contains(&refused.record), "{error}");
    say(&fixture, id, Channel::Elicited, Verdict::Approved).unwrap();
    assert!(start(&fixture, id).is_err(), "a weaker word does not undo it");
    // It is said anew, though the record of the first time is still there.
    assert!(say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap().recorded);
    start(&fixture, id).unwrap();
}

#[test]
fn an_older_approval_under_a_later_name_undoes_no_refusal() {
    let fixture = gated("terminal");
    let id = with_change(&fixture);
    let approved = say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap();
    let refused = say(&fixture, id, Channel::Terminal, Verdict::Rejected).unwrap();
    let file = |uid: &str| fixture.path(&format!("changes/mail/review/{uid}.md"));
    let refusal = Uid::parse(&refused.record).unwrap();
    let later = Uid::mint(refusal.moment(), 1, Some(&refusal)).unwrap();
    std::fs::rename(file(&approved.record), file(later.as_str())).unwrap();
    assert!(start(&fixture, id).is_err(), "beside the refusal");
    std::fs::remove_file(file(&refused.record)).unwrap();
    let error = start(&fixture, id).unwrap_err();
    assert_eq!(error.key.as_str(), "approval_pending", "{error}");
    assert!(say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap().recorded);
    start(&fixture, id).unwrap();
}

#[test]
fn many_files_do_not_hide_what_was_said_last() {
    let fixture = gated("terminal");
    let id = with_change(&fixture);
    say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap();
    for n in 0..2_100 {
        fixture.write(&format!("changes/mail/review/20260124T100000.{:03}Z-{n:04X}.md", n % 1000), "x");
    }
    assert!(start(&fixture, id).is_err());
}

#[test]
fn claims_that_cannot_be_read_are_reported_with_their_line() {
    let fixture = Fixture::new();
    let found = || {
        let report = check::validate(&fixture.ws, &fixture.ctx, Strictness::Normal).unwrap();
        let about = report.issues.into_iter().find(|issue| issue.code == "claims-unreadable");
        about.map(|issue| (issue.file, issue.line))
    };
    assert_eq!(found(), None);
    let file = ".hewto/claims.json";
    fixture.write(file, "{\n  \"version\": 1,\n  broken\n}\n");
    assert_eq!(found(), Some((file.to_owned(), Some(3))));
    std::fs::remove_file(fixture.path(file)).unwrap();
    std::process::Command::new("mkfifo").arg(fixture.path(file)).status().unwrap();
    assert_eq!(found(), Some((file.to_owned(), None)));
}
