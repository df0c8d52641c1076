//! Claims: one holder, numbers that only grow, and writes that compare them.

use hewto_engine::artifact::{self, Force};
use hewto_engine::change::{self, Recording};
use hewto_engine::check::{self, Strictness};
use hewto_engine::claim::{self, ClaimRequest, Keep};
use hewto_engine::graph::ArtifactRef;
use hewto_engine::metadata::{self, PatchRequest, Persistence};
use hewto_engine::overview;
use hewto_engine::plan;
use hewto_engine::view::ClaimView;
use hewto_engine::{Caller, Context, Lifecycle, Result, build, spec};
use serde_json::json;

use crate::support::Fixture;

/// The same fixture as another session sees it, which remembers nothing.
fn session(fixture: &Fixture, name: &str) -> Context {
    let caller = Caller {
        session_id: name.to_owned(),
        principal: Some(name.to_owned()),
        ..fixture.ctx.caller().clone()
    };
    fixture.ctx.clone().with_caller(caller)
}

fn take(fixture: &Fixture, ctx: &Context, item: Option<&str>) -> Result<ClaimView> {
    let request = ClaimRequest { item: item.map(str::to_owned), ..ClaimRequest::default() };
    claim::next(&fixture.ws, ctx, &request)
}

#[test]
fn each_piece_of_work_is_given_once_and_then_there_is_nothing() {
    let fixture = Fixture::new();
    let building = fixture.building("Built");
    let planned = fixture.spec("Planned");
    fixture.plan(&planned, &["A"]);
    let wish = fixture.spec("Wish");
    let given: Vec<String> = ["a", "b", "c"]
        .iter()
        .map(|name| take(&fixture, &session(&fixture, name), None).unwrap().spec_id)
        .collect();
    assert_eq!(given, [building.clone(), planned, wish], "what is furthest along comes first");
    let error = take(&fixture, &session(&fixture, "d"), None).unwrap_err();
    assert_eq!(error.key.as_str(), "nothing_ready");
    assert_eq!(error.details["holders"].as_array().unwrap().len(), 3);
    assert_eq!(take(&fixture, &session(&fixture, "d"), Some(&building)).unwrap_err().key.as_str(), "claimed");
    let who = claim::who(&fixture.ws, &fixture.ctx).unwrap();
    assert_eq!(who.claims.len(), 3);
    assert_eq!(who.claims[0].holder.worktree, fixture.root().canonicalize().unwrap().display().to_string());
}

#[test]
fn what_has_changed_since_the_last_claim_is_ranked_anew() {
    let fixture = Fixture::new();
    let mut free = vec![fixture.spec("One"), fixture.spec("Two")];
    let given = take(&fixture, &session(&fixture, "a"), None).unwrap().spec_id;
    free.retain(|id| *id != given);
    let building = fixture.building("Built");
    assert_eq!(take(&fixture, &session(&fixture, "b"), None).unwrap().spec_id, building);
    for lifecycle in [Lifecycle::Active, Lifecycle::Blocked] {
        spec::transition(&fixture.ws, &fixture.ctx, &free[0], lifecycle, None).unwrap();
    }
    let error = take(&fixture, &session(&fixture, "c"), None).unwrap_err();
    assert_eq!(error.key.as_str(), "nothing_ready");
}

// @spec review#work-is-done-once/a-lower-number
#[test]
fn a_lower_number_is_refused_by_every_write() {
    let fixture = Fixture::new();
    let id = fixture.building("One");
    let [a, b] = ["a", "b"].map(|name| session(&fixture, name));
    let first = take(&fixture, &a, Some(&id)).unwrap();
    // The session's own claim is remembered.
    plan::complete_step(&fixture.ws, &a, &id, 0, None).unwrap();
    claim::keep(&fixture.ws, &a, first.claim, &Keep { release: true, note: Some("half".to_owned()) })
        .unwrap();
    let second = take(&fixture, &b, Some(&id)).unwrap();
    assert!(second.claim > first.claim);
    let late = a.clone().with_claim(Some(first.claim));
    let completion = build::Completion { summary: "s".to_owned(), deviations: None, dropped: None };
    let report = build::BuildReport { percentage: Some(5), ..build::BuildReport::default() };
    let changes = plan::PlanChanges { approach: Some("x".to_owned()), steps: None };
    let edit = spec::SpecChanges { title: Some("Other".to_owned()), ..spec::SpecChanges::default() };
    let ws = &fixture.ws;
    for outcome in [
        plan::complete_step(ws, &late, &id, 1, None).map(drop),
        plan::update(ws, &late, &id, &changes).map(drop),
        build::update(ws, &late, &id, &report).map(drop),
        build::complete(ws, &late, &id, &completion).map(drop),
        spec::transition(ws, &late, &id, Lifecycle::Blocked, None).map(drop),
        spec::update(ws, &late, &id, &edit).map(drop),
        check::fix(ws, &late, Strictness::Normal).map(drop),
        change::record_bases(ws, &late, None, Recording::Missing),
    ] {
        assert_eq!(outcome.unwrap_err().key.as_str(), "claim_lost");
    }
    assert_eq!(claim::keep(ws, &late, first.claim, &Keep::default()).unwrap_err().key.as_str(), "claim_lost");
    // Without a number it is a warning, unless the policy enforces.
    let done = build::complete(ws, &session(&fixture, "c"), &id, &completion).unwrap();
    assert!(done.open.iter().any(|point| point.key == "claimed"));
}

#[test]
fn where_claims_are_required_nobody_writes_without_one() {
    let fixture = Fixture::new();
    let id = fixture.building("One");
    let config = fixture.read(".hewto/config.toml");
    fixture.write(".hewto/config.toml", format!("{config}\n[leases]\nrequired = true\n"));
    let [a, b] = ["a", "b"].map(|name| session(&fixture, name));
    let tick = |ctx: &Context| {
        plan::complete_step(&fixture.ws, ctx, &id, 0, None).map_err(|error| error.key.as_str())
    };
    assert_eq!(tick(&a).unwrap_err(), "claim_required");
    let claim = take(&fixture, &a, Some(&id)).unwrap();
    tick(&a).unwrap();
    assert_eq!(tick(&b).unwrap_err(), "claimed");
    let locator = format!("spec://{id}");
    let patch = PatchRequest {
        locator: locator.clone(),
        set: [("owner".to_owned(), json!("eve"))].into_iter().collect(),
        ..PatchRequest::default()
    };
    let patched = metadata::patch(&fixture.ws, &b, &patch, Persistence::Persist);
    assert_eq!(patched.unwrap_err().key.as_str(), "claimed");
    let plan = artifact::plan_deletion(&fixture.ws, &b, &ArtifactRef::Locator(locator)).unwrap();
    let deleted = artifact::delete(&fixture.ws, &b, &plan.plan_id, Force::Yes);
    assert_eq!(deleted.unwrap_err().key.as_str(), "claimed");
    // What sweeps over everything leaves alone what is somebody else's turn.
    let state = format!("specs/{id}/state.toon");
    let before = fixture.read(&state);
    fixture.write(&state, "torn");
    check::fix(&fixture.ws, &b, Strictness::Normal).unwrap();
    assert_eq!(fixture.read(&state), "torn");
    assert!(!check::fix(&fixture.ws, &a, Strictness::Normal).unwrap().fixed.is_empty());
    fixture.write(&state, before);
    tick(&b.clone().with_claim(Some(claim.claim))).unwrap();
    assert_eq!(tick(&b.with_claim(Some(99))).unwrap_err(), "claim_lost");
}

#[test]
fn a_step_can_be_claimed_by_itself() {
    let fixture = Fixture::new();
    let id = fixture.building("One");
    let [a, b] = ["a", "b"].map(|name| session(&fixture, name));
    let step = |ctx: &Context, title: &str| {
        let request =
            ClaimRequest { item: Some(id.clone()), step: Some(title.to_owned()), lease_s: Some(30) };
        claim::next(&fixture.ws, ctx, &request)
    };
    let one = step(&a, "One").unwrap();
    assert!(one.step.is_some());
    step(&b, "Two").unwrap();
    assert_eq!(step(&b, "One").unwrap_err().key.as_str(), "claimed");
    assert_eq!(step(&b, "Nine").unwrap_err().key.as_str(), "invalid_params");
    assert_eq!(take(&fixture, &b, Some(&id)).unwrap_err().key.as_str(), "claimed");
    plan::complete_step(&fixture.ws, &a, &id, 0, None).unwrap();
    let late = b.with_claim(Some(one.claim + 1));
    plan::complete_step(&fixture.ws, &late, &id, 1, None).unwrap();
    assert_eq!(plan::complete_step(&fixture.ws, &late, &id, 0, None).unwrap_err().key.as_str(), "claim_lost");
}

#[test]
fn a_claims_file_that_cannot_be_read_is_told_with_its_line_and_never_replaced() {
    let fixture = Fixture::new();
    let id = fixture.building("One");
    fixture.write(".hewto/claims.json", "{\n  \"last\": nonsense\n}\n");
    for error in [
        take(&fixture, &fixture.ctx, None).unwrap_err(),
        plan::complete_step(&fixture.ws, &fixture.ctx, &id, 0, None).unwrap_err(),
        claim::who(&fixture.ws, &fixture.ctx).unwrap_err(),
    ] {
        assert_eq!((error.key.as_str(), error.details["line"].as_u64()), ("claims_invalid", Some(2)));
    }
    assert!(fixture.read(".hewto/claims.json").contains("nonsense"));
    let error =
        claim::next(&fixture.ws, &fixture.ctx, &ClaimRequest { lease_s: Some(5), ..ClaimRequest::default() });
    assert_eq!(error.unwrap_err().key.as_str(), "invalid_params");
}

#[test]
fn one_claim_that_cannot_be_read_stops_its_own_work_alone_and_is_told() {
    let fixture = Fixture::new();
    let (bad, good) = (fixture.building("Bad"), fixture.building("Good"));
    let [a, b] = ["a", "b"].map(|name| session(&fixture, name));
    take(&fixture, &a, Some(&bad)).unwrap();
    let held = take(&fixture, &b, Some(&good)).unwrap();
    let mut file: serde_json::Value = serde_json::from_str(&fixture.read(".hewto/claims.json")).unwrap();
    file["claims"][&bad]["until"] = json!("whenever");
    fixture.write(".hewto/claims.json", file.to_string());
    let who = claim::who(&fixture.ws, &fixture.ctx).unwrap();
    assert_eq!((who.claims.len(), who.unread), (1, vec![bad.clone()]));
    // Whose turn it is, is not known, so it is nobody's.
    for context in [a.clone(), b.clone(), a.clone().with_claim(Some(1))] {
        let refused = plan::complete_step(&fixture.ws, &context, &bad, 0, None).unwrap_err();
        assert_eq!(refused.key.as_str(), "claims_invalid");
        assert_eq!(take(&fixture, &context, Some(&bad)).unwrap_err().key.as_str(), "claims_invalid");
    }
    assert_eq!(take(&fixture, &session(&fixture, "c"), None).unwrap_err().key.as_str(), "nothing_ready");
    plan::complete_step(&fixture.ws, &b, &good, 0, None).unwrap();
    claim::keep(&fixture.ws, &b, held.claim, &Keep { release: true, note: None }).unwrap();
    let after: serde_json::Value = serde_json::from_str(&fixture.read(".hewto/claims.json")).unwrap();
    assert_eq!(after["claims"][&bad], file["claims"][&bad], "it stays as it is");
    let report = check::validate(&fixture.ws, &fixture.ctx, Strictness::Normal).unwrap();
    let told = report.issues.iter().find(|issue| issue.code == "claims-unreadable").unwrap();
    assert!(told.message.contains(&bad), "{told:?}");
}

#[test]
fn numbers_do_not_come_back_with_a_file_that_is_deleted_or_restored() {
    let fixture = Fixture::new();
    let id = fixture.building("One");
    let [a, b] = ["a", "b"].map(|name| session(&fixture, name));
    let first = take(&fixture, &a, Some(&id)).unwrap().claim;
    let old = fixture.read(".hewto/claims.json");
    for _ in 0..2 {
        fs_err::remove_file(fixture.path(".hewto/claims.json")).unwrap();
        let next = take(&fixture, &b, Some(&id)).unwrap().claim;
        assert!(next > first, "{next} after {first}");
        let late = a.clone().with_claim(Some(first));
        let refused = plan::complete_step(&fixture.ws, &late, &id, 0, None).unwrap_err();
        assert_eq!(refused.key.as_str(), "claim_lost");
    }
    fixture.write(".hewto/claims.json", &old);
    let other = fixture.spec("Two");
    assert!(take(&fixture, &b, Some(&other)).unwrap().claim > first + 1);
    fixture.write(".hewto/claims.high", "many\n");
    assert_eq!(take(&fixture, &b, None).unwrap_err().key.as_str(), "claims_invalid");
}

#[test]
fn work_that_waits_for_a_person_is_not_ready() {
    let fixture = Fixture::new();
    let id = fixture.spec("One");
    fixture.plan(&id, &["A"]);
    fixture.write(".hewto/proof.toml", "[gates]\nplan = \"terminal\"\n");
    assert_eq!(take(&fixture, &fixture.ctx, None).unwrap_err().key.as_str(), "nothing_ready");
}

#[test]
fn a_step_is_claimed_by_its_number_its_place_or_its_title() {
    let fixture = Fixture::new();
    let id = fixture.spec("Work");
    fixture.plan(&id, &["Write it", "Test it"]);
    let step = |name: &str| {
        let request =
            ClaimRequest { item: Some(id.clone()), step: Some(name.to_owned()), ..ClaimRequest::default() };
        claim::next(&fixture.ws, &session(&fixture, "a"), &request)
    };
    let by_title = step("Test it").unwrap();
    assert_eq!(step("2").unwrap().step, by_title.step);
    assert_eq!(step("test it").unwrap().claim, by_title.claim);
    let error = step("Tets it").unwrap_err();
    assert_eq!(error.details["near"], json!(["2 Test it"]));
}

#[test]
fn a_claim_ends_with_the_work_that_is_put_away() {
    let fixture = Fixture::new();
    let change = |id: &str| {
        let new = change::NewChange {
            change_id: id.to_owned(),
            why: "Because.".to_owned(),
            what_changes: "All.".to_owned(),
            tasks: vec!["Do it".to_owned()],
            ..change::NewChange::default()
        };
        change::create(&fixture.ws, &fixture.ctx, &new).unwrap();
        take(&fixture, &session(&fixture, "a"), Some(id)).unwrap();
    };
    change("withdrawn");
    let held = || claim::who(&fixture.ws, &fixture.ctx).unwrap().claims.len();
    assert_eq!(held(), 1);
    change::withdraw(&fixture.ws, &session(&fixture, "b"), "withdrawn", "not wanted").unwrap();
    assert_eq!(held(), 0, "there is nothing left to work on");
    let id = fixture.spec("Done");
    for state in [Lifecycle::Active, Lifecycle::Cancelled] {
        spec::transition(&fixture.ws, &fixture.ctx, &id, state, None).unwrap();
    }
    take(&fixture, &session(&fixture, "a"), Some(&id)).unwrap();
    spec::transition(&fixture.ws, &fixture.ctx, &id, Lifecycle::Archived, None).unwrap();
    assert_eq!(held(), 0);
}

#[test]
fn a_plan_that_somebody_wrote_by_hand_is_work_like_any_other() {
    let fixture = Fixture::new();
    fixture.write("specs/hand/spec.md", "# By hand\n\nSome words.\n");
    fixture.write("specs/other-tool/spec.md", "# Feature\n\nSome words.\n");
    fixture.write("specs/other-tool/plan.md", "# Implementation Plan\n\n## Summary\n\nNo step of ours.\n");
    let ready = || overview::status(&fixture.ws, &fixture.ctx).unwrap().ready;
    assert!(ready().is_empty());
    assert_eq!(take(&fixture, &fixture.ctx, None).unwrap_err().key.as_str(), "nothing_ready");
    fixture.write(
        "specs/hand/plan.md",
        "# Plan\n\n## Approach\n\nDo it.\n\n## Steps\n\n### Step 1: First\n\nDo.\n",
    );
    assert_eq!(ready().iter().map(|one| one.item.as_str()).collect::<Vec<_>>(), ["hand"]);
    assert_eq!(take(&fixture, &fixture.ctx, None).unwrap().spec_id, "hand");
}
