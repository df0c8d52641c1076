//! Verdicts and comments: bound to what was shown, told apart from what only looks like one.

mod archived;
mod bases;
mod coverage;
mod gates;
mod meddling;
mod model;
mod repositories;
mod weighed;

use std::time::Duration;

use hewto_engine::build::{self, Approval};
use hewto_engine::change::{self, ArchiveOptions};
use hewto_engine::plan::{self, PlanChanges};
use hewto_engine::review::{
    self, Anchor, Ballot, Channel, NewComment, Patience, Permission, ReviewOptions, Reviewer, Verdict,
};
use hewto_engine::view::{CommentState, Decided, ReviewView};
use hewto_engine::{Clock, Context, DependencyKind, Lifecycle, Result, spec};

use crate::support::{Fixture, steps};

const PROPOSAL: &str = "# Change: Mail\n\n## Why\n\nBecause people have been asking for this every week.\n\n## What Changes\n\n- a link\n";
const DELTA: &str = "## ADDED Requirements\n\n### Requirement: Sign in\n\nIt SHALL send a link.\n\n#### Scenario: Fresh\n\n- **WHEN** asked\n- **THEN** sent\n";

fn gated(level: &str) -> Fixture {
    let fixture = Fixture::new();
    fixture.write(".hewto/proof.toml", format!("[gates]\nplan = \"{level}\"\n"));
    fixture
}

fn with_change(fixture: &Fixture) -> &'static str {
    fixture.write("changes/mail/proposal.md", PROPOSAL);
    fixture.write("changes/mail/tasks.md", "Use a link.\n\n## 1. All\n- [ ] 1.1 Table\n- [ ] 1.2 Mail\n");
    fixture.write("changes/mail/specs/accounts/spec.md", DELTA);
    "change:mail"
}

fn seen(fixture: &Fixture, id: &str) -> ReviewView {
    review::show(&fixture.ws, &fixture.ctx, id, ReviewOptions::default()).unwrap()
}

fn say(fixture: &Fixture, id: &str, channel: Channel, verdict: Verdict) -> Result<Decided> {
    let ballot = Ballot {
        verdict,
        shown: seen(fixture, id).digest,
        note: Some("seen".to_owned()),
        allows: Vec::new(),
    };
    review::decide(&fixture.ws, &fixture.ctx, id, &Reviewer { name: "ana".to_owned(), channel }, &ballot)
}

fn start(fixture: &Fixture, id: &str) -> Result<hewto_engine::view::BuildStarted> {
    build::start(&fixture.ws, &fixture.ctx, id, Approval::Given)
}

fn only_record(fixture: &Fixture, folder: &str) -> String {
    let names: Vec<_> = std::fs::read_dir(fixture.path(folder)).unwrap().flatten().collect();
    assert_eq!(names.len(), 1);
    format!("{folder}/{}", names[0].file_name().to_string_lossy())
}

#[test]
fn a_build_waits_for_a_person_and_one_changed_word_makes_it_wait_again() {
    let fixture = gated("terminal");
    let id = with_change(&fixture);
    let error = start(&fixture, id).unwrap_err();
    assert_eq!(error.key.as_str(), "approval_pending");
    assert_eq!(error.details["version"], 1);
    assert!(error.plain_hint().unwrap().contains("hewto approve change:mail"), "{:?}", error.hint);
    let decided = say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap();
    assert_eq!((decided.version, decided.recorded), (1, true));
    // The argument is not needed any more.
    build::start(&fixture.ws, &fixture.ctx, id, Approval::Missing).unwrap();
    // A tick changes nothing, a word does.
    plan::complete_step(&fixture.ws, &fixture.ctx, id, 0, Some("done")).unwrap();
    assert_eq!(seen(&fixture, id).standing, "approved");
    fixture.write("changes/mail/specs/accounts/spec.md", DELTA.replace("sent", "kept"));
    let view = seen(&fixture, id);
    assert_eq!((view.standing.as_str(), view.version, view.since_version), ("stale", 2, Some(1)));
    let lines: Vec<&str> = view.differences.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(lines, ["accounts, Requirement Sign in (ADDED), Scenario Fresh: changed"]);
    plan::complete_step(&fixture.ws, &fixture.ctx, id, 1, None).unwrap();
    let completion = build::Completion { summary: "s".to_owned(), deviations: None, dropped: None };
    let error = build::complete(&fixture.ws, &fixture.ctx, id, &completion).unwrap_err();
    assert_eq!(error.key.as_str(), "approval_stale");
    say(&fixture, id, Channel::Web, Verdict::Approved).unwrap();
    build::complete(&fixture.ws, &fixture.ctx, id, &completion).unwrap();
    // The records go with the change.
    change::archive(&fixture.ws, &fixture.ctx, "mail", ArchiveOptions::default()).unwrap();
    let archived = std::fs::read_dir(fixture.path("changes/archive/2026-01-24-mail/review")).unwrap();
    assert_eq!(archived.count(), 2);
}

// @spec review#an-approval-is-bound-to-what-was-shown/every-door
#[test]
fn no_door_leads_past_the_gate() {
    let fixture = gated("terminal");
    let id = fixture.spec("One");
    let go = |id: &str, to| {
        spec::transition(&fixture.ws, &fixture.ctx, id, to, None).map_err(|error| error.key.as_str())
    };
    let error = spec::transition(&fixture.ws, &fixture.ctx, &id, Lifecycle::Active, None).unwrap_err();
    assert_eq!(error.key.as_str(), "approval_pending");
    let keys: Vec<&str> =
        error.details["open"].as_array().unwrap().iter().map(|one| one["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["approval_pending", "plan_not_found"]);
    fixture.plan(&id, &["A", "B"]);
    say(&fixture, &id, Channel::Terminal, Verdict::Approved).unwrap();
    start(&fixture, &id).unwrap();
    assert_eq!(go(&id, Lifecycle::Done).unwrap_err(), "steps_open");
    let done = |dropped: &[(&str, &str)]| {
        let dropped = dropped.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let completion =
            build::Completion { summary: "s".to_owned(), deviations: None, dropped: Some(dropped) };
        build::complete(&fixture.ws, &fixture.ctx, &id, &completion)
    };
    assert_eq!(done(&[("A", "not needed")]).unwrap_err().key.as_str(), "steps_open");
    assert_eq!(done(&[("A", "not needed"), ("Z", "x")]).unwrap_err().key.as_str(), "invalid_params");
    assert_eq!(done(&[("A", "not needed"), ("2", " ")]).unwrap_err().key.as_str(), "validation_failed");
    // A step is named here as it is for a tick: people count from 1.
    let beyond = done(&[("A", "not needed"), ("3", "later")]).unwrap_err();
    assert_eq!(
        (beyond.key.as_str(), beyond.message.as_str()),
        ("invalid_params", "there is no step 3: the plan has 2")
    );
    assert_eq!(done(&[("A", "not needed"), ("2", "later")]).unwrap().open_steps, 0);
    assert!(fixture.read(&format!("specs/{id}/state.toon")).contains("not needed"));
    go(&id, Lifecycle::Archived).unwrap();
}

#[test]
fn a_plan_that_changes_during_its_build_loses_its_approval_and_says_so() {
    let fixture = gated("elicited");
    let id = fixture.spec("One");
    fixture.plan(&id, &["A"]);
    say(&fixture, &id, Channel::Elicited, Verdict::Approved).unwrap();
    start(&fixture, &id).unwrap();
    let changes = PlanChanges { approach: Some("Another way".to_owned()), steps: Some(steps(&["Evil"])) };
    let updated = plan::update(&fixture.ws, &fixture.ctx, &id, &changes).unwrap();
    assert!(updated.approval.unwrap().contains("no longer counts"));
    assert_eq!(seen(&fixture, &id).standing, "stale");
}

#[test]
fn a_dependency_is_met_by_work_and_not_by_a_move() {
    let fixture = Fixture::new();
    let ids = ["Moved", "Archived", "Built"].map(|title| fixture.spec(title));
    let go = |id: &str, to| spec::transition(&fixture.ws, &fixture.ctx, id, to, None).unwrap();
    // Without a gate the seed's flow succeeds, and the reply lists what is open.
    let moved = go(&ids[0], Lifecycle::Active);
    let keys: Vec<&str> = moved.open.iter().map(|point| point.key.as_str()).collect();
    assert_eq!(keys, ["approval_pending", "plan_not_found"]);
    assert_eq!(go(&ids[0], Lifecycle::Done).open[0].key.as_str(), "not_built");
    for to in [Lifecycle::Active, Lifecycle::Done, Lifecycle::Archived] {
        go(&ids[1], to);
    }
    fixture.plan(&ids[2], &["A"]);
    start(&fixture, &ids[2]).unwrap();
    let completion = build::Completion { summary: "s".to_owned(), deviations: None, dropped: None };
    build::complete(&fixture.ws, &fixture.ctx, &ids[2], &completion).unwrap();
    let needs: Vec<(&str, DependencyKind)> =
        ids.iter().map(|id| (id.as_str(), DependencyKind::Hard)).collect();
    let id = fixture.spec_with("Needs", &needs);
    fixture.plan(&id, &["A"]);
    fixture.write(".hewto/proof.toml", "[gates]\nplan = \"terminal\"\n");
    say(&fixture, &id, Channel::Terminal, Verdict::Approved).unwrap();
    let error = start(&fixture, &id).unwrap_err();
    assert_eq!(error.key.as_str(), "dependency_not_satisfied");
    // The last one was built, and approved by nobody.
    assert_eq!(error.details["blocking"].as_array().unwrap().len(), 3);
    assert!(error.message.contains("archived without a build"), "{error}");
    fixture.write(".hewto/proof.toml", "policy = \"enforce\"\n");
    let error = start(&fixture, &id).unwrap_err();
    assert_eq!(error.details["blocking"].as_array().unwrap().len(), 2);
}

#[test]
fn open_tasks_are_archived_only_if_a_person_allows_it() {
    let fixture = gated("terminal");
    let id = with_change(&fixture);
    let options = ArchiveOptions { allow_open_tasks: true, ..ArchiveOptions::default() };
    let archive =
        || change::archive(&fixture.ws, &fixture.ctx, "mail", options).map_err(|error| error.key.as_str());
    assert_eq!(archive().unwrap_err(), "approval_pending");
    say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap();
    assert_eq!(archive().unwrap_err(), "tasks_open");
    let ballot = Ballot {
        verdict: Verdict::Approved,
        shown: seen(&fixture, id).digest,
        note: None,
        allows: vec![Permission::OpenTasks],
    };
    let by = Reviewer { name: "ana".to_owned(), channel: Channel::Terminal };
    review::decide(&fixture.ws, &fixture.ctx, id, &by, &ballot).unwrap();
    archive().unwrap();
}

/// What a change was written against decides what a merge takes of it, and is no part of what was approved.
#[test]
fn a_verdict_counts_for_what_was_shown_and_for_who_may_give_it() {
    let fixture = gated("terminal");
    let id = with_change(&fixture);
    let by = |name: &str, channel| Reviewer { name: name.to_owned(), channel };
    let ballot = |shown: &str| Ballot {
        verdict: Verdict::Approved,
        shown: shown.to_owned(),
        note: None,
        allows: Vec::new(),
    };
    let decide = |by: &Reviewer, ballot: &Ballot| {
        review::decide(&fixture.ws, &fixture.ctx, id, by, ballot).map_err(|error| error.key.as_str())
    };
    let now = seen(&fixture, id).digest;
    assert_eq!(
        decide(&by("ana", Channel::Terminal), &ballot(&"0".repeat(64))).unwrap_err(),
        "approval_stale"
    );
    assert_eq!(decide(&by("ana", Channel::Terminal), &ballot("a1f9")).unwrap_err(), "invalid_params");
    assert_eq!(decide(&by("ana", Channel::Asserted), &ballot(&now)).unwrap_err(), "approval_pending");
    assert_eq!(decide(&by("a\nb", Channel::Terminal), &ballot(&now)).unwrap_err(), "invalid_params");
    assert_eq!(decide(&by("ana", Channel::Signed), &ballot(&now)).unwrap_err(), "signature_invalid");
    fixture.write(".hewto/proof.toml", "reviewers = [\"bob\"]\n[gates]\nplan = \"terminal\"\n");
    assert_eq!(decide(&by("ana", Channel::Terminal), &ballot(&now)).unwrap_err(), "not_a_reviewer");
    assert!(decide(&by("bob", Channel::Terminal), &ballot(&now)).unwrap().recorded);
    // Saying it twice writes nothing.
    assert!(!decide(&by("bob", Channel::Terminal), &ballot(&now)).unwrap().recorded);
    // A weaker channel than the gate's opens nothing.
    fixture.write(".hewto/proof.toml", "[gates]\nplan = \"signed\"\n");
    assert_eq!(start(&fixture, id).unwrap_err().key.as_str(), "approval_pending");
}

#[test]
fn comments_stay_with_what_they_are_about() {
    let fixture = gated("terminal");
    let id = with_change(&fixture);
    let by = Reviewer { name: "ana".to_owned(), channel: Channel::Web };
    let add = |text: &str, anchor: Anchor| {
        review::comment(&fixture.ws, &fixture.ctx, id, &by, &NewComment { text: text.to_owned(), anchor })
    };
    let at = |requirement: &str, quote: Option<&str>| Anchor {
        requirement: Some(requirement.to_owned()),
        quote: quote.map(str::to_owned),
        ..Anchor::default()
    };
    add("which mail?", at("Sign in", Some("THEN** sent"))).unwrap();
    let on_step = Anchor { step: Some("Mail".to_owned()), ..Anchor::default() };
    let second = add("who sends it?", on_step).unwrap();
    assert_eq!(add("?", at("No such", None)).unwrap_err().key.as_str(), "anchor_not_found");
    assert_eq!(add(&"x".repeat(1_000_000), Anchor::default()).unwrap_err().key.as_str(), "validation_failed");
    // Comments open nothing.
    assert_eq!(start(&fixture, id).unwrap_err().details["open_comments"], 2);
    fixture.write("changes/mail/specs/accounts/spec.md", DELTA.replace("Sign in", "Enter"));
    let states = |fixture: &Fixture| -> Vec<(CommentState, bool)> {
        let view = review::comments(&fixture.ws, &fixture.ctx, id).unwrap();
        view.comments.into_iter().map(|comment| (comment.state, comment.moved)).collect()
    };
    assert_eq!(states(&fixture), [(CommentState::Open, true), (CommentState::Open, false)]);
    fixture.write("changes/mail/specs/accounts/spec.md", DELTA.replace("sent", "kept"));
    assert_eq!(states(&fixture)[0], (CommentState::Outdated, false));
    let view = review::comments(&fixture.ws, &fixture.ctx, id).unwrap();
    assert_eq!(view.comments[0].quote.as_deref(), Some("THEN** sent"), "its old text is still shown");
    let bob = Reviewer { name: "bob".to_owned(), channel: Channel::Asserted };
    let reply = |comment: &str, text: &str| {
        review::reply(&fixture.ws, &fixture.ctx, id, &bob, comment, text).map(|made| made.id)
    };
    let answer = reply(&second.id, "the queue does").unwrap();
    assert_eq!(reply(&answer, "no thread in a thread").unwrap_err().key.as_str(), "comment_not_found");
    assert_eq!(reply(&second.id, "  ").unwrap_err().key.as_str(), "validation_failed");
    let told = review::comments(&fixture.ws, &fixture.ctx, id).unwrap().comments.pop().unwrap();
    assert_eq!((told.state.as_str(), told.replies[0].text.as_str()), ("open", "the queue does"));
    review::resolve(&fixture.ws, &fixture.ctx, id, &by, &second.id, Some("the queue")).unwrap();
    let settled = review::comments(&fixture.ws, &fixture.ctx, id).unwrap().comments.pop().unwrap();
    assert_eq!((settled.state.as_str(), settled.resolved_by.as_deref()), ("resolved", Some("ana")));
    let error = review::resolve(&fixture.ws, &fixture.ctx, id, &by, "20260124T100000.000Z-FFFF", None);
    assert_eq!(error.unwrap_err().key.as_str(), "comment_not_found");
}

#[test]
fn a_comment_names_a_step_by_its_number_its_place_or_its_title() {
    let fixture = gated("terminal");
    let id = with_change(&fixture);
    let by = Reviewer { name: "ana".to_owned(), channel: Channel::Web };
    for name in ["1.2", "2", "Mail"] {
        let anchor = Anchor { step: Some(name.to_owned()), ..Anchor::default() };
        let new = NewComment { text: format!("by {name}"), anchor };
        review::comment(&fixture.ws, &fixture.ctx, id, &by, &new).unwrap();
    }
    let comments = review::comments(&fixture.ws, &fixture.ctx, id).unwrap().comments;
    let places: Vec<_> = comments.iter().map(|comment| comment.place.as_deref()).collect();
    assert_eq!(places, [Some("Step Mail"); 3]);
}

#[test]
fn whoever_waits_hears_the_verdict_with_its_note_and_the_comments() {
    let fixture = gated("terminal");
    let id = with_change(&fixture);
    let wait = || review::wait(&fixture.ws, &fixture.ctx, id, Patience(Duration::ZERO)).unwrap();
    assert!(!wait().decided && wait().next.contains("wait for the verdict on"));
    let by = Reviewer { name: "bob".to_owned(), channel: Channel::Web };
    let new = NewComment { text: "too short".to_owned(), anchor: Anchor::default() };
    review::comment(&fixture.ws, &fixture.ctx, id, &by, &new).unwrap();
    say(&fixture, id, Channel::Terminal, Verdict::ChangesRequested).unwrap();
    let waited = wait();
    assert_eq!((waited.decided, waited.standing.as_str()), (true, "changes_requested"));
    assert_eq!((waited.by.as_deref(), waited.note.as_deref()), (Some("ana"), Some("seen")));
    assert_eq!(waited.comments.len(), 1);
    // Order shows even within one second of a clock that stands still.
    say(&fixture, id, Channel::Terminal, Verdict::Approved).unwrap();
    assert_eq!(wait().standing, "approved");
    // A verdict is the reason to wake up, wherever it is given.
    fixture.write("changes/mail/proposal.md", PROPOSAL.replace("link", "code"));
    let (ws, ctx) = (fixture.ws.clone(), Context::background().with_clock(Clock::fixed(fixture.ctx.now())));
    let waiting =
        std::thread::spawn(move || review::wait(&ws, &ctx, id, Patience(Duration::from_secs(20))).unwrap());
    say(&fixture, id, Channel::Web, Verdict::Rejected).unwrap();
    assert_eq!(waiting.join().unwrap().standing, "rejected");
}
