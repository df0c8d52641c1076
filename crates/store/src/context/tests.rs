use serde_json::json;

use super::*;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn a_call_stops_when_it_is_cancelled_or_late() {
    let context = Context::background();
    assert_eq!(context.check(), Ok(()));
    assert_eq!(context.clone().with_timeout(Duration::ZERO).check(), Err(Interrupted::TimedOut));
    context.cancellation().cancel();
    assert_eq!(context.check(), Err(Interrupted::Cancelled));
}

#[test]
fn past_its_commit_point_a_call_goes_on_although_it_is_late_and_unwanted() {
    let context = Context::background().with_timeout(Duration::from_mins(1));
    context.pass_commit_point().unwrap();
    context.cancellation().cancel();
    assert_eq!(context.clone().with_timeout(Duration::ZERO).check(), Ok(()));
    assert!(!context.commit_point().close());
    // Another operation of the same caller has a point of its own.
    assert_eq!(
        context.with_caller(Context::background().caller().clone()).check(),
        Err(Interrupted::Cancelled)
    );
}

#[test]
fn a_call_that_was_given_up_commits_nothing() {
    let context = Context::background();
    assert!(context.clone().commit_point().close());
    assert_eq!(context.pass_commit_point(), Err(Interrupted::TimedOut));
    assert_eq!(context.check(), Err(Interrupted::TimedOut));
}

#[test]
fn ids_are_made_of_the_clock_and_the_title() {
    let context = Context::background().with_clock(Clock::fixed(at("2025-01-24T16:00:00Z")));
    assert_eq!(context.spec_id("User Auth").as_str(), "1737734400-user-auth");
    assert_eq!(context.now_rfc3339(), "2025-01-24T16:00:00Z");
}

#[test]
fn a_call_that_was_not_read_whole_passes_no_commit_point() {
    let context = Context::background().with_misread(vec![json!({ "pointer": "/why" })]);
    assert_eq!(context.check(), Ok(()));
    assert_eq!(context.pass_commit_point(), Err(Interrupted::Cancelled));
    let more = context.with_misread(Vec::new()).with_misread(vec![json!({ "pointer": "/id" })]);
    assert_eq!(more.misread().len(), 2);
}
