use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::audit::{LockIntent, LogFilter, OperationLog, OperationStatus};
use crate::context::{Caller, Context};

const SOON: Duration = Duration::from_mins(1);

fn flush(writer: &AuditWriter) {
    let (done, wait) = channel();
    writer.when_written(move || done.send(()).unwrap());
    wait.recv_timeout(SOON).unwrap();
}

fn workspace() -> (tempfile::TempDir, Layout) {
    let dir = tempfile::tempdir().unwrap();
    fs_err::create_dir_all(dir.path().join(".hewto")).unwrap();
    let layout = Layout::load(&fs_err::canonicalize(dir.path()).unwrap());
    (dir, layout)
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn session(name: &str) -> Arc<AuditIdentity> {
    Arc::new(AuditIdentity { session_id: name.to_owned(), principal: None })
}

fn envelope(number: u64) -> OperationEnvelope {
    let caller = Context::background().caller().clone();
    let context =
        Context::background().with_caller(Caller { operation_id: format!("op-{number}"), ..caller });
    OperationEnvelope::start(&context, "spec_list", json!({ "number": number }), LockIntent::Read)
}

/// All records that match, newest first.
fn records(layout: &Layout, filter: LogFilter) -> Vec<OperationEnvelope> {
    let log = OperationLog::open(layout).unwrap();
    let everything = log.len();
    log.below(everything, filter).map(|(_, envelope)| envelope).collect()
}

/// The ids of the messages in one file of the wire log, in their order.
fn messages(dir: &tempfile::TempDir, file: &str) -> Vec<u64> {
    let text = fs_err::read_to_string(dir.path().join(".hewto/logs").join(file)).unwrap();
    let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].as_u64().unwrap();
    text.lines().map(id).collect()
}

#[test]
fn a_message_stands_in_the_daily_file_and_in_its_session_file() {
    let (dir, layout) = workspace();
    let writer = AuditWriter::start(&layout, Clock::fixed(at("2026-01-24T23:59:59.999Z"))).unwrap();
    writer.wire(&session("s1"), WireKind::Request, br#"{ "jsonrpc": "2.0", "id": 1, "method": "ping" }"#);
    writer.wire(&session("s2"), WireKind::Response, br#"{ "jsonrpc": "2.0", "id": 1, "result": {} }"#);
    flush(&writer);
    let logs = dir.path().join(".hewto/logs");
    let daily = fs_err::read_to_string(logs.join("2026-01-24.jsonl")).unwrap();
    assert_eq!(daily.lines().count(), 2);
    let session = fs_err::read_to_string(logs.join("session-s2.jsonl")).unwrap();
    assert_eq!(
        session,
        "{\"timestamp\":\"2026-01-24T23:59:59.999Z\",\"type\":\"response\",\"id\":1,\"result\":{}}\n"
    );
    assert!(dir.path().join(".hewto/.gitignore").exists());
}

#[test]
fn the_daily_file_changes_at_midnight_within_one_session() {
    let (dir, layout) = workspace();
    let now = Arc::new(Mutex::new(at("2026-01-24T23:59:59Z")));
    let clock = Clock::new({
        let now = Arc::clone(&now);
        move || *now.lock().unwrap()
    });
    let writer = AuditWriter::start(&layout, clock).unwrap();
    writer.wire(&session("s"), WireKind::Request, br#"{ "id": 1 }"#);
    *now.lock().unwrap() = at("2026-01-25T00:00:01Z");
    writer.wire(&session("s"), WireKind::Request, br#"{ "id": 2 }"#);
    drop(writer);
    assert_eq!(messages(&dir, "2026-01-24.jsonl"), [1]);
    assert_eq!(messages(&dir, "2026-01-25.jsonl"), [2]);
    assert_eq!(messages(&dir, "session-s.jsonl"), [1, 2]);
}

#[test]
fn operations_are_found_across_rotations() {
    let (dir, layout) = workspace();
    let rotation = Rotation { max_bytes: u64::MAX, max_records: 10 };
    let writer =
        AuditWriter::start_with(&layout, Clock::fixed(at("2026-01-24T14:30:00Z")), rotation).unwrap();
    for number in 0..35 {
        writer.operation(envelope(number));
        // One at a time, so that rotation falls after every tenth.
        flush(&writer);
    }
    drop(writer);
    let logs = dir.path().join(".hewto/logs");
    let mut names: Vec<String> = fs_err::read_dir(&logs)
        .unwrap()
        .map(|item| item.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            ".lock",
            "operations.jsonl",
            "operations.jsonl.20260124T143000Z",
            "operations.jsonl.20260124T143000Z-001",
            "operations.jsonl.20260124T143000Z-002",
            "operations.jsonl.manifest.json",
        ]
    );
    let manifest: Value =
        serde_json::from_slice(&fs_err::read(logs.join("operations.jsonl.manifest.json")).unwrap()).unwrap();
    let files = manifest["files"].as_array().unwrap();
    assert_eq!(files.len(), 3);
    assert!(files.iter().all(|file| file["records"] == 10 && file["start"].is_string()));
    let found = records(&layout, LogFilter::default());
    let all: Vec<String> = found.into_iter().map(|envelope| envelope.operation_id).collect();
    let expected: Vec<String> = (0..35).rev().map(|number| format!("op-{number}")).collect();
    assert_eq!(all, expected);
}

#[test]
fn a_log_that_is_too_long_is_rotated_too() {
    let (dir, layout) = workspace();
    let rotation = Rotation { max_bytes: 1000, max_records: u64::MAX };
    let writer = AuditWriter::start_with(&layout, Clock::system(), rotation).unwrap();
    for number in 0..6 {
        writer.operation(envelope(number));
        flush(&writer);
    }
    assert!(dir.path().join(".hewto/logs/operations.jsonl.manifest.json").exists());
    assert_eq!(records(&layout, LogFilter::default()).len(), 6);
}

#[test]
fn records_are_found_by_status_capability_session_and_time() {
    let (_dir, layout) = workspace();
    let writer = AuditWriter::start(&layout, Clock::system()).unwrap();
    let mut failed = envelope(1);
    let began = failed.started_at;
    failed.finish(Timestamp::now(), OperationStatus::Failed, Some(json!({ "error": "x" })));
    writer.operation(failed);
    writer.operation(envelope(2));
    flush(&writer);
    let read = |filter| -> Vec<String> {
        records(&layout, filter).into_iter().map(|envelope| envelope.operation_id).collect()
    };
    assert_eq!(read(LogFilter::default()), ["op-2", "op-1"]);
    let status = |status| LogFilter { status: Some(status), ..LogFilter::default() };
    assert_eq!(read(status(OperationStatus::Failed)), ["op-1"]);
    assert_eq!(read(status(OperationStatus::InProgress)), ["op-2"]);
    let other = LogFilter { capability_id: Some("spec_create".into()), ..LogFilter::default() };
    assert!(read(other).is_empty());
    let nobody = LogFilter { session_id: Some("nobody".into()), ..LogFilter::default() };
    assert!(read(nobody).is_empty());
    let before = began - jiff::SignedDuration::from_secs(1);
    assert!(read(LogFilter { until: Some(before), ..LogFilter::default() }).is_empty());
    assert_eq!(read(LogFilter { since: Some(before), ..LogFilter::default() }).len(), 2);
}

#[test]
fn what_is_too_old_ends_the_search_unless_clocks_are_only_a_little_apart() {
    let (_dir, layout) = workspace();
    let writer = AuditWriter::start(&layout, Clock::system()).unwrap();
    let ended = |number: u64, time: &str| {
        let mut envelope = envelope(number);
        envelope.started_at = at(time);
        envelope.finish(at(time), OperationStatus::Succeeded, None);
        writer.operation(envelope);
    };
    // The second process is half a minute behind; the first record is too new for its place by an hour.
    ended(1, "2026-01-24T15:00:00Z");
    ended(2, "2026-01-24T13:00:00Z");
    ended(3, "2026-01-24T14:00:10Z");
    ended(4, "2026-01-24T13:59:40Z");
    ended(5, "2026-01-24T14:00:20Z");
    flush(&writer);
    let since = LogFilter { since: Some(at("2026-01-24T14:00:00Z")), ..LogFilter::default() };
    let found: Vec<String> =
        records(&layout, since).into_iter().map(|envelope| envelope.operation_id).collect();
    assert_eq!(found, ["op-5", "op-3"]);
}

#[test]
fn a_torn_line_costs_only_itself() {
    let (dir, layout) = workspace();
    let writer = AuditWriter::start(&layout, Clock::system()).unwrap();
    writer.operation(envelope(1));
    flush(&writer);
    let path = dir.path().join(".hewto/logs/operations.jsonl");
    let mut file = fs_err::OpenOptions::new().append(true).open(&path).unwrap();
    io::Write::write_all(&mut file, b"{\"operation_id\": \"half").unwrap();
    writer.operation(envelope(2));
    flush(&writer);
    assert_eq!(records(&layout, LogFilter::default()).len(), 2);
}

#[test]
fn a_log_that_cannot_be_written_fails_nobody_and_is_written_as_soon_as_it_can_be() {
    let (dir, layout) = workspace();
    let logs = dir.path().join(".hewto/logs");
    fs_err::write(&logs, "a file where the folder should be").unwrap();
    let writer = AuditWriter::start(&layout, Clock::system()).unwrap();
    writer.operation(envelope(1));
    writer.wire(&session("s"), WireKind::Request, b"{}");
    flush(&writer);
    assert_eq!(fs_err::read_to_string(&logs).unwrap(), "a file where the folder should be");
    fs_err::remove_file(&logs).unwrap();
    writer.operation(envelope(2));
    flush(&writer);
    assert_eq!(fs_err::read_to_string(logs.join("operations.jsonl")).unwrap().lines().count(), 1);
}

#[test]
fn without_logs_there_is_nothing_to_read() {
    let (_dir, layout) = workspace();
    assert!(OperationLog::open(&layout).unwrap().is_empty());
    assert!(records(&layout, LogFilter::default()).is_empty());
}

const CHILD: &str = "HEWTO_STORE_AUDIT_CHILD";
const EACH: u64 = 120;

/// The child of the test below. Started by hand it fails: without its arguments it would show nothing.
#[test]
#[ignore = "the test below starts it as processes of its own"]
#[expect(clippy::disallowed_methods, reason = "a child process is told by the environment what to do")]
fn child_that_appends() {
    let text = std::env::var(CHILD).expect("another test starts this one, with arguments; run that one");
    let (root, number) = text.split_once('\n').unwrap();
    let number: u64 = number.parse().unwrap();
    let rotation = Rotation { max_bytes: u64::MAX, max_records: 11 };
    let writer = AuditWriter::start_with(&Layout::load(root.as_ref()), Clock::system(), rotation).unwrap();
    for index in 0..EACH {
        writer.operation(envelope(number * EACH + index));
        let message = json!({ "id": number * EACH + index }).to_string();
        writer.wire(&session("shared"), WireKind::Request, message.as_bytes());
        // Many small appends rather than one large one.
        flush(&writer);
    }
}

#[test]
fn eight_processes_lose_and_tear_no_line() {
    let (dir, layout) = workspace();
    let children: Vec<_> = (0..8)
        .map(|number| {
            std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "audit::writer::tests::child_that_appends", "--include-ignored", "--quiet"])
                .env(CHILD, format!("{}\n{number}", layout.root().display()))
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let mut ids: Vec<u64> = records(&layout, LogFilter::default())
        .iter()
        .map(|envelope| envelope.inputs["number"].as_u64().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..8 * EACH).collect::<Vec<_>>());
    assert_eq!(messages(&dir, "session-shared.jsonl").len() as u64, 8 * EACH);
    let manifest = fs_err::read(dir.path().join(".hewto/logs/operations.jsonl.manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let rotated = manifest["files"].as_array().unwrap();
    assert!(rotated.len() > 60, "{manifest}");
    for file in rotated {
        let text =
            fs_err::read_to_string(dir.path().join(".hewto/logs").join(file["file"].as_str().unwrap()))
                .unwrap();
        assert_eq!(text.lines().count() as u64, file["records"].as_u64().unwrap());
        assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    }
}

#[test]
fn envelopes_are_the_same_bytes_after_writing_rotating_and_reading() {
    let (dir, layout) = workspace();
    let rotation = Rotation { max_bytes: u64::MAX, max_records: 10 };
    let writer =
        AuditWriter::start_with(&layout, Clock::fixed(at("2026-01-24T14:30:00Z")), rotation).unwrap();
    let envelopes: Vec<OperationEnvelope> = (0..35).map(envelope).collect();
    let written: Vec<Vec<u8>> = envelopes.iter().map(|envelope| envelope.clone().into_line()).collect();
    for envelope in envelopes {
        writer.operation(envelope);
        flush(&writer);
    }
    drop(writer);
    let logs = dir.path().join(".hewto/logs");
    let mut names: Vec<String> = fs_err::read_dir(&logs)
        .unwrap()
        .map(|item| item.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("operations.jsonl.2"))
        .collect();
    names.sort();
    names.push("operations.jsonl".to_owned());
    let on_disk: Vec<u8> = names.iter().flat_map(|name| fs_err::read(logs.join(name)).unwrap()).collect();
    assert_eq!(on_disk, written.concat());
    let log = OperationLog::open(&layout).unwrap();
    assert_eq!(log.len(), 35);
    let mut read: Vec<Vec<u8>> =
        log.below(35, LogFilter::default()).map(|(_, envelope)| envelope.into_line()).collect();
    read.reverse();
    assert_eq!(read, written);
}

#[test]
fn numbers_stay_good_while_the_log_grows_and_rotates() {
    let (_dir, layout) = workspace();
    let rotation = Rotation { max_bytes: u64::MAX, max_records: 10 };
    let writer =
        AuditWriter::start_with(&layout, Clock::fixed(at("2026-01-24T14:30:00Z")), rotation).unwrap();
    let write = |from: u64, to: u64| {
        for number in from..to {
            writer.operation(envelope(number));
            flush(&writer);
        }
    };
    let below = |end: u64| -> Vec<(u64, u64)> {
        let log = OperationLog::open(&layout).unwrap();
        let found = log.below(end, LogFilter::default());
        found
            .take(3)
            .map(|(number, envelope)| (number, envelope.inputs["number"].as_u64().unwrap()))
            .collect()
    };
    write(0, 15);
    assert_eq!(below(15), [(14, 14), (13, 13), (12, 12)]);
    assert_eq!(below(12), [(11, 11), (10, 10), (9, 9)]);
    write(15, 33);
    assert_eq!(below(12), [(11, 11), (10, 10), (9, 9)]);
    assert_eq!(below(2), [(1, 1), (0, 0)]);
    assert!(below(0).is_empty());
}
