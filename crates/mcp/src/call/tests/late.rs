//! Calls that take long, are cancelled or overstay.

use serde_json::json;

use super::super::*;
use super::{COUNTING, LONG, QUIET, Running, SOON, STUBBORN};

#[test]
fn work_that_looks_at_its_deadline_ends_in_time() {
    let mut running = Running::with_timeout(Duration::from_millis(200));
    running.call(1, "obeys");
    assert_eq!(running.failure(1)["error"], "timeout");
    assert_eq!(running.close(), ["timed_out"]);
}

#[test]
fn work_that_overstays_is_answered_for_told_to_stop_and_does_not_block_others() {
    let (release, hear) = STUBBORN.arm();
    let mut running = Running::with_timeout(SOON);
    running.call(1, "stays");
    let error = running.failure(1);
    assert_eq!(error["error"], "timeout");
    assert!(error["hint"].as_str().unwrap().contains("look at the current state"), "{error}");
    running.call(2, "works");
    assert_eq!(running.receive()["id"], 2);
    release.send(()).unwrap();
    assert!(hear.recv().unwrap(), "it was told to stop");
    assert_eq!(running.close(), ["timed_out", "succeeded"]);
}

#[test]
fn a_cancelled_call_stops_and_gets_no_reply() {
    let mut running = Running::with_timeout(LONG);
    running.call(1, "obeys");
    running.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }),
    );
    running.call(2, "works");
    assert_eq!(running.receive()["id"], 2);
    // The call that was cancelled may end after the one that was not.
    let mut ends = running.close();
    ends.sort();
    assert_eq!(ends, ["cancelled", "succeeded"]);
}

#[test]
fn long_work_reports_progress_to_those_who_asked_and_stops_with_the_reply() {
    let mut running = Running::with_timeout(LONG);
    let (release, _hear) = COUNTING.arm();
    let meta = json!({ "progressToken": "t" });
    running.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "reports", "_meta": meta } }));
    let mut last = 0.0;
    let mut reports = 0;
    let reply = loop {
        let message = running.receive();
        if message.get("id").is_some() {
            break message;
        }
        let note = &message["params"];
        assert_eq!(
            (&message["method"], &note["progressToken"]),
            (&json!("notifications/progress"), &json!("t"))
        );
        assert_eq!(note["message"], "counting");
        let progress = note["progress"].as_f64().unwrap();
        assert!(progress > last, "{progress} after {last}");
        last = progress;
        reports += 1;
        if reports == 3 {
            release.send(()).unwrap();
        }
    };
    assert!(reports >= 3);
    assert_eq!(reply["result"]["structuredContent"], json!({ "fine": true }));

    let (release, _hear) = COUNTING.arm();
    running.call(2, "reports");
    running.call(3, "works");
    assert_eq!(running.receive()["id"], 3);
    release.send(()).unwrap();
    assert_eq!(running.receive()["id"], 2, "nobody asked for progress");
}

#[test]
fn a_silence_is_told_once_to_those_who_asked_for_messages() {
    let mut running = Running::with_timeout(LONG);
    running.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "logging/setLevel",
        "params": { "level": "warning" } }));
    assert_eq!(running.receive()["id"], 1);
    let (release, _hear) = QUIET.arm();
    running.call(2, "broods");
    let warning = running.receive();
    assert_eq!(warning["method"], "notifications/message");
    assert_eq!(warning["params"]["level"], "warning");
    assert_eq!(warning["params"]["data"]["operation"], "broods");
    // Calls that wait for each other: many more heartbeats are missed meanwhile. A slow one may be warned of itself.
    for id in 3..40 {
        running.call(id, "works");
        let reply = loop {
            let message = running.receive();
            if message.get("id").is_some() {
                break message;
            }
            assert_eq!(message["params"]["data"]["operation"], "works", "it was told once");
        };
        assert_eq!(reply["id"], id);
    }
    release.send(()).unwrap();
    assert_eq!(running.receive()["id"], 2, "a success is not a warning");
}
